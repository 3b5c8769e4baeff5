"""What DBOS keeps of workflows that ended long ago is removed; all else stays."""

import asyncio
import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import psycopg
import pytest
from structlog.testing import capture_logs
from structlog.typing import EventDict

from tests.support.servers import databases
from tests.support.servers.engine_worker import POLL_S, Diary, DiaryFlow, solve_of
from yudai.engine.adapters.dbos.configuration import open_client
from yudai.engine.adapters.dbos.engine import DbosEngine, EngineConfig
from yudai.engine.adapters.dbos.worker import KEEP_S, DbosWorker, prune
from yudai.engine.port import FlowStatus
from yudai.kit.ids import MessageId, RunId

OLD, YOUNG, OPEN, WAITING = (solve_of(name, 2, 1) for name in ("old", "young", "open", "waiting"))
OLD_KEYS = {f"solve-{OLD}", f"run-{OLD}.0", f"run-{OLD}.1", "answer-7"}
OPEN_KEYS = {f"solve-{OPEN}", f"run-{OPEN}.0", f"run-{OPEN}.1"}
YOUNG_KEYS = {f"solve-{YOUNG}", f"run-{YOUNG}.0", f"run-{YOUNG}.1"}
KEYS = "SELECT workflow_uuid FROM dbos."
STATUS = "workflow_status"
PAYLOADS = ("workflow_input", "workflow_output", "operation_outputs")


@pytest.fixture(params=["sqlite", "postgresql"])
def config(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[EngineConfig]:
    if request.param == "sqlite":
        yield EngineConfig(url=f"sqlite:///{tmp_path}/engine.db", poll_s=POLL_S)
        return
    for new in databases._new_on_server():
        yield EngineConfig(url=new(empty=True), poll_s=POLL_S, executor_id="here")


@pytest.fixture
def diary(tmp_path: Path) -> Diary:
    diary = Diary(tmp_path / "diary")
    diary.gate.touch()
    return diary


class HeldFlow(DiaryFlow):
    """The second run of the open solve does not end for as long as it is held."""

    is_held = True

    async def run(self, run_id: RunId) -> None:
        if self.is_held and run_id == f"{OPEN}.1":
            self.diary.note("held", run_id)
            await asyncio.Event().wait()
        await super().run(run_id)


def execute(config: EngineConfig, statement: str, *values: str | int) -> list[tuple[str, ...]]:
    """As PostgreSQL has it: SQLite has no schema, and another sign for a value."""
    if config.is_sqlite:
        file = config.database_url.removeprefix("sqlite:///")
        with closing(sqlite3.connect(file, timeout=30)) as db, db:
            alike = statement.replace("dbos.", "").replace("%s", "?")
            return db.execute(alike, values).fetchall()
    with psycopg.connect(config.url.replace("+psycopg", ""), autocommit=True) as db:
        found = db.execute(statement.encode(), values)
        return found.fetchall() if found.description else []


def stored(config: EngineConfig, table: str) -> set[str]:
    return {key for (key,) in execute(config, KEYS + table)}


def have_ended(config: EngineConfig, keys: set[str]) -> bool:
    ended = execute(config, f"{KEYS}workflow_status WHERE status = 'SUCCESS'")
    return keys <= {key for (key,) in ended}


def make_older(config: EngineConfig, *keys: str) -> None:
    older = """UPDATE dbos.workflow_status
        SET created_at = created_at - %s, completed_at = completed_at - %s
        WHERE workflow_uuid = %s"""
    ms = int((KEEP_S + 3600) * 1000)
    for key in keys:
        execute(config, older, ms, ms, key)


def forget_waiting(config: EngineConfig, key: str) -> None:
    """As when its worker dies before it can note that the first run has ended."""
    execute(
        config,
        """DELETE FROM dbos.operation_outputs WHERE workflow_uuid = %s AND function_id >= (
            SELECT min(function_id) FROM dbos.operation_outputs
            WHERE workflow_uuid = %s AND function_name = 'DBOS.waitFirst')""",
        key,
        key,
    )


def prune_now(config: EngineConfig) -> int:
    client = open_client(config)
    try:
        return prune(client, before=time.time() - KEEP_S, batch=1)
    finally:
        client.destroy()


async def until(is_so: Callable[[], bool]) -> None:
    async with asyncio.timeout(30):
        while not is_so():  # noqa: ASYNC110 - other threads
            await asyncio.sleep(0.02)


async def test_what_ended_long_ago_is_removed_and_what_is_unfinished_goes_on(
    config: EngineConfig, diary: Diary
):
    flow = HeldFlow(diary, "here")
    async with DbosEngine.opened(config) as engine:
        await engine.start(OPEN, user_id="u")
        await engine.start(YOUNG, user_id="u")
        await engine.start(OLD, user_id="u")
        await engine.answer(MessageId(7))
        async with DbosWorker(config, flow):
            await until(lambda: have_ended(config, OLD_KEYS | YOUNG_KEYS))
            await until(lambda: bool(diary.told("held")))
        forget_waiting(config, f"solve-{OPEN}")
        await engine.start(WAITING, user_id="u")
        make_older(config, *OLD_KEYS, *OPEN_KEYS, f"solve-{WAITING}")
        # The oldest of all, so that what stays of it is found before the rest.
        make_older(config, *OPEN_KEYS)

        assert await asyncio.to_thread(prune_now, config) == len(OLD_KEYS)
        assert await asyncio.to_thread(prune_now, config) == 0
        left = OPEN_KEYS | YOUNG_KEYS | {f"solve-{WAITING}"}
        assert stored(config, STATUS) == left
        for table in PAYLOADS:
            assert stored(config, table) <= left
        assert await engine.status(OLD) is FlowStatus.UNKNOWN

        flow.is_held = False
        await engine.start(OLD, user_id="u")
        async with DbosWorker(config, flow):
            solves = {f"solve-{solve_id}" for solve_id in (OPEN, WAITING, OLD)}
            await until(lambda: have_ended(config, solves))
    assert len(diary.told(f"begun {OPEN}.0 ")) == len(diary.told(f"concluded {OPEN} ")) == 1
    # It was told again, and there was nothing left to do.
    assert len(diary.told(f"prepare {OLD} ")) == 2
    assert len(diary.told(f"begun {OLD}.")) == 2
    assert len(diary.told(f"concluded {OLD} ")) == 1


async def test_a_worker_removes_it_by_itself_and_tries_again_when_that_fails(
    config: EngineConfig, diary: Diary
):
    def failed(logs: list[EventDict]) -> bool:
        return any(
            (entry["event"], entry.get("chore")) == ("engine.chore_failed", "pruning")
            for entry in logs
        )

    flow = DiaryFlow(diary, "here")
    async with DbosEngine.opened(config) as engine:
        await engine.answer(MessageId(7))
        async with DbosWorker(config, flow):
            await until(lambda: have_ended(config, {"answer-7"}))
    make_older(config, "answer-7")
    execute(config, "ALTER TABLE dbos.workflow_output RENAME TO away")
    with capture_logs() as logs:
        async with DbosWorker(config, flow, prune_s=0.05):
            await until(lambda: failed(logs))
            assert stored(config, STATUS) == stored(config, "workflow_input") == {"answer-7"}
            execute(config, "ALTER TABLE dbos.away RENAME TO workflow_output")
            await until(lambda: not stored(config, STATUS))
    for table in PAYLOADS:
        assert not stored(config, table)
