"""DBOS behind the engine's port, in this process."""

import asyncio
import sqlite3
import threading
from collections.abc import AsyncGenerator, Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from urllib.parse import parse_qs, quote, urlsplit

import psycopg
import pytest
import pytest_asyncio
from dbos import DBOS

from tests.support.servers import databases
from tests.support.servers.engine_worker import POLL_S, Diary, DiaryFlow, solve_of
from yudai.engine.adapters.dbos.engine import DbosEngine, EngineConfig, EngineLimits, adopt
from yudai.engine.adapters.dbos.worker import DbosWorker
from yudai.engine.port import Flow, FlowStatus, RunBatch
from yudai.kit.ids import MessageId, RunId, SolveId, WorkerId

SOLVE = solve_of("s", 5, 2)
NO_DELAYS = (0.0, 0.0)


class TroubledFlow(DiaryFlow):
    """Raises what it is told to raise, so many times."""

    def __init__(self, diary: Diary, troubles: dict[str, int]) -> None:
        super().__init__(diary, "here")
        self.troubles = troubles
        self.going = 0
        self.most = 0

    def _stumble(self, name: str) -> None:
        if self.troubles.get(name, 0) > 0:
            self.troubles[name] -= 1
            self.diary.note("stumbled", name)
            raise ConnectionError("the database is away")

    async def prepare(self, solve_id: SolveId) -> RunBatch:
        self._stumble("prepare")
        return await super().prepare(solve_id)

    async def run(self, run_id: RunId) -> None:
        self.going += 1
        self.most = max(self.most, self.going)
        try:
            self._stumble(run_id)
            await super().run(run_id)
        finally:
            self.going -= 1

    async def conclude(self, solve_id: SolveId) -> None:
        self._stumble("conclude")
        await super().conclude(solve_id)


@pytest.fixture
def config(tmp_path: Path) -> EngineConfig:
    return EngineConfig(url=f"sqlite+aiosqlite:///{tmp_path}/an%20engine.db", poll_s=POLL_S)


@pytest.fixture
def shared() -> Iterator[EngineConfig]:
    for new in databases._new_on_server():
        yield EngineConfig(url=new(empty=True), poll_s=POLL_S, executor_id="here")


@pytest.fixture
def diary(tmp_path: Path) -> Diary:
    diary = Diary(tmp_path / "diary")
    diary.gate.touch()
    return diary


@pytest.fixture
def flow(diary: Diary) -> TroubledFlow:
    return TroubledFlow(diary, {})


@pytest_asyncio.fixture
async def engine(config: EngineConfig) -> AsyncGenerator[DbosEngine]:
    async with DbosEngine.opened(config) as opened:
        yield opened


def worker(config: EngineConfig, flow: Flow) -> DbosWorker:
    return DbosWorker(config, flow, orphan_check_s=0.1, retry_delays_s=NO_DELAYS)


async def ended(engine: DbosEngine) -> None:
    async with asyncio.timeout(30):
        while await engine.status(SOLVE) is not FlowStatus.ENDED:  # noqa: ASYNC110 - other threads
            await asyncio.sleep(0.02)


async def until(is_so: Callable[[], bool]) -> None:
    async with asyncio.timeout(30):
        while not is_so():  # noqa: ASYNC110 - other threads
            await asyncio.sleep(0.02)


async def test_a_solve_is_started_once_and_told_in_order(
    engine: DbosEngine, config: EngineConfig, flow: TroubledFlow, diary: Diary
):
    assert await engine.status(SOLVE) is FlowStatus.UNKNOWN
    await engine.start(SOLVE, user_id="u")
    await engine.start(SOLVE, user_id="u")
    assert await engine.status(SOLVE) is FlowStatus.QUEUED
    async with worker(config, flow):
        await ended(engine)
        await engine.start(SOLVE, user_id="u")
    words = [line.split()[0] for line in diary.lines]
    assert words[0] == "prepare"
    assert words[-1] == "concluded"
    assert [words.count(word) for word in ("prepare", "begun", "concluded")] == [1, 5, 1]


async def test_no_more_runs_go_at_once_than_the_field_says(
    engine: DbosEngine, config: EngineConfig, flow: TroubledFlow, diary: Diary
):
    diary.gate.unlink()
    await engine.start(SOLVE, user_id="u")
    async with worker(config, flow):
        await until(lambda: flow.going == 2)
        # Polls in which nothing may be begun.
        await asyncio.sleep(3 * POLL_S)
        diary.gate.touch()
        await ended(engine)
    assert flow.most == 2
    assert len(diary.told("ended")) == 5


