"""People, repositories, issues and comments as GitHub writes them in JSON."""

import base64
from typing import Any

from yudai.dev.fake_github.access import Caller, association, role_of
from yudai.dev.fake_github.git_repositories import Commit, Signature
from yudai.dev.fake_github.records import Comment, Event, Item, Repo
from yudai.dev.fake_github.state import State, iso, iso_or_none
from yudai.forge.domain.repository import Role

Json = dict[str, Any]

_REACTIONS = ("+1", "-1", "laugh", "hooray", "confused", "heart", "rocket", "eyes")
_USER_LINKS = (
    "followers", "following{/other_user}", "gists{/gist_id}", "starred{/owner}{/repo}",
    "subscriptions", "organizations:orgs", "repos", "events{/privacy}", "received_events",
)  # fmt: skip
_REPO_LINKS = (
    "archive:{archive_format}{/ref}", "assignees{/user}", "blobs:git/blobs{/sha}",
    "branches{/branch}", "collaborators{/collaborator}", "comments{/number}", "commits{/sha}",
    "compare/{base}...{head}", "contents/{+path}", "contributors", "deployments", "downloads",
    "events", "forks", "git_commits:git/commits{/sha}", "git_refs:git/refs{/sha}",
    "git_tags:git/tags{/sha}", "hooks", "issue_comment:issues/comments{/number}",
    "issue_events:issues/events{/number}", "issues{/number}", "keys{/key_id}", "labels{/name}",
    "languages", "merges", "milestones{/number}", "notifications{?since,all,participating}",
    "pulls{/number}", "releases{/id}", "stargazers", "statuses/{sha}", "subscribers",
    "subscription", "tags", "teams", "trees:git/trees{/sha}",
)  # fmt: skip


def node_id(kind: str, number: int) -> str:
    return base64.b64encode(f"0{len(kind)}:{kind}{number}".encode()).decode()


def user(state: State, login: str) -> Json:
    who = state.person(login)
    api, html = f"{state.url}/api/v3/users/{who.login}", f"{state.url}/{who.login}"
    if who.kind == "Bot":
        html = f"{state.url}/apps/{who.login.removesuffix('[bot]')}"
    return {
        "login": who.login,
        "id": who.id,
        "node_id": node_id(who.kind, who.id),
        "avatar_url": f"{state.url}/avatars/u/{who.id}?",
        "gravatar_id": "",
        "url": api,
        "html_url": html,
        "type": who.kind,
        "site_admin": False,
        "user_view_type": "public",
    } | _links(api, _USER_LINKS)


def full_user(state: State, login: str) -> Json:
    who = state.person(login)
    owned = [repo for repo in state.world.repos.values() if repo.owner == who.login]
    empty = dict.fromkeys(("company", "location", "email", "hireable", "bio", "twitter_username"))
    return (
        user(state, login)
        | empty
        | {
            "name": who.name or None,
            "blog": "",
            "public_repos": sum(not repo.private for repo in owned),
            "public_gists": 0,
            "followers": 0,
            "following": 0,
            "created_at": iso(who.created_at),
            "updated_at": iso(who.created_at),
        }
    )


def repository(state: State, repo: Repo, caller: Caller | None = None) -> Json:
    api, html = f"{state.url}/api/v3/repos/{repo.full}", f"{state.url}/{repo.full}"
    open_items = sum(item.state == "open" for item in repo.items.values())
    document: Json = {
        "id": repo.id,
        "node_id": node_id("Repository", repo.id),
        "name": repo.name,
        "full_name": repo.full,
        "private": repo.private,
        "owner": user(state, repo.owner),
        "html_url": html,
        "description": repo.description or None,
        "fork": bool(repo.parent),
        "url": api,
        "created_at": iso(repo.created_at),
        "updated_at": iso(repo.updated_at),
        "pushed_at": iso(repo.pushed_at),
        "git_url": f"git:{html.partition(':')[2]}.git",
        "ssh_url": f"git@127.0.0.1:{repo.full}.git",
        "clone_url": f"{html}.git",
        "svn_url": html,
        "homepage": None,
        "size": 0 if repo.looks_left else 100,
        "language": "Python",
        "mirror_url": None,
        "archived": repo.archived,
        "disabled": False,
        "license": None,
        "topics": [],
        "visibility": "private" if repo.private else "public",
        "open_issues_count": open_items,
        "open_issues": open_items,
        "default_branch": repo.default_branch,
        "temp_clone_token": None,
    }
    document |= _links(api, _REPO_LINKS) | _counts(state, repo) | _switches()
    if caller is not None:
        document["permissions"] = permissions(role_of(state, caller, repo))
    return document


