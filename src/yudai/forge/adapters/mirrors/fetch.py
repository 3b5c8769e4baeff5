"""Fetches a branch or commit into our mirror, and makes the snapshot that a solve starts from."""

import asyncio
import hashlib
import os
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from yudai.forge.adapters.folder.snapshot import check_size
from yudai.forge.adapters.git.branch import check_name
from yudai.forge.adapters.git.command import Limits, Ran
from yudai.forge.adapters.git.mirror import Caps, Mirror
from yudai.forge.adapters.git.objects import list_tree
from yudai.forge.adapters.git.tree_warnings import remarks
from yudai.forge.adapters.mirrors.git_errors import failure
from yudai.forge.adapters.mirrors.locations import PINS, MirrorLocations
from yudai.forge.adapters.mirrors.remote_git import Wire
from yudai.forge.domain.repository import RepoRef
from yudai.forge.ports.folder import Snapshot
from yudai.forge.ports.remote import Credential
from yudai.kit.errors import NotFoundError, RefusedError
from yudai.patches.patch import readable

_BASES = "refs/yudai/bases"
_OTHERS = "refs/yudai/heads"
_PULLS = "refs/yudai/pulls"
# Besides the windows on packs that git is given, and the indexes of all packs.
_MEMORY = 2 << 30


class MirrorCaps(NamedTuple):
    """Limits on one mirror."""

    tree: Caps = Caps()
    mirror_bytes: int = 4 << 30
    packs: int = 50
    """Above this number, packs are combined."""


class Head(NamedTuple):
    mirror: Mirror
    commit: str


