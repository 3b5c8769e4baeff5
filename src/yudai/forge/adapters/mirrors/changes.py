"""A change at a forge, or a patch of a person, put onto a snapshot in our mirror."""

from dataclasses import dataclass

from yudai.forge.adapters.git.change_onto import (
    Sides,
    put_onto,
    sides_of_branch,
    sides_of_commit,
    text_of,
)
from yudai.forge.adapters.git.mirror import Mirror
from yudai.forge.adapters.mirrors.fetch import Fetching
from yudai.forge.adapters.mirrors.locations import is_whole_name
from yudai.forge.domain.change import BranchChange, Change, CommitChange, DiffText, PullChange
from yudai.forge.domain.repository import RepoRef
from yudai.forge.ports.folder import Snapshot
from yudai.forge.ports.remote import Credential
from yudai.kit.errors import RefusedError


@dataclass(frozen=True)
class Changing:
    fetching: Fetching

    async def change(
        self, repo: RepoRef, snapshot: Snapshot, change: Change, *, by: Credential
    ) -> bytes:
        mirror = self.fetching.locations.of_snapshot(snapshot)
        if isinstance(change, DiffText):
            text = change.content
        else:
            sides = await self._sides(repo, mirror, snapshot, change, by=by)
            text = await text_of(mirror, sides)
        return await put_onto(mirror, snapshot.tree, text)

    async def _sides(
        self, repo: RepoRef, mirror: Mirror, snapshot: Snapshot, change: Change, *, by: Credential
    ) -> Sides:
        match change:
            case BranchChange(name):
                head = (await self.fetching.head(repo, name, by=by)).commit
                named = f"branch {name}"
            case PullChange(number):
                head = (await self.fetching.pull(repo, number, by=by)).commit
                named = f"pull request #{number}"
            case CommitChange(name):
                if not is_whole_name(name):
                    raise RefusedError("give a commit of a forge by its whole name, of 40 digits")
                await self.fetching.commit(repo, name, by=by)
                return await sides_of_commit(mirror.git, name)
            case DiffText():
                raise TypeError("a text has no sides")
        return await sides_of_branch(mirror.git, snapshot.commit, head, named=named)
