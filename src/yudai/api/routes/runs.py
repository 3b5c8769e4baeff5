"""Routes of runs."""

from typing import Annotated

from fastapi import APIRouter, Query, Response

from yudai.api.dependencies import ServiceDep
from yudai.api.downloads import FOR_EVER
from yudai.api.openapi import CONFLICT
from yudai.api.routes import run_files
from yudai.api.routes.run_files import Attempt, CancelDep, Number, WhichDep
from yudai.arena.cancel import cancel_run
from yudai.views import runs as views
from yudai.views import trajectory as trajectories
from yudai.views.runs import (
    AttemptList,
    PlanView,
    RunDetail,
    StepPage,
    TestsView,
    TrajectoryPage,
)
from yudai.views.trajectory import MAX_SEQ, DiffAt

router = APIRouter(tags=["runs"])

Bound = Annotated[int | None, Query(ge=0, le=MAX_SEQ)]


@router.get("/runs/{run_id}", operation_id="getRun")
async def read(which: WhichDep, service: ServiceDep) -> RunDetail:
    """Get a run, with links to its artifacts."""
    return await views.detail(service.context, which)


@router.post("/runs/{run_id}/cancel", operation_id="cancelRun", responses=CONFLICT)
async def cancel(which: CancelDep, service: ServiceDep) -> RunDetail:
    """Cancel this run; its worker stops within two seconds. Other runs continue."""
    await views.detail(service.context, which)
    await cancel_run(service.context.store, which.run_id, now=service.context.clock.now())
    return await views.detail(service.context, which)


@router.get("/runs/{run_id}/attempts", operation_id="getRunAttempts")
async def attempts(which: WhichDep, service: ServiceDep) -> AttemptList:
    """List attempts with their cost, the present one last."""
    return await views.attempt_list(service.context, which)


@router.get("/runs/{run_id}/plan", operation_id="getRunPlan")
async def plan(which: WhichDep, service: ServiceDep) -> PlanView:
    """Get the agent's plan; `not_yet` until the agent has ended."""
    return await views.plan(service.context, which)


@router.get("/runs/{run_id}/tests", operation_id="getRunTests")
async def tests(which: WhichDep, service: ServiceDep) -> TestsView:
    """Get the verdict and the baseline of the base's own tests."""
    return await views.tests(service.context, which)


@router.get("/runs/{run_id}/messages", operation_id="getRunMessages")
async def messages(
    which: WhichDep,
    service: ServiceDep,
    before: Bound = None,
    limit: Annotated[int, Query(ge=1, le=100)] = 100,
    attempt: Attempt = None,
) -> TrajectoryPage:
    """List the newest messages, or those before a number, for scrolling up."""
    asked = which._replace(attempt=attempt)
    return await trajectories.messages(service.context.store, asked, before=before, limit=limit)


@router.get("/runs/{run_id}/steps", operation_id="getRunSteps")
async def steps(
    which: WhichDep,
    service: ServiceDep,
    after: Bound = None,
    before: Bound = None,
    limit: Annotated[int, Query(ge=1, le=50)] = 20,
    attempt: Attempt = None,
) -> StepPage:
    """List steps from the first, after a number, or the last ones before it."""
    asked = which._replace(attempt=attempt)
    return await trajectories.steps(
        service.context.store, asked, after=after, before=before, limit=limit
    )


@router.get("/runs/{run_id}/messages/{seq}/diff", operation_id="getRunDiffAt")
async def diff_at(
    response: Response,
    which: WhichDep,
    service: ServiceDep,
    seq: Number,
    attempt: Attempt = None,
) -> DiffAt:
    """Get the run's changes after the newest edit up to that message."""
    found = await trajectories.diff_at(service.context.store, which._replace(attempt=attempt), seq)
    if attempt is not None:
        # Messages come in order, so no earlier edit can appear later.
        response.headers["Cache-Control"] = FOR_EVER
    return found


router.include_router(run_files.router)
