"""Views of one run, by its exact id."""

import json
from collections.abc import Mapping
from typing import NamedTuple

from pydantic import Field
from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from yudai.arena.prepare import PREPARED
from yudai.artifacts import queries as artifact_rows
from yudai.artifacts.context import Context
from yudai.artifacts.port import ArtifactKind, ArtifactRef
from yudai.kit.errors import NotFoundError
from yudai.kit.ids import RunId, SolveId
from yudai.kit.money import usd
from yudai.kit.untyped import as_items, as_object
from yudai.kit.value import Value, from_attributes
from yudai.runs import attempts
from yudai.runs import queries as runs
from yudai.runs.domain.states import FINAL, RunState
from yudai.runs.tables import AttemptRow, RunRow
from yudai.solves import queries as solves
from yudai.solves import timeline as events
from yudai.solves.tables import SolveRow
from yudai.testing.domain.report import Baseline
from yudai.verification.domain.verdict import Tally, Verdict, tally
from yudai.views.domain.document import AttemptFacts, Tokens
from yudai.views.live_runs import MessageView, run_url
from yudai.views.solves import RunView, run_view


class RunDetail(RunView):
    solve_id: SolveId
    step_limit: int
    sandbox_id: str


class AttemptView(AttemptFacts):
    """One attempt. All but the last ended for an infrastructure cause."""

    number: int
    state: RunState = Field(description="`failed` for earlier attempts, whatever the run's state.")
    message_count: int
    tokens: Tokens
    links: dict[str, str]


class AttemptList(Value):
    run_id: RunId
    attempts: tuple[AttemptView, ...]


class PlanView(Value):
    run_id: RunId
    steps: tuple[str, ...]
    before_first_edit: bool = Field(description="Whether it was made before a file was changed.")


class TrajectoryPage(Value):
    run_id: RunId
    attempt: int
    messages: tuple[MessageView, ...] = Field(description="In the order of `seq`.")
    earlier: str | None = Field(description="The page before this one; null on the first.")


class StepView(Value):
    number: int
    at: float
    seconds: float
    messages: tuple[MessageView, ...]
    truncated: bool = Field(description="There are more messages than are shown.")
    raw: str


class StepPage(Value):
    run_id: RunId
    attempt: int
    last: int = Field(description="The number of the newest step; -1: there is none yet.")
    steps: tuple[StepView, ...]
    earlier: str | None
    later: str | None


class BaselineFacts(Value):
    """Results of the base's own tests, before any change."""

    command: str
    executed: int
    passing: int
    failing: int
    flaky: tuple[str, ...]
    failed: tuple[str, ...] = Field(description="The first of those that fail.")


class TestsView(Value):
    run_id: RunId
    verdict: Verdict
    tests: Tally | None
    baseline: BaselineFacts | None
    links: dict[str, str]


_MAX_NAMED = 200
_DOWNLOADS = {ArtifactKind.PATCH: "patch", ArtifactKind.TRAJECTORY: "trajectory.json"}
LOGS = {
    "setup": ArtifactKind.SETUP_LOG,
    "test": ArtifactKind.TEST_LOG,
    "baseline": ArtifactKind.BASELINE_LOG,
    "revalidation": ArtifactKind.REVALIDATION_LOG,
}
_ANEW = "revalidation"
AGENT_LOG = "agent"
"""Rendered from the trajectory so far; it is not an artifact."""
_OF_TESTS = ("test", "baseline")
_OF_AGENTS = (ArtifactKind.PLAN.readable, ArtifactKind.TRAJECTORY.readable)
_NO_SETUP = "this solve's project has no set-up commands, so there is no set-up log"
_SETUP_BEFORE = "its base was prepared earlier, and the log of its set-up is no longer stored"


class NotYetError(NotFoundError):
    """The run has not reached this yet, or ended before it."""


class Which(NamedTuple):
    """A run, its required owner, and the attempt; None: the current one."""

    run_id: RunId
    user_id: str
    attempt: int | None = None


async def detail(context: Context, which: Which) -> RunDetail:
    async with context.store.read() as db:
        return await detail_of(db, await own_run(db, which))


async def attempt_list(context: Context, which: Which) -> AttemptList:
    async with context.store.read() as db:
        run = await own_run(db, which)
        earlier = await attempts.of_run(db, run.id)
    views = [_attempt_view(row, RunState.FAILED, row.number, run.id) for row in earlier]
    present = _attempt_view(run, run.state, run.attempt, run.id)
    return AttemptList(run_id=run.id, attempts=(*views, present))


async def plan(context: Context, which: Which) -> PlanView:
    ref = await artifact(context, which, ArtifactKind.PLAN)
    plan = as_object(json.loads(await context.artifacts.get(ref)))
    return PlanView(
        run_id=which.run_id,
        steps=tuple(str(step) for step in as_items(plan.get("steps"))),
        before_first_edit=plan.get("before_first_edit") is True,
    )


