"""What the model endpoint records of a run, in any process: messages, steps, usage, refusals."""

import asyncio
from dataclasses import dataclass
from typing import NamedTuple

import structlog
from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from yudai.agents.domain.plan import parse_plan
from yudai.agents.endpoint.port import EndpointReport
from yudai.agents.endpoint.tokens import RunClaims
from yudai.gateway.domain.models import Usage
from yudai.kit.causes import Cause
from yudai.kit.clock import Clock
from yudai.kit.ids import RunId
from yudai.kit.untyped import Object
from yudai.runs import messages as trajectories
from yudai.runs import queries as runs
from yudai.runs.domain.states import RunState
from yudai.runs.domain.trajectory.trajectory import TrajectoryMessage
from yudai.runs.spending import holds
from yudai.runs.spending.holds import endpoint_row
from yudai.runs.tables import EndpointRow, RunRow
from yudai.solves import timeline as events
from yudai.solves.tables import EventRow, SolveRow
from yudai.store.store import Store

log: structlog.stdlib.BoundLogger = structlog.get_logger()

MAX_REFUSED = 100
"""Limit on refused requests of one attempt. Further ones are not read."""
_LOOK_S = 0.1


@dataclass(frozen=True)
class EndpointRecorder:
    store: Store
    clock: Clock

    async def keep(
        self,
        db: AsyncSession,
        run: RunRow,
        bodies: list[Object],
        *,
        step: int,
        steps: int | None = None,
        usage: Usage | None = None,
    ) -> RunRow:
        """Append redacted messages. The caller holds the run's row."""
        messages = [
            TrajectoryMessage(
                seq=run.message_count + place,
                step=step,
                role=body["role"],
                at=body["extra"]["timestamp"],
                body=body,
            )
            for place, body in enumerate(bodies)
        ]
        await trajectories.add_all(db, run.id, messages, attempt=run.attempt)
        return await runs.change(
            db,
            run.id,
            message_count=run.message_count + len(messages),
            steps=run.steps if steps is None else steps,
            usage=usage or run.usage,
        )

    async def finish(
        self, claims: RunClaims, body: Object, *, step: int, usage: Usage
    ) -> int | None:
        """Record a call's usage in any case, and its reply only while the agent is running.

        Returns the number of messages; None: the reply was not stored.
        """
        # It was charged to the run where its money was settled.
        counted = usage.model_copy(update={"cost_micros": 0})
        async with self.store.change() as db:
            run = await runs.hold(db, claims.run)
            if run.attempt != claims.attempt:
                log.warning("model_endpoint.late", run_id=run.id, attempt=claims.attempt)
                return None
            endpoint = await attempt_state(db, run.id, run.attempt)
            is_active = run.state is RunState.RUNNING and not endpoint.is_closed
            bodies = [body] if is_active else []
            changed = await self.keep(db, run, bodies, step=step, usage=run.usage + counted)
        return changed.message_count if is_active else None

    async def note(self, claims: RunClaims, cause: Cause) -> None:
        """Store why a call was refused, for the process that ends the run."""
        async with self.store.change() as db:
            run = await runs.hold(db, claims.run)
            if run.attempt == claims.attempt:
                await _note_refusal(db, run, cause, at=self.clock.now())

    async def refuse(self, claims: RunClaims, cause: Cause | None = None) -> None:
        """Count a refused request; TooManyError above the limit."""
        async with self.store.change() as db:
            run = await runs.hold(db, claims.run)
            if run.attempt != claims.attempt:
                return
            refused = await _count_refused(db, run)
            if cause is None and refused >= MAX_REFUSED:
                cause = Cause.AGENT_FAILED
            if cause is not None:
                await _note_refusal(db, run, cause, at=self.clock.now())

    async def close(self, run_id: RunId, attempt: int) -> None:
        """Accept no more calls or messages of the attempt, in any process."""
        async with self.store.change() as db:
            run = await runs.hold(db, run_id)
            await _close_attempt(db, run.id, attempt, at=self.clock.now())

    async def all_settled(self, run_id: RunId, *, within_s: float) -> None:
        """Wait until other processes have stopped the attempt's calls."""
        deadline = self.clock.now() + within_s
        while self.clock.now() < deadline:
            async with self.store.read() as db:
                if not await holds.has(db, run_id):
                    return
            await asyncio.sleep(_LOOK_S)

    async def report(self, run_id: RunId, attempt: int) -> EndpointReport:
        async with self.store.change() as db:
            run = await runs.hold(db, run_id)
            account = await holds.account(db, run.solve_id)
            is_present = run.attempt == attempt
            # Calls of a process that died or missed the end: no client waits for them.
            lost = [held for held in account.held if held.run_id == run.id and is_present]
            await holds.write_off_all(db, run.solve_id, lost, at=self.clock.now())
            written = await trajectories.messages(db, run.id, attempt=attempt)
            refusal = await _last_refusal(db, run)
        planned = next((message for message in written if _plan(message)), None)
        return EndpointReport(
            steps=run.steps,
            usage=run.usage,
            messages=run.message_count,
            plan=_plan(planned) if planned else (),
            plan_step=planned.step if planned else None,
            refusal=refusal,
        )


