"""How a base branch stands now to what was built upon it, and what has landed there.

The same change upon another base is known by git's stable name of it, its patch id.
"""

import re
import tempfile
from collections import Counter
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import NamedTuple

from yudai.forge.adapters.git.command import NOWHERE, Git, Limits
from yudai.forge.adapters.git.mirror import Mirror, lay_out
from yudai.forge.adapters.git.objects import compare, find_entry, read_objects
from yudai.forge.adapters.mirrors.fetch import Head, has_commit, index_bytes
from yudai.forge.adapters.mirrors.locations import is_whole_name
from yudai.forge.ports.remote import BaseMove, Landed
from yudai.kit.errors import ConflictError, NotFoundError, RefusedError
from yudai.kit.text import clean

MOST = 500
_MAX_MESSAGE = 64 << 10
_MAX_READ = 256 << 20
_MAX_FILE = 8 << 20
_MERGING = (2, 38)
_MEMORY = 1 << 30
_VERSION = re.compile(rb"git version (\d+)\.(\d+)")
_COMMITTED = re.compile(rb"^committer .* (\d{1,12}) [+-]\d{4}$", re.MULTILINE)
_PARENT = re.compile(rb"^parent ([0-9a-f]{40})$", re.MULTILINE)


async def base_move(head: Head, commit: str) -> BaseMove:
    git = head.mirror.git
    parent = (await git.ask("rev-parse", f"{commit}^")).decode().strip()
    if head.commit == parent or await _is_in(git, commit, head.commit):
        return BaseMove.NONE
    if not await _merges(head.mirror, head.commit, commit):
        return BaseMove.CONFLICT
    ours = {difference.path for difference in await compare(git, parent, commit)}
    theirs = {difference.path for difference in await compare(git, parent, head.commit)}
    return BaseMove.NEAR if ours & theirs else BaseMove.APART


async def landed_since(head: Head, commit: str) -> tuple[Landed, ...]:
    """Oldest first, at most 500. Continue from the last one for the rest."""
    git = head.mirror.git
    listing = await git.ask("rev-list", "--topo-order", f"{commit}..{head.commit}")
    shas = listing.decode().split()[-MOST:][::-1]
    bodies = await read_objects(git, shas, max_bytes=_MAX_READ)
    facts = {sha: _facts(bodies[sha].body) for sha in shas}
    ids = await patch_ids(git, [Step(sha, facts[sha].parent) for sha in shas])
    return tuple(
        Landed(sha=sha, at=facts[sha].at, message=facts[sha].message, patch_id=ids.get(sha, ""))
        for sha in shas
    )


async def lines_left(head: Head, added: Mapping[str, tuple[str, ...]]) -> float:
    """Lines without a letter or digit are ignored, because every file has them."""
    asked = {
        path: Counter(line for line in lines if _speaks(line)) for path, lines in added.items()
    }
    total = sum(lines.total() for lines in asked.values())
    if not total:
        return 1.0
    left = 0
    for path, lines in asked.items():
        if lines:
            left += (lines & Counter(await _lines(head, path))).total()
    return left / total


async def check_git() -> None:
    """RefusedError when git is too old to merge without a work tree."""
    match = _VERSION.match(await Git(NOWHERE).ask("version"))
    if match is None or (int(match[1]), int(match[2])) < _MERGING:
        raise RefusedError(
            "git 2.38 or newer is needed to see whether a base has moved: install it"
        )


async def check_known(mirror: Mirror, commit: str) -> None:
    if not is_whole_name(commit) or not await has_commit(mirror, commit):
        raise NotFoundError(f"commit {commit[:12]!a} is not in our copy: build it again")


async def merged_patch(mirror: Mirror, head: str, commit: str) -> bytes:
    """The changes that merging the commit makes to the head; ConflictError if git cannot merge."""
    async with _merging(mirror, head, commit) as merged:
        if merged is None:
            raise ConflictError(f"{commit[:12]} does not merge with {head[:12]}")
        git, tree = merged
        return await git.ask(
            *("diff", "--binary", "--full-index", "--no-renames", "--no-ext-diff"),
            *("--no-textconv", head, tree),
        )


