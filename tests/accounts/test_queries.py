"""People in the database: each by the forge's number, what is good once is taken once."""

import asyncio

import pytest
from sqlalchemy.exc import IntegrityError

from yudai.accounts import queries as accounts
from yudai.accounts.tables import KeyRow, LoginAttemptRow, LoginRow, TokenRow
from yudai.forge.domain.repository import Account
from yudai.store.store import Store

FORGE = "https://forge.test"
ADA = Account(id=1, login="ada", name="Ada")


async def keep(store: Store, account: Account = ADA, *, new_id: str = "u1", at: float = 1.0) -> str:
    async with store.change() as db:
        row = await accounts.keep_user(db, account, forge=FORGE, new_id=new_id, at=at)
    return row.id


async def test_a_person_is_known_by_number_at_each_forge(store: Store):
    assert await keep(store) == "u1"
    renamed = Account(id=1, login="lovelace")
    assert await keep(store, renamed, new_id="u2", at=2.0) == "u1"
    assert await keep(store, Account(id=2, login="ada"), new_id="u3") == "u3"
    async with store.read() as db:
        found = await accounts.user(db, "u1")
        assert found is not None
        assert (found.login, found.name, found.created_at, found.seen_at) == (
            "lovelace",
            "",
            1.0,
            2.0,
        )
        assert await accounts.user(db, "u2") is None


async def test_a_person_who_comes_twice_at_once_is_one(store: Store):
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(keep(store, new_id=f"u{number}")) for number in range(8)]
    assert len({task.result() for task in tasks}) == 1


async def test_a_token_takes_the_place_of_the_one_before(store: Store):
    await keep(store)
    for access in ("one", "two"):
        async with store.change() as db:
            row = TokenRow(user_id="u1", access=access, refresh=f"r-{access}", updated_at=1.0)
            await accounts.keep_token(db, row)
    async with store.change() as db:
        held = await accounts.hold_token(db, "u1")
        assert held is not None
        assert (held.access, held.refresh, held.access_expires_at) == ("two", "r-two", None)
        assert await accounts.hold_token(db, "nobody") is None
        assert await accounts.drop_token(db, "u1")
        assert not await accounts.drop_token(db, "u1")


async def test_a_lock_is_refused_where_nothing_commits_it(store: Store):
    await keep(store)
    async with store.read() as db:
        with pytest.raises(RuntimeError, match="transaction"):
            await accounts.hold_token(db, "u1")


async def test_a_beginning_is_taken_once_however_many_come(store: Store):
    async with store.change() as db:
        row = LoginAttemptRow(hash="h", secret="s", created_at=1.0, expires_at=9.0)  # noqa: S106
        await accounts.add_expiring(db, row)

    async def take() -> bool:
        async with store.change() as db:
            return await accounts.take_attempt(db, "h") is not None

    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(take()) for _ in range(8)]
    assert [task.result() for task in tasks].count(True) == 1


async def test_everything_of_a_person_is_of_a_person(store: Store):
    row = LoginRow(hash="h", user_id="nobody", created_at=1, seen_at=1, expires_at=2)
    async with store.change() as db:
        with pytest.raises(IntegrityError):
            await accounts.add_expiring(db, row)
        await db.rollback()


async def test_logins_that_are_over_go_when_another_comes(store: Store):
    await keep(store)
    for number, ends in (("a", 5.0), ("b", 50.0)):
        async with store.change() as db:
            at = 1.0 if number == "a" else 10.0
            row = LoginRow(hash=number, user_id="u1", created_at=at, seen_at=at, expires_at=ends)
            await accounts.add_expiring(db, row)
    async with store.read() as db:
        assert [row.hash for row in await accounts.logins_of(db, "u1")] == ["b"]


async def test_one_login_is_found_by_how_its_hash_starts_and_by_nothing_cleverer(store: Store):
    await keep(store)
    async with store.change() as db:
        row = LoginRow(hash="abc", user_id="u1", created_at=1, seen_at=1, expires_at=9)
        await accounts.add_expiring(db, row)
        assert await accounts.drop_logins(db, "u1", starting="%") == 0
        assert await accounts.drop_logins(db, "u2", starting="ab") == 0
        assert await accounts.drop_logins(db, "u1", starting="ab") == 1


async def test_a_key_is_dropped_by_its_person_alone(store: Store):
    await keep(store)
    async with store.change() as db:
        row = KeyRow(id="k", user_id="u1", hash="h", name="CI", scopes=("read",), created_at=1)
        await accounts.add_key(db, row)
        assert not await accounts.drop_key(db, "k", user_id="u2")
        found = await accounts.key(db, "k")
        assert found is not None
        assert (found[0].scopes, found[1].login) == (("read",), "ada")
        assert await accounts.drop_key(db, "k", user_id="u1")
        assert await accounts.key(db, "k") is None
