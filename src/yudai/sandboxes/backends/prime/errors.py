"""Translates errors of Prime's client into ours."""

import asyncio
import re
from collections.abc import AsyncGenerator, Iterator
from contextlib import asynccontextmanager

import httpx
from prime_sandboxes import (
    APIError,
    PaymentRequiredError,
    SandboxImagePullError,
    SandboxNotRunningError,
    UnauthorizedError,
)

from yudai.kit.errors import SandboxError
from yudai.sandboxes.backends.remote.cloud import (
    BY_STATUS,
    BusyError,
    ByClass,
    DeniedError,
    FullError,
    GoneError,
    Make,
    NoAnswerError,
    by_class,
    one_line,
)

TOO_MANY = 429
_STATUS = re.compile(r"\bHTTP (\d{3})\b")
_UNCONNECTED = (httpx.ConnectError, httpx.ConnectTimeout)
_NO_KEY = "Prime does not accept the key: check PRIME_API_KEY"
_NO_CREDIT = "the Prime account has no credit: see its billing page"


class DownError(NoAnswerError):
    """The service is temporarily unavailable."""

    def __init__(self, message: str, *, retry_after_s: float | None = None) -> None:
        super().__init__(message)
        self.retry_after_s = retry_after_s


class UnreachedError(NoAnswerError):
    """No server answers at that address; the client may have reached one before and retried."""


_BY_CLASS: ByClass = {
    UnauthorizedError: lambda _: DeniedError(_NO_KEY),
    PaymentRequiredError: lambda _: DeniedError(_NO_CREDIT),
    SandboxImagePullError: DeniedError,
    SandboxNotRunningError: GoneError,
}
_BY_STATUS: dict[int, Make] = {
    **BY_STATUS,
    401: lambda _: DeniedError(_NO_KEY),
    402: lambda _: DeniedError(_NO_CREDIT),
    404: GoneError,
    410: GoneError,
    507: FullError,
}
_LATER: dict[int, type[BusyError] | type[DownError]] = {
    TOO_MANY: BusyError,
    502: DownError,
    503: DownError,
    504: DownError,
}
VENDORS = (APIError, RuntimeError, ValueError, httpx.HTTPError)


@asynccontextmanager
async def asking(doing: str, deadline_s: float) -> AsyncGenerator[None]:
    """Around a call: translates its errors and enforces the deadline."""
    try:
        async with asyncio.timeout(deadline_s):
            yield
    except TimeoutError:
        raise NoAnswerError(f"{doing}: Prime did not answer within {deadline_s:g} s") from None
    except VENDORS as error:
        raise translate(error, doing) from error


def translate(error: BaseException, doing: str) -> SandboxError:
    message = f"{doing}: {one_line(error)}"
    if make := by_class(error, _BY_CLASS):
        return make(message)
    if any(isinstance(one, _UNCONNECTED) for one in _behind(error)):
        return UnreachedError(message)
    response = _response(error)
    status = response.status_code if response is not None else _status_in(str(error))
    if status in _LATER:
        return _LATER[status](message, retry_after_s=retry_after_s(response))
    return _BY_STATUS.get(status, NoAnswerError)(message)


def retry_after_s(response: httpx.Response | None) -> float | None:
    """Seconds only: a date would be the server's clock against ours."""
    said = response.headers.get("retry-after", "") if response is not None else ""
    return float(said) if said.isdecimal() else None


def _response(error: BaseException) -> httpx.Response | None:
    """Its errors have no status; the response is in their cause or context."""
    found = (one.response for one in _behind(error) if isinstance(one, httpx.HTTPStatusError))
    return next(found, None)


def _behind(error: BaseException | None) -> Iterator[BaseException]:
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__


def _status_in(text: str) -> int:
    found = _STATUS.search(text)
    return int(found[1]) if found else 0
