"""REST: issues, comments, labels, events and search."""

import re
from collections.abc import Callable
from typing import Any, cast

from yudai.dev.fake_github import issues, json_views
from yudai.dev.fake_github.access import role_of, seen
from yudai.dev.fake_github.errors import Refusal, not_found, wrong
from yudai.dev.fake_github.issues import Closing
from yudai.dev.fake_github.records import Comment, Item, Repo
from yudai.dev.fake_github.rest.endpoint import Answer, Call, Endpoint, paged
from yudai.forge.domain.repository import Role

_SORTS: dict[str, Callable[[Item], float]] = {
    "created": lambda item: item.created_at,
    "updated": lambda item: item.updated_at,
    "comments": lambda item: float(len(item.comments)),
}
_MAX_LABEL = 50
_TERM = re.compile(r'(?:(?P<key>[a-z]+):)?(?:"(?P<quoted>[^"]*)"|(?P<plain>[^\s"]+))')


def _list(call: Call) -> Answer:
    repo = call.may_read("issues")
    found = [item for item in repo.items.values() if _is_wanted(call, item)]
    return paged(call, _sorted(call, found), lambda item: json_views.issue(call.state, repo, item))


def _is_wanted(call: Call, item: Item) -> bool:
    labels = [name for name in call.query.get("labels", "").split(",") if name]
    since = call.time("since")
    creator = call.query.get("creator", item.author)
    return (
        call.query.get("state", "open") in ("all", item.state)
        and all(name.lower() in map(str.lower, item.labels) for name in labels)
        and (since is None or item.updated_at >= since)
        and item.author == creator
    )


def _sorted(call: Call, found: list[Item]) -> list[Item]:
    key = _SORTS.get(call.query.get("sort", "created"))
    if key is None:
        raise wrong("Issue", "sort")
    down = call.query.get("direction", call.query.get("order", "desc")) == "desc"
    return sorted(found, key=lambda item: (key(item), item.number), reverse=down)


def _get(call: Call) -> Answer:
    repo = call.may_read("issues")
    return Answer(json_views.issue(call.state, repo, call.item(repo)))


def _open(call: Call) -> Answer:
    repo = call.may_write("issues")
    labels = _names(call.body.get("labels", []))
    if not role_of(call.state, call.caller, repo).allows(Role.TRIAGE):
        # As GitHub does: silently.
        labels = []
    item = issues.open_issue(
        call.state,
        repo.full,
        title=call.text("title", resource="Issue"),
        body=call.body.get("body"),
        by=call.caller.login,
        labels=labels,
    )
    return Answer(json_views.issue(call.state, repo, item), 201)


def _edit(call: Call) -> Answer:
    repo = call.may_write("issues")
    item = call.item(repo)
    if item.author != call.caller.login:
        call.may_write("issues", Role.TRIAGE)
    for name in ("title", "body"):
        if name in call.body:
            setattr(item, name, call.text(name, resource="Issue", blank=name == "body"))
            item.updated_at = call.state.now()
    wanted = call.body.get("state", item.state)
    if wanted not in ("open", "closed"):
        raise wrong("Issue", "state")
    why = Closing(reason=str(call.body.get("state_reason") or "completed"))
    issues.set_state(call.state, repo.full, item.number, wanted, by=call.caller.login, why=why)
    if "labels" in call.body:
        call.may_write("issues", Role.TRIAGE)
        _replace_labels(call, repo, item, _names(call.body["labels"]))
    return Answer(json_views.issue(call.state, repo, item))


def _replace_labels(call: Call, repo: Repo, item: Item, wanted: list[str]) -> None:
    who, place = call.caller.login, (call.state, repo.full, item.number)
    for name in [name for name in item.labels if name not in wanted]:
        issues.remove_label(*place, name, by=who)
    for name in wanted:
        issues.add_label(*place, name, by=who)


def _comments(call: Call) -> Answer:
    repo = call.may_read("issues")
    item, since = call.item(repo), call.time("since")
    found = [said for said in item.comments if since is None or said.updated_at >= since]
    return paged(call, found, lambda said: json_views.comment(call.state, repo, item, said))


def _all_comments(call: Call) -> Answer:
    repo, since = call.may_read("issues"), call.time("since")
    found = [
        (item, said)
        for item in repo.items.values()
        for said in item.comments
        if since is None or said.updated_at >= since
    ]
    by_update = call.query.get("sort", "created") == "updated"
    found.sort(
        key=lambda pair: (pair[1].updated_at if by_update else pair[1].created_at, pair[1].id),
        reverse=call.query.get("direction", "asc") == "desc",
    )
    return paged(call, found, lambda pair: json_views.comment(call.state, repo, *pair))


def _add_comment(call: Call) -> Answer:
    repo = call.may_write("issues")
    item = call.item(repo)
    said = issues.add_comment(
        call.state,
        repo.full,
        item.number,
        call.text("body", resource="IssueComment"),
        by=call.caller.login,
    )
    return Answer(json_views.comment(call.state, repo, item, said), 201)


def _find_comment(call: Call, repo: Repo) -> tuple[Item, Comment]:
    for item in repo.items.values():
        for said in item.comments:
            if said.id == call.params["comment"]:
                return item, said
    raise not_found()


def _own_comment(call: Call) -> tuple[Repo, Item, Comment]:
    """Authors may edit their own comments; people with write access may edit all."""
    repo = call.may_write("issues")
    item, said = _find_comment(call, repo)
    if said.author != call.caller.login:
        call.may_write("issues", Role.WRITE)
    return repo, item, said


def _comment(call: Call) -> Answer:
    repo = call.may_read("issues")
    return Answer(json_views.comment(call.state, repo, *_find_comment(call, repo)))


