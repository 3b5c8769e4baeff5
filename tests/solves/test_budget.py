"""Admission and the ends of a budget."""

import pytest
from pydantic import ValidationError

from yudai.gateway.domain.models import FREE, Model, Price, Provider
from yudai.kit.errors import RefusedError
from yudai.kit.money import usd
from yudai.solves.domain.budget import (
    LITTLE,
    MUCH,
    Budget,
    Pricing,
    admit,
    ended,
    enter,
    estimate,
    estimate_duration,
)
from yudai.solves.domain.matrix import Matrix, expand, patch_contestant

LINEUP = expand(Matrix(models=("paid", "free", "paid2")))


def test_a_plan_knows_its_ceiling():
    budget = Budget(max_parallel=2, cost_cap_micros=10_000_000, run_cost_cap_micros=400_000)
    assert admit(LINEUP, budget, free_models=frozenset({"free"})) == 800_000


def test_the_solve_cap_bounds_the_ceiling():
    assert usd(admit(LINEUP, Budget(cost_cap_micros=500_000), free_models=frozenset())) == 0.5


@pytest.mark.parametrize("cap", ["cost_cap_micros", "run_cost_cap_micros"])
def test_a_cap_of_zero_is_refused_for_a_model_that_costs_money(cap: str):
    with pytest.raises(RefusedError, match="paid costs money"):
        admit(LINEUP, Budget.model_validate({cap: 0}), free_models=frozenset({"free"}))


def test_a_cap_of_zero_lets_free_models_run():
    everyone_free = frozenset({"paid", "free", "paid2"})
    assert admit(LINEUP, Budget(cost_cap_micros=0), free_models=everyone_free) == 0


@pytest.mark.parametrize(
    "limits", [{"max_parallel": 0}, {"time_budget_s": 0}, {"max_steps": 0}, {"typo": 1}]
)
def test_nonsense_is_refused(limits: dict):
    with pytest.raises(ValidationError):
        Budget.model_validate(limits)


@pytest.mark.parametrize(
    ("elapsed", "cost", "limit"),
    [
        (9.9, 99, None),
        (10, 0, "the time budget of 10 s"),
        (1, 100, "the cost cap of $0.0001"),
        (1, 0, None),
    ],
)
def test_which_limit_ended_a_solve(elapsed: float, cost: int, limit: str | None):
    budget = Budget(time_budget_s=10, cost_cap_micros=100)
    assert ended(budget, elapsed_s=elapsed, cost_micros=cost) == limit


def test_a_cap_of_zero_is_not_used_up_by_free_calls():
    budget = Budget(time_budget_s=10, cost_cap_micros=0)
    assert ended(budget, elapsed_s=1, cost_micros=0) is None


SONNET = Price(input_micros=3_000_000, output_micros=15_000_000, cached_micros=300_000)
AMPLE = Budget(cost_cap_micros=10**12, run_cost_cap_micros=10**12)


def model(name: str, price: Price | None) -> Model:
    return Model(name=name, provider=Provider.OPENROUTER, model_id=name, price=price)


def test_an_estimate_is_what_public_runs_cost_give_or_take():
    low, high = estimate(expand(Matrix(models=("m",))), [model("m", SONNET)], AMPLE)
    assert 0.05 < usd(low) < 0.30 < 0.60 < usd(high) < 4.0


def test_an_estimate_counts_every_contestant_that_starts_and_no_other():
    models = [model("m", SONNET), model("free", FREE)]
    one = estimate(expand(Matrix(models=("m",))), models, AMPLE)
    matrix = Matrix(models=("m", "free"), temperatures=(0.0, 0.5, 1.0))
    assert estimate(expand(matrix), models, AMPLE).low_micros == 3 * one.low_micros
    assert estimate(expand(matrix, limit=2), models, AMPLE) == one


def test_an_estimate_never_exceeds_the_caps():
    lineup = expand(Matrix(models=("m",), temperatures=(0.0, 0.5, 1.0)))
    models = [model("m", SONNET)]
    per_run = AMPLE.model_copy(update={"run_cost_cap_micros": 100_000})
    assert estimate(lineup, models, per_run).high_micros == 300_000
    whole = AMPLE.model_copy(update={"cost_cap_micros": 50_000})
    assert estimate(lineup, models, whole) == (50_000, 50_000)


def test_an_estimate_knows_the_step_limit():
    lineup, models = expand(Matrix(models=("m",))), [model("m", SONNET)]
    one_step = estimate(lineup, models, AMPLE.model_copy(update={"max_steps": 1}))
    full_price = SONNET.model_copy(update={"cached_micros": None})
    dear = estimate(lineup, [model("m", full_price)], AMPLE.model_copy(update={"max_steps": 1}))
    tokens = MUCH.prompt_tokens * 3 + MUCH.output_tokens * 15
    assert one_step.high_micros < dear.high_micros == tokens
    assert LITTLE.steps < MUCH.steps < AMPLE.max_steps


def test_free_models_are_estimated_at_nothing_and_unknown_ones_at_the_cap():
    lineup = expand(Matrix(models=("m",)))
    assert estimate(lineup, [model("m", FREE)], Budget()) == (0, 0)
    cap = Budget().run_cost_cap_micros
    assert estimate(lineup, [model("m", None)], Budget()) == (cap, cap)


MATRIX = Matrix(models=("as it was typed",))


def test_a_plan_is_priced_in_dollars():
    price = Price(input_micros=2_000_000, output_micros=8_000_000)
    paid = Model(name="paid", provider=Provider.OPENROUTER, model_id="paid", price=price)
    free = Model(name="free", provider=Provider.LOCAL, model_id="free", price=FREE)
    budget = Budget(run_cost_cap_micros=400_000)
    is_free, low, high, ceiling = enter(MATRIX, (paid, free), budget).pricing
    assert (is_free, high, ceiling) == (False, 0.4, 0.4)
    assert 0 < low < high
    assert enter(MATRIX, (free,), budget).pricing == Pricing(
        is_free=True, low_usd=0, high_usd=0, ceiling_usd=0
    )


@pytest.mark.parametrize(
    ("cap", "field"),
    [("cost_cap_micros", "limits.budget_usd"), ("run_cost_cap_micros", "limits.run_budget_usd")],
)
def test_a_cap_of_zero_names_its_field(cap: str, field: str):
    with pytest.raises(RefusedError) as caught:
        enter(MATRIX, (model("paid", None),), Budget.model_validate({cap: 0}))
    assert caught.value.field == field


def test_patches_that_were_given_cost_nothing_and_take_no_time():
    patches = [patch_contestant("codex"), patch_contestant("claude")]
    alone = enter(Matrix(), (), Budget(cost_cap_micros=0), patches=patches)
    assert (alone.ceiling_micros, alone.pricing.is_free, alone.pricing.high_usd) == (0, True, 0.0)
    assert estimate_duration(alone.lineup, Budget(), {}).high_s == 0
