"""A change of a person's repository put onto a snapshot of it: what is missing is copied to us."""

from dataclasses import replace

from yudai.forge.adapters.folder.start_commit import find_start
from yudai.forge.adapters.git.change_onto import (
    Sides,
    blobs_named_in,
    lacked_by,
    put_onto,
    sides_of_branch,
    sides_of_commit,
    text_of,
)
from yudai.forge.adapters.git.command import Git
from yudai.forge.adapters.git.scratch_repository import ScratchRepository
from yudai.forge.domain.change import BranchChange, Change, CommitChange, DiffText
from yudai.forge.ports.folder import Snapshot
from yudai.kit.errors import RefusedError


async def change_of(scratch: ScratchRepository, snapshot: Snapshot, change: Change) -> bytes:
    if isinstance(change, DiffText):
        text = change.content
        await scratch.mirror.take(scratch.reading, await blobs_named_in(scratch.reading, text))
    else:
        sides = await _sides(scratch, snapshot, change)
        names = await lacked_by(scratch.reading, snapshot.tree, sides)
        await scratch.mirror.take(scratch.reading, names)
        text = await text_of(scratch.mirror, sides)
    return await put_onto(scratch.mirror, snapshot.tree, text)


async def _sides(scratch: ScratchRepository, snapshot: Snapshot, change: Change) -> Sides:
    git = _with_history(scratch)
    match change:
        case BranchChange(name):
            head = (await find_start(git, scratch.place, name)).commit
            return await sides_of_branch(git, snapshot.commit, head, named=name)
        case CommitChange(name):
            return await sides_of_commit(git, (await find_start(git, scratch.place, name)).commit)
        case _:
            raise RefusedError("a folder has no pull requests: name one as owner/repo#12")


def _with_history(scratch: ScratchRepository) -> Git:
    """Where a shallow clone's history ends, git has to know that it does."""
    end = scratch.place.common / "shallow"
    if not end.is_file():
        return scratch.reading
    return replace(scratch.reading, env={"GIT_SHALLOW_FILE": str(end)})
