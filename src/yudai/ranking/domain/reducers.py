"""The reducers: one row each, which the ranking, help texts, documents and the page read.

A new one is a row here. This module loads nothing heavy: the command line reads it at its start.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable

    from yudai.ranking.domain.scorecard import Scorecard


@dataclass(frozen=True)
class Criterion:
    """One step of a comparison: lower is better."""

    measure: str
    """What is compared, as the page names it."""
    key: "Callable[[Scorecard], float]"
    says: "Callable[[Scorecard, Scorecard], str]"
    """What the loser (first) is told about the champion (second)."""


def count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _seconds(milliseconds: int) -> str:
    return f"{milliseconds / 1000:.1f} s"


FEWEST_FILES = Criterion(
    "files",
    lambda card: card.files_changed,
    lambda card, best: f"{count(card.files_changed, 'file')} instead of {best.files_changed}",
)
SMALLEST_DIFF = Criterion(
    "lines",
    lambda card: card.lines_changed,
    lambda card, best: f"{count(card.lines_changed, 'line')} instead of {best.lines_changed}",
)
LOWEST_LATENCY = Criterion(
    "time",
    lambda card: card.latency_ms,
    lambda card, best: (
        f"as small, but {_seconds(card.latency_ms)} instead of {_seconds(best.latency_ms)}"
    ),
)
STEADIEST = Criterion(
    "steadiness",
    lambda card: -card.steadiness,
    lambda _card, _best: "as small and as fast, but a less steady contestant",
)
EARLIEST = Criterion(
    "submitted",
    lambda card: float("inf") if card.submitted_at is None else card.submitted_at,
    lambda card, best: (
        "it is not known when it submitted"
        if card.submitted_at is None or best.submitted_at is None
        else f"submitted {card.submitted_at - best.submitted_at:.1f} s later"
    ),
)


class Reducer(NamedTuple):
    explanation: str
    """How it orders runs that have the same verdict, in one line."""
    criteria: tuple[Criterion, ...]


REDUCERS: dict[str, Reducer] = {
    "simple": Reducer(
        "fewest files, then smallest diff, then fastest run",
        (FEWEST_FILES, SMALLEST_DIFF, LOWEST_LATENCY, STEADIEST),
    ),
    "first": Reducer("the earliest submission", (EARLIEST,)),
}
DEFAULT = "simple"


def choices() -> str:
    """For help: every name with what it does."""
    return ", or ".join(f"{name} ({row.explanation})" for name, row in REDUCERS.items())
