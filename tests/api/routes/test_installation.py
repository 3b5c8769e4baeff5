"""Routes about the installation: nothing secret in them, and sums that are right."""

import shutil
from pathlib import Path

import httpx
import pytest
from pydantic import SecretStr

from tests.support.solve_rows import Ring, failed, passed
from yudai.kit.ids import SolveId
from yudai.settings import Settings
from yudai.wiring.doctor import describe, examine


async def test_settings_say_which_keys_are_there_and_never_what_they_are(tmp_path: Path):
    settings = Settings.at(tmp_path).model_copy(
        update={"openrouter_api_key": SecretStr("sk-canary"), "openai_api_key": None}
    )
    view = describe(settings)
    present = {key.name: key.present for key in view.keys}
    assert present["OPENROUTER_API_KEY"] is True
    assert present["OPENAI_API_KEY"] is False
    assert "DATABASE_URL" not in present
    assert "canary" not in view.model_dump_json()
    assert {limit.name for limit in view.limits} >= {"SOLVER_MAX_PARALLEL", "SANDBOX_MEMORY_MB"}
    assert view.database == "SQLite"


async def test_settings_over_http(client: httpx.AsyncClient):
    answer = await client.get("/api/settings")
    assert answer.status_code == 200
    assert answer.json()["mode"] == "local"


async def test_a_home_that_cannot_be_used_is_a_finding(tmp_path: Path):
    file = tmp_path / "file"
    file.write_text("in the way")
    found = await examine(Settings.at(file / "home"))
    home = next(one for one in found.findings if one.name == "home")
    assert not home.ok
    assert not found.ready


async def test_the_doctor_over_http(client: httpx.AsyncClient):
    found = (await client.get("/api/doctor")).json()
    tried = {one["name"]: one["set_up"] for one in found["sandboxes"]}
    assert tried == {
        "bubblewrap": True,
        "process": True,
        "container": any(map(shutil.which, ("podman", "docker"))),
        "e2b": False,
        "prime": False,
    }
    assert [one["name"] for one in found["sandboxes"] if one["default"]] == ["bubblewrap"]
    assert {one["name"] for one in found["findings"]} == {
        "python",
        "git",
        "home",
        "artifacts",
        "github",
    }


@pytest.mark.parametrize("days", ["0", "367", "x", "-1"])
async def test_days_that_are_none(client: httpx.AsyncClient, days: str):
    answer = await client.get("/api/cost", params={"days": days})
    assert answer.status_code == 422


async def test_nothing_was_spent_yet(client: httpx.AsyncClient):
    view = (await client.get("/api/cost", params={"days": 3})).json()
    assert (view["total_usd"], view["solves"], view["per_champion_usd"]) == (0, 0, None)
    assert [day["cost_usd"] for day in view["days"]] == [0, 0, 0]
    assert (view["models"], view["strategies"], view["repos"]) == ([], [], [])


async def test_what_was_spent_on_whom(client: httpx.AsyncClient, ring: Ring):
    now = ring.context.clock.now()
    await ring.solve(passed(), failed())
    other = SolveId("0190a000-0000-7000-8000-00000000bbbb")
    await ring.solve(failed(), id=other, repo="tool", created_at=now - 86_400, champion_run_id=None)
    long_ago = SolveId("0190a000-0000-7000-8000-00000000cccc")
    await ring.solve(passed(), id=long_ago, created_at=now - 40 * 86_400)

    view = (await client.get("/api/cost", params={"days": 2})).json()

    assert (view["total_usd"], view["solves"]) == (0.0075, 2)
    assert [day["cost_usd"] for day in view["days"]] == [0.0025, 0.005]
    assert [(line["name"], line["cost_usd"], line["runs"]) for line in view["repos"]] == [
        ("toy", 0.005, 2),
        ("tool", 0.0025, 1),
    ]
    [model] = view["models"]
    assert (model["name"], model["cost_usd"], model["runs"]) == ("vendor/fast", 0.0075, 3)
    assert [line["name"] for line in view["strategies"]] == ["balanced"]
    month = (await client.get("/api/cost", params={"days": 60})).json()
    assert month["total_usd"] == 0.01
    assert len(month["days"]) == 60


async def test_every_secret_is_reported_by_its_name(tmp_path: Path):
    fields = Settings.model_fields
    secrets = {
        str(field.validation_alias)
        for field in fields.values()
        if field.annotation == (SecretStr | None)
    }
    assert {key.name for key in describe(Settings.at(tmp_path)).keys} == secrets - {"DATABASE_URL"}