def full_repository(state: State, repo: Repo, caller: Caller) -> Json:
    document = repository(state, repo, caller) | {
        "network_count": _counts(state, repo)["forks_count"],
        "subscribers_count": 0,
        "allow_squash_merge": True,
        "allow_merge_commit": True,
        "allow_rebase_merge": True,
        "allow_auto_merge": False,
        "delete_branch_on_merge": False,
        "code_of_conduct": None,
        "security_and_analysis": None,
    }
    if repo.parent in state.world.repos:
        above = repository(state, state.world.repos[repo.parent], caller)
        document |= {"parent": above, "source": above}
    return document


def permissions(role: Role) -> dict[str, bool]:
    return {
        "admin": role == Role.ADMIN,
        "maintain": role == Role.ADMIN,
        "push": role.allows(Role.WRITE),
        "triage": role.allows(Role.TRIAGE),
        "pull": role.allows(Role.READ),
    }


def _counts(state: State, repo: Repo) -> Json:
    forks = sum(other.parent == repo.full for other in state.world.repos.values())
    return {
        "forks_count": forks,
        "forks": forks,
        "stargazers_count": 0,
        "watchers_count": 0,
        "watchers": 0,
    }


def _switches() -> Json:
    return {
        "has_issues": True,
        "has_projects": False,
        "has_downloads": True,
        "has_wiki": False,
        "has_pages": False,
        "has_discussions": False,
        "allow_forking": True,
        "is_template": False,
        "web_commit_signoff_required": False,
    }


def _links(api: str, names: tuple[str, ...]) -> Json:
    """`name/{parameter}`, or `name:path` where they differ."""
    links: Json = {}
    for entry in names:
        name, _, path = entry.partition(":")
        name = name.partition("{")[0].partition("/")[0]
        links[f"{name}_url"] = f"{api}/{path or entry}"
    return links


def label(state: State, repo: Repo, name: str) -> Json:
    number = sum(name.encode()) * 1000 + repo.id
    return {
        "id": number,
        "node_id": node_id("Label", number),
        "url": f"{state.url}/api/v3/repos/{repo.full}/labels/{name}",
        "name": name,
        "color": repo.labels.get(name, "ededed"),
        "default": False,
        "description": None,
        "archived_at": None,
        "archived_by": None,
    }


def issue(state: State, repo: Repo, item: Item) -> Json:
    """Pull requests are issues as well."""
    base = f"{state.url}/api/v3/repos/{repo.full}"
    api = f"{base}/issues/{item.number}"
    place = "pull" if item.pull else "issues"
    document: Json = {
        "id": item.id,
        "node_id": node_id("Issue", item.id),
        "url": api,
        "repository_url": base,
        "labels_url": f"{api}/labels{{/name}}",
        "comments_url": f"{api}/comments",
        "events_url": f"{api}/events",
        "timeline_url": f"{api}/timeline",
        "html_url": f"{state.url}/{repo.full}/{place}/{item.number}",
        "number": item.number,
        "state": item.state,
        "state_reason": item.state_reason,
        "title": item.title,
        "body": item.body,
        "user": user(state, item.author),
        "labels": [label(state, repo, name) for name in item.labels],
        "assignee": None,
        "assignees": [],
        "milestone": None,
        "locked": False,
        "active_lock_reason": None,
        "comments": len(item.comments),
        "created_at": iso(item.created_at),
        "updated_at": iso(item.updated_at),
        "closed_at": iso_or_none(item.closed_at),
        "closed_by": user(state, item.closed_by) if item.closed_by else None,
        "author_association": association(state, repo, item.author),
        "reactions": _reactions(api),
        "performed_via_github_app": None,
    }
    if item.pull is not None:
        document["draft"] = item.pull.draft
        document["pull_request"] = _pull_links(state, repo, item)
    return document


