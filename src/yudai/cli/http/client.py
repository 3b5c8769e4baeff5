"""A server's HTTP API for the command line. Every error is one line with its remedy."""

import ipaddress
import re
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import urlsplit

import httpx
from pydantic import BaseModel, ValidationError

from yudai import __version__
from yudai.cli.http.login_file import LoginFile
from yudai.kit.errors import ConflictError, NotFoundError, RefusedError, YudaiError
from yudai.kit.ids import SolveId
from yudai.kit.untyped import as_object, as_text

_TIMEOUT = httpx.Timeout(30.0, connect=5.0)
# The server looks at the folder before it answers.
_POST_TIMEOUT = httpx.Timeout(180.0, connect=5.0)
_AWAY = frozenset({502, 503, 504})
_MAX_DETAIL = 600
# No login, no query: what else a URL can hold has no meaning here.
_URL = re.compile(
    r"https?://(?:[a-z0-9._-]+|\[[0-9a-f:.]+\])(?::[0-9]{1,5})?(?:/[^?#\s]*)?", re.IGNORECASE
)

Read = TypeVar("Read", bound=BaseModel)


class AwayError(RefusedError):
    """The server does not answer at the moment. A later request may succeed."""


class Made(BaseModel):
    """The id of an opened solve, which runs and costs money."""

    id: SolveId


class Remote:
    """One server; paths are below its URL, answers are JSON unless bytes are asked for."""

    def __init__(self, url: str, http: httpx.AsyncClient) -> None:
        self.url = url
        self._http = http
        self.moves_to: Callable[[], str | None] = lambda: None
        """Finds the server again after a restart, which may change its address."""

    async def get(self, path: str, **params: str | int) -> Any:
        return _json(await self._send("GET", path, params=params), self.url)

    async def read(self, model: type[Read], path: str, **params: str | int) -> Read:
        return read_as(model, await self.get(path, **params), self.url)

    async def get_bytes(self, path: str) -> bytes:
        return (await self._send("GET", path)).content

    async def post(self, path: str, body: Mapping[str, Any] | None = None, *, key: str = "") -> Any:
        """With a key, the server executes the request once, even if it is sent again."""
        headers = {"Idempotency-Key": key} if key else {}
        answer = await self._send(
            "POST", path, json=dict(body or {}), headers=headers, timeout=_POST_TIMEOUT
        )
        return _json(answer, self.url)

    async def post_nothing(self, path: str) -> None:
        """Send a request without a response body."""
        await self._send("POST", path)

    async def delete(self, path: str) -> None:
        await self._send("DELETE", path)

    async def version(self) -> str:
        """The server's self-description. RefusedError if it is not a Yudai server."""
        said = as_object(await self.get("/api/health/live"))
        if "status" not in said:
            raise RefusedError(f"{self.url} is not a Yudai server: check --server or YUDAI_SERVER")
        return as_text(said.get("version"))

    async def _send(self, method: str, path: str, **how: Any) -> httpx.Response:
        try:
            answer = await self._http.request(method, path, **how)
        except httpx.TimeoutException:
            raise AwayError(f"the server {self.url} does not answer in time") from None
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            why = str(error) or type(error).__name__
            gone = AwayError(
                f"cannot reach the server {self.url} ({why}): start it, or check the URL"
            )
            self._move()
            raise gone from None
        if not answer.is_success:
            raise _refusal(answer, self.url)
        return answer

    def _move(self) -> None:
        url = self.moves_to()
        if url is not None and url != self.url:
            self.url = url
            self._http.base_url = url


@asynccontextmanager
async def open_remote(url: str, *, home: Path | None = None) -> AsyncGenerator[Remote]:
    """A client for this URL; what the environment says of proxies is not for loopback.

    With the key that `yudai login` has kept in this home for exactly this server.
    """
    base = checked(url)
    host = urlsplit(base).hostname or ""
    key = None if home is None else LoginFile(home).key(base)
    sent = {} if key is None else {"Authorization": f"Bearer {key.get_secret_value()}"}
    client = httpx.AsyncClient(
        base_url=base,
        timeout=_TIMEOUT,
        trust_env=not is_loopback(host),
        headers={
            "User-Agent": f"yudai/{__version__}",
            "Accept": "application/json, */*;q=0.5",
            **sent,
        },
    )
    async with client:
        yield Remote(base, client)


def checked(url: str) -> str:
    """The server's root URL; RefusedError for an invalid one."""
    found = _URL.fullmatch(url.strip())
    if found is None:
        raise RefusedError("--server (YUDAI_SERVER): give a URL such as http://127.0.0.1:8000")
    return found[0].rstrip("/").removesuffix("/api")


def is_loopback(host: str) -> bool:
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def read_as(model: type[Read], data: object, url: str) -> Read:
    """Parse a response. Unknown fields are ignored; missing ones mean another version."""
    try:
        return model.model_validate(data, extra="ignore")
    except ValidationError:
        raise _strange(url) from None


def _json(answer: httpx.Response, url: str) -> Any:
    try:
        return answer.json()
    except ValueError:
        raise RefusedError(
            f"{url} does not answer as a Yudai server: check --server or YUDAI_SERVER"
        ) from None


def _strange(url: str) -> YudaiError:
    return YudaiError(
        f"{url} sends a response that this version ({__version__}) does not understand:"
        " does the server have another version?"
    )


def _refusal(answer: httpx.Response, url: str) -> YudaiError:
    """The server's problem document as a YudaiError."""
    status = answer.status_code
    said = _detail(answer)
    if status in _AWAY:
        return AwayError(f"the server {url} cannot answer now ({status}){said and f': {said}'}")
    if status >= 500 or status < 400:
        return YudaiError(f"the server {url} failed ({status}){said and f': {said}'}")
    kinds = {404: NotFoundError, 409: ConflictError}
    return kinds.get(status, RefusedError)(said or f"the server {url} refused this ({status})")


def _detail(answer: httpx.Response) -> str:
    try:
        problem = as_object(answer.json())
    except ValueError:
        return ""
    # Advice for those who send requests is of no use in a terminal.
    said = problem.get("command_line") or problem.get("detail")
    return (as_text(said) or as_text(problem.get("title")))[:_MAX_DETAIL]
