"""Limits of a solve: money in micro-dollars, time in seconds."""

from pydantic import Field

from yudai.domain.errors import RefusedError
from yudai.domain.matrix import Lineup
from yudai.domain.value import Value

MICROS_PER_USD = 1_000_000


class Budget(Value):
    max_parallel: int = Field(default=4, ge=1, le=1000)
    max_contestants: int = Field(default=36, ge=1, le=10_000)
    time_budget_s: float = Field(default=5400, gt=0)
    run_time_budget_s: float = Field(default=1800, gt=0)
    max_steps: int = Field(default=80, ge=1, le=10_000)
    cost_cap_micros: int = Field(default=5 * MICROS_PER_USD, ge=0)
    run_cost_cap_micros: int = Field(default=1 * MICROS_PER_USD, ge=0)
    command_timeout_s: float = Field(default=120, gt=0)
    test_timeout_s: float = Field(default=600, gt=0)


def usd(micros: int) -> float:
    return micros / MICROS_PER_USD


class Admission(Value):
    """What a plan may cost at the very most, and how it is run."""

    contestants: int
    waves: int
    """How many rounds it takes when all runs last equally long."""
    ceiling_micros: int


def admit(lineup: Lineup, budget: Budget, *, free_models: frozenset[str]) -> Admission:
    """Does this plan fit the limits? RefusedError says which one it breaks."""
    paid = [c.model for c in lineup.contestants if c.model not in free_models]
    if paid and not min(budget.cost_cap_micros, budget.run_cost_cap_micros):
        raise RefusedError(
            f"the cost cap is $0, but {paid[0]} costs money: raise the cap or choose a free model"
        )
    count = len(lineup.contestants)
    return Admission(
        contestants=count,
        waves=-(-count // budget.max_parallel),
        ceiling_micros=min(budget.cost_cap_micros, len(paid) * budget.run_cost_cap_micros),
    )


def ended(budget: Budget, *, elapsed_s: float, cost_micros: int) -> str | None:
    """Which limit of the whole solve is used up: its name, or None."""
    if elapsed_s >= budget.time_budget_s:
        return f"the time budget of {budget.time_budget_s:g} s"
    if cost_micros and cost_micros >= budget.cost_cap_micros:
        return f"the cost cap of ${usd(budget.cost_cap_micros):g}"
    return None
