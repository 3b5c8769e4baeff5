"""The catalogue: the packaged list, resolving against it, and a person's edits."""

import asyncio
from collections.abc import AsyncGenerator

import pytest
from sqlalchemy import event

from tests.support.fakes import StillClock
from yudai.gateway.catalogue import Catalogue, Entry, ModelChange, packaged
from yudai.gateway.domain.models import FREE, Model, Price, Provider
from yudai.gateway.domain.routing import Routes
from yudai.kit.errors import ConflictError, NotFoundError, RefusedError
from yudai.store.store import Store

# Its queries meet both databases in test_queries.py, and in other tests of this package.
pytestmark = pytest.mark.real_on("postgresql")

CHEAP = Price(input_micros=1, output_micros=2)


@pytest.fixture
async def store(database_url: str) -> AsyncGenerator[Store]:
    async with await Store.open(database_url) as opened:
        yield opened


@pytest.fixture
def catalogue(store: Store) -> Catalogue:
    return Catalogue(store, StillClock(), Routes(openrouter=True))


async def one(catalogue: Catalogue, name: str) -> Model:
    [model] = await catalogue.resolve([name])
    return model


def test_the_packaged_list_is_sound():
    listed = packaged()
    names = [model.name for model in listed]
    spellings = names + [alias for model in listed for alias in model.aliases]
    assert len(set(spellings)) == len(spellings)
    for model in listed:
        assert model.price is not None
        assert model.price.is_free == (model.provider is Provider.LOCAL)
        assert model.price.cached_micros is not None
        assert model.price.cached_micros <= model.price.input_micros <= model.price.output_micros
        assert ("/" in model.name) == (model.provider is Provider.OPENROUTER)


async def test_the_body_of_the_mission_resolves(catalogue: Catalogue):
    names = ["gpt-4.1", "claude-3.7-sonnet", "local-solo"]
    four, claude, solo = await catalogue.resolve(names)
    assert (four.name, four.model_id) == ("openai/gpt-4.1", "openai/gpt-4.1")
    assert four.price == Price(
        input_micros=2_000_000, output_micros=8_000_000, cached_micros=500_000
    )
    assert (claude.name, claude.provider) == ("anthropic/claude-3.7-sonnet", "openrouter")
    assert (solo.name, solo.provider, solo.price) == ("local-solo", "local", FREE)


async def test_prices_and_routes_are_used(store: Store):
    local = Catalogue(store, StillClock(), Routes(local=True))
    [model] = await local.resolve(["qwen3:8b"], prices={"qwen3:8b": FREE})
    assert (model.provider, model.model_id, model.price) == ("local", "qwen3:8b", FREE)


async def test_a_second_look_writes_nothing(catalogue: Catalogue, store: Store):
    before = await catalogue.list()
    statements: list[str] = []

    def note(*arguments: object) -> None:
        statements.append(str(arguments[2]))

    engine = store.database.engine.sync_engine
    event.listen(engine, "before_cursor_execute", note)
    assert await catalogue.list() == before
    event.remove(engine, "before_cursor_execute", note)
    changes = ("INSERT", "UPDATE", "DELETE", "BEGIN IMMEDIATE")
    assert not [text for text in statements if text.startswith(changes)]
    assert statements


@pytest.mark.always
async def test_many_may_use_an_empty_table_at_once(catalogue: Catalogue):
    async with asyncio.TaskGroup() as group:
        lists = [group.create_task(catalogue.list()) for _ in range(5)]
    assert {len(each.result()) for each in lists} == {len(packaged())}


async def test_an_edit_holds_and_only_changes_what_it_names(catalogue: Catalogue):
    entry = await catalogue.set_model("gpt-4.1", ModelChange(price=CHEAP))
    assert entry.model == await one(catalogue, "gpt-4.1")
    assert entry.edited
    assert (entry.model.name, entry.model.aliases) == ("openai/gpt-4.1", ("gpt-4.1",))
    assert entry.model.price == CHEAP
    await catalogue.set_model("local-solo", ModelChange(model_id="qwen3:8b"))
    solo = await one(catalogue, "local-solo")
    assert (solo.model_id, solo.price) == ("qwen3:8b", FREE)


async def test_what_was_resolved_before_keeps_its_price(catalogue: Catalogue):
    kept = await one(catalogue, "gpt-4.1")
    await catalogue.set_model("gpt-4.1", ModelChange(price=CHEAP))
    assert kept.price != CHEAP


@pytest.mark.parametrize(("name", "provider"), [("vendor/new", "openrouter"), ("mine", "local")])
async def test_a_new_model_is_added_with_its_price(catalogue: Catalogue, name: str, provider: str):
    with pytest.raises(NotFoundError, match="--price IN,OUT"):
        await catalogue.set_model(name, ModelChange(aliases=("n",)))
    await catalogue.set_model(name, ModelChange(price=CHEAP, aliases=("n",)))
    model = await one(catalogue, "n")
    assert (model.name, model.provider, model.model_id) == (name, provider, name)
    assert Entry(model=model, edited=True) in await catalogue.list()


@pytest.mark.parametrize(
    ("name", "change", "words"),
    [
        ("local-solo", ModelChange(aliases=("gpt-4.1",)), "means openai/gpt-4.1 already"),
        ("local-solo", ModelChange(aliases=("openai/gpt-4.1",)), "means openai/gpt-4.1 already"),
        ("local-solo", ModelChange(aliases=("a b",)), "cannot name a model"),
        ("local-solo", ModelChange(aliases=("scripted/x",)), "needs no entry"),
        ("local-solo", ModelChange(model_id="x\ny"), "cannot name a model"),
        ("local-solo", ModelChange(provider=Provider.SCRIPTED), "openrouter or local"),
        ("", ModelChange(price=CHEAP), "cannot name a model"),
        ("x" * 301, ModelChange(price=CHEAP), "cannot name a model"),
        ("\udcff", ModelChange(price=CHEAP), "cannot name a model"),
        ("scripted/x", ModelChange(price=CHEAP), "needs no entry"),
    ],
)
async def test_a_bad_edit_is_refused_and_changes_nothing(
    catalogue: Catalogue, name: str, change: ModelChange, words: str
):
    before = await catalogue.list()
    with pytest.raises(RefusedError, match=words):
        await catalogue.set_model(name, change)
    assert await catalogue.list() == before


async def test_removing_forgets_what_was_added(catalogue: Catalogue):
    await catalogue.set_model("vendor/new", ModelChange(price=CHEAP, aliases=("n",)))
    assert await catalogue.remove("n") is None
    with pytest.raises(RefusedError, match="no price is known"):
        await one(catalogue, "vendor/new")
    with pytest.raises(NotFoundError):
        await catalogue.remove("vendor/new")


async def test_removing_an_edit_brings_the_packaged_model_back(catalogue: Catalogue):
    original = await one(catalogue, "gpt-4.1")
    await catalogue.set_model("gpt-4.1", ModelChange(price=CHEAP))
    assert await catalogue.remove("gpt-4.1") == Entry(model=original, edited=False)
    assert await one(catalogue, "gpt-4.1") == original
    with pytest.raises(ConflictError, match="nothing to remove"):
        await catalogue.remove("gpt-4.1")
