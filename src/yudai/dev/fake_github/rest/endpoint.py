"""One REST endpoint as a route: let in, answer, tag, count."""

import json
from collections.abc import Awaitable, Callable
from typing import Any, cast

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from yudai.dev.fake_github.access import ANONYMOUS, Caller
from yudai.dev.fake_github.authenticate import identify, read_body
from yudai.dev.fake_github.errors import Refusal
from yudai.dev.fake_github.rest_call import PREFIX, VERSIONS, Answer, Call, Endpoint, encode, etag
from yudai.dev.fake_github.state import State

_MAX_BODY = 2 << 20
_LIMIT, _ANONYMOUS_LIMIT = 5000, 60
LOGIN, BODY = "fake_github.login", "fake_github.body"
"""Where the log finds in a scope who asked for what."""


class Budget:
    """How many requests each caller has left; it is told, never enforced."""

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
                answer = endpoint.handle(call)
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
