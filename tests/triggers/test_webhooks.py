"""Webhooks: who may send them, what is kept of them, and how often they are followed."""

import asyncio
import hashlib
import hmac
import json
from collections.abc import AsyncGenerator
from dataclasses import dataclass, field, replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import SecretStr
from sqlalchemy import select

from tests.support.servers.databases import Kind
from tests.support.solve_rows import SOLVE, Ring
from yudai.forge.domain.repository import RepoRef
from yudai.kit.clock import SystemClock
from yudai.kit.errors import ForgeError, NotFoundError, RefusedError
from yudai.publishing.tables import PublicationRow
from yudai.store.store import Store
from yudai.triggers.queries import KEPT_S
from yudai.triggers.tables import DeliveryRow
from yudai.triggers.webhooks import MAX_TRIES, Deliveries, Delivery, UnsignedError, is_signed

SECRET = SecretStr("a secret of thirty-two characters")
FORGE = "https://forge.test"
BOTH = pytest.mark.parametrize("database_kind", ["sqlite", "postgresql"])


def sign(body: bytes, secret: SecretStr = SECRET) -> str:
    digest = hmac.new(secret.get_secret_value().encode(), body, hashlib.sha256).hexdigest()
    return f"sha256={digest}"


def sent(event: str = "issues", *, id: str = "d1", number: int | None = 7, **more: Any) -> Delivery:
    about = {"pull_request": "pull_request"}.get(event, "issue")
    told = {"repository": {"full_name": "Ada/calc"}, about: {"number": number}} | more
    body = json.dumps(told).encode()
    return Delivery(id, event, sign(body), body)


class Later(SystemClock):
    def __init__(self) -> None:
        self.at = 1_700_000_000.0

    def now(self) -> float:
        return self.at


@dataclass
class Inbox:
    store: Store
    clock: Later = field(default_factory=Later)
    heard: list[tuple[str, int]] = field(default_factory=list[tuple[str, int]])
    settled: list[tuple[str, int | None]] = field(default_factory=list[tuple[str, int | None]])
    error: Exception | None = None
    order: list[str] = field(default_factory=list[str])

    def __post_init__(self) -> None:
        self.deliveries = Deliveries(
            self.store, self.clock, FORGE, self.check_issue, self.settle, secret=SECRET
        )

    async def check_issue(self, repo: RepoRef, number: int) -> None:
        self.heard.append((repo.url, number))
        self.order.append("heard")
        if self.error:
            raise self.error

    async def settle(self, repo: RepoRef, number: int | None) -> None:
        self.settled.append((repo.url, number))
        self.order.append("settled")

    async def publish(self, number: int, repo: str = "ada/calc") -> None:
        context: Any = self
        await Ring(context).solve()
        async with self.store.change() as db:
            db.add(
                PublicationRow(
                    solve_id=SOLVE,
                    repo_url=f"{FORGE}/{repo}",
                    pull_number=number,
                    created_at=0.0,
                    updated_at=0.0,
                )
            )

    async def take(self, *deliveries: Delivery) -> None:
        for delivery in deliveries:
            await self.deliveries.take(delivery)

    async def rows(self) -> list[DeliveryRow]:
        async with self.store.read() as db:
            return list(await db.scalars(select(DeliveryRow).order_by(DeliveryRow.id)))


@pytest.fixture
def database_kind() -> Kind:
    return "sqlite"


@pytest.fixture
async def inbox(database_url: str) -> AsyncGenerator[Inbox]:
    async with await Store.open(database_url) as store:
        yield Inbox(store)


@BOTH
async def test_a_hint_is_followed_once(inbox: Inbox):
    await inbox.take(sent())
    assert await inbox.deliveries.process() == 1
    assert await inbox.deliveries.process() == 0
    assert inbox.heard == [(f"{FORGE}/Ada/calc", 7)]
    [row] = await inbox.rows()
    assert (row.event, row.repo, row.number) == ("issues", "Ada/calc", 7)
    assert (row.processed_at, row.tries) == (inbox.clock.now(), 1)