def cap_of(solve: SolveRow, claims: RunClaims) -> int:
    return min(claims.cap_micros, solve.budget.run_cost_cap_micros)


def used_up(solve: SolveRow, run: RunRow, claims: RunClaims) -> Cause | None:
    """Which of its limits the run has reached; free calls never touch the cap."""
    spent = run.total_cost_micros
    reached = {
        Cause.OUT_OF_STEPS: run.steps >= solve.budget.max_steps,
        Cause.OUT_OF_BUDGET: bool(spent) and spent >= cap_of(solve, claims),
    }
    return next((cause for cause, is_reached in reached.items() if is_reached), None)


def _plan(message: TrajectoryMessage) -> tuple[str, ...]:
    if message.role != "assistant":
        return ()
    return parse_plan(str(message.body.get("content") or ""))


CALL_REFUSED = "run.call_refused"


class AttemptState(NamedTuple):
    refused: int = 0
    is_closed: bool = False


async def attempt_state(db: AsyncSession, run_id: RunId, attempt: int) -> AttemptState:
    row = await db.get(EndpointRow, (run_id, attempt), populate_existing=True)
    return AttemptState() if row is None else AttemptState(row.refused, row.closed_at is not None)


async def _count_refused(db: AsyncSession, run: RunRow) -> int:
    """Increment the count and return it. The caller holds the run's row."""
    row = await endpoint_row(db, run.id, run.attempt)
    row.refused += 1
    return row.refused


async def _close_attempt(db: AsyncSession, run_id: RunId, attempt: int, *, at: float) -> None:
    """Accept no more messages of this attempt; the caller holds the run's row."""
    row = await endpoint_row(db, run_id, attempt)
    row.closed_at = row.closed_at or at


async def _note_refusal(db: AsyncSession, run: RunRow, cause: Cause, *, at: float) -> None:
    """Once per position of the trajectory, so that a repeated call is not recorded again."""
    facts: dict[str, object] = {
        "cause": cause.value,
        "attempt": run.attempt,
        "messages": run.message_count,
    }
    last = await _last(db, run)
    if last is None or last.data != facts:
        await events.append(db, run.solve_id, kind=CALL_REFUSED, at=at, run_id=run.id, data=facts)


async def _last_refusal(db: AsyncSession, run: RunRow) -> Cause | None:
    """Why the current attempt's last call was refused; None if it was answered."""
    last = await _last(db, run)
    here = {"attempt": run.attempt, "messages": run.message_count}
    if last is None or {key: last.data.get(key) for key in here} != here:
        return None
    return Cause(str(last.data["cause"]))


async def _last(db: AsyncSession, run: RunRow) -> EventRow | None:
    same = (EventRow.solve_id == run.solve_id) & (EventRow.kind == CALL_REFUSED)
    query = select(EventRow).where(same, EventRow.run_id == run.id)
    return await db.scalar(query.order_by(EventRow.id.desc()).limit(1))
