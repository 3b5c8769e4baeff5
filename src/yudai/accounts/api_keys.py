"""API keys for programs: shown once, stored as hashes, limited by scopes."""

import hmac
import re
from collections.abc import Collection
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

from pydantic import Field, SecretStr
from sqlalchemy.ext.asyncio import AsyncSession

from yudai.accounts import queries as accounts
from yudai.accounts.people import Person, person_of
from yudai.accounts.tables import KeyRow
from yudai.accounts.vault import Digest
from yudai.kit.clock import Clock
from yudai.kit.errors import NotFoundError, RefusedError
from yudai.kit.text import line
from yudai.kit.value import Value, from_attributes
from yudai.store.store import Store

MAX_NAME = 100
MAX_KEYS = 50
TOUCHED_S = 60.0
_TOO_MANY = f"there are {MAX_KEYS} keys already: revoke one first"
_KEY = re.compile("ydk_(?P<id>[0-9a-f]{16})_(?P<secret>[0-9a-f]{64})")


class Scope(StrEnum):
    READ = "read"
    RUN = "run"
    PUBLISH = "publish"


ALL_SCOPES = frozenset(Scope)


class KeyView(Value):
    id: str
    name: str
    scopes: tuple[Scope, ...]
    created_at: float
    expires_at: float | None = Field(description="null: never.")
    used_at: float | None = Field(description="Last use, to the minute; null: never.")


class NewKey(Value):
    key: str = Field(description="Shown only once: only its hash is stored.")
    about: KeyView


class KeyUse(NamedTuple):
    """A key's owner and scopes."""

    key_id: str
    person: Person
    scopes: frozenset[Scope]
    expires_at: float | None


@dataclass(frozen=True)
class ApiKeys:
    store: Store
    clock: Clock
    digest: Digest

    async def create(
        self,
        user_id: str,
        name: str,
        *,
        scopes: Collection[Scope],
        lasts_s: float | None = None,
        until: float | None = None,
    ) -> NewKey:
        """Create a key. `until` is the end of the key that asks: no key outlives its parent."""
        async with self.store.change() as db:
            if len(await accounts.keys_of(db, user_id)) >= MAX_KEYS:
                raise RefusedError(_TOO_MANY)
            return await self.add(
                db, user_id, name, scopes=scopes, expires_at=self._end(lasts_s, until)
            )

    async def make_room(self, db: AsyncSession, user_id: str, name: str) -> None:
        """Revoke the oldest key of this name when there are too many."""
        rows = await accounts.keys_of(db, user_id)
        if len(rows) < MAX_KEYS:
            return
        same = [row for row in rows if row.name == _name(name)]
        if not same:
            raise RefusedError(_TOO_MANY)
        await accounts.drop_key(db, same[-1].id, user_id=user_id)

    async def add(
        self,
        db: AsyncSession,
        user_id: str,
        name: str,
        *,
        scopes: Collection[Scope],
        expires_at: float | None,
    ) -> NewKey:
        if not scopes:
            raise RefusedError("a key needs at least one of the scopes read, run and publish")
        key_id, secret = self.clock.token(), random_text(self.clock)
        row = KeyRow(
            id=key_id,
            user_id=user_id,
            hash=self._hash(key_id, secret),
            name=_name(name),
            scopes=tuple(scope.value for scope in Scope if scope in scopes),
            created_at=self.clock.now(),
            expires_at=expires_at,
        )
        await accounts.add_key(db, row)
        return NewKey(key=f"ydk_{key_id}_{secret}", about=_view(row))

    async def list(self, user_id: str) -> tuple[KeyView, ...]:
        async with self.store.read() as db:
            return tuple(map(_view, await accounts.keys_of(db, user_id)))

    async def revoke(self, user_id: str, key_id: str) -> None:
        async with self.store.change() as db:
            if not await accounts.drop_key(db, key_id, user_id=user_id):
                raise NotFoundError(f"you have no key {key_id[:80]!a}")

    async def use(self, key: SecretStr) -> KeyUse | None:
        """The use of a key; None when it is invalid."""
        found = _KEY.fullmatch(key.get_secret_value())
        if found is None:
            return None
        async with self.store.read() as db:
            known = await accounts.key(db, found["id"])
        now = self.clock.now()
        if known is None:
            return None
        row, user = known
        is_it = hmac.compare_digest(row.hash, self._hash(row.id, found["secret"]))
        if not is_it or (row.expires_at is not None and row.expires_at <= now):
            return None
        if row.used_at is None or now - row.used_at >= TOUCHED_S:
            async with self.store.change() as db:
                await accounts.touch_key(db, row.id, at=now)
        scopes = frozenset(Scope(scope) for scope in row.scopes)
        return KeyUse(row.id, person_of(user), scopes, row.expires_at)

    def _hash(self, key_id: str, secret: str) -> str:
        return self.digest.of("key", f"{key_id}:{secret}")

    def _end(self, lasts_s: float | None, until: float | None) -> float | None:
        wanted = None if lasts_s is None else self.clock.now() + lasts_s
        ends = [end for end in (wanted, until) if end is not None]
        return min(ends, default=None)


def random_text(clock: Clock) -> str:
    """256 random bits."""
    return "".join(clock.token() for _ in range(4))


def _name(text: str) -> str:
    return line(text, width=MAX_NAME) or "a key"


def _view(row: KeyRow) -> KeyView:
    return from_attributes(KeyView, row)
