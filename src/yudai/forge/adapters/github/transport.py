"""githubkit and httpx, bounded in time, size and number; imported with the first request."""

import asyncio
import logging
from typing import cast

import httpx
from githubkit import (
    AppAuthStrategy,
    BaseAuthStrategy,
    GitHubCore,
    TokenAuthStrategy,
    UnauthAuthStrategy,
)
from githubkit.cache import MemCacheStrategy
from githubkit.exception import GitHubException, RequestError, RequestFailed

from yudai.forge.adapters.github.configuration import (
    API_VERSION,
    BOUNDS,
    AppConfig,
    Bounds,
    is_loopback,
)
from yudai.forge.adapters.github.messages import Answer, ApiRequest, Identity, NoResponse

# At DEBUG these write down headers and addresses as they are.
for _name in ("githubkit", "hishel", "httpcore", "httpx"):
    logging.getLogger(_name).setLevel(logging.WARNING)

_UNSENT = (
    httpx.ConnectError,
    httpx.ConnectTimeout,
    httpx.PoolTimeout,
    httpx.ProxyError,
    httpx.UnsupportedProtocol,
    httpx.LocalProtocolError,
)
_HEADERS = {"X-GitHub-Api-Version": API_VERSION}


class Wire:
    def __init__(
        self, base_url: str, *, app: AppConfig | None = None, bounds: Bounds = BOUNDS
    ) -> None:
        self._base_url = base_url
        self._app = app
        self._bounds = bounds
        self._room = asyncio.Semaphore(bounds.at_once)
        # Not githubkit's own: that one is shared by all Apps of the same number in a process.
        self._signatures = MemCacheStrategy()
        self._pool = _Pool(
            httpx.AsyncClient(
                trust_env=not is_loopback(base_url),
                limits=httpx.Limits(max_connections=bounds.at_once),
            ),
            bounds.max_bytes,
        )

    async def send(self, ask: ApiRequest, *, by: Identity) -> Answer | NoResponse:
        """Never raises, because a library's exception would contain the request with its token."""
        async with self._room:
            try:
                async with asyncio.timeout(self._bounds.total_s):
                    return await self._send(ask, by)
            except TimeoutError:
                return NoResponse(f"no answer within {self._bounds.total_s:g} s", was_sent=True)
            except GitHubException as error:
                return _understood(error)

    async def close(self) -> None:
        await self._pool.empty()
        # Connections that were cut short end in the loop's next turn, not at once.
        await asyncio.sleep(0)

    async def _send(self, ask: ApiRequest, by: Identity) -> Answer:
        github = GitHubCore(
            self._strategy(by),
            base_url=self._base_url,
            user_agent="yudai",
            timeout=httpx.Timeout(self._bounds.total_s, connect=self._bounds.connect_s),
            follow_redirects=False,
            async_transport=self._pool,
            cache_strategy=self._signatures,
            http_cache=False,
            auto_retry=False,
        )
        response = await github.arequest(  # pyright: ignore[reportUnknownMemberType]
            ask.method,
            ask.path,
            params=dict(ask.params) or None,
            json=None if ask.body is None else dict(ask.body),
            data=None if ask.form is None else dict(ask.form),
            headers={**_HEADERS, **ask.headers},
        )
        return _answer(response.raw_response)

    def _strategy(self, by: Identity) -> BaseAuthStrategy:
        if by.is_app and self._app:
            return AppAuthStrategy(self._app.app_id, self._app.private_key.get_secret_value())
        token = by.token.get_secret_value()
        return TokenAuthStrategy(token) if token else UnauthAuthStrategy()


def _answer(response: httpx.Response) -> Answer:
    headers = {name.lower(): value for name, value in response.headers.items()}
    return Answer(status=response.status_code, headers=headers, body=response.content)


def _understood(error: GitHubException) -> Answer | NoResponse:
    if isinstance(error, RequestFailed):
        return _answer(error.response.raw_response)
    origin: Exception = error
    if isinstance(error, RequestError):
        origin = cast("Exception", error.exc)  # pyright: ignore[reportUnknownMemberType]
    # Only the name of what went wrong: its text may quote a header.
    name = type(origin).__name__
    if isinstance(origin, _TooLargeError):
        return NoResponse("its answer is too large", was_sent=True, is_final=True)
    if isinstance(origin, httpx.TransportError):
        is_local = isinstance(origin, httpx.LocalProtocolError | httpx.UnsupportedProtocol)
        return NoResponse(
            f"no answer ({name})", was_sent=not isinstance(origin, _UNSENT), is_final=is_local
        )
    return NoResponse(f"the request could not be made ({name})", was_sent=False, is_final=True)


class _TooLargeError(Exception):
    pass


class _Pool(httpx.AsyncBaseTransport):
    """A shared connection pool, because githubkit opens a client for each request."""

    def __init__(self, client: httpx.AsyncClient, max_bytes: int) -> None:
        self._client = client
        self._max_bytes = max_bytes

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        response = await self._client.send(request, stream=True, follow_redirects=False)
        try:
            content = await self._read(response)
        finally:
            await response.aclose()
            self._client.cookies.clear()
        headers = {
            name: value
            for name, value in response.headers.items()
            if name.lower() not in ("content-encoding", "content-length", "transfer-encoding")
        }
        return httpx.Response(response.status_code, headers=headers, content=content)

    async def _read(self, response: httpx.Response) -> bytes:
        read = bytearray()
        async for part in response.aiter_bytes():
            read += part
            if len(read) > self._max_bytes:
                raise _TooLargeError
        return bytes(read)

    async def aclose(self) -> None:
        """Asked for after each request: nothing is closed before `empty`."""

    async def empty(self) -> None:
        await self._client.aclose()
