"""The model endpoint for remote sandboxes; each run has its own token."""

from typing import cast

from fastapi import APIRouter, Request, Response

from yudai.agents.adapters.command.model_server import Caller, GoneError
from yudai.agents.endpoint.port import ModelEndpoint
from yudai.agents.endpoint.responses import UNKNOWN_CALLER, refused
from yudai.api.security.request_guards import model_response
from yudai.api.security.rights import PUBLIC

# OpenAI's contract, not ours: the how-to guide describes it.
router = APIRouter(prefix="/model/v1", include_in_schema=False, dependencies=[PUBLIC])

_CLOSED = "this server has no command agents, so no token is valid"
_GONE = Response(status_code=499)


@router.post("/chat/completions")
async def complete(request: Request) -> Response:
    """Call a model. The body is read only after the token was checked."""
    endpoint = _endpoint(request)
    if endpoint is None:
        return model_response(refused(UNKNOWN_CALLER, _CLOSED))
    caller = Caller(request.receive)
    try:
        answer = await caller.answered(endpoint.complete(_authorization(request), caller.read))
    except GoneError:
        return _GONE
    return model_response(answer)


@router.get("/models")
async def models(request: Request) -> Response:
    endpoint = _endpoint(request)
    if endpoint is None:
        return model_response(refused(UNKNOWN_CALLER, _CLOSED))
    return model_response(await endpoint.models(_authorization(request)))


def _endpoint(request: Request) -> ModelEndpoint | None:
    return cast("ModelEndpoint | None", getattr(request.app.state.service, "model_endpoint", None))


def _authorization(request: Request) -> str:
    return request.headers.get("authorization", "")
