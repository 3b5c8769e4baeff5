"""Who may write: taking work up, and refusing whoever held it before."""

from collections.abc import Sequence
from typing import Literal, NamedTuple

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from yudai.domain import run_state, solve_state
from yudai.domain.errors import TakenError
from yudai.domain.ids import RunId, SolveId, WorkerId
from yudai.store.tables import RunRow, SolveRow


class Claim(NamedTuple):
    """The right to write about a solve or a run; it ends when somebody else has a newer one."""

    kind: Literal["solve", "run"]
    of: SolveId | RunId
    worker_id: WorkerId
    attempt: int

    def check(self, row: SolveRow | RunRow) -> None:
        if (row.worker_id, row.attempt) != (self.worker_id, self.attempt):
            raise TakenError(f"{self.kind} {self.of} was taken up by another worker")


def claim_of(row: SolveRow | RunRow) -> Claim:
    kind = "solve" if isinstance(row, SolveRow) else "run"
    return Claim(kind, row.id, row.worker_id, row.attempt)


async def lost(db: AsyncSession, held: Sequence[Claim]) -> list[Claim]:
    """Those that are no longer worth their work: ended, or somebody else's."""
    return [
        claim
        for table, over in ((SolveRow, solve_state.RESTING), (RunRow, run_state.FINAL))
        for claim in await _lost(db, table, over, held)
    ]


async def _lost(
    db: AsyncSession,
    table: type[SolveRow] | type[RunRow],
    over: frozenset[solve_state.SolveState] | frozenset[run_state.RunState],
    held: Sequence[Claim],
) -> list[Claim]:
    kind = table.__tablename__.removesuffix("s")
    ours = {claim.of: claim for claim in held if claim.kind == kind}
    if not ours:
        return []
    query = select(table.id, table.worker_id, table.attempt, table.state)
    rows = (await db.execute(query.where(table.id.in_(list(ours))))).all()
    still = {
        row.id
        for row in rows
        if row.state not in over
        and (row.worker_id, row.attempt) == (ours[row.id].worker_id, ours[row.id].attempt)
    }
    return [claim for of, claim in ours.items() if of not in still]
