"""Who goes on with a publication, and whose turn it is to write."""

import asyncio
from typing import Any

import pytest

from tests.support.rows import SOLVE, NewSolve
from yudai.kit.errors import ClaimLostError, IllegalTransitionError, NotFoundError
from yudai.kit.ids import SolveId
from yudai.publishing import queries as publications
from yudai.publishing.domain.publication import PublicationEvent, PublicationState
from yudai.publishing.queries import Move
from yudai.publishing.tables import PublicationRow
from yudai.solves import queries as solves
from yudai.solves import timeline as events
from yudai.solves.domain.origin import Origin, PublishMode
from yudai.solves.domain.states import SolveState
from yudai.store import write_turns
from yudai.store.store import Store

FORGE = "https://f.test"
COMMITTED = Move(PublicationEvent.COMMITTED, {"commit": "c" * 40}, {"commit": "c" * 40})
DONE = Move(PublicationEvent.COMMENTED, {}, {}, kind="publication.done")


async def _add(store: Store, new_solve: NewSolve, solve_id: str = SOLVE, **changes: Any) -> None:
    columns: dict[str, Any] = {
        "repo_url": "https://f.test/a/b",
        "created_at": 1.0,
        "updated_at": 1.0,
    }
    async with store.change() as db:
        await solves.add(db, new_solve(solve_id))
        row = PublicationRow(solve_id=SolveId(solve_id), **(columns | changes))
        await publications.add(db, row, data={"by": "ada"})


async def _take(store: Store, holder: str, *, at: float) -> PublicationRow | None:
    async with store.change() as db:
        return await publications.take(db, SOLVE, holder, forge=FORGE, at=at, until=at + 60)


async def _kinds(store: Store) -> list[str]:
    async with store.read() as db:
        return [event.kind for event in await events.after(db, SOLVE)]


async def test_there_is_none_before_someone_asks(store: Store, new_solve: NewSolve):
    async with store.read() as db:
        assert await publications.find(db, SOLVE) is None
        with pytest.raises(NotFoundError, match="request it first"):
            await publications.get(db, SOLVE)
    await _add(store, new_solve)
    assert await _kinds(store) == ["publication.requested"]


async def test_one_holds_it_until_the_lease_is_over_or_let_go(store: Store, new_solve: NewSolve):
    await _add(store, new_solve)
    first = await _take(store, "one", at=100)
    assert first is not None
    assert (first.holder, first.held_until) == ("one", 160)
    assert await _take(store, "two", at=159) is None
    assert await _take(store, "one", at=159) is None
    async with store.change() as db:
        assert await publications.renew(db, SOLVE, "one", until=200)
        assert not await publications.renew(db, SOLVE, "two", until=999)
    assert await _take(store, "two", at=199) is None
    assert await _take(store, "two", at=200) is not None
    async with store.change() as db:
        assert not await publications.renew(db, SOLVE, "one", until=0)
        assert await publications.renew(db, SOLVE, "two", until=0)
    assert await _take(store, "three", at=201) is not None


async def test_only_one_of_many_takes_it(store: Store, new_solve: NewSolve):
    await _add(store, new_solve)
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(_take(store, f"w{n}", at=100)) for n in range(6)]
    assert sum(task.result() is not None for task in tasks) == 1


async def test_who_lost_it_writes_nothing(store: Store, new_solve: NewSolve):
    await _add(store, new_solve)
    stale = await _take(store, "one", at=100)
    fresh = await _take(store, "two", at=200)
    assert stale is not None
    assert fresh is not None
    for late in (
        lambda db: publications.advance(db, stale, COMMITTED, at=201),
        lambda db: publications.change(db, SOLVE, "one", at=201, head_repo="x/y"),
    ):
        with pytest.raises(ClaimLostError):
            async with store.change() as db:
                await late(db)
    async with store.change() as db:
        row = await publications.advance(db, fresh, COMMITTED, at=201)
    assert (row.state, row.commit) == (PublicationState.COMMITTED, "c" * 40)
    # Its state is another one by now.
    with pytest.raises(ClaimLostError):
        async with store.change() as db:
            await publications.advance(db, _as_requested(row), COMMITTED, at=202)
    assert await _kinds(store) == ["publication.requested", "publication.committed"]


def _as_requested(row: PublicationRow) -> PublicationRow:
    return PublicationRow(
        solve_id=row.solve_id,
        repo_url=row.repo_url,
        holder=row.holder,
        state=PublicationState.REQUESTED,
        created_at=1.0,
        updated_at=1.0,
    )


