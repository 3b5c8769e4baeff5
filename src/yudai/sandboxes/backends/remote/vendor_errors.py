"""What the errors of providers' clients have in common: one line of text, tables, clean-up."""

from collections.abc import Awaitable, Callable, Mapping

import structlog

from yudai.kit.errors import SandboxError
from yudai.sandboxes.backends.remote.cloud import DeniedError

log: structlog.stdlib.BoundLogger = structlog.get_logger()

_LONGEST = 300
Make = Callable[[str], SandboxError]
ByClass = Mapping[type[BaseException], Make]

BY_STATUS: dict[int, Make] = {
    400: DeniedError,
    402: DeniedError,
    403: DeniedError,
    409: SandboxError,
    413: DeniedError,
    422: DeniedError,
}
"""What an HTTP status means at every provider."""


class UnheardError(SandboxError):
    """The answer was lost, so the outcome is unknown. Look before a retry."""


def by_class(error: BaseException, table: ByClass) -> Make | None:
    """The row of the nearest class that has one."""
    return next((table[kind] for kind in type(error).__mro__ if kind in table), None)


def one_line(error: BaseException) -> str:
    """Short: it is shown to people, and part of it was written elsewhere."""
    text = " ".join(str(error).split()) or type(error).__name__
    return "".join(c if c.isprintable() else "\ufffd" for c in text)[:_LONGEST]


async def clean_up(work: Awaitable[object], event: str, **what: str) -> None:
    """Remove in the background; errors are only logged."""
    try:
        await work
    except SandboxError as error:
        log.warning(event, error=str(error), **what)
