"""Rows of what was found about patches, so that verdicts can be decided again from them."""

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from yudai.kit.ids import RunId, SolveId
from yudai.runs.domain.states import RunState
from yudai.runs.tables import ExaminationRow, ExaminedRow, RunRow
from yudai.verification.domain.facts import Examination, Examined


async def keep_examined(db: AsyncSession, run_id: RunId, facts: Examined) -> None:
    await db.merge(ExaminedRow(run_id=run_id, facts=facts))


async def keep(db: AsyncSession, solve_id: SolveId, facts: Examination) -> None:
    await db.merge(ExaminationRow(solve_id=solve_id, facts=facts))


async def of_solve(db: AsyncSession, solve_id: SolveId) -> Examination | None:
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
