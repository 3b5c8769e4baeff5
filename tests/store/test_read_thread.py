"""Looks at little cost, and pages of messages, on both databases."""

from collections.abc import AsyncGenerator, Callable

import pytest
import pytest_asyncio
from sqlalchemy import Connection, select, text

from yudai.kit.ids import RunId
from yudai.runs import messages as trajectories
from yudai.runs import queries as runs
from yudai.runs.domain.trajectory.trajectory import TrajectoryMessage
from yudai.runs.messages import MessageRange
from yudai.runs.tables import RunRow
from yudai.store.read_thread import SnapshotReader
from yudai.store.store import Store
from yudai.views import update_queries as queries

NewMessage = Callable[..., TrajectoryMessage]


@pytest_asyncio.fixture
async def snapshot_reader(store: Store) -> AsyncGenerator[SnapshotReader]:
    opened = SnapshotReader(store.database)
    yield opened
    await opened.close()


@pytest_asyncio.fixture
async def said(store: Store, run: RunRow, new_message: NewMessage) -> RunId:
    """Twelve messages in four steps, and two of an earlier attempt."""
    async with store.change() as db:
        await runs.change(db, run.id, attempt=2)
        await trajectories.add_all(db, run.id, map(new_message, range(2)), attempt=1)
        now = [new_message(seq, step=seq // 3) for seq in range(12)]
        await trajectories.add_all(db, run.id, now, attempt=2)
    return run.id


async def test_a_look_sees_one_moment(store: Store, snapshot_reader: SnapshotReader, run: RunRow):
    def edits(db: Connection) -> int:
        return db.execute(select(RunRow.edits)).scalar_one()

    async with store.change() as db:
        await runs.change(db, run.id, edits=1)
        assert await snapshot_reader.run(edits) == 0, "not committed yet"
    assert await snapshot_reader.run(edits) == 1, "nothing of the look before is kept"


async def test_a_look_that_fails_leaves_the_next_alone(
    snapshot_reader: SnapshotReader, run: RunRow
):
    def fail(db: Connection) -> None:
        db.execute(text("SELECT nothing FROM nowhere"))

    for _ in range(3):
        with pytest.raises(Exception, match="nowhere"):
            await snapshot_reader.run(fail)
    assert await snapshot_reader.run(lambda db: queries.solve_version(db, run.solve_id)) is not None


async def test_a_version_names_runs_in_their_order(
    store: Store, snapshot_reader: SnapshotReader, run: RunRow, new_run: Callable[..., RunRow]
):
    async with store.change() as db:
        await runs.add_all(db, [new_run("b", position=2), new_run("a", position=1)])
        await runs.change(db, run.id, edits=1)
    seen = await snapshot_reader.run(lambda db: queries.solve_version(db, run.solve_id))
    assert seen is not None
    assert [
        (run_version.id, run_version.attempt, run_version.rev) for run_version in seen.runs
    ] == [
        (run.id, 1, 1),
        ("a", 1, 0),
        ("b", 1, 0),
    ]
    assert (seen.rev, seen.state, seen.event) == (0, "queued", 0)


async def test_stretches_are_of_one_attempt(snapshot_reader: SnapshotReader, said: RunId):
    wanted = [
        MessageRange(said, 2, 3, 6),
        MessageRange(said, 1, -1, 9),
        MessageRange(RunId("nobody"), 1, -1, 9),
    ]
    found = await snapshot_reader.run(lambda db: trajectories.in_ranges(db, wanted))
    numbers = sorted((one.attempt, one.seq) for one in found)
    assert numbers == [(1, 0), (1, 1), (2, 4), (2, 5), (2, 6)]
    [first] = [one for one in found if (one.attempt, one.seq) == (2, 4)]
    assert (first.at, first.previous_at, first.step) == (4.0, 3.0, 1)
    [start] = [one for one in found if (one.attempt, one.seq) == (1, 0)]
    assert start.previous_at is None


async def test_the_newest_is_of_the_present_attempt(
    store: Store, snapshot_reader: SnapshotReader, said: RunId, new_run: Callable[..., RunRow]
):
    async with store.change() as db:
        await runs.add_all(db, [new_run("silent", position=1)])
    asked = [said, RunId("silent"), RunId("nobody")]
    found = await snapshot_reader.run(lambda db: trajectories.newest(db, asked))
    assert found == {said: 11, "silent": -1}


async def test_pages_go_up_and_down(store: Store, said: RunId):
    async with store.read() as db:
        up = await trajectories.page_before(db, said, before=5, limit=3)
        assert [one.seq for one in up] == [2, 3, 4]
        end = await trajectories.page_before(db, said, before=None, limit=2)
        assert [one.seq for one in end] == [10, 11]
        assert await trajectories.page_before(db, said, before=0, limit=2) == []
        down = await trajectories.page_after(db, said, after=9, limit=5)
        assert [one.seq for one in down] == [10, 11]
        old = await trajectories.page_before(db, said, before=None, limit=9, attempt=1)
        assert [one.seq for one in old] == [0, 1]


async def test_steps_come_from_either_end(store: Store, said: RunId):
    async with store.read() as db:
        steps = range(1, 3)
        first = await trajectories.of_steps(db, said, steps, limit=4)
        assert [(one.step, one.seq) for one in first] == [(1, 3), (1, 4), (1, 5), (2, 6)]
        last = await trajectories.of_steps(db, said, steps, limit=4, newest=True)
        assert [(one.step, one.seq) for one in last] == [(1, 5), (2, 6), (2, 7), (2, 8)]
        assert await trajectories.last_step(db, said) == 3
        assert await trajectories.last_step(db, said, attempt=1) == 1
        assert await trajectories.last_step(db, RunId("nobody")) == -1
