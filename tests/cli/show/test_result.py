"""What a person sees of a result."""

import io
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from yudai.artifacts.adapters.object_store import make_artifacts
from yudai.artifacts.context import Context
from yudai.cli.records.records import OwnRecords
from yudai.cli.show.result import exit_code, show_result
from yudai.kit.causes import Cause
from yudai.kit.clock import SystemClock
from yudai.kit.ids import RunId, SolveId
from yudai.runs.domain.states import RunState
from yudai.settings import Settings
from yudai.solves.domain.states import SolveState
from yudai.store.store import Store
from yudai.verification.domain.verdict import NOTHING, Verdict, VerdictStatus
from yudai.views.domain.document import PlaceEntry, SolveDocument, SolveEntry


def place(**changes: Any) -> PlaceEntry:
    fields: dict[str, Any] = {
        "rank": 1,
        "handle": "careful-t0.2-e5-balanced",
        "run_id": RunId("0000-run-1"),
        "state": RunState.COMPLETED,
        "cause": None,
        "verdict": Verdict(status=VerdictStatus.UNPROVED, summary="no test goes green"),
        "files_changed": 1,
        "lines_changed": 2,
        "cost_usd": 0.25,
        "latency_ms": 1500,
        "why": "unproved: no test goes green",
    }
    return PlaceEntry(**(fields | changes))


def document(*places: PlaceEntry, **changes: Any) -> SolveDocument:
    solve = SolveEntry(
        id=SolveId("0000-solve-1"),
        state=changes.pop("state", SolveState.COMPLETED),
        repo="owner/repo",
        issue="#1 It \x1b[2J breaks",
        cost_usd=0.25,
        elapsed_s=61.0,
        champion=changes.pop("champion", None),
        folder=changes.pop("folder", None),
    )
    fields: dict[str, Any] = {"not_started": (), "reason": "no champion: nothing passed"}
    return SolveDocument(solve=solve, ranking=places, **(fields | changes))


@pytest.fixture
async def shown(tmp_path: Path):
    store = await Store.open(f"sqlite+aiosqlite:///{tmp_path / 'test.db'}")
    context = Context(store, make_artifacts(None, home=tmp_path), SystemClock())
    records = OwnRecords(Settings.at(tmp_path), context)

    async def show(result: SolveDocument, *, server: str = "") -> str:
        console = Console(file=io.StringIO(), width=100)
        await show_result(records, result, console, server=server)
        assert isinstance(console.file, io.StringIO)
        return console.file.getvalue()

    yield show
    await store.close()


async def test_no_champion_names_the_answers_and_how_to_use_one(shown):
    failed = place(
        rank=2, run_id=RunId("0000-run-2"), state=RunState.FAILED, cause=Cause.OUT_OF_STEPS,
        verdict=NOTHING, why="the step limit was reached",
    )  # fmt: skip
    text = await shown(document(place(), failed, not_started=("a", "b")))
    assert "unproved" in text
    assert "out of steps" in text
    assert "no champion: nothing passed" in text
    assert "yudai show 00-run-1 --diff | git apply" in text
    assert "not started (above the cap): 2 contestants" in text


async def test_a_refused_patch_is_recommended_to_no_one(shown):
    refused = place(state=RunState.FAILED, cause=Cause.PATCH_REFUSED, verdict=NOTHING)
    assert "git apply" not in await shown(document(refused))


async def test_a_folders_champion_is_taken_with_one_command(shown):
    found = document(place(), state=SolveState.AWAITING_REVIEW, folder="/some")
    assert "yudai apply" in await shown(found)


async def test_what_is_elsewhere_is_taken_from_there(shown):
    url = "http://127.0.0.1:8000"
    found = document(place(), state=SolveState.AWAITING_REVIEW, folder="/some")
    text = await shown(found, server=url)
    assert f"yudai show -solve-1 --server {url} --diff | git apply" in text
    assert "yudai apply" not in text


async def test_hostile_text_reaches_no_terminal(shown):
    text = await shown(document(place(why="\x1b]0;owned\x07 because", handle="x\x1b[31m")))
    assert "\x1b" not in text
    assert "\x07" not in text


async def test_a_solve_without_runs_still_says_why(shown):
    text = await shown(document(state=SolveState.FAILED, reason="set-up step failed"))
    assert "set-up step failed" in text


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"champion": RunId("r"), "state": SolveState.AWAITING_REVIEW}, 0),
        ({"champion": RunId("r"), "state": SolveState.AWAITING_REVIEW, "budget_ended": "time"}, 0),
        ({}, 2),
        ({"budget_ended": "the time budget"}, 3),
        ({"state": SolveState.FAILED}, 1),
    ],
)
def test_exit_codes(changes: dict[str, Any], code: int):
    assert exit_code(document(place(), **changes)) == code
