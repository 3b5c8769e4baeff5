"""`yudai solve` through a server: what is sent, what is said, what is refused before it."""

import asyncio
import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from starlette.responses import Response

from tests.cli.solve.test_solve_request import DEFAULTS
from tests.cli.stub_answers import PATH, UPDATES, document, event, lane, summary, updates
from tests.cli.stub_server import Asked, Stub, problem, serving
from tests.support.forge.repositories import Repository
from tests.support.solve_rows import SOLVE, run_id
from yudai.cli.http.home_lock import ServerEntry, owning, place_of
from yudai.cli.records.records import Server, find_server
from yudai.cli.solve.solve import run_solve, solve_there
from yudai.kit.errors import NotFoundError, RefusedError
from yudai.operations import telemetry
from yudai.settings import Settings
from yudai.solves.domain.request import Folder, SolveAsk

PRICED = {
    "name": "openai/gpt-4.1", "provider": "openrouter", "model_id": "openai/gpt-4.1",
    "aliases": ["gpt-4.1"], "price": {"input_usd": 2.0, "output_usd": 8.0, "cached_usd": 0.5},
    "edited": False,
}  # fmt: skip
GIVEN = DEFAULTS._replace(json=True, yes=True)


@pytest.fixture
def settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Settings:
    telemetry.set_up(verbose=False)
    monkeypatch.chdir(tmp_path)
    return Settings.at(tmp_path / "home")


@pytest.fixture
async def stub() -> AsyncIterator[Stub]:
    async with serving(Stub()) as stub:
        stub.on("GET", "/api/models", {"models": [PRICED]})
        stub.on("POST", "/api/solves", summary(SOLVE, "queued"))
        stub.on("GET", PATH, document(SOLVE))
        stub.on("GET", f"/api/runs/{run_id(0)}/patch", Response("diff --git a/a b/a\n"))
        events = [event("solve.opened"), event("solve.offered")]
        stub.on("GET", UPDATES, updates("1", lane(0), state="awaiting_review", events=events))
        yield stub


def other(stub: Stub) -> Server:
    return Server(stub.url, is_ours=False)


def sent(stub: Stub) -> dict[str, Any]:
    [body] = stub.bodies("POST", "/api/solves")
    return body


async def test_it_is_planned_sent_and_followed(stub: Stub, settings: Settings, tmp_path, capsys):
    assert await solve_there(settings, GIVEN, other(stub)) == 0
    ask = SolveAsk.model_validate(sent(stub))
    assert ask.place == Folder(str(tmp_path))
    assert (ask.issue.title, ask.issue.body) == ("add subtracts", "add(2, 1) gives 1")
    assert ask.matrix.models == ("gpt-4.1",)
    assert (ask.limits.budget_usd, ask.limits.max_parallel, ask.limits.max_steps) == (5.0, 4, 80)
    assert ask.require_proof
    captured = capsys.readouterr()
    assert json.loads(captured.out)["solve"]["id"] == SOLVE
    said = " ".join(captured.err.split())
    assert "gpt-4.1-t0.2-e10-balanced" in said
    assert "capped at $1.00" in said
    assert f"runs at {stub.url}" in said
    assert "solve.offered" in said


async def test_every_option_goes_along(stub: Stub, settings: Settings, tmp_path: Path):
    (tmp_path / "brain.yaml").write_text("replies: []")
    given = GIVEN._replace(
        target="folder", text="only a title", model=["scripted/brain", "scripted/there", "m"],
        price=["m=1,2.5,0.25"], temperature=[0.1, 0.9], strategy=["test-first"], max_edits=[3],
        max_steps=9, parallel=2, budget_usd=2.5, run_budget_usd=0.5, time_budget=60.0,
        run_time_budget=30.0, setup=["make"], test="make test", env=Path("venv"), base="v1",
        dirty=True, reducer="first", accept_unproved=True,
    )  # fmt: skip
    assert await solve_there(settings, given, other(stub)) == 0
    ask = SolveAsk.model_validate(sent(stub))
    assert ask.place == Folder(str(tmp_path / "folder"))
    assert ask.issue.title == "only a title"
    # The server looks for files elsewhere than the person does.
    assert ask.matrix.models == (f"scripted/{tmp_path}/brain", "scripted/there", "m")
    assert (ask.matrix.temperatures, ask.matrix.max_edits) == ((0.1, 0.9), (3,))
    assert ask.prices["m"].price.cached_micros == 250_000
    assert (ask.setup, ask.test, ask.env) == (("make",), "make test", str(tmp_path / "venv"))
    assert (ask.base_branch, ask.dirty, ask.reducer) == ("v1", True, "first")
    assert not ask.require_proof
    limits = ask.limits
    assert (limits.time_budget_s, limits.run_time_budget_s, limits.max_steps) == (60, 30, 9)
    assert (limits.budget_usd, limits.run_budget_usd, limits.max_runs) == (2.5, 0.5, 36)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"sandbox": "process"}, "--sandbox is for the server"),
        ({"base_url": "http://x"}, "--base-url is for the server"),
        ({"apply": True}, "--apply needs the server of this YUDAI_HOME"),
        ({"branch": "fix"}, "--branch needs the server of this YUDAI_HOME"),
        ({"model": ["gpt-4.2"]}, r"there is no model gpt-4\.2 \(did you mean gpt-4\.1"),
        ({"budget_usd": 0.0}, "cost cap is"),
        ({"text": ""}, "say what to solve"),
    ],
)
async def test_what_cannot_be_is_said_before_anything_is_sent(
    stub: Stub, settings: Settings, changes: dict[str, Any], words: str
):
    with pytest.raises(RefusedError, match=words):
        await solve_there(settings, GIVEN._replace(**changes), other(stub))
    assert stub.bodies("POST", "/api/solves") == []


