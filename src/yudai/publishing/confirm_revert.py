"""A person confirms or rejects a suspected revert."""

from collections.abc import Iterable
from dataclasses import dataclass

from yudai.kit.clock import Clock
from yudai.kit.errors import NotFoundError, RefusedError
from yudai.kit.ids import SolveId
from yudai.publishing import outcome_queries as outcomes
from yudai.publishing.domain.publication import OutcomeKind
from yudai.publishing.tables import OutcomeRow
from yudai.solves import queries as solves
from yudai.solves import timeline as events
from yudai.store.store import Store

REVERSALS = (OutcomeKind.REVERTED, OutcomeKind.REAPPLIED)


@dataclass(frozen=True)
class RevertConfirmation:
    store: Store
    clock: Clock

    async def confirm(
        self, outcome_id: int, *, is_revert: bool, user_id: str, solve_id: SolveId | None = None
    ) -> None:
        """Answer a suspicion; ConflictError when it was answered differently.

        With `solve_id`, only an outcome of that solve.
        """
        now = self.clock.now()
        async with self.store.change() as db:
            row = await outcomes.get(db, outcome_id)
            if solve_id is not None and row.solve_id != solve_id:
                raise NotFoundError(f"there is no outcome {outcome_id} of this solve")
            if row.kind is not OutcomeKind.SUSPECTED_REVERT:
                raise RefusedError(f"outcome {outcome_id} is {row.kind}, not a suspected revert")
            await solves.hold(db, row.solve_id)
            if not await outcomes.answer(db, row, is_so=is_revert, by=user_id):
                return
            facts: dict[str, object] = {
                "outcome": row.id,
                "is_revert": row.confirmed,
                "by": row.confirmed_by,
            }
            await events.append(
                db, row.solve_id, kind="outcome.answered", at=now, run_id=row.run_id, data=facts
            )
            kept = await outcomes.of_solve(db, row.solve_id)
            if is_revert and is_there(kept):
                await outcomes.add(db, _reverted(row, now))


def is_there(kept: Iterable[OutcomeRow]) -> bool:
    """Whether the change is on its base branch, as far as is known."""
    reversals = [row.kind for row in kept if row.kind in REVERSALS]
    return not reversals or reversals[-1] is OutcomeKind.REAPPLIED


def _reverted(suspicion: OutcomeRow, now: float) -> OutcomeRow:
    return OutcomeRow(
        solve_id=suspicion.solve_id,
        run_id=suspicion.run_id,
        kind=OutcomeKind.REVERTED,
        key=suspicion.key,
        at=suspicion.at,
        seen_at=now,
        by=suspicion.by,
        evidence={**suspicion.evidence, "suspicion": suspicion.id},
    )
