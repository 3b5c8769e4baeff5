"""Every route for everybody: one table says who may, and no route is without a line in it."""

from collections.abc import AsyncGenerator, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import httpx
import pytest

from tests.support.api_client import app_of
from tests.support.servers.login_server import REPO, SOLVE, TALK, House, fill, open_house, routes_of
from tests.support.solve_rows import run_id
from yudai.accounts.api_keys import ALL_SCOPES, Scope
from yudai.api.security import rights

OK, LOGIN, FORBIDDEN, ABSENT = "ok", "login", "forbidden", "absent"
# anonymous, another user, a reader, a writer, an administrator
WHO = {"": None, "other": "eve", "reader": "rita", "writer": "wim", "admin": "ada"}
KINDS = {
    "free": (OK, OK, OK, OK, OK),
    "member": (LOGIN, OK, OK, OK, OK),
    "administrator": (LOGIN, FORBIDDEN, FORBIDDEN, FORBIDDEN, OK),
    "overseer": (LOGIN, FORBIDDEN, FORBIDDEN, FORBIDDEN, OK),
    "read": (LOGIN, ABSENT, OK, OK, OK),
    "change": (LOGIN, ABSENT, FORBIDDEN, OK, OK),
    "own": (LOGIN, ABSENT, ABSENT, OK, ABSENT),
    "nowhere": (LOGIN, ABSENT, ABSENT, ABSENT, ABSENT),
    "signed": (LOGIN, LOGIN, LOGIN, LOGIN, LOGIN),
}
MATRIX = {"models": ["vendor/fast"]}
ASK = {"repo_url": REPO, "issue_text": "It is wrong", "matrix": MATRIX}
PRICE = {"input_usd": 1, "output_usd": 2}
CHOICE = {"run_id": run_id(1, SOLVE), "reason": "better"}


class Line(NamedTuple):
    kind: str
    scope: Scope | None = Scope.READ
    """What a key needs for it; None: no key is needed."""
    body: dict[str, Any] | None = None


RUN, PUBLISH, EVERY = Scope.RUN, Scope.PUBLISH, Scope.PUBLISH
TABLE: dict[str, Line] = {
    "GET /api/openapi.json": Line("free", None),
    "GET /api/health/live": Line("free", None),
    "GET /api/health/ready": Line("free", None),
    "POST /api/webhooks/github": Line("signed", None, {}),
    "POST /api/model/v1/chat/completions": Line("signed", None, {}),
    "GET /api/model/v1/models": Line("signed", None),
    "GET /api/bases": Line("administrator", EVERY),
    "DELETE /api/bases/{key}": Line("administrator", EVERY),
    "GET /auth/login": Line("free", None),
    "GET /auth/callback": Line("free", None),
    "GET /api/me": Line("free", None),
    "POST /api/logout": Line("free", None),
    "POST /api/login/device": Line("free", None),
    "POST /api/login/device/poll": Line("free", None, {"ticket": "0" * 64}),
    "GET /api/keys": Line("member"),
    "POST /api/keys": Line("member", EVERY, {"name": "x"}),
    "DELETE /api/keys/{key_id}": Line("nowhere", EVERY),
    "GET /api/logins": Line("member"),
    "DELETE /api/logins": Line("member", EVERY),
    "POST /api/disconnect": Line("member", EVERY),
    "DELETE /api/logins/{login_id}": Line("nowhere", EVERY),
    "POST /api/solves": Line("change", RUN, ASK),
    "POST /solve": Line("change", RUN, ASK),
    "POST /api/forecasts": Line("read", Scope.READ, ASK),
    "GET /api/repos": Line("member"),
    "POST /api/demo": Line("administrator", EVERY),
    "GET /api/solves": Line("member"),
    "GET /api/solves/{solve_id}": Line("read"),
    "GET /solve/{solve_id}/status": Line("read"),
    "GET /api/solves/{solve_id}/updates": Line("read"),
    "POST /api/solves/{solve_id}/cancel": Line("change", RUN),
    "POST /api/solves/{solve_id}/judge": Line("change", RUN, {}),
    "POST /api/solves/{solve_id}/champion": Line("change", RUN, CHOICE),
    "POST /api/solves/{solve_id}/apply": Line("change", PUBLISH, {}),
    "POST /api/solves/{solve_id}/dismiss": Line("change", RUN, {"reason": "no"}),
    "POST /api/solves/{solve_id}/questions/{question_id}": Line("change", RUN, {"choice": "no"}),
    "POST /api/solves/{solve_id}/publish": Line("change", PUBLISH),
    "GET /api/solves/{solve_id}/publication": Line("read"),
    "GET /api/solves/{solve_id}/outcomes": Line("read"),
    "POST /api/solves/{solve_id}/outcomes/{outcome_id}/confirm": Line(
        "change", PUBLISH, {"is_revert": True}
    ),
    "GET /api/runs/{run_id}": Line("read"),
    "POST /api/runs/{run_id}/cancel": Line("change", RUN),
    "GET /api/runs/{run_id}/attempts": Line("read"),
    "GET /api/runs/{run_id}/plan": Line("read"),
    "GET /api/runs/{run_id}/tests": Line("read"),
    "GET /api/runs/{run_id}/messages": Line("read"),
    "GET /api/runs/{run_id}/steps": Line("read"),
    "GET /api/runs/{run_id}/messages/{seq}/diff": Line("read"),
    "GET /api/runs/{run_id}/messages/{seq}/raw": Line("read"),
    "GET /api/runs/{run_id}/steps/{number}/raw": Line("read"),
    "GET /api/runs/{run_id}/trajectory.json": Line("read"),
    "GET /api/runs/{run_id}/patch": Line("read"),
    "GET /api/runs/{run_id}/logs/{kind}": Line("read"),
    "POST /api/conversations": Line("read", RUN, {"repo_url": REPO}),
    "GET /api/conversations": Line("member"),
    "GET /api/conversations/{conversation_id}": Line("own"),
    "GET /api/conversations/{conversation_id}/messages": Line("own"),
    "POST /api/conversations/{conversation_id}/messages": Line("own", RUN, {"text": "why?"}),
    "POST /api/conversations/{conversation_id}/issues/{number}/solve": Line(
        "own", RUN, {"publish": "ask"}
    ),
    "GET /api/models": Line("member"),
    "PUT /api/models/{name:path}": Line("administrator", EVERY, {"price": PRICE}),
    "DELETE /api/models/{name:path}": Line("administrator", EVERY),
    "GET /api/settings": Line("administrator", EVERY),
    "GET /api/doctor": Line("administrator", EVERY),
    "GET /api/sandboxes": Line("administrator", EVERY),
    "POST /api/sandboxes/reap": Line("administrator", EVERY, {"dry_run": True}),
    "GET /api/metrics": Line("overseer"),
    "GET /api/cost": Line("member"),
    "GET /api/forge/repos": Line("member"),
    "GET /api/forge/repos/{owner}/{name}/issues": Line("read"),
    "GET /api/forge/repos/{owner}/{name}/issues/{number}": Line("read"),
}
PLACES = {
    "key": "none",
    "solve_id": SOLVE,
    "run_id": run_id(0, SOLVE),
    "conversation_id": TALK,
    "outcome_id": "1",
    "question_id": "1",
    "seq": "1",
    "number": "1",
    "kind": "agent",
    "key_id": "0" * 16,
    "login_id": "0" * 16,
    "name:path": "vendor/fast",
    "owner": "ada",
    "name": "calc",
}
# They say "not found" of a part of what may be seen.
PARTS = {"publication", "confirm", "{key}", "{question_id}"}


