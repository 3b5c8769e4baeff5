"""`yudai models`: the table, its JSON, and one-line refusals."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.support.servers.databases import used_home
from yudai.cli.models import run_models_list, run_models_remove, run_models_set, to_change
from yudai.gateway.catalogue import ModelChange, packaged
from yudai.kit.errors import RefusedError
from yudai.settings import Settings

Captured = pytest.CaptureFixture[str]


@pytest.fixture
def settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Settings:
    monkeypatch.setenv("COLUMNS", "160")
    return Settings.at(used_home(tmp_path / "home"))


def change(
    *, provider: str = "", model_id: str = "", aliases: list[str] | None = None, price: str = ""
) -> ModelChange:
    return to_change(provider=provider, model_id=model_id, aliases=aliases, price=price)


async def listed(settings: Settings, capsys: Captured) -> dict[str, dict[str, Any]]:
    assert await run_models_list(settings, json=True) == 0
    return {entry["name"]: entry for entry in json.loads(capsys.readouterr().out)}


async def test_the_list_shows_names_aliases_and_prices(settings: Settings, capsys: Captured):
    assert await run_models_list(settings, json=False) == 0
    lines = capsys.readouterr().out.splitlines()
    [line] = [line for line in lines if line.lstrip().startswith("openai/gpt-4.1 ")]
    assert line.split() == ["openai/gpt-4.1", "$2", "$0.5", "$8", "openrouter", "gpt-4.1"]
    assert len(lines) == len(packaged()) + 2
    assert "yudai models set" in lines[-1]


async def test_a_narrow_terminal_never_cuts_a_name(
    settings: Settings, monkeypatch: pytest.MonkeyPatch, capsys: Captured
):
    monkeypatch.setenv("COLUMNS", "60")
    await run_models_list(settings, json=False)
    shown = capsys.readouterr().out
    assert all(model.name in shown for model in packaged())
    assert "$0.075" in shown


async def test_the_list_as_json(settings: Settings, capsys: Captured):
    entries = await listed(settings, capsys)
    assert entries["local-solo"] == {
        "name": "local-solo",
        "provider": "local",
        "model_id": "local-solo",
        "aliases": [],
        "price": {"input_usd": 0.0, "cached_usd": 0.0, "output_usd": 0.0},
        "edited": False,
    }
    assert len(entries) == len(packaged())


async def test_an_edit_is_reported_listed_and_taken_back(settings: Settings, capsys: Captured):
    edit = change(price="1,4", model_id="served", aliases=["four", "gpt-4.1", "four"])
    assert await run_models_set(settings, "gpt-4.1", edit) == 0
    assert "$1 in, $1 cached, $4 out" in capsys.readouterr().out
    entry = (await listed(settings, capsys))["openai/gpt-4.1"]
    assert (entry["edited"], entry["model_id"]) == (True, "served")
    assert entry["aliases"] == ["four", "gpt-4.1"]
    assert entry["price"] == {"input_usd": 1.0, "cached_usd": None, "output_usd": 4.0}
    await run_models_list(settings, json=False)
    shown = capsys.readouterr().out
    assert shown.count("edited") == shown.count("openrouter: served (edited)") == 1
    assert await run_models_remove(settings, "four") == 0
    assert "back to the bundled entry" in capsys.readouterr().out
    assert not (await listed(settings, capsys))["openai/gpt-4.1"]["edited"]


async def test_a_model_of_ones_own_comes_and_goes(settings: Settings, capsys: Captured):
    edit = change(price="0,0", provider="local", aliases=["q"])
    assert await run_models_set(settings, "qwen3:8b", edit, json=True) == 0
    assert json.loads(capsys.readouterr().out)["provider"] == "local"
    assert await run_models_set(settings, "q", change(aliases=[""])) == 0
    capsys.readouterr()
    assert (await listed(settings, capsys))["qwen3:8b"]["aliases"] == []
    assert await run_models_remove(settings, "qwen3:8b") == 0
    assert capsys.readouterr().out == "qwen3:8b: removed\n"
    assert "qwen3:8b" not in await listed(settings, capsys)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({}, "say what to change"),
        ({"price": "free"}, "IN,OUT"),
        ({"price": "1,2,3"}, "IN,OUT,CACHED"),
        ({"provider": "openrooter"}, "did you mean openrouter"),
        ({"provider": "scripted"}, "choose openrouter or local"),
    ],
)
def test_a_bad_option_is_refused_in_one_line(options: dict[str, Any], words: str):
    with pytest.raises(RefusedError, match=words) as refused:
        change(**options)
    assert "\n" not in str(refused.value)


async def test_what_is_not_there_cannot_be_removed(settings: Settings):
    with pytest.raises(RefusedError, match="there is no model nothing"):
        await run_models_remove(settings, "nothing")
    with pytest.raises(RefusedError, match="nothing to remove"):
        await run_models_remove(settings, "gpt-4.1")
