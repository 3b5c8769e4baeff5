"""A patch in a person's work tree: all of it or nothing.

Git works out the new contents in our own repository; the files are written here rather than by
`git apply`, which follows a link put in its way while it works, and which cannot take back half
of its work.
"""

import asyncio
import os
import secrets
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from yudai.forge.adapters.folder.work_tree import MISSING, Found, WorkTree, open_work_tree
from yudai.forge.adapters.git.objects import EXECUTABLE, Content, Difference, Side
from yudai.forge.adapters.git.scratch_repository import ScratchRepository
from yudai.kit.errors import ConflictError, RefusedError
from yudai.patches.patch import readable


class Edit(NamedTuple):
    """One file's planned change: the content seen there and the new one."""

    path: bytes
    new: Side
    content: bytes
    """The new content, or a link's target."""
    executable: bool
    found: Found


def write_all(root: Path, edits: Sequence[Edit]) -> None:
    """Change the files. RefusedError, with everything restored, if one cannot be changed."""
    with open_work_tree(root) as tree:
        attempt = _Attempt(tree)
        try:
            attempt.go(edits)
        except (OSError, _MovedError) as error:
            path = readable(os.fsdecode(attempt.at))
            left = attempt.take_back()
            why = error.strerror if isinstance(error, OSError) else error
            raise RefusedError(f"{path} could not be changed: {why}; {left}") from None
        except BaseException:
            attempt.take_back()
            raise


class _MovedError(Exception):
    """Another program changed a file at the same moment."""


class _Attempt:
    """Uses a folder beside the files for new files, and for old ones until the end."""

    def __init__(self, tree: WorkTree) -> None:
        self._tree = tree
        self._staging = b".yudai-" + secrets.token_hex(8).encode()
        self._undo: list[Callable[[], None]] = []
        self._old: list[bytes] = []
        self.at = b""

    def go(self, edits: Sequence[Edit]) -> None:
        self._tree.make_folder(self._staging, 0o700)
        self._undo.append(lambda: self._tree.remove_folder(self._staging))
        ready = [(self._stage(number, edit), edit) for number, edit in enumerate(edits)]
        for _, edit in ready:
            if not edit.new.exists:
                self._set_aside(edit)
        for _, edit in ready:
            if not edit.new.exists:
                self._drop_empty_folders(edit.path)
        for draft, edit in ready:
            if edit.new.exists:
                self._put(draft, edit)
        self._finish()

    def take_back(self) -> str:
        """Undo in reverse order; returns the result as text."""
        try:
            while self._undo:
                self._undo.pop()()
        except OSError:
            kept = self._staging.decode()
            return f"not all could be put back: what was there is in {kept}"
        return "nothing was changed"

    def _stage(self, number: int, edit: Edit) -> bytes:
        draft = b"%s/new-%d" % (self._staging, number)
        self.at = edit.path
        if not edit.new.exists:
            return draft
        if edit.new.is_link:
            self._tree.write_link(draft, edit.content)
        else:
            self._tree.write_file(draft, edit.content, executable=edit.executable, like=edit.found)
        self._undo.append(lambda: self._tree.remove(draft))
        return draft

    def _set_aside(self, edit: Edit) -> None:
        self.at = edit.path
        kept = b"%s/old-%d" % (self._staging, len(self._old))
        self._tree.rename(edit.path, kept)
        self._undo.append(lambda: self._tree.rename(kept, edit.path))
        if self._tree.stamp(kept) != edit.found.stamp:
            raise _MovedError("it changed at the same moment")
        self._old.append(kept)

    def _put(self, draft: bytes, edit: Edit) -> None:
        self.at = edit.path
        if edit.found.kind in ("file", "link"):
            self._set_aside(edit)
        self._make_folders(edit.path)
        if self._tree.look(edit.path).kind != "missing":
            raise _MovedError("something is in its place")
        self._tree.rename(draft, edit.path)
        self._undo.append(lambda: self._tree.rename(edit.path, draft))

    def _make_folders(self, path: bytes) -> None:
        parts = path.split(b"/")
        for depth in range(1, len(parts)):
            folder = b"/".join(parts[:depth])
            if self._tree.look(folder).kind == "missing":
                self._tree.make_folder(folder)
                self._undo.append(lambda made=folder: self._tree.remove_folder(made))

    def _drop_empty_folders(self, path: bytes) -> None:
        """Git keeps no empty folders, and a file may take a folder's place."""
        parts = path.split(b"/")
        for depth in range(len(parts) - 1, 0, -1):
            folder = b"/".join(parts[:depth])
            found = self._tree.look(folder)
            if found.kind != "folder":
                return
            try:
                self._tree.remove_folder(folder)
            except OSError:
                return
            self._undo.append(
                lambda made=folder, mode=found.permissions: self._tree.make_folder(made, mode)
            )

    def _finish(self) -> None:
        """The change is complete. Files that cannot be removed are harmless leftovers."""
        self._undo.clear()
        with suppress(OSError):
            for kept in self._old:
                self._tree.remove(kept)
            self._tree.remove_folder(self._staging)


