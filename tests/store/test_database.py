import asyncio
import sqlite3
from collections.abc import Callable, Coroutine, Generator
from contextlib import closing, suppress
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import event, text
from sqlalchemy.exc import IntegrityError, PendingRollbackError

from yudai.kit.errors import RefusedError
from yudai.runs import queries as runs
from yudai.runs.tables import RunRow
from yudai.solves import queries as solves
from yudai.solves import timeline as events
from yudai.store import sqlite
from yudai.store.database import Database
from yudai.store.outages import StoreAwayError
from yudai.store.store import Store
from yudai.store.urls import sqlite_url


async def _count_events(store: Store, run: RunRow) -> int:
    async with store.read() as db:
        return len(await events.after(db, run.solve_id))


async def test_sqlite_is_set_up_for_many_readers_and_safe_writers(tmp_path: Path) -> None:
    url = f"sqlite+aiosqlite:///{tmp_path / 'yudai.db'}"
    async with await Store.open(url) as store, store.read() as db:
        found = {
            name: await db.scalar(text(f"PRAGMA {name}"))
            for name in ("journal_mode", "synchronous", "foreign_keys", "busy_timeout")
        }
    assert found == {
        "journal_mode": "wal",
        "synchronous": 1,
        "foreign_keys": 1,
        "busy_timeout": 30_000,
    }


async def test_an_error_rolls_everything_back(store: Store, run: RunRow) -> None:
    async def break_in_the_middle() -> None:
        async with store.change() as db:
            await events.append(db, run.solve_id, kind="noted", at=1.0)
            raise LookupError

    with pytest.raises(LookupError):
        await break_in_the_middle()
    assert await _count_events(store, run) == 0


async def test_a_cancelled_transaction_is_rolled_back_and_lets_the_next_one_in(
    store: Store, run: RunRow
) -> None:
    is_inside = asyncio.Event()

    async def stay() -> None:
        async with store.change() as db:
            await events.append(db, run.solve_id, kind="noted", at=1.0)
            is_inside.set()
            await asyncio.Event().wait()

    task = asyncio.create_task(stay())
    await is_inside.wait()
    task.cancel()
    await asyncio.wait([task])
    assert await _count_events(store, run) == 0
    async with store.change() as db:
        await events.append(db, run.solve_id, kind="noted", at=2.0)
    assert await _count_events(store, run) == 1


async def test_a_reader_keeps_one_picture_while_others_write(store: Store, run: RunRow) -> None:
    async with store.read() as reader:
        before = await events.after(reader, run.solve_id)
        async with store.change() as db:
            await events.append(db, run.solve_id, kind="noted", at=1.0)
        assert await events.after(reader, run.solve_id) == before
    assert await _count_events(store, run) == 1


async def test_a_write_without_a_transaction_is_refused_not_lost(store: Store, run: RunRow) -> None:
    async with store.read() as db:
        with pytest.raises(RuntimeError, match="needs a transaction"):
            await runs.change(db, run.id, why="x")
        with pytest.raises(RuntimeError, match="needs a transaction"):
            await events.append(db, run.solve_id, kind="noted", at=1.0)


async def test_a_transaction_inside_another_is_refused_not_a_deadlock(store: Store) -> None:
    async with store.change():
        with pytest.raises(RuntimeError, match="already"):
            async with store.change():
                pass


async def test_foreign_keys_hold(store: Store, run: RunRow) -> None:
    with pytest.raises(IntegrityError):
        async with store.change() as db:
            await events.append(db, run.solve_id, kind="noted", at=1.0, run_id="nobody")  # pyright: ignore[reportArgumentType] - any text will do


async def test_what_failed_in_a_transaction_cannot_be_passed_over(
    store: Store, run: RunRow
) -> None:
    async def pass_over() -> None:
        async with store.change() as db:
            with suppress(IntegrityError):
                await events.append(db, run.solve_id, kind="noted", at=1.0, run_id="nobody")  # pyright: ignore[reportArgumentType] - any text will do

    with pytest.raises(PendingRollbackError):
        await pass_over()


async def test_a_removed_solve_takes_its_rows_with_it(store: Store, run: RunRow) -> None:
    async with store.change() as db:
        await events.append(db, run.solve_id, kind="noted", at=1.0, run_id=run.id)
    async with store.change() as db:
        await db.execute(text("DELETE FROM solves"))
    async with store.read() as db:
        assert await db.scalar(text("SELECT count(*) FROM runs")) == 0
        assert await db.scalar(text("SELECT count(*) FROM events")) == 0


