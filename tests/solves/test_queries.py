from collections.abc import Callable

import pytest

from yudai.kit.errors import ConflictError, IllegalTransitionError, NotFoundError, RefusedError
from yudai.kit.ids import LOCAL_USER, RunId, SolveId
from yudai.solves import queries as solves
from yudai.solves import timeline as events
from yudai.solves.domain.states import SolveEvent, SolveState
from yudai.solves.tables import SolveRow
from yudai.store.store import Store

NewSolve = Callable[..., SolveRow]
IDS = (
    "0190a000-0000-7000-8000-0000000000a1",
    "0190a000-0000-7000-8000-1000000000a1",
    "0190a000-0000-7000-8000-0000000000b2",
)


async def _fill(store: Store, new_solve: NewSolve) -> None:
    async with store.change() as db:
        for number, solve_id in enumerate(IDS):
            await solves.add(db, new_solve(solve_id, created_at=float(number)))


async def test_a_new_solve_is_queued_and_local(store: Store, new_solve: NewSolve) -> None:
    async with store.change() as db:
        added = await solves.add(db, new_solve())
    async with store.read() as db:
        row = await solves.get(db, added.id)
    assert (row.state, row.user_id, row.champion_run_id) == (SolveState.QUEUED, LOCAL_USER, None)
    assert row.not_started == ()
    assert row.require_proof is True


async def test_an_unknown_solve_is_named_with_what_to_do(store: Store) -> None:
    async with store.read() as db:
        with pytest.raises(NotFoundError, match=r"no solve nobody.*yudai list"):
            await solves.get(db, SolveId("nobody"))
        with pytest.raises(NotFoundError, match=r"no solve 'a\\x00'"):
            await solves.get(db, SolveId("a\x00"))


@pytest.mark.parametrize("ending", ["00b2", IDS[2], "0000B2"])
async def test_a_solve_is_found_by_its_ending(
    store: Store, new_solve: NewSolve, ending: str
) -> None:
    await _fill(store, new_solve)
    async with store.read() as db:
        assert (await solves.find(db, ending)).id == IDS[2]


@pytest.mark.parametrize("ending", ["", "latest"])
async def test_the_newest_is_found(store: Store, new_solve: NewSolve, ending: str) -> None:
    async with store.read() as db:
        with pytest.raises(NotFoundError, match="no solves yet"):
            await solves.find(db, ending)
    await _fill(store, new_solve)
    async with store.read() as db:
        assert (await solves.find(db, ending)).id == IDS[2]


async def test_an_ending_of_several_lists_them(store: Store, new_solve: NewSolve) -> None:
    await _fill(store, new_solve)
    async with store.read() as db:
        with pytest.raises(RefusedError, match=f"{IDS[0]}, {IDS[1]}"):
            await solves.find(db, "00a1")


@pytest.mark.parametrize(
    ("ending", "message"),
    [
        ("0b2", "at least 4"),
        ("ffff", "no solve ffff"),
        ("%0b2", "no solve"),
        ("____", "no solve"),
        ("/0b2", "no solve"),
        ("\\0b2", "no solve"),
        ("\x00\x00b2", r"no solve '\\x00\\x00b2'"),
        ("\ud800 0b2", "no solve"),
        ("ÄÖÜß", "no solve"),
    ],
)
async def test_an_ending_that_fits_none_is_refused(
    store: Store, new_solve: NewSolve, ending: str, message: str
) -> None:
    await _fill(store, new_solve)
    async with store.read() as db:
        with pytest.raises(RefusedError, match=message):
            await solves.find(db, ending)


async def test_recent_ones_come_in_pages_newest_first(store: Store, new_solve: NewSolve) -> None:
    async with store.change() as db:
        for number in range(5):
            await solves.add(db, new_solve(f"s{number}", created_at=float(number // 2)))
    async with store.read() as db:
        first = await solves.recent(db, limit=2)
        second = await solves.recent(db, limit=2, before=first[-1].id)
        third = await solves.recent(db, limit=2, before=second[-1].id)
    assert [row.id for row in first + second + third] == ["s4", "s3", "s2", "s1", "s0"]


async def test_it_advances_with_times_and_a_timeline(store: Store, new_solve: NewSolve) -> None:
    champion = RunId("r")
    async with store.change() as db:
        row = await solves.add(db, new_solve())
        await solves.advance(db, row.id, SolveEvent.STARTED, at=10.0)
        offered = await solves.advance(
            db,
            row.id,
            SolveEvent.OFFERED,
            at=20.0,
            data={"handle": "h"},
            champion_run_id=champion,
            reason="best",
        )
        assert offered.champion_run_id == champion
        settled = await solves.advance(db, row.id, SolveEvent.SETTLED, at=30.0)
    assert settled.state is SolveState.COMPLETED
    assert (settled.started_at, settled.finished_at, settled.reason) == (10.0, 20.0, "best")
    async with store.read() as db:
        told = [(e.kind, e.at, e.data) for e in await events.after(db, row.id)]
    assert told == [
        ("solve.started", 10.0, {"from": "queued", "to": "running"}),
        ("solve.offered", 20.0, {"from": "running", "to": "awaiting_review", "handle": "h"}),
        ("solve.settled", 30.0, {"from": "awaiting_review", "to": "completed"}),
    ]


async def test_a_step_that_the_table_does_not_know_changes_nothing(
    store: Store, new_solve: NewSolve
) -> None:
    async with store.change() as db:
        row = await solves.add(db, new_solve())
    async with store.change() as db:
        with pytest.raises(IllegalTransitionError):
            await solves.advance(db, row.id, SolveEvent.OFFERED, at=1.0)
    async with store.read() as db:
        assert (await solves.get(db, row.id)).state is SolveState.QUEUED
        assert await events.after(db, row.id) == []


async def test_columns_change_without_an_event(store: Store, new_solve: NewSolve) -> None:
    async with store.change() as db:
        row = await solves.add(db, new_solve())
        changed = await solves.change(db, row.id, test_command="pytest", base_commit="c0ffee")
        assert (changed.test_command, changed.base_commit) == ("pytest", "c0ffee")
        assert await events.after(db, row.id) == []
        with pytest.raises(ValueError, match="advance"):
            await solves.change(db, row.id, state=SolveState.FAILED)
        with pytest.raises(NotFoundError):
            await solves.change(db, SolveId("nobody"), error="x")


async def test_a_concurrent_change_is_a_conflict(store: Store, new_solve: NewSolve) -> None:
    async with store.change() as db:
        row = await solves.add(db, new_solve())
    async with store.change() as db:
        seen = await solves.get(db, row.id)
        connection = await db.connection()
        await connection.exec_driver_sql("UPDATE solves SET state = 'cancelled'")
        assert seen.state == "queued"
        with pytest.raises(ConflictError, match="not possible in state cancelled"):
            await solves.advance(db, row.id, SolveEvent.STARTED, at=1.0)
        assert await events.after(db, row.id) == []


async def test_a_solve_is_held_as_it_is_now(store: Store, new_solve: NewSolve) -> None:
    async with store.change() as db:
        row = await solves.add(db, new_solve())
    async with store.change() as db:
        await solves.get(db, row.id)
        connection = await db.connection()
        await connection.exec_driver_sql("UPDATE solves SET reason = 'changed'")
        assert (await solves.hold(db, row.id)).reason == "changed"
        with pytest.raises(NotFoundError):
            await solves.hold(db, SolveId("nobody"))
