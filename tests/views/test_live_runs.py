"""What a lane and its messages say of tests and edits."""

import json
from collections.abc import AsyncGenerator

import pytest
from sqlalchemy import update

from tests.support.fakes import StillClock
from tests.support.servers.databases import Kind
from tests.support.updates_client import NOW, Scene, Watcher, solve_id
from yudai.runs import queries as runs
from yudai.runs.domain.progress import MAX_MARKS, RunMark, with_mark
from yudai.runs.domain.states import RunEvent
from yudai.runs.tables import MessageRow, RunRow
from yudai.store.store import Store
from yudai.views.updates import open_updates

both = pytest.mark.parametrize("database_kind", ["sqlite", "postgresql"], indirect=True)


@pytest.fixture(params=["sqlite"])
def database_kind(request: pytest.FixtureRequest) -> Kind:
    return request.param


@pytest.fixture
async def store(database_url: str) -> AsyncGenerator[Store]:
    async with await Store.open(database_url) as opened:
        yield opened


@pytest.fixture
def scene(store: Store) -> Scene:
    return Scene(store)


@pytest.fixture
async def watcher(store: Store) -> AsyncGenerator[Watcher]:
    async with open_updates(store, StillClock()) as updates:
        yield Watcher(updates, solve_id())


async def test_a_message_says_what_it_is_for(scene: Scene, watcher: Watcher):
    await scene.open(lanes=1)
    tested = {"returncode": 1, "raw_output": "1 failed", "is_test": True, "edit": 2, "diff": "+x"}
    for body in (
        {"role": "system", "content": "Be brief."},
        {"role": "assistant", "content": "I think."},
        {"role": "assistant", "content": "", "extra": {"actions": [{"command": "cd x && pytest"}]}},
        {"role": "tool", "content": "", "extra": tested},
        {"role": "tool", "content": "no extra"},
        {"role": "exit", "content": "", "extra": {"exit_status": "Submitted"}},
    ):
        await scene.say(0, "", body=body)
    await watcher.poll(scene.run(0))
    told = watcher.messages[scene.run(0)]
    assert [(one["kind"], one["is_test"], one["edit"]) for one in told] == [
        ("prompt", False, None),
        ("thought", False, None),
        ("command", True, None),
        ("output", True, 2),
        ("output", False, None),
        ("exit", False, None),
    ]
    assert "+x" not in str(told)


async def test_messages_of_the_version_before_are_looked_at_when_they_are_read(
    scene: Scene, watcher: Watcher, store: Store
):
    await scene.open(lanes=1)
    command = {"role": "assistant", "content": "", "extra": {"actions": [{"command": "tox"}]}}
    await scene.say(0, "", body=command)
    await scene.say(0, "", body={"role": "tool", "extra": {"returncode": 0, "edit": 1}})
    async with store.change() as db:
        await db.execute(update(MessageRow).values(is_test=None, edit=None))
    await watcher.poll(scene.run(0))
    told = watcher.messages[scene.run(0)]
    assert [(one["is_test"], one["edit"]) for one in told] == [(True, None), (False, None)]


@both
async def test_a_run_shows_its_marks_and_when_it_submitted(
    scene: Scene, watcher: Watcher, store: Store
):
    await scene.open(lanes=1)
    marks = (
        RunMark(kind="edit", at=NOW + 1, step=2, cost_micros=1000),
        RunMark(kind="test", at=NOW + 2, step=3, cost_micros=2500, ok=False),
    )
    await scene.change(0, marks=marks, earlier_cost_micros=500_000)
    async with store.change() as db:
        await runs.advance(db, scene.run(0), RunEvent.SUBMITTED, at=NOW + 9)
    [lane] = (await watcher.poll())["lanes"]
    assert lane["submitted_at"] == NOW + 9
    assert lane["marks"] == [
        {"kind": "edit", "at": NOW + 1, "step": 2, "cost_usd": 0.501, "ok": None},
        {"kind": "test", "at": NOW + 2, "step": 3, "cost_usd": 0.5025, "ok": False},
    ]


async def test_marks_of_a_long_run_are_few_bytes(scene: Scene, watcher: Watcher):
    await scene.open(lanes=1)
    marks: tuple[RunMark, ...] = ()
    for step in range(2000):
        mark = RunMark(kind="test", at=NOW + step, step=step, cost_micros=10**7 + step, ok=True)
        marks = with_mark(marks, mark)
    await scene.change(0, marks=marks)
    [lane] = (await watcher.poll())["lanes"]
    assert len(lane["marks"]) == MAX_MARKS
    assert len(json.dumps(lane["marks"])) < 4096


async def test_a_run_of_the_version_before_has_no_marks(
    scene: Scene, watcher: Watcher, store: Store
):
    await scene.open(lanes=1)
    async with store.change() as db:
        await db.execute(update(RunRow).values(marks=None))
    [lane] = (await watcher.poll())["lanes"]
    assert lane["marks"] == []
