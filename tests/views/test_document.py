"""The document that `--json` prints."""

from yudai.kit.causes import Cause
from yudai.kit.ids import RunId
from yudai.ranking.domain.scorecard import Place, Scorecard
from yudai.runs.domain.states import RunState
from yudai.solves.domain.matrix import Matrix, expand
from yudai.verification.domain.verdict import NOTHING
from yudai.views.domain.document import entries

[CONTESTANT] = expand(Matrix(models=("vendor/model",))).contestants


def test_a_place_becomes_plain_words_and_numbers():
    card = Scorecard(
        run_id=RunId("r1"),
        contestant=CONTESTANT,
        state=RunState.FAILED,
        cause=Cause.OUT_OF_STEPS,
        verdict=NOTHING,
        files_changed=1,
        lines_changed=2,
        cost_micros=1_500_000,
        latency_ms=30,
    )
    [entry] = entries([Place(rank=1, scorecard=card, why="no answer")])
    assert entry.model_dump(mode="json", exclude={"verdict"}) == {
        "rank": 1,
        "handle": "model-t0.2-e10-balanced",
        "run_id": "r1",
        "state": "failed",
        "cause": "out_of_steps",
        "files_changed": 1,
        "lines_changed": 2,
        "cost_usd": 1.5,
        "latency_ms": 30,
        "why": "no answer",
    }
    assert entry.verdict.status == "none"
