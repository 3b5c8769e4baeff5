"""Workers that die or freeze: others go on with what they ran."""

import asyncio
import signal
import time
from collections.abc import Iterator
from contextlib import AsyncExitStack
from pathlib import Path

import psycopg
import pytest

from tests.support.servers import databases
from tests.support.servers.engine_worker import (
    POLL_S,
    Diary,
    DiaryFlow,
    Part,
    freeze,
    solve_of,
    working,
)
from yudai.engine.adapters.dbos.configuration import open_client
from yudai.engine.adapters.dbos.engine import DbosEngine, EngineConfig, EngineLimits
from yudai.engine.adapters.dbos.worker import DbosWorker
from yudai.engine.port import FlowStatus
from yudai.kit.ids import SolveId

RUNS = 4
SOLVE = solve_of("s", RUNS, RUNS)
HOLD_CLAIMS = """
    CREATE FUNCTION hold() RETURNS trigger LANGUAGE plpgsql AS
        $$ BEGIN PERFORM pg_advisory_xact_lock_shared(7); RETURN NEW; END $$;
    CREATE TRIGGER hold BEFORE UPDATE ON dbos.workflow_status FOR EACH ROW
        WHEN (NEW.status = 'PENDING' AND NEW.executor_id = 'first') EXECUTE FUNCTION hold()"""
HELD = """SELECT pid FROM pg_locks JOIN pg_database ON oid = database
    WHERE datname = current_database() AND locktype = 'advisory' AND NOT granted"""


@pytest.fixture
def url() -> Iterator[str]:
    yield from (new() for new in databases._new_on_server())


@pytest.fixture
def first(url: str, tmp_path: Path) -> Part:
    # So that each of two workers gets some.
    limits = EngineLimits(worker_max_runs=RUNS // 2)
    config = EngineConfig(url=url, poll_s=2 * POLL_S, limits=limits)
    return Part(name="first", engine=config, store_url=url, diary=tmp_path / "diary")


@pytest.fixture
def second(first: Part) -> Part:
    return first.model_copy(update={"name": "second"})


@pytest.fixture
def diary(first: Part) -> Diary:
    return Diary(first.diary)


async def start(part: Part, solve_id: SolveId) -> None:
    async with DbosEngine.opened(part.engine) as engine:
        await engine.start(solve_id, user_id="u")


async def start_and_wait(part: Part, diary: Diary, solve_id: SolveId) -> None:
    await start(part, solve_id)
    begun = f"begun {solve_id}."
    await diary.wait(lambda: len(diary.told(begun)) == RUNS, "all are running")


async def end(diary: Diary, solve_id: SolveId) -> None:
    """Let the runs end: each has come to its end then, and the solve was concluded, once."""
    diary.gate.touch()
    await diary.wait(lambda: bool(diary.told(f"concluded {solve_id}")), "the solve has ended")
    ended = [line.split()[1] for line in diary.told(f"ended {solve_id}.")]
    assert sorted(ended) == [f"{solve_id}.{number}" for number in range(RUNS)]
    assert len(diary.told(f"concluded {solve_id}")) == 1
    diary.gate.unlink()


def begun_by(diary: Diary, name: str) -> list[str]:
    return [line for line in diary.told("begun ") if f" {name}-" in line]


async def test_others_go_on_with_what_a_frozen_or_killed_worker_ran(
    first: Part, second: Part, diary: Diary
):
    async with working(first, second) as (frozen, doomed):
        await start_and_wait(first, diary, SOLVE)
        assert len(begun_by(diary, "first")) == RUNS // 2
        await freeze(frozen.pid)
        await end(diary, SOLVE)
        frozen.send_signal(signal.SIGCONT)
        await diary.wait(lambda: bool(diary.told("lost first")), "it knows that it was replaced")
        await diary.wait(lambda: len(diary.told("up first")) == 2, "it has another name")

        again = solve_of("again", RUNS, RUNS)
        await start_and_wait(first, diary, again)
        assert len(begun_by(diary, "first-2")) == RUNS // 2
        doomed.kill()
        killed = time.monotonic()
        await end(diary, again)
        assert time.monotonic() - killed < 20
        assert len(begun_by(diary, "first-2")) == RUNS

        async with DbosEngine.opened(first.engine) as engine:
            while await engine.executors():  # noqa: ASYNC110 - of a process
                await asyncio.sleep(0.02)
            assert await engine.status(SOLVE) is FlowStatus.ENDED
            assert await engine.status(again) is FlowStatus.ENDED
        assert len(diary.told(f"concluded {SOLVE}")) == 1


async def test_a_worker_frozen_while_it_claims_work_keeps_it_from_no_one(url: str, diary: Diary):
    config = EngineConfig(url=url, poll_s=POLL_S, executor_id="first", idle_timeout_s=1)
    frozen = Part(name="first", engine=config, diary=diary.file)
    other = config.model_copy(update={"executor_id": "second"})
    await start(frozen, SOLVE)
    async with AsyncExitStack() as stack:
        place = url.replace("+psycopg", "")
        db = stack.enter_context(psycopg.connect(place, autocommit=True))
        db.execute(HOLD_CLAIMS)
        db.execute("SELECT pg_advisory_lock(7)")
        [process] = await stack.enter_async_context(working(frozen))
        await diary.wait(lambda: bool(db.execute(HELD).fetchall()), "it claims the solve")
        await freeze(process.pid)
        db.execute("SELECT pg_advisory_unlock(7)")
        async with DbosWorker(other, DiaryFlow(diary, "second-1")):
            await end(diary, SOLVE)
        assert len(begun_by(diary, "second")) == RUNS
        process.send_signal(signal.SIGCONT)
        again = solve_of("again", RUNS, RUNS)
        await start(frozen, again)
        await end(diary, again)
        assert len(begun_by(diary, "first")) == RUNS


async def test_who_asks_keeps_others_waiting_no_longer_than_that(url: str):
    config = EngineConfig(url=url)
    client = open_client(config)
    try:
        with client._sys_db.engine.connect() as session:
            shown = session.exec_driver_sql("SHOW idle_in_transaction_session_timeout").scalar()
    finally:
        client.destroy()
    assert shown == f"{config.idle_timeout_s:g}s"


async def test_after_a_kill_the_only_process_goes_on_at_its_next_start(tmp_path: Path):
    config = EngineConfig(url=f"sqlite:///{tmp_path}/engine.db", poll_s=POLL_S)
    only = Part(name="only", engine=config, diary=tmp_path / "diary")
    diary = Diary(only.diary)
    async with working(only) as [doomed]:
        await start_and_wait(only, diary, SOLVE)
        doomed.kill()
    async with DbosWorker(config, DiaryFlow(diary, "next-1")):
        await end(diary, SOLVE)
        assert len(begun_by(diary, "next")) == RUNS
