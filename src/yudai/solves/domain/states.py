"""States of a solve and the events that move it."""

from enum import StrEnum

from yudai.kit.errors import IllegalTransitionError


class SolveState(StrEnum):
    QUEUED = "queued"
    RUNNING = "running"
    AWAITING_REVIEW = "awaiting_review"
    COMPLETED = "completed"
    FAILED = "failed"
    CANCELLED = "cancelled"


class SolveEvent(StrEnum):
    STARTED = "started"
    OFFERED = "offered"
    ABSTAINED = "abstained"
    ASKED = "asked"
    """A person has to answer a question before there can be a champion."""
    ANSWERED = "answered"
    SETTLED = "settled"
    BROKE = "broke"
    CANCELLED = "cancelled"


FINAL = frozenset({SolveState.COMPLETED, SolveState.FAILED, SolveState.CANCELLED})
RESTING = FINAL | {SolveState.AWAITING_REVIEW}

TRANSITIONS: dict[tuple[SolveState, SolveEvent], SolveState] = {
    (SolveState.QUEUED, SolveEvent.STARTED): SolveState.RUNNING,
    (SolveState.RUNNING, SolveEvent.OFFERED): SolveState.AWAITING_REVIEW,
    (SolveState.RUNNING, SolveEvent.ABSTAINED): SolveState.COMPLETED,
    (SolveState.RUNNING, SolveEvent.ASKED): SolveState.AWAITING_REVIEW,
    (SolveState.AWAITING_REVIEW, SolveEvent.ANSWERED): SolveState.RUNNING,
    (SolveState.AWAITING_REVIEW, SolveEvent.SETTLED): SolveState.COMPLETED,
    (SolveState.QUEUED, SolveEvent.BROKE): SolveState.FAILED,
    (SolveState.RUNNING, SolveEvent.BROKE): SolveState.FAILED,
    (SolveState.QUEUED, SolveEvent.CANCELLED): SolveState.CANCELLED,
    (SolveState.RUNNING, SolveEvent.CANCELLED): SolveState.CANCELLED,
}


def advance(state: SolveState, event: SolveEvent) -> SolveState:
    try:
        return TRANSITIONS[state, event]
    except KeyError:
        raise IllegalTransitionError(state, event) from None
