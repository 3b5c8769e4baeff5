"""Admission and the ends of a budget."""

import pytest
from pydantic import ValidationError

from yudai.domain.budget import Budget, admit, ended, usd
from yudai.domain.errors import RefusedError
from yudai.domain.matrix import Matrix, expand

LINEUP = expand(Matrix(models=("paid", "free", "paid2")))


def test_a_plan_knows_its_ceiling_and_its_rounds():
    budget = Budget(max_parallel=2, cost_cap_micros=10_000_000, run_cost_cap_micros=400_000)
    admission = admit(LINEUP, budget, free_models=frozenset({"free"}))
    assert (admission.contestants, admission.waves) == (3, 2)
    assert admission.ceiling_micros == 800_000


def test_the_solve_cap_bounds_the_ceiling():
    admission = admit(LINEUP, Budget(cost_cap_micros=500_000), free_models=frozenset())
    assert usd(admission.ceiling_micros) == 0.5


@pytest.mark.parametrize("cap", ["cost_cap_micros", "run_cost_cap_micros"])
def test_a_cap_of_zero_is_refused_for_a_model_that_costs_money(cap: str):
    with pytest.raises(RefusedError, match="paid costs money"):
        admit(LINEUP, Budget.model_validate({cap: 0}), free_models=frozenset({"free"}))


def test_a_cap_of_zero_lets_free_models_run():
    everyone_free = frozenset({"paid", "free", "paid2"})
    assert admit(LINEUP, Budget(cost_cap_micros=0), free_models=everyone_free).ceiling_micros == 0


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
