"""What only PostgreSQL does: other transactions at the same time, servers that are not there."""

import asyncio
import os
import socket
import tempfile
import threading
from collections.abc import AsyncGenerator, Callable, Generator, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psycopg
import pytest
import pytest_asyncio
from sqlalchemy import Connection, make_url, text
from sqlalchemy.exc import DBAPIError
from structlog.testing import capture_logs

from tests.support.servers.databases import administer, server_url
from tests.support.servers.postgres import GUARDED, PASSWORD
from yudai.kit.errors import ConflictError, RefusedError
from yudai.kit.ids import RunId
from yudai.runs import messages as trajectories
from yudai.runs import queries as runs
from yudai.runs.domain.progress import Progress
from yudai.runs.domain.states import RunEvent
from yudai.runs.domain.trajectory.trajectory import TrajectoryMessage
from yudai.runs.message_writer import writer_of
from yudai.runs.tables import RunRow
from yudai.solves import queries as solves
from yudai.solves import timeline as events
from yudai.store.database import Database
from yudai.store.outages import StoreAwayError, WriteError
from yudai.store.pool import Pool
from yudai.store.postgresql import remedy
from yudai.store.store import Store
from yudai.store.urls import postgresql_url

SECRET = "a-password-like-no-other-word"  # noqa: S105 - of nobody
NewMessage = Callable[..., TrajectoryMessage]
NewProgress = Callable[[int], Progress]


@pytest.fixture
def url(postgresql_only_url: str) -> str:
    return postgresql_only_url


@pytest_asyncio.fixture
async def other(url: str) -> AsyncGenerator[Store]:
    """Another process's, as far as the database can tell."""
    async with await Store.open(url) as opened:
        yield opened


async def _scalar(store: Store, query: str) -> object:
    async with store.read() as db:
        return await db.scalar(text(query))


async def _until_it_waits(task: asyncio.Task[Any], store: Store) -> None:
    """For a lock that another transaction has."""
    query = (
        "SELECT count(*) FROM pg_stat_activity"
        " WHERE datname = current_database() AND wait_event_type = 'Lock'"
    )
    # PostgreSQL tells nobody: it has to be asked.
    while not await _scalar(store, query):
        assert not task.done()
        await asyncio.sleep(0.01)


async def _end_connections(store: Store, *, only: str = "true") -> None:
    """As a restarted server or a lost network would."""
    others = "datname = current_database() AND pid != pg_backend_pid()"
    async with store.database.engine.connect() as connection:
        chosen = f"FROM pg_stat_activity WHERE {others} AND {only}"
        await connection.exec_driver_sql(f"SELECT pg_terminate_backend(pid, 5000) {chosen}")


async def test_an_event_is_never_seen_before_an_earlier_one(
    store: Store, other: Store, run: RunRow
) -> None:
    """The one who reads keeps the last number as a cursor: what came later but lower is lost."""

    async def append_second() -> None:
        async with other.change() as db:
            await events.append(db, run.solve_id, kind="second", at=2.0)

    async with store.change() as db:
        await events.append(db, run.solve_id, kind="first", at=1.0)
        second = asyncio.create_task(append_second())
        await _until_it_waits(second, other)
        async with other.read() as reader:
            assert await events.after(reader, run.solve_id) == []
    await second
    async with store.read() as db:
        assert [row.kind for row in await events.after(db, run.solve_id)] == ["first", "second"]


async def test_of_two_who_saw_the_same_state_exactly_one_changes_it(
    store: Store, other: Store, run: RunRow
) -> None:
    both_saw = asyncio.Barrier(2)

    async def start(place: Store) -> None:
        async with place.change() as db:
            assert (await runs.get(db, run.id)).state == "queued"
            await both_saw.wait()
            await runs.advance(db, run.id, RunEvent.STARTED, at=1.0)

    tasks = [asyncio.create_task(start(place)) for place in (store, other)]
    await asyncio.wait(tasks)
    [lost] = [error for task in tasks if (error := task.exception())]
    assert isinstance(lost, ConflictError)
    assert "not possible in state running" in str(lost)
    async with store.read() as db:
        assert [row.kind for row in await events.after(db, run.solve_id)] == ["run.started"]


