"""Translates errors of E2B's SDK into ours."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

import httpx
from e2b import exceptions as theirs

from yudai.kit.errors import SandboxError
from yudai.sandboxes.backends.remote.cloud import (
    BY_STATUS,
    BusyError,
    ByClass,
    ConnectionCutError,
    DeniedError,
    FullError,
    GoneError,
    NoAnswerError,
    by_class,
    one_line,
)

_NO_KEY = "E2B does not accept the key: check E2B_API_KEY"
_OLD_TEMPLATE = "the template is too old for the SDK: yudai sandbox build-template"


class AnswerTimeoutError(NoAnswerError):
    """There was no answer in time; the request may still be carried out."""


class UnreachedError(SandboxError):
    """Nothing was sent: no server answers at that address."""


class AbsentError(DeniedError):
    """There is no such template or snapshot."""


class UnsupportedError(SandboxError):
    """The control plane has no such call."""


_BY_CLASS: ByClass = {
    theirs.AuthenticationException: lambda _: DeniedError(_NO_KEY),
    theirs.RateLimitException: BusyError,
    theirs.ServiceBusyException: BusyError,
    theirs.SandboxNotFoundException: GoneError,
    theirs.SandboxNotRunningException: GoneError,
    theirs.TemplateException: lambda text: DeniedError(f"{text}: {_OLD_TEMPLATE}"),
    theirs.NotEnoughSpaceException: FullError,
    theirs.InvalidArgumentException: SandboxError,
    theirs.NotFoundException: SandboxError,
    theirs.BuildException: SandboxError,
    httpx.ConnectError: UnreachedError,
    httpx.ConnectTimeout: UnreachedError,
    # The line broke, or was silent for too long.
    theirs.TimeoutException: AnswerTimeoutError,
    httpx.TimeoutException: AnswerTimeoutError,
}
_BY_STATUS = {**BY_STATUS, 404: AbsentError, 405: UnsupportedError, 501: UnsupportedError}


@asynccontextmanager
async def asking(doing: str, deadline_s: float) -> AsyncGenerator[None]:
    """Around a call of the control plane: translates its errors and enforces the deadline."""
    try:
        async with asyncio.timeout(deadline_s):
            yield
    except TimeoutError:
        raise AnswerTimeoutError(f"{doing}: E2B did not answer within {deadline_s:g} s") from None
    except Exception as error:
        raise translate(error, doing) from error


@asynccontextmanager
async def talking(doing: str) -> AsyncGenerator[None]:
    """Around a call of a machine: a lost response is a ConnectionCutError."""
    try:
        yield
    except TimeoutError:
        raise
    except Exception as error:
        ours = translate(error, doing)
        raise ConnectionCutError(str(ours)) if isinstance(ours, NoAnswerError) else ours from error


def translate(error: BaseException, doing: str) -> SandboxError:
    if isinstance(error, SandboxError):
        return error
    status: int | None = getattr(error, "status_code", None)
    make = by_class(error, _BY_CLASS) or _BY_STATUS.get(status or 0, NoAnswerError)
    return make(f"{doing}: {one_line(error)}")
