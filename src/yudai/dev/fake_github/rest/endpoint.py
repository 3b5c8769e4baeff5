"""What every REST endpoint has in common: who asks, the body, pages, entity tags, the route."""

import hashlib
import json
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeVar, cast
from urllib.parse import urlencode

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from yudai.dev.fake_github import issues
from yudai.dev.fake_github.access import ANONYMOUS, Caller, require, require_read, seen
from yudai.dev.fake_github.authenticate import identify, read_body
from yudai.dev.fake_github.errors import Refusal, wrong
from yudai.dev.fake_github.records import Item, Repo
from yudai.dev.fake_github.state import State, from_iso
from yudai.forge.domain.repository import Role

OLD_VERSION = "2022-11-28"
VERSIONS = frozenset({OLD_VERSION, "2026-03-10"})
PREFIX = "/api/v3"
_MAX_BODY = 2 << 20
_LIMIT, _ANONYMOUS_LIMIT = 5000, 60
LOGIN, BODY = "fake_github.login", "fake_github.body"
"""Where the log finds in a scope who asked for what."""

T = TypeVar("T")


@dataclass(frozen=True)
class Answer:
    document: Any = None
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict[str, str])


@dataclass(frozen=True)
class Call:
    """One request that was let in."""

    state: State
    caller: Caller
    path: str
    params: Mapping[str, Any]
    query: Mapping[str, str]
    body: dict[str, Any]
    version: str = ""

    @property
    def repo(self) -> Repo:
        return seen(self.state, self.caller, f"{self.params['owner']}/{self.params['repo']}")

    def may_read(self, permission: str) -> Repo:
        repo = self.repo
        require_read(self.state, self.caller, repo, permission)
        return repo

    def may_write(self, permission: str, role: Role = Role.READ) -> Repo:
        repo = self.repo
        require(self.state, self.caller, repo, permission, role)
        return repo

    def item(self, repo: Repo) -> Item:
        return issues.find(repo, self.params["number"])

    def number(self, name: str, default: int, most: int = 1 << 31) -> int:
        text = self.query.get(name, "")
        return min(max(int(text), 1), most) if text.isdecimal() else default

    def time(self, name: str) -> float | None:
        text = self.query.get(name, "")
        try:
            return from_iso(text) if text else None
        except ValueError:
            raise Refusal(422, f"{name} must be an ISO 8601 time") from None

    def text(self, name: str, *, resource: str, blank: bool = False) -> str:
        value = self.body.get(name)
        if not isinstance(value, str) or not (blank or value.strip()):
            code = "missing_field" if value is None else "invalid"
            raise wrong(resource, name, code)
        return value

    @property
    def page(self) -> int:
        return self.number("page", 1)

    @property
    def per_page(self) -> int:
        return self.number("per_page", 30, 100)


class Endpoint(NamedTuple):
    method: str
    path: str
    """Below /api/v3, as Starlette writes it."""
    handle: Callable[[Call], Answer]
    by_app: bool = False
    """Only for the App itself, by its key."""

    def answer(self, call: Call) -> Answer:
        if self.by_app and not call.caller.is_app:
            raise Refusal(401, "A JSON web token could not be decoded")
        return self.handle(call)


