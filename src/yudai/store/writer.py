"""The message writer: agents' threads append, one task commits what is pending together."""

import asyncio
import math
import threading
from contextlib import suppress
from typing import NamedTuple, cast

import structlog
from sqlalchemy import Connection, Table, bindparam, update

from yudai.domain.errors import YudaiError
from yudai.domain.ids import RunId
from yudai.domain.trajectory import TrajectoryMessage
from yudai.ports.agent import Progress
from yudai.store.db import Database
from yudai.store.engines import insert_new, reason
from yudai.store.tables import MessageRow, RunRow
from yudai.store.text import to_json

DELAY_S = 0.02

log: structlog.stdlib.BoundLogger = structlog.get_logger()

_MESSAGES = cast("Table", MessageRow.__table__)
_RUNS = cast("Table", RunRow.__table__)
# The attempt is asked for too: a late message of an earlier one must not set the numbers back.
_UPDATE_RUN = update(_RUNS).where(
    _RUNS.c.id == bindparam("of_run"), _RUNS.c.attempt == bindparam("of_attempt")
)


class WriteError(YudaiError):
    """Messages could not be stored."""


class _Batch(NamedTuple):
    messages: list[dict[str, object]]
    progress: dict[tuple[RunId, int], dict[str, object]]


class MessageWriter:
    """Made inside the event loop that commits; only `append` may be called from other threads.

    Messages whose commit failed stay pending and are tried again with the next ones; until a
    commit succeeds, `append` refuses new messages, so that no agent goes on unrecorded.
    """

    def __init__(self, database: Database, *, delay_s: float = DELAY_S) -> None:
        self._database = database
        self._delay_s = delay_s
        self._insert = insert_new(_MESSAGES, database.engine.dialect)
        self._lock = threading.Lock()
        self._pending = _Batch([], {})
        self._failure: Exception | None = None
        self._closed = False
        self._committing = False
        self._awake = asyncio.Event()
        self._hurry = asyncio.Event()
        self._waiters: list[asyncio.Future[None]] = []
        self._loop = asyncio.get_running_loop()
        self._task = self._loop.create_task(self._work(), name="message-writer")

    def append(
        self, run_id: RunId, attempt: int, message: TrajectoryMessage, progress: Progress
    ) -> None:
        """Queue a message; it is committed within `delay_s`, together with all others."""
        # All that could be wrong with a message is found here, in its own agent's thread:
        # found in the batch, it would hold up everybody's.
        _refuse_unstorable(message, progress)
        row = _to_row(run_id, attempt, message)
        numbers = _to_numbers(run_id, attempt, message, progress)
        with self._lock:
            if self._closed:
                raise WriteError("the message writer is closed")
            failure = self._failure
            is_asleep = not self._pending.messages
            if failure is None:
                self._pending.messages.append(row)
                self._pending.progress[run_id, attempt] = numbers
        if is_asleep or failure:
            self._loop.call_soon_threadsafe(self._awake.set)
        if failure:
            raise _to_write_error(failure)

    async def flush(self) -> None:
        """Return when everything appended before is committed; raise when it cannot be."""
        self._database.refuse_nesting()
        if self._task.done():
            raise WriteError("the message writer is closed")
        if not self._pending.messages and not self._committing:
            return
        waiter = self._loop.create_future()
        self._waiters.append(waiter)
        self._hurry.set()
        self._awake.set()
        await waiter

    async def close(self) -> None:
        """Commit what is pending and end; the second time it does nothing."""
        if self._task.done():
            return
        with self._lock:
            self._closed = True
        try:
            await self.flush()
        finally:
            self._task.cancel()
            await asyncio.wait([self._task])

    async def _work(self) -> None:
        try:
            while True:
                await self._awake.wait()
                with suppress(TimeoutError):
                    async with asyncio.timeout(self._delay_s):
                        await self._hurry.wait()
                self._awake.clear()
                self._hurry.clear()
                await self._commit_pending()
        finally:
            for waiter in self._waiters:
                waiter.cancel()

    async def _commit_pending(self) -> None:
        waiters, self._waiters = self._waiters, []
        with self._lock:
            batch, self._pending = self._pending, _Batch([], {})
            self._committing = True
        try:
            await self._commit(batch)
        except asyncio.CancelledError:
            self._waiters += waiters
            raise
        except Exception as error:  # noqa: BLE001 - whoever waits must hear of any
            self._put_back(batch, error)
        else:
            self._failure = None
        self._committing = False
        _settle(waiters, self._failure)
        if self._failure is not None:
            # Last, so that nobody waits for ever for an error that could not be logged.
            why = reason(self._failure)
            log.error("messages.not_stored", count=len(batch.messages), error=why)

    async def _commit(self, batch: _Batch) -> None:
        # Always in one order: two processes that write at once then wait instead of deadlocking.
        numbers = [batch.progress[key] for key in sorted(batch.progress)]

        def write(connection: Connection) -> None:
            connection.execute(self._insert, batch.messages)
            connection.execute(_UPDATE_RUN, numbers)

        if batch.messages:
            await self._database.transact_in_thread(write)

    def _put_back(self, batch: _Batch, error: Exception) -> None:
        with self._lock:
            newer = self._pending
            self._pending = _Batch(batch.messages + newer.messages, batch.progress | newer.progress)
            self._failure = error


def _settle(waiters: list[asyncio.Future[None]], failure: Exception | None) -> None:
    for waiter in waiters:
        if waiter.done():
            continue
        if failure is None:
            waiter.set_result(None)
        else:
            waiter.set_exception(_to_write_error(failure))


def _to_write_error(failure: Exception) -> WriteError:
    error = WriteError(f"messages could not be stored: {reason(failure)}")
    error.__cause__ = failure
    return error


def _refuse_unstorable(message: TrajectoryMessage, progress: Progress) -> None:
    counts = (message.seq, message.step, progress.steps, progress.edits)
    amounts: tuple[int, ...] = tuple(progress.usage.model_dump().values())
    is_too_large = any(n >> 31 for n in counts) or any(n >> 63 for n in amounts)
    if is_too_large or not math.isfinite(message.at):
        raise ValueError("a number of this message is out of the range that can be stored")


def _to_row(run_id: RunId, attempt: int, message: TrajectoryMessage) -> dict[str, object]:
    return {
        "run_id": run_id,
        "attempt": attempt,
        "seq": message.seq,
        "step": message.step,
        "role": message.role,
        "at": message.at,
        "body": to_json(message.body),
    }


def _to_numbers(
    run_id: RunId, attempt: int, message: TrajectoryMessage, progress: Progress
) -> dict[str, object]:
    return {
        "of_run": run_id,
        "of_attempt": attempt,
        "steps": progress.steps,
        "edits": progress.edits,
        "message_count": message.seq + 1,
        **progress.usage.model_dump(),
    }
