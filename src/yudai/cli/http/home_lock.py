"""The server that owns a home: it holds `server.lock` and is described in `server.json`.

The kernel releases the lock when that process dies, and `server.json` then means nothing. A solve
outside the server can run beside it at any time: its flow belongs to its own process, and the
server continues only its own flows.
"""

import asyncio
import os
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from pydantic import ValidationError

from yudai.kit.errors import ConflictError, RefusedError
from yudai.kit.locks import is_locked, wait_for_lock
from yudai.kit.value import Value
from yudai.settings import Settings
from yudai.store.urls import show

_LOCK = "server.lock"
_SAYS = "server.json"
_POLL_S = 0.2
# Who only looks holds the lock too, for a moment.
_LOOKERS_S = 0.5


class ServerEntry(Value):
    """The entry that a home's server writes about itself."""

    url: str
    pid: int
    version: str
    database: str = ""
    """Location of its solves, without secrets; a process with another location uses HTTP."""


@dataclass(frozen=True)
class Ownership:
    """Held by this process until it ends."""

    home: Path

    def announce(self, entry: ServerEntry) -> None:
        draft = self.home / f".{_SAYS}-{os.getpid()}"
        draft.unlink(missing_ok=True)
        descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "w") as file:
            file.write(entry.model_dump_json())
        draft.replace(self.home / _SAYS)

    def withdraw(self) -> None:
        (self.home / _SAYS).unlink(missing_ok=True)


def place_of(settings: Settings) -> str:
    """Location of the solves, without secrets."""
    from sqlalchemy.engine import make_url

    url = make_url(settings.store_url)
    return show(url) if url.get_backend_name() != "sqlite" else str(Path(show(url)).absolute())


@asynccontextmanager
async def owning(home: Path, *, patience_s: float = _LOOKERS_S) -> AsyncGenerator[Ownership]:
    """Own the home; ConflictError names its owner."""
    try:
        descriptor = await wait_for_lock(_made(home) / _LOCK, patience_s=patience_s)
    except TimeoutError:
        raise ConflictError(_taken(home, read_entry(home))) from None
    try:
        ownership = Ownership(home)
        # What an owner that was killed said is no longer true.
        ownership.withdraw()
        try:
            yield ownership
        finally:
            ownership.withdraw()
    finally:
        os.close(descriptor)


def is_owned(home: Path) -> bool:
    """Whether a server owns this home, even if it is still starting."""
    try:
        return is_locked(home / _LOCK)
    except OSError:
        return False


def read_entry(home: Path) -> ServerEntry | None:
    """The owner's entry; None while it is starting."""
    with suppress(OSError, ValidationError):
        return ServerEntry.model_validate_json((home / _SAYS).read_bytes())
    return None


def known_owner(home: Path) -> ServerEntry | None:
    """The server that owns this home, if it is ready."""
    return read_entry(home) if is_owned(home) else None


async def find_owner(
    home: Path, answers: Callable[[ServerEntry], Awaitable[bool]], *, patience_s: float = 15.0
) -> ServerEntry | None:
    """The server of this home that answers, after waiting for one that is starting."""
    deadline = asyncio.get_running_loop().time() + patience_s
    while is_owned(home):
        entry = read_entry(home)
        if entry is not None and await answers(entry):
            return entry
        if asyncio.get_running_loop().time() >= deadline:
            raise RefusedError(_silent(home, entry))
        await asyncio.sleep(_POLL_S)
    return None


def _made(home: Path) -> Path:
    try:
        home.mkdir(parents=True, exist_ok=True)
        # A read-only folder shows itself here, not as a lock that cannot be taken.
        (home / _LOCK).touch(mode=0o600)
    except OSError as error:
        raise RefusedError(
            f"cannot write to {home} ({error.strerror}): set YUDAI_HOME to a folder of your own"
        ) from None
    return home


def _taken(home: Path, entry: ServerEntry | None) -> str:
    if entry is None:
        return f"a server is already starting on {home}: wait for it, or set another YUDAI_HOME"
    return (
        f"a server runs on {home} already: {entry.url} (process {entry.pid}); use it, end it,"
        " or set another YUDAI_HOME"
    )


def _silent(home: Path, entry: ServerEntry | None) -> str:
    who = "the server" if entry is None else f"the server {entry.url} (process {entry.pid})"
    return f"{who} that owns {home} does not answer: wait for it, or end it and try again"
