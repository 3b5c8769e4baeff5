"""Leases as rows, on both databases; on PostgreSQL by its own clock."""

import asyncio

import pytest
from sqlalchemy import select, text
from sqlalchemy.ext.asyncio import AsyncSession

from yudai.engine import queries as workers
from yudai.engine.queries import DEAD_S, WorkerRow
from yudai.kit.ids import WorkerId
from yudai.store.database import instant
from yudai.store.holders import Holder, Seen
from yudai.store.outages import StoreAwayError
from yudai.store.pool import Pool
from yudai.store.postgresql import session_name
from yudai.store.store import Store

ONE = Holder(WorkerId("one"), "host", 1, durable=True)
TWO = Holder(WorkerId("two"), "host", 2, durable=True)
THREE = Holder(WorkerId("three"), "host", 3, durable=True)
NOW = 1000.0
_LOCK = text("SELECT 1 FROM workers WHERE id = 'one' FOR UPDATE")


@pytest.fixture
def url(database_url: str) -> str:
    return database_url


async def alive(db: AsyncSession, *, dead_s: float = DEAD_S) -> set[WorkerId]:
    is_heard = WorkerRow.beat_at > instant(db, NOW) - dead_s
    return set(
        await db.scalars(select(WorkerRow.id).where(WorkerRow.adopted_by.is_(None), is_heard))
    )


async def enrol(store: Store, *holders: Holder) -> None:
    async with store.change() as db:
        for holder in holders:
            await workers.enrol(db, holder, now=NOW)


async def peer_of(store: Store, holder: Holder, *, now: float = NOW) -> Seen:
    async with store.read() as db:
        found = await workers.peers(db, WorkerId("nobody"), now=now)
    return next(peer for peer in found if peer.holder == holder)


async def ids(store: Store) -> list[str]:
    async with store.read() as db:
        return [peer.holder.id for peer in await workers.peers(db, WorkerId("nobody"), now=NOW)]


async def test_who_beats_is_alive(store: Store):
    await enrol(store, ONE, TWO)
    async with store.read() as db:
        assert await alive(db) == {"one", "two"}
        assert await alive(db, dead_s=-1) == set()
        [peer] = await workers.peers(db, ONE.id, now=NOW)
    assert peer.holder == TWO
    assert 0 <= peer.silent_s < workers.DEAD_S
    async with store.change() as db:
        assert await workers.beat(db, TWO.id, now=NOW + 1)
    assert (await peer_of(store, TWO)).beat_at > peer.beat_at


async def test_the_databases_own_clock_counts_where_machines_have_their_own(
    store: Store, database_kind: str
):
    await enrol(store, ONE)
    silent_s = (await peer_of(store, ONE, now=NOW + 500)).silent_s
    assert (silent_s < 100) if database_kind == "postgresql" else (silent_s == 500)


async def test_one_takes_over(store: Store):
    await enrol(store, ONE, TWO, THREE)
    seen = await peer_of(store, ONE)
    async with store.change() as db:
        assert await workers.adopt(db, seen, TWO.id, now=NOW)
    async with store.change() as db:
        assert not await workers.adopt(db, seen, THREE.id, now=NOW)
        assert await workers.adopt(db, seen, TWO.id, now=NOW)
        assert not await workers.remove_adopted(db, ONE.id, THREE.id)
        assert await alive(db) == {"two", "three"}
        assert await workers.remove_adopted(db, ONE.id, TWO.id)
    assert await ids(store) == ["three", "two"]


async def test_of_many_at_once_one_takes_over(store: Store):
    heirs = [
        Holder(WorkerId(f"heir-{number}"), "host", number, durable=True) for number in range(5)
    ]
    await enrol(store, ONE, *heirs)
    seen = await peer_of(store, ONE)

    async def adopt(heir: Holder) -> bool:
        async with store.change() as db:
            return await workers.adopt(db, seen, heir.id, now=NOW)

    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(adopt(heir)) for heir in heirs]
    assert sum(task.result() for task in tasks) == 1


