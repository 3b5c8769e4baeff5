import pytest
from pydantic import ValidationError

from yudai.kit.ids import RunId
from yudai.ranking.domain.scorecard import Place, Ranking, Scorecard
from yudai.runs.domain.states import RunState
from yudai.solves.domain.matrix import Contestant
from yudai.solves.domain.strategies import Strategy
from yudai.verification.domain.verdict import NOTHING

CARD = Scorecard(
    run_id=RunId("1"),
    contestant=Contestant(
        agent="mini-swe-agent",
        model="scripted/a",
        temperature=0.2,
        max_edits=6,
        strategy=Strategy.BALANCED,
        handle="a-t0.2-e6-balanced",
    ),
    state=RunState.COMPLETED,
    cause=None,
    verdict=NOTHING,
    files_changed=0,
    lines_changed=0,
    cost_micros=0,
    latency_ms=0,
)


def test_a_contestant_without_a_past_is_neither_steady_nor_late():
    assert (CARD.steadiness, CARD.submitted_at) == (0.0, None)


def test_a_ranking_survives_json():
    ranking = Ranking(places=(Place(rank=1, scorecard=CARD, why="x"),), champion=None, reason="y")
    assert Ranking.model_validate_json(ranking.model_dump_json()) == ranking


def test_a_scorecard_cannot_be_touched_up():
    with pytest.raises(ValidationError):
        CARD.files_changed = 1  # pyright: ignore[reportAttributeAccessIssue] - that is the point
