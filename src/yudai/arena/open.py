"""Open a solve."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

import structlog
from sqlalchemy.ext.asyncio import AsyncSession

from yudai.arena.cancel import Stopper
from yudai.arena.given_patches import GivenPatch, note_given
from yudai.arena.prepare import keep_measured
from yudai.engine.port import Engine
from yudai.forge.domain.issue import Issue, IssueFacts
from yudai.forge.ports.folder import Snapshot
from yudai.gateway.port import Gateway
from yudai.kit.clock import Clock
from yudai.kit.errors import RefusedError
from yudai.kit.ids import LOCAL_USER, RunId, SolveId, WorkerId
from yudai.kit.money import usd
from yudai.kit.value import Value
from yudai.projects.domain.project import Project
from yudai.runs import queries as runs
from yudai.runs.domain.states import RunState
from yudai.runs.tables import RunRow
from yudai.sandboxes.port import BaseSpec
from yudai.solves import queries as solves
from yudai.solves import timeline as events
from yudai.solves.domain import defaults
from yudai.solves.domain.budget import Entrants
from yudai.solves.domain.matrix import Contestant
from yudai.solves.domain.origin import Origin, PublishMode
from yudai.solves.domain.states import SolveState
from yudai.solves.tables import SolveRow
from yudai.solves.timeline import FETCHED
from yudai.store import write_turns
from yudai.store.store import Store
from yudai.verification.case import Measured

log = structlog.get_logger()

ANY_WORKER = WorkerId("")
DAY_S = 24 * 3600.0
Also = Callable[[AsyncSession, SolveId], Awaitable[None]]


class SolveRequest(Value):
    """A checked request: `open_solve` writes each field to the column of the same name."""

    entrants: Entrants
    reducer: str = defaults.REDUCER
    require_proof: bool = True
    sandbox_backend: str = ""
    project: Project = Project()
    repo: str
    issue: Issue
    base: BaseSpec | None = None
    """None: it is fetched from `repo_url` first."""
    repo_url: str = ""
    base_branch: str = "main"
    base_commit: str = ""
    user_id: str = LOCAL_USER
    conversation_id: str | None = None
    snapshot: Snapshot | None = None
    issue_facts: IssueFacts | None = None
    """What was removed from its text; None: it did not come from a forge."""
    origin: Origin = Origin()
    publish: PublishMode | None = None
    """None: the solve is not from a forge."""
    patches: tuple[GivenPatch, ...] = ()
    """Of the contestants that are patches, in their order."""
    measured: Measured | None = None
    """The base's tests, where they were run before the solve was opened."""


@dataclass(frozen=True)
class Solves:
    store: Store
    engine: Engine
    clock: Clock
    gateway: Gateway
    stopper: Stopper
    day_cap_micros: int | None = None
    """Cost cap of one user's solves per day; None: only the cap of each solve."""
    worker_id: WorkerId = ANY_WORKER
    """The process that will run it from beginning to end; "": any worker, durably."""

    async def open_solve(self, request: SolveRequest, *, also: Also | None = None) -> SolveId:
        """Store the solve, then start the flow.

        Related rows are written in the same transaction.
        """
        solve = self._new_solve(request)
        starting = request.entrants.lineup.contestants
        async with self.store.change() as db:
            await self._check_day(db, request)
            await solves.add(db, solve)
            rows = [self._new_run(solve, i, c) for i, c in enumerate(starting)]
            await runs.add_all(db, rows)
            if request.measured is not None:
                await keep_measured(db, solve.id, request.measured, at=solve.created_at)
            await events.append(db, solve.id, kind="solve.opened", at=solve.created_at)
            await note_given(db, rows, request.patches, at=solve.created_at)
            if request.repo_url and request.base is not None:
                await _note_fetched(db, request, solve)
            if also is not None:
                await also(db, solve.id)
        await self._start(solve)
        return solve.id

    async def _check_day(self, db: AsyncSession, request: SolveRequest) -> None:
        """Check in the opening transaction, so that concurrent requests see each other."""
        wanted = request.entrants.ceiling_micros
        if self.day_cap_micros is None or not wanted:
            return
        now = self.clock.now()
        await write_turns.reserve(db, f"day:{request.user_id}", now=now, gap_s=0.0)
        left = self.day_cap_micros - await runs.at_risk(db, request.user_id, now - DAY_S)
        if wanted > left:
            raise RefusedError(
                f"this could cost ${usd(wanted):.2f}, and ${usd(max(0, left)):.2f}"
                " is left of your daily budget: lower the solve's budget, or wait",
                field="limits.budget_usd",
            )

    async def _start(self, solve: SolveRow) -> None:
        try:
            await self.engine.start(solve.id, user_id=solve.user_id)
        except Exception as error:
            if not solve.durable:
                raise
            # It is written down: the workers' next sweep starts it.
            log.warning("solve.not_started_yet", solve_id=solve.id, error=repr(error))

    def _new_solve(self, request: SolveRequest) -> SolveRow:
        matrix, lineup, models, budget, _ = request.entrants
        return SolveRow(
            id=SolveId(self.clock.new_id()),
            durable=not self.worker_id,
            worker_id=self.worker_id,
            models=models,
            issue_number=request.issue.number,
            issue_title=request.issue.title,
            issue_body=request.issue.body,
            matrix=matrix,
            not_started=lineup.not_started,
            budget=budget,
            state=SolveState.QUEUED,
            **{name: value for name, value in request if name in SolveRow.__table__.columns},
            created_at=self.clock.now(),
        )

    def _new_run(self, solve: SolveRow, position: int, contestant: Contestant) -> RunRow:
        return RunRow(
            id=RunId(self.clock.new_id()),
            solve_id=solve.id,
            position=position,
            handle=contestant.handle,
            contestant=contestant,
            state=RunState.QUEUED,
            queued_at=solve.created_at,
        )


async def _note_fetched(db: AsyncSession, request: SolveRequest, solve: SolveRow) -> None:
    """Append to the timeline, as when a worker fetches it."""
    facts: dict[str, object] = {"commit": request.base_commit, "branch": request.base_branch}
    await events.append(db, solve.id, kind=FETCHED, at=solve.created_at, data=facts)
