"""What is stored of queued and begun work: changing it would strand what an older version left.

A failure here is no reason to change the expectation: give the new way of working a new name.
"""

import asyncio
import json
import sqlite3
from collections.abc import AsyncGenerator
from contextlib import closing
from pathlib import Path

import pytest
import pytest_asyncio
from dbos import DBOSClient, DBOSPortableJSONSerializer, EnqueueOptions

from tests.support.servers.engine_worker import POLL_S, Diary, DiaryFlow
from yudai.engine.adapters.dbos.engine import DbosEngine, EngineConfig
from yudai.engine.adapters.dbos.worker import DbosWorker
from yudai.engine.port import FlowStatus
from yudai.kit.ids import MessageId, SolveId

SOLVE = SolveId("s.2.1")


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "engine.db"


@pytest.fixture
def config(file: Path) -> EngineConfig:
    return EngineConfig(url=f"sqlite:///{file}", poll_s=POLL_S)


@pytest.fixture
def diary(tmp_path: Path) -> Diary:
    diary = Diary(tmp_path / "diary")
    diary.gate.touch()
    return diary


@pytest_asyncio.fixture
async def engine(config: EngineConfig) -> AsyncGenerator[DbosEngine]:
    async with DbosEngine.opened(config) as opened:
        yield opened


async def carry_out(engine: DbosEngine, config: EngineConfig, diary: Diary) -> None:
    async with DbosWorker(config, DiaryFlow(diary, "here")), asyncio.timeout(30):
        while (  # noqa: ASYNC110 - other threads
            not diary.told("answered") or await engine.status(SOLVE) is not FlowStatus.ENDED
        ):
            await asyncio.sleep(0.02)


def stored(file: Path) -> dict[str, list[object]]:
    with closing(sqlite3.connect(file)) as db, db:
        rows = db.execute(
            """SELECT workflow_uuid, name, queue_name, queue_partition_key, application_name,
                application_version, serialization, workflow_input.inputs
            FROM workflow_status JOIN workflow_input USING (workflow_uuid)"""
        ).fetchall()
    return {key: [*columns, json.loads(inputs)] for key, *columns, inputs in rows}


def test_as_workflows_are_queued(config: EngineConfig, file: Path, diary: Diary):
    async def queue() -> None:
        async with DbosEngine.opened(config) as engine:
            await engine.start(SOLVE, user_id="somebody")
            await engine.answer(MessageId(7))
            await carry_out(engine, config, diary)

    asyncio.run(queue())
    ours = ["yudai", "1", "portable_json"]

    def given(argument: object) -> dict[str, object]:
        return {"positionalArgs": [argument], "namedArgs": {}}

    assert stored(file) == {
        "solve-s.2.1": ["solve", "solves", "somebody", *ours, given("s.2.1")],
        "run-s.2.1.0": ["run", "runs", "s.2.1", *ours, given("s.2.1.0")],
        "run-s.2.1.1": ["run", "runs", "s.2.1", *ours, given("s.2.1.1")],
        "answer-7": ["answer", "answers", None, *ours, given(7)],
    }
    with closing(sqlite3.connect(file)) as db, db:
        steps = db.execute(
            """SELECT function_name, output FROM operation_outputs
            WHERE workflow_uuid = 'solve-s.2.1' ORDER BY function_id"""
        ).fetchall()
        others = db.execute(
            """SELECT workflow_uuid, function_name FROM operation_outputs
            WHERE workflow_uuid <> 'solve-s.2.1' ORDER BY workflow_uuid"""
        ).fetchall()
    field = {"runs": ["s.2.1.0", "s.2.1.1"], "parallel": 1}
    assert [(name, output and json.loads(output)) for name, output in steps] == [
        ("prepare", field),
        ("run", None),
        ("DBOS.waitFirst", "run-s.2.1.0"),
        ("run", None),
        ("DBOS.waitFirst", "run-s.2.1.1"),
        ("conclude", None),
    ]
    assert others == [("answer-7", "answer"), ("run-s.2.1.0", "run"), ("run-s.2.1.1", "run")]


@pytest.mark.parametrize("version", ["1", None])
async def test_what_older_code_has_queued_is_done(
    engine: DbosEngine, config: EngineConfig, diary: Diary, version: str | None
):
    client = DBOSClient(
        system_database_url=config.url,
        serializer=DBOSPortableJSONSerializer(),
        application_name="yudai",
    )
    older = EnqueueOptions(
        workflow_name="solve",
        queue_name="solves",
        workflow_id="solve-s.2.1",
        queue_partition_key="somebody",
    )
    answer = EnqueueOptions(workflow_name="answer", queue_name="answers", workflow_id="answer-7")
    for options in (older, answer):
        if version is not None:
            options["app_version"] = version
    client.enqueue(older, "s.2.1")
    client.enqueue(answer, 7)
    client.destroy()
    await carry_out(engine, config, diary)
    words = [line.split()[0] for line in diary.lines if not line.startswith("answered")]
    assert words == ["prepare", *["begun", "ended"] * 2, "concluded"]


async def test_what_older_code_has_begun_goes_on(
    engine: DbosEngine, config: EngineConfig, diary: Diary, file: Path
):
    """It was killed when the first of two runs had ended, and its outcome was noted."""
    await engine.start(SOLVE, user_id="somebody")
    await engine.answer(MessageId(7))
    with closing(sqlite3.connect(file)) as db, db:
        db.execute(
            """UPDATE workflow_status SET status = 'PENDING', executor_id = 'local',
                owner_xid = 'older' WHERE workflow_uuid = 'solve-s.2.1'"""
        )
        field = '{"runs":["s.2.1.0","s.2.1.1"],"parallel":1}'
        note = """INSERT INTO operation_outputs (workflow_uuid, function_id, function_name, output,
                child_workflow_id, serialization)
            VALUES ('solve-s.2.1', ?, ?, ?, ?, 'portable_json')"""
        db.execute(note, (1, "prepare", field, None))
        db.execute(note, (2, "run", None, "run-s.2.1.0"))
        db.execute(note, (3, "DBOS.waitFirst", '"run-s.2.1.0"', None))
    await carry_out(engine, config, diary)
    words = [line.split()[:2] for line in diary.lines if not line.startswith("answered")]
    assert words == [["begun", "s.2.1.1"], ["ended", "s.2.1.1"], ["concluded", "s.2.1"]]
