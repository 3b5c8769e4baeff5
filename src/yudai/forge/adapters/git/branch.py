"""Creates a branch with one commit on the base: new objects, then the ref, nothing else."""

import asyncio
import os
import re
import secrets
import zlib
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from yudai.forge.adapters.git.command import NOWHERE, Git
from yudai.forge.adapters.git.objects import SUBMODULE, Content, compare, read_objects
from yudai.forge.adapters.git.patch_tree import patch_tree
from yudai.forge.adapters.git.refs import HEADS, Refs, share
from yudai.forge.adapters.git.scratch_repository import ScratchRepository
from yudai.forge.ports.folder import Snapshot
from yudai.kit.errors import RefusedError
from yudai.kit.text import clean
from yudai.patches.patch import readable

AUTHOR = ("yudai-bot", "bot@yudai.app")

_MAX_NEW = 512 << 20
_COMMITTED = re.compile(rb"^committer .* (\d+) [+-]\d{4}$", re.MULTILINE)


async def check_name(name: str) -> None:
    """RefusedError for an invalid branch name."""
    fits = name.isprintable() and not name.startswith("-") and name != "HEAD"
    if fits:
        ran = await Git(NOWHERE).run("check-ref-format", f"{HEADS}{name}")
        fits = ran.exit_code == 0
    if not fits:
        raise RefusedError(f"{readable(name)!r} is not a branch name: use one like fix/issue-12")


async def make_branch(
    scratch: ScratchRepository,
    snapshot: Snapshot,
    patch: bytes,
    *,
    name: str,
    message: str,
    now: float,
) -> str:
    """Build the commit, copy it and create the branch. Idempotent."""
    refs = Refs(scratch.place, shared=scratch.config.shared)
    patched = await patch_tree(scratch, snapshot.tree, patch)
    taken = await asyncio.to_thread(refs.find, HEADS + name)
    if taken is not None:
        when = await _commit_time(scratch, taken)
        if taken == await _commit(scratch, snapshot, patched.tree, message=message, when=when):
            return taken
    commit = await _commit(scratch, snapshot, patched.tree, message=message, when=int(now))
    new = await _new_objects(scratch, snapshot, patched.tree, commit)
    await asyncio.to_thread(refs.check_free, name)
    await asyncio.to_thread(_store, scratch, new)
    await asyncio.to_thread(refs.create, name, commit)
    return commit


async def _commit(
    scratch: ScratchRepository, snapshot: Snapshot, tree: str, *, message: str, when: int
) -> str:
    git = replace(scratch.writing, env=signed_by(*AUTHOR, at=when))
    text = clean(message).strip() + "\n"
    made = await git.ask("commit-tree", "-p", snapshot.commit, tree, stdin=text.encode())
    return made.decode().strip()


def signed_by(name: str, email: str, *, at: int) -> dict[str, str]:
    """Git's environment for a commit by that author at that second."""
    values = {"NAME": name, "EMAIL": email, "DATE": f"@{at} +0000"}
    return {
        f"GIT_{who}_{what}": value
        for who in ("AUTHOR", "COMMITTER")
        for what, value in values.items()
    }


async def _commit_time(scratch: ScratchRepository, oid: str) -> int:
    ran = await scratch.theirs.run("cat-file", "commit", oid)
    match = _COMMITTED.search(ran.output)
    return int(match[1]) if match else 0


async def _new_objects(
    scratch: ScratchRepository, snapshot: Snapshot, tree: str, commit: str
) -> Mapping[str, Content]:
    """Objects of the commit that the repository lacks. Its base must still be there."""
    differences = await compare(scratch.writing, snapshot.tree, tree, folders=True)
    changed = [d.new.oid for d in differences if d.new.exists and d.new.mode != SUBMODULE]
    wanted = dict.fromkeys([*changed, tree, commit])
    asked = "".join(f"{oid}\n" for oid in (snapshot.commit, *wanted))
    answer = await scratch.theirs.ask("cat-file", "--batch-check", stdin=asked.encode())
    base, *others = answer.decode().splitlines()
    if base.endswith(" missing"):
        raise RefusedError(
            f"commit {snapshot.commit[:12]} is no longer in {readable(str(snapshot.root))}: "
            "start a new solve"
        )
    missing = [line.split(" ")[0] for line in others if line.endswith(" missing")]
    return await read_objects(scratch.writing, missing, max_bytes=_MAX_NEW)


def _store(scratch: ScratchRepository, new: Mapping[str, Content]) -> None:
    """Contents before objects that refer to them, so the commit is last."""
    for oid, content in new.items():
        if content.oid(scratch.config.object_format) != oid:
            raise RefusedError(f"object {oid} is damaged in our copy: start a new solve")
        _store_loose(scratch.place.objects, oid, content.whole, shared=scratch.config.shared)


def _store_loose(objects: Path, oid: str, whole: bytes, *, shared: str) -> None:
    folder = objects / oid[:2]
    if not folder.exists():
        folder.mkdir(exist_ok=True)
        share(folder, shared)
    if folder.is_symlink():
        raise RefusedError(f"{readable(str(folder))} is a symbolic link: nothing is written there")
    draft = folder / f"tmp_obj_{secrets.token_hex(8)}"
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o444)
    try:
        with open(descriptor, "wb") as file:  # noqa: PTH123 - a descriptor
            file.write(zlib.compress(whole))
            file.flush()
            os.fsync(descriptor)
        share(draft, shared)
        draft.rename(folder / oid[2:])
    except BaseException:
        draft.unlink(missing_ok=True)
        raise