async def test_only_the_table_moves_a_state(store: Store, new_solve: NewSolve):
    await _add(store, new_solve)
    row = await _take(store, "one", at=100)
    assert row is not None
    async with store.change() as db:
        with pytest.raises(IllegalTransitionError):
            await publications.advance(db, row, Move(PublicationEvent.PUSHED, {}, {}), at=101)
        with pytest.raises(ValueError, match="advance"):
            await publications.change(db, SOLVE, "one", at=1.0, state=PublicationState.DONE)


async def test_the_timeline_can_call_it_otherwise(store: Store, new_solve: NewSolve):
    await _add(store, new_solve)
    row = await _take(store, "one", at=100)
    assert row is not None
    async with store.change() as db:
        await publications.advance(db, row, DONE, at=101)
        told = await events.after(db, SOLVE)
    assert told[-1].kind == "publication.done"
    assert told[-1].data == {"from": "requested", "to": "done"}


@pytest.mark.parametrize(
    ("columns", "is_due"),
    [
        ({}, True),
        ({"due_at": 100.0}, True),
        ({"due_at": 101.0}, False),
        ({"held_until": 101.0}, False),
        ({"held_until": 100.0}, True),
        ({"state": PublicationState.OPENED}, True),
        ({"state": PublicationState.DONE}, False),
        ({"state": PublicationState.REFUSED}, False),
        ({"state": PublicationState.REFUSED, "due_at": 50.0}, True),
        ({"state": PublicationState.STALE, "due_at": 500.0}, False),
    ],
)
async def test_what_is_due(
    store: Store,
    new_solve: NewSolve,
    columns: dict[str, Any],
    is_due: bool,  # noqa: FBT001
):
    await _add(store, new_solve, **columns)
    async with store.read() as db:
        found = await publications.due(db, forge=FORGE, at=100.0, limit=10)
    assert found == ([SOLVE] if is_due else [])
    assert (await _take(store, "one", at=100.0) is not None) == is_due


async def test_what_is_at_another_forge_is_not_ours(store: Store, new_solve: NewSolve):
    await _add(store, new_solve, repo_url="https://f.test.evil/a/b")
    async with store.change() as db:
        assert await publications.due(db, forge=FORGE, at=100.0, limit=10) == []
        elsewhere = "https://f.test.evil"
        assert await publications.due(db, forge=elsewhere, at=100.0, limit=10) == [SOLVE]
        assert await publications.due(db, forge="https://f_test", at=100.0, limit=10) == []
    assert await _take(store, "one", at=100.0) is None


async def test_who_holds_it_as_it_was_seen(store: Store, new_solve: NewSolve):
    await _add(store, new_solve)
    row = await _take(store, "one", at=100)
    assert row is not None
    async with store.change() as db:
        await publications.hold(db, row)
    await _take(store, "two", at=200)
    with pytest.raises(ClaimLostError):
        async with store.change() as db:
            await publications.hold(db, row)


async def test_solves_of_which_nothing_was_reported(store: Store, new_solve: NewSolve):
    def solve(number: int, **changes: Any) -> Any:
        columns: dict[str, Any] = {
            "publish": PublishMode.AUTO,
            "state": SolveState.AWAITING_REVIEW,
            "finished_at": 50.0,
            "origin": Origin(login="ada"),
            "repo_url": f"{FORGE}/a/b",
        }
        return new_solve(f"0190a000-0000-7000-8000-0000000000{number:02d}", **columns | changes)

    async with store.change() as db:
        for row in (
            solve(1),
            solve(2, publish=PublishMode.NEVER),
            solve(3, publish=None),
            solve(4, state=SolveState.CANCELLED),
            solve(5, finished_at=5.0),
            solve(6, finished_at=95.0),
            solve(7, finished_at=60.0, publish=PublishMode.ASK),
            solve(8, repo_url="https://elsewhere.test/a/b"),
        ):
            await solves.add(db, row)
        found = await publications.forgotten(db, forge=FORGE, since=10.0, until=90.0, limit=10)
    assert [(ended.solve_id[-2:], ended.publish) for ended in found] == [
        ("07", PublishMode.ASK),
        ("01", PublishMode.AUTO),
    ]
    assert found[0].origin == Origin(login="ada")


async def test_writes_are_apart_over_all_processes(store: Store):
    async def reserve(key: str = "app acme", now: float = 100.0) -> float:
        async with store.change() as db:
            return await write_turns.reserve(db, key, now=now)

    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(reserve()) for _ in range(5)]
    assert sorted(task.result() for task in tasks) == [100.0, 101.0, 102.0, 103.0, 104.0]
    assert await reserve("another") == 100.0
    # After a pause nobody waits.
    assert await reserve(now=200.0) == 200.0
    assert await reserve("x" * 1000) == 100.0
