"""The document that `--json` prints."""

from yudai.kit.causes import Cause
from yudai.kit.ids import RunId, SolveId
from yudai.runs.domain.states import RunState
from yudai.runs.tables import RunRow
from yudai.solves.domain.matrix import Matrix, expand
from yudai.verification.domain.verdict import Evidence, Verdict, VerdictStatus
from yudai.views.documents import entry
from yudai.views.domain.document import PlaceEntry

[CONTESTANT] = expand(Matrix(models=("vendor/model",))).contestants


def test_a_place_becomes_plain_words_and_numbers():
    run = RunRow(
        id=RunId("r1"),
        solve_id=SolveId("s1"),
        position=0,
        handle=CONTESTANT.handle,
        contestant=CONTESTANT,
        state=RunState.FAILED,
        cause=Cause.OUT_OF_STEPS,
        queued_at=0.0,
        files_changed=1,
        lines_changed=2,
        earlier_cost_micros=500_000,
        cost_micros=1_000_000,
        latency_ms=30,
        why="no answer",
    )
    shown = entry(PlaceEntry, run, rank=1)
    assert shown.model_dump(mode="json", exclude={"verdict"}) == {
        "rank": 1,
        "handle": "model-t0.2-e10-balanced",
        "run_id": "r1",
        "state": "failed",
        "cause": "out_of_steps",
        "files_changed": 1,
        "lines_changed": 2,
        "cost_usd": 1.5,
        "size": 0,
        "same_as": None,
        "latency_ms": 30,
        "why": "no answer",
    }
    assert shown.verdict.status == "none"


def test_a_place_has_the_size_of_its_code_and_the_answer_that_it_equals():
    verdict = Verdict(
        status=VerdictStatus.PASSED, same_as="first", agreement=2, evidence=Evidence(size=7)
    )
    run = RunRow(
        id=RunId("r2"),
        solve_id=SolveId("s1"),
        position=1,
        handle="second",
        contestant=CONTESTANT,
        state=RunState.COMPLETED,
        queued_at=0.0,
        files_changed=1,
        lines_changed=12,
        earlier_cost_micros=0,
        cost_micros=0,
        latency_ms=30,
        verdict=verdict,
        why="",
    )
    shown = entry(PlaceEntry, run, rank=2).model_dump(mode="json")
    assert (shown["size"], shown["same_as"], shown["lines_changed"]) == (7, "first", 12)
