"""The reducers: one row each, which the ranking, help texts, documents and the page read.

A new one is a row here. This module loads nothing heavy: the command line reads it at its start.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable

    from yudai.ranking.domain.scorecard import Scorecard
    from yudai.verification.domain.proof import ProofKind


@dataclass(frozen=True)
class Criterion:
    """One step of a comparison: lower is better."""

    measure: str
    """What is compared, as the page names it."""
    key: "Callable[[Scorecard], float]"
    says: "Callable[[Scorecard, Scorecard], str]"
    """Why the first lost to the second, the champion."""


def count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _strength(kind: "ProofKind") -> int:
    """The place among its kinds, which are listed by strength; this module imports no values."""
    return list(type(kind)).index(kind)


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


STRONGEST_PROOF = Criterion(
    "proof",
    lambda card: _strength(card.verdict.proof),
    lambda card, best: f"proved by {card.verdict.proof}, not by {best.verdict.proof}",
)
TIED = Criterion(
    "tied",
    lambda card: not card.verdict.tied,
    lambda _card, _best: "its proof is not about what the issue names and gives",
)
MOST_SUPPORT = Criterion(
    "support",
    lambda card: -card.verdict.evidence.support,
    lambda card, best: (
        f"{count(card.verdict.evidence.support, 'independent answer')} behind it"
        f" instead of {best.verdict.evidence.support}"
    ),
)
FEWEST_FAILURES = Criterion(
    "failures",
    lambda card: card.verdict.evidence.failures,
    lambda card, best: (
        f"fails {count(card.verdict.evidence.failures, 'test')} of others"
        f" instead of {best.verdict.evidence.failures}"
    ),
)
SMALLEST_CODE = Criterion(
    "size",
    lambda card: card.verdict.evidence.size,
    lambda card, best: (
        f"{count(card.verdict.evidence.size, 'line')} of code"
        f" instead of {best.verdict.evidence.size}"
    ),
)


class Reducer(NamedTuple):
    explanation: str
    """How it orders runs that have the same verdict, in one line."""
    criteria: tuple[Criterion, ...]
    asks: bool = False
    """Whether a person is asked before answers that behave differently are ordered by size."""


REDUCERS: dict[str, Reducer] = {
    "evidence": Reducer(
        "strongest proof, then about this issue, most independent support, fewest failures of"
        " others' tests, smallest change of code, fastest run",
        (STRONGEST_PROOF, TIED, MOST_SUPPORT, FEWEST_FAILURES, SMALLEST_CODE, LOWEST_LATENCY),
        asks=True,
    ),
    "simple": Reducer(
        "fewest files, then smallest diff, then fastest run",
        (FEWEST_FILES, SMALLEST_DIFF, LOWEST_LATENCY, STEADIEST),
    ),
    "first": Reducer("the earliest submission", (EARLIEST,)),
}


def choices() -> str:
    """For help: every name with what it does."""
    return ", or ".join(f"{name} ({row.explanation})" for name, row in REDUCERS.items())
