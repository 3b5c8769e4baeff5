"""REST: people, repositories, forks, branches and commits."""

from typing import Any

from yudai.dev.fake_github import json_views, pulls
from yudai.dev.fake_github.access import role_in, role_of
from yudai.dev.fake_github.errors import Refusal, not_found
from yudai.dev.fake_github.records import Repo
from yudai.dev.fake_github.rest.endpoint import Answer, Call, Endpoint, links, paged
from yudai.forge.domain.repository import Role

# GitHub tells `triage` only as the role's name.
_OLD_NAMES = {Role.TRIAGE: "read"}


def _require_login(call: Call) -> None:
    if not call.caller.login:
        raise Refusal(401, "Requires authentication")


def _require_person(call: Call) -> None:
    _require_login(call)
    if call.caller.kind == "installation":
        raise Refusal(403, "Resource not accessible by integration")


def _me(call: Call) -> Answer:
    _require_person(call)
    return Answer(json_views.full_user(call.state, call.caller.login))


def _user(call: Call) -> Answer:
    return Answer(json_views.full_user(call.state, call.params["login"]))


def _my_repos(call: Call) -> Answer:
    _require_person(call)
    found = [repo for repo in call.state.world.repos.values() if _is_mine(call, repo)]
    found.sort(key=lambda repo: (repo.pushed_at, repo.id), reverse=True)
    return paged(call, found, lambda repo: json_views.repository(call.state, repo, call.caller))


def _is_mine(call: Call, repo: Repo) -> bool:
    """Owned, invited to, or of one's organisation; not everything that is public."""
    login, owner = call.caller.login, call.state.world.people.get(repo.owner)
    is_mine = login == repo.owner or login in repo.roles or bool(owner and login in owner.members)
    return is_mine and role_of(call.state, call.caller, repo) != Role.NONE


def _get(call: Call) -> Answer:
    repo = call.repo
    pulls.look(call.state, repo)
    return Answer(json_views.full_repository(call.state, repo, call.caller))


def _fork(call: Call) -> Answer:
    _require_person(call)
    made = pulls.fork(call.state, call.repo.full, by=call.caller.login)
    return Answer(json_views.full_repository(call.state, made, call.caller), 202)


def _permission(call: Call) -> Answer:
    repo = call.repo
    _require_login(call)
    may_push = role_of(call.state, call.caller, repo).allows(Role.WRITE)
    if call.caller.kind != "installation" and not may_push:
        raise Refusal(403, "Must have push access to view collaborator permission.")
    who = call.state.person(call.params["login"])
    role = role_in(call.state, repo, who.login)
    document: dict[str, Any] = {
        "permission": _OLD_NAMES.get(role, role.value),
        "role_name": role.value,
        "user": json_views.user(call.state, who.login)
        | {"permissions": json_views.permissions(role), "role_name": role.value},
    }
    return Answer(document)


def _commits(call: Call) -> Answer:
    repo = call.may_read("contents")
    clone = call.state.clone(repo.full)
    start = call.query.get("sha") or repo.default_branch
    found = clone.resolve(start) if not start.startswith("-") else None
    if found is None:
        if not clone.branches():
            raise Refusal(409, "Git Repository is empty.")
        raise not_found()
    first = (call.page - 1) * call.per_page
    made = clone.commits(found, since=call.time("since"), skip=first, limit=call.per_page + 1)
    shown = [json_views.commit(call.state, repo, commit) for commit in made[: call.per_page]]
    last = call.page + (len(made) > call.per_page)
    return Answer(shown, headers=links(call, last=last))


def _commit(call: Call) -> Answer:
    repo = call.may_read("contents")
    clone, name = call.state.clone(repo.full), call.params["ref"]
    found = clone.resolve(name) if not name.startswith("-") else None
    if found is None:
        raise Refusal(422, f"No commit found for SHA: {name}")
    return Answer(json_views.commit(call.state, repo, clone.commits(found)[0]))


def _branches(call: Call) -> Answer:
    repo = call.may_read("contents")
    pulls.look(call.state, repo)
    names = sorted(call.state.clone(repo.full).branches().items())
    return paged(call, names, lambda entry: _branch_view(call, repo, *entry))


def _branch_view(call: Call, repo: Repo, name: str, sha: str) -> dict[str, Any]:
    url = f"{call.state.url}/api/v3/repos/{repo.full}/commits/{sha}"
    return {
        "name": name,
        "commit": {"sha": sha, "url": url},
        "protected": name in repo.protected,
    }


def _branch(call: Call) -> Answer:
    repo = call.may_read("contents")
    pulls.look(call.state, repo)
    name, clone = call.params["branch"], call.state.clone(repo.full)
    sha = clone.branch(name)
    if sha is None:
        raise Refusal(404, "Branch not found")
    api = f"{call.state.url}/api/v3/repos/{repo.full}/branches/{name}"
    commit = json_views.commit(call.state, repo, clone.commits(sha)[0])
    return Answer(
        _branch_view(call, repo, name, sha)
        | {
            "commit": commit,
            "_links": {"self": api, "html": f"{call.state.url}/{repo.full}/tree/{name}"},
            "protection": {"enabled": name in repo.protected},
            "protection_url": f"{api}/protection",
        }
    )


def _ref(call: Call) -> Answer:
    repo = call.may_read("contents")
    pulls.look(call.state, repo)
    name = call.params["branch"]
    sha = call.state.clone(repo.full).branch(name)
    if sha is None:
        raise not_found()
    api = f"{call.state.url}/api/v3/repos/{repo.full}/git"
    made = {"type": "commit", "sha": sha, "url": f"{api}/commits/{sha}"}
    return Answer(
        {
            "ref": f"refs/heads/{name}",
            "node_id": json_views.node_id("Ref", repo.id),
            "url": f"{api}/refs/heads/{name}",
            "object": made,
        }
    )


def _rate_limit(call: Call) -> Answer:
    core = {"limit": 5000, "used": 0, "remaining": 5000, "reset": int(call.state.now()) + 3600}
    return Answer({"resources": {"core": core, "search": core}, "rate": core})


_REPO = "/repos/{owner}/{repo}"

ENDPOINTS = (
    Endpoint("GET", "/rate_limit", _rate_limit),
    Endpoint("GET", "/user", _me),
    Endpoint("GET", "/user/repos", _my_repos),
    Endpoint("GET", "/users/{login}", _user),
    Endpoint("GET", _REPO, _get),
    Endpoint("POST", f"{_REPO}/forks", _fork),
    Endpoint("GET", f"{_REPO}/collaborators/{{login}}/permission", _permission),
    Endpoint("GET", f"{_REPO}/commits", _commits),
    Endpoint("GET", f"{_REPO}/commits/{{ref:path}}", _commit),
    Endpoint("GET", f"{_REPO}/branches", _branches),
    Endpoint("GET", f"{_REPO}/branches/{{branch:path}}", _branch),
    Endpoint("GET", f"{_REPO}/git/ref/heads/{{branch:path}}", _ref),
)
