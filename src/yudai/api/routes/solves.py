"""Routes of solves, and of what comes before one: its forecast, recent repositories, the demo."""

from collections.abc import Iterable
from typing import Annotated, Any, cast

from fastapi import APIRouter, Path, Query, Request, Response
from pydantic import AfterValidator, Field

from yudai.accounts.access import Right
from yudai.api.dependencies import IdempotencyHeader, Service, ServiceDep, SolveIdPath, User, keyed
from yudai.api.openapi import CONFLICT
from yudai.api.security.rights import (
    AuthorizerDep,
    MayAdminister,
    MayAnswerSolve,
    MayPublishSolve,
    MayRead,
    MayReadSolve,
    MayRun,
    MayRunSolve,
)
from yudai.arena.forecast import Forecast
from yudai.arena.submit import Submitted
from yudai.decisions.answer import Answer, AnswerAsk
from yudai.decisions.apply import AppliedView, ApplyAsk, DismissAsk
from yudai.decisions.choose import Choice, choose_champion, dismiss_solve
from yudai.kit.ids import SolveId
from yudai.solves.domain.again import AgainAsk
from yudai.solves.domain.request import SolveAsk
from yudai.solves.domain.states import SolveState
from yudai.views.repositories import RepoList, recent_repositories
from yudai.views.solve_queries import Which
from yudai.views.solves import (
    SolvePage,
    SolveSummary,
    SolveView,
    solve_page,
    solve_summary,
    solve_view,
)
from yudai.views.updates import MAX_BYTES, MAX_OPEN, Ask, Updates, UpdatesView
from yudai.wiring.demo import open_demo

router = APIRouter(tags=["solves"])
planning = APIRouter(tags=["solves"])

ACCEPTED: dict[int | str, dict[str, Any]] = {
    202: {
        "description": "The solve is stored and will run.",
        "headers": {
            "Location": {"description": "Path to read it from.", "schema": {"type": "string"}},
            "Idempotency-Replayed": {
                "description": "`true` if an earlier request with this key created it.",
                "schema": {"type": "string", "enum": ["true"]},
            },
        },
    },
}


@router.post("/solves", status_code=202, operation_id="createSolve", responses=ACCEPTED)
async def create(
    body: SolveAsk,
    service: ServiceDep,
    user: MayRun,
    authorizer: AuthorizerDep,
    response: Response,
    key: IdempotencyHeader = None,
) -> SolveSummary:
    """Create a solve of an issue; contestants start as soon as the limits allow."""
    await authorizer.begin(user, body)
    sent = keyed(key, "createSolve", body.model_dump_json())
    submitted = await service.submitter.submit(body, user_id=user.id, key=sent)
    return await accepted(submitted, service, user, response=response)


@router.post(
    "/solves/{solve_id}/judge", status_code=202, operation_id="judgeSolve", responses=ACCEPTED
)
async def judge(
    solve_id: SolveIdPath,
    body: AgainAsk,
    service: ServiceDep,
    permit: MayRunSolve,
    response: Response,
    key: IdempotencyHeader = None,
) -> SolveSummary:
    """Judge the patches of a solve again, in a new solve: same issue and base, today's rules."""
    sent = keyed(key, "judgeSolve", f"{solve_id} {body.model_dump_json()}")
    submitted = await service.submitter.submit_again(
        solve_id, body, user_id=permit.user.id, key=sent
    )
    return await accepted(submitted, service, permit.user, response=response)


