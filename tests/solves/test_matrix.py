"""Expansion: stable, readable handles, a diverse start above the cap."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from yudai.kit.errors import RefusedError
from yudai.solves.domain.matrix import (
    Contestant,
    Matrix,
    author_of,
    check_size,
    expand,
    handle_of,
    patch_contestant,
)
from yudai.solves.domain.strategies import Strategy

MISSION = {
    "models": ["gpt-4.1", "claude-3.7-sonnet", "local-solo"],
    "temps": [0.2, 0.6],
    "max_edits": [3, 5],
    "evolution": ["test-first", "stacktrace-first", "small-steps"],
}


def test_the_body_of_the_mission_is_accepted_and_expands_to_its_product():
    lineup = expand(Matrix.model_validate(MISSION))
    assert len(lineup.contestants) == 3 * 2 * 2 * 3
    assert lineup.not_started == ()
    assert lineup.contestants[0].handle == "gpt-4.1-t0.2-e3-test-first"
    assert lineup.contestants[-1].handle == "local-solo-t0.6-e5-small-steps"


def test_our_own_names_and_the_accepted_spellings_mean_the_same():
    ours = {"temperatures": MISSION["temps"], "strategies": MISSION["evolution"]}
    rest = {key: MISSION[key] for key in ("models", "max_edits")}
    assert Matrix.model_validate(MISSION) == Matrix.model_validate({**rest, **ours})


@pytest.mark.parametrize(
    ("model", "agent", "handle"),
    [
        ("openai/gpt-4.1", "mini-swe-agent", "gpt-4.1-t0-e5-balanced"),
        ("scripted/folder/careful.yaml", "mini-swe-agent", "careful-t0-e5-balanced"),
        ("a/b", "swe-agent", "swe-agent-b-t0-e5-balanced"),
    ],
)
def test_a_handle_reads_model_temperature_edits_strategy(model: str, agent: str, handle: str):
    contestant = Contestant(
        agent=agent,
        model=model,
        temperature=0.0,
        max_edits=5,
        strategy=Strategy.BALANCED,
        handle="",
    )
    assert handle_of(contestant) == handle


def test_equal_handles_are_numbered():
    lineup = expand(Matrix(models=("a/x", "b/x", "c/x")))
    assert [c.handle for c in lineup.contestants] == [
        "x-t0.2-e10-balanced",
        "x-t0.2-e10-balanced-2",
        "x-t0.2-e10-balanced-3",
    ]


def test_above_the_cap_the_first_ones_differ_as_much_as_they_can():
    lineup = expand(Matrix.model_validate(MISSION), limit=6)
    assert Counter(c.model for c in lineup.contestants) == dict.fromkeys(MISSION["models"], 2)
    assert set(Counter(c.strategy for c in lineup.contestants).values()) == {2}
    assert set(Counter(c.temperature for c in lineup.contestants).values()) == {3}
    assert len({(c.model, c.strategy) for c in lineup.contestants}) == 6


@pytest.mark.parametrize(
    "axes",
    [
        {"models": [""]},
        {"models": ["m"], "temps": [2.1]},
        {"models": ["m"], "temps": [-0.1]},
        {"models": ["m"], "max_edits": [0]},
        {"models": ["m"], "strategies": ["yolo"]},
        {"models": ["m"], "unknown": 1},
    ],
)
def test_nonsense_is_refused(axes: dict):
    with pytest.raises(ValidationError):
        Matrix.model_validate(axes)


def test_a_matrix_that_no_one_can_mean_is_refused_with_its_sizes():
    models, temperatures = tuple(f"m{n}" for n in range(100)), (0.1,) * 100
    vast = Matrix(models=models, temperatures=temperatures)
    with pytest.raises(RefusedError, match=r"10,000 cells \(100 models x 100 temperatures\)"):
        check_size(vast)
    with pytest.raises(RefusedError, match="give fewer values"):
        expand(vast, limit=1)
    check_size(Matrix(models=models, temperatures=temperatures[:10]))


def test_a_vast_matrix_is_refused_before_its_cells_are_built():
    axis = tuple(n / 2000 for n in range(2000))
    edits = tuple(range(1, 1001))
    with pytest.raises(RefusedError, match="cells"):
        expand(Matrix(models=("m",) * 2000, temperatures=axis, max_edits=edits))


def axis(values: Sequence[Any], size: int) -> st.SearchStrategy[tuple[Any, ...]]:
    return st.lists(st.sampled_from(values), min_size=1, max_size=size, unique=True).map(tuple)


@given(
    matrix=st.builds(
        Matrix,
        models=st.lists(st.sampled_from("abcd"), min_size=1, max_size=5).map(tuple),
        temperatures=axis([0.0, 0.5, 1.0], 3),
        max_edits=axis([3, 5], 2),
        strategies=axis([*Strategy], 4),
        agents=axis(["mini-swe-agent", "other"], 2),
    ),
    limit=st.integers(1, 300),
)
def test_no_one_is_lost_or_doubled_and_the_order_is_stable(matrix: Matrix, limit: int):
    lineup = expand(matrix, limit=limit)
    everyone = [*lineup.contestants, *lineup.not_started]
    assert lineup == expand(matrix, limit=limit)
    assert len({c.handle for c in everyone}) == len(everyone)
    assert len(lineup.contestants) == min(limit, len(everyone))
    assert set(everyone) == set(expand(matrix, limit=10_000).contestants)


class TestPatches:
    """Contestants that are patches: named, always there, and nobody's model."""

    def test_they_come_first_and_do_not_count_towards_the_limit(self):
        patches = [patch_contestant("codex"), patch_contestant("claude")]
        lineup = expand(Matrix(models=("a", "b")), limit=1, patches=patches)
        assert [one.handle for one in lineup.contestants][:2] == ["codex", "claude"]
        assert len(lineup.contestants) == 3
        assert len(lineup.not_started) == 1
        assert [one.model for one in lineup.agents] == ["a"]

    def test_alone_they_are_the_whole_lineup(self):
        lineup = expand(Matrix(), patches=[patch_contestant("codex")])
        assert [one.handle for one in lineup.contestants] == ["codex"]
        assert lineup.not_started == ()

    def test_handles_are_unique_whatever_they_are_called(self):
        names = ("a", "a-2", "a", "a", "a-t0.2-e10-balanced")
        patches = [patch_contestant(name) for name in names]
        lineup = expand(Matrix(models=("a",)), patches=patches)
        assert [one.handle for one in lineup.contestants] == [
            "a",
            "a-2",
            "a-3",
            "a-4",
            "a-t0.2-e10-balanced",
            "a-t0.2-e10-balanced-2",
        ]

    def test_without_an_author_each_is_independent(self):
        patches = [patch_contestant("a"), patch_contestant("a"), patch_contestant("b", "ada")]
        patches.append(patch_contestant("c", "ada"))
        authors = [author_of(one) for one in expand(Matrix(), patches=patches).contestants]
        assert authors == ["a", "a-2", "ada", "ada"]

    def test_an_agents_author_is_its_model_with_its_strategy(self):
        matrix = Matrix(
            models=("m",),
            temperatures=(0.1, 0.9),
            strategies=(Strategy.BALANCED, Strategy.TEST_FIRST),
        )
        authors = [author_of(one) for one in expand(matrix).contestants]
        assert sorted(authors) == ["m balanced"] * 2 + ["m test-first"] * 2

    def test_a_contestant_of_an_earlier_version_has_no_author(self):
        old = {"agent": "mini-swe-agent", "model": "m", "temperature": 0.2, "max_edits": 3}
        read = Contestant.model_validate(old | {"strategy": "balanced", "handle": "m"})
        assert (read.author, read.is_patch) == ("", False)
