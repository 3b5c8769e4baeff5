"""The models table: found by name or alias, seeded without taking a person's edits away."""

import asyncio

import pytest

from yudai.gateway import queries as models
from yudai.gateway.domain.models import FREE, Model, Price, Provider
from yudai.gateway.tables import ModelRow
from yudai.kit.errors import NotFoundError
from yudai.store.store import Store

PRICE = Price(input_micros=2_000_000, output_micros=8_000_000, cached_micros=500_000)


def model(name: str = "openai/gpt-4.1", **changes: object) -> Model:
    fields: dict[str, object] = {
        "name": name,
        "provider": Provider.OPENROUTER,
        "model_id": name,
        "aliases": (name.rpartition("/")[2],),
        "price": PRICE,
    }
    return Model.model_validate(fields | changes)


async def put(store: Store, one: Model, *, edited: bool = True) -> None:
    async with store.change() as db:
        await models.put(db, one, edited=edited, at=1.0)


async def seed(store: Store, *some: Model, at: float = 5.0) -> None:
    async with store.change() as db:
        await models.seed(db, some, at=at)


async def rows(store: Store) -> dict[str, ModelRow]:
    async with store.read() as db:
        return {row.name: row for row in await models.everything(db)}


@pytest.mark.parametrize(
    "one",
    [
        model(),
        model(price=None),
        model(price=FREE),
        model(price=Price(input_micros=10**10, output_micros=1)),
        model("local-solo", provider=Provider.LOCAL, model_id="qwen", aliases=()),
    ],
)
async def test_a_model_comes_back_as_it_was_put(store: Store, one: Model):
    await put(store, one)
    [row] = (await rows(store)).values()
    assert (row.value, row.edited, row.updated_at) == (one, True, 1.0)


async def test_putting_again_replaces(store: Store):
    await put(store, model())
    await put(store, model(price=FREE, aliases=("a", "b")), edited=False)
    [row] = (await rows(store)).values()
    assert (row.value.price, row.aliases, row.edited) == (FREE, ("a", "b"), False)


async def test_a_model_is_found_by_name_before_alias(store: Store):
    await put(store, model("vendor/x", aliases=("y",)))
    await put(store, model("y", aliases=("z",)))
    async with store.read() as db:
        assert (await models.find(db, "y")).name == "y"
        assert (await models.find(db, "z")).name == "y"
        assert (await models.find(db, "vendor/x")).name == "vendor/x"
        with pytest.raises(NotFoundError, match="yudai models"):
            await models.find(db, "x")


async def test_an_alias_of_the_persons_own_wins(store: Store):
    await seed(store, model("a/m", aliases=("m",)))
    await put(store, model("z/mine", aliases=("m",)))
    async with store.read() as db:
        assert (await models.find(db, "m")).name == "z/mine"


async def test_removing_says_whether_there_was_one(store: Store):
    await put(store, model())
    async with store.change() as db:
        assert await models.remove(db, "openai/gpt-4.1")
        assert not await models.remove(db, "openai/gpt-4.1")
    assert await rows(store) == {}


async def test_seeding_adds_updates_and_leaves_edits_alone(store: Store):
    await seed(store, model("a/old"), model("a/same"), model("a/edited"), at=1.0)
    await put(store, model("a/edited", price=FREE))
    await put(store, model("b/own"))
    changed = model("a/old", price=FREE)
    await seed(store, changed, model("a/same"), model("a/edited"), model("a/new"), at=9.0)
    now = await rows(store)
    assert now["a/old"].value == changed
    assert {name: row.updated_at for name, row in now.items()} == {
        "a/old": 9.0, "a/same": 1.0, "a/edited": 1.0, "a/new": 9.0, "b/own": 1.0,
    }  # fmt: skip
    assert now["a/edited"].value.price == FREE


async def test_what_the_packaged_list_no_longer_has_stays(store: Store):
    await seed(store, model("a/gone"))
    await seed(store, model("a/new"))
    assert {*await rows(store)} == {"a/gone", "a/new"}


async def test_many_may_seed_at_once(url: str, store: Store):
    listed = [model(f"a/{n}") for n in range(20)]
    stores = [await Store.open(url) for _ in range(4)]
    try:
        async with asyncio.TaskGroup() as group:
            for number, each in enumerate(stores):
                one_way = listed if number % 2 else list(reversed(listed))
                group.create_task(seed(each, *one_way, at=float(number)))
    finally:
        for each in stores:
            await each.close()
    now = await rows(store)
    assert {name: row.value for name, row in now.items()} == {one.name: one for one in listed}
    assert not any(models.is_outdated(now, one) for one in listed)


async def test_what_seeding_would_change_is_known_beforehand(store: Store):
    await seed(store, model())
    await put(store, model("a/edited", price=FREE))
    known = await rows(store)
    assert models.is_outdated(known, model("a/missing"))
    assert models.is_outdated(known, model(price=FREE))
    assert not models.is_outdated(known, model())
    assert not models.is_outdated(known, model("a/edited"))
