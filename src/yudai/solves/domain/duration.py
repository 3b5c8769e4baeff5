"""How long a plan takes, roughly: what its models took before, else what a run is assumed to."""

import heapq
from collections.abc import Iterable, Mapping, Sequence
from statistics import quantiles
from typing import NamedTuple

from yudai.solves.domain.budget import LITTLE, MUCH, Budget, Effort
from yudai.solves.domain.matrix import Lineup

ENOUGH = 3
"""With fewer runs of a model, one slow day would speak for it."""


class Span(NamedTuple):
    low_s: float
    high_s: float


def known_spans(took: Mapping[str, Sequence[float]]) -> dict[str, Span]:
    """The middle half of what each model's runs took, where there are enough of them."""
    return {model: _middle(seconds) for model, seconds in took.items() if len(seconds) >= ENOUGH}


def last(lineup: Lineup, budget: Budget, known: Mapping[str, Span]) -> Span:
    """Until the last contestant has ended, from when the first one starts.

    A model that nobody knows yet is assumed to be quick and done soon, or slow and long about it
    (`LITTLE` and `MUCH`). No run is longer than its own time, and none goes on after everybody's.
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
    """Each starts when a place is free, in the order of the line-up."""
    free_at = [0.0] * budget.max_parallel
    for seconds in runs:
        heapq.heapreplace(free_at, free_at[0] + min(seconds, budget.run_time_budget_s))
    return min(max(free_at), budget.time_budget_s)
