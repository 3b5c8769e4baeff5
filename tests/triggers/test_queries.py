"""Watches, triggers and deliveries on both databases: each is had by one worker alone."""

import asyncio
from collections.abc import Callable

import pytest

from yudai.accounts.queries import user_id
from yudai.accounts.tables import UserRow
from yudai.forge.domain.repository import Account
from yudai.kit.ids import SolveId
from yudai.solves import queries as solves
from yudai.solves.domain.states import SolveState
from yudai.solves.tables import SolveRow
from yudai.store.store import Store
from yudai.triggers import queries
from yudai.triggers.queries import AlreadyRecordedError
from yudai.triggers.tables import DeliveryRow, TriggerRow

NewSolve = Callable[..., SolveRow]
URL = "https://forge.test/ada/calc"


def trigger(key: str = "ada/calc/label/1") -> TriggerRow:
    return TriggerRow(
        key=key, repo_url=URL, issue_number=1, login="wim", state="opened", note="n", at=1.0
    )


def delivery(name: str, body: str, *, at: float = 1.0) -> DeliveryRow:
    return DeliveryRow(id=name, body_sha256=body, event="issues", repo="o/r", received_at=at)


async def test_a_watch_begins_once(store: Store):
    for at in (5.0, 9.0):
        async with store.change() as db:
            await queries.begin_watch(db, URL, at=at)
    async with store.read() as db:
        row = await queries.find_watch(db, URL)
        assert await queries.find_watch(db, f"{URL}x") is None
    assert row is not None
    assert (row.comments_since, row.issues_since, row.history_since) == (5.0, 0.0, 5.0)


async def test_one_worker_has_the_look(store: Store):
    async with store.change() as db:
        await queries.begin_watch(db, URL, at=5.0)

    async def claim(at: float) -> bool:
        async with store.change() as db:
            return await queries.claim_poll(db, URL, at=at, every_s=60) is not None

    async with asyncio.TaskGroup() as group:
        claims = [group.create_task(claim(100.0)) for _ in range(4)]
    assert sum(task.result() for task in claims) == 1
    assert not await claim(159.0)
    assert await claim(160.0)
    async with store.change() as db:
        await queries.change_watch(db, URL, error="away", comments_since=7.0)
        await queries.hold_watch(db, URL)
    async with store.read() as db:
        row = await queries.find_watch(db, URL)
    assert row is not None
    assert (row.error, row.comments_since, row.looked_at) == ("away", 7.0, 160.0)


async def test_a_trigger_is_heard_once(store: Store):
    async def add() -> bool:
        try:
            async with store.change() as db:
                await queries.add_trigger(db, trigger())
        except AlreadyRecordedError:
            return False
        return True

    async with asyncio.TaskGroup() as group:
        added = [group.create_task(add()) for _ in range(4)]
    assert sum(task.result() for task in added) == 1
    async with store.read() as db:
        row = await db.get(TriggerRow, trigger().key)
        assert await queries.recorded(db, [trigger().key, "other"]) == {trigger().key}
        assert await queries.recorded(db, []) == frozenset()
    assert row is not None
    assert (row.login, row.note, row.solve_id) == ("wim", "n", None)


async def test_a_solve_of_the_same_issue_is_found_while_it_goes_on(
    store: Store, new_solve: NewSolve
):
    issue = {"repo_url": URL, "issue_number": 1}
    async with store.change() as db:
        await solves.add(db, new_solve("a", **issue, state=SolveState.COMPLETED))
        await solves.add(db, new_solve("b", **issue | {"issue_number": 2}))
        await solves.add(db, new_solve("c", **issue | {"repo_url": f"{URL}2"}))
    async with store.read() as db:
        assert await queries.open_solve_of(db, URL, 1) is None
    async with store.change() as db:
        await solves.add(db, new_solve("d", **issue, state=SolveState.RUNNING))
    async with store.read() as db:
        assert await queries.open_solve_of(db, URL.replace("ada", "Ada"), 1) == "d"
        assert await queries.open_solve_of(db, URL, 1, besides=SolveId("d")) is None


async def test_a_user_is_known_by_number_not_by_name(store: Store):
    async with store.change() as db:
        db.add(
            UserRow(id="u", forge="https://f", forge_id=7, login="ada", created_at=1.0, seen_at=1.0)
        )
    async with store.read() as db:
        assert await user_id(db, "https://f", Account(id=7, login="renamed")) == "u"
        assert await user_id(db, "https://f", Account(id=8, login="ada")) is None
        assert await user_id(db, "https://g", Account(id=7, login="ada")) is None


@pytest.mark.parametrize("again", [("d1", "other"), ("d2", "b1"), ("d1", "b1")])
async def test_a_delivery_comes_once(store: Store, again: tuple[str, str]):
    async with store.change() as db:
        assert await queries.add_delivery(db, delivery("d1", "b1"))
        await queries.count_tries(db, ["d1"])
    async with store.change() as db:
        assert not await queries.add_delivery(db, delivery(*again))
    async with store.read() as db:
        [row] = await queries.waiting_deliveries(db, most_tries=1, limit=9)
    assert (row.id, row.tries) == ("d1", 0)
    async with store.change() as db:
        await queries.settle_deliveries(db, ["d1"], at=2.0)
        assert not await queries.add_delivery(db, delivery(*again))
    async with store.read() as db:
        assert await queries.waiting_deliveries(db, most_tries=9, limit=9) == []


async def test_deliveries_wait_in_order_and_are_forgotten(store: Store):
    async with store.change() as db:
        for name, at in (("c", 3.0), ("a", 1.0), ("b", 2.0), ("d", 4.0)):
            await queries.add_delivery(db, delivery(name, name, at=at))
        await queries.count_tries(db, ["a"])
    async with store.read() as db:
        found = await queries.waiting_deliveries(db, most_tries=2, limit=3)
    assert [row.id for row in found] == ["b", "c", "d"]
    async with store.change() as db:
        await queries.forget_deliveries(db, before=3.0)
    async with store.read() as db:
        found = await queries.waiting_deliveries(db, most_tries=2, limit=9)
    assert [row.id for row in found] == ["c", "d"]
