"""A snapshot: the objects of a tree copied to us, an archive of it, and what to know about it."""

import os
from collections.abc import Sequence
from pathlib import Path

from yudai.forge.adapters.folder.start_commit import Start
from yudai.forge.adapters.folder.uncommitted import (
    Change,
    find_changes,
    include,
    refuse_uncommitted,
    refuse_unmerged,
)
from yudai.forge.adapters.git.mirror import Caps
from yudai.forge.adapters.git.objects import SUBMODULE, Entry, list_tree
from yudai.forge.adapters.git.scratch_repository import ScratchRepository
from yudai.forge.adapters.git.tree_files import files_of
from yudai.forge.adapters.git.tree_warnings import left_out, remarks
from yudai.forge.ports.folder import Snapshot
from yudai.kit.errors import RefusedError
from yudai.kit.hints import BASE, DIRTY
from yudai.patches.patch import readable


async def take_snapshot(
    scratch: ScratchRepository, start: Start, *, dirty: bool, sources: Path, caps: Caps
) -> Snapshot:
    committed = tree = await _tree(scratch, start.commit)
    entries = await list_tree(scratch.reading, tree)
    check_size(entries, caps)
    await scratch.mirror.take(scratch.reading, _names(start.commit, tree, entries))
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
                DIRTY, " takes your work tree, which does not stand upon ", BASE, field="dirty"
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
    total, count = sum(entry.size for entry in entries), len(files_of(entries))
    if total > caps.total_bytes or count > caps.files:
        raise RefusedError(
            f"the repository is too big ({count} files, {total >> 20} MB): "
            f"at most {caps.files} files and {caps.total_bytes >> 20} MB are taken"
        )


def _check_folder(entries: Sequence[Entry], folder: str) -> None:
    below = os.fsencode(f"{folder}/")
    if folder and not any(entry.path.startswith(below) for entry in files_of(entries)):
        raise RefusedError(f"{readable(folder)} holds no committed file: name another folder")


def _names(commit: str, tree: str, entries: Sequence[Entry]) -> list[str]:
    return [commit, tree, *(entry.oid for entry in entries if entry.mode != SUBMODULE)]
