"""The model endpoint for sandboxes that are elsewhere: a run's token is all that opens it."""

from typing import cast

from fastapi import APIRouter, Request, Response

from yudai.agents.adapters.command.model_server import Caller, GoneError
from yudai.agents.endpoint.port import ModelDesk
from yudai.agents.endpoint.responses import UNKNOWN_CALLER, refused
from yudai.api.security.request_guards import model_response
from yudai.api.security.rights import FREE

# OpenAI's contract, not ours: it is told of in the guide.
router = APIRouter(prefix="/model/v1", include_in_schema=False, dependencies=[FREE])

_CLOSED = "no command agents work here, so that no token is good"
_GONE = Response(status_code=499)


@router.post("/chat/completions")
async def complete(request: Request) -> Response:
    """The body is read only when the token is good."""
    desk = _desk(request)
    if desk is None:
        return model_response(refused(UNKNOWN_CALLER, _CLOSED))
    caller = Caller(request.receive)
    try:
        answer = await caller.answered(desk.complete(_authorization(request), caller.read))
    except GoneError:
        return _GONE
    return model_response(answer)


@router.get("/models")
async def models(request: Request) -> Response:
    desk = _desk(request)
    if desk is None:
        return model_response(refused(UNKNOWN_CALLER, _CLOSED))
    return model_response(await desk.models(_authorization(request)))


def _desk(request: Request) -> ModelDesk | None:
    return cast("ModelDesk | None", getattr(request.app.state.service, "model_desk", None))


def _authorization(request: Request) -> str:
    return request.headers.get("authorization", "")
