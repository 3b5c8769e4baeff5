"""Whether a change still fits a person's files, and what exactly would be written."""

import asyncio
import os
from collections.abc import Sequence

from yudai.forge.adapters.folder.apply import Edit
from yudai.forge.adapters.folder.work_tree import MISSING, Found, open_work_tree
from yudai.forge.adapters.git.objects import EXECUTABLE, Content, Difference, Side
from yudai.forge.adapters.git.scratch_repository import Desk
from yudai.kit.errors import ConflictError, RefusedError
from yudai.patches.patch import readable

_EXECUTABLE = 0o100


async def fit(desk: Desk, differences: Sequence[Difference]) -> list[Edit]:
    """The edits to make; refused when a file is neither as it was nor as it would be."""
    desk.copy_attributes()
    seen = await asyncio.to_thread(_look, desk, differences)
    if all([await _is(desk, d.path, d.new, seen[d.path]) for d in differences]):
        raise ConflictError("the patch is applied already: nothing is left to change")
    for difference in differences:
        if not await _is(desk, difference.path, difference.old, seen[difference.path]):
            name = readable(os.fsdecode(difference.path))
            raise ConflictError(
                f"your folder has changed since: {name} is not what the patch was made for"
            )
    return [await _edit(desk, difference, seen[difference.path]) for difference in differences]


def _look(desk: Desk, differences: Sequence[Difference]) -> dict[bytes, Found]:
    touched = {difference.path for difference in differences}
    seen: dict[bytes, Found] = {}
    with open_work_tree(desk.place.root) as tree:
        for path in (difference.path for difference in differences):
            try:
                barrier = tree.barrier(path)
                seen[path] = tree.look(path) if barrier is None else MISSING
            except OSError as error:
                name = readable(os.fsdecode(path))
                raise RefusedError(f"cannot read {name}: {error.strerror}") from None
            if barrier is not None and barrier not in touched:
                above, name = readable(os.fsdecode(barrier)), readable(os.fsdecode(path))
                raise ConflictError(f"{above} is no folder, so that {name} cannot be changed")
    return seen


async def _is(desk: Desk, path: bytes, side: Side, found: Found) -> bool:
    if not side.exists:
        return found.kind in ("missing", "folder")
    if found.kind != ("link" if side.is_link else "file"):
        return False
    if not side.is_link and desk.config.heeds_mode:
        executable = bool(found.permissions & _EXECUTABLE)
        if executable != (side.mode == EXECUTABLE):
            return False
    raw = Content("blob", found.content).oid(desk.config.object_format)
    return raw == side.oid or (not side.is_link and await _stored(desk, path, found) == side.oid)


async def _edit(desk: Desk, difference: Difference, found: Found) -> Edit:
    path, old, new = difference
    # Where git does not heed modes, the file's own may be another than the one that git knows.
    executable = new.mode == EXECUTABLE
    if old.mode == new.mode:
        executable = bool(found.permissions & _EXECUTABLE)
    return Edit(path, new, await _written(desk, path, new), executable, found)


async def _stored(desk: Desk, path: bytes, found: Found) -> str:
    """The name that git would give to a file: line ends and encodings as it keeps them."""
    git = desk.over_files(desk.writing)
    oid = await git.ask(
        "hash-object", f"--path={os.fsdecode(path)}", "--stdin", stdin=found.content
    )
    return oid.decode().strip()


async def _written(desk: Desk, path: bytes, side: Side) -> bytes:
    """A content as git would check it out; programs that filter are none of our settings."""
    if not side.exists:
        return b""
    git = desk.over_files(desk.writing)
    if side.is_link:
        return await git.ask("cat-file", "blob", side.oid)
    return await git.ask("cat-file", "--filters", f"--path={os.fsdecode(path)}", side.oid)
