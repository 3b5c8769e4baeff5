"""Downloads of a run: patch, trajectory and logs."""

from collections.abc import Awaitable, Callable
from enum import StrEnum
from typing import Annotated, NamedTuple, TypeVar

from fastapi import APIRouter, Depends, Path, Query, Request, Response

from yudai.api.dependencies import RunIdPath, Service, ServiceDep
from yudai.api.downloads import Download, documented, is_known, send, send_blob, unchanged
from yudai.api.security.rights import MayReadRun, MayRunRun
from yudai.artifacts.port import ArtifactKind
from yudai.kit.errors import NotFoundError
from yudai.kit.ids import short
from yudai.views import trajectory as trajectories
from yudai.views.runs import LOGS, NotYetError, Which, artifact
from yudai.views.trajectory import MAX_SEQ, Raw

router = APIRouter()

JSON = "application/json"
DIFF = "text/x-diff"
TEXT = "text/plain"

Handler = TypeVar("Handler", bound=Callable[..., Awaitable[Response]])

Number = Annotated[int, Path(ge=0, le=MAX_SEQ)]
Attempt = Annotated[
    int | None, Query(ge=1, le=MAX_SEQ, description="An earlier attempt; default: the current one.")
]
Version = Annotated[
    str | None,
    Query(
        alias="v",
        pattern="^[0-9a-f]{64}$",
        description="The content's hash, as in links: such a response can be cached forever.",
    ),
]


class LogKind(StrEnum):
    SETUP = "setup"
    AGENT = "agent"
    TEST = "test"
    BASELINE = "baseline"
    REVALIDATION = "revalidation"


class Run(NamedTuple):
    """The requested run and the caller."""

    request: Request
    which: Which
    service: Service

    async def blob(
        self, kind: ArtifactKind, ending: str, media_type: str, v: str | None
    ) -> Response:
        context = self.service.context
        ref = await artifact(context, self.which, kind)
        file = self._file(ending, media_type)
        return await send_blob(self.request, context.artifacts, ref, file, version=v)

    def raw(
        self, raw: Raw, ending: str, media_type: str = JSON, *, attempt: int | None = None
    ) -> Response:
        is_for_ever = raw.is_settled and attempt is not None
        file = self._file(ending, media_type)._replace(tag=raw.tag, is_for_ever=is_for_ever)
        return unchanged(file) if is_known(self.request, file) else send(file, raw.parts)

    def _file(self, ending: str, media_type: str) -> Download:
        return Download(f"{short(self.which.run_id)}{ending}", media_type)


async def _which(run_id: RunIdPath, permit: MayReadRun) -> Which:
    return Which(run_id, permit.owner_id)


async def _which_to_cancel(run_id: RunIdPath, permit: MayRunRun) -> Which:
    return Which(run_id, permit.owner_id)


WhichDep = Annotated[Which, Depends(_which)]
CancelDep = Annotated[Which, Depends(_which_to_cancel)]


async def _run(request: Request, which: WhichDep, service: ServiceDep) -> Run:
    return Run(request, which, service)


RunDep = Annotated[Run, Depends(_run)]


def _download(
    path: str, operation_id: str, media_type: str, description: str
) -> Callable[[Handler], Handler]:
    return router.get(
        f"/runs/{{run_id}}/{path}",
        operation_id=operation_id,
        response_class=Response,
        responses=documented(media_type, description),
    )


@_download(
    "messages/{seq}/raw", "getRunMessageRaw", JSON, "The message as mini-SWE-agent wrote it."
)
async def raw_message(run: RunDep, seq: Number, attempt: Attempt = None) -> Response:
    """Get a message in full; with an attempt the response can be cached forever."""
    raw = await trajectories.message(
        run.service.context.store, run.which._replace(attempt=attempt), seq
    )
    return run.raw(raw, f"-message-{seq}.json", attempt=attempt)


@_download(
    "steps/{number}/raw",
    "getRunStepRaw",
    JSON,
    "All messages of the step as mini-SWE-agent wrote them.",
)
async def raw_step(run: RunDep, number: Number, attempt: Attempt = None) -> Response:
    """Get a step. Step 0 is everything before the model's first turn."""
    raw = await trajectories.step(
        run.service.context.store, run.which._replace(attempt=attempt), number
    )
    return run.raw(raw, f"-step-{number}.json", attempt=attempt)


@_download("trajectory.json", "getRunTrajectory", JSON, "In mini-SWE-agent's format.")
async def trajectory(run: RunDep, v: Version = None) -> Response:
    """Get the trajectory, of an active run up to now."""
    ending = ".traj.json"
    try:
        return await run.blob(ArtifactKind.TRAJECTORY, ending, JSON, v)
    except NotYetError:
        if v is not None:
            raise
    return run.raw(await trajectories.trajectory(run.service.context.store, run.which), ending)


@_download("patch", "getRunPatch", DIFF, "In the format of `git apply`.")
async def patch(run: RunDep, v: Version = None) -> Response:
    """Get the patch; `not_yet` until the agent has ended."""
    return await run.blob(ArtifactKind.PATCH, ".patch", DIFF, v)


@_download("logs/{kind}", "getRunLog", TEXT, "As it was printed.")
async def log(run: RunDep, kind: LogKind, v: Version = None) -> Response:
    """Get the log of set-up, of the agent up to now, or of the tests with or without the patch."""
    ending = f"-{kind}.log"
    if kind in LOGS:
        return await run.blob(LOGS[kind], ending, TEXT, v)
    if v is not None:
        raise NotFoundError("the agent's log grows with its trajectory: request it without `v`")
    return run.raw(
        await trajectories.transcript(run.service.context.store, run.which), ending, TEXT
    )
