"""The message writer: agents' threads append messages, one task commits them in batches."""

import asyncio
import math
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any, NamedTuple, cast

import structlog
from sqlalchemy import ColumnElement, Connection, Table, bindparam, case, update

from yudai.gateway.domain.models import Usage
from yudai.kit.ids import RunId
from yudai.kit.redaction import Redact, as_it_is
from yudai.runs.domain.progress import OnMessage, Progress
from yudai.runs.domain.trajectory.kinds import notes_of
from yudai.runs.domain.trajectory.trajectory import TrajectoryMessage
from yudai.runs.messages import columns_of
from yudai.runs.tables import MessageRow, RunRow
from yudai.store.columns import to_json
from yudai.store.connections import insert_new, reason
from yudai.store.database import Database
from yudai.store.outages import WriteError, pauses_s
from yudai.store.store import Store

DELAY_S = 0.02
MAX_BYTES = 64 << 20
"""Limit for messages that are not committed yet; above it `append` waits."""
CLOSING_S = 5.0
"""How long closing a writer with patience still tries to commit."""
# How soon a waiting thread notices that its run is over.
_LOOK_S = 0.1

log: structlog.stdlib.BoundLogger = structlog.get_logger()

_MESSAGES = cast("Table", MessageRow.__table__)
_RUNS = cast("Table", RunRow.__table__)
_REPORTED = ("steps", "edits", "message_count", "marks", "sandbox_id")


def _new_value(name: str) -> ColumnElement[Any]:
    return bindparam(f"new_{name}", type_=_RUNS.c[name].type)


def _at_least(name: str) -> ColumnElement[Any]:
    """The larger number: the model endpoint may have counted a run's calls as well."""
    return case((_RUNS.c[name] > _new_value(name), _RUNS.c[name]), else_=_new_value(name))


_NUMBERS: dict[str, ColumnElement[Any]] = {
    **{name: _new_value(name) for name in _REPORTED},
    **{name: _at_least(name) for name in Usage.model_fields},
    "rev": _RUNS.c.rev + 1,
}
# Only for the same attempt: a late message of an earlier one must not reset the numbers.
_UPDATE_RUN = (
    update(_RUNS)
    .where(_RUNS.c.id == bindparam("of_run"), _RUNS.c.attempt == bindparam("of_attempt"))
    .values(_NUMBERS)
)


class _Batch(NamedTuple):
    messages: list[dict[str, object]]
    progress: dict[tuple[RunId, int], dict[str, object]]


class _Failure(NamedTuple):
    error: Exception
    since: float


def _never() -> bool:
    return False