async def test_a_message_is_answered_once(
    engine: DbosEngine, config: EngineConfig, flow: TroubledFlow, diary: Diary
):
    await engine.answer(MessageId(7))
    async with worker(config, flow):
        await engine.answer(MessageId(7))
        await engine.answer(MessageId(8))
        await until(lambda: len(diary.told("answered")) == 2)
    assert sorted(line.split()[1] for line in diary.told("answered")) == ["7", "8"]


async def test_what_is_away_for_a_moment_is_asked_again(
    engine: DbosEngine, config: EngineConfig, flow: TroubledFlow, diary: Diary
):
    flow.troubles.update({"prepare": 2, f"{SOLVE}.1": 2, "conclude": 2})
    await engine.start(SOLVE, user_id="u")
    async with worker(config, flow):
        await ended(engine)
    assert len(diary.told("ended")) == 5
    assert len(diary.told("concluded")) == 1


async def test_a_run_that_is_given_up_does_not_end_its_solve(
    engine: DbosEngine, config: EngineConfig, flow: TroubledFlow, diary: Diary
):
    flow.troubles[f"{SOLVE}.1"] = 100
    await engine.start(SOLVE, user_id="u")
    async with worker(config, flow):
        await ended(engine)
    assert len(diary.told("stumbled")) == len(NO_DELAYS) + 1
    assert len(diary.told("ended")) == 4
    assert len(diary.told("concluded")) == 1


async def test_caps_hold_per_user_and_in_total(
    engine: DbosEngine, config: EngineConfig, flow: TroubledFlow, diary: Diary
):
    limits = EngineLimits(max_solves=3, user_max_solves=2, max_runs=2)
    diary.gate.unlink()
    for user in "ab":
        for number in range(3):
            await engine.start(solve_of(f"{user}{number}", 1, 1), user_id=user)
    async with worker(config.model_copy(update={"limits": limits}), flow):
        await until(lambda: len(diary.told("prepare")) == 3 and len(diary.told("begun")) == 2)
        # Two polls more, in which nothing may be begun.
        await asyncio.sleep(3 * POLL_S)
        assert len(diary.told("prepare")) == 3
        assert max(len(diary.told(f"prepare {user}")) for user in "ab") == 2
        assert len(diary.told("begun")) == 2
        diary.gate.touch()
        await until(lambda: len(diary.told("concluded")) == 6)


async def test_what_was_left_unfinished_goes_on_after_leaving_and_entering_again(
    engine: DbosEngine, config: EngineConfig, flow: TroubledFlow, diary: Diary
):
    diary.gate.unlink()
    await engine.start(SOLVE, user_id="u")
    async with worker(config, flow):
        await until(lambda: flow.going == 2)
    assert flow.going == 0
    assert await engine.status(SOLVE) is FlowStatus.RUNNING
    diary.gate.touch()
    async with worker(config, flow):
        await ended(engine)
    assert len(diary.told("prepare")) == 1
    assert len(diary.told("begun")) == 7
    assert len(diary.told("ended")) == 5


async def test_leaving_waits_for_the_parts_to_clear_up(
    engine: DbosEngine, config: EngineConfig, diary: Diary
):
    class Tidy(DiaryFlow):
        async def prepare(self, solve_id: SolveId) -> RunBatch:
            diary.note("preparing", solve_id)
            try:
                await asyncio.Event().wait()
            finally:
                await asyncio.sleep(0.2)
                diary.note("cleared")
            raise AssertionError

    await engine.start(SOLVE, user_id="u")
    async with worker(config, Tidy(diary, "here")):
        await until(lambda: bool(diary.told("preparing")))
        assert not diary.told("cleared")
    assert len(diary.told("cleared")) == 1
    assert await engine.status(SOLVE) is FlowStatus.RUNNING


async def test_our_loop_stays_ours(
    engine: DbosEngine,
    config: EngineConfig,
    flow: TroubledFlow,
    capfd: pytest.CaptureFixture[str],
):
    """DBOS does not take its threads along when it leaves; nor does it write for our users."""
    asyncio.get_running_loop().set_default_executor(ThreadPoolExecutor(2, "ours"))
    loops: set[int] = set()

    class Nosy(DiaryFlow):
        async def conclude(self, solve_id: SolveId) -> None:
            loops.add(id(asyncio.get_running_loop()))
            assert DBOS.workflow_id is None
            await super().conclude(solve_id)

    await engine.start(SOLVE, user_id="u")
    async with worker(config, Nosy(flow.diary, "here")):
        await ended(engine)
        assert (await asyncio.to_thread(threading.current_thread)).name.startswith("ours")
    assert (await asyncio.to_thread(threading.current_thread)).name.startswith("ours")
    assert loops == {id(asyncio.get_running_loop())}
    assert capfd.readouterr().out == ""
    assert not [each for each in threading.enumerate() if each.name.startswith("queue-worker")]


