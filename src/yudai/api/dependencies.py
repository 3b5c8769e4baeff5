"""What handlers are given: the service, the user, and the key of a repeated request."""

import hashlib
import re
from typing import Annotated, NamedTuple, Protocol, cast

from fastapi import Depends, Header, Request

from yudai.accounts.api_keys import ALL_SCOPES, Scope
from yudai.arena.cancel import Stopper
from yudai.arena.forecast import Forecaster
from yudai.arena.submit import Submitter
from yudai.conversations.service import Conversations
from yudai.decisions.apply import Applier
from yudai.engine.port import Engine
from yudai.gateway.catalogue import Catalogue
from yudai.kit.clock import Clock
from yudai.kit.errors import NotFoundError
from yudai.kit.ids import ConversationId, RunId, SolveId
from yudai.settings import Settings
from yudai.solves.idempotency import IdempotencyKey
from yudai.store.store import Store
from yudai.views.documents import Reader
from yudai.views.updates import Updates
from yudai.wiring.accounts import Accounts
from yudai.wiring.demo import Demonstrator

_ID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
MAX_KEY = 200


class Service(Protocol):
    """What the wiring opens for the time that the server runs."""

    @property
    def settings(self) -> Settings: ...
    @property
    def store(self) -> Store: ...
    @property
    def reader(self) -> Reader: ...
    @property
    def submitter(self) -> Submitter: ...
    @property
    def forecaster(self) -> Forecaster: ...
    @property
    def demonstrator(self) -> Demonstrator: ...
    @property
    def applier(self) -> Applier: ...
    @property
    def catalogue(self) -> Catalogue: ...
    @property
    def conversations(self) -> Conversations: ...
    @property
    def updates(self) -> Updates: ...
    @property
    def stopper(self) -> Stopper: ...
    @property
    def engine(self) -> Engine: ...
    @property
    def clock(self) -> Clock: ...
    @property
    def accounts(self) -> Accounts:
        """Asked for only where people log in."""
        ...


class User(NamedTuple):
    id: str
    login: str = ""
    is_admin: bool = True
    scopes: frozenset[Scope] = ALL_SCOPES
    """What the key is good for; a login is for everything."""
    key_id: str = ""
    until: float | None = None
    """When the key ends."""
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
    """Whatever cannot be an id is found nowhere, before a database is asked for it."""
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
        description="The same key with the same body is carried out once, however often it comes.",
    ),
]


def keyed(key: str | None, *request: str) -> IdempotencyKey | None:
    """The key with a fingerprint of what makes the request that one and no other."""
    if key is None:
        return None
    fingerprint = hashlib.sha256("\n".join(request).encode()).hexdigest()
    return IdempotencyKey(key=key, fingerprint=fingerprint)
