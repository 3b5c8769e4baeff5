"""The git side of a forge: fetches into our mirrors, builds commits there, pushes branches."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from yudai.forge.adapters.git.branch import check_name
from yudai.forge.adapters.git.command import NOWHERE, Git, Limits, Ran
from yudai.forge.adapters.git.mirror import readable_faults
from yudai.forge.adapters.mirrors.build_commit import Building
from yudai.forge.adapters.mirrors.changes import Changing
from yudai.forge.adapters.mirrors.fetch import Fetching, MirrorCaps
from yudai.forge.adapters.mirrors.git_errors import failure
from yudai.forge.adapters.mirrors.history import (
    base_move,
    check_known,
    landed_since,
    lines_left,
    merged_patch,
)
from yudai.forge.adapters.mirrors.locations import MirrorLocations
from yudai.forge.adapters.mirrors.remote_git import Address, Network, Wire
from yudai.forge.domain.change import Change
from yudai.forge.domain.repository import RepoRef
from yudai.forge.ports.folder import Snapshot
from yudai.forge.ports.remote import BaseMove, Built, CommitText, Credential, Landed, Rebased
from yudai.kit.concurrency import SingleFlight
from yudai.kit.errors import ConflictError, ForgeError, LostAnswerError, YudaiError
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
        with readable_faults(self._home):
            return await self._flights.join(key, lambda: self._fetching.snapshot(repo, base, by=by))

    async def paths(self, snapshot: Snapshot) -> tuple[str, ...]:
        return await self._locations.of_snapshot(snapshot).paths(snapshot)

    async def read(self, snapshot: Snapshot, path: str, *, max_bytes: int = 1 << 20) -> bytes:
        return await self._locations.of_snapshot(snapshot).read(snapshot, path, max_bytes=max_bytes)

    async def change(
        self, repo: RepoRef, snapshot: Snapshot, change: Change, *, by: Credential
    ) -> bytes:
        with readable_faults(self._home):
            return await Changing(self._fetching).change(repo, snapshot, change, by=by)

    async def build(
        self, repo: RepoRef, base_commit: str, patch: bytes, text: CommitText, *, by: Credential
    ) -> Built:
        with readable_faults(self._home):
            return await self._building.build(repo, base_commit, patch, text=text, by=by)

    async def push(self, to: RepoRef, commit: str, branch: str, *, by: Credential) -> None:
        with readable_faults(self._home):
            await check_name(branch)
            git = self._locations.builder_of(commit).git
            await _Push(self._wire, git, self._wire.address(to), commit, branch, by).make()

    async def branch_head(self, repo: RepoRef, branch: str, *, by: Credential) -> str | None:
        await check_name(branch)
        address = self._wire.address(repo)
        return await self._wire.branch_head(Git(NOWHERE), address, branch, by=by) or None

    async def base_move(self, repo: RepoRef, base: str, commit: str, *, by: Credential) -> BaseMove:
        with readable_faults(self._home):
            head = await self._fetching.head(repo, base, by=by)
            await check_known(head.mirror, commit)
            return await base_move(head, commit)

    async def rebased(self, repo: RepoRef, base: str, commit: str, *, by: Credential) -> Rebased:
        with readable_faults(self._home):
            snapshot = await self._fetching.snapshot(repo, base, by=by)
            mirror = self._locations.of_snapshot(snapshot)
            await check_known(mirror, commit)
            patch = await merged_patch(mirror, snapshot.commit, commit)
            return Rebased(snapshot=snapshot, patch=patch)

    async def landed_since(
        self, repo: RepoRef, base: str, commit: str, *, by: Credential
    ) -> tuple[Landed, ...]:
        with readable_faults(self._home):
            head = await self._fetching.head(repo, base, by=by)
            await check_known(head.mirror, commit)
            return await landed_since(head, commit)

    async def lines_left(
        self, repo: RepoRef, base: str, added: Mapping[str, tuple[str, ...]], *, by: Credential
    ) -> float:
        with readable_faults(self._home):
            return await lines_left(await self._fetching.head(repo, base, by=by), added)


_STALE = ("stale info", "[rejected]", "already exists", "cannot lock ref", "failed to update ref")


@dataclass(frozen=True)
class _Push:
    """A branch to create at a forge, after checking its state."""

    wire: Wire
    git: Git
    address: Address
    commit: str
    branch: str
    by: Credential

    async def make(self) -> None:
        """A branch at our commit is already pushed; a branch at another commit is not ours."""
        if await self._is_done():
            return None
        try:
            ran = await self._push()
        except ForgeError as error:
            return await self._look_after(error)
        if ran.exit_code == 0:
            return None
        error = failure(ran, self.address.url)
        said = f"{ran.errors}\n{ran.output.decode('utf-8', 'replace')}"
        if isinstance(error, ForgeError) or any(sign in said for sign in _STALE):
            return await self._look_after(error)
        raise error

    async def _push(self) -> Ran:
        ref = f"refs/heads/{self.branch}"
        return await self.wire.run(
            *(self.git, self.address, "push", "--porcelain", "--no-verify", "--no-follow-tags"),
            # It has to be absent still.
            *(f"--force-with-lease={ref}:", "--", self.address.url, f"{self.commit}:{ref}"),
            by=self.by,
            limits=Limits(timeout_s=self.wire.network.push_s),
        )

    async def _look_after(self, error: YudaiError) -> None:
        """Whether the branch was made although no answer arrived."""
        try:
            is_done = await self._is_done()
        except ForgeError:
            raise LostAnswerError(f"{error}; whether the branch was made is not known") from None
        if not is_done:
            raise error

    async def _is_done(self) -> bool:
        head = await self.wire.branch_head(self.git, self.address, self.branch, by=self.by)
        if head and head != self.commit:
            raise ConflictError(
                f"branch {readable(self.branch)} is at {head[:12]}, which is not ours: "
                "a person edited it, and it is never overwritten"
            )
        return head == self.commit