async def test_a_holder_of_a_solve_sees_it_as_it_is_now(
    store: Store, other: Store, run: RunRow
) -> None:
    async with store.change() as db:
        before = await solves.get(db, run.solve_id)
        async with other.change() as elsewhere:
            await solves.change(elsewhere, run.solve_id, reason="changed")
        assert before.reason == ""
        assert (await solves.hold(db, run.solve_id)).reason == "changed"


async def test_only_a_transaction_can_hold_a_solve(store: Store, run: RunRow) -> None:
    async with store.read() as db:
        with pytest.raises(RuntimeError, match="needs a transaction"):
            await solves.hold(db, run.solve_id)


async def test_runs_changed_in_opposite_orders_do_not_deadlock(
    store: Store, other: Store, run: RunRow, new_run: Callable[..., RunRow]
) -> None:
    second = RunId("second")
    async with store.change() as db:
        await runs.add_all(db, [new_run(second, position=1)])

    async def change(place: Store, order: tuple[RunId, RunId]) -> None:
        async with place.change() as db:
            for run_id in order:
                await runs.change(db, run_id, why="changed")
                await asyncio.sleep(0.01)

    async with asyncio.TaskGroup() as group:
        for _ in range(5):
            group.create_task(change(store, (run.id, second)))
            group.create_task(change(other, (second, run.id)))


async def test_the_writer_gives_way_to_a_change_that_waits_for_it(
    store: Store, other: Store, run: RunRow, new_run: Callable[..., RunRow]
) -> None:
    """It holds the first run and wants the second; we hold the second and want the first."""
    second = RunId("second")
    async with store.change() as db:
        await runs.add_all(db, [new_run(second, position=1)])
    holds_the_first, may_go_on = asyncio.Event(), threading.Event()
    loop = asyncio.get_running_loop()

    def write(connection: Connection) -> None:
        connection.execute(text("UPDATE runs SET steps = 1 WHERE position = 0"))
        loop.call_soon_threadsafe(holds_the_first.set)
        may_go_on.wait()
        connection.execute(text("UPDATE runs SET steps = 1 WHERE position = 1"))

    async with store.change() as db:
        await runs.change(db, second, why="held")
        writing = asyncio.create_task(other.database.transact_in_thread(write))
        await holds_the_first.wait()
        changing = asyncio.create_task(runs.change(db, run.id, why="held as well"))
        await _until_it_waits(changing, other)
        may_go_on.set()
        await changing
    await writing
    async with store.read() as db:
        assert [row.steps for row in await runs.of_solve(db, run.solve_id)] == [1, 1]


async def test_a_batch_of_messages_takes_a_handful_of_round_trips(
    store: Store,
    run: RunRow,
    new_run: Callable[..., RunRow],
    new_message: NewMessage,
    new_progress: NewProgress,
) -> None:
    names = [RunId(f"run-{number}") for number in range(20)]
    async with store.change() as db:
        await runs.add_all(db, [new_run(name, position=n + 1) for n, name in enumerate(names)])
    with _counting_round_trips(store) as count:
        for name in names:
            for seq in range(5):
                writer_of(store).append(name, 1, new_message(seq), new_progress(seq))
        await writer_of(store).flush()
        assert count() <= 8


@contextmanager
def _counting_round_trips(store: Store) -> Generator[Callable[[], int]]:
    """What the driver sends before it waits for an answer ends with a Sync, or is a Query."""
    with tempfile.TemporaryFile() as trace, store.database._blocking_engine.connect() as probe:
        driver = probe.connection.driver_connection
        assert isinstance(driver, psycopg.Connection)
        driver.pgconn.trace(trace.fileno())

        def count() -> int:
            trace.seek(0)
            sent = [line.split(b"\t") for line in trace.read().splitlines()]
            return sum(
                line[1] == b"F" and line[3].split()[0] in (b"Sync", b"Query") for line in sent
            )

        probe.close()
        yield count
        driver.pgconn.untrace()


