"""Takes a snapshot: copies a tree's objects, archives it, and collects warnings."""

import asyncio
import os
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from yudai.forge.adapters.folder.start_commit import Start
from yudai.forge.adapters.git.mirror import Caps
from yudai.forge.adapters.git.objects import SUBMODULE, Entry, list_tree, parse_raw, read_objects
from yudai.forge.adapters.git.scratch_repository import ScratchRepository
from yudai.forge.adapters.git.tree_warnings import (
    MAX_POINTER,
    first_names,
    left_out,
    parse_pointer,
    remarks,
    stands_for,
)
from yudai.forge.ports.folder import Snapshot
from yudai.kit.errors import RefusedError
from yudai.kit.hints import BASE, DIRTY, USE_DIRTY
from yudai.patches.patch import readable


class Change(NamedTuple):
    path: bytes
    work_tree: str
    """Git's letter for the change since staging; "." for none, "?" for untracked."""
    oid: str = ""
    """The staged content, "" if there is none."""
    unmerged: bool = False

    @property
    def is_repository(self) -> bool:
        """A whole repository in an untracked folder."""
        return self.work_tree == "?" and self.path.endswith(b"/")


async def take_snapshot(
    scratch: ScratchRepository, start: Start, *, dirty: bool, sources: Path, caps: Caps
) -> Snapshot:
    committed = tree = await _tree(scratch, start.commit)
    entries = await list_tree(scratch.reading, tree)
    check_size(entries, caps)
    await scratch.mirror.take(scratch.reading, _object_names(start.commit, tree, entries))
    changes = await _changes(scratch, start, dirty=dirty)
    if changes:
        tree = await include(scratch, changes, start.commit, caps)
        entries = await list_tree(scratch.writing, tree)
        check_size(entries, caps)
    _check_folder(entries, scratch.place.folder)
    source = sources / f"{tree}.tar"
    await scratch.mirror.archive(tree, source)
    nested = [change.path for change in changes if change.is_repository]
    return Snapshot(
        repo=scratch.place.root.name or "/",
        root=scratch.place.root,
        folder=scratch.place.folder,
        branch=start.branch,
        commit=start.commit,
        tree=tree,
        dirty=tree != committed,
        source=source,
        notes=(*await remarks(scratch.writing, entries), *left_out(nested)),
    )


async def _changes(scratch: ScratchRepository, start: Start, *, dirty: bool) -> list[Change]:
    if not start.is_head:
        if dirty:
            raise RefusedError(
                DIRTY, " takes your work tree, which is not based on ", BASE, field="dirty"
            )
        return []
    scratch.copy_index(start.commit)
    changes = await find_changes(scratch, each_file=dirty)
    refuse_unmerged(changes, scratch.place.root)
    if not dirty:
        refuse_uncommitted(changes)
    return changes


async def _tree(scratch: ScratchRepository, commit: str) -> str:
    return (await scratch.reading.ask("rev-parse", f"{commit}^{{tree}}")).decode().strip()


def check_size(entries: Sequence[Entry], caps: Caps) -> None:
    total, count = sum(entry.size for entry in entries), sum(entry.is_file for entry in entries)
    if total > caps.total_bytes or count > caps.files:
        raise RefusedError(
            f"the repository is too big ({count} files, {total >> 20} MB): "
            f"at most {caps.files} files and {caps.total_bytes >> 20} MB are taken"
        )


def _check_folder(entries: Sequence[Entry], folder: str) -> None:
    below = os.fsencode(f"{folder}/")
    if folder and not any(entry.is_file and entry.path.startswith(below) for entry in entries):
        raise RefusedError(f"{readable(folder)} holds no committed file: name another folder")


def _object_names(commit: str, tree: str, entries: Sequence[Entry]) -> list[str]:
    return [commit, tree, *(entry.oid for entry in entries if entry.mode != SUBMODULE)]


_MAX_POINTERS = 64 << 20


