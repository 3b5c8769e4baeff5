"""Pull requests as GitHub writes them in JSON."""

from typing import Any

from yudai.dev.fake_github import json_views
from yudai.dev.fake_github.git_repositories import ConflictedError, merged_tree
from yudai.dev.fake_github.records import Item, Pull, Repo
from yudai.dev.fake_github.state import State, iso_or_none

# REST 2026-03-10 has them no longer.
_DROPPED = ("merge_commit_sha", "assignee")


def current(state: State, repo: Repo, item: Item) -> Pull:
    """With its head as the head branch is now, as long as it is open."""
    pull = item.pull
    if pull is None:
        raise ValueError(f"#{item.number} is no pull request")
    if item.state == "open" and pull.head_repo in state.world.repos:
        head = state.clone(pull.head_repo).branch(pull.head)
        ref = f"refs/pull/{item.number}/head"
        clone = state.clone(repo.full)
        if head and head != clone.ref(ref):
            clone.take(state.clone(pull.head_repo), f"+refs/heads/{pull.head}:{ref}")
        if head and head != pull.head_sha:
            pull.head_sha = head
            item.updated_at = state.now()
    return pull


def simple(state: State, repo: Repo, item: Item, *, old: bool = True) -> dict[str, Any]:
    """As in lists; `old` is REST 2022-11-28."""
    pull = current(state, repo, item)
    issue = json_views.issue(state, repo, item)
    api = f"{state.url}/api/v3/repos/{repo.full}/pulls/{item.number}"
    html = f"{state.url}/{repo.full}/pull/{item.number}"
    kept = (
        "number", "state", "locked", "title", "user", "body", "created_at", "updated_at",
        "closed_at", "assignee", "assignees", "labels", "milestone", "author_association",
        "active_lock_reason", "comments_url",
    )  # fmt: skip
    document: dict[str, Any] = {name: issue[name] for name in kept} | {
        "id": item.id + 1_000_000,
        "node_id": json_views.node_id("PullRequest", item.id),
        "url": api,
        "html_url": html,
        "diff_url": f"{html}.diff",
        "patch_url": f"{html}.patch",
        "issue_url": issue["url"],
        "commits_url": f"{api}/commits",
        "review_comments_url": f"{api}/comments",
        "review_comment_url": f"{api}/comments{{/number}}",
        "statuses_url": f"{state.url}/api/v3/repos/{repo.full}/statuses/{pull.head_sha}",
        "requested_reviewers": [],
        "requested_teams": [],
        "auto_merge": None,
        "draft": pull.draft,
        "merged_at": iso_or_none(pull.merged_at),
        "merge_commit_sha": pull.merge_sha or _test_merge(pull, item),
        "head": _side(state, pull.head_repo, pull.head, pull.head_sha),
        "base": _side(state, repo.full, pull.base, _base_sha(state, repo, item, pull)),
        "_links": _links(api, html, issue["url"]),
    }
    return document if old else {name: document[name] for name in document if name not in _DROPPED}


def full(state: State, repo: Repo, item: Item, *, old: bool = True) -> dict[str, Any]:
    document = simple(state, repo, item, old=old)
    pull = current(state, repo, item)
    mergeable = _mergeable(state, repo, item, pull)
    clone = state.clone(repo.full)
    files = _files(state, repo, pull)
    return document | {
        "merged": bool(pull.merge_sha),
        "mergeable": mergeable,
        "rebaseable": mergeable,
        "mergeable_state": _mergeable_state(pull, mergeable=mergeable),
        "merged_by": json_views.user(state, pull.merged_by) if pull.merged_by else None,
        "comments": len(item.comments),
        "review_comments": 0,
        "maintainer_can_modify": False,
        "commits": _count(clone.git("rev-list", "--count", f"{pull.base_sha}..{pull.head_sha}")),
        "additions": sum(added for added, _ in files),
        "deletions": sum(gone for _, gone in files),
        "changed_files": len(files),
    }


def _test_merge(pull: Pull, item: Item) -> str | None:
    """Before the merge GitHub reports a test merge commit here, which means nothing."""
    return f"{item.id:08x}{pull.head_sha[8:]}" if item.state == "open" else None


def _mergeable(state: State, repo: Repo, item: Item, pull: Pull) -> bool | None:
    if item.state != "open":
        return None
    clone = state.clone(repo.full)
    base = clone.branch(pull.base)
    try:
        return base is not None and bool(merged_tree(clone, base, pull.head_sha))
    except ConflictedError:
        return False


def _mergeable_state(pull: Pull, *, mergeable: bool | None) -> str:
    if mergeable is None:
        return "unknown"
    if not mergeable:
        return "dirty"
    return "draft" if pull.draft else "clean"


def _base_sha(state: State, repo: Repo, item: Item, pull: Pull) -> str:
    now = state.clone(repo.full).branch(pull.base) if item.state == "open" else None
    return now or pull.merged_over or pull.base_sha


def _side(state: State, full_name: str, ref: str, sha: str) -> dict[str, Any]:
    repo = state.world.repos.get(full_name)
    owner = full_name.partition("/")[0]
    return {
        "label": f"{owner}:{ref}",
        "ref": ref,
        "sha": sha,
        "user": json_views.user(state, owner) if owner in state.world.people else None,
        "repo": json_views.repository(state, repo) if repo else None,
    }


def _links(api: str, html: str, issue: str) -> dict[str, Any]:
    places = {
        "self": api,
        "html": html,
        "issue": issue,
        "comments": f"{issue}/comments",
        "review_comments": f"{api}/comments",
        "review_comment": f"{api}/comments{{/number}}",
        "commits": f"{api}/commits",
        "statuses": f"{api}/statuses",
    }
    return {name: {"href": place} for name, place in places.items()}


def _files(state: State, repo: Repo, pull: Pull) -> list[tuple[int, int]]:
    base = pull.merged_over or pull.base_sha
    document = state.clone(repo.full).git("diff", "--numstat", f"{base}...{pull.head_sha}")
    counts = [line.split("\t")[:2] for line in document.splitlines()]
    return [(_count(added), _count(gone)) for added, gone in counts]


def _count(text: str) -> int:
    return int(text) if text.isdecimal() else 0
