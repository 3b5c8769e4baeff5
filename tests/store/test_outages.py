"""A database that goes away and comes back: a real server, stopped and started."""

import asyncio
import signal
import sqlite3
import threading
import time
from collections.abc import AsyncGenerator, Callable, Generator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial

import psycopg
import pytest
import pytest_asyncio
from sqlalchemy import make_url, text
from sqlalchemy.exc import IntegrityError, OperationalError, ProgrammingError

from tests.support.servers.restarted_server import RestartableServer, restartable_server
from yudai.kit.causes import Cause
from yudai.runs import message_writer
from yudai.runs import messages as trajectories
from yudai.runs import queries as runs
from yudai.runs.domain.progress import Progress
from yudai.runs.domain.trajectory.trajectory import TrajectoryMessage
from yudai.runs.message_writer import writer_of
from yudai.runs.tables import RunRow
from yudai.solves import queries as solves
from yudai.solves import timeline as events
from yudai.solves.tables import SolveRow
from yudai.store.outages import StoreAwayError, WriteError, away_errors
from yudai.store.pool import Pool
from yudai.store.store import Store

NewMessage = Callable[..., TrajectoryMessage]
NewProgress = Callable[[int], Progress]
pytestmark = pytest.mark.xdist_group("outages")

PATIENT_S = 30.0
STOPS = (signal.SIGINT, signal.SIGQUIT)


@pytest.fixture(scope="module")
def own_server() -> Generator[RestartableServer]:
    with restartable_server() as server:
        yield server


@pytest.fixture
def server(own_server: RestartableServer) -> Generator[RestartableServer]:
    yield own_server
    if not own_server.is_up:
        own_server.start()


@pytest.fixture
def url(server: RestartableServer) -> str:
    return server.new_database()


@pytest_asyncio.fixture
async def patient(url: str, run: RunRow) -> AsyncGenerator[Store]:
    """A worker's store, beside that of the API."""
    async with await Store.open(url, patience_s=PATIENT_S) as opened:
        yield opened


async def _note(store: Store, run: RunRow, kind: str = "noted") -> None:
    async with store.change() as db:
        await events.append(db, run.solve_id, kind=kind, at=1.0)


async def _read(store: Store, run: RunRow) -> list[str]:
    async with store.read() as db:
        return [row.kind for row in await events.after(db, run.solve_id)]


def _is_fit_for_a_page(error: StoreAwayError, url: str) -> bool:
    secret = make_url(url).password or "nothing"
    words = str(error)
    return (
        "\n" not in words
        and words.startswith("the database is unavailable: ")
        and secret not in words
    )


@pytest.mark.parametrize("how", STOPS)
async def test_without_patience_it_is_said_at_once_and_forgotten_when_it_is_back(
    server: RestartableServer, url: str, store: Store, run: RunRow, how: signal.Signals
) -> None:
    server.stop(how)
    for work in (_read, _note):
        with pytest.raises(StoreAwayError) as away:
            await work(store, run)
        assert _is_fit_for_a_page(away.value, url)
        assert away.value.cause is Cause.STORE_FAILED
    server.start()
    await _note(store, run)
    assert await _read(store, run) == ["noted"]


@pytest.mark.parametrize("how", STOPS)
async def test_connections_of_before_a_restart_never_surface(
    server: RestartableServer,
    store: Store,
    run: RunRow,
    new_message: NewMessage,
    new_progress: NewProgress,
    how: signal.Signals,
) -> None:
    gather = asyncio.Barrier(8)

    async def use() -> None:
        async with store.read() as db:
            await events.after(db, run.solve_id)
            await gather.wait()

    writer_of(store).append(run.id, 1, new_message(0), new_progress(0))
    for restarts_left in (1, 0):
        async with asyncio.TaskGroup() as group:
            for _ in range(8):
                group.create_task(use())
        await writer_of(store).flush()
        if restarts_left:
            server.stop(how)
            server.start()
            writer_of(store).append(run.id, 1, new_message(1), new_progress(1))
    await _note(store, run)
    async with store.read() as db:
        assert len(await trajectories.messages(db, run.id)) == 2


