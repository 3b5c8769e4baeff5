"""One attempt of a run: a sandbox, the agent in it, and its stored patch, plan and trajectory."""

import json
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import NamedTuple

import structlog

from yudai.agents.port import Agent, AgentLimits, AgentOutcome, AgentTask
from yudai.artifacts import queries as artifact_rows
from yudai.artifacts.context import Context
from yudai.artifacts.port import ArtifactKind, Trajectories
from yudai.gateway.port import Gateway
from yudai.kit.causes import POLICIES, Cause
from yudai.kit.errors import RefusedError, SandboxError, YudaiError
from yudai.patches.patch import Patch, forbidden, parse_patch
from yudai.runs import messages as trajectories
from yudai.runs import queries as runs
from yudai.runs.domain.states import RunEvent
from yudai.runs.domain.trajectory.trajectory import export
from yudai.runs.message_writer import writer_of
from yudai.runs.spending.metered_gateway import MeteredGateway
from yudai.runs.spending.solve_cap import SolveCap
from yudai.runs.tables import RunRow
from yudai.sandboxes.port import Backend, BaseRef, Sandbox, SandboxLimits
from yudai.solves.claims import claim_of
from yudai.solves.tables import SolveRow
from yudai.verification.case import Prepared

log = structlog.get_logger()

# A patch that was complete at the edit cap counts, whichever limit ended the run afterwards.
_ENDS_AFTER_CAP = frozenset({Cause.OUT_OF_STEPS, Cause.OUT_OF_TIME, Cause.OUT_OF_BUDGET})

_RESERVE_S = 120.0


class RunBrokeError(YudaiError):
    """Ends the run with this cause."""

    def __init__(self, cause: Cause, message: str = "") -> None:
        super().__init__(message or POLICIES[cause].message)
        self.cause = cause


class _Parsed(NamedTuple):
    patch: Patch
    refusal: str = ""


