"""Detects that the database is unreachable, and waits until it is back."""

import asyncio
from collections.abc import Awaitable, Callable, Generator, Iterator
from contextlib import contextmanager
from typing import TypeVar

from sqlalchemy.exc import InterfaceError, OperationalError, SQLAlchemyError
from sqlalchemy.exc import TimeoutError as NoConnectionError

from yudai.kit.causes import Cause
from yudai.kit.errors import InfrastructureError
from yudai.kit.retry import growing
from yudai.store import postgresql, sqlite
from yudai.store.connections import reason

T = TypeVar("T")


class StoreAwayError(InfrastructureError):
    """The database cannot be reached, or the connection was lost in the middle.

    A block that had not begun has done nothing. One that loses its connection is rolled back. If
    it was lost during the commit, the outcome is unknown: before a retry, read the rows again, or
    write only what may be written twice.
    """

    def __init__(self, message: str) -> None:
        super().__init__(Cause.STORE_FAILED, message)


class WriteError(StoreAwayError):
    """Data could not be stored."""


@contextmanager
def away_errors() -> Generator[None]:
    """Turn a lost connection into StoreAwayError. Errors of statements stay the same."""
    try:
        yield
    except NoConnectionError as error:
        raise StoreAwayError("the database is busy: no connection became free") from error
    except SQLAlchemyError as error:
        if not _is_away(error):
            raise
        raise StoreAwayError(f"the database is unavailable: {reason(error)}") from error


async def retry_while_away(work: Callable[[], Awaitable[T]], patience_s: float) -> T:
    """Retry the work while the database is unavailable, for at most `patience_s`."""
    clock = asyncio.get_running_loop()
    deadline = clock.time() + patience_s
    for pause_s in pauses_s():
        try:
            with away_errors():
                return await work()
        except StoreAwayError:
            if clock.time() >= deadline:
                raise
        # The last attempt is made when patience ends, not before.
        await asyncio.sleep(min(pause_s, max(0.0, deadline - clock.time())))
    raise AssertionError("pauses never end")


def pauses_s() -> Iterator[float]:
    """Pauses between attempts to reach the database."""
    return growing(0.05, longest_s=0.4)


def _is_away(error: SQLAlchemyError) -> bool:
    # Other kinds of error are what the server says about a statement.
    if not isinstance(error, OperationalError | InterfaceError):
        return False
    return error.connection_invalidated or postgresql.is_away(error) or sqlite.is_busy(error)