def _edit_comment(call: Call) -> Answer:
    repo, item, said = _own_comment(call)
    body = call.text("body", resource="IssueComment")
    issues.edit_comment(call.state, repo.full, item, said, body=body, by=call.caller.login)
    return Answer(json_views.comment(call.state, repo, item, said))


def _delete_comment(call: Call) -> Answer:
    _, item, said = _own_comment(call)
    item.comments.remove(said)
    return Answer(status=204)


def _labels(call: Call) -> Answer:
    repo = call.may_read("issues")
    return paged(
        call, call.item(repo).labels, lambda name: json_views.label(call.state, repo, name)
    )


def _add_labels(call: Call) -> Answer:
    repo = call.may_write("issues", Role.TRIAGE)
    item = call.item(repo)
    for name in _names(call.body.get("labels")):
        issues.add_label(call.state, repo.full, item.number, name, by=call.caller.login)
    return Answer([json_views.label(call.state, repo, name) for name in item.labels])


def _remove_label(call: Call) -> Answer:
    repo = call.may_write("issues", Role.TRIAGE)
    item, name = call.item(repo), call.params["name"]
    if name not in item.labels:
        raise Refusal(404, "Label does not exist")
    issues.remove_label(call.state, repo.full, item.number, name, by=call.caller.login)
    return Answer([json_views.label(call.state, repo, left) for left in item.labels])


def _names(labels: Any) -> list[str]:
    if not isinstance(labels, list):
        raise wrong("Label", "name")
    names = [_name(entry) for entry in cast("list[Any]", labels)]
    if not all(0 < len(name) <= _MAX_LABEL for name in names):
        raise wrong("Label", "name")
    return names


def _name(entry: Any) -> str:
    name: Any = cast("dict[str, Any]", entry).get("name") if isinstance(entry, dict) else entry
    return name if isinstance(name, str) else ""


def _repo_labels(call: Call) -> Answer:
    repo = call.may_read("issues")
    return paged(call, sorted(repo.labels), lambda name: json_views.label(call.state, repo, name))


def _events(call: Call) -> Answer:
    repo = call.may_read("issues")
    return paged(call, call.item(repo).events, lambda e: json_views.event(call.state, repo, e))


def _search(call: Call) -> Answer:
    """GitHub's own words as far as we use them: repo:, is:, state:, label:, author: and words."""
    if not call.query.get("q", "").strip():
        raise wrong("Search", "q", "missing")
    terms = [
        (found["key"] or "", found["quoted"] or found["plain"] or "")
        for found in _TERM.finditer(call.query["q"])
    ]
    repos = [value for key, value in terms if key == "repo"]
    shown = [_searched(call, full) for full in repos]
    found = [
        (repo, item)
        for repo in shown
        for item in repo.items.values()
        if all(_matches(item, key, value) for key, value in terms)
    ]
    key = _SORTS.get(call.query.get("sort", "created"), _SORTS["created"])
    found.sort(key=lambda pair: key(pair[1]), reverse=call.query.get("order", "desc") == "desc")
    page = paged(call, found, lambda pair: json_views.issue(call.state, *pair) | {"score": 1.0})
    document = {
        "total_count": len(found),
        "incomplete_results": False,
        "search_type": "lexical",
        "items": page.document,
    }
    return Answer(document, headers=page.headers)


def _searched(call: Call, full: str) -> Repo:
    try:
        return seen(call.state, call.caller, full)
    except Refusal:
        message = (
            "The listed users and repositories cannot be searched either because the resources"
            " do not exist or you do not have permission to view them."
        )
        error = {"message": message, "resource": "Search", "field": "q", "code": "invalid"}
        raise Refusal(422, "Validation Failed", errors=[error]) from None


def _matches(item: Item, key: str, value: str) -> bool:
    is_pull = item.pull is not None
    kinds = {"issue": not is_pull, "pr": is_pull, "open": item.state == "open"}
    kinds |= {"closed": item.state == "closed", "merged": bool(item.pull and item.pull.merge_sha)}
    rules = {
        "": value.lower() in f"{item.title}\n{item.body or ''}".lower(),
        "repo": True,
        "is": kinds.get(value, False),
        "type": kinds.get(value, False),
        "state": item.state == value,
        "label": value.lower() in map(str.lower, item.labels),
        "author": item.author == value,
        "in": True,
    }
    return rules.get(key, False)


_REPO = "/repos/{owner}/{repo}"
_ISSUE = f"{_REPO}/issues/{{number:int}}"
_COMMENT = f"{_REPO}/issues/comments/{{comment:int}}"

ENDPOINTS = (
    Endpoint("GET", f"{_REPO}/issues", _list),
    Endpoint("POST", f"{_REPO}/issues", _open),
    Endpoint("GET", f"{_REPO}/issues/comments", _all_comments),
    Endpoint("GET", _COMMENT, _comment),
    Endpoint("PATCH", _COMMENT, _edit_comment),
    Endpoint("DELETE", _COMMENT, _delete_comment),
    Endpoint("GET", _ISSUE, _get),
    Endpoint("PATCH", _ISSUE, _edit),
    Endpoint("GET", f"{_ISSUE}/comments", _comments),
    Endpoint("POST", f"{_ISSUE}/comments", _add_comment),
    Endpoint("GET", f"{_ISSUE}/labels", _labels),
    Endpoint("POST", f"{_ISSUE}/labels", _add_labels),
    Endpoint("DELETE", f"{_ISSUE}/labels/{{name}}", _remove_label),
    Endpoint("GET", f"{_ISSUE}/events", _events),
    Endpoint("GET", f"{_REPO}/labels", _repo_labels),
    Endpoint("GET", "/search/issues", _search),
)