@router.get("/solves", operation_id="listSolves")
async def find(  # noqa: PLR0913 - one for each of the query's
    service: ServiceDep,
    user: MayRead,
    authorizer: AuthorizerDep,
    limit: Annotated[int, Query(ge=1, le=100)] = 20,
    cursor: Annotated[str, Query(description="Cursor of the previous page.")] = "",
    state: Annotated[
        list[SolveState] | None, Query(max_length=6, description="One or several.")
    ] = None,
    repo: Annotated[str, Query(max_length=300, description="Exactly this repository.")] = "",
    q: Annotated[str, Query(max_length=200, description="Part of the issue or repository.")] = "",
    conversation_id: Annotated[str | None, Query(max_length=64, pattern="^[0-9a-f-]+$")] = None,
) -> SolvePage:
    """List solves, newest first."""
    which = Which(
        user.id,
        tuple(state or ()),
        conversation_id,
        repo=repo,
        words=q,
        repo_urls=await authorizer.visible(user),
    )
    return await solve_page(service.context, which, limit=limit, cursor=cursor)


@router.get("/solves/{solve_id}", operation_id="getSolve")
async def read(solve_id: SolveIdPath, service: ServiceDep, permit: MayReadSolve) -> SolveView:
    """Get a solve with its runs and timeline; use `updates` for live progress."""
    return await solve_view(service.context, solve_id, user_id=permit.owner_id)


@router.post("/solves/{solve_id}/cancel", operation_id="cancelSolve", responses=CONFLICT)
async def cancel(solve_id: SolveIdPath, service: ServiceDep, permit: MayRunSolve) -> SolveSummary:
    """Cancel a solve and its open runs; workers stop within two seconds."""
    await summary(solve_id, service, permit.owner)
    await service.submitter.solves.stopper.cancel(solve_id)
    return await summary(solve_id, service, permit.owner)


@router.post("/solves/{solve_id}/champion", operation_id="chooseChampion", responses=CONFLICT)
async def choose(
    solve_id: SolveIdPath, body: Choice, service: ServiceDep, permit: MayRunSolve
) -> SolveSummary:
    """Choose another champion than the ranking offers, with a reason."""
    await choose_champion(
        service.context, solve_id, body, user_id=permit.owner_id, by=permit.user.id
    )
    return await summary(solve_id, service, permit.owner)


@router.post("/solves/{solve_id}/apply", operation_id="applyPatch", responses=CONFLICT)
async def apply(
    solve_id: SolveIdPath, body: ApplyAsk, service: ServiceDep, permit: MayPublishSolve
) -> AppliedView:
    """Apply a patch to the solve's folder, or to a new branch there. This settles the solve."""
    return await service.applier.take(solve_id, body, user_id=permit.owner_id)


@router.post("/solves/{solve_id}/dismiss", operation_id="dismissSolve", responses=CONFLICT)
async def dismiss(
    solve_id: SolveIdPath, body: DismissAsk, service: ServiceDep, permit: MayRunSolve
) -> SolveSummary:
    """Complete the solve without taking a patch; its runs do not change."""
    await dismiss_solve(
        service.context, solve_id, body.reason, user_id=permit.owner_id, by=permit.user.id
    )
    return await summary(solve_id, service, permit.owner)


@router.post(
    "/solves/{solve_id}/questions/{question_id}",
    operation_id="answerQuestion",
    responses=CONFLICT,
)
async def answer(
    solve_id: SolveIdPath,
    question_id: Annotated[str, Path(max_length=200, description="Its id or its key.")],
    body: AnswerAsk,
    service: ServiceDep,
    permit: MayAnswerSolve,
    key: IdempotencyHeader = None,
) -> SolveSummary:
    """Answer a question; the solve is then ranked again from what is known."""
    user = permit.user
    sent = keyed(key, "answerQuestion", solve_id, question_id, body.model_dump_json())
    given = Answer(question_id, body.choice, user.id, user.login)
    await service.answers.give(solve_id, given, owner_id=permit.owner_id, key=sent)
    return await summary(solve_id, service, permit.owner)


@planning.post("/forecasts", operation_id="forecastSolve")
async def forecast(
    body: SolveAsk, service: ServiceDep, user: MayRead, authorizer: AuthorizerDep
) -> Forecast:
    """Check and price the body of POST /api/solves without starting or storing anything.

    Every `issue_` field is optional here, because the issue may not be written yet.
    """
    await authorizer.place(user, body, Right.READ)
    return await service.forecaster.forecast(body, user_id=user.id)


