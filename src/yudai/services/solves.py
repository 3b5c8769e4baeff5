"""Open and cancel a solve."""

from dataclasses import dataclass

from yudai.domain import budget as budgets
from yudai.domain.budget import Budget
from yudai.domain.errors import ConflictError
from yudai.domain.ids import LOCAL_USER, RunId, SolveId
from yudai.domain.issue import Issue
from yudai.domain.matrix import Contestant, Lineup, Matrix, expand
from yudai.domain.models import Model, free_names
from yudai.domain.project import Project
from yudai.domain.reducer import check_reducer
from yudai.domain.run_state import RunState
from yudai.domain.solve_state import SolveEvent, SolveState
from yudai.domain.value import Value
from yudai.ports.clock import Clock
from yudai.ports.engine import Engine
from yudai.ports.forge import Snapshot
from yudai.ports.gateway import Gateway
from yudai.ports.sandbox import BaseSpec
from yudai.services.preparing import Measured, keep_measured
from yudai.services.stopping import Stopper
from yudai.store import events, runs, solves
from yudai.store.store import Store
from yudai.store.tables import RunRow, SolveRow


class SolveRequest(Value):
    """What a person asks for."""

    repo: str
    issue: Issue
    base: BaseSpec
    matrix: Matrix
    budget: Budget
    base_branch: str = "main"
    base_commit: str = ""
    reducer: str = "simple"
    require_proof: bool = True
    sandbox_backend: str = ""
    user_id: str = LOCAL_USER
    conversation_id: str | None = None
    models: tuple[Model, ...] = ()
    """Each name of the matrix, resolved; it is kept with the solve."""
    snapshot: Snapshot | None = None
    project: Project = Project()
    measured: Measured | None = None
    """The base's tests, where they were run before the solve was opened."""


@dataclass(frozen=True)
class Solves:
    store: Store
    engine: Engine
    clock: Clock
    gateway: Gateway
    stopper: Stopper

    async def open_solve(self, request: SolveRequest) -> SolveId:
        """Expand, admit, write it all down, then start the flow."""
        check_reducer(request.reducer)
        for model in request.models:
            self.gateway.check(model)
        lineup = expand(request.matrix, limit=request.budget.max_contestants)
        budgets.admit(lineup, request.budget, free_models=free_names(request.models))
        solve = self._new_solve(request, lineup)
        async with self.store.change() as db:
            await solves.add(db, solve)
            await runs.add_all(
                db,
                [self._new_run(solve, i, c) for i, c in enumerate(lineup.contestants)],
            )
            if request.measured is not None:
                await keep_measured(db, solve.id, request.measured, at=solve.created_at)
            await events.append(db, solve.id, kind="solve.opened", at=solve.created_at)
        await self.engine.start(SolveId(solve.id))
        return SolveId(solve.id)

    async def cancel_solve(self, solve_id: SolveId) -> None:
        """End its flow, or itself where no flow has begun."""
        cancelled = await self.engine.cancel(solve_id)
        stopped = await self.stopper.stop(solve_id, SolveEvent.CANCELLED, "cancelled")
        if not cancelled and not stopped:
            raise ConflictError(f"solve {solve_id} has ended already: there is nothing to cancel")

    def _new_solve(self, request: SolveRequest, lineup: Lineup) -> SolveRow:
        return SolveRow(
            id=SolveId(self.clock.new_id()),
            user_id=request.user_id,
            conversation_id=request.conversation_id,
            repo=request.repo,
            base_branch=request.base_branch,
            base_commit=request.base_commit,
            base=request.base,
            snapshot=request.snapshot,
            project=request.project,
            models=request.models,
            issue_number=request.issue.number,
            issue_title=request.issue.title,
            issue_body=request.issue.body,
            matrix=request.matrix,
            not_started=lineup.not_started,
            budget=request.budget,
            reducer=request.reducer,
            require_proof=request.require_proof,
            sandbox_backend=request.sandbox_backend,
            state=SolveState.QUEUED,
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