class MessageWriter:
    """Created on the event loop that commits; only `append` may be called from other threads.

    Messages whose commit failed stay pending and are tried again; until a commit succeeds, no new
    message is taken, so that no agent works unrecorded: `append` waits up to `patience_s` after
    the failure, then refuses.
    """

    def __init__(
        self,
        database: Database,
        *,
        delay_s: float = DELAY_S,
        patience_s: float = 0.0,
        max_bytes: int = MAX_BYTES,
        redact: Redact = as_it_is,
    ) -> None:
        self._database = database
        self._redact = redact
        self._delay_s = delay_s
        self._patience_s = patience_s
        self._max_bytes = max_bytes
        self._insert = insert_new(_MESSAGES, database.engine.dialect)
        self._changed = threading.Condition(threading.Lock())
        self._pending = _Batch([], {})
        self._bytes = 0
        self._failure: _Failure | None = None
        self._closed = False
        self._committing = False
        self._awake = asyncio.Event()
        self._hurry = asyncio.Event()
        self._pauses_s = pauses_s()
        self._retry: asyncio.TimerHandle | None = None
        self._waiters: list[asyncio.Future[None]] = []
        self._loop = asyncio.get_running_loop()
        self._loop_thread = threading.get_ident()
        self._task = self._loop.create_task(self._work(), name="message-writer")

    def recorder(self, run_id: RunId, attempt: int, *, sandbox_id: str = "") -> OnMessage:
        """`append` for the run of the current task; it stops waiting when the task is cancelled."""
        task = asyncio.current_task()

        def is_over() -> bool:
            return task is not None and task.cancelling() > 0

        def record(message: TrajectoryMessage, progress: Progress) -> None:
            self.append(run_id, attempt, message, progress, sandbox_id=sandbox_id, is_over=is_over)

        return record

    def append(
        self,
        run_id: RunId,
        attempt: int,
        message: TrajectoryMessage,
        progress: Progress,
        *,
        sandbox_id: str = "",
        is_over: Callable[[], bool] = _never,
    ) -> None:
        """Queue a message; it is committed within `delay_s`, together with all others.

        When it has to wait, it calls `is_over` in the caller's thread and stops once that is true.
        """
        # Check the message here, in its agent's thread: an error in the batch would fail the
        # messages of all other runs.
        _refuse_unstorable(message, progress)
        body = self._redact(to_json(message.body))
        row = columns_of(run_id, attempt, message, body, notes_of(message.body))
        numbers = _to_numbers(run_id, attempt, message, progress) | {"new_sandbox_id": sandbox_id}
        with self._changed:
            self._wait_for_room(is_over)
            is_asleep = not self._pending.messages
            self._pending.messages.append(row)
            self._pending.progress[run_id, attempt] = numbers
            self._bytes += sys.getsizeof(body)
        if is_asleep:
            self._loop.call_soon_threadsafe(self._awake.set)

    async def flush(self) -> None:
        """Return when everything appended before is committed; raise when it cannot be."""
        self._database.refuse_nesting()
        if self._task.done():
            raise WriteError("the message writer is closed")
        if not self._pending.messages and not self._committing:
            return
        waiter = self._loop.create_future()
        self._waiters.append(waiter)
        if self._failure is None or not self._patience_s:
            self._hurry.set()
            self._awake.set()
        try:
            async with asyncio.timeout(self._patience_s or None):
                await waiter
        except TimeoutError:
            raise self._not_new_value() from None

    async def close(self) -> None:
        """Commit what is pending and end; the second time it does nothing."""
        if self._task.done():
            return
        with self._changed:
            self._closed = True
            self._changed.notify_all()
        self._patience_s = min(self._patience_s, CLOSING_S)
        try:
            await self.flush()
        finally:
            self._task.cancel()
            await asyncio.wait([self._task])

    def _wait_for_room(self, is_over: Callable[[], bool]) -> None:
        """Called with the lock held; waiting releases it."""
        while True:
            if self._closed:
                raise WriteError("the message writer is closed")
            if self._failure is None and self._bytes < self._max_bytes:
                return
            if is_over():
                raise WriteError("the run ended before its message could be stored")
            left_s = self._patience_left_s()
            # The event loop cannot wait for itself: accept or refuse at once.
            if left_s <= 0 or (self._is_in_loop() and self._failure):
                raise self._not_new_value()
            if self._is_in_loop():
                return
            self._changed.wait(min(left_s, _LOOK_S))

    def _patience_left_s(self) -> float:
        if self._failure is None:
            return math.inf
        return self._failure.since + self._patience_s - time.monotonic()

    def _is_in_loop(self) -> bool:
        return threading.get_ident() == self._loop_thread

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
            if self._retry:
                self._retry.cancel()
            for waiter in self._waiters:
                waiter.cancel()

    async def _commit_pending(self) -> None:
        waiters, self._waiters = self._waiters, []
        with self._changed:
            batch, self._pending = self._pending, _Batch([], {})
            size = self._bytes
            self._committing = True
        try:
            await self._commit(batch)
        except asyncio.CancelledError:
            self._waiters += waiters
            raise
        except Exception as error:  # noqa: BLE001 - waiting callers must get any error
            self._committing = False
            self._failed(batch, waiters, error)
        else:
            self._committing = False
            self._succeeded(size, waiters)

    def _succeeded(self, size: int, waiters: list[asyncio.Future[None]]) -> None:
        with self._changed:
            was, self._failure = self._failure, None
            self._bytes -= size
            self._changed.notify_all()
        for waiter in waiters:
            if not waiter.done():
                waiter.set_result(None)
        if was is not None:
            # Calls that came during this commit wait for the next one.
            self._hurry.set()
            self._awake.set()
            self._pauses_s = pauses_s()
            log.info("messages.stored_again", after_s=round(time.monotonic() - was.since, 1))

    def _failed(self, batch: _Batch, waiters: list[asyncio.Future[None]], error: Exception) -> None:
        with self._changed:
            was, newer = self._failure, self._pending
            self._pending = _Batch(batch.messages + newer.messages, batch.progress | newer.progress)
            self._failure = _Failure(error, was.since if was else time.monotonic())
        waiting = [waiter for waiter in waiters if not waiter.done()]
        if self._patience_s:
            self._waiters += waiting
        else:
            for waiter in waiting:
                waiter.set_exception(self._not_new_value())
        if self._retry:
            self._retry.cancel()
        self._retry = self._loop.call_later(next(self._pauses_s), self._awake.set)
        if was is None:
            # Last, so that a failing log call cannot leave callers waiting.
            log.error("messages.not_stored", count=len(batch.messages), error=reason(error))

    def _not_new_value(self) -> WriteError:
        if self._failure is None:
            return WriteError("messages could not be stored: the database is not responding")
        error = WriteError(f"messages could not be stored: {reason(self._failure.error)}")
        error.__cause__ = self._failure.error
        return error

    async def _commit(self, batch: _Batch) -> None:
        # Always in one order: two processes that write at once wait instead of deadlocking.
        numbers = [batch.progress[key] for key in sorted(batch.progress)]

        def write(connection: Connection) -> None:
            connection.execute(self._insert, batch.messages)
            connection.execute(_UPDATE_RUN, numbers)

        if batch.messages:
            await self._database.transact_in_thread(write)


def _refuse_unstorable(message: TrajectoryMessage, progress: Progress) -> None:
    counts = (message.seq, message.step, progress.steps, progress.edits)
    amounts: tuple[int, ...] = tuple(progress.usage.model_dump().values())
    is_too_large = any(n >> 31 for n in counts) or any(n >> 63 for n in amounts)
    if is_too_large or not math.isfinite(message.at):
        raise ValueError("a number of this message is out of the range that can be stored")


def _to_numbers(
    run_id: RunId, attempt: int, message: TrajectoryMessage, progress: Progress
) -> dict[str, object]:
    return {
        "of_run": run_id,
        "of_attempt": attempt,
        "new_steps": progress.steps,
        "new_edits": progress.edits,
        "new_message_count": message.seq + 1,
        "new_marks": progress.marks,
        **{f"new_{name}": count for name, count in progress.usage.model_dump().items()},
    }


def writer_of(store: Store) -> MessageWriter:
    database = store.database
    return store.part(
        MessageWriter,
        lambda: MessageWriter(database, patience_s=database.patience_s, redact=store.redact),
    )
