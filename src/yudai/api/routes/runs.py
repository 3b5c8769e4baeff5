"""Routes of runs: what is known of them, and cancelling one."""

from typing import Annotated

from fastapi import APIRouter, Query, Response

from yudai.api.dependencies import Service, ServiceDep
from yudai.api.downloads import FOR_EVER
from yudai.api.openapi import CONFLICT
from yudai.api.routes import run_files
from yudai.api.routes.run_files import Attempt, CancelDep, Number, WhichDep
from yudai.arena.cancel import RunCanceller
from yudai.views import diff_at_message
from yudai.views import trajectory as trajectories
from yudai.views.diff_at_message import DiffAt
from yudai.views.runs import (
    AttemptList,
    PlanView,
    RunDetail,
    RunReader,
    StepPage,
    TestsView,
    TrajectoryPage,
)
from yudai.views.trajectory import MAX_SEQ

router = APIRouter(tags=["runs"])

Bound = Annotated[int | None, Query(ge=0, le=MAX_SEQ)]


@router.get("/runs/{run_id}", operation_id="getRun")
async def read(which: WhichDep, service: ServiceDep) -> RunDetail:
    """One contestant's go at a solve, with links to all that it made."""
    return await _reader(service).run(which)


@router.post("/runs/{run_id}/cancel", operation_id="cancelRun", responses=CONFLICT)
async def cancel(which: CancelDep, service: ServiceDep) -> RunDetail:
    """End this run alone; its worker stops within two seconds, the others go on."""
    await _reader(service).run(which)
    await RunCanceller(service.store, service.clock).cancel(which.run_id)
    return await _reader(service).run(which)


@router.get("/runs/{run_id}/attempts", operation_id="getRunAttempts")
async def attempts(which: WhichDep, service: ServiceDep) -> AttemptList:
    """Every attempt with its cost, the present one last."""
    return await _reader(service).attempts(which)


@router.get("/runs/{run_id}/plan", operation_id="getRunPlan")
async def plan(which: WhichDep, service: ServiceDep) -> PlanView:
    """What it said it would do; `not_yet` until its agent has ended."""
    return await _reader(service).plan(which)


@router.get("/runs/{run_id}/tests", operation_id="getRunTests")
async def tests(which: WhichDep, service: ServiceDep) -> TestsView:
    """Its verdict, and what the base's own tests said before."""
    return await _reader(service).tests(which)


@router.get("/runs/{run_id}/messages", operation_id="getRunMessages")
async def messages(
    which: WhichDep,
    service: ServiceDep,
    before: Bound = None,
    limit: Annotated[int, Query(ge=1, le=100)] = 100,
    attempt: Attempt = None,
) -> TrajectoryPage:
    """The newest, or those before a number: for scrolling up."""
    asked = which._replace(attempt=attempt)
    return await trajectories.messages(service.store, asked, before=before, limit=limit)


@router.get("/runs/{run_id}/steps", operation_id="getRunSteps")
async def steps(
    which: WhichDep,
    service: ServiceDep,
    after: Bound = None,
    before: Bound = None,
    limit: Annotated[int, Query(ge=1, le=50)] = 20,
    attempt: Attempt = None,
) -> StepPage:
    """From the first one on, from after a number on, or the last ones before it."""
    asked = which._replace(attempt=attempt)
    return await trajectories.steps(service.store, asked, after=after, before=before, limit=limit)


@router.get("/runs/{run_id}/messages/{seq}/diff", operation_id="getRunDiffAt")
async def diff_at(
    response: Response,
    which: WhichDep,
    service: ServiceDep,
    seq: Number,
    attempt: Attempt = None,
) -> DiffAt:
    """What the run had changed by then, as it stood after the newest edit up to that message."""
    found = await diff_at_message.diff_at(service.store, which._replace(attempt=attempt), seq)
    if attempt is not None:
        # Messages come in order: an edit before this one cannot appear any more.
        response.headers["Cache-Control"] = FOR_EVER
    return found


router.include_router(run_files.router)


def _reader(service: Service) -> RunReader:
    return RunReader(service.store, service.reader.context.artifacts)