async def find_changes(scratch: ScratchRepository, *, each_file: bool) -> list[Change]:
    """What `git status` would tell; `each_file` names every file of an untracked folder.

    The commit's objects have to be ours already: a sparse index makes even this command write.
    """
    raw = await scratch.over_files(scratch.writing).ask(
        "status",
        "--porcelain=v2",
        "-z",
        "--no-renames",
        "--ignore-submodules=all",
        f"--untracked-files={'all' if each_file else 'normal'}",
    )
    changes = [_parse(item) for item in raw.split(b"\0") if item]
    return await _without_lfs(scratch, changes)


def refuse_unmerged(changes: Sequence[Change], root: Path) -> None:
    if any(change.unmerged for change in changes):
        names = first_names([change.path for change in changes])
        raise RefusedError(
            f"{readable(str(root))} has unmerged files ({names}): finish the merge or abort it"
        )


def refuse_uncommitted(changes: Sequence[Change]) -> None:
    if changes:
        names = first_names([change.path for change in changes])
        raise RefusedError(
            f"uncommitted changes in {names}: commit or stash them, or ",
            USE_DIRTY,
            field="dirty",
        )


async def include(
    scratch: ScratchRepository, changes: Sequence[Change], commit: str, caps: Caps
) -> str:
    """The tree of the work tree as it is now, in our objects; the index is our copy."""
    await asyncio.to_thread(_check_size, scratch.place.root, changes, caps)
    git = scratch.over_files(scratch.writing)
    gone = [change.path for change in changes if change.work_tree == "D"]
    there = [change.path for change in changes if _is_new(change)]
    await git.ask("update-index", "--force-remove", "-z", "--stdin", stdin=_lines(gone))
    await git.ask("update-index", "--add", "--replace", "-z", "--stdin", stdin=_lines(there))
    raw = await scratch.writing.ask(
        "diff-index", "--cached", "--raw", "-z", "--no-renames", "--full-index", commit
    )
    staged = [
        difference.new.oid
        for difference in parse_raw(raw)
        if difference.new.exists and difference.new.mode != SUBMODULE
    ]
    await scratch.mirror.take(scratch.reading, staged)
    return (await scratch.writing.ask("write-tree")).decode().strip()


def _parse(item: bytes) -> Change:
    kind, _, rest = item.partition(b" ")
    if kind == b"?":
        return Change(rest, "?")
    if kind == b"u":
        return Change(rest.split(b" ", 9)[-1], "U", unmerged=True)
    words = rest.split(b" ", 7)
    return Change(words[7], words[0].decode()[1], words[6].decode())


async def _without_lfs(scratch: ScratchRepository, changes: list[Change]) -> list[Change]:
    """A file whose LFS pointer is staged is unchanged, although we run no filter."""
    modified = {change.oid for change in changes if change.work_tree == "M"}
    if not modified:
        return changes
    sizes = await scratch.reading.ask(
        "cat-file",
        "--batch-check=%(objectsize) %(objectname)",
        stdin="".join(f"{oid}\n" for oid in modified).encode(),
    )
    pairs = [line.split(" ") for line in sizes.decode().splitlines()]
    small = [oid for size, oid in pairs if size.isdigit() and int(size) <= MAX_POINTER]
    contents = await read_objects(scratch.reading, small, max_bytes=_MAX_POINTERS)
    pointers = {oid: parse_pointer(content.body) for oid, content in contents.items()}

    def is_checked_out(change: Change) -> bool:
        pointer = pointers.get(change.oid) if change.work_tree == "M" else None
        file = scratch.place.root / os.fsdecode(change.path)
        return pointer is not None and stands_for(pointer, file)

    return await asyncio.to_thread(
        lambda: [change for change in changes if not is_checked_out(change)]
    )


def _is_new(change: Change) -> bool:
    return change.work_tree not in (".", "D") and not change.is_repository


def _check_size(root: Path, changes: Sequence[Change], caps: Caps) -> None:
    total = 0
    for change in changes:
        if _is_new(change):
            total += (root / os.fsdecode(change.path)).lstat().st_size
    if total > caps.total_bytes or len(changes) > caps.files:
        raise RefusedError(
            f"the uncommitted changes are too big ({len(changes)} files, {total >> 20} MB): "
            "commit less, or let .gitignore name what is not source"
        )


def _lines(paths: Sequence[bytes]) -> bytes:
    return b"".join(path + b"\0" for path in paths)
