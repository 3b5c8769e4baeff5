"""States of a publication and the events that move it."""

from enum import StrEnum

from yudai.kit.errors import IllegalTransitionError


class PublicationState(StrEnum):
    REQUESTED = "requested"
    COMMITTED = "committed"
    PUSHED = "pushed"
    OPENED = "opened"
    DONE = "done"
    """Pull request and comment, or only the comment, are published."""
    REFUSED = "refused"
    """The patch may not be published, or the forge refused it: a person has to check."""
    STALE = "stale"
    """The base branch has changed the same lines: solve the issue again."""


class PublicationEvent(StrEnum):
    COMMITTED = "committed"
    PUSHED = "pushed"
    OPENED = "opened"
    COMMENTED = "commented"
    REFUSED = "refused"
    OUTDATED = "outdated"
    ASKED_AGAIN = "asked_again"


RESTING = frozenset({PublicationState.DONE, PublicationState.REFUSED, PublicationState.STALE})

_S, _E = PublicationState, PublicationEvent
TRANSITIONS: dict[tuple[PublicationState, PublicationEvent], PublicationState] = {
    (_S.REQUESTED, _E.COMMITTED): _S.COMMITTED,
    (_S.COMMITTED, _E.PUSHED): _S.PUSHED,
    (_S.PUSHED, _E.OPENED): _S.OPENED,
    (_S.OPENED, _E.COMMENTED): _S.DONE,
    # No champion: only a comment says so.
    (_S.REQUESTED, _E.COMMENTED): _S.DONE,
    (_S.REFUSED, _E.ASKED_AGAIN): _S.REQUESTED,
    (_S.STALE, _E.ASKED_AGAIN): _S.REQUESTED,
    # Only a comment was written; then a person chose a champion.
    (_S.DONE, _E.ASKED_AGAIN): _S.REQUESTED,
    **{
        (state, event): ending
        for state in (_S.REQUESTED, _S.COMMITTED, _S.PUSHED, _S.OPENED)
        for event, ending in ((_E.REFUSED, _S.REFUSED), (_E.OUTDATED, _S.STALE))
    },
}


def advance(state: PublicationState, event: PublicationEvent) -> PublicationState:
    try:
        return TRANSITIONS[state, event]
    except KeyError:
        raise IllegalTransitionError(state, event) from None


class OutcomeKind(StrEnum):
    MERGED = "merged"
    CLOSED = "closed"
    LANDED = "landed"
    """Closed, but its change was brought to the base branch by hand."""
    REVERTED = "reverted"
    REAPPLIED = "reapplied"
    SUSPECTED_REVERT = "suspected_revert"
    """Has no effect until a person confirms it."""
