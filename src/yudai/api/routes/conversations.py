"""Routes of conversations."""

from typing import Annotated, Any

from fastapi import APIRouter, Path, Query, Request, Response

from yudai.accounts.access import Right
from yudai.api.dependencies import ConversationIdPath, IdempotencyHeader, ServiceDep, keyed
from yudai.api.openapi import CONFLICT
from yudai.api.security.authorize import NamedRepository
from yudai.api.security.rights import (
    AuthorizerDep,
    MayRead,
    MayReadConversation,
    MayRun,
    MayRunConversation,
)
from yudai.conversations.domain.conversation import (
    Conversation,
    ConversationPage,
    MessagePage,
    Posted,
)
from yudai.conversations.domain.requests import ConversationAsk, IssueAsk, MessageAsk
from yudai.conversations.service import MAX_PAGE, ConversationDetail
from yudai.kit.errors import RefusedError
from yudai.solves.domain.request import SolveAsk
from yudai.solves.domain.slash_command import is_command, parse_command
from yudai.views.solves import SolveSummary, solve_summary

router = APIRouter(prefix="/conversations", tags=["conversations"])

_MAX_NUMBER = 1 << 53
_LOCATION = {"Location": {"description": "Path to read it from.", "schema": {"type": "string"}}}
_CREATED: dict[int | str, dict[str, Any]] = {201: {"description": "Created.", "headers": _LOCATION}}
_ACCEPTED: dict[int | str, dict[str, Any]] = {
    202: {"description": "The solve is stored and will run.", "headers": _LOCATION}
}
_CURSOR = "From an earlier page. An invalid one is ignored, and `reset` is true."


Limit = Annotated[int, Query(ge=1, le=MAX_PAGE)]
CursorQuery = Annotated[str, Query(max_length=1000, description=_CURSOR)]
IssueNumber = Annotated[int, Path(ge=1, le=_MAX_NUMBER)]


_OF_SOLVE = _CREATED | CONFLICT | {404: {"description": "There is no such solve."}}


@router.post("", status_code=201, operation_id="createConversation", responses=_OF_SOLVE)
async def create(  # noqa: PLR0913 - one for each thing that is asked or needed
    request: Request,
    body: ConversationAsk,
    service: ServiceDep,
    user: MayRun,
    authorizer: AuthorizerDep,
    response: Response,
    key: IdempotencyHeader = None,
) -> Conversation:
    """Create a conversation; its solves use its repository by default."""
    if body.repo_url or body.repo_path:
        at = SolveAsk.model_construct(repo_url=body.repo_url, repo_path=body.repo_path)
        await authorizer.place(user, at, Right.READ)
    if body.solve_id:
        await authorizer.solve(request, body.solve_id, Right.READ)
    made = await service.conversations.create(
        body, user_id=user.id, key=keyed(key, "createConversation", body.model_dump_json())
    )
    response.headers["Location"] = f"/api/conversations/{made.id}"
    return made


@router.get("", operation_id="listConversations")
async def list_all(
    service: ServiceDep,
    user: MayRead,
    cursor: CursorQuery = "",
    limit: Limit = 50,
) -> ConversationPage:
    """List conversations, newest first."""
    return await service.conversations.page(user_id=user.id, limit=limit, cursor=cursor)


@router.get("/{conversation_id}", operation_id="getConversation")
async def read(
    conversation_id: ConversationIdPath, service: ServiceDep, permit: MayReadConversation
) -> ConversationDetail:
    """Get a conversation with its solves, newest first."""
    return await service.conversations.read(conversation_id, user_id=permit.owner_id)


@router.get("/{conversation_id}/messages", operation_id="listMessages")
async def messages(
    conversation_id: ConversationIdPath,
    service: ServiceDep,
    permit: MayReadConversation,
    after: CursorQuery = "",
    before: CursorQuery = "",
    limit: Limit = 50,
) -> MessagePage:
    """List the newest messages, or those after or before a cursor, oldest first."""
    return await service.conversations.messages(
        conversation_id, user_id=permit.owner_id, limit=limit, after=after, before=before
    )


@router.post(
    "/{conversation_id}/messages",
    status_code=201,
    operation_id="postMessage",
    responses={201: {"description": "The message is stored; replies appear as messages."}},
)
async def post(
    conversation_id: ConversationIdPath,
    body: MessageAsk,
    service: ServiceDep,
    permit: MayRunConversation,
    authorizer: AuthorizerDep,
    key: IdempotencyHeader = None,
) -> Posted:
    """Post a message: a model answers free text, `/solve` starts a solve."""
    if is_command(body.text):
        await authorizer.begin(permit.user, _commanded(body.text))
    sent = keyed(key, "postMessage", conversation_id, body.model_dump_json())
    return await service.conversations.post(
        conversation_id, body.text, user_id=permit.owner_id, key=sent
    )


@router.post(
    "/{conversation_id}/issues/{number}/solve",
    status_code=202,
    operation_id="solveIssue",
    responses=_ACCEPTED,
)
async def solve_issue(  # noqa: PLR0913 - one for each thing that is asked or needed
    conversation_id: ConversationIdPath,
    number: IssueNumber,
    service: ServiceDep,
    permit: MayRunConversation,
    authorizer: AuthorizerDep,
    response: Response,
    body: IssueAsk | None = None,
    key: IdempotencyHeader = None,
) -> SolveSummary:
    """Start a solve whose milestones appear in the conversation."""
    asked = body or IssueAsk()
    is_named = bool(asked.repo_url or asked.repo_path)
    await authorizer.begin(permit.user, asked if is_named else NamedRepository(None, asked.publish))
    sent = keyed(key, "solveIssue", conversation_id, str(number), asked.model_dump_json())
    solve_id = await service.conversations.solve_issue(
        conversation_id, number, asked, user_id=permit.owner_id, key=sent
    )
    response.headers["Location"] = f"/api/solves/{solve_id}"
    return await solve_summary(service.context, solve_id, user_id=permit.owner_id)


def _commanded(text: str) -> NamedRepository:
    """The repository of a command; invalid commands are answered in the conversation."""
    try:
        url = parse_command(text).repo_url
    except RefusedError:
        url = ""
    return NamedRepository(SolveAsk.model_construct(repo_url=url).place if url else None)
