"""A server that says what a test tells it to, over real HTTP on loopback."""

from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import asynccontextmanager
from typing import Any, NamedTuple

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from yudai.cli.serve.listen import answering, bind, url_of

Reply = Response | Mapping[str, Any]


class Asked(NamedTuple):
    method: str
    path: str
    query: dict[str, str]
    body: Any
    headers: Mapping[str, str]


class Stub:
    """Replies by method and path; a list is used up, its last one stays."""

    def __init__(self) -> None:
        self.url = ""
        self.asked: list[Asked] = []
        self._replies: dict[tuple[str, str], list[Reply | Callable[[Asked], Reply]]] = {}
        self.on("GET", "/api/health/live", {"status": "ok"})

    def on(self, method: str, path: str, *replies: Reply | Callable[[Asked], Reply]) -> None:
        self._replies[method, path] = list(replies)

    def bodies(self, method: str, path: str) -> list[Any]:
        return [asked.body for asked in self.asked if (asked.method, asked.path) == (method, path)]

    async def answer(self, request: Request) -> Response:
        content = await request.body()
        asked = Asked(
            request.method,
            request.url.path,
            dict(request.query_params),
            await request.json() if content else None,
            request.headers,
        )
        self.asked.append(asked)
        replies = self._replies.get((asked.method, asked.path))
        if not replies:
            return problem(404, f"there is nothing at {asked.path}")
        reply = replies.pop(0) if len(replies) > 1 else replies[0]
        found = reply(asked) if callable(reply) and not isinstance(reply, Response) else reply
        return found if isinstance(found, Response) else JSONResponse(dict(found))


def problem(status: int, detail: str) -> JSONResponse:
    return JSONResponse(
        {"type": "/problems/x", "title": "It", "status": status, "detail": detail},
        status,
        media_type="application/problem+json",
    )


@asynccontextmanager
async def serving(stub: Stub, *, port: int = 0) -> AsyncGenerator[Stub]:
    methods = ["GET", "POST"]
    app = Starlette(routes=[Route("/{path:path}", stub.answer, methods=methods)])
    listener = bind("127.0.0.1", port)
    stub.url = url_of(listener)
    async with answering(app, listener):
        yield stub
