"""Chooses a safe address to listen on, and serves HTTP there in our event loop."""

import asyncio
import errno
import ipaddress
import logging
import socket
from collections.abc import AsyncGenerator, Generator
from contextlib import asynccontextmanager, contextmanager, suppress
from typing import TYPE_CHECKING

import structlog

from yudai.kit.errors import RefusedError
from yudai.kit.http_server import serve_http

if TYPE_CHECKING:
    from starlette.types import ASGIApp

log: structlog.stdlib.BoundLogger = structlog.get_logger()

_GRACE_S = 3
_BACKLOG = 2048


def bind(host: str, port: int, *, is_open: bool = False) -> socket.socket:
    """A listening socket. Clients that connect during the start wait, and the port is taken.

    Other machines may connect only if everyone logs in.
    """
    family, address = _address(host, is_open=is_open)
    # With the protocol named, asyncio turns off Nagle: answers would wait 40 ms for an ACK.
    listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((address, port))
        listener.listen(_BACKLOG)
    except OSError as error:
        listener.close()
        raise RefusedError(_why_not(error, address, port)) from None
    return listener


def url_of(listener: socket.socket) -> str:
    address, port = str(listener.getsockname()[0]), listener.getsockname()[1]
    # Every address of the machine is no address to ask at: its own one is.
    address = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(address, address)  # noqa: S104
    return f"http://[{address}]:{port}" if ":" in address else f"http://{address}:{port}"


@asynccontextmanager
async def answering(app: "ASGIApp", listener: socket.socket) -> AsyncGenerator[asyncio.Task[None]]:
    """Answer requests until the block ends; open ones get a few seconds."""
    with _logs_as_ours():
        async with serve_http(app, listener, grace_s=_GRACE_S) as task:
            task.add_done_callback(_log_failure)
            yield task


def _log_failure(task: asyncio.Task[None]) -> None:
    if not task.cancelled() and (error := task.exception()):
        log.error("http.failed", error=repr(error))


def _address(host: str, *, is_open: bool) -> tuple[socket.AddressFamily, str]:
    try:
        found = socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:
        why = getattr(error, "strerror", None) or error
        raise RefusedError(f"--host {host!r}: {why}; use 127.0.0.1") from None
    addresses = {(family, str(place[0])) for family, _, _, _, place in found}
    if not is_open and not all(_is_loopback(address) for _, address in addresses):
        raise RefusedError(
            f"--host {host} would be open to others without a login: use 127.0.0.1"
            " and an SSH tunnel, or set AUTH_MODE=github"
        )
    # IPv4 where a name has both: every client knows it.
    return min(addresses, key=lambda pair: (pair[0] != socket.AF_INET, pair[1]))


def _is_loopback(address: str) -> bool:
    with suppress(ValueError):
        parsed = ipaddress.ip_address(address.partition("%")[0])
        mapped = getattr(parsed, "ipv4_mapped", None)
        return (mapped or parsed).is_loopback
    return False


def _why_not(error: OSError, address: str, port: int) -> str:
    if error.errno == errno.EADDRINUSE:
        return f"port {port} of {address} is in use: choose another with --port, or 0 for any"
    if error.errno == errno.EACCES:
        return f"port {port} may not be used by this user: choose one above 1023 with --port"
    return f"cannot listen on {address} port {port}: {error.strerror}"


@contextmanager
def _logs_as_ours() -> Generator[None]:
    """Sends the HTTP server's log records to our log, in the same format."""
    logger, handler = logging.getLogger("uvicorn"), _LogForwarder(level=logging.WARNING)
    before = logger.propagate
    logger.addHandler(handler)
    logger.propagate = False
    try:
        yield
    finally:
        logger.removeHandler(handler)
        logger.propagate = before


class _LogForwarder(logging.Handler):
    def emit(self, record: logging.LogRecord) -> None:
        log.log(record.levelno, "http.said", message=record.getMessage(), exc_info=record.exc_info)