def paged(call: Call, things: Sequence[T], view: Callable[[T], Any]) -> Answer:
    """The page that was asked for, with links to the others."""
    first = (call.page - 1) * call.per_page
    shown = [view(thing) for thing in things[first : first + call.per_page]]
    last = max(1, -(-len(things) // call.per_page))
    return Answer(shown, headers=links(call, last=last))


def links(call: Call, *, last: int) -> dict[str, str]:
    page = call.page
    pages = {
        "prev": page - 1 if page > 1 else 0,
        "next": page + 1 if page < last else 0,
        "last": last if page < last else 0,
        "first": 1 if page > 1 else 0,
    }
    parts = [
        f'<{call.state.url}{call.path}?{urlencode({**call.query, "page": number})}>; rel="{name}"'
        for name, number in pages.items()
        if number
    ]
    return {"Link": ", ".join(parts)} if parts else {}


def etag(body: bytes) -> str:
    return f'W/"{hashlib.sha256(body).hexdigest()}"'


def encode(document: Any) -> bytes:
    return (
        b""
        if document is None
        else json.dumps(document, ensure_ascii=False).encode("utf-8", "replace")
    )


class Budget:
    """How many requests each caller has left. Reported, but not enforced."""

    def __init__(self) -> None:
        self._used: dict[str, int] = {}

    def headers(self, caller: Caller, now: float, *, counts: bool) -> dict[str, str]:
        limit = _LIMIT if caller.login or caller.is_app else _ANONYMOUS_LIMIT
        used = self._used[caller.login] = self._used.get(caller.login, 0) + counts
        return {
            "x-ratelimit-limit": str(limit),
            "x-ratelimit-remaining": str(max(1, limit - used)),
            "x-ratelimit-used": str(used),
            "x-ratelimit-reset": str(int(now) // 3600 * 3600 + 3600),
            "x-ratelimit-resource": "core",
        }


def routes(state: State, endpoints: tuple[Endpoint, ...]) -> list[Route]:
    budget = Budget()
    return [
        Route(PREFIX + endpoint.path, _route(state, endpoint, budget), methods=[endpoint.method])
        for endpoint in endpoints
    ]


def _route(
    state: State, endpoint: Endpoint, budget: Budget
) -> Callable[[Request], Awaitable[Response]]:
    async def respond(request: Request) -> Response:
        caller = ANONYMOUS
        try:
            content = await read_body(request, _MAX_BODY)
            with state.lock:
                caller = identify(state, request)
                call = _call(state, request, caller, content)
                answer = endpoint.answer(call)
                if endpoint.method != "GET":
                    state.save()
        except Refusal as refusal:
            answer = Answer(refusal.document(), refusal.status, refusal.headers)
        return _response(state, request, answer, budget=budget, caller=caller)

    return respond


def _call(state: State, request: Request, caller: Caller, content: bytes) -> Call:
    version = request.headers.get("x-github-api-version", "")
    if version and version not in VERSIONS:
        raise Refusal(400, f"'{version}' is not a supported version of the GitHub API.")
    if not request.headers.get("user-agent"):
        raise Refusal(403, "Request forbidden by administrative rules. Send a User-Agent header.")
    request.scope[LOGIN], request.scope[BODY] = caller.login, None
    body: Any = {}
    if content:
        try:
            body = json.loads(content)
        except ValueError:
            raise Refusal(400, "Problems parsing JSON") from None
        request.scope[BODY] = body
    if isinstance(body, list):
        body = {"labels": cast("list[Any]", body)}
    if not isinstance(body, dict):
        raise Refusal(422, "Invalid request. The body must be a JSON object.")
    return Call(
        state=state,
        caller=caller,
        path=request.url.path,
        params=request.path_params,
        query=dict(request.query_params),
        body=cast("dict[str, Any]", body),
        version=version,
    )


def _response(
    state: State, request: Request, answer: Answer, *, budget: Budget, caller: Caller
) -> Response:
    body = encode(answer.document)
    headers = {
        "Content-Type": "application/json; charset=utf-8",
        "Cache-Control": "private, max-age=60, s-maxage=60",
        "Vary": "Accept, Authorization, Cookie",
        "X-GitHub-Media-Type": "github.v3; format=json",
        "X-GitHub-Request-Id": f"FAKE:{state.clock.token()}",
        **answer.headers,
    }
    is_found = request.method == "GET" and answer.status == 200
    tag = etag(body) if is_found else ""
    if tag:
        headers["ETag"] = tag
    is_known = bool(tag) and tag in request.headers.get("if-none-match", "")
    headers |= budget.headers(caller, state.now(), counts=not is_known)
    if caller.kind == "pat":
        headers["X-OAuth-Scopes"] = "repo, read:user"
    if is_known:
        return Response(status_code=304, headers=headers)
    return Response(body, answer.status, headers)