async def test_each_event_goes_where_it_belongs(inbox: Inbox):
    await inbox.publish(9)
    await inbox.take(
        sent("issue_comment", id="1"),
        sent("pull_request", id="2", number=9),
        sent("push", id="3", ref="refs/heads/main"),
        sent("ping", id="4"),
        sent("installation", id="5"),
        sent("issue_comment", id="6", issue={"number": 9, "pull_request": {"url": "x"}}),
        sent("issues", id="7", repository=None),
        sent("issues", id="8", number=None),
    )
    await inbox.deliveries.process()
    assert inbox.heard == [(f"{FORGE}/Ada/calc", 7)]
    assert inbox.settled == [(f"{FORGE}/Ada/calc", 9), (f"{FORGE}/Ada/calc", None)]
    assert [row.id for row in await inbox.rows()] == ["1", "2", "3", "8"]
    assert await inbox.deliveries.process() == 0


async def test_a_busy_repository_is_looked_at_once_in_a_while(inbox: Inbox):
    everything = (f"{FORGE}/Ada/calc", None)
    await inbox.take(*[sent("push", id=f"p{n}", sender=n) for n in range(3)])
    await inbox.take(sent("pull_request", id="foreign", number=5, action="closed"))
    assert await inbox.deliveries.process() == 1
    assert inbox.settled == [everything]
    await inbox.take(*[sent("push", id=f"q{n}", sender=10 + n) for n in range(60)])
    assert await inbox.deliveries.process() == 0
    # They are remembered by one of them, so that what is asked for has its place in the queue.
    assert sum(row.processed_at is None for row in await inbox.rows()) == 1
    inbox.clock.at += 29
    assert await inbox.deliveries.process() == 0
    inbox.clock.at += 1
    assert await inbox.deliveries.process() == 1
    assert inbox.settled == [everything] * 2
    assert all(row.processed_at for row in await inbox.rows())
    assert await inbox.deliveries.process() == 0


async def test_another_repository_and_one_of_ours_need_not_wait(inbox: Inbox):
    await inbox.publish(9)
    await inbox.take(sent("push", id="1"))
    await inbox.deliveries.process()
    await inbox.take(
        sent("push", id="2", repository={"full_name": "ada/other"}),
        sent("pull_request", id="3", number=9, action="closed"),
    )
    assert await inbox.deliveries.process() == 2
    assert inbox.settled[1:] == [(f"{FORGE}/ada/other", None), (f"{FORGE}/Ada/calc", 9)]


@pytest.mark.parametrize(
    ("action", "number"),
    [("closed", 9), ("edited", 9), ("converted_to_draft", 9), ("synchronize", None), (7, 9)],
)
async def test_only_what_changes_ours_is_a_hint_at_it(
    inbox: Inbox, action: object, number: int | None
):
    await inbox.publish(9)
    await inbox.take(sent("pull_request", number=9, action=action))
    await inbox.deliveries.process()
    assert inbox.settled == [(f"{FORGE}/Ada/calc", number)]


async def test_who_asks_comes_before_what_is_settled(inbox: Inbox):
    await inbox.take(sent("push", id="1"), sent("issues", id="2", sender="wim"))
    assert await inbox.deliveries.process() == 2
    assert inbox.order == ["heard", "settled"]


async def test_a_slow_look_is_ended_and_tried_again(inbox: Inbox):
    async def hang(repo: RepoRef, number: int | None) -> None:
        inbox.settled.append((repo.url, number))
        await asyncio.Event().wait()

    slow = replace(inbox.deliveries, settle=hang, settle_s=0.01)
    await inbox.take(sent("push"))
    assert await slow.process() == 0
    [row] = await inbox.rows()
    assert (row.tries, row.processed_at) == (1, None)
    assert await slow.process() == 0
    assert len(inbox.settled) == 1
    inbox.clock.at += 30
    assert await inbox.deliveries.process() == 1
    assert len(inbox.settled) == 2


async def test_what_takes_long_leaves_the_rest_to_the_next_round(inbox: Inbox):
    async def settle(repo: RepoRef, number: int | None) -> None:
        inbox.settled.append((repo.url, number))
        inbox.clock.at += 60

    slow = replace(inbox.deliveries, settle=settle)
    await inbox.take(
        sent("push", id="1"), sent("push", id="2", repository={"full_name": "ada/other"})
    )
    assert await slow.process() == 1
    await inbox.take(sent("issues", id="3", sender="wim"))
    assert await slow.process() == 2
    assert len(inbox.heard) == 1
    assert [url for url, _ in inbox.settled] == [f"{FORGE}/Ada/calc", f"{FORGE}/ada/other"]


async def test_many_hints_at_one_issue_are_one_look(inbox: Inbox):
    await inbox.take(*[sent(id=f"d{n}", sender=n) for n in range(20)], sent(id="e", number=8))
    await inbox.deliveries.process()
    assert inbox.heard == [(f"{FORGE}/Ada/calc", 7), (f"{FORGE}/Ada/calc", 8)]
    assert all(row.processed_at for row in await inbox.rows())