async def tests(context: Context, which: Which) -> TestsView:
    async with context.store.read() as db:
        run = await own_run(db, which)
        baseline = (await solves.get(db, run.solve_id)).baseline
        refs = await _refs(db, run)
    if run.verdict is None:
        raise _not_yet(run, "verdict")
    return TestsView(
        run_id=run.id,
        verdict=run.verdict,
        tests=tally(run.verdict, baseline),
        baseline=None if baseline is None else _baseline_facts(baseline),
        links={name: _log_link(run.id, name, refs) for name in _OF_TESTS},
    )


async def artifact(context: Context, which: Which, kind: ArtifactKind) -> ArtifactRef:
    """An artifact of the run, or of its solve if all runs share it."""
    async with context.store.read() as db:
        run = await own_run(db, which)
        refs = await _refs(db, run)
        if kind is ArtifactKind.SETUP_LOG and kind not in refs:
            raise await _no_setup_log(db, run)
    if kind not in refs:
        raise _not_yet(run, kind.readable)
    return refs[kind]


async def detail_of(db: AsyncSession, run: RunRow) -> RunDetail:
    solve = await solves.get(db, run.solve_id)
    return from_attributes(
        RunDetail,
        run_view(run),
        solve_id=run.solve_id,
        step_limit=solve.budget.max_steps,
        sandbox_id=run.sandbox_id,
        links=_detail_links(run, await _refs(db, run)),
    )


async def own_run(db: AsyncSession, which: Which) -> RunRow:
    run = await runs.get(db, which.run_id)
    owner = select(SolveRow.user_id).where(SolveRow.id == run.solve_id)
    if await db.scalar(owner) != which.user_id:
        raise NotFoundError(f"there is no run {which.run_id}")
    if which.attempt is not None and not 1 <= which.attempt <= run.attempt:
        raise NotFoundError(f"there is no attempt {which.attempt}: this run is at {run.attempt}")
    return run


def _not_yet(run: RunRow, what: str) -> NotYetError:
    if run.contestant.is_patch and what in _OF_AGENTS:
        return NotYetError(f"this run has no {what}: its patch was given, so that no agent ran")
    if run.state in FINAL:
        return NotYetError(f"this run is {run.state} and has no {what}: it ended before that")
    return NotYetError(f"this run is {run.state} and has no {what} yet: ask again later")


async def _no_setup_log(db: AsyncSession, run: RunRow) -> NotYetError:
    base = (await solves.get(db, run.solve_id)).base
    if base is not None and not base.setup:
        return NotYetError(_NO_SETUP)
    if await events.has(db, run.solve_id, PREPARED):
        return NotYetError(_SETUP_BEFORE)
    return _not_yet(run, ArtifactKind.SETUP_LOG.readable)


async def _refs(db: AsyncSession, run: RunRow) -> dict[ArtifactKind, ArtifactRef]:
    """Artifacts of the run and of its solve."""
    of_solve = await artifact_rows.of_solve(db, run.solve_id)
    return of_solve | await artifact_rows.of_run(db, run.id)


def _detail_links(run: RunRow, refs: dict[ArtifactKind, ArtifactRef]) -> dict[str, str]:
    """Existing artifacts are linked by their digest, so that they can be cached forever."""
    here = run_url(run.id)
    parts = ("cancel", "attempts", "plan", "steps", "messages", "tests")
    links = {"self": here, "solve": f"/api/solves/{run.solve_id}"}
    links |= {part: f"{here}/{part}" for part in parts}
    for kind, path in _DOWNLOADS.items():
        name = path.partition(".")[0]
        links[name] = f"{here}/{path}" + (f"?v={refs[kind].sha256}" if kind in refs else "")
    # Few patches are verified again; the others have no such log to link.
    names = [name for name in (*LOGS, AGENT_LOG) if name != _ANEW or LOGS[_ANEW] in refs]
    return links | {f"{name}_log": _log_link(run.id, name, refs) for name in names}


def _log_link(run_id: RunId, name: str, refs: Mapping[ArtifactKind, ArtifactRef]) -> str:
    kind = LOGS.get(name)
    ref = refs.get(kind) if kind else None
    return f"{run_url(run_id)}/logs/{name}" + (f"?v={ref.sha256}" if ref else "")


def _attempt_view(
    row: RunRow | AttemptRow, state: RunState, number: int, run_id: RunId
) -> AttemptView:
    return from_attributes(
        AttemptView,
        row,
        number=number,
        state=state,
        tokens=from_attributes(Tokens, row),
        cost_usd=usd(row.cost_micros),
        links=_attempt_links(run_id, number),
    )


def _attempt_links(run_id: RunId, number: int) -> dict[str, str]:
    here = run_url(run_id)
    return {part: f"{here}/{part}?attempt={number}" for part in ("steps", "messages")}


def _baseline_facts(baseline: Baseline) -> BaselineFacts:
    failing = sorted(baseline.failing)
    return BaselineFacts(
        command=baseline.command,
        executed=len(baseline.executed),
        passing=len(baseline.passing),
        failing=len(failing),
        failed=tuple(failing[:_MAX_NAMED]),
        flaky=tuple(sorted(baseline.flaky)[:_MAX_NAMED]),
    )
