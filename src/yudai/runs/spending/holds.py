"""Money of a solve and its runs: spent, and reserved for running calls, over all workers."""

from collections.abc import Iterable
from typing import NamedTuple

from sqlalchemy import case, delete, func, select, update
from sqlalchemy.ext.asyncio import AsyncSession

from yudai.kit.errors import NotFoundError
from yudai.kit.hints import SOLVES
from yudai.kit.ids import RunId, SolveId, WorkerId
from yudai.runs.tables import EndpointRow, HoldRow, RunRow
from yudai.solves import timeline as events
from yudai.solves.tables import SolveRow
from yudai.solves.timeline import hold_solve

MOST_MICROS = 10**15
"""Upper bound for one call, whatever its reply says: sums still fit into the column."""


class Held(NamedTuple):
    id: str
    run_id: RunId
    worker_id: WorkerId
    micros: int


class Account(NamedTuple):
    """A solve's spent and reserved money."""

    spent_micros: int
    uncertain_micros: int
    held: tuple[Held, ...]

    @property
    def used_micros(self) -> int:
        return self.spent_micros + self.uncertain_micros

    @property
    def held_micros(self) -> int:
        return sum(hold.micros for hold in self.held)


async def account(db: AsyncSession, solve_id: SolveId) -> Account:
    """Lock the solve and read its account: no reservation or settlement until the commit."""
    await hold_solve(db, solve_id)
    columns = select(SolveRow.spent_micros, SolveRow.uncertain_micros)
    row = (await db.execute(columns.where(SolveRow.id == solve_id))).one_or_none()
    if row is None:
        raise NotFoundError(f"there is no solve {solve_id}: ", SOLVES, " names them")
    holds = select(HoldRow.id, HoldRow.run_id, HoldRow.worker_id, HoldRow.micros)
    rows = await db.execute(holds.where(HoldRow.solve_id == solve_id))
    return Account(
        spent_micros=row.spent_micros,
        uncertain_micros=row.uncertain_micros,
        held=tuple(Held(*held) for held in rows),
    )


async def has(db: AsyncSession, run_id: RunId) -> bool:
    """Whether a call of this run is running."""
    query = select(HoldRow.id).where(HoldRow.run_id == run_id).limit(1)
    return await db.scalar(query) is not None


async def worker_of(db: AsyncSession, run_id: RunId) -> WorkerId | None:
    """The worker that runs it; None when there is no such run."""
    return await db.scalar(select(RunRow.worker_id).where(RunRow.id == run_id))


async def add(db: AsyncSession, row: HoldRow) -> None:
    row.micros = min(row.micros, MOST_MICROS)
    db.add(row)
    await db.flush()


async def settle(
    db: AsyncSession, solve_id: SolveId, hold_id: str, *, cost_micros: int, uncertain_micros: int
) -> bool:
    """Replace a reservation by the call's cost.

    False when it was settled before, or written off: then it counts as uncertain.
    """
    await hold_solve(db, solve_id)
    if not await remove(db, hold_id):
        return False
    await charge(db, solve_id, cost_micros=cost_micros, uncertain_micros=uncertain_micros)
    return True


async def charge(
    db: AsyncSession, solve_id: SolveId, *, cost_micros: int, uncertain_micros: int
) -> None:
    if not (cost_micros or uncertain_micros):
        return
    changes = {
        "spent_micros": SolveRow.spent_micros + min(cost_micros, MOST_MICROS),
        "uncertain_micros": SolveRow.uncertain_micros + min(uncertain_micros, MOST_MICROS),
        "rev": SolveRow.rev + 1,
    }
    statement = update(SolveRow).where(SolveRow.id == solve_id).values(**changes)
    await db.execute(statement, execution_options={"synchronize_session": False})


async def run_used_micros(db: AsyncSession, run_id: RunId) -> int:
    """What all attempts of a run have cost, or may have cost. The solve must be locked."""
    cost = select(RunRow.earlier_cost_micros + RunRow.cost_micros).where(RunRow.id == run_id)
    lost = select(func.sum(EndpointRow.uncertain_micros)).where(EndpointRow.run_id == run_id)
    return int(await db.scalar(cost) or 0) + int(await db.scalar(lost) or 0)


async def charge_run(
    db: AsyncSession, run_id: RunId, attempt: int, *, cost_micros: int, uncertain_micros: int
) -> None:
    """Charge the run in the transaction that settles the call, so that no cost is missed."""
    cost = min(cost_micros, MOST_MICROS)
    if cost:
        is_present = RunRow.attempt == attempt
        earlier = RunRow.earlier_cost_micros
        changes = {
            "cost_micros": RunRow.cost_micros + case((is_present, cost), else_=0),
            "earlier_cost_micros": earlier + case((is_present, 0), else_=cost),
            "rev": RunRow.rev + 1,
        }
        statement = update(RunRow).where(RunRow.id == run_id).values(**changes)
        await db.execute(statement, execution_options={"synchronize_session": False})
    if uncertain_micros:
        row = await endpoint_row(db, run_id, attempt)
        row.uncertain_micros += min(uncertain_micros, MOST_MICROS)


async def endpoint_row(db: AsyncSession, run_id: RunId, attempt: int) -> EndpointRow:
    row = await db.get(EndpointRow, (run_id, attempt), populate_existing=True)
    if row is None:
        row = EndpointRow(run_id=run_id, attempt=attempt)
        db.add(row)
    return row


async def write_off(db: AsyncSession, worker_id: WorkerId, *, at: float) -> int:
    """Count a dead worker's running calls as uncertain cost: they may have been billed.

    Returns their number. Idempotent.
    """
    solve_ids = select(HoldRow.solve_id).where(HoldRow.worker_id == worker_id).distinct()
    count = 0
    # Always in one order: two transactions at once wait instead of deadlocking.
    for solve_id in sorted(await db.scalars(solve_ids)):
        held = (await account(db, solve_id)).held
        dead = [hold for hold in held if hold.worker_id == worker_id]
        await write_off_all(db, solve_id, dead, at=at)
        count += len(dead)
    return count


async def write_off_all(
    db: AsyncSession, solve_id: SolveId, dead: Iterable[Held], *, at: float
) -> None:
    """Write off these reservations. The solve must be locked."""
    for hold in dead:
        await remove(db, hold.id)
        await charge(db, solve_id, cost_micros=0, uncertain_micros=hold.micros)
        event_data: dict[str, object] = {"micros": hold.micros, "worker_id": hold.worker_id}
        await events.append(
            db, solve_id, kind="run.call_lost", at=at, run_id=hold.run_id, data=event_data
        )


async def remove(db: AsyncSession, hold_id: str) -> bool:
    """Remove a reservation; False when there is none."""
    statement = delete(HoldRow).where(HoldRow.id == hold_id).returning(HoldRow.id)
    gone = await db.scalars(statement, execution_options={"synchronize_session": False})
    return gone.one_or_none() is not None
