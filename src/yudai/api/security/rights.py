"""The right that a route needs: the type of a parameter, or one of its dependencies.

Every route has exactly one of these, and a test looks for it. Who may see something but not do
this to it is told so (403); for who may not see it, it is not there (404).
"""

from typing import Annotated, cast

from fastapi import Depends, Request

from yudai.accounts.access import Right
from yudai.accounts.api_keys import ALL_SCOPES, Scope
from yudai.api.dependencies import User
from yudai.api.security.authorize import Gate, Permit


async def _the_gate(request: Request) -> Gate:
    return _gate(request)


GateDep = Annotated[Gate, Depends(_the_gate)]
"""For what only a request's body tells, and for logging in."""


class Nobody:
    """No login is needed, and nothing is counted."""

    async def __call__(self) -> None:
        return


class Anybody:
    """No login is needed, but addresses that ask too often wait."""

    def __init__(self, kind: str = "") -> None:
        self.kind = kind

    async def __call__(self, request: Request) -> None:
        await _gate(request).anybody(request, self.kind)


class Member:
    """A login, or a key that is good for this."""

    def __init__(self, *scopes: Scope) -> None:
        self.scopes = frozenset(scopes)

    async def __call__(self, request: Request) -> User:
        return await _gate(request).user(request, self.scopes)


class Administrator:
    """One of YUDAI_ADMINS; with a key, one that is good for this."""

    def __init__(self, *scopes: Scope) -> None:
        self.scopes = frozenset(scopes)

    async def __call__(self, request: Request) -> User:
        return await _gate(request).admin(request, self.scopes)


class OfSolve:
    """The right in the solve's repository."""

    def __init__(self, right: Right) -> None:
        self.right = right

    async def __call__(self, request: Request, solve_id: str) -> Permit:
        return await _gate(request).solve(request, solve_id, self.right)


class OfRun:
    """The right in the repository of the run's solve."""

    def __init__(self, right: Right) -> None:
        self.right = right

    async def __call__(self, request: Request, run_id: str) -> Permit:
        return await _gate(request).run(request, run_id, self.right)


class OfConversation:
    """One's own conversation, and this right in its repository."""

    def __init__(self, right: Right) -> None:
        self.right = right

    async def __call__(self, request: Request, conversation_id: str) -> Permit:
        return await _gate(request).conversation(request, conversation_id, self.right)


KINDS = (Nobody, Anybody, Member, Administrator, OfSolve, OfRun, OfConversation)

FREE = Depends(Nobody())
ANYBODY = Depends(Anybody())
LOGGING_IN = Depends(Anybody("login"))
BEGINNING_DEVICE = Depends(Anybody("device"))
POLLING_DEVICE = Depends(Anybody("poll"))

READING = Depends(Member(Scope.READ))
ADMINISTERING = Depends(Administrator(*ALL_SCOPES))
OVERSEEING = Depends(Administrator(Scope.READ))
"""For programs that only watch: they need no key that could change anything."""

MayRead = Annotated[User, READING]
MayAdminister = Annotated[User, ADMINISTERING]
MayRun = Annotated[User, Depends(Member(Scope.RUN))]
MayManage = Annotated[User, Depends(Member(*ALL_SCOPES))]

MayReadSolve = Annotated[Permit, Depends(OfSolve(Right.READ))]
MayRunSolve = Annotated[Permit, Depends(OfSolve(Right.RUN))]
MayPublishSolve = Annotated[Permit, Depends(OfSolve(Right.PUBLISH))]
MayReadRun = Annotated[Permit, Depends(OfRun(Right.READ))]
MayRunRun = Annotated[Permit, Depends(OfRun(Right.RUN))]
MayReadConversation = Annotated[Permit, Depends(OfConversation(Right.READ))]
MayRunConversation = Annotated[Permit, Depends(OfConversation(Right.RUN))]


def _gate(request: Request) -> Gate:
    return cast("Gate", request.app.state.gate)
