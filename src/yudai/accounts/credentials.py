"""Credentials for the forge: tokens of people, of the App and of the server."""

import asyncio
from collections import defaultdict
from dataclasses import dataclass, field

import structlog
from pydantic import SecretStr

from yudai.accounts import queries as accounts
from yudai.accounts.people import sealed
from yudai.accounts.tables import TokenRow
from yudai.accounts.vault import SealBrokenError, Vault
from yudai.forge.domain.repository import RepoRef, Role
from yudai.forge.ports.login import Grant, GrantEndedError, LoginProvider, SignedOutError
from yudai.forge.ports.remote import ANONYMOUS, Credential, CredentialKind, Repositories
from yudai.kit.clock import Clock
from yudai.kit.errors import (
    ForbiddenError,
    ForgeError,
    LostAnswerError,
    NotFoundError,
    RefusedError,
)
from yudai.kit.ids import LOCAL_USER
from yudai.store.store import Store

log: structlog.stdlib.BoundLogger = structlog.get_logger()

LEEWAY_S = 300.0
"""A token that expires this soon is refreshed first, so that it lasts for the work."""
REFRESH_S = 6.0
"""Shorter than PostgreSQL's limit for idle transactions, which would lose the new token."""


@dataclass(frozen=True)
class Keyring:
    """Implements `Credentials`."""

    store: Store
    clock: Clock
    vault: Vault
    forge: Repositories
    provider: LoginProvider | None = None
    """None: expiring tokens are not refreshed, and there is no login."""
    server: SecretStr | None = None
    """GITHUB_TOKEN"""
    is_local: bool = True
    _turns: defaultdict[str, asyncio.Lock] = field(
        default_factory=lambda: defaultdict(asyncio.Lock), compare=False, repr=False
    )

    async def reading(self, repo: RepoRef, *, user_id: str) -> Credential:
        own = await self.own(user_id)
        if own is not None:
            return own
        return await self.forge.app_credential(repo) or self._server() or ANONYMOUS

    async def writing(self, repo: RepoRef, *, user_id: str) -> Credential:
        own = await self.own(user_id)
        has_user = user_id not in ("", LOCAL_USER if self.is_local else "")
        if own is not None:
            await self._check_push(repo, own)
        elif has_user:
            raise SignedOutError
        app = await self.forge.app_credential(repo)
        if app is not None:
            return app
        if own is not None:
            return own
        # Only without a user, so that no user gets the server's rights.
        server = self._server()
        if server is None:
            raise ForbiddenError(
                f"nothing may push to {repo.full}: install the App there, set GITHUB_TOKEN,"
                " or log in"
            )
        return server

    async def own(self, user_id: str) -> Credential | None:
        """The user's token, valid for some minutes at least; None: they are signed out."""
        if not user_id:
            return None
        async with self.store.read() as db:
            found = await accounts.token(db, user_id)
        if found is None:
            return None
        row, user = found
        try:
            token = await self._good(row)
        except SealBrokenError:
            # Keep it: a process with the wrong TOKEN_KEYS must not sign people out.
            log.warning("token.not_opened", user_id=user_id)
            return None
        if token is None:
            return None
        return Credential(kind=CredentialKind.USER, token=token, login=user.login)

    async def _good(self, row: TokenRow) -> SecretStr | None:
        if not self._is_ending(row):
            return self.vault.open(row.access)
        if self.provider is None:
            # Keep it: a process with the App's settings can refresh it.
            log.warning("token.not_refreshed", user_id=row.user_id)
            return None
        async with self._turns[row.user_id]:
            return await self._refresh(row.user_id, self.provider)

    async def login_of(self, user_id: str) -> str:
        """The user's login at the forge; "" without a token."""
        async with self.store.read() as db:
            found = await accounts.token(db, user_id)
        return "" if found is None else found[1].login

    async def sign_out(self, user_id: str) -> bool:
        """Forget the token and end the user's logins."""
        async with self.store.change() as db:
            # The token first, in the same order as refresh and login, to avoid deadlocks.
            had_token = await accounts.drop_token(db, user_id)
            await accounts.drop_logins(db, user_id)
        return had_token

    async def disconnect(self, user_id: str) -> None:
        """Forget the user's token, logins and keys."""
        async with self.store.change() as db:
            await accounts.drop_token(db, user_id)
            await accounts.drop_logins(db, user_id)
            for key in await accounts.keys_of(db, user_id):
                await accounts.drop_key(db, key.id, user_id=user_id)
        log.info("token.disconnected", user_id=user_id)

    async def reseal(self) -> int:
        """Seal all tokens with the newest key; return how many could be opened."""
        done = 0
        async with self.store.read() as db:
            owners = await accounts.token_owners(db)
        for user_id in owners:
            async with self.store.change() as db:
                row = await accounts.hold_token(db, user_id)
                if row is not None:
                    done += self._rotate(row)
        return done

    def _rotate(self, row: TokenRow) -> bool:
        try:
            access = self.vault.rotate(row.access)
            refresh = self.vault.rotate(row.refresh) if row.refresh else ""
        except SealBrokenError:
            log.warning("token.not_opened", user_id=row.user_id)
            return False
        row.access, row.refresh = access, refresh
        return True

    async def _refresh(self, user_id: str, provider: LoginProvider) -> SecretStr | None:
        """One at a time over all processes: the row is held while the forge is asked.

        A refresh token is good once. Two that use it at once, or an answer that is not written
        down, would sign the person out.
        """
        async with self.store.change() as db:
            row = await accounts.hold_token(db, user_id)
            if row is None:
                return None
            if not self._is_ending(row):
                return self.vault.open(row.access)
            grant = await self._ask(row, provider)
            if grant is not None:
                token = sealed(self.vault, user_id, grant, at=self.clock.now())
                await accounts.keep_token(db, token)
                log.info("token.refreshed", user_id=user_id)
                # Not used before it is committed.
                fresh = grant.access
            else:
                await accounts.drop_token(db, user_id)
                await accounts.drop_logins(db, user_id)
                log.info("token.over", user_id=user_id)
                fresh = None
        return fresh

    async def _ask(self, row: TokenRow, provider: LoginProvider) -> Grant | None:
        """The new grant; None when the user is signed out: refused by the forge, or expired."""
        over = row.refresh_expires_at is not None and row.refresh_expires_at <= self.clock.now()
        if not row.refresh or over:
            return None
        token = self.vault.open(row.refresh)
        try:
            async with asyncio.timeout(REFRESH_S):
                return await provider.refresh(token)
        except GrantEndedError:
            return None
        except RefusedError as error:
            # From a proxy, or because of the App's settings: not about this user's login.
            raise ForgeError(f"your login could not be renewed, try again later: {error}") from None
        except TimeoutError:
            raise LostAnswerError("the forge does not answer: try again in a moment") from None

    def _is_ending(self, row: TokenRow) -> bool:
        """Whether to refresh; a token that cannot be refreshed is used until it expires."""
        if row.access_expires_at is None:
            return False
        leeway = LEEWAY_S if row.refresh and self.provider is not None else 0.0
        return row.access_expires_at - leeway <= self.clock.now()

    async def _check_push(self, repo: RepoRef, own: Credential) -> None:
        try:
            role = (await self.forge.repository(repo, by=own)).role
        except NotFoundError:
            role = Role.NONE
        if not role.allows(Role.WRITE):
            raise ForbiddenError(
                f"{own.login} may not push to {repo.full}: ask there for the right to"
            )

    def _server(self) -> Credential | None:
        if self.server is None:
            return None
        return Credential(kind=CredentialKind.SERVER, token=self.server)
