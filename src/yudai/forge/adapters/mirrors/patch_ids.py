"""Git's stable names of changes, by which the same change is known upon another base."""

from collections.abc import Sequence
from typing import NamedTuple

from yudai.forge.adapters.git.command import NOWHERE, Git, Limits
from yudai.kit.errors import RefusedError

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
    """A commit with the one that it is seen from: of a merge, its first parent."""

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
