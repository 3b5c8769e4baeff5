"""The models table over HTTP."""

from typing import Any

import httpx
import pytest

from tests.api.test_http import problem
from yudai.api.errors import Code
from yudai.gateway.catalogue import packaged

PRICE = {"input_usd": 1.5, "output_usd": 2}
SHOWN = PRICE | {"cached_usd": None}


async def listed(client: httpx.AsyncClient) -> dict[str, Any]:
    models = (await client.get("/api/models")).json()["models"]
    return {model["name"]: model for model in models}


async def test_the_packaged_models_are_listed(client: httpx.AsyncClient):
    models = await listed(client)
    assert set(models) == {model.name for model in packaged()}
    assert models["openai/gpt-4.1"] == {
        "name": "openai/gpt-4.1",
        "provider": "openrouter",
        "model_id": "openai/gpt-4.1",
        "aliases": ["gpt-4.1"],
        "price": {"input_usd": 2, "output_usd": 8, "cached_usd": 0.5},
        "edited": False,
    }


async def test_a_model_is_added_changed_and_removed(client: httpx.AsyncClient):
    body = {"price": PRICE, "aliases": ["n"]}
    added = await client.put("/api/models/vendor/new:free", json=body)
    assert added.json() == {
        "name": "vendor/new:free",
        "provider": "openrouter",
        "model_id": "vendor/new:free",
        "aliases": ["n"],
        "price": SHOWN,
        "edited": True,
    }
    changed = await client.put("/api/models/n", json={"provider": "local", "model_id": "m"})
    expected = added.json() | {"provider": "local", "model_id": "m"}
    assert changed.json() == expected == (await listed(client))["vendor/new:free"]
    assert (await client.delete("/api/models/vendor%2Fnew:free")).json() == {"model": None}
    problem(await client.delete("/api/models/vendor/new:free"), Code.NOT_FOUND)


async def test_removing_an_edit_brings_the_packaged_model_back(client: httpx.AsyncClient):
    before = (await listed(client))["openai/gpt-4.1"]
    await client.put("/api/models/gpt-4.1", json={"price": PRICE})
    assert (await listed(client))["openai/gpt-4.1"]["price"] == SHOWN
    removed = await client.delete("/api/models/gpt-4.1")
    assert removed.json()["model"] == before == (await listed(client))["openai/gpt-4.1"]
    problem(await client.delete("/api/models/gpt-4.1"), Code.CONFLICT)


@pytest.mark.parametrize(
    ("field", "change"),
    [
        *[("price", {"price": value}) for value in (1, "2,8", [])],
        *[("price.input_usd", {"price": PRICE | {"input_usd": v}}) for v in (-1, "1", 10_001)],
        ("price.output_usd", {"price": {"input_usd": 1}}),
        ("price.more", {"price": PRICE | {"more": 1}}),
        *[("aliases", {"aliases": value}) for value in ("a", 1, ["a"] * 21)],
        *[("aliases.0", {"aliases": [value]}) for value in (1, "", "x" * 301, "a\0b")],
        *[("provider", {"provider": value}) for value in ("scripted", "nobody", 1)],
        *[("model_id", {"model_id": value}) for value in ("", 1, "x" * 301, "a\nb")],
        ("more", {"more": 1}),
    ],
)
async def test_every_field_that_is_wrong_is_named(
    client: httpx.AsyncClient, field: str, change: dict[str, Any]
):
    answer = await client.put("/api/models/gpt-4.1", json=change)
    errors = problem(answer, Code.INVALID_BODY)["errors"]
    assert [error["field"] for error in errors] == [field]


async def test_what_makes_no_sense_is_refused(client: httpx.AsyncClient):
    for name, change in (
        ("local-solo", {"aliases": ["gpt-4.1"]}),
        ("local-solo", {"aliases": ["a b"]}),
        ("local-solo", {"price": PRICE | {"cached_usd": 5}}),
        ("scripted/x", {"price": PRICE}),
        ("a%20b", {"price": PRICE}),
        ("%00", {"price": PRICE}),
        ("x" * 301, {"price": PRICE}),
        ("", {"price": PRICE}),
    ):
        problem(await client.put(f"/api/models/{name}", json=change), Code.REFUSED)
    problem(await client.put("/api/models/unknown", json={}), Code.NOT_FOUND)
    for name in ("unknown", "%00", "%F0%9F%98%80", "x" * 5000, ""):
        problem(await client.delete(f"/api/models/{name}"), Code.NOT_FOUND)
