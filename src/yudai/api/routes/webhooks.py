"""The route that the forge calls; signed, so it needs no login."""

from typing import Annotated, Any

from fastapi import APIRouter, Header, Request, Response

from yudai.api.dependencies import ServiceDep
from yudai.api.errors import ApiError, Code
from yudai.api.security.rights import PUBLIC
from yudai.triggers.webhooks import Delivery, UnsignedError

router = APIRouter(prefix="/webhooks", tags=["forge"])

_RESPONSES: dict[int | str, dict[str, Any]] = {
    202: {"description": "It is signed, and kept as a hint of what to look at."},
    401: {"description": "The signature does not fit."},
    404: {"description": "No webhooks are taken here."},
}


@router.post(
    "/github",
    status_code=202,
    operation_id="takeWebhook",
    responses=_RESPONSES,
    response_class=Response,
    dependencies=[PUBLIC],
)
async def take(
    request: Request,
    service: ServiceDep,
    event: Annotated[str, Header(alias="X-GitHub-Event", max_length=100)] = "",
    delivery: Annotated[str, Header(alias="X-GitHub-Delivery", max_length=100)] = "",
    signature: Annotated[str, Header(alias="X-Hub-Signature-256", max_length=200)] = "",
) -> Response:
    """Accept a webhook as a hint; workers then read the facts from the forge."""
    # The raw body: the signature covers these bytes and is checked before parsing.
    body = await request.body()
    try:
        await service.deliveries.take(Delivery(delivery, event, signature, body))
    except UnsignedError as error:
        raise ApiError(Code.UNAUTHENTICATED, str(error)) from error
    return Response(status_code=202)
