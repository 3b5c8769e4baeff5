"""Builds a commit from a patch, which is checked before git sees it and again afterwards."""

import asyncio
import re
import tempfile
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from yudai.forge.adapters.git.branch import signed_by
from yudai.forge.adapters.git.command import Git, Limits
from yudai.forge.adapters.git.mirror import ATTRIBUTES, Mirror, lay_out
from yudai.forge.adapters.git.objects import EXECUTABLE, Difference
from yudai.forge.adapters.git.patch_tree import put_on_tree
from yudai.forge.adapters.mirrors.fetch import Fetching, index_bytes, pin
from yudai.forge.adapters.mirrors.history import patch_id
from yudai.forge.adapters.mirrors.locations import BUILT, is_whole_name
from yudai.forge.domain.repository import RepoRef
from yudai.forge.ports.remote import Built, CommitText, Credential
from yudai.kit.errors import RefusedError
from yudai.kit.text import clean
from yudai.patches.inspection import Bounds, inspect, too_large
from yudai.patches.patch import Patch, parse_patch, readable

_FILES = frozenset({"100644", EXECUTABLE, "000000"})
_UNFIT = re.compile(r"[\x00-\x1f\x7f<>]")
# Besides the indexes of the packs, which git maps whole.
_MEMORY = 512 << 20
_SAFE = {"core.protectHFS": "true", "core.protectNTFS": "true", "core.symlinks": "false"}


@dataclass(frozen=True)
class Building:
    fetching: Fetching
    bounds: Bounds

    async def build(
        self, repo: RepoRef, base: str, patch: bytes, *, text: CommitText, by: Credential
    ) -> Built:
        if not is_whole_name(base):
            raise RefusedError(f"{readable(base)[:50]!r} is not a commit: give its full id")
        parsed = await asyncio.to_thread(read_publishable, patch, self.bounds)
        mirror = await self.fetching.commit(repo, base, by=by)
        async with self.fetching.locations.writing(mirror):
            with _scratch(mirror) as git:
                limits = Limits(timeout_s=120, memory=_MEMORY + index_bytes(mirror), cpu_s=60)
                patched = await put_on_tree(git, base, patch, parsed=parsed, limits=limits)
                await self._check(git, patched.differences)
                commit = await _commit(git, base, patched.tree, text)
            await pin(mirror, f"{BUILT}/{commit}", commit)
        return Built(
            commit=commit,
            tree=patched.tree,
            paths=tuple(sorted(parsed.paths)),
            patch_id=await patch_id(mirror.git, base, commit),
            inverse_patch_id=await patch_id(mirror.git, commit, base),
        )

    async def _check(self, git: Git, differences: Sequence[Difference]) -> None:
        """Check the modes and sizes that git produced."""
        for difference in differences:
            if not _FILES.issuperset((difference.old.mode, difference.new.mode)):
                path = readable(difference.path.decode("utf-8", "surrogateescape"))
                raise RefusedError(f"{path}: is no plain file: a person has to change it")
        new = "".join(f"{d.new.oid}\n" for d in differences if d.new.exists)
        answer = await git.ask("cat-file", "--batch-check=%(objectsize)", stdin=new.encode())
        if sum(map(int, answer.split())) > self._most:
            raise RefusedError(
                f"the changed files are larger than {self._most >> 20} MB: not published"
            )

    @property
    def _most(self) -> int:
        """A small change may be in a large file."""
        return 5 * self.bounds.inflated_bytes


def read_publishable(patch: bytes, bounds: Bounds) -> Patch:
    """RefusedError with everything that keeps it from being published."""
    if reason := too_large(len(patch), bounds):
        raise RefusedError(f"not published: {reason.text}")
    parsed = parse_patch(patch.decode("utf-8", "surrogateescape"))
    if not parsed.files:
        raise RefusedError("the patch is empty: there is nothing to publish")
    inspect(parsed, bounds=bounds).check()
    return parsed


@contextmanager
def _scratch(mirror: Mirror) -> Generator[Git]:
    """A temporary index; objects go to the mirror."""
    with tempfile.TemporaryDirectory(dir=mirror.folder.parent, prefix=".build-") as name:
        folder = Path(name) / "git"
        lay_out(folder, mirror.object_format)
        (folder / "info" / "attributes").write_text(ATTRIBUTES)
        yield Git(folder, objects=mirror.objects, settings=_SAFE)


async def _commit(git: Git, base: str, tree: str, text: CommitText) -> str:
    """Deterministic: the same input gives the same commit at any time."""
    author, email = (_UNFIT.sub("", clean(part)).strip() for part in (text.author, text.email))
    if not author or not email:
        raise RefusedError("a commit needs the name and the address of its author")
    settings = {**git.settings, "commit.gpgSign": "false", "i18n.commitEncoding": "UTF-8"}
    signing = replace(git, env=signed_by(author, email, at=text.at), settings=settings)
    message = clean(text.message).strip() + "\n"
    made = await signing.ask("commit-tree", "-p", base, tree, stdin=message.encode())
    return made.decode().strip()