@dataclass(frozen=True)
class Runner:
    context: Context
    backend: Backend
    agents: Mapping[str, Agent]
    gateway: Gateway
    trajectories: Trajectories
    lifetime_s: float = SandboxLimits().lifetime_s
    """Lifetime of a sandbox."""

    async def run_contestant(self, solve: SolveRow, run: RunRow, prepared: Prepared) -> None:
        """Run the agent and store its output; RunBrokeError when there is nothing to verify."""
        if run.contestant.is_patch:
            await self._submit_given(solve, run)
            return
        claim = claim_of(run)
        self._limits(solve, run)
        asked_at = self.context.clock.now()
        async with self._sandbox(prepared.base, run) as sandbox:
            # Waiting for a sandbox does not use up the contestant's time.
            limits = self._limits(solve, run, waited_s=self.context.clock.now() - asked_at)
            outcome = await self.agents[run.contestant.agent].run(
                self._task(solve, run, prepared),
                sandbox,
                self._gateway(solve, run),
                limits,
                on_message=writer_of(self.context.store).recorder(
                    run.id, run.attempt, sandbox_id=sandbox.ref.id
                ),
            )
        parsed = _parsed(outcome.patch)
        await self._keep(solve, run, outcome, parsed.patch.source)
        if not parsed.refusal:
            _check_outcome(outcome)
        _check_patch(parsed, solve.project.protected)
        async with self.context.store.change() as db:
            await runs.advance(
                db, run.id, RunEvent.SUBMITTED, at=self.context.clock.now(), claim=claim
            )

    async def _submit_given(self, solve: SolveRow, run: RunRow) -> None:
        """A patch that was given is only looked at: no limit of time or money is for it."""
        async with self.context.store.read() as db:
            ref = (await artifact_rows.of_run(db, run.id)).get(ArtifactKind.PATCH)
        text = b"" if ref is None else await self.context.artifacts.get(ref)
        parsed = _parsed(text.decode("utf-8", "surrogateescape"))
        source, claim = parsed.patch.source, claim_of(run)
        async with self.context.store.change() as db:
            await runs.change(
                db,
                run.id,
                claim=claim,
                files_changed=source.files_changed,
                lines_changed=source.lines_changed,
            )
        _check_patch(parsed, solve.project.protected)
        async with self.context.store.change() as db:
            await runs.advance(
                db, run.id, RunEvent.SUBMITTED, at=self.context.clock.now(), claim=claim
            )

    def _gateway(self, solve: SolveRow, run: RunRow) -> Gateway:
        solve_cap = SolveCap(
            self.context.store,
            self.context.clock,
            solve_id=solve.id,
            run_id=run.id,
            worker_id=run.worker_id,
            cap_micros=solve.budget.cost_cap_micros,
        )
        return MeteredGateway(
            self.gateway,
            solve_cap,
            {model.name: model for model in solve.models},
            run_cap_micros=solve.budget.run_cost_cap_micros,
            spent_micros=run.earlier_cost_micros,
        )

    def _limits(self, solve: SolveRow, run: RunRow, *, waited_s: float = 0.0) -> AgentLimits:
        now = self.context.clock.now()
        left = min((run.deadline_at or now) + waited_s, solve.deadline_at or now) - now
        if left <= 0:
            raise RunBrokeError(Cause.OUT_OF_TIME)
        # Leave time to take the patch after the agent's time is over.
        left = min(left, max(self.lifetime_s - _RESERVE_S, self.lifetime_s / 2))
        cap = min(solve.budget.run_cost_cap_micros, solve.budget.cost_cap_micros)
        return AgentLimits(
            max_steps=solve.budget.max_steps,
            wall_time_s=left,
            cost_cap_micros=max(0, cap - run.earlier_cost_micros),
            command_timeout_s=solve.project.command_timeout_s,
        )

    def _task(self, solve: SolveRow, run: RunRow, prepared: Prepared) -> AgentTask:
        return AgentTask(
            issue_title=solve.issue_title,
            issue_body=solve.issue_body,
            contestant=run.contestant,
            test_command=prepared.test_command,
            finish_token=self.context.clock.token(),
        )

    @asynccontextmanager
    async def _sandbox(self, base: BaseRef, run: RunRow) -> AsyncGenerator[Sandbox]:
        if run.attempt > 1:
            await self._remove_earlier(run)
        [sandbox] = await self.backend.spawn(base, 1, owner=run.id)
        if isinstance(sandbox, SandboxError):
            raise sandbox
        try:
            yield sandbox
        finally:
            await sandbox.destroy()

    async def _remove_earlier(self, run: RunRow) -> None:
        """Destroy the sandbox of an earlier attempt: a frozen worker may still use it."""
        for ref in await self.backend.list(run.id):
            await self.backend.destroy(ref)

    async def _keep(
        self, solve: SolveRow, run: RunRow, outcome: AgentOutcome, source: Patch
    ) -> None:
        """Store patch, plan and trajectory, also of a run that failed."""
        await writer_of(self.context.store).flush()
        async with self.context.store.read() as db:
            messages = await trajectories.messages(db, run.id, attempt=run.attempt)
        now = self.context.clock.now()
        blobs = {
            ArtifactKind.PATCH: outcome.patch.encode("utf-8", "surrogateescape"),
            ArtifactKind.PLAN: _json(
                {
                    "steps": [self.context.store.redact(step) for step in outcome.plan],
                    "before_first_edit": outcome.plan_before_edit,
                }
            ),
            ArtifactKind.TRAJECTORY: _json(export(messages, outcome)),
        }
        refs = [
            await self.context.artifacts.put(kind, blob) for kind, blob in blobs.items() if blob
        ]
        async with self.context.store.change() as db:
            await runs.change(
                db,
                run.id,
                claim=claim_of(run),
                exit_status=outcome.exit_status,
                steps=outcome.steps,
                edits=outcome.edits,
                edits_capped=outcome.edits_capped,
                files_changed=source.files_changed,
                lines_changed=source.lines_changed,
                latency_ms=int((now - (run.started_at or now)) * 1000),
            )
            for ref in refs:
                await artifact_rows.add(db, run.solve_id, run.id, ref, at=now)
        content = blobs[ArtifactKind.TRAJECTORY]
        await self.trajectories.keep(solve.repo, content, solve_id=solve.id, run_id=run.id)


def _check_outcome(outcome: AgentOutcome) -> None:
    """RunBrokeError when the agent's outcome leaves no patch to verify."""
    stands = outcome.edits_capped and outcome.cause in _ENDS_AFTER_CAP
    if outcome.cause is not None and not stands:
        raise RunBrokeError(outcome.cause, outcome.error)


def _check_patch(parsed: _Parsed, protected: tuple[str, ...]) -> None:
    """RunBrokeError when it may not be applied anywhere, or changes nothing."""
    if parsed.refusal:
        raise RunBrokeError(Cause.PATCH_REFUSED, parsed.refusal)
    if not parsed.patch.files:
        raise RunBrokeError(Cause.EMPTY_PATCH)
    if reasons := forbidden(parsed.patch, protected=protected):
        raise RunBrokeError(Cause.PATCH_REFUSED, "; ".join(reasons))


def _parsed(text: str) -> _Parsed:
    try:
        return _Parsed(parse_patch(text))
    except RefusedError as error:
        return _Parsed(Patch(files=()), str(error))


def _json(value: object) -> bytes:
    return json.dumps(value, ensure_ascii=True).encode()
