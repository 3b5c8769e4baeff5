"""REST: the App, its installations, their tokens, and the webhooks it was sent."""

import json
from typing import Any, TypeVar

from yudai.dev.fake_github import events, json_views
from yudai.dev.fake_github.errors import Refusal, not_found
from yudai.dev.fake_github.records import Delivery, Installation, Repo, Token
from yudai.dev.fake_github.rest.endpoint import Answer, Call, Endpoint, paged
from yudai.dev.fake_github.state import covers, iso
from yudai.dev.fake_github.webhook_sender import headers_of

TOKEN_LASTS_S = 3600
_LEVELS = ("read", "write")

Numbered = TypeVar("Numbered", Installation, Delivery)


def _app(call: Call) -> Answer:
    app, state = call.state.the_app(), call.state
    return Answer(
        {
            "id": app.id,
            "slug": app.slug,
            "node_id": json_views.node_id("App", app.id),
            "client_id": app.client_id,
            "owner": json_views.user(state, app.owner),
            "name": app.name,
            "description": "",
            "external_url": state.url,
            "html_url": f"{state.url}/apps/{app.slug}",
            "created_at": iso(state.person(app.owner).created_at),
            "updated_at": iso(state.person(app.owner).created_at),
            "permissions": app.permissions,
            "events": state.world.hook.events,
            "installations_count": len(app.installations),
        }
    )


def _view(call: Call, installation: Installation) -> dict[str, Any]:
    app, state = call.state.the_app(), call.state
    api = f"{state.url}/api/v3"
    account = state.person(installation.account)
    return {
        "id": installation.id,
        "client_id": app.client_id,
        "account": json_views.user(state, account.login),
        "repository_selection": "all" if installation.repositories is None else "selected",
        "access_tokens_url": f"{api}/app/installations/{installation.id}/access_tokens",
        "repositories_url": f"{api}/installation/repositories",
        "html_url": f"{state.url}/settings/installations/{installation.id}",
        "app_id": app.id,
        "app_slug": app.slug,
        "target_id": account.id,
        "target_type": account.kind,
        "permissions": installation.permissions,
        "events": state.world.hook.events,
        "created_at": iso(account.created_at),
        "updated_at": iso(account.created_at),
        "single_file_name": None,
        "has_multiple_single_files": False,
        "single_file_paths": [],
        "suspended_by": None,
        "suspended_at": iso(account.created_at) if installation.suspended else None,
    }


def _installations(call: Call) -> Answer:
    return paged(call, call.state.the_app().installations, lambda one: _view(call, one))


def _installation(call: Call) -> Answer:
    return Answer(_view(call, _find(call)))


def _find(call: Call) -> Installation:
    return _one(call.state.the_app().installations, call.params["installation"])


def _one(things: list[Numbered], wanted: int) -> Numbered:
    found = next((thing for thing in things if thing.id == wanted), None)
    if found is None:
        raise not_found()
    return found


def _of_repo(call: Call) -> Answer:
    repo = call.state.repo(f"{call.params['owner']}/{call.params['repo']}")
    found = call.state.installation_of(repo)
    if found is None:
        raise not_found()
    return Answer(_view(call, found))


def _new_token(call: Call) -> Answer:
    installation, state = _find(call), call.state
    if installation.suspended:
        raise Refusal(403, "This installation has been suspended")
    repos = _scoped(call, installation)
    permissions = _permitted(call, installation)
    ends = state.now() + TOKEN_LASTS_S
    token = Token(
        kind="installation",
        login=f"{state.the_app().slug}[bot]",
        expires_at=ends,
        permissions=permissions,
        repositories=None if repos is None else [repo.full for repo in repos],
        installation=installation.id,
    )
    document: dict[str, Any] = {
        "token": state.add_token(token),
        "expires_at": iso(ends),
        "permissions": permissions,
        "repository_selection": "all" if installation.repositories is None else "selected",
    }
    if repos is not None:
        document["repository_selection"] = "selected"
        document["repositories"] = [json_views.repository(state, repo) for repo in repos]
    return Answer(document, 201)


def _scoped(call: Call, installation: Installation) -> list[Repo] | None:
    names, ids = call.body.get("repositories"), call.body.get("repository_ids")
    if not names and not ids:
        return None
    reached = [repo for repo in call.state.world.repos.values() if covers(installation, repo)]
    found = [repo for repo in reached if repo.name in (names or ()) or repo.id in (ids or ())]
    if len(found) != len({*(names or ())}) + len({*(ids or ())}):
        raise Refusal(
            422,
            "There is at least one repository that does not exist or is not accessible to the"
            " parent installation.",
        )
    return found


