import asyncio
from collections.abc import Callable

import pytest
from sqlalchemy.exc import IntegrityError

from yudai.gateway.domain.models import Usage
from yudai.kit.causes import Cause
from yudai.kit.errors import ConflictError, IllegalTransitionError, NotFoundError, RefusedError
from yudai.kit.ids import RunId, SolveId
from yudai.runs import queries as runs
from yudai.runs.domain.states import RunEvent, RunState
from yudai.runs.tables import RunRow
from yudai.solves import queries as solves
from yudai.solves import timeline as events
from yudai.solves.tables import SolveRow
from yudai.store.store import Store
from yudai.verification.domain.verdict import NOTHING

NewRun = Callable[..., RunRow]
USAGE = Usage(input_tokens=10**12, cached_tokens=2, output_tokens=3, cost_micros=10**13)


async def test_runs_of_a_solve_come_in_their_positions(
    store: Store, new_solve: Callable[..., SolveRow], new_run: NewRun
) -> None:
    async with store.change() as db:
        solve = await solves.add(db, new_solve())
        await runs.add_all(db, [new_run(f"r{n}", position=n) for n in (2, 0, 1)])
    async with store.read() as db:
        assert [row.id for row in await runs.of_solve(db, solve.id)] == ["r0", "r1", "r2"]
        assert await runs.of_solve(db, SolveId("nobody")) == []


@pytest.mark.parametrize(
    "twin", [{"position": 0, "handle": "other"}, {"position": 1, "handle": "same"}]
)
async def test_position_and_handle_are_unique_in_a_solve(
    store: Store,
    new_solve: Callable[..., SolveRow],
    new_run: NewRun,
    twin: dict[str, object],
) -> None:
    async with store.change() as db:
        await solves.add(db, new_solve())
        await runs.add_all(db, [new_run("r0", handle="same")])
    with pytest.raises(IntegrityError):
        async with store.change() as db:
            await runs.add_all(db, [new_run("r1", **twin)])


async def test_a_run_is_found_by_its_ending(store: Store, run: RunRow) -> None:
    async with store.read() as db:
        assert (await runs.find(db, run.id[-8:])).id == run.id
        assert (await runs.get(db, run.id)).contestant == run.contestant
        with pytest.raises(NotFoundError, match="no run beef"):
            await runs.find(db, "beef")
        with pytest.raises(RefusedError, match="at least 4"):
            await runs.find(db, "")
        with pytest.raises(NotFoundError, match="no run nobody"):
            await runs.get(db, RunId("nobody"))


async def test_it_advances_with_times_numbers_and_a_timeline(store: Store, run: RunRow) -> None:
    async with store.change() as db:
        await runs.advance(db, run.id, RunEvent.STARTED, at=10.0, sandbox_id="box")
        await runs.advance(db, run.id, RunEvent.SUBMITTED, at=20.0, usage=USAGE, edits=3)
        done = await runs.advance(db, run.id, RunEvent.JUDGED, at=30.0, verdict=NOTHING, rank=1)
    assert (done.started_at, done.submitted_at, done.finished_at) == (10.0, 20.0, 30.0)
    assert (done.usage, done.edits, done.sandbox_id) == (USAGE, 3, "box")
    assert (done.state, done.verdict, done.rank) == (RunState.COMPLETED, NOTHING, 1)
    async with store.read() as db:
        told = [(e.kind, e.run_id, e.data["to"]) for e in await events.after(db, run.solve_id)]
    assert told == [
        ("run.started", run.id, "running"),
        ("run.submitted", run.id, "verifying"),
        ("run.judged", run.id, "completed"),
    ]


async def test_a_broken_run_keeps_its_cause(store: Store, run: RunRow) -> None:
    async with store.change() as db:
        row = await runs.advance(
            db, run.id, RunEvent.BROKE, at=5.0, data={"cause": "internal"}, cause=Cause.INTERNAL
        )
        (event,) = await events.after(db, run.solve_id)
    assert (row.state, row.cause, row.finished_at) == (RunState.FAILED, Cause.INTERNAL, 5.0)
    assert event.data == {"from": "queued", "to": "failed", "cause": "internal"}


async def test_a_time_that_is_given_wins(store: Store, run: RunRow) -> None:
    async with store.change() as db:
        row = await runs.advance(db, run.id, RunEvent.STARTED, at=10.0, started_at=9.5)
    assert row.started_at == 9.5


async def test_columns_change_without_an_event(store: Store, run: RunRow) -> None:
    async with store.change() as db:
        row = await runs.change(db, run.id, attempt=2, usage=USAGE, diagnostics={"a": [1, None]})
        assert (row.attempt, row.usage, row.diagnostics) == (2, USAGE, {"a": [1, None]})
        assert await events.after(db, run.solve_id) == []
        with pytest.raises(ValueError, match="advance"):
            await runs.change(db, run.id, state=RunState.FAILED)
        with pytest.raises(NotFoundError):
            await runs.change(db, RunId("nobody"), why="x")


async def test_what_was_read_before_shows_the_change(store: Store, run: RunRow) -> None:
    async with store.change() as db:
        row = await runs.get(db, run.id)
        await runs.advance(db, run.id, RunEvent.STARTED, at=1.0)
        assert row.state is RunState.RUNNING


async def test_of_two_advances_at_once_exactly_one_wins(
    url: str, store: Store, run: RunRow
) -> None:
    async def start(place: Store, sandbox_id: str) -> str:
        try:
            async with place.change() as db:
                await runs.advance(db, run.id, RunEvent.STARTED, at=1.0, sandbox_id=sandbox_id)
        except ConflictError:
            return ""
        return sandbox_id

    async with await Store.open(url) as other, asyncio.TaskGroup() as group:
        tasks = [
            group.create_task(start(place, f"box-{name}-{n}"))
            for n in range(5)
            for name, place in (("here", store), ("there", other))
        ]
    (winner,) = [name for task in tasks if (name := task.result())]
    async with store.read() as db:
        assert (await runs.get(db, run.id)).sandbox_id == winner
        assert [e.kind for e in await events.after(db, run.solve_id)] == ["run.started"]


async def test_a_concurrent_change_is_a_conflict(store: Store, run: RunRow) -> None:
    """On PostgreSQL another transaction may commit between our look and our update."""
    async with store.change() as db:
        seen = await runs.get(db, run.id)
        connection = await db.connection()
        await connection.exec_driver_sql("UPDATE runs SET state = 'cancelled'")
        assert seen.state == "queued"
        with pytest.raises(ConflictError, match="not possible in state cancelled"):
            await runs.advance(db, run.id, RunEvent.STARTED, at=1.0)
        assert await events.after(db, run.solve_id) == []


async def test_a_step_that_the_table_does_not_know_changes_nothing(
    store: Store, run: RunRow
) -> None:
    async with store.change() as db:
        with pytest.raises(IllegalTransitionError):
            await runs.advance(db, run.id, RunEvent.JUDGED, at=1.0)
    async with store.read() as db:
        assert (await runs.get(db, run.id)).state is RunState.QUEUED
