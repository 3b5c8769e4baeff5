"""From the rows of a solve's runs to its ranking."""

from collections.abc import Iterable, Iterator, Sequence

from yudai.kit.causes import Cause
from yudai.kit.ids import SolveId
from yudai.kit.value import from_attributes
from yudai.ranking.domain.reducer import rank
from yudai.ranking.domain.scorecard import Place, Ranking, Scorecard
from yudai.runs import queries as runs
from yudai.runs.tables import RunRow
from yudai.solves import queries as solves
from yudai.solves.claims import Claim
from yudai.solves.domain.budget import ended
from yudai.solves.tables import SolveRow
from yudai.store.store import Store
from yudai.verification.domain.decide import Decision
from yudai.verification.domain.verdict import NOTHING


def scorecard_of(run: RunRow) -> Scorecard:
    return from_attributes(
        Scorecard,
        run,
        run_id=run.id,
        verdict=run.verdict or NOTHING,
        cost_micros=run.total_cost_micros,
        steadiness=0.0,
    )


def ranked(rows: Iterable[RunRow]) -> Iterator[tuple[int, RunRow]]:
    """The stored ranking; runs without a place yet follow in their own order."""
    ordered = sorted(rows, key=lambda run: (run.rank is None, run.rank or 0, run.position))
    return ((run.rank or number, run) for number, run in enumerate(ordered, start=1))


def places_of(rows: Iterable[RunRow]) -> list[Place]:
    return [
        Place(rank=number, scorecard=scorecard_of(run), why=run.why) for number, run in ranked(rows)
    ]


def stopped_by(solve: SolveRow, rows: Sequence[RunRow], *, now: float) -> str | None:
    """Which limit kept a run from its answer, if one did."""
    causes = {run.cause for run in rows}
    elapsed = (solve.finished_at or now) - (solve.started_at or now)
    cost = sum(run.total_cost_micros for run in rows)
    limit = ended(
        solve.budget,
        elapsed_s=elapsed if Cause.OUT_OF_TIME in causes else 0.0,
        cost_micros=cost if Cause.OUT_OF_BUDGET in causes else 0,
    )
    # A run has its own cap, and calls that may have been billed count against it, but not as cost.
    return limit or ("a cost cap" if Cause.OUT_OF_BUDGET in causes else None)


async def rank_runs(store: Store, solve_id: SolveId, claim: Claim, decision: Decision) -> Ranking:
    """Order the runs by what was decided; keep each one's verdict and place with its why."""
    async with store.change() as db:
        solve = await solves.hold(db, solve_id)
        claim.check(solve)
        for run_id, verdict in decision.verdicts.items():
            await runs.change(db, run_id, verdict=verdict)
        ranking = rank(
            [scorecard_of(run) for run in await runs.of_solve(db, solve_id)],
            reducer=solve.reducer,
            require_proof=solve.require_proof,
            questions=decision.questions,
        )
        for place in ranking.places:
            await runs.change(db, place.scorecard.run_id, rank=place.rank, why=place.why)
    return ranking