async def test_with_patience_blocks_wait_for_it_before_they_begin(
    server: RestartableServer, patient: Store, run: RunRow
) -> None:
    server.stop()
    tasks = [asyncio.create_task(_note(patient, run)), asyncio.create_task(_read(patient, run))]
    await asyncio.sleep(0.3)
    assert not any(task.done() for task in tasks)
    server.start()
    await asyncio.wait_for(asyncio.wait(tasks), 10)
    assert [task.exception() for task in tasks] == [None, None]
    assert await _read(patient, run) == ["noted"]


async def test_patience_ends(server: RestartableServer, url: str, run: RunRow) -> None:
    async with await Store.open(url, patience_s=0.4) as store:
        server.stop()
        for work in (_read, _note):
            began = time.monotonic()
            with pytest.raises(StoreAwayError):
                await work(store, run)
            assert 0.3 < time.monotonic() - began < 5
        server.start()


async def test_a_wait_can_be_cancelled(
    server: RestartableServer, patient: Store, run: RunRow
) -> None:
    server.stop()
    waiting = asyncio.create_task(_note(patient, run))
    await asyncio.sleep(0.1)
    waiting.cancel()
    await asyncio.wait_for(asyncio.wait([waiting]), 2)
    assert waiting.cancelled()
    server.start()
    await _note(patient, run, "next")
    assert await _read(patient, run) == ["next"]


@pytest.mark.parametrize("how", STOPS)
@pytest.mark.parametrize("moment", ["in its block", "at its commit"])
async def test_one_that_is_cut_off_in_the_middle_is_not_begun_again(
    server: RestartableServer, patient: Store, run: RunRow, how: signal.Signals, moment: str
) -> None:
    begun = 0

    async def be_cut_off() -> None:
        nonlocal begun
        async with patient.change() as db:
            begun += 1
            await events.append(db, run.solve_id, kind="lost", at=1.0)
            server.stop(how)
            if moment == "in its block":
                await events.append(db, run.solve_id, kind="never", at=1.0)

    with pytest.raises(StoreAwayError):
        await be_cut_off()
    server.start()
    assert begun == 1
    assert await _read(patient, run) == []


async def test_a_blocks_own_error_is_not_hidden_by_the_outage(
    server: RestartableServer, store: Store, run: RunRow
) -> None:
    async def fail() -> None:
        async with store.change() as db:
            await events.append(db, run.solve_id, kind="lost", at=1.0)
            server.stop()
            raise LookupError

    with pytest.raises(LookupError):
        await fail()
    server.start()
    assert await _read(store, run) == []


async def test_a_cancellation_is_not_hidden_by_the_outage(
    server: RestartableServer, store: Store, run: RunRow
) -> None:
    is_inside = asyncio.Event()

    async def stay() -> None:
        async with store.change() as db:
            await events.append(db, run.solve_id, kind="lost", at=1.0)
            is_inside.set()
            await asyncio.Event().wait()

    task = asyncio.create_task(stay())
    await is_inside.wait()
    server.stop()
    task.cancel()
    await asyncio.wait([task])
    assert task.cancelled()
    server.start()
    await _note(store, run)


async def test_messages_wait_for_it_and_none_is_lost_or_doubled(
    server: RestartableServer,
    patient: Store,
    run: RunRow,
    new_run: Callable[..., RunRow],
    new_message: NewMessage,
    new_progress: NewProgress,
) -> None:
    async with patient.change() as db:
        await runs.add_all(db, [new_run("second", position=1)])
    is_under_way, may_end = threading.Event(), threading.Event()
    writer = writer_of(patient)

    def agent(run_id: str) -> None:
        for seq in range(300):
            writer.append(runs.RunId(run_id), 1, new_message(seq), new_progress(seq))
            if seq == 50:
                is_under_way.set()
            if seq == 280:
                may_end.wait(20)

    loop = asyncio.get_running_loop()
    with ThreadPoolExecutor(2) as threads:
        agents = [loop.run_in_executor(threads, agent, name) for name in (run.id, "second")]
        await asyncio.to_thread(is_under_way.wait)
        for how in STOPS:
            server.stop(how)
            await asyncio.sleep(0.2)
            server.start()
            await writer.flush()
        may_end.set()
        for working in agents:
            await working
    async with patient.change() as db:
        for row in await runs.of_solve(db, run.solve_id):
            said = await trajectories.messages(db, row.id)
            assert [message.seq for message in said] == list(range(300))
            assert (row.steps, row.message_count) == (299, 300)


