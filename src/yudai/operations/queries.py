"""Counts of solves, runs and sandboxes for monitoring."""

from typing import NamedTuple, TypeVar

from sqlalchemy import ColumnElement, func, select, true
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.orm import InstrumentedAttribute

from yudai.runs.domain.states import RunState
from yudai.runs.tables import RunRow
from yudai.sandboxes.tables import SandboxRow
from yudai.solves.domain.states import SolveState
from yudai.solves.tables import SolveRow

Word = TypeVar("Word", bound=str)


class Counts(NamedTuple):
    solves: dict[SolveState, int]
    runs: dict[RunState, int]
    reaped: dict[str, int]
    """Sandboxes removed by sweeps so far, by backend."""


async def count(db: AsyncSession) -> Counts:
    return Counts(
        solves=await _by(db, SolveRow.state),
        runs=await _by(db, RunRow.state),
        reaped=await _by(db, SandboxRow.backend, SandboxRow.reaped.is_(True)),
    )


async def _by(
    db: AsyncSession, column: InstrumentedAttribute[Word], only: ColumnElement[bool] | None = None
) -> dict[Word, int]:
    query = select(column, func.count()).where(true() if only is None else only)
    rows = await db.execute(query.group_by(column))
    return {word: number for word, number in rows}  # noqa: C416 - rows are no pairs to a type checker
