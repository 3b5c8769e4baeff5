"""Estimates a plan's duration from earlier runs of its models, else from assumed efforts."""

import heapq
from collections.abc import Iterable, Mapping, Sequence
from statistics import quantiles
from typing import NamedTuple

from yudai.solves.domain.budget import LITTLE, MUCH, Budget, Effort
from yudai.solves.domain.matrix import Lineup

ENOUGH = 3
"""Minimum of runs, so that one slow day does not dominate."""


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
    spans = [known.get(contestant.model, guessed) for contestant in lineup.contestants]
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