async def _merges(mirror: Mirror, one: str, other: str) -> bool:
    async with _merging(mirror, one, other) as merged:
        return merged is not None


@asynccontextmanager
async def _merging(mirror: Mirror, one: str, other: str) -> AsyncGenerator[tuple[Git, str] | None]:
    """The tree of the merge, which is not committed. What git cannot merge is a conflict."""
    await check_git()
    with tempfile.TemporaryDirectory(dir=mirror.folder.parent, prefix=".merge-") as name:
        folder = Path(name) / "git"
        lay_out(folder, mirror.object_format)
        git = Git(folder, alternates=(mirror.objects,))
        ran = await git.run(
            *("merge-tree", "--write-tree", "--no-messages", one, other),
            limits=Limits(timeout_s=120, memory=_MEMORY + index_bytes(mirror), cpu_s=60),
        )
        yield (git, ran.output.decode().strip()) if ran.exit_code == 0 else None


async def _is_in(git: Git, commit: str, head: str) -> bool:
    return (await git.run("merge-base", "--is-ancestor", commit, head)).exit_code == 0


async def _lines(head: Head, path: str) -> list[str]:
    git = head.mirror.git
    entry = await find_entry(git, head.commit, path)
    if entry is None or not entry.mode.startswith("100") or entry.size > _MAX_FILE:
        return []
    content = await git.ask("cat-file", "blob", entry.oid)
    return content.decode("utf-8", "surrogateescape").split("\n")


def _speaks(line: str) -> bool:
    return any(char.isalnum() for char in line)


class _Facts(NamedTuple):
    at: float
    parent: str
    message: str


def _facts(body: bytes) -> _Facts:
    """A commit as git stores it; untrusted."""
    header, _, message = body.partition(b"\n\n")
    committed, parent = _COMMITTED.search(header), _PARENT.search(header)
    return _Facts(
        at=float(committed[1]) if committed else 0.0,
        parent=parent[1].decode() if parent else "",
        message=clean(message[:_MAX_MESSAGE].decode("utf-8", "replace")),
    )


_LIMITS = Limits(timeout_s=120, max_output=64 << 20)
_AT_ONCE = 25
_PLAIN = (
    "diff-tree",
    "--root",
    "-p",
    "--full-index",
    "--no-renames",
    "--no-textconv",
    "--no-ext-diff",
)


class Step(NamedTuple):
    """A commit and its first parent."""

    commit: str
    parent: str
    """"" for a first commit."""


async def patch_id(git: Git, old: str, new: str) -> str:
    """Of the change from one commit to another; empty where nothing changed."""
    diff = await git.ask(*_PLAIN, old, new, limits=_LIMITS)
    return next(iter((await _ids(diff)).values()), "")


async def patch_ids(git: Git, steps: Sequence[Step]) -> dict[str, str]:
    """By commit; one that changes nothing, or more than can be read, has none."""
    found: dict[str, str] = {}
    for at in range(0, len(steps), _AT_ONCE):
        found |= await _together(git, steps[at : at + _AT_ONCE])
    return found


async def _together(git: Git, steps: Sequence[Step]) -> dict[str, str]:
    asked = "".join(f"{step.commit} {step.parent}".strip() + "\n" for step in steps)
    try:
        diff = await git.ask(*_PLAIN, "--stdin", stdin=asked.encode(), limits=_LIMITS)
    except RefusedError:
        if len(steps) == 1:
            return {}
        # One of them is too big: the others are still read.
        return {k: v for step in steps for k, v in (await _together(git, [step])).items()}
    return await _ids(diff)


async def _ids(diff: bytes) -> dict[str, str]:
    answer = await Git(NOWHERE).ask("patch-id", "--stable", stdin=diff, limits=_LIMITS)
    pairs = (line.split(" ") for line in answer.decode().splitlines())
    return {commit: name for name, commit in pairs}
