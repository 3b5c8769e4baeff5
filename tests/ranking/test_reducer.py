from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from yudai.kit.causes import Cause
from yudai.kit.errors import RefusedError
from yudai.kit.ids import RunId
from yudai.ranking.domain.reducer import STATUS_ORDER, rank
from yudai.ranking.domain.reducers import REDUCERS
from yudai.ranking.domain.scorecard import Ranking, Scorecard
from yudai.runs.domain.states import RunState
from yudai.solves.domain.matrix import Contestant
from yudai.solves.domain.strategies import Strategy
from yudai.verification.domain.verdict import NOTHING, Verdict, VerdictStatus


def verdict(status: str, summary: str = "because") -> Verdict:
    return Verdict(status=VerdictStatus(status), summary=summary)


def card(name: str, status: str | Verdict = "passed", **numbers: object) -> Scorecard:
    contestant = Contestant(
        agent="mini-swe-agent",
        model=f"scripted/{name}",
        temperature=0.0,
        max_edits=10,
        strategy=Strategy.BALANCED,
        handle=name,
    )
    facts: dict[str, object] = {
        "run_id": RunId(f"run-{name}"),
        "contestant": contestant,
        "state": RunState.COMPLETED,
        "cause": None,
        "verdict": status if isinstance(status, Verdict) else verdict(status),
        "files_changed": 1,
        "lines_changed": 10,
        "cost_micros": 0,
        "latency_ms": 1000,
        "submitted_at": 100.0,
    }
    return Scorecard.model_validate(facts | numbers)


def order(*cards: Scorecard, reducer: str = "simple") -> list[str]:
    ranking = rank(cards, reducer=reducer, require_proof=True)
    return [place.scorecard.contestant.handle for place in ranking.places]


def why(ranking: Ranking, name: str) -> str:
    return next(p.why for p in ranking.places if p.scorecard.contestant.handle == name)


def test_the_verdict_comes_first():
    cards = [card(status, status, files_changed=n) for n, status in enumerate(STATUS_ORDER)]
    assert order(*reversed(cards)) == ["passed", "unproved", "unverified", "failed", "none"]


@pytest.mark.parametrize(
    ("better", "worse", "told"),
    [
        ({"files_changed": 1}, {"files_changed": 3}, "3 files instead of 1"),
        ({"files_changed": 0}, {"lines_changed": 1}, "1 file instead of 0"),
        ({"lines_changed": 6}, {"lines_changed": 40}, "40 lines instead of 6"),
        ({"latency_ms": 900}, {"latency_ms": 1250}, "as small, but 1.2 s instead of 0.9 s"),
        ({"steadiness": 0.9}, {"steadiness": 0.1}, "as small and as fast, but a less steady"),
        ({}, {}, "equal in everything that counts"),
    ],
)
def test_what_decides_among_equals(better: dict[str, Any], worse: dict[str, Any], told: str):
    name = "a" if not better else "z"
    ranking = rank([card("m", **worse), card(name, **better)], reducer="simple", require_proof=True)
    assert ranking.champion == f"run-{name}"
    assert told in why(ranking, "m")


def test_files_count_before_lines():
    assert order(card("a", files_changed=2, lines_changed=1), card("b", lines_changed=99)) == [
        "b",
        "a",
    ]


def test_first_takes_the_first_that_passed():
    ranking = rank(
        [
            card("late", submitted_at=9.5),
            card("early", submitted_at=5.0, files_changed=8),
            card("broken", "failed", submitted_at=1.0),
            card("unknown", submitted_at=None),
        ],
        reducer="first",
        require_proof=True,
    )
    assert [p.scorecard.contestant.handle for p in ranking.places] == [
        "early",
        "late",
        "unknown",
        "broken",
    ]
    assert why(ranking, "late") == "submitted 4.5 s later"
    assert why(ranking, "unknown") == "it is not known when it submitted"


def test_the_champion_has_its_why():
    proof = verdict("passed", "t goes from red to green")
    ranking = rank([card("a", proof), card("b", "failed")], reducer="simple", require_proof=True)
    assert why(ranking, "a") == "passed: t goes from red to green; 1 file, 10 lines"
    assert ranking.reason == "a: t goes from red to green; ahead of 1 other run"


