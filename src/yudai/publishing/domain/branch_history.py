"""What came onto a base branch since a change of ours."""

import math
import re
from collections.abc import Iterable, Mapping

from yudai.forge.domain.repository import ForgeCommit, PullRequest, PullState
from yudai.kit.value import Value

_PICKED = re.compile(r"(?im)^\(cherry picked from commit ([0-9a-f]{7,64})\)")


class Change(Value):
    """Ours, as it came onto its base branch."""

    repo: str
    """`owner/name`"""
    number: int
    title: str
    base: str
    shas: tuple[str, ...]
    """What is on the base branch, and our own commit, which a squash leaves behind."""
    since: float
    """When it came there."""
    patch_id: str = ""
    inverse_patch_id: str = ""


class Act(Value):
    """What came onto the base branch: a commit, a merged pull request, or both in one."""

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
    """In the order of the branch; a pull request is one act with the commit that merged it."""
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
    """Whether a commit says that it was picked from one of these."""
    return any(is_one(found, shas) for found in _PICKED.findall(message))


def second(act: Act) -> int:
    """Forges know seconds: within one the order of the branch holds."""
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
