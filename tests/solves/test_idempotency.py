import asyncio

import pytest

from yudai.solves import idempotency
from yudai.solves.idempotency import KEPT_S, IdempotencyKey, KeyReusedError, KeyTakenError
from yudai.store.store import Store

KEY = IdempotencyKey(key="k", fingerprint="f")


async def find(store: Store, key: IdempotencyKey = KEY, user_id: str = "ada") -> str | None:
    async with store.read() as db:
        return await idempotency.find(db, user_id, key)


async def keep(store: Store, resource_id: str, *, key: IdempotencyKey = KEY, at: float = 1.0):
    async with store.change() as db:
        await idempotency.keep(db, "ada", key, resource_id=resource_id, at=at)


async def test_a_key_leads_to_what_it_made(store: Store):
    assert await find(store) is None
    await keep(store, "solve-1")
    assert await find(store) == "solve-1"
    assert await find(store, user_id="bob") is None
    assert await find(store, IdempotencyKey(key="other", fingerprint="f")) is None


async def test_a_key_is_for_one_request(store: Store):
    await keep(store, "solve-1")
    with pytest.raises(KeyReusedError):
        await find(store, IdempotencyKey(key="k", fingerprint="another"))


async def test_of_two_at_once_one_is_rolled_back(store: Store):
    async def attempt(number: int) -> bool:
        try:
            await keep(store, f"solve-{number}")
        except KeyTakenError:
            return False
        return True

    async with asyncio.TaskGroup() as group:
        attempts = [group.create_task(attempt(number)) for number in range(4)]
    won = [number for number, task in enumerate(attempts) if task.result()]
    assert len(won) == 1
    assert await find(store) == f"solve-{won[0]}"


async def test_a_transaction_that_fails_keeps_no_key(store: Store):
    async def fail() -> None:
        async with store.change() as db:
            await idempotency.keep(db, "ada", KEY, resource_id="solve-1", at=1.0)
            raise RuntimeError

    with pytest.raises(RuntimeError):
        await fail()
    assert await find(store) is None


async def test_old_keys_are_forgotten(store: Store):
    await keep(store, "solve-1", at=1.0)
    young = IdempotencyKey(key="young", fingerprint="f")
    await keep(store, "solve-2", key=young, at=0.5 + KEPT_S)
    assert await find(store) == "solve-1"
    await keep(store, "solve-3", key=IdempotencyKey(key="new", fingerprint="f"), at=2.0 + KEPT_S)
    assert await find(store) is None
    assert await find(store, young) == "solve-2"
