"""Login of terminals: the user types a code at the forge, and the terminal gets a key."""

from dataclasses import dataclass
from typing import NamedTuple

from pydantic import Field, SecretStr

from yudai.accounts import queries as accounts
from yudai.accounts.api_keys import ALL_SCOPES, ApiKeys, NewKey, random_text
from yudai.accounts.people import Enroller, Person
from yudai.accounts.tables import LoginAttemptRow
from yudai.accounts.vault import Digest, SealBrokenError, Vault
from yudai.forge.ports.login import DeviceState, Grant, LoginProvider
from yudai.kit.clock import Clock
from yudai.kit.errors import ForbiddenError, RefusedError
from yudai.kit.value import Value
from yudai.store.store import Store

KEY_LASTS_S = 90 * 24 * 3600.0
SLOWER_S = 5.0
_OVER = "this login has expired or was already used: start again"
_DENIED = "you did not authorize this at the forge: start again"


class DeviceBegun(Value):
    ticket: str = Field(description="Sent to poll the login.")
    user_code: str = Field(description="The code to type there.")
    verification_url: str
    interval_s: float = Field(description="Seconds between polls.")
    expires_in_s: float


class DeviceAnswer(NamedTuple):
    wait_s: float
    """Wait before asking again; 0 when done."""
    person: Person | None = None
    key: NewKey | None = None


class _Kept(Value):
    """Sealed state of a pending login."""

    device_code: str
    interval_s: float


@dataclass(frozen=True)
class DeviceLogins:
    store: Store
    clock: Clock
    vault: Vault
    digest: Digest
    provider: LoginProvider
    enroller: Enroller
    keys: ApiKeys

    async def begin(self) -> DeviceBegun:
        given = await self.provider.device_begin()
        ticket, now = random_text(self.clock), self.clock.now()
        kept = _Kept(device_code=given.device_code.get_secret_value(), interval_s=given.interval_s)
        row = LoginAttemptRow(
            hash=self._hash(ticket),
            secret=self.vault.seal(SecretStr(kept.model_dump_json())),
            next_at=now + given.interval_s,
            created_at=now,
            expires_at=now + given.expires_in,
        )
        async with self.store.change() as db:
            await accounts.add_expiring(db, row)
        return DeviceBegun(
            ticket=ticket,
            user_code=given.user_code,
            verification_url=given.verification_url,
            interval_s=given.interval_s,
            expires_in_s=given.expires_in,
        )

    async def poll(self, ticket: str, *, name: str) -> DeviceAnswer:
        """Poll the login; the forge is asked at most as often as it allows."""
        kept = await self._turn(ticket)
        if not isinstance(kept, _Kept):
            return DeviceAnswer(kept)
        said = await self.provider.device_poll(SecretStr(kept.device_code))
        if isinstance(said, Grant):
            return await self._let_in(ticket, said, name)
        if said in (DeviceState.DENIED, DeviceState.EXPIRED):
            await self._forget(ticket)
            raise ForbiddenError(_DENIED if said is DeviceState.DENIED else _OVER)
        if said is DeviceState.SLOW_DOWN:
            kept = kept.model_copy(update={"interval_s": kept.interval_s + SLOWER_S})
            await self._slow_down(ticket, kept)
        return DeviceAnswer(kept.interval_s)

    async def _turn(self, ticket: str) -> _Kept | float:
        """The stored state to poll with, or how long to wait."""
        now = self.clock.now()
        async with self.store.change() as db:
            row = await accounts.hold_attempt(db, self._hash(ticket))
            if row is None or row.expires_at <= now:
                raise RefusedError(_OVER)
            if row.next_at > now:
                return row.next_at - now
            try:
                kept = _Kept.model_validate_json(self.vault.open(row.secret).get_secret_value())
            except SealBrokenError:
                raise RefusedError(_OVER) from None
            await accounts.change_attempt(db, row.hash, next_at=now + kept.interval_s)
        return kept

    async def _let_in(self, ticket: str, grant: Grant, name: str) -> DeviceAnswer:
        account = await self.enroller.account(grant)
        ends = self.clock.now() + KEY_LASTS_S
        async with self.store.change() as db:
            if await accounts.take_attempt(db, self._hash(ticket)) is None:
                raise RefusedError(_OVER)
            person = await self.enroller.keep(db, account, grant)
            await self.keys.make_room(db, person.id, name)
            key = await self.keys.add(db, person.id, name, scopes=ALL_SCOPES, expires_at=ends)
        return DeviceAnswer(0.0, person, key)

    async def _slow_down(self, ticket: str, kept: _Kept) -> None:
        secret = self.vault.seal(SecretStr(kept.model_dump_json()))
        next_at = self.clock.now() + kept.interval_s
        async with self.store.change() as db:
            await accounts.change_attempt(db, self._hash(ticket), secret=secret, next_at=next_at)

    async def _forget(self, ticket: str) -> None:
        async with self.store.change() as db:
            await accounts.take_attempt(db, self._hash(ticket))

    def _hash(self, ticket: str) -> str:
        # Hashed for another purpose, so that it cannot be used as a browser's ticket.
        return self.digest.of("device", ticket)