def _permitted(call: Call, installation: Installation) -> dict[str, str]:
    wanted = call.body.get("permissions")
    if not wanted:
        return dict(installation.permissions)
    for name, level in wanted.items():
        held = installation.permissions.get(name)
        if level not in _LEVELS or held is None or _LEVELS.index(level) > _LEVELS.index(held):
            raise Refusal(422, "The permissions requested are not granted to this installation.")
    return {"metadata": "read", **wanted}


def _repositories(call: Call) -> Answer:
    token = call.caller.token
    if token is None or token.kind != "installation":
        raise Refusal(403, "You must authenticate with an installation access token.")
    found = [
        repo
        for repo in call.state.world.repos.values()
        if any(
            one.id == token.installation and covers(one, repo)
            for one in call.state.the_app().installations
        )
        and (token.repositories is None or repo.full in token.repositories)
    ]
    page = paged(call, found, lambda repo: json_views.repository(call.state, repo, call.caller))
    document = {
        "total_count": len(found),
        "repository_selection": "all" if token.repositories is None else "selected",
        "repositories": page.document,
    }
    return Answer(document, headers=page.headers)


def _deliveries(call: Call) -> Answer:
    sent = list(reversed(call.state.world.deliveries)) if call.state.world.hook.url else []
    return paged(call, sent, lambda one: _delivery_view(call, one))


def _delivery_view(call: Call, sent: Delivery) -> dict[str, Any]:
    repo = call.state.world.repos.get(sent.repo)
    installation = call.state.installation_of(repo) if repo else None
    is_ok = 200 <= sent.status_code < 300
    return {
        "id": sent.id,
        "guid": sent.guid,
        "delivered_at": iso(sent.at),
        "redelivery": sent.redelivery,
        "duration": round(sent.seconds, 3),
        "status": "OK"
        if is_ok
        else "failed to connect to host"
        if not sent.status_code
        else f"Invalid HTTP Response: {sent.status_code}",
        "status_code": sent.status_code,
        "event": sent.event,
        "action": sent.action,
        "installation_id": installation.id if installation else None,
        "repository_id": repo.id if repo else None,
        "throttled_at": None,
    }


def _find_delivery(call: Call) -> Delivery:
    return _one(call.state.world.deliveries, call.params["delivery"])


def _delivery(call: Call) -> Answer:
    sent = _find_delivery(call)
    asked = {"headers": headers_of(sent), "payload": json.loads(sent.body)}
    document = {"headers": None, "payload": None}
    return Answer(
        _delivery_view(call, sent)
        | {"url": call.state.world.hook.url, "request": asked, "response": document}
    )


def _redeliver(call: Call) -> Answer:
    events.redeliver(call.state, _find_delivery(call))
    return Answer({}, 202)


def _my_installations(call: Call) -> Answer:
    """The installations that the App's user may see."""
    if call.caller.kind != "user":
        raise Refusal(403, "You must authenticate with an access token authorized to a GitHub App")
    found = call.state.the_app().installations
    page = paged(call, found, lambda one: _view(call, one))
    return Answer({"total_count": len(found), "installations": page.document}, headers=page.headers)


_TOKENS = "/app/installations/{installation:int}/access_tokens"
_DELIVERY = "/app/hook/deliveries/{delivery:int}"

ENDPOINTS = (
    Endpoint("GET", "/app", _app, by_app=True),
    Endpoint("GET", "/app/installations", _installations, by_app=True),
    Endpoint("GET", "/app/installations/{installation:int}", _installation, by_app=True),
    Endpoint("POST", _TOKENS, _new_token, by_app=True),
    Endpoint("GET", "/repos/{owner}/{repo}/installation", _of_repo, by_app=True),
    Endpoint("GET", "/installation/repositories", _repositories),
    Endpoint("GET", "/user/installations", _my_installations),
    Endpoint("GET", "/app/hook/deliveries", _deliveries, by_app=True),
    Endpoint("GET", _DELIVERY, _delivery, by_app=True),
    Endpoint("POST", f"{_DELIVERY}/attempts", _redeliver, by_app=True),
)
