"""Outcomes are added once, answered once; and which pull requests are due."""

import asyncio
from typing import Any

import pytest

from yudai.forge.domain.repository import PullState
from yudai.kit.errors import ConflictError, NotFoundError
from yudai.kit.ids import SolveId
from yudai.publishing import outcome_queries as outcomes
from yudai.publishing import outcome_queries as pulls
from yudai.publishing import queries as publications
from yudai.publishing.domain.publication import OutcomeKind
from yudai.publishing.outcome_queries import Due
from yudai.publishing.tables import OutcomeRow, PublicationRow
from yudai.runs.tables import RunRow
from yudai.solves import timeline as events
from yudai.store.store import Store

FORGE = "https://forge.test"


def _outcome(run: RunRow, **changes: Any) -> OutcomeRow:
    columns: dict[str, Any] = {
        "kind": OutcomeKind.SUSPECTED_REVERT,
        "key": "abc",
        "at": 10.0,
        "seen_at": 20.0,
        "evidence": {"pull": 7},
    }
    return OutcomeRow(solve_id=run.solve_id, run_id=run.id, **(columns | changes))


async def _add(store: Store, row: OutcomeRow) -> bool:
    async with store.change() as db:
        return await outcomes.add(db, row)


async def _publish(store: Store, run: RunRow, **changes: Any) -> None:
    columns: dict[str, Any] = {
        "repo_url": f"{FORGE}/ada/calc",
        "branch": "yudai/issue-1",
        "pull_number": 7,
        "pull_state": PullState.OPEN,
        "created_at": 1.0,
        "updated_at": 1.0,
    }
    row = PublicationRow(solve_id=run.solve_id, run_id=run.id, **(columns | changes))
    async with store.change() as db:
        await publications.add(db, row, data={})


async def test_the_same_thing_is_kept_and_told_once(store: Store, run: RunRow) -> None:
    assert await _add(store, _outcome(run))
    assert not await _add(store, _outcome(run, at=99.0))
    assert await _add(store, _outcome(run, key="def"))
    assert await _add(store, _outcome(run, kind=OutcomeKind.REVERTED))
    async with store.read() as db:
        rows = await outcomes.of_solve(db, run.solve_id)
        told = await events.after(db, run.solve_id)
    assert [(row.kind.value, row.key, row.at) for row in rows] == [
        ("suspected_revert", "abc", 10.0),
        ("suspected_revert", "def", 10.0),
        ("reverted", "abc", 10.0),
    ]
    assert [event.kind for event in told] == [
        "outcome.suspected_revert",
        "outcome.suspected_revert",
        "outcome.reverted",
    ]
    assert told[0].data == {"outcome": rows[0].id, "happened_at": 10.0, "by": "", "pull": 7}
    assert (told[0].at, told[0].run_id) == (20.0, run.id)


async def test_many_who_see_it_at_once_keep_it_once(store: Store, run: RunRow) -> None:
    async with asyncio.TaskGroup() as group:
        added = [group.create_task(_add(store, _outcome(run))) for _ in range(6)]
    assert sorted(task.result() for task in added) == [False] * 5 + [True]


async def test_a_suspicion_is_answered_once(store: Store, run: RunRow) -> None:
    row = _outcome(run)
    await _add(store, row)
    async with store.change() as db:
        found = await outcomes.get(db, row.id)
        assert await outcomes.answer(db, found, is_so=False, by="ada")
        assert (found.confirmed, found.confirmed_by) == (False, "ada")
    async with store.change() as db:
        found = await outcomes.get(db, row.id)
        assert not await outcomes.answer(db, found, is_so=False, by="bob")
        assert found.confirmed_by == "ada"
        with pytest.raises(ConflictError, match="already has another answer"):
            await outcomes.answer(db, found, is_so=True, by="bob")


@pytest.mark.parametrize("outcome_id", [0, -1, 12345, 2**63, 10**40])
async def test_what_is_not_there_is_not_found(store: Store, outcome_id: int) -> None:
    async with store.read() as db:
        with pytest.raises(NotFoundError, match="there is no outcome"):
            await outcomes.get(db, outcome_id)


async def _due(store: Store, *, now: float, forge: str = FORGE) -> list[SolveId]:
    which = Due(forge, open_before=now - 600, ended_before=now - 3600, young=now - 30_000)
    async with store.read() as db:
        return [row.solve_id for row in await pulls.due(db, which)]


@pytest.mark.parametrize("state", [PullState.OPEN, None])
async def test_open_ones_are_due_soon(store: Store, run: RunRow, state: PullState | None) -> None:
    await _publish(store, run, pull_state=state, looked_at=1000.0)
    assert await _due(store, now=1599.0) == []
    assert await _due(store, now=1600.0) == [run.solve_id]
    assert await _due(store, now=1600.0, forge="https://forge.tes") == []
    assert await _due(store, now=1600.0, forge="https://forg_.test") == []


@pytest.mark.parametrize("kind", [OutcomeKind.MERGED, OutcomeKind.CLOSED])
async def test_ended_ones_are_due_rarely_and_while_they_are_young(
    store: Store, run: RunRow, kind: OutcomeKind
) -> None:
    await _publish(store, run, pull_state=PullState(kind.value), looked_at=50_000.0)
    assert await _due(store, now=90_000.0) == []
    await _add(store, _outcome(run, kind=kind, at=50_000.0))
    assert await _due(store, now=53_599.0) == []
    assert await _due(store, now=53_600.0) == [run.solve_id]
    assert await _due(store, now=80_000.0) == []


async def test_what_has_no_pull_request_is_never_due(store: Store, run: RunRow) -> None:
    await _publish(store, run, pull_number=None, pull_state=None)
    assert await _due(store, now=1e9) == []
    async with store.read() as db:
        assert await pulls.at(db, f"{FORGE}/ada/calc", None, young=0.0) == []


async def test_only_one_takes_a_look(store: Store, run: RunRow) -> None:
    await _publish(store, run)
    async with store.read() as db:
        row = await publications.get(db, run.solve_id)
    async with store.change() as db:
        assert await pulls.take(db, row, at=5.0)
        assert not await pulls.take(db, row, at=6.0)
        await pulls.change(db, run.solve_id, looked_at=7.0)
    async with store.read() as db:
        assert (await publications.get(db, run.solve_id)).looked_at == 7.0


async def test_a_hint_names_ours_or_concerns_all_of_the_repository(
    store: Store, run: RunRow
) -> None:
    await _publish(store, run)
    async with store.read() as db:
        for number in (7, 99, None):
            [row] = await pulls.at(db, f"{FORGE}/Ada/Calc", number, young=0.0)
            assert row.solve_id == run.solve_id
        assert await pulls.at(db, f"{FORGE}/ada/other", 7, young=0.0) == []
