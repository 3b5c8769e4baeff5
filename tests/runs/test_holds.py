"""Money that is set aside in the database."""

import asyncio
from collections.abc import Callable

import pytest

from yudai.kit.errors import NotFoundError
from yudai.kit.ids import SolveId, WorkerId
from yudai.runs import queries as runs
from yudai.runs.spending import holds
from yudai.runs.spending.holds import MOST_MICROS, Account
from yudai.runs.tables import HoldRow, RunRow
from yudai.solves import queries as solves
from yudai.solves import timeline as events
from yudai.solves.tables import SolveRow
from yudai.store.store import Store

OURS, DEAD = WorkerId("ours"), WorkerId("dead")


async def _set_aside(
    store: Store, run: RunRow, *micros: int, worker_id: WorkerId = OURS
) -> list[str]:
    async with store.change() as db:
        rows = [
            HoldRow(
                id=f"{run.id[-4:]}-{worker_id}-{number}",
                solve_id=run.solve_id,
                run_id=run.id,
                worker_id=worker_id,
                micros=amount,
                at=1.0,
            )
            for number, amount in enumerate(micros)
        ]
        for row in rows:
            await holds.add(db, row)
        return [row.id for row in rows]


async def _account(store: Store, solve_id: SolveId) -> Account:
    async with store.change() as db:
        return await holds.account(db, solve_id)


async def _settle(store: Store, run: RunRow, hold_id: str, cost: int, uncertain: int = 0) -> bool:
    async with store.change() as db:
        return await holds.settle(
            db, run.solve_id, hold_id, cost_micros=cost, uncertain_micros=uncertain
        )


async def test_what_a_call_cost_takes_the_place_of_what_was_set_aside_once(
    store: Store, run: RunRow
) -> None:
    first, second = await _set_aside(store, run, 100, 50)
    assert (await _account(store, run.solve_id)).held_micros == 150
    assert await _settle(store, run, first, 30, 7)
    assert not await _settle(store, run, first, 30, 7)
    account = await _account(store, run.solve_id)
    assert (account.spent_micros, account.uncertain_micros, account.used_micros) == (30, 7, 37)
    assert [(held.id, held.micros) for held in account.held] == [(second, 50)]


async def test_a_readers_cursor_sees_that_money_was_spent(store: Store, run: RunRow) -> None:
    free, dear = await _set_aside(store, run, 100, 50)
    revs: list[int] = []
    for hold_id, cost in ((free, 0), (dear, 30)):
        await _settle(store, run, hold_id, cost)
        async with store.read() as db:
            revs.append((await solves.get(db, run.solve_id)).rev)
    assert revs[1] == revs[0] + 1


async def test_the_calls_of_a_dead_worker_count_as_uncertain_once(
    store: Store,
    run: RunRow,
    new_solve: Callable[..., SolveRow],
    new_run: Callable[..., RunRow],
) -> None:
    async with store.change() as db:
        await solves.add(db, new_solve("other"))
        elsewhere = new_run("elsewhere", solve_id="other")
        await runs.add_all(db, [elsewhere])
    dead, *_ = await _set_aside(store, run, 100, 11, worker_id=DEAD)
    await _set_aside(store, run, 5)
    await _set_aside(store, elsewhere, 7, worker_id=DEAD)
    counts: list[int] = []
    for _ in range(2):
        async with store.change() as db:
            counts.append(await holds.write_off(db, DEAD, at=9.0))
    assert counts == [3, 0]
    ours, others = [await _account(store, SolveId(i)) for i in (run.solve_id, "other")]
    assert (ours.spent_micros, ours.uncertain_micros, ours.held_micros) == (0, 111, 5)
    assert (others.uncertain_micros, others.held) == (7, ())
    async with store.read() as db:
        told = await events.after(db, run.solve_id)
    assert [(row.kind, row.run_id, row.data["micros"]) for row in told] == [
        ("run.call_lost", run.id, 100),
        ("run.call_lost", run.id, 11),
    ]
    assert not await _settle(store, run, dead, 40), "a worker that was only frozen comes too late"
    assert (await _account(store, run.solve_id)).used_micros == 111


async def test_two_who_write_the_same_off_at_once_do_it_once(
    url: str, store: Store, run: RunRow
) -> None:
    await _set_aside(store, run, *range(1, 11), worker_id=DEAD)

    async def write_off(place: Store) -> int:
        async with place.change() as db:
            return await holds.write_off(db, DEAD, at=9.0)

    async with await Store.open(url) as other, asyncio.TaskGroup() as group:
        tasks = [group.create_task(write_off(place)) for place in (store, other)]
    assert sorted(task.result() for task in tasks) == [0, 10]
    assert (await _account(store, run.solve_id)).uncertain_micros == 55


async def test_absurd_amounts_fit_into_the_columns(store: Store, run: RunRow) -> None:
    [hold_id] = await _set_aside(store, run, 1 << 80)
    assert (await _account(store, run.solve_id)).held_micros == MOST_MICROS
    await _settle(store, run, hold_id, 1 << 80, 1 << 80)
    account = await _account(store, run.solve_id)
    assert (account.spent_micros, account.uncertain_micros) == (MOST_MICROS, MOST_MICROS)


async def test_a_removed_solve_has_no_money(store: Store) -> None:
    with pytest.raises(NotFoundError):
        await _account(store, SolveId("removed"))


async def test_only_a_transaction_can_hold_the_account(store: Store, run: RunRow) -> None:
    async with store.read() as db:
        with pytest.raises(RuntimeError, match="needs a transaction"):
            await holds.charge(db, run.solve_id, cost_micros=1, uncertain_micros=0)
