"""Routes of the forge: choosing a repository and an issue there, and its webhooks."""

from typing import Annotated, Any

from fastapi import APIRouter, Header, Path, Query, Request, Response

from yudai.api.dependencies import ServiceDep
from yudai.api.errors import ApiError, Code
from yudai.api.security.rights import PUBLIC, MayRead
from yudai.triggers.webhooks import Delivery, UnsignedError
from yudai.views.repositories import ForgeRepoList, IssueList, IssuePreview, Wanted

router = APIRouter(prefix="/forge/repos", tags=["forge"])

MAX_NUMBER = 1 << 53
Part = Annotated[str, Path(min_length=1, max_length=100, pattern=r"^[A-Za-z0-9_.-]+$")]


@router.get("", operation_id="listForgeRepos")
async def repos(service: ServiceDep, user: MayRead) -> ForgeRepoList:
    """List your repositories at the forge, last pushed first."""
    return await service.browser.repos(user_id=user.id)


@router.get("/{owner}/{name}/issues", operation_id="listForgeIssues")
async def issues(  # noqa: PLR0913 - one for each of the query's
    owner: Part,
    name: Part,
    service: ServiceDep,
    user: MayRead,
    q: Annotated[str, Query(max_length=200, description="Words in the issue.")] = "",
    label: Annotated[str, Query(max_length=50, description="Only with this label.")] = "",
    page: Annotated[int, Query(ge=1, le=1000)] = 1,
) -> IssueList:
    """List open issues, without pull requests."""
    wanted = Wanted(owner=owner, name=name, words=q, label=label, page=page)
    return await service.browser.issues(wanted, user_id=user.id)


@router.get("/{owner}/{name}/issues/{number}", operation_id="previewForgeIssue")
async def preview(
    owner: Part,
    name: Part,
    number: Annotated[int, Path(ge=1, le=MAX_NUMBER)],
    service: ServiceDep,
    user: MayRead,
) -> IssuePreview:
    """Preview the text that contestants would read, and what would be left out."""
    return await service.browser.preview(owner, name, number, user_id=user.id)


webhooks = APIRouter(prefix="/webhooks", tags=["forge"])

_RESPONSES: dict[int | str, dict[str, Any]] = {
    202: {"description": "The signature is valid; the webhook is stored as a hint."},
    401: {"description": "The signature is invalid."},
    404: {"description": "This server accepts no webhooks."},
}


@webhooks.post(
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