async def test_its_file_is_written_in_turns_with_readers(engine: DbosEngine, tmp_path: Path):
    with closing(sqlite3.connect(tmp_path / "an engine.db")) as db, db:
        assert db.execute("PRAGMA journal_mode").fetchone() == ("wal",)


async def test_work_goes_on_when_the_database_was_away(
    shared: EngineConfig, flow: TroubledFlow, diary: Diary, tmp_path: Path
):
    """Its socket is gone for a while, as when it is started again, and every connection is cut."""
    url = shared.url.replace("+psycopg", "")
    folder = parse_qs(urlsplit(url).query)["host"][0]
    socket = tmp_path / "socket"
    socket.symlink_to(folder)
    config = shared.model_copy(
        update={"url": shared.url.replace(quote(folder, safe=""), quote(str(socket), safe=""))}
    )
    diary.gate.unlink()
    async with DbosEngine.opened(config) as engine, worker(config, flow):
        await engine.start(SOLVE, user_id="u")
        await until(lambda: flow.going == 2)
        assert await engine.executors() == {"here"}
        socket.unlink()
        with psycopg.connect(url, autocommit=True) as db:
            cut = """SELECT pg_terminate_backend(pid) FROM pg_stat_activity
                WHERE datname = current_database() AND pid <> pg_backend_pid()"""
            assert db.execute(cut).rowcount > 0
        with pytest.raises(Exception, match="No such file"):
            await engine.status(SOLVE)
        diary.gate.touch()
        await until(lambda: len(diary.told("ended")) == 2)
        await asyncio.sleep(1)
        assert len(diary.told("ended")) == 2
        socket.symlink_to(folder)
        await until(lambda: len(diary.told("concluded")) == 1)
    assert len(diary.told("begun")) == len(diary.told("ended")) == 5


async def test_what_one_worker_leaves_another_adopts(
    shared: EngineConfig, flow: TroubledFlow, diary: Diary
):
    diary.gate.unlink()
    there = shared.model_copy(update={"executor_id": "there"})
    async with DbosEngine.opened(shared) as engine:
        await engine.start(SOLVE, user_id="u")
        async with worker(shared, flow):
            await until(lambda: flow.going == 2)
        diary.gate.touch()
        async with worker(there, flow):
            assert await engine.executors() == {"here"}
            await engine.adopt(WorkerId("here"))
            await ended(engine)
            await engine.adopt(WorkerId("here"))
    assert len(diary.told("begun")) == 7
    assert len(diary.told("ended")) == 5


async def test_adopting_says_why_it_failed(tmp_path: Path):
    config = EngineConfig(url=f"sqlite:///{tmp_path}/none.db")
    with pytest.raises(RuntimeError, match="does not exist"):
        await adopt(config, WorkerId("dead"))
    with pytest.raises(TimeoutError):
        await adopt(config, WorkerId("dead"), timeout_s=0)


async def test_work_that_was_claimed_and_lost_is_queued_again(
    shared: EngineConfig, flow: TroubledFlow, diary: Diary
):
    key = f"answer-{7}"
    async with DbosEngine.opened(shared) as engine, worker(shared, flow):
        await engine.answer(MessageId(7))
        await until(lambda: len(diary.told("answered")) == 1)
        while await engine.executors():  # noqa: ASYNC110 - other threads
            await asyncio.sleep(0.02)
        with psycopg.connect(shared.url.replace("+psycopg", ""), autocommit=True) as db:
            # As it is after the claim, when nobody has begun it.
            claimed = "UPDATE dbos.workflow_status SET status = 'PENDING', owner_xid = 'lost'"
            db.execute("DELETE FROM dbos.operation_outputs WHERE workflow_uuid = %s", [key])
            db.execute(f"{claimed} WHERE workflow_uuid = %s", [key])
        await until(lambda: len(diary.told("answered")) == 2)


async def test_who_asks_hears_that_the_database_is_away(tmp_path: Path):
    config = EngineConfig(url=f"postgresql://nobody@/none?host={tmp_path}")
    with pytest.raises(Exception, match="connection"):
        async with DbosEngine.opened(config):
            pass
    with pytest.raises(Exception, match="connection"):
        async with DbosWorker(config, DiaryFlow(Diary(tmp_path / "d"), "here")):
            pass


def test_its_password_is_not_shown_and_it_waits_no_longer_than_allowed():
    config = EngineConfig(url="postgresql://user:secret@host/database")
    assert "secret" not in repr(config)
    assert config.database_url == "postgresql://user:secret@host/database?connect_timeout=10"
    other = config.model_copy(update={"url": f"{config.url}?connect_timeout=3"})
    assert other.database_url == other.url
