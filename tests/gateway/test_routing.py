"""From typed names to models."""

import pytest

from yudai.gateway.domain.models import FREE, Model, Price, Provider
from yudai.gateway.domain.routing import Listing, Routes, resolve
from yudai.kit.errors import RefusedError

PRICE = Price(input_micros=2_000_000, output_micros=8_000_000)
OTHER = Price(input_micros=1, output_micros=2)
ENTRIES = (
    Model(
        name="openai/gpt-4.1",
        provider=Provider.OPENROUTER,
        model_id="openai/gpt-4.1",
        aliases=("gpt-4.1", "four"),
        price=PRICE,
    ),
    Model(
        name="local-solo", provider=Provider.LOCAL, model_id="qwen", aliases=("solo",), price=FREE
    ),
    Model(name="vendor/unpriced", provider=Provider.OPENROUTER, model_id="vendor/unpriced"),
)
LISTING = Listing(ENTRIES)
OPENROUTER = Routes(openrouter=True)
LOCAL = Routes(local=True)
BOTH = Routes(local=True, openrouter=True)
BASE_URL = Routes(everything_local=True, local=True, openrouter=True)


def one(name: str, routes: Routes = OPENROUTER, *, given: dict[str, Price] | None = None) -> Model:
    [model] = resolve([name], LISTING, routes, prices=given or {})
    return model


def refusal(name: str, routes: Routes = OPENROUTER) -> str:
    with pytest.raises(RefusedError) as refused:
        resolve([name], LISTING, routes)
    assert "\n" not in str(refused.value)
    return str(refused.value)


def test_an_alias_means_its_model():
    assert one("gpt-4.1") == one("openai/gpt-4.1") == ENTRIES[0]


def test_one_model_is_one_contestant_however_often_it_is_named():
    names = ["solo", "gpt-4.1", "local-solo", "openai/gpt-4.1", "four", "scripted/a", "scripted/a"]
    resolved = resolve(names, LISTING, OPENROUTER)
    assert [model.name for model in resolved] == ["local-solo", "openai/gpt-4.1", "scripted/a"]


@pytest.mark.parametrize(
    ("name", "routes", "provider", "model_id"),
    [
        ("gpt-4.1", OPENROUTER, "openrouter", "openai/gpt-4.1"),
        ("gpt-4.1", Routes(), "openrouter", "openai/gpt-4.1"),
        ("gpt-4.1", LOCAL, "local", "gpt-4.1"),
        ("openai/gpt-4.1", LOCAL, "local", "openai/gpt-4.1"),
        ("gpt-4.1", BOTH, "openrouter", "openai/gpt-4.1"),
        ("gpt-4.1", BASE_URL, "local", "gpt-4.1"),
        ("solo", OPENROUTER, "local", "qwen"),
        ("solo", BOTH, "local", "qwen"),
        ("solo", BASE_URL, "local", "qwen"),
        ("scripted/x", BASE_URL, "scripted", "scripted/x"),
        ("scripted/x", OPENROUTER, "scripted", "scripted/x"),
    ],
)
def test_who_answers(name: str, routes: Routes, provider: str, model_id: str):
    model = one(name, routes)
    assert (model.provider, model.model_id) == (provider, model_id)


@pytest.mark.parametrize(
    ("routes", "provider"),
    [(OPENROUTER, "openrouter"), (LOCAL, "local"), (BOTH, "local"), (BASE_URL, "local")],
)
@pytest.mark.parametrize("name", ["vendor/new", "bare", "vendor/unpriced"])
def test_a_price_makes_any_name_a_model(name: str, routes: Routes, provider: str):
    if (name, routes) == ("vendor/unpriced", BOTH):
        provider = "openrouter"
    model = one(name, routes, given={name: OTHER})
    assert (model.name, model.provider, model.model_id) == (name, provider, name)
    assert model.price == OTHER


@pytest.mark.parametrize("spelling", ["gpt-4.1", "openai/gpt-4.1", "four"])
def test_a_given_price_beats_the_table_under_any_spelling(spelling: str):
    assert one("gpt-4.1", given={spelling: OTHER}).price == OTHER


def test_a_free_price_is_a_price():
    assert one("gpt-4.1", given={"gpt-4.1": FREE}).price == FREE


def test_a_price_for_a_model_that_was_not_named_is_refused():
    with pytest.raises(RefusedError, match="--price names gpt-5"):
        resolve(["gpt-4.1"], LISTING, OPENROUTER, prices={"gpt-5": OTHER})


def test_an_unknown_name_is_refused_with_the_nearest():
    assert "did you mean gpt-4.1?" in refusal("gpt4.1")
    assert "did you mean gpt-4.1?" in refusal("GPT-4.1")
    assert "did you mean solo or local-solo" not in refusal("solo1")
    assert "did you mean" not in refusal("zzz")
    assert "`yudai models`" in refusal("zzz")


def test_a_vendors_model_without_a_price_is_refused_with_both_remedies():
    for name in ("vendor/new", "vendor/unpriced"):
        assert f"--price {name}=IN,OUT" in refusal(name)
        assert f"`yudai models set {name} --price IN,OUT`" in refusal(name)
    assert "did you mean openai/gpt-4.1" in refusal("openai/gpt-4.l")


def test_a_model_of_ones_own_without_a_price_names_the_price_that_is_free():
    assert "--price qwen3:8b=0,0" in refusal("qwen3:8b", LOCAL)


def test_the_first_to_claim_an_alias_keeps_it():
    mine = ENTRIES[1].model_copy(update={"aliases": ("gpt-4.1",)})
    assert Listing([mine, *ENTRIES[:1]]).find("gpt-4.1") == mine
    assert Listing([mine, *ENTRIES[:1]]).find("openai/gpt-4.1") == ENTRIES[0]
