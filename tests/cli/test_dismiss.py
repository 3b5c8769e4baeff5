"""`yudai dismiss`, in our own database and at a server."""

import json
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.cli.stub_answers import document, summary
from tests.cli.stub_server import Stub, problem, serving
from tests.support.servers.databases import used_home
from tests.support.solve_rows import SOLVE, Ring, passed
from yudai.cli.decide import run_dismiss
from yudai.kit.errors import ConflictError, NotFoundError
from yudai.kit.ids import SolveId
from yudai.operations import telemetry
from yudai.settings import Settings
from yudai.solves import timeline as events
from yudai.solves.domain.states import SolveState
from yudai.wiring.components import open_context

RUNNING = SolveId("0190a000-0000-7000-8000-00000000bbbb")


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    telemetry.set_up(verbose=False)
    return Settings.at(used_home(tmp_path))


@pytest.fixture
async def ring(settings: Settings) -> AsyncIterator[Ring]:
    async with open_context(settings) as context:
        yield Ring(context)


async def test_the_newest_is_completed_without_an_answer(ring: Ring, settings: Settings, capsys):
    await ring.solve(passed())
    # It goes on, and awaits no review.
    await ring.solve(None, id=RUNNING, state=SolveState.RUNNING, created_at=1.0)
    assert await run_dismiss(settings, "", reason="too\nlarge " + "x" * 600, json=True) == 0
    assert json.loads(capsys.readouterr().out)["solve"]["state"] == "completed"
    async with ring.store.read() as db:
        [event] = await events.after(db, SOLVE)
    assert event.kind == "solve.settled"
    reason = str(event.data["dismissed"])
    assert reason.startswith("too large x")
    assert len(reason) == 500


async def test_what_was_done_is_said(ring: Ring, settings: Settings, capsys):
    await ring.solve(passed())
    assert await run_dismiss(settings, SOLVE[-8:], reason="", json=False) == 0
    assert "0000aaaa is completed without an answer; its runs are kept" in capsys.readouterr().out


async def test_what_awaits_no_review_is_refused(ring: Ring, settings: Settings):
    with pytest.raises(NotFoundError, match="no solves yet"):
        await run_dismiss(settings, "", reason="", json=False)
    await ring.solve(passed(), state=SolveState.FAILED)
    with pytest.raises(ConflictError, match="is failed: only what is awaiting review"):
        await run_dismiss(settings, "", reason="", json=False)


async def test_a_dismissal_reaches_the_server(settings: Settings, capsys):
    async with serving(Stub()) as stub:
        stub.on("GET", "/api/solves", {"solves": [summary(SOLVE)], "cursor": None, "reset": False})
        stub.on("GET", f"/api/solves/{SOLVE}", document(SOLVE))
        stub.on("POST", f"/api/solves/{SOLVE}/dismiss", summary(SOLVE, "completed"))
        there = settings.model_copy(update={"server": stub.url})
        assert await run_dismiss(there, "", reason="why", json=False) == 0
        [told] = [asked for asked in stub.asked if asked.method == "POST"]
        assert told.body == {"reason": "why"}
        assert "is completed without an answer" in capsys.readouterr().out
        refusal = problem(409, "solve x is completed: only ...")
        stub.on("POST", f"/api/solves/{SOLVE}/dismiss", refusal)
        with pytest.raises(ConflictError, match="is completed"):
            await run_dismiss(there, "", reason="", json=False)
