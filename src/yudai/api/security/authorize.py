"""Identifies the caller and checks their rights. In local mode one user has all rights."""

from dataclasses import dataclass
from typing import NamedTuple, Protocol, cast

from fastapi import Request
from pydantic import SecretStr

from yudai.accounts.access import Right
from yudai.accounts.api_keys import ALL_SCOPES, Scope
from yudai.api.dependencies import Service, User, exact
from yudai.api.errors import ApiError, Code
from yudai.api.security.cookies import Cookies
from yudai.api.security.rate_limits import Limiter
from yudai.kit.errors import ForbiddenError, NotFoundError
from yudai.kit.ids import LOCAL_USER, ConversationId, RunId, SolveId
from yudai.solves.domain.origin import PublishMode
from yudai.solves.domain.request import Folder, Remote
from yudai.wiring.accounts import Accounts, LoginServices

LOCAL = User(LOCAL_USER, LOCAL_USER)
NO_LOGIN = "this server has one user and no login"
COOKIES = Cookies(is_secure=True)
_BEARER = "bearer "
_SCOPES = {
    Right.READ: Scope.READ,
    Right.RUN: Scope.RUN,
    Right.ANSWER: Scope.RUN,
    Right.PUBLISH: Scope.PUBLISH,
    Right.ADMIN: Scope.PUBLISH,
}


class NamesRepository(Protocol):
    """A request that names a repository: a `SolveAsk`, or just a `NamedRepository`."""

    @property
    def place(self) -> Folder | Remote | None: ...
    @property
    def publish(self) -> PublishMode | None: ...


class NamedRepository(NamedTuple):
    place: Folder | Remote | None
    """None: the conversation's repository, which has its own check."""
    publish: PublishMode | None = None


class Permit(NamedTuple):
    """The caller, and the owner in whose name services are called."""

    user: User
    owner_id: str

    @property
    def owner(self) -> User:
        return self.user._replace(id=self.owner_id)


_ALL_LOCAL = Permit(LOCAL, LOCAL_USER)


@dataclass(frozen=True)
class Authorizer:
    accounts: Accounts | None
    """None in local mode."""
    limiter: Limiter | None = None
    cookies: Cookies = COOKIES
    admins: frozenset[str] = frozenset()
    publish: PublishMode = PublishMode.AUTO
    """The default for requests."""

    async def anybody(self, request: Request, kind: str = "") -> None:
        """Needs no login; `kind` names a stricter rate limit."""
        if self.limiter is not None:
            await self.limiter.address(request, kind)

    async def user(self, request: Request, scopes: frozenset[Scope]) -> User:
        if self.accounts is None:
            return LOCAL
        user = await self.known(request)
        if user is None:
            if self.limiter is not None:
                await self.limiter.address(request)
            raise ApiError(
                Code.UNAUTHENTICATED,
                "log in: /auth/login in a browser, `yudai login` in a terminal, or send a key",
                headers={"WWW-Authenticate": 'Bearer realm="yudai"'},
            )
        if self.limiter is not None:
            await self.limiter.user(user.id)
        if missing := scopes - user.scopes:
            names = " and ".join(sorted(missing))
            raise ForbiddenError(f"this key lacks the scope {names}: use one that has it")
        return user

    async def known(self, request: Request) -> User | None:
        """The user of the key, if one is sent, else of the cookie."""
        if self.accounts is None:
            return LOCAL
        sent = request.headers.get("authorization")
        if sent is not None:
            return await self._by_key(sent)
        secret = self.cookies.read(request)
        login_services = self.accounts.login_services
        found = await login_services.logins.who(secret) if secret and login_services else None
        if found is None:
            return None
        person = found.person
        return User(
            person.id,
            person.login,
            is_admin=self._is_admin(person.login),
            login_id=found.login_id,
        )

    async def _by_key(self, sent: str) -> User | None:
        accounts = cast("Accounts", self.accounts)
        if not sent.lower().startswith(_BEARER):
            return None
        found = await accounts.keys.use(SecretStr(sent[len(_BEARER) :].strip()))
        if found is None:
            return None
        return User(
            found.person.id,
            found.person.login,
            is_admin=self._is_admin(found.person.login),
            scopes=found.scopes,
            key_id=found.key_id,
            until=found.expires_at,
        )

    async def admin(self, request: Request, scopes: frozenset[Scope] = ALL_SCOPES) -> User:
        user = await self.user(request, scopes)
        _refuse_others(user)
        return user

    async def solve(self, request: Request, solve_id: str, right: Right) -> Permit:
        if self.accounts is None:
            return _ALL_LOCAL
        user = await self.user(request, frozenset({_SCOPES[right]}))
        known = SolveId(exact("solve", solve_id))
        return Permit(user, await self.accounts.access.check_solve(user.id, known, right))

    async def run(self, request: Request, run_id: str, right: Right) -> Permit:
        if self.accounts is None:
            return _ALL_LOCAL
        user = await self.user(request, frozenset({_SCOPES[right]}))
        known = RunId(exact("run", run_id))
        return Permit(user, await self.accounts.access.check_run(user.id, known, right))

    async def conversation(self, request: Request, conversation_id: str, right: Right) -> Permit:
        user = await self.user(request, frozenset({_SCOPES[right]}))
        if self.accounts is not None:
            known = ConversationId(exact("conversation", conversation_id))
            folder = await self.accounts.access.check_conversation(user.id, known, right)
            if folder:
                _refuse_others(user)
        return Permit(user, user.id)

    async def begin(self, user: User, ask: NamesRepository) -> None:
        """Check that this user may start a solve in the named repository."""
        if self.accounts is None:
            return
        publish = ask.publish or self.publish
        if publish is PublishMode.AUTO and Scope.PUBLISH not in user.scopes:
            raise ForbiddenError("this key lacks the scope publish: set `publish` to ask or never")
        is_asked = ask.publish is PublishMode.AUTO
        await self.place(user, ask, Right.PUBLISH if is_asked else Right.RUN)

    async def place(self, user: User, ask: NamesRepository, right: Right) -> None:
        """Check this user's right in the named repository."""
        if self.accounts is None:
            return
        place = ask.place
        if isinstance(place, Folder):
            _refuse_others(user)
            return
        if place is not None:
            await self.accounts.access.check_repo(user.id, place.url, right)

    async def visible(self, user: User) -> frozenset[str] | None:
        """Repositories that a list may show; None: all."""
        return None if self.accounts is None else await self.accounts.access.visible(user.id)

    def login_services(self) -> LoginServices:
        if self.accounts is None or self.accounts.login_services is None:
            raise NotFoundError(NO_LOGIN)
        return self.accounts.login_services

    def people(self) -> Accounts:
        if self.accounts is None:
            raise NotFoundError(NO_LOGIN)
        return self.accounts

    def _is_admin(self, login: str) -> bool:
        return login.lower() in self.admins


def make_authorizer(service: Service | None) -> Authorizer:
    if service is None or service.settings.auth_mode == "local":
        return Authorizer(None)
    settings = service.settings
    return Authorizer(
        accounts=service.accounts,
        limiter=Limiter(service.context.clock, per_minute=settings.requests_per_minute),
        cookies=Cookies.of(settings),
        admins=frozenset(login.lower() for login in settings.admins),
        publish=settings.github_publish,
    )


def _refuse_others(user: User) -> None:
    if not user.is_admin:
        raise ForbiddenError("only this installation's administrators may do this (YUDAI_ADMINS)")