def _pull_links(state: State, repo: Repo, item: Item) -> Json:
    html = f"{state.url}/{repo.full}/pull/{item.number}"
    return {
        "url": f"{state.url}/api/v3/repos/{repo.full}/pulls/{item.number}",
        "html_url": html,
        "diff_url": f"{html}.diff",
        "patch_url": f"{html}.patch",
        "merged_at": iso_or_none(item.pull.merged_at if item.pull else None),
    }


def comment(state: State, repo: Repo, item: Item, said: Comment) -> Json:
    base = f"{state.url}/api/v3/repos/{repo.full}/issues"
    place = "pull" if item.pull else "issues"
    return {
        "id": said.id,
        "node_id": node_id("IssueComment", said.id),
        "url": f"{base}/comments/{said.id}",
        "html_url": f"{state.url}/{repo.full}/{place}/{item.number}#issuecomment-{said.id}",
        "issue_url": f"{base}/{item.number}",
        "body": said.body,
        "user": user(state, said.author),
        "created_at": iso(said.created_at),
        "updated_at": iso(said.updated_at),
        "author_association": association(state, repo, said.author),
        "reactions": _reactions(f"{base}/comments/{said.id}"),
        "performed_via_github_app": None,
    }


def event(state: State, repo: Repo, happened: Event) -> Json:
    document: Json = {
        "id": happened.id,
        "node_id": node_id("Event", happened.id),
        "url": f"{state.url}/api/v3/repos/{repo.full}/issues/events/{happened.id}",
        "actor": user(state, happened.actor),
        "event": happened.kind,
        "commit_id": happened.commit or None,
        "commit_url": f"{state.url}/api/v3/repos/{repo.full}/commits/{happened.commit}"
        if happened.commit
        else None,
        "created_at": iso(happened.at),
        "performed_via_github_app": None,
    }
    if happened.label:
        colour = repo.labels.get(happened.label, "ededed")
        document["label"] = {"name": happened.label, "color": colour}
    return document


def commit(state: State, repo: Repo, made: Commit) -> Json:
    api, html = f"{state.url}/api/v3/repos/{repo.full}", f"{state.url}/{repo.full}/commit"
    unsigned = {"verified": False, "reason": "unsigned", "signature": None, "payload": None}
    return {
        "sha": made.sha,
        "node_id": node_id("Commit", repo.id),
        "commit": {
            "author": _signature(made.author),
            "committer": _signature(made.committer),
            "message": made.message,
            "tree": {"sha": made.tree, "url": f"{api}/git/trees/{made.tree}"},
            "url": f"{api}/git/commits/{made.sha}",
            "comment_count": 0,
            "verification": unsigned | {"verified_at": None},
        },
        "url": f"{api}/commits/{made.sha}",
        "html_url": f"{html}/{made.sha}",
        "comments_url": f"{api}/commits/{made.sha}/comments",
        "author": _known(state, made.author),
        "committer": _known(state, made.committer),
        "parents": [
            {"sha": sha, "url": f"{api}/commits/{sha}", "html_url": f"{html}/{sha}"}
            for sha in made.parents
        ],
    }


def _signature(who: Signature) -> Json:
    return {"name": who.name, "email": who.email, "date": iso(who.at)}


def _known(state: State, who: Signature) -> Json | None:
    """GitHub knows people's commits by their address."""
    found = next(
        (p for p in state.world.people.values() if who.email == state.signature(p.login).email),
        None,
    )
    return user(state, found.login) if found else None


def _reactions(api: str) -> Json:
    return {"url": f"{api}/reactions", "total_count": 0} | dict.fromkeys(_REACTIONS, 0)
