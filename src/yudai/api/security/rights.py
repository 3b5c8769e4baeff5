"""The right that a route needs, as a parameter's type or a dependency.

Every route has exactly one; a test checks this. Without the right a caller gets 403 for what they
may see, and 404 for what they may not see.
"""

from typing import Annotated, cast

from fastapi import Depends, Request

from yudai.accounts.access import Right
from yudai.accounts.api_keys import ALL_SCOPES, Scope
from yudai.api.dependencies import User
from yudai.api.security.authorize import Authorizer, Permit


async def _the_authorizer(request: Request) -> Authorizer:
    return _authorizer(request)


AuthorizerDep = Annotated[Authorizer, Depends(_the_authorizer)]
"""For rights that depend on the request's body, and for login."""


class Public:
    """Needs no login and has no rate limit."""

    async def __call__(self) -> None:
        return


class RateLimited:
    """Needs no login, but has a rate limit per address."""

    def __init__(self, kind: str = "") -> None:
        self.kind = kind

    async def __call__(self, request: Request) -> None:
        await _authorizer(request).anybody(request, self.kind)


class Member:
    """Needs a login, or a key with these scopes."""

    def __init__(self, *scopes: Scope) -> None:
        self.scopes = frozenset(scopes)

    async def __call__(self, request: Request) -> User:
        return await _authorizer(request).user(request, self.scopes)


class Administrator:
    """Needs one of YUDAI_ADMINS; a key also needs these scopes."""

    def __init__(self, *scopes: Scope) -> None:
        self.scopes = frozenset(scopes)

    async def __call__(self, request: Request) -> User:
        return await _authorizer(request).admin(request, self.scopes)


class OfSolve:
    """Needs the right in the solve's repository."""

    def __init__(self, right: Right) -> None:
        self.right = right

    async def __call__(self, request: Request, solve_id: str) -> Permit:
        return await _authorizer(request).solve(request, solve_id, self.right)


class OfRun:
    """Needs the right in the repository of the run's solve."""

    def __init__(self, right: Right) -> None:
        self.right = right

    async def __call__(self, request: Request, run_id: str) -> Permit:
        return await _authorizer(request).run(request, run_id, self.right)


class OfConversation:
    """Needs the caller's own conversation, and the right in its repository."""

    def __init__(self, right: Right) -> None:
        self.right = right

    async def __call__(self, request: Request, conversation_id: str) -> Permit:
        return await _authorizer(request).conversation(request, conversation_id, self.right)


KINDS = (Public, RateLimited, Member, Administrator, OfSolve, OfRun, OfConversation)

PUBLIC = Depends(Public())
RATE_LIMITED = Depends(RateLimited())
LOGGING_IN = Depends(RateLimited("login"))
BEGINNING_DEVICE = Depends(RateLimited("device"))
POLLING_DEVICE = Depends(RateLimited("poll"))

READING = Depends(Member(Scope.READ))
ADMINISTERING = Depends(Administrator(*ALL_SCOPES))
MONITORING = Depends(Administrator(Scope.READ))
"""For monitoring programs, which need only a read-only key."""

MayRead = Annotated[User, READING]
MayAdminister = Annotated[User, ADMINISTERING]
MayRun = Annotated[User, Depends(Member(Scope.RUN))]
MayManage = Annotated[User, Depends(Member(*ALL_SCOPES))]

MayReadSolve = Annotated[Permit, Depends(OfSolve(Right.READ))]
MayRunSolve = Annotated[Permit, Depends(OfSolve(Right.RUN))]
MayAnswerSolve = Annotated[Permit, Depends(OfSolve(Right.ANSWER))]
MayPublishSolve = Annotated[Permit, Depends(OfSolve(Right.PUBLISH))]
MayReadRun = Annotated[Permit, Depends(OfRun(Right.READ))]
MayRunRun = Annotated[Permit, Depends(OfRun(Right.RUN))]
MayReadConversation = Annotated[Permit, Depends(OfConversation(Right.READ))]
MayRunConversation = Annotated[Permit, Depends(OfConversation(Right.RUN))]


def _authorizer(request: Request) -> Authorizer:
    return cast("Authorizer", request.app.state.authorizer)
