"""How long a plan takes: what is known of its models, else a guess, within the limits."""

import pytest

from yudai.solves.domain.budget import LITTLE, MUCH, Budget, Span, estimate_duration, known_spans
from yudai.solves.domain.matrix import Matrix, expand

THREE = expand(Matrix(models=("a", "b", "c")))
GUESS = Span(LITTLE.steps * LITTLE.step_s, MUCH.steps * MUCH.step_s)


def test_models_that_no_one_knows_are_guessed_at():
    assert estimate_duration(THREE, Budget(max_parallel=3), {}) == GUESS
    assert estimate_duration(THREE, Budget(max_parallel=2), {}) == (
        2 * GUESS.low_s,
        2 * GUESS.high_s,
    )


def test_few_steps_are_soon_over():
    budget = Budget(max_parallel=3, max_steps=2)
    assert estimate_duration(THREE, budget, {}) == (2 * LITTLE.step_s, 2 * MUCH.step_s)


def test_no_run_outlasts_its_own_time_nor_that_of_all():
    assert estimate_duration(THREE, Budget(max_parallel=1, run_time_budget_s=10), {}) == (30, 30)
    assert estimate_duration(THREE, Budget(max_parallel=1, time_budget_s=25), {}) == (25, 25)


def test_the_next_one_starts_where_a_place_is_free():
    known = {"a": Span(1, 10), "b": Span(2, 4), "c": Span(3, 5)}
    assert estimate_duration(THREE, Budget(max_parallel=2), known) == (4, 10)


@pytest.mark.parametrize(
    ("seconds", "span"),
    [([], None), ([5.0, 6.0], None), ([1.0, 2.0, 9.0], Span(1.5, 5.5)), ([4.0] * 9, Span(4, 4))],
)
def test_the_middle_half_of_enough_runs_speaks_for_a_model(seconds: list[float], span: Span | None):
    assert known_spans({"a": seconds}).get("a") == span


def test_what_is_known_of_one_model_says_nothing_of_another():
    low, high = estimate_duration(THREE, Budget(max_parallel=3), {"a": Span(1, 5000)})
    assert (low, high) == (GUESS.low_s, 1800)
