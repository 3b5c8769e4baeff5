"""States of a run and the events that move it."""

from enum import StrEnum

from yudai.kit.errors import IllegalTransitionError


class RunState(StrEnum):
    QUEUED = "queued"
    RUNNING = "running"
    VERIFYING = "verifying"
    COMPLETED = "completed"
    FAILED = "failed"
    CANCELLED = "cancelled"


class RunEvent(StrEnum):
    STARTED = "started"
    SUBMITTED = "submitted"
    JUDGED = "judged"
    RETRIED = "retried"
    """The infrastructure ended an attempt, and another one follows."""
    BROKE = "broke"
    CANCELLED = "cancelled"


FINAL = frozenset({RunState.COMPLETED, RunState.FAILED, RunState.CANCELLED})

TRANSITIONS: dict[tuple[RunState, RunEvent], RunState] = {
    (RunState.QUEUED, RunEvent.STARTED): RunState.RUNNING,
    (RunState.RUNNING, RunEvent.SUBMITTED): RunState.VERIFYING,
    (RunState.VERIFYING, RunEvent.JUDGED): RunState.COMPLETED,
    (RunState.RUNNING, RunEvent.RETRIED): RunState.QUEUED,
    (RunState.QUEUED, RunEvent.BROKE): RunState.FAILED,
    (RunState.RUNNING, RunEvent.BROKE): RunState.FAILED,
    (RunState.VERIFYING, RunEvent.BROKE): RunState.FAILED,
    (RunState.QUEUED, RunEvent.CANCELLED): RunState.CANCELLED,
    (RunState.RUNNING, RunEvent.CANCELLED): RunState.CANCELLED,
    (RunState.VERIFYING, RunEvent.CANCELLED): RunState.CANCELLED,
}


def advance(state: RunState, event: RunEvent) -> RunState:
    try:
        return TRANSITIONS[state, event]
    except KeyError:
        raise IllegalTransitionError(state, event) from None