@pytest.fixture
async def house(tmp_path: Path) -> AsyncGenerator[House]:
    async with open_house(tmp_path, REQUESTS_PER_MINUTE=100_000) as opened:
        await fill(opened)
        yield opened


def served() -> Iterator[str]:
    for method, path, _ in routes_of(app_of(None)):  # type: ignore[arg-type]
        yield f"{method} {path}"


def test_every_route_is_in_the_table():
    missing = set(served()) - set(TABLE)
    assert not missing, f"say in TABLE who may ask these: {sorted(missing)}"


def test_every_route_says_what_it_needs_once():
    for method, path, dependant in routes_of(app_of(None)):  # type: ignore[arg-type]
        if path == "/api/openapi.json":
            continue
        found = list(_rights(dependant))
        assert len(found) == 1, f"{method} {path} needs {found}"


def _rights(dependant: Any) -> Iterator[object]:
    for inner in dependant.dependencies:
        if isinstance(inner.call, rights.KINDS):
            yield inner.call
        yield from _rights(inner)


def place(path: str) -> str:
    for name, value in PLACES.items():
        path = path.replace(f"{{{name}}}", value)
    assert "{" not in path, path
    return path


async def ask(house: House, route: str, headers: dict[str, str]) -> httpx.Response:
    method, _, path = route.partition(" ")
    async with house.client(**headers) as client:
        return await client.request(method, place(path), json=TABLE[route].body)


def outcome(answer: httpx.Response, route: str) -> str:
    assert answer.status_code < 500, answer.text
    if answer.status_code == 404:
        is_part = route.rpartition("/")[2] in PARTS
        said = answer.json()
        is_whole = said["detail"].startswith(("there is no solve", "there is no ada/calc"))
        is_hidden = said["code"] == "not_found" and (is_whole or not is_part)
        return ABSENT if is_hidden else OK
    return {401: LOGIN, 403: FORBIDDEN}.get(answer.status_code, OK)


@pytest.mark.parametrize("who", WHO)
async def test_who_may_what(house: House, who: str):
    login, place_in_kind = WHO[who], list(WHO).index(who)
    known = set(served())
    wrong: list[str] = []
    headers: dict[str, str] = {}
    for route, line in TABLE.items():
        if route not in known:
            continue
        # What only reads ends no login.
        if login is not None and not (headers and route.startswith("GET ")):
            headers = await house.cookie(login)
        answer = await ask(house, route, headers)
        expected, found = KINDS[line.kind][place_in_kind], outcome(answer, route)
        if found != expected:
            wrong.append(f"{route}: {found}, not {expected}: {answer.text[:200]}")
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("scope", Scope)
async def test_a_key_is_good_for_its_scopes_alone(house: House, scope: Scope):
    """An administrator's: nothing but the scope is in the way."""
    known = set(served())
    wrong: list[str] = []
    key = await house.key("ada", scope)
    for route, line in TABLE.items():
        if route not in known or line.scope is None or line.kind in ("own", "nowhere"):
            continue
        # Whoever has a route's scope, but not all, may not do what needs every one.
        needs_all = line.kind == "administrator" or (line.scope is EVERY and line.kind == "member")
        # What a solve publishes by itself needs that scope as well.
        publishes = line.body is ASK and line.kind == "change"
        is_good = line.scope is scope and not needs_all and not publishes
        answer = await ask(house, route, key)
        found = outcome(answer, route)
        if found != (OK if is_good else FORBIDDEN):
            wrong.append(f"{route} by {scope}: {found}: {answer.text[:200]}")
    assert not wrong, "\n".join(wrong)


async def test_a_key_with_every_scope_does_what_its_person_may(house: House):
    key = await house.key("ada", *ALL_SCOPES)
    for route in ("POST /api/solves", "GET /api/settings", "POST /api/keys", "GET /api/solves"):
        assert outcome(await ask(house, route, key), route) == OK
