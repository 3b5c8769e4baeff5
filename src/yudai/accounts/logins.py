"""Login of browsers at the forge: redirect, callback, and the resulting login."""

import base64
import hashlib
import hmac
import re
from dataclasses import dataclass
from typing import NamedTuple

from pydantic import Field, SecretStr

from yudai.accounts import queries as accounts
from yudai.accounts.api_keys import TOUCHED_S, random_text
from yudai.accounts.people import Enroller, Person, person_of
from yudai.accounts.tables import LoginAttemptRow, LoginRow
from yudai.accounts.vault import Digest, SealBrokenError, Vault
from yudai.forge.ports.login import LoginProvider
from yudai.kit.clock import Clock
from yudai.kit.errors import ForbiddenError, NotFoundError, RefusedError
from yudai.kit.text import line
from yudai.kit.value import Value, from_attributes
from yudai.store.store import Store

IDLE_S = 12 * 3600.0
ABSOLUTE_S = 14 * 24 * 3600.0
ATTEMPT_S = 600.0
_MAX_AGENT = 200
_ID_DIGITS = 16
_TICKET = re.compile("[0-9a-f]{64}")
_OVER = "this login was started elsewhere, has expired or was already used: start again"


class Begun(NamedTuple):
    url: str
    """URL to redirect the browser to."""
    ticket: SecretStr
    """Secret in the browser's cookie until the callback."""


class Callback(NamedTuple):
    ticket: str
    state: str
    code: str
    error: str = ""


class Finished(NamedTuple):
    person: Person
    secret: SecretStr
    """The cookie's value; only its hash is kept."""
    return_to: str


class SignedIn(NamedTuple):
    person: Person
    login_id: str


class LoginView(Value):
    id: str
    agent: str = Field(description="The browser's User-Agent.")
    created_at: float
    seen_at: float = Field(description="To the minute.")
    expires_at: float
    present: bool = Field(description="Whether it is the login of this request.")


@dataclass(frozen=True)
class Logins:
    store: Store
    clock: Clock
    vault: Vault
    digest: Digest
    provider: LoginProvider
    enroller: Enroller

    async def begin(self, return_to: str, *, redirect_uri: str) -> Begun:
        ticket, state, verifier = (random_text(self.clock) for _ in range(3))
        now = self.clock.now()
        row = LoginAttemptRow(
            hash=self.digest.of("attempt", ticket),
            state_hash=self.digest.of("state", state),
            secret=self.vault.seal(SecretStr(verifier)),
            return_to=return_to,
            created_at=now,
            expires_at=now + ATTEMPT_S,
        )
        async with self.store.change() as db:
            await accounts.add_expiring(db, row)
        url = self.provider.authorize_url(state, challenge_of(verifier), redirect_uri)
        return Begun(url, SecretStr(ticket))

    async def finish(
        self, callback: Callback, *, redirect_uri: str, agent: str = "", former: str = ""
    ) -> Finished:
        """Finish a login, once per ticket; `former` is the browser's previous login."""
        attempt = await self._take(callback)
        if callback.error or not callback.code:
            said = line(callback.error, width=100) or "no code"
            raise ForbiddenError(f"the forge refused the login ({said}): start again")
        try:
            verifier = self.vault.open(attempt.secret).get_secret_value()
        except SealBrokenError:
            raise RefusedError(_OVER) from None
        grant = await self.provider.exchange(callback.code, verifier, redirect_uri)
        account = await self.enroller.account(grant)
        secret, now = random_text(self.clock), self.clock.now()
        async with self.store.change() as db:
            person = await self.enroller.keep(db, account, grant)
            if former:
                await accounts.drop_login(db, self._hash(former))
            row = LoginRow(
                hash=self._hash(secret),
                user_id=person.id,
                agent=line(agent, width=_MAX_AGENT),
                created_at=now,
                seen_at=now,
                expires_at=now + ABSOLUTE_S,
            )
            await accounts.add_expiring(db, row)
        return Finished(person, SecretStr(secret), attempt.return_to)

    async def who(self, secret: str) -> SignedIn | None:
        """The person of a login, which stays active; None when it is invalid."""
        if not _TICKET.fullmatch(secret):
            return None
        async with self.store.read() as db:
            found = await accounts.login(db, self._hash(secret))
        if found is None:
            return None
        row, user = found
        now = self.clock.now()
        if not is_good(row, now):
            return None
        if now - row.seen_at >= TOUCHED_S:
            async with self.store.change() as db:
                await accounts.touch_login(db, row.hash, at=now)
        return SignedIn(person_of(user), row.hash[:_ID_DIGITS])

    async def end(self, secret: str) -> None:
        async with self.store.change() as db:
            await accounts.drop_login(db, self._hash(secret))

    async def end_all(self, user_id: str) -> int:
        async with self.store.change() as db:
            return await accounts.drop_logins(db, user_id)

    async def end_one(self, user_id: str, login_id: str) -> None:
        is_id = len(login_id) == _ID_DIGITS
        async with self.store.change() as db:
            if not is_id or not await accounts.drop_logins(db, user_id, starting=login_id):
                raise NotFoundError(f"you have no login {login_id[:80]!a}")

    async def list(self, user_id: str, *, present: str = "") -> tuple[LoginView, ...]:
        """Valid logins, last seen first."""
        async with self.store.read() as db:
            rows = await accounts.logins_of(db, user_id)
        now = self.clock.now()
        return tuple(_view(row, present) for row in rows if is_good(row, now))

    async def _take(self, callback: Callback) -> LoginAttemptRow:
        if not _TICKET.fullmatch(callback.ticket):
            raise RefusedError(_OVER)
        hash_ = self.digest.of("attempt", callback.ticket)
        # Committed before the forge is asked, so that a repeated callback is refused.
        async with self.store.change() as db:
            attempt = await accounts.take_attempt(db, hash_)
        if attempt is None or attempt.expires_at <= self.clock.now():
            raise RefusedError(_OVER)
        said = self.digest.of("state", callback.state)
        if not hmac.compare_digest(attempt.state_hash, said):
            raise RefusedError(_OVER)
        return attempt

    def _hash(self, secret: str) -> str:
        return self.digest.of("login", secret)


def is_good(row: LoginRow, now: float) -> bool:
    return now < row.expires_at and now - row.seen_at < IDLE_S


def challenge_of(verifier: str) -> str:
    """PKCE's S256 (RFC 7636)."""
    hashed = hashlib.sha256(verifier.encode("ascii")).digest()
    return base64.urlsafe_b64encode(hashed).rstrip(b"=").decode("ascii")


def _view(row: LoginRow, present: str) -> LoginView:
    login_id = row.hash[:_ID_DIGITS]
    return from_attributes(LoginView, row, id=login_id, present=login_id == present)
