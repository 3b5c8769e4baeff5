"""Logging, set up once by each entry point: event names with fields, on standard error."""

import logging
import sys
from collections.abc import Iterable
from contextlib import suppress

import structlog

from yudai.kit.redaction import Redact, as_it_is, redactor

log: structlog.stdlib.BoundLogger = structlog.get_logger()


def set_up(*, verbose: bool = False) -> None:
    level = logging.INFO if verbose else logging.WARNING
    structlog.configure(
        processors=[
            structlog.contextvars.merge_contextvars,
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso"),
            structlog.processors.format_exc_info,
            structlog.processors.JSONRenderer(),
        ],
        wrapper_class=structlog.make_filtering_bound_logger(level),
        logger_factory=lambda *_: _StandardError(as_it_is),
    )
    # Python would print these without redaction.
    logging.lastResort = _LibraryLogHandler(logging.WARNING)


def hide(secrets: Iterable[str]) -> None:
    """Redact these secrets from all log lines from now on."""
    redact = redactor(secrets)
    structlog.configure(logger_factory=lambda *_: _StandardError(redact))


class _LibraryLogHandler(logging.Handler):
    """Handles log records of libraries."""

    def emit(self, record: logging.LogRecord) -> None:
        log.log(
            record.levelno, "library.said", message=record.getMessage(), exc_info=record.exc_info
        )


class _StandardError:
    """Writes to the present standard error; a closed one is ignored."""

    def __init__(self, redact: Redact) -> None:
        self._redact = redact

    def msg(self, message: str) -> None:
        with suppress(OSError, ValueError, AttributeError):
            sys.stderr.write(f"{self._redact(message)}\n")

    debug = info = warning = error = critical = msg
