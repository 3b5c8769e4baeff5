"""Limits of a solve: money in micro-dollars, time in seconds."""

import heapq
from collections.abc import Iterable, Mapping, Sequence
from statistics import quantiles
from typing import NamedTuple

from pydantic import Field

from yudai.gateway.domain.models import Model, Price, Usage, free_names
from yudai.kit.errors import RefusedError
from yudai.kit.money import MICROS_PER_USD, usd
from yudai.kit.value import Value
from yudai.solves.domain import defaults
from yudai.solves.domain.matrix import Contestant, Lineup, Matrix, expand

ENOUGH = 3
"""Minimum of runs, so that one slow day does not dominate."""
MAX_SECONDS = 7 * 24 * 3600


class Budget(Value):
    max_parallel: int = Field(default=defaults.PARALLEL, ge=1, le=1000)
    max_contestants: int = Field(default=36, ge=1, le=10_000)
    time_budget_s: float = Field(default=5400, gt=0)
    run_time_budget_s: float = Field(default=1800, gt=0)
    max_steps: int = Field(default=80, ge=1, le=10_000)
    cost_cap_micros: int = Field(default=5 * MICROS_PER_USD, ge=0)
    run_cost_cap_micros: int = Field(default=1 * MICROS_PER_USD, ge=0)


def admit(lineup: Lineup, budget: Budget, *, free_models: frozenset[str]) -> int:
    """What this plan may cost at most, in micros; RefusedError names the limit that it breaks."""
    paid = [c.model for c in lineup.agents if c.model not in free_models]
    if paid and not min(budget.cost_cap_micros, budget.run_cost_cap_micros):
        raise RefusedError(
            f"the cost cap is $0, but {paid[0]} costs money: raise the cap or choose a free model",
            field="limits.run_budget_usd" if budget.cost_cap_micros else "limits.budget_usd",
        )
    return min(budget.cost_cap_micros, len(paid) * budget.run_cost_cap_micros)


def ended(budget: Budget, *, elapsed_s: float, cost_micros: int) -> str | None:
    """Name of the solve's limit that is used up, or None."""
    if elapsed_s >= budget.time_budget_s:
        return f"the time budget of {budget.time_budget_s:g} s"
    if cost_micros and cost_micros >= budget.cost_cap_micros:
        return f"the cost cap of ${usd(budget.cost_cap_micros):g}"
    return None


class Effort(NamedTuple):
    """Assumed effort of one run: an estimate for the plan, not a limit."""

    steps: int
    """mini-SWE-agent submits an easy fix after about ten calls; hard ones take three dozen."""
    prompt_tokens: int
    """Instructions, issue and tool, sent with every call."""
    grown_tokens: int
    """Each step adds a command and what it printed to every later call."""
    output_tokens: int
    """A thought and one command; models that reason aloud write more."""
    cached_percent: int
    """Share of the input that the provider caches: the common beginning."""
    step_s: float
    """The model's answer and its command."""


LITTLE = Effort(
    10, prompt_tokens=2500, grown_tokens=600, output_tokens=250, cached_percent=80, step_s=4
)
MUCH = Effort(
    36, prompt_tokens=4000, grown_tokens=1200, output_tokens=800, cached_percent=40, step_s=25
)


class Estimate(NamedTuple):
    low_micros: int
    high_micros: int


class Pricing(NamedTuple):
    """Estimated and maximum cost of a plan."""

    is_free: bool
    low_usd: float
    high_usd: float
    ceiling_usd: float


class Entrants(NamedTuple):
    """Who competes, at what price and within which limits: expanded and admitted."""

    matrix: Matrix
    """With the models' names in the models table."""
    lineup: Lineup
    models: tuple[Model, ...]
    budget: Budget
    ceiling_micros: int

    @property
    def pricing(self) -> Pricing:
        low, high = estimate(self.lineup, self.models, self.budget)
        is_free = len(free_names(self.models)) == len(self.models)
        return Pricing(is_free, usd(low), usd(high), usd(self.ceiling_micros))


def enter(
    matrix: Matrix, models: Sequence[Model], budget: Budget, *, patches: Sequence[Contestant] = ()
) -> Entrants:
    """RefusedError as `expand` and `admit` say it."""
    named = matrix.model_copy(update={"models": tuple(model.name for model in models)})
    lineup = expand(named, limit=budget.max_contestants, patches=patches)
    ceiling_micros = admit(lineup, budget, free_models=free_names(models))
    return Entrants(named, lineup, tuple(models), budget, ceiling_micros)


def estimate(lineup: Lineup, models: Iterable[Model], budget: Budget) -> Estimate:
    """Estimated cost of the plan: easy for all runs, or hard for all."""
    prices = {model.name: model.price for model in models}
    started = [prices.get(contestant.model) for contestant in lineup.agents]
    low, high = (
        min(sum(_run_cost(price, effort, budget) for price in started), budget.cost_cap_micros)
        for effort in (LITTLE, MUCH)
    )
    return Estimate(low, high)


def _run_cost(price: Price | None, effort: Effort, budget: Budget) -> int:
    if price is None:
        return budget.run_cost_cap_micros
    steps = min(effort.steps, budget.max_steps)
    sent = steps * effort.prompt_tokens + effort.grown_tokens * steps * (steps - 1) // 2
    usage = Usage(
        input_tokens=sent,
        cached_tokens=sent * effort.cached_percent // 100,
        output_tokens=steps * effort.output_tokens,
    )
    return min(price.cost(usage), budget.run_cost_cap_micros)


class Span(NamedTuple):
    low_s: float
    high_s: float


def known_spans(took: Mapping[str, Sequence[float]]) -> dict[str, Span]:
    """The middle half of each model's run times, if there are enough."""
    return {model: _middle(seconds) for model, seconds in took.items() if len(seconds) >= ENOUGH}


def estimate_duration(lineup: Lineup, budget: Budget, known: Mapping[str, Span]) -> Span:
    """Time from the first contestant's start to the last one's end.

    A model without enough runs is assumed to be fast with few steps, or slow with many (`LITTLE`
    and `MUCH`). Run and solve time limits apply.
    """
    guessed = Span(_guess(LITTLE, budget), _guess(MUCH, budget))
    spans = [known.get(contestant.model, guessed) for contestant in lineup.agents]
    return Span(
        _in_turns((span.low_s for span in spans), budget),
        _in_turns((span.high_s for span in spans), budget),
    )


def _guess(effort: Effort, budget: Budget) -> float:
    return min(effort.steps, budget.max_steps) * effort.step_s


def _middle(seconds: Sequence[float]) -> Span:
    low, _, high = quantiles(seconds, n=4, method="inclusive")
    return Span(low, high)


def _in_turns(runs: Iterable[float], budget: Budget) -> float:
    """Contestants start in order, each when a slot is free."""
    free_at = [0.0] * budget.max_parallel
    for seconds in runs:
        heapq.heapreplace(free_at, free_at[0] + min(seconds, budget.run_time_budget_s))
    return min(max(free_at), budget.time_budget_s)