_EXECUTABLE = 0o100


async def fit(scratch: ScratchRepository, differences: Sequence[Difference]) -> list[Edit]:
    """The edits to make; refused when a file is neither as it was nor as it would be."""
    scratch.copy_attributes()
    seen = await asyncio.to_thread(_look, scratch, differences)
    if all([await _is(scratch, d.path, d.new, seen[d.path]) for d in differences]):
        raise ConflictError("the patch is applied already: nothing is left to change")
    for difference in differences:
        if not await _is(scratch, difference.path, difference.old, seen[difference.path]):
            name = readable(os.fsdecode(difference.path))
            raise ConflictError(
                f"your folder has changed since: {name} is not what the patch was made for"
            )
    return [await _edit(scratch, difference, seen[difference.path]) for difference in differences]


def _look(scratch: ScratchRepository, differences: Sequence[Difference]) -> dict[bytes, Found]:
    touched = {difference.path for difference in differences}
    seen: dict[bytes, Found] = {}
    with open_work_tree(scratch.place.root) as tree:
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


async def _is(scratch: ScratchRepository, path: bytes, side: Side, found: Found) -> bool:
    if not side.exists:
        return found.kind in ("missing", "folder")
    if found.kind != ("link" if side.is_link else "file"):
        return False
    if not side.is_link and scratch.config.heeds_mode:
        executable = bool(found.permissions & _EXECUTABLE)
        if executable != (side.mode == EXECUTABLE):
            return False
    raw = Content("blob", found.content).oid(scratch.config.object_format)
    return raw == side.oid or (not side.is_link and await _stored(scratch, path, found) == side.oid)


async def _edit(scratch: ScratchRepository, difference: Difference, found: Found) -> Edit:
    path, old, new = difference
    # Where git does not heed modes, the file's own may be another than the one that git knows.
    executable = new.mode == EXECUTABLE
    if old.mode == new.mode:
        executable = bool(found.permissions & _EXECUTABLE)
    return Edit(path, new, await _written(scratch, path, new), executable, found)


async def _stored(scratch: ScratchRepository, path: bytes, found: Found) -> str:
    """The object id that git would give a file, with its line-end and encoding rules."""
    git = scratch.over_files(scratch.writing)
    oid = await git.ask(
        "hash-object", f"--path={os.fsdecode(path)}", "--stdin", stdin=found.content
    )
    return oid.decode().strip()


async def _written(scratch: ScratchRepository, path: bytes, side: Side) -> bytes:
    """A content as git would check it out. Our settings run no filter programs."""
    if not side.exists:
        return b""
    git = scratch.over_files(scratch.writing)
    if side.is_link:
        return await git.ask("cat-file", "blob", side.oid)
    return await git.ask("cat-file", "--filters", f"--path={os.fsdecode(path)}", side.oid)
