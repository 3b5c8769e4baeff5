"""Routes of conversations."""

from typing import Annotated, Any, NamedTuple, cast

from fastapi import APIRouter, Depends, Path, Query, Request, Response

from yudai.api.deps import ConversationIdPath, CurrentUser, IdempotencyHeader, keyed
from yudai.api.openapi import CONFLICT
from yudai.domain.chat import Conversation, ConversationPage, MessagePage, Posted
from yudai.domain.chatasks import ConversationAsk, IssueAsk, MessageAsk
from yudai.services.conversations import MAX_PAGE, ConversationDetail, Conversations
from yudai.services.viewing import SolveSummary

router = APIRouter(prefix="/conversations", tags=["conversations"])

_MAX_NUMBER = 1 << 53
_LOCATION = {"Location": {"description": "Where it is read.", "schema": {"type": "string"}}}
_CREATED: dict[int | str, dict[str, Any]] = {
    201: {"description": "It is there.", "headers": _LOCATION}
}
_ACCEPTED: dict[int | str, dict[str, Any]] = {
    202: {"description": "The solve is written down and will be run.", "headers": _LOCATION}
}
_CURSOR = "As an earlier page gave it; one that leads nowhere is ignored, and `reset` says so."


class Visit(NamedTuple):
    conversations: Conversations
    user_id: str


def _visit(request: Request, user: CurrentUser) -> Visit:
    return Visit(cast("Conversations", request.app.state.service.conversations), user.id)


VisitDep = Annotated[Visit, Depends(_visit)]
Limit = Annotated[int, Query(ge=1, le=MAX_PAGE)]
CursorQuery = Annotated[str, Query(max_length=1000, description=_CURSOR)]
IssueNumber = Annotated[int, Path(ge=1, le=_MAX_NUMBER)]


_OF_SOLVE = _CREATED | CONFLICT | {404: {"description": "There is no such solve."}}


@router.post("", status_code=201, operation_id="createConversation", responses=_OF_SOLVE)
async def create(
    body: ConversationAsk,
    visit: VisitDep,
    response: Response,
    key: IdempotencyHeader = None,
) -> Conversation:
    """Begin to talk; solves that are started here are of its repository."""
    made = await visit.conversations.create(
        body, user_id=visit.user_id, key=keyed(key, "createConversation", body.model_dump_json())
    )
    response.headers["Location"] = f"/api/conversations/{made.id}"
    return made


@router.get("", operation_id="listConversations")
async def list_all(
    visit: VisitDep,
    cursor: CursorQuery = "",
    limit: Limit = 50,
) -> ConversationPage:
    """Newest first."""
    return await visit.conversations.page(user_id=visit.user_id, limit=limit, cursor=cursor)


@router.get("/{conversation_id}", operation_id="getConversation")
async def read(conversation_id: ConversationIdPath, visit: VisitDep) -> ConversationDetail:
    """With its solves, newest first."""
    return await visit.conversations.read(conversation_id, user_id=visit.user_id)


@router.get("/{conversation_id}/messages", operation_id="listMessages")
async def messages(
    conversation_id: ConversationIdPath,
    visit: VisitDep,
    after: CursorQuery = "",
    before: CursorQuery = "",
    limit: Limit = 50,
) -> MessagePage:
    """The newest ones, oldest first; or those after or before a cursor."""
    return await visit.conversations.messages(
        conversation_id, user_id=visit.user_id, limit=limit, after=after, before=before
    )


@router.post(
    "/{conversation_id}/messages",
    status_code=201,
    operation_id="postMessage",
    responses={201: {"description": "It is kept; what follows from it appears as messages."}},
)
async def post(
    conversation_id: ConversationIdPath,
    body: MessageAsk,
    visit: VisitDep,
    key: IdempotencyHeader = None,
) -> Posted:
    """Say something: free text is answered by a model, `/solve` starts a solve."""
    sent = keyed(key, "postMessage", conversation_id, body.model_dump_json())
    return await visit.conversations.post(
        conversation_id, body.text, user_id=visit.user_id, key=sent
    )


@router.post(
    "/{conversation_id}/issues/{number}/solve",
    status_code=202,
    operation_id="solveIssue",
    responses=_ACCEPTED,
)
async def solve_issue(
    conversation_id: ConversationIdPath,
    number: IssueNumber,
    visit: VisitDep,
    response: Response,
    body: IssueAsk | None = None,
    key: IdempotencyHeader = None,
) -> SolveSummary:
    """Start a solve whose milestones appear in the conversation."""
    asked = body or IssueAsk()
    sent = keyed(key, "solveIssue", conversation_id, str(number), asked.model_dump_json())
    solve_id = await visit.conversations.solve_issue(
        conversation_id, number, asked, user_id=visit.user_id, key=sent
    )
    response.headers["Location"] = f"/api/solves/{solve_id}"
    return await visit.conversations.viewer.summary(solve_id, user_id=visit.user_id)