async def test_an_agent_is_refused_when_patience_ends(
    server: RestartableServer,
    url: str,
    run: RunRow,
    new_message: NewMessage,
    new_progress: NewProgress,
) -> None:
    async with await Store.open(url, patience_s=0.5) as store:
        server.stop()
        writer_of(store).append(run.id, 1, new_message(0), new_progress(0))
        with pytest.raises(WriteError, match="could not be stored: the database is unavailable"):
            await writer_of(store).flush()
        append = partial(writer_of(store).append, run.id, 1, new_message(1), new_progress(1))
        with pytest.raises(WriteError, match="unavailable"):
            await asyncio.to_thread(append)
        server.start()
        await _flush_patiently(store)
        async with store.read() as db:
            assert len(await trajectories.messages(db, run.id)) == 1


async def _flush_patiently(store: Store) -> None:
    """Each flush waits for as long as the store's patience; the writer's next try can be later."""
    async with asyncio.timeout(20):
        while True:
            with suppress(WriteError):
                return await writer_of(store).flush()


async def test_nothing_hangs_when_the_store_closes_during_an_outage(
    server: RestartableServer,
    url: str,
    run: RunRow,
    new_message: NewMessage,
    new_progress: NewProgress,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(message_writer, "CLOSING_S", 0.2)
    closing = await Store.open(url, patience_s=PATIENT_S)
    server.stop()
    writer_of(closing).append(run.id, 1, new_message(0), new_progress(0))
    append = partial(writer_of(closing).append, run.id, 1, new_message(1), new_progress(1))
    with pytest.raises(TimeoutError):
        await asyncio.wait_for(writer_of(closing).flush(), 0.2)
    waiting = asyncio.create_task(asyncio.to_thread(append))
    await asyncio.sleep(0.05)
    assert not waiting.done()
    began = time.monotonic()
    with pytest.raises(WriteError, match="could not be stored"):
        await closing.close()
    with pytest.raises(WriteError, match="closed"):
        await waiting
    assert time.monotonic() - began < 3


async def test_no_free_connection_is_as_if_it_were_away(url: str, run: RunRow) -> None:
    async with await Store.open(url, Pool(size=1, overflow=0, wait_s=0.05)) as narrow:
        async with narrow.read():
            with pytest.raises(StoreAwayError, match="no connection"):
                await _read(narrow, run)
        await _read(narrow, run)


async def test_what_is_wrong_with_a_statement_stays_what_it_is(
    store: Store, run: RunRow, new_solve: Callable[..., SolveRow]
) -> None:
    with pytest.raises(IntegrityError):
        async with store.change() as db:
            await solves.add(db, new_solve())
    with pytest.raises(ProgrammingError):
        async with store.read() as db:
            await db.execute(text("SELECT nothing"))


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        (psycopg.errors.CannotConnectNow("the database system is starting up"), StoreAwayError),
        (psycopg.errors.CrashShutdown(), StoreAwayError),
        (psycopg.errors.ConnectionFailure(), StoreAwayError),
        (psycopg.errors.TooManyConnections(), StoreAwayError),
        (
            psycopg.OperationalError("server closed the connection unexpectedly\n\tagain"),
            StoreAwayError,
        ),
        (psycopg.errors.QueryCanceled("statement timeout"), OperationalError),
        (psycopg.errors.DeadlockDetected(), OperationalError),
        (psycopg.errors.DiskFull(), OperationalError),
        (sqlite3.OperationalError("no such table: x"), OperationalError),
    ],
)
def test_what_counts_as_away(error: Exception, kind: type[Exception]) -> None:
    with pytest.raises(kind) as raised, away_errors():
        raise OperationalError("SELECT", {}, error)
    assert kind is OperationalError or "\n" not in str(raised.value)
