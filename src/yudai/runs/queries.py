"""Queries of runs, their costs and durations, and what was found about their patches."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from yudai.gateway.domain.models import Usage
from yudai.kit.ids import RunId, SolveId
from yudai.runs.domain import states as run_state
from yudai.runs.domain.states import RunEvent, RunState
from yudai.runs.tables import ExaminationRow, ExaminedRow, RunRow
from yudai.sandboxes.port import Tags
from yudai.solves import timeline as events
from yudai.solves.claims import Claim
from yudai.solves.domain.matrix import Contestant
from yudai.solves.domain.states import RESTING
from yudai.solves.queries import NEWEST_FIRST
from yudai.solves.tables import SolveRow
from yudai.solves.timeline import hold_solve
from yudai.store.compare_and_set import change_row, find_row, get_row
from yudai.store.rows import Data
from yudai.verification.domain.facts import Examination, Examined

_STAMPS = {RunState.RUNNING: "started_at", RunState.VERIFYING: "submitted_at"} | dict.fromkeys(
    run_state.FINAL, "finished_at"
)


def _stamps(state: RunState, at: float) -> dict[str, float]:
    return {_STAMPS[state]: at} if state in _STAMPS else {}


async def add_all(db: AsyncSession, rows: Iterable[RunRow]) -> None:
    db.add_all(rows)
    await db.flush()


async def get(db: AsyncSession, run_id: RunId) -> RunRow:
    return await get_row(db, RunRow, run_id)


async def hold(db: AsyncSession, run_id: RunId) -> RunRow:
    """Lock its solve and re-read the run: neither changes until the commit."""
    await hold_solve(db, (await get(db, run_id)).solve_id)
    return await get_row(db, RunRow, run_id, is_fresh=True)


async def find(db: AsyncSession, ending: str) -> RunRow:
    """A run by its id or a unique ending of it."""
    return await find_row(db, RunRow, ending)


async def of_solve(db: AsyncSession, solve_id: SolveId) -> list[RunRow]:
    query = select(RunRow).where(RunRow.solve_id == solve_id).order_by(RunRow.position)
    return list(await db.scalars(query))


async def advance(
    db: AsyncSession,
    run_id: RunId,
    event: RunEvent,
    *,
    at: float,
    data: Data | None = None,
    claim: Claim | None = None,
    **changes: object,
) -> RunRow:
    """Move to the event's next state, set other columns and append to the timeline.

    ClaimLostError when the claim was lost.
    """
    row = await hold(db, run_id)
    if claim:
        claim.check(row)
    was = row.state
    state = run_state.advance(was, event)
    columns = {"state": state, **_stamps(state, at), **_columns(changes)}
    changed = await change_row(db, RunRow, run_id, columns, expected=was)
    facts = {"from": was, "to": state, **(data or {})}
    await events.append(db, row.solve_id, kind=f"run.{event}", at=at, run_id=run_id, data=facts)
    return changed


async def change(
    db: AsyncSession, run_id: RunId, *, claim: Claim | None = None, **changes: object
) -> RunRow:
    """Set columns without a change of state; ClaimLostError when the claim was lost."""
    if "state" in changes:
        raise ValueError("a state changes through advance()")
    row = await hold(db, run_id)
    if claim:
        claim.check(row)
    return await change_row(db, RunRow, run_id, _columns(changes))


def _columns(changes: dict[str, object]) -> dict[str, object]:
    """Expand `usage` into the columns named like its fields."""
    usage = changes.get("usage")
    if not isinstance(usage, Usage):
        return changes
    return {name: new for name, new in changes.items() if name != "usage"} | usage.model_dump()


async def sandbox_tags(db: AsyncSession, owner: str) -> Tags:
    """Tags of a sandbox whose owner is a run or a solve; empty for any other owner."""
    run = (await db.execute(select(RunRow.solve_id).where(RunRow.id == owner))).one_or_none()
    solve_id = owner if run is None else run.solve_id
    columns = select(
        SolveRow.id,
        SolveRow.user_id,
        SolveRow.conversation_id,
        SolveRow.repo,
        SolveRow.issue_number,
    )
    solve = (await db.execute(columns.where(SolveRow.id == solve_id))).one_or_none()
    if solve is None:
        return Tags()
    return Tags(
        solve=solve.id,
        run="" if run is None else owner,
        conversation=solve.conversation_id or "",
        issue="" if solve.issue_number is None else f"{solve.repo}#{solve.issue_number}",
        user=solve.user_id,
    )


class Spent(NamedTuple):
    solve_id: SolveId
    repo: str
    at: float
    """When the solve was opened."""
    champion: RunId | None
    run_id: RunId
    contestant: Contestant
    cost_micros: int


async def spent_since(db: AsyncSession, user_id: str, at: float) -> Sequence[Spent]:
    """Cost of each run of a user's solves since then, with all its attempts."""
    query = (
        select(
            SolveRow.id,
            SolveRow.repo,
            SolveRow.created_at,
            SolveRow.champion_run_id,
            RunRow.id,
            RunRow.contestant,
            RunRow.cost_micros + RunRow.earlier_cost_micros,
        )
        .join(RunRow, RunRow.solve_id == SolveRow.id)
        .where(SolveRow.user_id == user_id, SolveRow.created_at >= at)
    )
    return [Spent._make(row) for row in await db.execute(query)]


async def at_risk(db: AsyncSession, user_id: str, since: float) -> int:
    """What a user's solves since then have cost, or may still cost while they are open."""
    query = select(
        SolveRow.state, SolveRow.budget, SolveRow.spent_micros, SolveRow.uncertain_micros
    ).where(SolveRow.user_id == user_id, SolveRow.created_at >= since)
    return sum(
        spent + uncertain if state in RESTING else budget.cost_cap_micros
        for state, budget, spent, uncertain in await db.execute(query)
    )


class RunDuration(NamedTuple):
    contestant: Contestant
    seconds: float


async def durations(db: AsyncSession, user_id: str, *, newest: int) -> list[RunDuration]:
    """How long completed runs of a user's newest solves took, from start to verdict."""
    looked_at = (
        select(SolveRow.id).where(SolveRow.user_id == user_id).order_by(*NEWEST_FIRST).limit(newest)
    )
    query = select(RunRow.contestant, RunRow.finished_at - RunRow.started_at).where(
        RunRow.solve_id.in_(looked_at),
        RunRow.state == RunState.COMPLETED,
        RunRow.started_at.is_not(None),
        RunRow.finished_at.is_not(None),
    )
    return [RunDuration(contestant, seconds) for contestant, seconds in await db.execute(query)]


async def keep_examined(db: AsyncSession, run_id: RunId, facts: Examined) -> None:
    await db.merge(ExaminedRow(run_id=run_id, facts=facts))


async def keep_examination(db: AsyncSession, solve_id: SolveId, facts: Examination) -> None:
    await db.merge(ExaminationRow(solve_id=solve_id, facts=facts))


async def examination_of(db: AsyncSession, solve_id: SolveId) -> Examination | None:
    row = await db.get(ExaminationRow, solve_id)
    return None if row is None else row.facts


async def examined_runs(db: AsyncSession, solve_id: SolveId) -> list[tuple[RunRow, Examined]]:
    """Completed runs in their order."""
    found = await db.execute(
        select(RunRow, ExaminedRow.facts)
        .join(ExaminedRow, ExaminedRow.run_id == RunRow.id)
        .where(RunRow.solve_id == solve_id, RunRow.state == RunState.COMPLETED)
        .order_by(RunRow.position)
    )
    return [(run, facts) for run, facts in found]
