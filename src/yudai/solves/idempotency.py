"""Idempotency keys of requests that were executed."""

from sqlalchemy import delete
from sqlalchemy.ext.asyncio import AsyncSession

from yudai.kit.errors import ConflictError, RefusedError
from yudai.kit.value import Value
from yudai.solves.tables import IdempotencyRow
from yudai.store.rows import insert_row

KEPT_S = 7 * 24 * 3600


class IdempotencyKey(Value):
    """A key and the fingerprint of its request."""

    key: str
    fingerprint: str
    """Fingerprint of the request: the same key with another request is refused."""


class KeyReusedError(RefusedError):
    """The sender gave one key to two different requests."""


class KeyTakenError(ConflictError):
    """The same request was executed concurrently: roll back, then look it up."""


async def find(db: AsyncSession, user_id: str, key: IdempotencyKey | None) -> str | None:
    """The resource that the first request created; None for the first request."""
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
    """Store the key in the resource's transaction; of two at once the later one fails."""
    if key is None:
        return
    await db.execute(delete(IdempotencyRow).where(IdempotencyRow.created_at < at - KEPT_S))
    row = IdempotencyRow(
        user_id=user_id, **key.model_dump(), resource_id=resource_id, created_at=at
    )
    if not await insert_row(db, row):
        raise KeyTakenError("the same request is already running: read its result")
