"""Requests that were carried out once, under the keys that their senders gave."""

from sqlalchemy import delete
from sqlalchemy.ext.asyncio import AsyncSession

from yudai.kit.errors import ConflictError, RefusedError
from yudai.kit.value import Value
from yudai.solves.tables import IdempotencyRow
from yudai.store.rows import insert_row

KEPT_S = 7 * 24 * 3600


class IdempotencyKey(Value):
    """A key with what it was given for."""

    key: str
    fingerprint: str
    """Of the request: the same key with another one is refused."""


class KeyReusedError(RefusedError):
    """The sender gave one key to two different requests."""


class KeyTakenError(ConflictError):
    """The same request was carried out a moment before: roll back, then look again."""


async def find(db: AsyncSession, user_id: str, key: IdempotencyKey | None) -> str | None:
    """What the request made when it came first; None when this is the first time."""
    row = None if key is None else await db.get(IdempotencyRow, (user_id, key.key))
    if key is None or row is None:
        return None
    if row.fingerprint != key.fingerprint:
        raise KeyReusedError(
            "this Idempotency-Key was used for another request: give each request its own"
        )
    return row.resource_id


async def keep(
    db: AsyncSession, user_id: str, key: IdempotencyKey | None, *, resource_id: str, at: float
) -> None:
    """In the transaction that makes the resource; the later one of two at once is refused."""
    if key is None:
        return
    await db.execute(delete(IdempotencyRow).where(IdempotencyRow.created_at < at - KEPT_S))
    row = IdempotencyRow(
        user_id=user_id, **key.model_dump(), resource_id=resource_id, created_at=at
    )
    if not await insert_row(db, row):
        raise KeyTakenError("the same request is being carried out: read what it made")
