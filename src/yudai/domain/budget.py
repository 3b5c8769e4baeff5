"""Limits of a solve: money in micro-dollars, time in seconds."""

from pydantic import Field

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