@planning.get("/repos", operation_id="listRepos")
async def repos(service: ServiceDep, user: MayRead) -> RepoList:
    """List repositories of earlier solves, newest first."""
    return await recent_repositories(service.context.store, user_id=user.id)


@planning.post("/demo", status_code=202, operation_id="startDemo", responses=ACCEPTED)
async def demo(
    service: ServiceDep, user: MayAdminister, response: Response, key: IdempotencyHeader = None
) -> SolveSummary:
    """Start the bundled demo: a sample repository and scripted contestants, without key or cost."""
    sent = keyed(key, "startDemo")
    opened = await open_demo(service.settings, service.submitter, user_id=user.id, key=sent)
    return await accepted(opened, service, user, response=response)


async def accepted(
    submitted: Submitted, service: Service, user: User, *, response: Response
) -> SolveSummary:
    shown = await solve_summary(service.context, submitted.solve_id, user_id=user.id)
    response.headers["Location"] = shown.links["self"]
    if submitted.replayed:
        response.headers["Idempotency-Replayed"] = "true"
    return shown


async def summary(solve_id: SolveIdPath, service: Service, user: User) -> SolveSummary:
    return await solve_summary(service.context, solve_id, user_id=user.id)


# The two root routes of the first clients.
legacy = APIRouter(prefix="/solve", tags=["solves"])
legacy.post(
    "",
    status_code=202,
    operation_id="solve",
    responses=ACCEPTED,
    description="The same as `POST /api/solves`.",
)(create)


@legacy.get("/{solve_id}/status", operation_id="getSolveStatus")
async def status(solve_id: SolveIdPath, service: ServiceDep, permit: MayReadSolve) -> SolveSummary:
    """State, progress and champion."""
    return await summary(solve_id, service, permit.owner)


live = APIRouter(tags=["solves"])

_MAX_BYTES = 1024 * 1024
_MAX_OPEN_CHARS = 64 * MAX_OPEN


def _names(values: Iterable[str]) -> tuple[str, ...]:
    return tuple({name: None for value in values for name in value.split(",") if name})


def _few(values: tuple[str, ...]) -> tuple[str, ...]:
    if len(_names(values)) > MAX_OPEN or sum(map(len, values)) > _MAX_OPEN_CHARS:
        raise ValueError(f"name at most {MAX_OPEN} runs")
    return values


@live.get(
    "/solves/{solve_id}/updates",
    operation_id="getUpdates",
    # Not validated on the way out: the text is built from validated parts.
    response_class=Response,
    responses={200: {"model": UpdatesView, "description": "What is new since the cursor."}},
)
async def updates(
    # No unnecessary dependencies: each costs a tenth of an idle poll.
    request: Request,
    solve_id: str,
    permit: MayReadSolve,
    cursor: Annotated[
        str, Query(description="From the previous response; an invalid one starts over.")
    ] = "",
    runs: Annotated[
        tuple[Annotated[str, Field(max_length=_MAX_OPEN_CHARS)], ...],
        Query(
            alias="open",
            max_length=MAX_OPEN,
            description=f"Ids of runs whose messages are wanted, at most {MAX_OPEN}: repeat the "
            "again for each, or one with commas.",
        ),
        AfterValidator(_few),
    ] = (),
    max_bytes: Annotated[
        int, Query(ge=1, le=_MAX_BYTES, description="The rest follows in the next response.")
    ] = MAX_BYTES,
) -> Response:
    """Poll every `poll_ms`, at once if there is `more`, until it is `terminal`."""
    service = cast("Updates", request.app.state.service.updates)
    ask = Ask(SolveId(solve_id), permit.owner_id, cursor, _names(runs), max_bytes)
    return Response(await service.poll(ask), media_type="application/json")