async def test_who_died_over_it_is_replaced_and_who_is_at_it_is_not(store: Store):
    await enrol(store, ONE, TWO, THREE)
    seen = await peer_of(store, ONE)
    async with store.change() as db:
        assert await workers.adopt(db, seen, TWO.id, now=NOW)
        assert not await workers.adopt(db, seen, THREE.id, now=NOW + 1)
    await asyncio.sleep(0.02)
    async with store.change() as db:
        assert await workers.adopt(db, seen, THREE.id, now=NOW + 10, dead_s=0.01)
        await workers.continue_adopting(db, THREE.id, now=NOW + 15)
        assert not await workers.adopt(db, seen, TWO.id, now=NOW + 20)
        assert not await workers.remove_adopted(db, ONE.id, TWO.id)


async def test_who_lives_after_all_is_left_alone(store: Store):
    await enrol(store, ONE, TWO)
    seen = await peer_of(store, ONE)
    async with store.change() as db:
        assert await workers.beat(db, ONE.id, now=NOW + 1)
    async with store.change() as db:
        assert not await workers.adopt(db, seen, TWO.id, now=NOW + 1)
        assert not await workers.remove_dead(db, seen)
        assert await workers.beat(db, ONE.id, now=NOW + 2)


async def test_who_was_taken_over_from_beats_no_more(store: Store):
    await enrol(store, ONE, TWO)
    async with store.change() as db:
        assert await workers.adopt(db, await peer_of(store, ONE), TWO.id, now=NOW)
        assert not await workers.beat(db, ONE.id, now=NOW)
        assert await workers.remove_adopted(db, ONE.id, TWO.id)
        assert not await workers.beat(db, ONE.id, now=NOW)


async def test_who_stops_is_to_be_taken_over_from_at_once_even_if_that_was_done(store: Store):
    await enrol(store, ONE, TWO)
    async with store.change() as db:
        assert await workers.adopt(db, await peer_of(store, ONE), TWO.id, now=NOW)
        await workers.stop(db, ONE)
        assert not await workers.remove_adopted(db, ONE.id, TWO.id)
    seen = await peer_of(store, ONE)
    assert seen.silent_s >= workers.DEAD_S
    async with store.change() as db:
        assert await workers.adopt(db, seen, TWO.id, now=NOW)
        assert await workers.remove_adopted(db, ONE.id, TWO.id)
        await workers.stop(db, ONE)
    assert (await peer_of(store, ONE)).silent_s >= workers.DEAD_S


async def test_who_is_in_nobodys_books_is_noted_as_dead(store: Store):
    await enrol(store, ONE)
    async with store.change() as db:
        await workers.note_unknown(db, [ONE.id, TWO.id])
        await workers.note_unknown(db, [])
        assert await alive(db) == {"one"}
    stray = await peer_of(store, Holder(TWO.id, "", 0, durable=True))
    assert stray.silent_s >= workers.DEAD_S


async def test_rows_go(store: Store):
    await enrol(store, ONE, TWO)
    async with store.change() as db:
        await workers.remove(db, ONE.id)
        await workers.remove(db, ONE.id)
        assert await workers.remove_dead(db, await peer_of(store, TWO))
    assert await ids(store) == []


async def test_one_that_is_frozen_in_a_transaction_is_cut_off(postgresql_only_url: str) -> None:
    name = session_name(ONE.host, ONE.pid)
    frozen = await Store.open(postgresql_only_url, Pool(session=name))
    async with await Store.open(postgresql_only_url) as store:
        await enrol(store, ONE, TWO)

        async def freeze() -> None:
            async with frozen.change() as db:
                await db.execute(_LOCK)
                async with store.change() as other:
                    assert await workers.cut_off(other, TWO.id) == 0
                    assert await workers.cut_off(other, ONE.id) >= 1
                async with asyncio.timeout(5), store.change() as other:
                    await other.execute(_LOCK)
                await db.execute(_LOCK)

        with pytest.raises(StoreAwayError):
            await freeze()
        await frozen.close()


async def test_one_that_was_stopped_is_not_cut_off(store: Store) -> None:
    await enrol(store, ONE)
    async with store.change() as db:
        await workers.stop(db, ONE)
        assert await workers.cut_off(db, ONE.id) == 0
        assert await workers.cut_off(db, WorkerId("unknown")) == 0
