"""Finds the commit that a solve starts from: the current branch, or a named one."""

import difflib
import re
from typing import NamedTuple

from yudai.forge.adapters.git.command import Git
from yudai.forge.adapters.git.find_repository import Place
from yudai.forge.adapters.git.refs import HEADS, Refs
from yudai.kit.errors import NotFoundError, RefusedError
from yudai.kit.hints import BASE
from yudai.kit.text import clean
from yudai.patches.patch import readable

_NAMED = 3
_REVISION = re.compile(r"(?P<name>[^~^]+)(?P<steps>(?:[~^][0-9]{0,5}){0,20})")
_HEX = re.compile(r"[0-9a-fA-F]{4,64}")
_UNFINISHED = {
    "MERGE_HEAD": "a merge",
    "rebase-merge": "a rebase",
    "rebase-apply": "a rebase",
    "CHERRY_PICK_HEAD": "a cherry-pick",
    "REVERT_HEAD": "a revert",
}


class Start(NamedTuple):
    branch: str
    commit: str
    is_head: bool
    """Whether the work tree is based on it."""


async def find_start(git: Git, place: Place, base: str) -> Start:
    """RefusedError says what to do when there is no such commit."""
    refs = Refs(place)
    head = refs.head()
    if not base:
        _refuse_unfinished(place)
        branch, found = head.branch, head.oid
        if found is None:
            raise _no_commit(place, refs, branch or "HEAD")
        if branch is None:
            raise RefusedError(
                f"{readable(str(place.root))} is on no branch (detached HEAD): ",
                "check out a branch, or name one with ",
                BASE,
                field="base_branch",
            )
    else:
        branch, found = base, _expand(refs, base)
    ran = await git.run(
        "rev-parse", "--verify", "--quiet", "--end-of-options", f"{found}^{{commit}}"
    )
    if ran.exit_code != 0 and not base:
        raise RefusedError(
            f"the last commit of {readable(str(place.root))} cannot be read: run `git fsck`"
        )
    if found is None or ran.exit_code != 0:
        raise _unknown(refs, base)
    commit = ran.output.decode().strip()
    return Start(clean(branch), commit, commit == head.oid)


def _expand(refs: Refs, base: str) -> str | None:
    """Replace the name in a revision by its object id, so that git does not look up our refs."""
    match = _REVISION.fullmatch(base)
    if match is None:
        return None
    name = match["name"]
    found = refs.head().oid if name in ("HEAD", "@") else None
    candidates = (f"{HEADS}{name}", f"refs/remotes/{name}", f"refs/tags/{name}", name)
    for candidate in candidates:
        if found is None and candidate.startswith("refs/"):
            found = refs.find(candidate)
    if found is None and _HEX.fullmatch(name):
        found = name
    return found + match["steps"] if found else None


def _refuse_unfinished(place: Place) -> None:
    for name, what in _UNFINISHED.items():
        if (place.git_dir / name).exists():
            raise RefusedError(
                f"{what} is in progress in {readable(str(place.root))}: finish it or abort it"
            )


def _no_commit(place: Place, refs: Refs, branch: str) -> RefusedError:
    if not refs.branches():
        return RefusedError(f"{readable(str(place.root))} has no commit yet: make one first")
    return RefusedError(
        f"branch {readable(branch)} has no commit yet: make one, or name a branch with ",
        BASE,
        field="base_branch",
    )


def _unknown(refs: Refs, base: str) -> NotFoundError:
    branches = refs.branches()
    near = difflib.get_close_matches(base, branches, _NAMED) or branches[:_NAMED]
    hint = f": did you mean {', '.join(map(readable, near))}?" if near else ""
    return NotFoundError(
        f"there is no branch or commit {readable(base)}{hint}", field="base_branch"
    )
