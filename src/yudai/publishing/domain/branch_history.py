"""Acts on a base branch after our change."""

import math
import re
from collections.abc import Iterable, Mapping
from enum import StrEnum
from typing import NamedTuple

from yudai.forge.domain.repository import ForgeCommit, PullRequest, PullState
from yudai.kit.value import Value

_PICKED = re.compile(r"(?im)^\(cherry picked from commit ([0-9a-f]{7,64})\)")


class Change(Value):
    """Our change as it came to its base branch."""

    repo: str
    """`owner/name`"""
    number: int
    title: str
    base: str
    shas: tuple[str, ...]
    """Commits on the base branch, and our own commit, which a squash leaves out."""
    since: float
    """When it came there."""
    patch_id: str = ""
    inverse_patch_id: str = ""


class Act(Value):
    """A commit or a merged pull request on the base branch, or both in one."""

    sha: str
    at: float
    message: str = ""
    title: str = ""
    body: str = ""
    branch: str = ""
    number: int | None = None
    by: str = ""
    patch_id: str = ""

    @property
    def titles(self) -> tuple[str, ...]:
        return (self.title, self.message.partition("\n")[0])


def acts_of(
    base: str,
    commits: Iterable[ForgeCommit],
    pulls: Iterable[PullRequest],
    *,
    patch_ids: Mapping[str, str],
) -> tuple[Act, ...]:
    """Acts in branch order; a pull request and its merge commit are one act."""
    merged = {
        pull.merge_commit or f"#{pull.number}": pull
        for pull in pulls
        if pull.state is PullState.MERGED and pull.base_branch == base
    }
    acts = [
        _act(commit, merged.pop(commit.sha, None), patch_ids.get(commit.sha, ""))
        for commit in commits
    ]
    acts += [_pull_act(sha, pull) for sha, pull in merged.items()]
    return tuple(sorted(acts, key=second))


def is_picked(message: str, shas: Iterable[str]) -> bool:
    """Whether a commit's message says that it was cherry-picked from one of these."""
    return any(is_one(found, shas) for found in _PICKED.findall(message))


def second(act: Act) -> int:
    """Time in whole seconds, as forges report it; within a second branch order counts."""
    return math.floor(act.at)


def is_one(found: str, shas: Iterable[str]) -> bool:
    return any(sha.startswith(found.lower()) for sha in shas)


def _act(commit: ForgeCommit, pull: PullRequest | None, patch_id: str) -> Act:
    alone = Act(
        sha=commit.sha,
        at=commit.at,
        message=commit.message,
        by=commit.author,
        patch_id=patch_id,
    )
    if pull is None:
        return alone
    whole = _pull_act(commit.sha, pull)
    return whole.model_copy(update={"message": commit.message, "patch_id": patch_id})


def _pull_act(sha: str, pull: PullRequest) -> Act:
    return Act(
        sha=sha,
        at=pull.merged_at or 0.0,
        title=pull.title,
        body=pull.body,
        branch=pull.head_branch,
        number=pull.number,
        by=pull.merged_by,
    )


_SUFFIX = re.compile(r".* \(#([0-9]{1,9})\)")
_TRAILER = re.compile(r"(?i)(?:PR|PR-URL|Pull-Request|Pull Request|GH-PR):[ \t]*(\S+)[ \t]*")


class LandingSign(StrEnum):
    PATCH = "patch"
    """The patch is identical."""
    PICKED = "picked"
    """Its message names our commit as its source."""
    NUMBER = "number"
    """Its message names our pull request."""


class Landing(NamedTuple):
    act: Act
    sign: LandingSign


def find_landing(change: Change, acts: Iterable[Act]) -> Landing | None:
    """The first act since then that is our change."""
    for act in acts:
        if second(act) < math.floor(change.since):
            continue
        sign = _sign(change, act)
        if sign is not None:
            return Landing(act, sign)
    return None


def _sign(change: Change, act: Act) -> LandingSign | None:
    if act.patch_id and act.patch_id == change.patch_id:
        return LandingSign.PATCH
    if is_picked(act.message, change.shas):
        return LandingSign.PICKED
    return LandingSign.NUMBER if _names(act.message, change) else None


def _names(message: str, change: Change) -> bool:
    """Whether the subject's end, as in a squash, or a trailer names our pull request."""
    subject, _, rest = message.rstrip().partition("\n")
    suffix = _SUFFIX.fullmatch(subject)
    if suffix is not None and int(suffix[1]) == change.number:
        return True
    trailers = rest.rpartition("\n\n")[2].splitlines()
    here = {
        f"#{change.number}",
        f"{change.repo}#{change.number}".lower(),
    }
    ending = f"/{change.repo}/pull/{change.number}".lower()
    found = (_TRAILER.fullmatch(line) for line in trailers)
    values = [match[1].lower() for match in found if match is not None]
    return any(value in here or value.endswith(ending) for value in values)
