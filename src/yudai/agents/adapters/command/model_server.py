"""The model endpoint over HTTP in this process: on a Unix socket, or on a loopback port."""

import asyncio
import socket
from collections.abc import (
    AsyncGenerator,
    Awaitable,
    Callable,
    Coroutine,
    Generator,
    MutableMapping,
)
from contextlib import asynccontextmanager, contextmanager, suppress
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from yudai.agents.endpoint.port import MAX_BODY, BodyTooLargeError, ModelAnswer, ModelEndpoint
from yudai.kit.http_server import serve_http

HOST = "model.yudai.invalid"
"""The host name of the model endpoint in a sandbox without a network; our proxy resolves it."""
_GRACE_S = 1
_BACKLOG = 128

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]


class GoneError(Exception):
    """The client has closed the connection."""


@asynccontextmanager
async def serve_on_socket(endpoint: ModelEndpoint, path: Path) -> AsyncGenerator[str]:
    """Yields the base URL that a client of this socket uses."""
    with _listening(path) as listener:
        async with _serving(endpoint, listener):
            yield f"http://{HOST}/v1"


@contextmanager
def _listening(path: Path) -> Generator[socket.socket]:
    # Only this user may connect, with or without a token.
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    path.unlink(missing_ok=True)
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as listener:
        listener.bind(str(path))
        try:
            path.chmod(0o600)
            yield listener
        finally:
            path.unlink(missing_ok=True)


@asynccontextmanager
async def serve_on_loopback(endpoint: ModelEndpoint) -> AsyncGenerator[str]:
    """For sandboxes that share our network."""
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as listener:
        listener.bind(("127.0.0.1", 0))
        async with _serving(endpoint, listener):
            yield f"http://127.0.0.1:{listener.getsockname()[1]}/v1"


@asynccontextmanager
async def _serving(endpoint: ModelEndpoint, listener: socket.socket) -> AsyncGenerator[None]:
    listener.listen(_BACKLOG)
    app = EndpointApp(endpoint)
    async with serve_http(app, listener, grace_s=_GRACE_S, name="model-server", ws="none") as task:
        yield
    task.result()


class EndpointApp:
    """An ASGI application with two paths."""

    def __init__(self, endpoint: ModelEndpoint) -> None:
        self._endpoint = endpoint

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return
        # Through a proxy the whole URL may stand where the path does.
        path: str = scope["path"]
        asked = scope["method"], urlsplit(path).path if "://" in path else path
        sent = {name.decode("latin-1"): value for name, value in scope["headers"]}
        authorization = sent.get("authorization", b"").decode("latin-1")
        caller = Caller(receive)
        if asked == ("POST", "/v1/chat/completions"):
            work = self._endpoint.complete(authorization, caller.read)
        elif asked == ("GET", "/v1/models"):
            work = self._endpoint.models(authorization)
        else:
            await _send(send, _NOTHING_HERE)
            return
        with suppress(GoneError):
            await _send(send, await caller.answered(work))


_NOTHING_HERE = ModelAnswer(
    status=404,
    content=b'{"error":{"message":"there are /v1/chat/completions and /v1/models",'
    b'"type":"invalid_request_error","param":null,"code":"not_found"}}',
)


class Caller:
    """The HTTP client, which sends a body and waits for the answer, or disconnects."""

    def __init__(self, receive: Receive) -> None:
        self._receive = receive
        self._waits = asyncio.Event()

    async def read(self) -> bytes:
        """Read the body; GoneError if the client disconnects."""
        parts: list[bytes] = []
        size = 0
        while True:
            message = await self._receive()
            if message["type"] == "http.disconnect":
                raise GoneError
            part: bytes = message.get("body", b"")
            size += len(part)
            if size > MAX_BODY:
                raise BodyTooLargeError(f"a request has at most {MAX_BODY >> 20} MB")
            parts.append(part)
            if not message.get("more_body"):
                self._waits.set()
                return b"".join(parts)

    async def answered(self, work: Coroutine[Any, Any, ModelAnswer]) -> ModelAnswer:
        """Finish the work; GoneError, and the work is cancelled, if the client disconnects."""
        asked, left = asyncio.ensure_future(work), asyncio.ensure_future(self._left())
        try:
            await asyncio.wait([asked, left], return_when=asyncio.FIRST_COMPLETED)
            if not asked.done():
                raise GoneError
            return asked.result()
        finally:
            for task in (asked, left):
                task.cancel()
            await asyncio.wait([asked, left])

    async def _left(self) -> None:
        await self._waits.wait()
        while (await self._receive())["type"] != "http.disconnect":
            pass


async def _send(send: Send, answer: ModelAnswer) -> None:
    headers = {
        "content-type": answer.media_type,
        "content-length": str(len(answer.content)),
        "cache-control": "no-store",
        **answer.headers,
    }
    pairs = [(name.encode(), value.encode()) for name, value in headers.items()]
    await send({"type": "http.response.start", "status": answer.status, "headers": pairs})
    await send({"type": "http.response.body", "body": answer.content})
