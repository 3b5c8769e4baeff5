"""Solves and runs of a server: found by what a person types."""

import json
from collections.abc import AsyncIterator
from typing import Any

import pytest
from starlette.responses import Response

from tests.cli.stub_answers import OLDER, document, run, summary
from tests.cli.stub_server import Asked, Stub, problem, serving
from tests.support.solve_rows import SOLVE, run_id
from tests.support.trajectories import CHAT
from yudai.artifacts.port import ArtifactKind
from yudai.cli.records.http_records import ServerRecords, open_server_records
from yudai.cli.show.show import run_facts
from yudai.gateway.domain.models import Provider
from yudai.kit.errors import NotFoundError, RefusedError
from yudai.views.documents import chosen_step


@pytest.fixture
async def stub() -> AsyncIterator[Stub]:
    async with serving(Stub()) as stub:
        stub.on("GET", "/api/solves", _pages)
        for solve_id in (SOLVE, OLDER):
            stub.on("GET", f"/api/solves/{solve_id}", document(solve_id))
            stub.on("GET", f"/api/runs/{run_id(0, solve_id)}", run(0, solve_id))
        yield stub


def _pages(asked: Asked) -> dict[str, Any]:
    if "cursor" in asked.query:
        return {"solves": [summary(OLDER, "running")], "cursor": None, "reset": False}
    return {"solves": [summary(SOLVE)], "cursor": "next", "reset": False}


@pytest.fixture
async def records(stub: Stub) -> AsyncIterator[ServerRecords]:
    async with open_server_records(stub.url) as records:
        yield records


async def test_solves_are_found_by_nothing_an_id_or_its_end(records: ServerRecords):
    for ending, found in (("", SOLVE), ("latest", SOLVE), (OLDER, OLDER), ("0000BBBB", OLDER)):
        assert (await records.document(ending)).solve.id == found
    assert [entry.solve.id for entry in await records.recent(5)] == [SOLVE, OLDER]
    assert len(await records.recent(1)) == 1


async def test_what_goes_on_is_preferred_to_what_is_newer(records: ServerRecords):
    assert await records.find("") == OLDER
    assert await records.find("0000aaaa") == SOLVE


async def test_an_end_that_fits_none_or_several_is_refused(records: ServerRecords):
    with pytest.raises(NotFoundError, match="no solve 'ffff'"):
        await records.document("ffff")
    with pytest.raises(RefusedError, match="at least 4"):
        await records.document("aa")
    with pytest.raises(NotFoundError, match="no run 'ffff'"):
        await records.run("ffff")


async def test_runs_are_found_by_handle_id_or_its_end(records: ServerRecords):
    newest, older = run_id(0, SOLVE), run_id(0, OLDER)
    names = {"fast-t0.0-e5-balanced": newest, older: older, older[-4:]: older}
    for name, found in names.items():
        assert (await records.run(name)).id == found
    facts = run_facts(await records.run(newest))
    assert (facts["steps"], facts["input_tokens"], facts["output_tokens"]) == (7, 10, 4)
    assert facts["solve_id"] == SOLVE


async def test_a_trajectory_becomes_messages_and_steps(stub: Stub, records: ServerRecords):
    path = f"/api/runs/{run_id(0)}/trajectory.json"
    stub.on("GET", path, {"messages": CHAT, "info": {}, "trajectory_format": "mini-swe-agent-1.1"})
    messages = await records.messages(run_id(0))
    assert [message.body["role"] for message in messages] == [body["role"] for body in CHAT]
    last = messages[-1].step
    assert (chosen_step(await records.messages(run_id(0)), -1)).number == last
    with pytest.raises(NotFoundError, match=f"steps 0 to {last}"):
        chosen_step(await records.messages(run_id(0)), last + 1)
    stub.on("GET", path, {"messages": [], "info": {}})
    assert list(await records.messages(run_id(0))) == []
    with pytest.raises(NotFoundError, match="this run has no steps"):
        chosen_step(await records.messages(run_id(0)), 0)


async def test_artifacts_come_as_they_are(stub: Stub, records: ServerRecords):
    stub.on("GET", f"/api/runs/{run_id(0)}/patch", Response(b"\xff\x00diff"))
    assert await records.artifact(run_id(0), ArtifactKind.PATCH) == b"\xff\x00diff"
    stub.on("GET", f"/api/runs/{run_id(0)}/logs/test", problem(404, "it has no test log"))
    with pytest.raises(NotFoundError, match="it has no test log"):
        await records.artifact(run_id(0), ArtifactKind.TEST_LOG)
    plan = {"steps": ["look", "mend"], "before_first_edit": True}
    stub.on("GET", f"/api/runs/{run_id(0)}/plan", {"run_id": run_id(0), **plan})
    assert json.loads(await records.artifact(run_id(0), ArtifactKind.PLAN)) == plan


async def test_models_have_the_servers_prices(stub: Stub, records: ServerRecords):
    price = {"input_usd": 2.0, "output_usd": 8.0, "cached_usd": None}
    entry = {"name": "a/b", "provider": "openrouter", "model_id": "a/b", "aliases": ["b"],
             "price": price, "edited": False}  # fmt: skip
    stub.on("GET", "/api/models", {"models": [entry, entry | {"name": "c", "price": None}]})
    known, unknown = await records.models()
    assert known.price is not None
    assert (known.provider, known.price.output_micros) == (Provider.OPENROUTER, 8_000_000)
    assert unknown.price is None


async def test_another_version_of_the_server_is_noted(stub: Stub, capsys):
    stub.on("GET", "/api/health/live", {"status": "ok", "version": "9.9"})
    async with open_server_records(stub.url):
        pass
    assert "is version 9.9, this is" in " ".join(capsys.readouterr().err.split())


async def test_what_was_blocked_is_the_servers(stub: Stub, records: ServerRecords):
    told = {"run_id": None, "phase": "setup", "host": "evil.example", "port": None}
    stub.on("GET", f"/api/solves/{SOLVE}", document(SOLVE) | {"blocked": [told]})

    [entry] = (await records.document(SOLVE)).blocked

    assert entry.model_dump() == told
