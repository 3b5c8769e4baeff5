"""REST: pull requests."""

from yudai.dev.fake_github import json_pull_views, pulls
from yudai.dev.fake_github.access import role_of
from yudai.dev.fake_github.errors import check_text, wrong
from yudai.dev.fake_github.pulls import Merging, Opening
from yudai.dev.fake_github.records import Item, Repo
from yudai.dev.fake_github.rest.endpoint import OLD_VERSION, Answer, Call, Endpoint, paged
from yudai.forge.domain.repository import Role


def _list(call: Call) -> Answer:
    repo = call.may_read("pull_requests")
    found = [item for item in repo.items.values() if item.pull and _is_wanted(call, item)]
    by_update = call.query.get("sort", "created") == "updated"
    down = call.query.get("direction", "desc" if by_update or "sort" not in call.query else "asc")
    found.sort(
        key=lambda item: (item.updated_at if by_update else item.created_at, item.number),
        reverse=down == "desc",
    )
    return paged(
        call, found, lambda item: json_pull_views.simple(call.state, repo, item, old=_is_old(call))
    )


def _is_wanted(call: Call, item: Item) -> bool:
    pull, head = item.pull, call.query.get("head", "")
    if pull is None or call.query.get("state", "open") not in ("all", item.state):
        return False
    label = f"{pull.head_repo.partition('/')[0]}:{pull.head}"
    # GitHub takes no notice of a head that names no owner.
    return call.query.get("base", pull.base) == pull.base and (":" not in head or head == label)


def _get(call: Call) -> Answer:
    repo = call.may_read("pull_requests")
    return _document(call, repo, pulls.find_pull(call.state, repo, call.params["number"])[0])


def _open(call: Call) -> Answer:
    repo = call.may_write("pull_requests")
    new = Opening(
        title=call.text("title", resource="PullRequest"),
        body=call.body.get("body"),
        head=call.text("head", resource="PullRequest"),
        base=call.text("base", resource="PullRequest"),
        draft=call.body.get("draft") is True,
    )
    is_here = new.head.rpartition(":")[0] in ("", repo.owner)
    may_push = (
        role_of(call.state, call.caller, repo).allows(Role.WRITE)
        if is_here or call.caller.kind == "installation"
        else None
    )
    item = pulls.open_pull(call.state, repo.full, new, by=call.caller.login, may_push=may_push)
    return _document(call, repo, item, status=201)


def _edit(call: Call) -> Answer:
    repo = call.may_write("pull_requests")
    item, pull = pulls.find_pull(call.state, repo, call.params["number"])
    if item.author != call.caller.login:
        call.may_write("pull_requests", Role.WRITE)
    for name in ("title", "body"):
        if name in call.body:
            text = call.text(name, resource="PullRequest", blank=name == "body")
            check_text("PullRequest", text, name)
            setattr(item, name, text)
            item.updated_at = call.state.now()
    if "base" in call.body:
        base = call.text("base", resource="PullRequest")
        if call.state.clone(repo.full).branch(base) is None:
            raise wrong("PullRequest", "base")
        pull.base = base
    wanted = call.body.get("state", item.state)
    if wanted not in ("open", "closed"):
        raise wrong("PullRequest", "state")
    pulls.set_state(call.state, repo.full, item.number, wanted, by=call.caller.login)
    return _document(call, repo, item)


def _merge(call: Call) -> Answer:
    repo = call.may_write("contents", Role.WRITE)
    how = Merging(
        method=str(call.body.get("merge_method") or "merge"),
        sha=str(call.body.get("sha") or ""),
        title=str(call.body.get("commit_title") or ""),
        message=str(call.body.get("commit_message") or ""),
    )
    sha = pulls.merge(call.state, repo.full, call.params["number"], how, by=call.caller.login)
    return Answer({"sha": sha, "merged": True, "message": "Pull Request successfully merged"})


def _is_merged(call: Call) -> Answer:
    repo = call.may_read("pull_requests")
    _, pull = pulls.find_pull(call.state, repo, call.params["number"])
    return Answer(status=204 if pull.merge_sha else 404)


def _document(call: Call, repo: Repo, item: Item, *, status: int = 200) -> Answer:
    return Answer(json_pull_views.full(call.state, repo, item, old=_is_old(call)), status)


def _is_old(call: Call) -> bool:
    return call.version == OLD_VERSION


_PULLS = "/repos/{owner}/{repo}/pulls"
_PULL = f"{_PULLS}/{{number:int}}"

ENDPOINTS = (
    Endpoint("GET", _PULLS, _list),
    Endpoint("POST", _PULLS, _open),
    Endpoint("GET", _PULL, _get),
    Endpoint("PATCH", _PULL, _edit),
    Endpoint("GET", f"{_PULL}/merge", _is_merged),
    Endpoint("PUT", f"{_PULL}/merge", _merge),
)