def test_losers_show_what_failed():
    tampered = verdict("failed", "tests/t.py: edits the existing test z")
    crossed = verdict("failed", "fails careful::test_y, written by another contestant")
    ranking = rank(
        [
            card("good"),
            card("tamperer", tampered),
            card("crossed", crossed),
            card("stuck", NOTHING, cause=Cause.OUT_OF_STEPS, state=RunState.FAILED),
            card("waiting", NOTHING, state=RunState.CANCELLED),
        ],
        reducer="simple",
        require_proof=True,
    )
    assert why(ranking, "tamperer") == "failed: tests/t.py: edits the existing test z"
    assert why(ranking, "crossed").endswith("written by another contestant")
    assert why(ranking, "stuck") == "the step limit was reached before it submitted"
    assert why(ranking, "waiting") == "nothing to verify"


def test_no_passed_run_means_no_champion():
    cards = [
        card("a", verdict("failed", "breaks t")),
        card("b", verdict("unproved", "no proof")),
        card("c", NOTHING),
    ]
    ranking = rank(cards, reducer="simple", require_proof=True)
    assert ranking.champion is None
    assert ranking.reason == (
        "no champion: no run passed; closest: b (unproved: no proof), a (failed: breaks t)"
    )


def test_no_patch_at_all():
    ranking = rank([card("a", NOTHING)], reducer="simple", require_proof=True)
    assert ranking.reason == "no champion: no run produced a patch that could be verified"
    assert rank([], reducer="simple", require_proof=True).champion is None


def test_an_unproved_champion_only_when_it_is_accepted():
    cards = [card("a", verdict("unproved", "no proof")), card("b", "unproved", files_changed=2)]
    assert rank(cards, reducer="simple", require_proof=True).champion is None
    ranking = rank(cards, reducer="simple", require_proof=False)
    assert ranking.champion == "run-a"
    assert ranking.reason == "a, although unproved: no proof"
    assert why(ranking, "b") == "2 files instead of 1"


@pytest.mark.parametrize("status", ["unverified", "failed", "none"])
def test_nothing_less_is_ever_accepted(status: str):
    assert rank([card("a", status)], reducer="simple", require_proof=False).champion is None


def test_a_passed_run_comes_before_an_accepted_unproved_one():
    ranking = rank(
        [card("a", "unproved", files_changed=0), card("b")], reducer="simple", require_proof=False
    )
    assert ranking.champion == "run-b"


def test_an_unknown_reducer_is_refused():
    with pytest.raises(RefusedError, match="choose evidence or simple"):
        rank([], reducer="best", require_proof=True)


CARDS = st.lists(
    st.builds(
        card,
        st.sampled_from("abcdef"),
        st.sampled_from([str(status) for status in VerdictStatus]),
        run_id=st.uuids().map(str),
        files_changed=st.integers(0, 2),
        lines_changed=st.integers(0, 2),
        latency_ms=st.integers(0, 2),
        steadiness=st.sampled_from([0.0, 0.5]),
        submitted_at=st.none() | st.sampled_from([1.0, 2.0]),
    ),
    unique_by=lambda card: card.run_id,
)


@given(CARDS, st.randoms(use_true_random=False), st.sampled_from(list(REDUCERS)), st.booleans())
def test_ranking_is_total_and_knows_no_order_of_arrival(cards, random, reducer, proof):
    ranking = rank(cards, reducer=reducer, require_proof=proof)
    shuffled = list(cards)
    random.shuffle(shuffled)
    assert rank(shuffled, reducer=reducer, require_proof=proof) == ranking
    assert [place.rank for place in ranking.places] == list(range(1, len(cards) + 1))
    assert {p.scorecard.run_id for p in ranking.places} == {c.run_id for c in cards}
    standing = [STATUS_ORDER.index(p.scorecard.verdict.status) for p in ranking.places]
    assert standing == sorted(standing)
    assert all(place.why and "\n" not in place.why for place in ranking.places)


@given(CARDS, st.sampled_from(list(REDUCERS)))
def test_ranking_is_stable_when_a_loser_leaves(cards, reducer):
    ranking = rank(cards, reducer=reducer, require_proof=True)
    order = [place.scorecard for place in ranking.places]
    if len(order) > 1:
        fewer = rank(order[:-1], reducer=reducer, require_proof=True)
        assert [place.scorecard for place in fewer.places] == order[:-1]
        assert fewer.champion == ranking.champion


@given(CARDS, st.sampled_from(list(REDUCERS)))
def test_a_champion_has_passed(cards, reducer):
    ranking = rank(cards, reducer=reducer, require_proof=True)
    passed = {c.run_id for c in cards if c.verdict.status is VerdictStatus.PASSED}
    assert (ranking.champion in passed) if passed else (ranking.champion is None)
