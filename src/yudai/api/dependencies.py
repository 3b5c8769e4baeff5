"""Dependencies of handlers: the service, the user and the idempotency key."""

import hashlib
import re
from typing import Annotated, NamedTuple, cast

from fastapi import Depends, Header, Request

from yudai.accounts.api_keys import ALL_SCOPES, Scope
from yudai.kit.errors import NotFoundError
from yudai.kit.ids import ConversationId, RunId, SolveId
from yudai.solves.idempotency import IdempotencyKey
from yudai.wiring.api_service import Service

_ID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
MAX_KEY = 200


class User(NamedTuple):
    id: str
    login: str = ""
    is_admin: bool = True
    scopes: frozenset[Scope] = ALL_SCOPES
    """The key's scopes; a login has all."""
    key_id: str = ""
    until: float | None = None
    """When the key expires."""
    login_id: str = ""


async def _service(request: Request) -> Service:
    return cast("Service", request.app.state.service)


ServiceDep = Annotated[Service, Depends(_service)]


async def _solve_id(solve_id: str) -> SolveId:
    return SolveId(exact("solve", solve_id))


async def _run_id(run_id: str) -> RunId:
    return RunId(exact("run", run_id))


async def _conversation_id(conversation_id: str) -> ConversationId:
    return ConversationId(exact("conversation", conversation_id))


def exact(noun: str, text: str) -> str:
    """NotFoundError for text that cannot be an id, without a query."""
    if not _ID.fullmatch(text):
        raise NotFoundError(f"there is no {noun} {text[:80]!a}")
    return text


SolveIdPath = Annotated[SolveId, Depends(_solve_id)]
RunIdPath = Annotated[RunId, Depends(_run_id)]
ConversationIdPath = Annotated[ConversationId, Depends(_conversation_id)]

IdempotencyHeader = Annotated[
    str | None,
    Header(
        alias="Idempotency-Key",
        min_length=1,
        max_length=MAX_KEY,
        pattern=r"^[!-~]+$",
        description="Requests with the same key and body are executed once.",
    ),
]


def keyed(key: str | None, *request: str) -> IdempotencyKey | None:
    """The key with a fingerprint of the request."""
    if key is None:
        return None
    fingerprint = hashlib.sha256("\n".join(request).encode()).hexdigest()
    return IdempotencyKey(key=key, fingerprint=fingerprint)
