"""Numbers for Prometheus: right, always there, and for administrators alone."""

import re
from collections.abc import AsyncGenerator
from dataclasses import replace
from pathlib import Path

import httpx
import pytest

from tests.support.api_client import Place, client_of
from tests.support.sandbox_admin import app_of, close_sandbox, open_sandbox, overseen
from tests.support.servers.login_server import House, fill, open_house
from tests.support.solve_rows import Ring, failed, passed
from yudai.accounts.api_keys import Scope
from yudai.runs.domain.states import RunState
from yudai.solves.domain.states import SolveState
from yudai.store.holders import DEAD_S

_SAMPLE = re.compile(r'([a-z_]+)\{((?:[a-z]+="[^"]*",?)+)\} (\d+)\.0')


def parsed(text: str) -> dict[str, int]:
    """Each sample; a line that is none is a comment."""
    found: dict[str, int] = {}
    for line in text.splitlines():
        if line.startswith("# "):
            continue
        matched = _SAMPLE.fullmatch(line)
        assert matched, line
        found[f"{matched[1]}{{{matched[2]}}}"] = int(matched[3])
    return found


async def test_numbers_are_right(place: Place, ring: Ring):
    await ring.solve(passed(), failed())
    await open_sandbox(place, "living")
    await open_sandbox(place, "leaked", silent_s=DEAD_S + 1)
    await open_sandbox(place, "elsewhere", backend="prime")
    for name, reaped in (("one", True), ("two", True), ("three", False)):
        await open_sandbox(place, name)
        await close_sandbox(place, name, reaped=reaped)
    async with client_of(app_of(overseen(place))) as client:
        answer = await client.get("/api/metrics")
    assert answer.headers["content-type"] == "text/plain; version=0.0.4; charset=utf-8"
    found = parsed(answer.text)
    assert found['yudai_sandboxes{backend="e2b",state="held"}'] == 1
    assert found['yudai_sandboxes{backend="e2b",state="leaked"}'] == 1
    assert found['yudai_sandboxes{backend="prime",state="held"}'] == 1
    assert found['yudai_sandboxes_leaked{backend="e2b"}'] == 1
    assert found['yudai_sandboxes_reaped_total{backend="e2b"}'] == 2
    assert sum(n for name, n in found.items() if name.startswith("yudai_solves{")) == 1
    assert sum(n for name, n in found.items() if name.startswith("yudai_runs{")) == 2


async def test_what_is_not_there_is_a_zero(place: Place):
    async with client_of(app_of(overseen(place))) as client:
        text = (await client.get("/api/metrics")).text
    found = parsed(text)
    assert set(found.values()) == {0}
    for state in SolveState:
        assert f'yudai_solves{{state="{state}"}}' in found
    for state in RunState:
        assert f'yudai_runs{{state="{state}"}}' in found
    for backend in ("container", "e2b", "prime"):
        assert f'yudai_sandboxes_leaked{{backend="{backend}"}}' in found
    names = {name.partition("{")[0] for name in found}
    for name in names:
        kind = "counter" if name.endswith("_total") else "gauge"
        assert text.count(f"# TYPE {name} {kind}\n") == 1
        assert text.count(f"# HELP {name} ") == 1


@pytest.fixture
async def house(tmp_path: Path) -> AsyncGenerator[House]:
    async with open_house(tmp_path) as opened:
        await fill(opened)
        yield replace(opened, app=app_of(overseen(opened.place)))


async def ask(house: House, headers: dict[str, str], path: str = "/api/metrics") -> httpx.Response:
    async with house.client(**headers) as client:
        return await client.get(path)


async def test_a_program_that_watches_needs_an_administrators_key_that_can_only_read(house: House):
    reading = await house.key("ada", Scope.READ)
    assert (await ask(house, reading)).status_code == 200
    assert (await ask(house, reading, "/api/sandboxes")).status_code == 403
    assert (await ask(house, await house.key("ada", Scope.RUN))).status_code == 403
    assert (await ask(house, await house.key("olga", Scope.READ))).status_code == 403
    assert (await ask(house, {})).status_code == 401
