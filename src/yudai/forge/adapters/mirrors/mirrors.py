"""The git side of a forge: fetches into our mirrors, builds commits there, pushes branches."""

import os
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from pathlib import Path

from yudai.forge.adapters.git.branch import check_name
from yudai.forge.adapters.git.command import NOWHERE, Git
from yudai.forge.adapters.git.tree_files import list_paths, read_file
from yudai.forge.adapters.mirrors.build_commit import Building
from yudai.forge.adapters.mirrors.fetch import Fetching, MirrorCaps
from yudai.forge.adapters.mirrors.history import (
    base_move,
    check_known,
    landed_since,
    lines_left,
    merged_patch,
)
from yudai.forge.adapters.mirrors.locations import MirrorLocations
from yudai.forge.adapters.mirrors.push import push_branch
from yudai.forge.adapters.mirrors.remote_git import Network, Wire
from yudai.forge.domain.repository import RepoRef
from yudai.forge.ports.folder import Snapshot
from yudai.forge.ports.remote import BaseMove, Built, CommitText, Credential, Landed, Rebased
from yudai.kit.concurrency import SingleFlight
from yudai.kit.errors import RefusedError
from yudai.patches.inspection import BOUNDS, Bounds
from yudai.patches.patch import readable


class RemoteMirrors:
    def __init__(
        self, home: Path, *, allow_http: bool = False, network: Network | None = None,
        caps: MirrorCaps | None = None, bounds: Bounds = BOUNDS,
    ) -> None:  # fmt: skip
        """`allow_http` is for forges on this machine alone."""
        self._home = home
        self._wire = Wire(network or Network(), allow_http)
        self._locations = MirrorLocations(home / "remotes")
        self._fetching = Fetching(
            self._locations, self._wire, caps or MirrorCaps(), home / "sources"
        )
        self._building = Building(self._fetching, bounds)
        self._flights: SingleFlight[Snapshot] = SingleFlight()

    @property
    def folder(self) -> Path:
        return self._locations.folder

    async def fetch(self, repo: RepoRef, base: str, *, by: Credential) -> Snapshot:
        # A user who may not see the repository gets nothing from another user's fetch.
        key = (repo.url.lower(), base, by.kind, by.login, by.token.get_secret_value())
        with self._readable_faults():
            return await self._flights.join(key, lambda: self._fetching.snapshot(repo, base, by=by))

    async def paths(self, snapshot: Snapshot) -> tuple[str, ...]:
        return await list_paths(self._locations.of_snapshot(snapshot), snapshot)

    async def read(self, snapshot: Snapshot, path: str, *, max_bytes: int = 1 << 20) -> bytes:
        mirror = self._locations.of_snapshot(snapshot)
        return await read_file(mirror, snapshot, path, max_bytes=max_bytes)

    async def build(
        self, repo: RepoRef, base_commit: str, patch: bytes, text: CommitText, *, by: Credential
    ) -> Built:
        with self._readable_faults():
            return await self._building.build(repo, base_commit, patch, text=text, by=by)

    async def push(self, to: RepoRef, commit: str, branch: str, *, by: Credential) -> None:
        with self._readable_faults():
            await push_branch(self._wire, self._locations, to, commit=commit, branch=branch, by=by)

    async def branch_head(self, repo: RepoRef, branch: str, *, by: Credential) -> str | None:
        await check_name(branch)
        address = self._wire.address(repo)
        return await self._wire.branch_head(Git(NOWHERE), address, branch, by=by) or None

    async def base_move(self, repo: RepoRef, base: str, commit: str, *, by: Credential) -> BaseMove:
        with self._readable_faults():
            head = await self._fetching.head(repo, base, by=by)
            await check_known(head.mirror, commit)
            return await base_move(head, commit)

    async def rebased(self, repo: RepoRef, base: str, commit: str, *, by: Credential) -> Rebased:
        with self._readable_faults():
            snapshot = await self._fetching.snapshot(repo, base, by=by)
            mirror = self._locations.of_snapshot(snapshot)
            await check_known(mirror, commit)
            patch = await merged_patch(mirror, snapshot.commit, commit)
            return Rebased(snapshot=snapshot, patch=patch)

    async def landed_since(
        self, repo: RepoRef, base: str, commit: str, *, by: Credential
    ) -> tuple[Landed, ...]:
        with self._readable_faults():
            head = await self._fetching.head(repo, base, by=by)
            await check_known(head.mirror, commit)
            return await landed_since(head, commit)

    async def lines_left(
        self, repo: RepoRef, base: str, added: Mapping[str, tuple[str, ...]], *, by: Credential
    ) -> float:
        with self._readable_faults():
            return await lines_left(await self._fetching.head(repo, base, by=by), added)

    @contextmanager
    def _readable_faults(self) -> Generator[None]:
        try:
            yield
        except OSError as error:
            where = readable(os.fsdecode(error.filename or self._home))
            raise RefusedError(f"cannot use {where}: {error.strerror}") from error