async def test_a_lost_connection_is_replaced_without_a_word(
    store: Store, other: Store, run: RunRow, new_message: NewMessage, new_progress: NewProgress
) -> None:
    writer_of(store).append(run.id, 1, new_message(0), new_progress(0))
    await writer_of(store).flush()
    await _end_connections(other)
    writer_of(store).append(run.id, 1, new_message(1), new_progress(1))
    async with store.change() as db:
        await runs.advance(db, run.id, RunEvent.STARTED, at=1.0)
    await _end_connections(other)
    async with store.read() as db:
        assert (await runs.get(db, run.id)).state == "running"
        assert len(await trajectories.messages(db, run.id)) == 2


async def test_a_transaction_that_loses_its_connection_fails_alone(
    store: Store, other: Store, run: RunRow
) -> None:
    async def lose_it() -> None:
        async with store.change() as db:
            await events.append(db, run.solve_id, kind="lost", at=1.0)
            await _end_connections(other)
            await events.append(db, run.solve_id, kind="never", at=1.0)

    with pytest.raises(StoreAwayError, match="terminating connection"):
        await lose_it()
    async with store.change() as db:
        await events.append(db, run.solve_id, kind="next", at=2.0)
    async with store.read() as db:
        assert [row.kind for row in await events.after(db, run.solve_id)] == ["next"]


async def test_messages_outlive_a_connection_that_is_lost_while_they_are_written(
    store: Store, other: Store, run: RunRow, new_message: NewMessage, new_progress: NewProgress
) -> None:
    async with other.change() as db:
        await runs.change(db, run.id, why="held")
        writer_of(store).append(run.id, 1, new_message(0), new_progress(0))
        flushing = asyncio.create_task(writer_of(store).flush())
        await _until_it_waits(flushing, other)
        await _end_connections(other, only="wait_event_type = 'Lock'")
        with pytest.raises(WriteError, match="could not be stored"):
            await flushing
    await writer_of(store).flush()
    async with store.read() as db:
        assert len(await trajectories.messages(db, run.id)) == 1


async def test_more_tasks_than_connections_wait_for_their_turn(url: str, run: RunRow) -> None:
    async with await Store.open(url, Pool(size=1, overflow=0)) as narrow:

        async def note() -> None:
            async with narrow.change() as db:
                await events.append(db, run.solve_id, kind="noted", at=1.0)

        async with asyncio.TaskGroup() as group:
            for _ in range(20):
                group.create_task(note())
        assert await _scalar(narrow, "SELECT count(*) FROM events") == 20


async def test_a_statement_that_takes_too_long_is_ended(url: str, store: Store) -> None:
    async with await Store.open(url, Pool(statement_timeout_s=0.05)) as impatient:
        with pytest.raises(DBAPIError, match="statement timeout"):
            await _scalar(impatient, "SELECT pg_sleep(60)")
        assert await _scalar(impatient, "SELECT 1") == 1


async def test_each_connection_is_set_up(store: Store) -> None:
    shown = {
        name: await _scalar(store, f"SHOW {name}")
        for name in ("application_name", "statement_timeout", "lock_timeout")
    }
    assert shown == {
        "application_name": "yudai",
        "statement_timeout": "1min",
        "lock_timeout": "0",
    }
    assert await _scalar(store, "SHOW transaction_isolation") == "repeatable read"
    assert await _scalar(store, "SHOW transaction_read_only") == "on"
    async with store.change() as db:
        assert await db.scalar(text("SHOW transaction_isolation")) == "read committed"


async def test_what_the_url_says_about_the_connection_wins(url: str) -> None:
    async with await Store.open(f"{url}&application_name=mine") as store:
        assert await _scalar(store, "SHOW application_name") == "mine"