@dataclass(frozen=True)
class Fetching:
    locations: MirrorLocations
    wire: Wire
    caps: MirrorCaps
    sources: Path

    async def snapshot(self, repo: RepoRef, base: str, *, by: Credential) -> Snapshot:
        head = await self.head(repo, base, by=by)
        git = head.mirror.git
        tree = (await git.ask("rev-parse", f"{head.commit}^{{tree}}")).decode().strip()
        entries = await list_tree(git, tree)
        check_size(entries, self.caps.tree)
        source = self.sources / f"{tree}.tar"
        await head.mirror.archive(tree, source)
        return Snapshot(
            repo=repo.full,
            root=head.mirror.folder,
            branch=base,
            commit=head.commit,
            tree=tree,
            source=source,
            notes=await remarks(git, entries),
        )

    async def head(self, repo: RepoRef, base: str, *, by: Credential) -> Head:
        """The branch's current head, which is pinned from then on."""
        await check_name(base)
        ours = f"{_BASES}/{hashlib.sha256(base.encode()).hexdigest()[:16]}"
        what = f"branch {readable(base)}"
        return await self._head(repo, f"refs/heads/{base}", ours, what=what, by=by)

    async def pull(self, repo: RepoRef, number: int, *, by: Credential) -> Head:
        """The head of a pull request, which the forge keeps in the repository that it is to."""
        theirs, ours = f"refs/pull/{number}/head", f"{_PULLS}/{number}"
        return await self._head(repo, theirs, ours, what=f"pull request #{number}", by=by)

    async def _head(
        self, repo: RepoRef, theirs: str, ours: str, *, what: str, by: Credential
    ) -> Head:
        self.wire.address(repo)
        mirror = self.locations.mirror(repo)
        async with self.locations.writing(mirror):
            ran = await self._fetch(mirror, repo, f"+{theirs}:{ours}", by=by)
            if ran.exit_code != 0:
                if "couldn't find remote ref" in ran.errors:
                    raise NotFoundError(f"{repo.url} has no {what}")
                raise failure(ran, repo.url)
            commit = (await mirror.git.ask("rev-parse", f"{ours}^{{commit}}")).decode().strip()
            await pin(mirror, f"{PINS}/{commit}", commit)
            await self._tidy(mirror)
        return Head(mirror, commit)

    async def commit(self, repo: RepoRef, sha: str, *, by: Credential) -> Mirror:
        """The mirror with this commit, fetched by id or else with all branches."""
        self.wire.address(repo)
        mirror = self.locations.mirror(repo)
        await asyncio.to_thread(mirror.create)
        if await has_commit(mirror, sha):
            return mirror
        async with self.locations.writing(mirror):
            await self._forget_others(mirror)
            for wanted in (f"{sha}:{PINS}/{sha}", f"+refs/heads/*:{_OTHERS}/*"):
                ran = await self._fetch(mirror, repo, wanted, by=by)
                error = failure(ran, repo.url)
                if ran.exit_code != 0 and not isinstance(error, NotFoundError):
                    raise error
                if await has_commit(mirror, sha):
                    await pin(mirror, f"{PINS}/{sha}", sha)
                    return mirror
        raise NotFoundError(
            f"commit {readable(sha)[:12]} is no longer in {repo.url}: start a new solve"
        )

    async def _fetch(self, mirror: Mirror, repo: RepoRef, refspec: str, *, by: Credential) -> Ran:
        address = self.wire.address(repo)
        kept = await asyncio.to_thread(_weigh, mirror)
        left = self.caps.mirror_bytes - kept.total
        if left <= 0:
            raise RefusedError(
                f"the mirror of {repo.url} is larger than {self.caps.mirror_bytes >> 20} MB: "
                f"remove {mirror.folder}"
            )
        limits = Limits(
            timeout_s=self.wire.network.fetch_s,
            memory=_MEMORY + kept.indexes,
            # All that comes is one pack: it cannot grow past this.
            file_bytes=left,
        )
        ran = await self.wire.run(
            *(mirror.git, address, "fetch", "--quiet", "--no-tags", "--no-write-fetch-head"),
            *("--no-auto-maintenance", "--stdin", "--", address.url),
            by=by,
            # The limits are set before git has read what to fetch.
            stdin=f"{refspec}\n".encode(),
            limits=limits,
        )
        if ran.exit_code != 0 and await asyncio.to_thread(_sweep, mirror) >= left:
            raise RefusedError(
                f"{repo.url} is larger than the {self.caps.mirror_bytes >> 20} MB "
                "that are kept of a repository"
            )
        return ran

    async def _forget_others(self, mirror: Mirror) -> None:
        """A deleted branch may block a new branch whose name starts with its own."""
        listing = await mirror.git.ask("for-each-ref", "--format=delete %(refname)", _OTHERS)
        await mirror.git.ask("update-ref", "--stdin", stdin=listing)

    async def _tidy(self, mirror: Mirror) -> None:
        packs = await asyncio.to_thread(lambda: list((mirror.objects / "pack").glob("*.pack")))
        if len(packs) > self.caps.packs:
            await mirror.git.ask("repack", "--geometric=2", "-d", "-q")


async def pin(mirror: Mirror, ref: str, commit: str) -> None:
    await mirror.git.ask("update-ref", "--no-deref", ref, commit)


async def has_commit(mirror: Mirror, sha: str) -> bool:
    return (await mirror.git.run("cat-file", "-e", f"{sha}^{{commit}}")).exit_code == 0


class _Weight(NamedTuple):
    total: int
    indexes: int


def _weigh(mirror: Mirror) -> _Weight:
    total = 0
    for folder, _, names in os.walk(mirror.objects):
        for name in names:
            # A pack may go while we look.
            with suppress(FileNotFoundError):
                total += (Path(folder) / name).stat().st_size
    return _Weight(total, index_bytes(mirror))


def index_bytes(mirror: Mirror) -> int:
    """Git maps packs as a whole, so they count as its memory."""
    return sum(file.stat().st_size for file in (mirror.objects / "pack").glob("*.idx"))


def _sweep(mirror: Mirror) -> int:
    """Remove leftovers of interrupted fetches; returns the size of the largest pack."""
    left = 0
    for file in (mirror.objects / "pack").glob("tmp_*"):
        left = max(left, file.stat().st_size)
        file.unlink()
    return left