@BOTH
async def test_a_replay_is_recognised_by_its_id_and_by_its_body(inbox: Inbox):
    first = sent()
    await inbox.take(first)
    await inbox.deliveries.process()
    await inbox.take(first, first._replace(id="another"), sent(sender="other body"))
    await inbox.deliveries.process()
    assert len(inbox.heard) == 1
    assert len(await inbox.rows()) == 1
    inbox.clock.at += KEPT_S + 1
    await inbox.take(sent(id="new", number=8))
    await inbox.deliveries.process()
    assert [row.id for row in await inbox.rows()] == ["new"]
    await inbox.take(first)
    assert len(await inbox.rows()) == 2


async def test_one_that_was_never_dealt_with_is_taken_up_again(inbox: Inbox):
    inbox.error = ForgeError("away")
    await inbox.take(sent())
    for _ in range(MAX_TRIES + 3):
        assert await inbox.deliveries.process() == 0
    assert len(inbox.heard) == MAX_TRIES
    inbox.error = None
    assert await inbox.deliveries.process() == 0
    await inbox.take(sent())
    assert await inbox.deliveries.process() == 1
    assert len(inbox.heard) == MAX_TRIES + 1


async def test_a_useless_hint_is_ignored(inbox: Inbox):
    inbox.error = NotFoundError("there is no such repository")
    await inbox.take(sent(), sent(id="d2", repository={"full_name": "../../etc"}))
    await inbox.deliveries.process()
    assert await inbox.deliveries.process() == 0
    assert all(row.processed_at for row in await inbox.rows())
    assert inbox.heard == [(f"{FORGE}/Ada/calc", 7)]


async def test_a_worker_that_dies_has_counted_its_try(inbox: Inbox):
    class Killed(BaseException):
        pass

    async def die(repo: RepoRef, number: int) -> None:
        raise Killed(repo, number)

    await inbox.take(sent())
    with pytest.raises(Killed):
        await replace(inbox.deliveries, check_issue=die).process()
    [row] = await inbox.rows()
    assert (row.tries, row.processed_at) == (1, None)
    assert await inbox.deliveries.process() == 1


@pytest.mark.parametrize(
    "signature",
    [
        "",
        "sha256=",
        "sha1=0000",
        f"sha256={'0' * 64}",
        sign(b"another body"),
        sign(sent().body, SecretStr("another secret")),
        sign(sent().body).upper(),
        sign(sent().body)[len("sha256=") :],
        "sha256=\u00e9\ud800",
    ],
)
async def test_anyone_who_cannot_sign_is_not_listened_to(inbox: Inbox, signature: str):
    with pytest.raises(UnsignedError):
        await inbox.take(sent()._replace(signature=signature))
    # Not even parsed: a body that is no JSON is told apart only once it is signed.
    with pytest.raises(UnsignedError):
        await inbox.take(Delivery("d", "issues", signature, b"{"))
    assert await inbox.rows() == []


async def test_a_flipped_byte_is_noticed(inbox: Inbox):
    delivery = sent()
    for place in range(0, len(delivery.body), 7):
        body = bytearray(delivery.body)
        body[place] ^= 1
        with pytest.raises(UnsignedError):
            await inbox.take(delivery._replace(body=bytes(body)))


@given(st.binary(max_size=50), st.text(max_size=80))
def test_nothing_but_the_signature_is_one(body: bytes, signature: str):
    assert is_signed(SECRET, body, signature) == (signature == sign(body))
    assert not is_signed(SecretStr(""), body, sign(body, SecretStr("")))


@pytest.mark.parametrize("body", [b"", b"{", b"\xff", b"[" * 100_000, b"NaN"])
async def test_a_signed_body_that_makes_no_sense(inbox: Inbox, body: bytes):
    delivery = Delivery("d", "issues", sign(body), body)
    if body == b"NaN":
        await inbox.take(delivery)
    else:
        with pytest.raises(RefusedError, match="not JSON"):
            await inbox.take(delivery)
    assert await inbox.rows() == []


async def test_without_a_secret_none_are_taken(inbox: Inbox):
    with pytest.raises(NotFoundError):
        await replace(inbox.deliveries, secret=None).take(sent())
    with pytest.raises(RefusedError, match="X-GitHub-Delivery"):
        await inbox.take(sent(id=""))