@pytest.fixture
def stranger() -> Iterator[str]:
    """A user without any rights."""
    name = f"stranger_{os.getpid()}"
    administer("CREATE ROLE {} LOGIN", name)
    yield name
    administer("DROP ROLE {}", name)


async def _refused(url: str) -> str:
    """One line, without a password: returned to be looked at."""
    with pytest.raises(RefusedError) as refused:
        await Store.open(url, Pool(connect_timeout_s=2))
    message = str(refused.value)
    assert message.startswith("cannot open the database postgresql://")
    assert "\n" not in message
    assert SECRET not in message
    return message


async def test_a_wrong_password_is_refused_with_what_to_do(url: str) -> None:
    database = make_url(url).database or ""
    message = await _refused(server_url(database, user=GUARDED, password=SECRET))
    assert "password authentication failed" in message
    assert "POSTGRES_PASSWORD" in message


async def test_the_right_password_is_shown_nowhere(url: str) -> None:
    name = make_url(url).database or ""
    with capture_logs() as logs:
        database = await Database.open(server_url(name, user=GUARDED, password=PASSWORD))
    try:
        shown = f"{database.engine!r} {database._blocking_engine!r} {database.engine.url} {logs}"
    finally:
        await database.close()
    assert PASSWORD not in shown


async def test_a_missing_database_is_refused_with_what_to_do() -> None:
    message = await _refused(server_url("nowhere"))
    assert 'database "nowhere" does not exist: create it with `createdb`' in message


async def test_a_missing_user_is_refused_with_what_to_do() -> None:
    assert "POSTGRES_USER" in await _refused(server_url("postgres", user="nobody-of-that-name"))


async def test_too_many_connections_are_refused_with_what_to_do(url: str, stranger: str) -> None:
    administer("ALTER ROLE {} CONNECTION LIMIT 0", stranger)
    message = await _refused(server_url(make_url(url).database or "", user=stranger))
    assert "too many connections" in message
    assert "DATABASE_POOL_SIZE" in message


async def test_a_server_that_is_down_is_refused_with_what_to_do(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    places = (("127.0.0.1", port), (str(tmp_path), 5432))
    for host, number in places:
        url = postgresql_url("d", user="u", password=SECRET, host=host, port=number)
        assert "start PostgreSQL" in await _refused(url)


async def test_a_server_that_does_not_answer_is_not_waited_for_for_ever() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        url = postgresql_url("d", user="u", password=SECRET, host="127.0.0.1", port=port)
        assert "timeout" in await _refused(url)


async def test_a_user_who_may_not_make_tables_is_refused_with_what_to_do(
    postgresql_empty_url: str, stranger: str
) -> None:
    url = server_url(make_url(postgresql_empty_url).database or "", user=stranger)
    assert "permission denied for schema public: make its user the owner" in await _refused(url)


async def test_an_encoding_that_cannot_hold_every_text_is_refused() -> None:
    name = f"latin_{os.getpid()}"
    administer("CREATE DATABASE {} ENCODING 'LATIN1' LOCALE 'C' TEMPLATE template0", name)
    try:
        with pytest.raises(RefusedError, match="encoded in LATIN1"):
            await Store.open(server_url(name))
    finally:
        administer("DROP DATABASE {} WITH (FORCE)", name)


@pytest.mark.parametrize(
    ("reason", "what"),
    [
        ("FATAL: the database system is starting up", "wait"),
        (
            'FATAL: no pg_hba.conf entry for host "h", user "u", database "d"',
            "allow this user from here in the server's pg_hba.conf",
        ),
        ("FATAL: sorry, too many clients already", "max_connections"),
        ("FATAL: remaining connection slots are reserved for roles", "max_connections"),
        ("fe_sendauth: no password supplied", "POSTGRES_PASSWORD"),
        ("failed to resolve host 'h': Name or service not known", "DATABASE_URL"),
    ],
)
def test_what_cannot_be_tried_here_has_its_remedy_too(reason: str, what: str) -> None:
    assert what in remedy(reason)
