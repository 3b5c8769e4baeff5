"""One contestant's go: a sandbox, the agent in it, its patch, plan and trajectory kept."""

import json
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass

import structlog

from yudai.domain.errors import RefusedError, SandboxError, YudaiError
from yudai.domain.failure import POLICIES, Cause
from yudai.domain.ids import RunId, SolveId
from yudai.domain.patch import Patch, forbidden, parse_patch
from yudai.domain.run_state import RunEvent
from yudai.domain.trajectory import TrajectoryMessage, export
from yudai.domain.value import Value
from yudai.ports.agent import Agent, AgentLimits, AgentOutcome, AgentTask, Progress
from yudai.ports.artifacts import ArtifactKind, Artifacts
from yudai.ports.clock import Clock
from yudai.ports.gateway import Gateway
from yudai.ports.sandbox import Backend, BaseRef, Sandbox
from yudai.store import artifacts as artifact_rows
from yudai.store import runs, solves, trajectories
from yudai.store.store import Store
from yudai.store.tables import RunRow, SolveRow

log = structlog.get_logger()

# A patch that stood complete at the edit cap counts, whatever ended the run afterwards.
_ENDS_AFTER_CAP = frozenset({Cause.OUT_OF_STEPS, Cause.OUT_OF_TIME, Cause.OUT_OF_BUDGET})


class RunBrokeError(YudaiError):
    """The run ends here, for this cause."""

    def __init__(self, cause: Cause, message: str = "") -> None:
        super().__init__(message or POLICIES[cause].message)
        self.cause = cause


class Start(Value):
    """What is the same for every run of a solve."""

    base: BaseRef
    test_command: str
    deadline: float


@dataclass(frozen=True)
class Runner:
    store: Store
    backend: Backend
    artifacts: Artifacts
    agents: Mapping[str, Agent]
    clock: Clock

    async def run_contestant(self, run_id: RunId, start: Start, gateway: Gateway) -> None:
        """Run it and keep what it made; RunBrokeError when there is nothing to verify."""
        solve, run = await self._started(run_id)
        limits = self._limits(solve, start)
        async with self._sandbox(start.base, run) as sandbox:
            outcome = await self.agents[run.contestant.agent].run(
                self._task(solve, run, start),
                sandbox,
                gateway,
                limits,
                on_message=self._recorder(run),
            )
        await self._keep(run, outcome)
        patch = _parsed(outcome.patch)
        async with self.store.change() as db:
            await runs.change(
                db,
                run_id,
                files_changed=patch.source.files_changed,
                lines_changed=patch.source.lines_changed,
            )
        self._check(outcome, patch, solve.project.protected)
        async with self.store.change() as db:
            await runs.advance(db, run_id, RunEvent.SUBMITTED, at=self.clock.now())

    async def _started(self, run_id: RunId) -> tuple[SolveRow, RunRow]:
        now = self.clock.now()
        async with self.store.change() as db:
            run = await runs.advance(db, run_id, RunEvent.STARTED, at=now)
            return await solves.get(db, SolveId(run.solve_id)), run

    def _limits(self, solve: SolveRow, start: Start) -> AgentLimits:
        left = min(solve.budget.run_time_budget_s, start.deadline - self.clock.now())
        if left <= 0:
            raise RunBrokeError(Cause.OUT_OF_TIME)
        return AgentLimits(
            max_steps=solve.budget.max_steps,
            wall_time_s=left,
            cost_cap_micros=min(solve.budget.run_cost_cap_micros, solve.budget.cost_cap_micros),
            command_timeout_s=solve.project.command_timeout_s,
        )

    def _task(self, solve: SolveRow, run: RunRow, start: Start) -> AgentTask:
        return AgentTask(
            issue_title=solve.issue_title,
            issue_body=solve.issue_body,
            contestant=run.contestant,
            test_command=start.test_command,
            finish_token=self.clock.token(),
        )

    @asynccontextmanager
    async def _sandbox(self, base: BaseRef, run: RunRow) -> AsyncGenerator[Sandbox]:
        [sandbox] = await self.backend.spawn(base, 1, owner=run.id)
        if isinstance(sandbox, SandboxError):
            raise sandbox
        try:
            async with self.store.change() as db:
                await runs.change(db, RunId(run.id), sandbox_id=sandbox.ref.id)
            yield sandbox
        finally:
            await sandbox.destroy()

    def _recorder(self, run: RunRow) -> Callable[[TrajectoryMessage, Progress], None]:
        def record(message: TrajectoryMessage, progress: Progress) -> None:
            self.store.writer.append(RunId(run.id), run.attempt, message, progress)

        return record

    async def _keep(self, run: RunRow, outcome: AgentOutcome) -> None:
        """Store patch, plan and trajectory before anything is judged, also of a run that failed."""
        await self.store.writer.flush()
        async with self.store.read() as db:
            messages = await trajectories.messages(db, RunId(run.id), attempt=run.attempt)
        now = self.clock.now()
        blobs = {
            ArtifactKind.PATCH: outcome.patch.encode("utf-8", "surrogateescape"),
            ArtifactKind.PLAN: _json(
                {"steps": outcome.plan, "before_first_edit": outcome.plan_before_edit}
            ),
            ArtifactKind.TRAJECTORY: _json(export(messages, outcome)),
        }
        refs = [await self.artifacts.put(kind, blob) for kind, blob in blobs.items() if blob]
        async with self.store.change() as db:
            for ref in refs:
                await artifact_rows.add(db, SolveId(run.solve_id), RunId(run.id), ref, at=now)
            await runs.change(
                db,
                RunId(run.id),
                exit_status=outcome.exit_status,
                steps=outcome.steps,
                edits=outcome.edits,
                edits_capped=outcome.edits_capped,
                latency_ms=int((now - (run.started_at or now)) * 1000),
            )

    def _check(self, outcome: AgentOutcome, patch: Patch, protected: tuple[str, ...]) -> None:
        """What follows from how the agent ended; silence means: verify its patch."""
        stands = outcome.edits_capped and outcome.cause in _ENDS_AFTER_CAP
        if outcome.cause is not None and not stands:
            raise RunBrokeError(outcome.cause, outcome.error)
        if not patch.files:
            raise RunBrokeError(Cause.EMPTY_PATCH)
        if reasons := forbidden(patch, protected=protected):
            raise RunBrokeError(Cause.PATCH_REFUSED, "; ".join(reasons))


def _parsed(text: str) -> Patch:
    try:
        return parse_patch(text)
    except RefusedError as error:
        raise RunBrokeError(Cause.PATCH_REFUSED, str(error)) from error


def _json(value: object) -> bytes:
    return json.dumps(value, ensure_ascii=True).encode()
