"""A branch at a forge: made once, never overwritten."""

from dataclasses import dataclass

from yudai.forge.adapters.git.branch import check_name
from yudai.forge.adapters.git.command import Git, Limits, Ran
from yudai.forge.adapters.mirrors.addresses import Address
from yudai.forge.adapters.mirrors.git_errors import failure
from yudai.forge.adapters.mirrors.locations import MirrorLocations
from yudai.forge.adapters.mirrors.remote_git import Wire
from yudai.forge.domain.repository import RepoRef
from yudai.forge.ports.remote import Credential
from yudai.kit.errors import ConflictError, ForgeError, LostAnswerError, YudaiError
from yudai.patches.patch import readable

_STALE = ("stale info", "[rejected]", "already exists", "cannot lock ref", "failed to update ref")


@dataclass(frozen=True)
class Push:
    """One branch to be made at a forge; look, then act."""

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
        error = failure(ran, self.address)
        told = f"{ran.told}\n{ran.output.decode('utf-8', 'replace')}"
        if isinstance(error, ForgeError) or any(sign in told for sign in _STALE):
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


async def push_branch(
    wire: Wire, locations: MirrorLocations, to: RepoRef, *, commit: str, branch: str, by: Credential
) -> None:
    await check_name(branch)
    git = locations.builder_of(commit).git
    await Push(wire, git, wire.address(to), commit, branch, by).make()
