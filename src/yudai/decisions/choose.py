"""A person's decision: another champion, or none."""

from pydantic import ConfigDict, Field
from sqlalchemy.ext.asyncio import AsyncSession

from yudai.artifacts.context import Context
from yudai.kit.errors import ConflictError, NotFoundError, RefusedError
from yudai.kit.ids import RunId, SolveId, short
from yudai.kit.text import line
from yudai.kit.value import Value
from yudai.publishing import queries as publications
from yudai.publishing.domain.publication import RESTING
from yudai.runs import queries as runs
from yudai.runs.domain.states import RunState
from yudai.solves import queries as solves
from yudai.solves import timeline as events
from yudai.solves.domain.states import SolveEvent, SolveState
from yudai.solves.tables import SolveRow

MAX_REASON = 500


class Choice(Value):
    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {
                    "run_id": "0190a000-0000-7000-8000-00000000aa01",
                    "reason": "It touches one file and reads best.",
                }
            ]
        }
    )

    run_id: str = Field(min_length=1, max_length=64, description="A completed run of this solve.")
    reason: str = Field(
        min_length=1, max_length=MAX_REASON, pattern=r"\S", description="One line: why this one."
    )


async def dismiss_solve(
    context: Context, solve_id: SolveId, reason: str, *, user_id: str, by: str = ""
) -> None:
    """Complete a solve without taking a patch; its runs do not change.

    `by` names the person when it is not the owner.
    """
    facts: dict[str, object] = {"dismissed": line(reason, width=MAX_REASON), "by": by or user_id}
    async with context.store.change() as db:
        solve = await solves.hold(db, solve_id)
        _check_owner(solve, user_id)
        if solve.state is not SolveState.AWAITING_REVIEW:
            raise ConflictError(
                f"solve {short(solve_id)} is {solve.state}: only what is awaiting review can"
                " be dismissed",
                state=solve.state,
            )
        now = context.clock.now()
        await solves.advance(db, solve_id, SolveEvent.SETTLED, at=now, data=facts)
        await publications.cancel(db, solve_id, at=now)


async def choose_champion(
    context: Context, solve_id: SolveId, choice: Choice, *, user_id: str, by: str = ""
) -> None:
    """Offer another run than the ranking did, or one where it abstained.

    The solve's state does not change: a solve that awaits review still does, and after an
    abstention the chosen run's patch can be applied.
    """
    reason, now = " ".join(choice.reason.split()), context.clock.now()
    async with context.store.change() as db:
        solve = await solves.hold(db, solve_id)
        _check_owner(solve, user_id)
        await _check_open(db, solve)
        await _check_unpublished(db, solve_id)
        run = next((r for r in await runs.of_solve(db, solve_id) if r.id == choice.run_id), None)
        if run is None:
            raise RefusedError(
                f"solve {short(solve_id)} has no run {choice.run_id!a}", field="run_id"
            )
        if run.state is not RunState.COMPLETED:
            raise RefusedError(
                f"{run.handle} is {run.state}: choose a completed run",
                field="run_id",
            )
        facts: dict[str, object] = {
            "was": solve.champion_run_id,
            "reason": reason,
            "by": by or user_id,
        }
        await solves.close_questions(db, solve_id, at=now)
        await events.append(
            db, solve_id, kind="champion.chosen", at=now, run_id=RunId(run.id), data=facts
        )
        await solves.change(
            db, solve_id, champion_run_id=run.id, reason=f"chosen by a person: {reason}"
        )


def _check_owner(solve: SolveRow, user_id: str) -> None:
    if solve.user_id != user_id:
        raise NotFoundError(f"there is no solve {solve.id}")


async def _check_open(db: AsyncSession, solve: SolveRow) -> None:
    """Only between the ranking and the decision is there a choice."""
    if solve.state is SolveState.AWAITING_REVIEW:
        return
    abstained = await events.has(db, solve.id, "solve.abstained")
    if not abstained or await events.has(db, solve.id, "patch.applied"):
        raise ConflictError(
            f"solve {short(solve.id)} is {solve.state}: a champion is chosen while it is awaiting"
            " review, or when it was completed without one",
            state=solve.state,
        )


async def _check_unpublished(db: AsyncSession, solve_id: SolveId) -> None:
    """Refuse during publishing: else a pull request could mix two runs."""
    row = await publications.find(db, solve_id)
    if row is not None and row.state not in RESTING:
        raise ConflictError(
            f"solve {short(solve_id)} is being published: choose when that has ended",
            state=row.state,
        )
