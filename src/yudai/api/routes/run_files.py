"""Routes of what a run made: its patch, its trajectory and its logs, as downloads."""

from enum import StrEnum
from typing import Annotated

from fastapi import APIRouter, Depends, Path, Query, Request, Response

from yudai.api.dependencies import RunIdPath, Service, ServiceDep
from yudai.api.downloads import Download, documented, is_known, send, send_blob, unchanged
from yudai.api.security.rights import MayReadRun, MayRunRun
from yudai.artifacts.port import ArtifactKind
from yudai.kit.errors import NotFoundError
from yudai.kit.ids import short
from yudai.views.runs import LOGS, NotYetError, RunReader, Which
from yudai.views.trajectory import MAX_SEQ, Raw, RunPages

router = APIRouter()

JSON = "application/json"
DIFF = "text/x-diff"
TEXT = "text/plain"

Number = Annotated[int, Path(ge=0, le=MAX_SEQ)]
Attempt = Annotated[
    int | None, Query(ge=1, le=MAX_SEQ, description="An earlier attempt; else the present one.")
]
Version = Annotated[
    str | None,
    Query(
        alias="v",
        pattern="^[0-9a-f]{64}$",
        description="The content's hash, as links give it: such an answer may be kept for ever.",
    ),
]


class LogKind(StrEnum):
    SETUP = "setup"
    AGENT = "agent"
    TEST = "test"
    BASELINE = "baseline"
    REVALIDATION = "revalidation"


async def _which(run_id: RunIdPath, permit: MayReadRun) -> Which:
    return Which(run_id, permit.owner_id)


async def _which_to_cancel(run_id: RunIdPath, permit: MayRunRun) -> Which:
    return Which(run_id, permit.owner_id)


WhichDep = Annotated[Which, Depends(_which)]
CancelDep = Annotated[Which, Depends(_which_to_cancel)]


@router.get(
    "/runs/{run_id}/messages/{seq}/raw",
    operation_id="getRunMessageRaw",
    response_class=Response,
    responses=documented(JSON, "The message as mini-SWE-agent wrote it."),
)
async def raw_message(
    request: Request, which: WhichDep, service: ServiceDep, seq: Number, attempt: Attempt = None
) -> Response:
    """Whole; where its attempt is named it may be kept for ever."""
    raw = await RunPages(service.store).message(which._replace(attempt=attempt), seq)
    file = Download(f"{short(which.run_id)}-message-{seq}.json", JSON)
    return _raw(request, raw, file, attempt=attempt)


@router.get(
    "/runs/{run_id}/steps/{number}/raw",
    operation_id="getRunStepRaw",
    response_class=Response,
    responses=documented(JSON, "All messages of the step as mini-SWE-agent wrote them."),
)
async def raw_step(
    request: Request, which: WhichDep, service: ServiceDep, number: Number, attempt: Attempt = None
) -> Response:
    """Step 0 is what stands before the model's first turn."""
    raw = await RunPages(service.store).step(which._replace(attempt=attempt), number)
    file = Download(f"{short(which.run_id)}-step-{number}.json", JSON)
    return _raw(request, raw, file, attempt=attempt)


@router.get(
    "/runs/{run_id}/trajectory.json",
    operation_id="getRunTrajectory",
    response_class=Response,
    responses=documented(JSON, "In mini-SWE-agent's format."),
)
async def trajectory(
    request: Request, which: WhichDep, service: ServiceDep, v: Version = None
) -> Response:
    """Also of a run that goes on: as far as it has come."""
    file = Download(f"{short(which.run_id)}.traj.json", JSON)
    try:
        return await _blob(request, which, service, ArtifactKind.TRAJECTORY, file=file, v=v)
    except NotYetError:
        if v is not None:
            raise
    return _raw(request, await RunPages(service.store).trajectory(which), file)


@router.get(
    "/runs/{run_id}/patch",
    operation_id="getRunPatch",
    response_class=Response,
    responses=documented(DIFF, "As `git apply` takes it."),
)
async def patch(
    request: Request, which: WhichDep, service: ServiceDep, v: Version = None
) -> Response:
    """What it changed; `not_yet` until its agent has ended."""
    file = Download(f"{short(which.run_id)}.patch", DIFF)
    return await _blob(request, which, service, ArtifactKind.PATCH, file=file, v=v)


@router.get(
    "/runs/{run_id}/logs/{kind}",
    operation_id="getRunLog",
    response_class=Response,
    responses=documented(TEXT, "As it was printed."),
)
async def log(
    request: Request, which: WhichDep, service: ServiceDep, kind: LogKind, v: Version = None
) -> Response:
    """Of set-up, of the agent as far as it has come, of the tests with and without its patch."""
    file = Download(f"{short(which.run_id)}-{kind}.log", TEXT)
    if kind in LOGS:
        return await _blob(request, which, service, LOGS[kind], file=file, v=v)
    if v is not None:
        raise NotFoundError("the agent's log grows with its trajectory: ask for it without `v`")
    raw = await RunPages(service.store).transcript(which)
    return _raw(request, raw, file)


async def _blob(
    request: Request,
    which: Which,
    service: Service,
    kind: ArtifactKind,
    *,
    file: Download,
    v: str | None,
) -> Response:
    artifacts = service.reader.artifacts
    ref = await RunReader(service.store, artifacts).artifact(which, kind)
    return await send_blob(request, artifacts, ref, file, version=v)


def _raw(request: Request, raw: Raw, file: Download, *, attempt: int | None = None) -> Response:
    is_for_ever = raw.is_settled and attempt is not None
    named = file._replace(tag=raw.tag, is_for_ever=is_for_ever)
    return unchanged(named) if is_known(request, named) else send(named, raw.parts)