async def test_what_the_server_refuses_is_reported(stub: Stub, settings: Settings):
    stub.on("POST", "/api/solves", problem(422, "there is no folder /x: give another"))
    with pytest.raises(RefusedError, match="there is no folder /x: give another"):
        await solve_there(settings, GIVEN, other(stub))


async def test_a_lost_answer_makes_no_second_solve(stub: Stub, settings: Settings):
    stub.on("POST", "/api/solves", problem(503, "away"), summary(SOLVE, "queued"))
    assert await solve_there(settings, GIVEN, other(stub)) == 0
    keys = {a.headers["idempotency-key"] for a in stub.asked if a.method == "POST"}
    assert len(stub.bodies("POST", "/api/solves")) == 2
    assert len(keys) == 1


async def test_who_stops_watching_stops_nothing_else(stub: Stub, settings: Settings, capsys):
    is_watching = asyncio.Event()

    def look(_: Asked) -> dict[str, Any]:
        is_watching.set()
        return updates("1", lane(0))

    stub.on("GET", UPDATES, look)
    sending = asyncio.create_task(solve_there(settings, GIVEN, other(stub)))
    await is_watching.wait()
    sending.cancel()
    with pytest.raises(asyncio.CancelledError):
        await sending
    said = " ".join(capsys.readouterr().err.split())
    assert f"watch 0000aaaa --server {stub.url}`" in said
    assert f"cancel 0000aaaa --server {stub.url}`" in said
    assert [asked.path for asked in stub.asked if asked.method == "POST"] == ["/api/solves"]


async def test_a_branch_that_is_there_is_refused_before_it_is_sent(
    stub: Stub, settings: Settings, tmp_path: Path
):
    folder = Repository.create(tmp_path / "folder", {"a.py": "x = 1\n"})
    folder.git("branch", "taken")
    given = GIVEN._replace(target="folder", branch="taken")
    with pytest.raises(RefusedError, match="taken"):
        await solve_there(settings, given, Server(stub.url, is_ours=True))
    assert stub.bodies("POST", "/api/solves") == []


async def test_the_owner_of_the_home_is_found_and_used(stub: Stub, settings: Settings, capsys):
    assert await find_server(settings) is None
    entry = ServerEntry(url=stub.url, pid=1, version="0.0", database=place_of(settings))
    async with owning(settings.home) as ownership:
        finding = asyncio.create_task(find_server(settings))
        ownership.announce(entry)
        assert await finding == Server(stub.url, is_ours=True, version="0.0")
        assert await run_solve(settings, GIVEN) == 0
        assert "is version 0.0, this is" in " ".join(capsys.readouterr().err.split())
        ownership.announce(entry.model_copy(update={"database": "postgresql://x@y/z"}))
        found = await find_server(settings)
        assert found is not None
        assert not found.is_ours
    assert await find_server(settings) is None


async def test_a_server_that_was_named_is_used(stub: Stub, settings: Settings):
    named = settings.model_copy(update={"server": stub.url})
    assert await find_server(named) == Server(stub.url, is_ours=False)
    stub.on("POST", "/api/solves", problem(404, "nothing here"))
    with pytest.raises(NotFoundError, match="nothing here"):
        await run_solve(named, GIVEN)