async def test_many_writers_queue_instead_of_failing(url: str, store: Store, run: RunRow) -> None:
    """Two stores stand for two processes: between them only the database's own locks help."""

    async def note(writer: Store) -> None:
        async with writer.change() as db:
            await solves.hold(db, run.solve_id)
            known = len(await events.after(db, run.solve_id))
            await asyncio.sleep(0)
            await events.append(db, run.solve_id, kind="noted", at=1.0, data={"known": known})

    async with await Store.open(url) as other, asyncio.TaskGroup() as group:
        for _ in range(25):
            group.create_task(note(store))
            group.create_task(note(other))
    async with store.read() as db:
        rows = await events.after(db, run.solve_id)
    assert [row.data["known"] for row in rows] == list(range(50))


async def test_a_file_that_another_process_locks_for_too_long_is_away(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sqlite.OPTIONS["connect_args"], "timeout", 0.05)
    url = sqlite_url(tmp_path / "yudai.db")
    async with await Store.open(url) as store, await Store.open(url, patience_s=30) as patient:

        async def clear() -> None:
            async with patient.change() as db:
                await db.execute(text("DELETE FROM solves"))

        with closing(sqlite3.connect(tmp_path / "yudai.db", isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")
            with pytest.raises(
                StoreAwayError, match="the database is unavailable: database is locked"
            ):
                async with store.change():
                    pass
            async with store.read() as db:
                assert await db.scalar(text("SELECT count(*) FROM solves")) == 0
            clearing = asyncio.create_task(clear())
            await asyncio.sleep(0.2)
            assert not clearing.done()
            other.execute("ROLLBACK")
        await clearing


async def test_a_cancellation_is_heard_also_when_the_commit_fails(
    store: Store, run: RunRow
) -> None:
    """Whoever tries again after a failed commit must not do so once it is cancelled."""

    async def write() -> None:
        async with store.change() as db:
            await events.append(db, run.solve_id, kind="noted", at=1.0)
            event.listen(db.sync_session, "before_commit", cancel_and_fail)

    def cancel_and_fail(_: object) -> None:
        task.cancel()
        raise LookupError

    task = asyncio.create_task(write())
    await asyncio.wait([task])
    assert task.cancelled()


async def test_what_is_no_database_is_refused_with_its_place(tmp_path: Path) -> None:
    file = tmp_path / "notes.db"
    file.write_text("this is not a database, but a text that is long enough to be read as one" * 20)
    with pytest.raises(RefusedError, match=r"notes\.db: file is not a database"):
        await Database.open(f"sqlite+aiosqlite:///{file}")


async def test_a_missing_directory_is_refused_with_its_place(tmp_path: Path) -> None:
    with pytest.raises(RefusedError, match=r"nowhere/yudai\.db: unable to open"):
        await Database.open(f"sqlite+aiosqlite:///{tmp_path / 'nowhere' / 'yudai.db'}")


class _Suspensions:
    """Awaits for another; the task is cancelled where it is suspended for the n-th time."""

    def __init__(self, work: Coroutine[Any, Any, None], cancel_at: int) -> None:
        self._steps = work.__await__()
        self._cancel_at = cancel_at
        self.count = 0

    def __await__(self) -> Generator[Any]:
        send: Callable[[], Any] = partial(self._steps.send, None)
        while True:
            try:
                waited_for = send()
            except StopIteration:
                return
            self.count += 1
            if self.count == self._cancel_at:
                task = asyncio.current_task()
                assert task
                task.cancel()
            try:
                yield waited_for
            except BaseException as error:  # noqa: BLE001 - handed on to whom it is meant for
                send = partial(self._steps.throw, error)
            else:
                send = partial(self._steps.send, None)


async def test_a_cancelled_transaction_keeps_no_lock_while_its_cancellation_is_handled(
    store: Store, run: RunRow
) -> None:
    async def write(kind: str) -> None:
        async with store.change() as db:
            await solves.get(db, run.solve_id)
            await events.append(db, run.solve_id, kind=kind, at=1.0)

    async def write_twice(cancel_at: int) -> bool:
        suspensions = _Suspensions(write("cancelled"), cancel_at)
        try:
            await suspensions
        except asyncio.CancelledError:
            async with asyncio.timeout(5):
                await write("next")
        return suspensions.count >= cancel_at

    moments = 0
    while await asyncio.create_task(write_twice(moments + 1)):
        moments += 1
    assert moments > 5
    assert await _count_events(store, run) >= moments


async def test_cancelling_at_any_moment_leaves_no_complaint_and_a_working_database(
    store: Store, run: RunRow, caplog: pytest.LogCaptureFixture
) -> None:
    async def write() -> None:
        async with store.change() as db:
            await events.append(db, run.solve_id, kind="noted", at=1.0)
        async with store.read() as db:
            await events.after(db, run.solve_id)

    async def write_until(cancel_at: int) -> bool:
        suspensions = _Suspensions(write(), cancel_at)

        async def drive() -> None:
            await suspensions

        task = asyncio.create_task(drive())
        await asyncio.wait([task])
        return suspensions.count >= cancel_at

    moments = 0
    while await write_until(moments + 1):
        moments += 1
    assert moments > 5
    assert not caplog.records
    assert await _count_events(store, run) >= 1
