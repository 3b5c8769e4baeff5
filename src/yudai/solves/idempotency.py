"""Requests that were carried out once, under the keys that their senders gave."""

from typing import cast

from sqlalchemy import Table, delete
from sqlalchemy.ext.asyncio import AsyncSession

from yudai.kit.errors import ConflictError, RefusedError
from yudai.kit.value import Value
from yudai.solves.tables import IdempotencyRow
from yudai.store.connections import insert_new

KEPT_S = 7 * 24 * 3600
_KEYS = cast("Table", IdempotencyRow.__table__)


class IdempotencyKey(Value):
    """A key with what it was given for."""

    key: str
    fingerprint: str
    """Of the request: the same key with another one is refused."""


class KeyReusedError(RefusedError):
    """The sender gave one key to two different requests."""


class KeyTakenError(ConflictError):
    """The same request was carried out a moment before: roll back, then look again."""


async def find(db: AsyncSession, user_id: str, key: IdempotencyKey) -> str | None:
    """What the request made when it came first; None when this is the first time."""
    row = await db.get(IdempotencyRow, (user_id, key.key))
    if row is None:
        return None
    if row.fingerprint != key.fingerprint:
        raise KeyReusedError(
            "this Idempotency-Key was used for another request: give each request its own"
        )
    return row.resource_id


async def keep(
    db: AsyncSession, user_id: str, key: IdempotencyKey, *, resource_id: str, at: float
) -> None:
    """In the transaction that makes the resource; the later one of two at once is refused."""
    await db.execute(delete(_KEYS).where(_KEYS.c.created_at < at - KEPT_S))
    columns = {
        "user_id": user_id,
        "key": key.key,
        "fingerprint": key.fingerprint,
        "resource_id": resource_id,
        "created_at": at,
    }
    statement = insert_new(_KEYS, db.get_bind().dialect).values(**columns).returning(_KEYS.c.key)
    if (await db.scalars(statement)).one_or_none() is None:
        raise KeyTakenError("the same request is being carried out: read what it made")
