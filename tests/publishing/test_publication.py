"""Where a publication may go from where it stands."""

import itertools

import pytest

from yudai.kit.errors import IllegalTransitionError
from yudai.publishing.domain.publication import (
    RESTING,
    TRANSITIONS,
    PublicationEvent,
    PublicationState,
    advance,
)


@pytest.mark.parametrize(
    ("state", "event"), [*itertools.product(PublicationState, PublicationEvent)]
)
def test_every_state_with_every_event(state: PublicationState, event: PublicationEvent):
    if (state, event) in TRANSITIONS:
        assert advance(state, event) is TRANSITIONS[state, event]
        return
    with pytest.raises(IllegalTransitionError) as refused:
        advance(state, event)
    assert refused.value.state == state


def test_the_way_to_a_pull_request():
    state = PublicationState.REQUESTED
    for event in list(PublicationEvent)[:4]:
        state = advance(state, event)
    assert state is PublicationState.DONE


@pytest.mark.parametrize("state", sorted(RESTING))
def test_from_rest_only_a_person_goes_on(state: PublicationState):
    assert {event for was, event in TRANSITIONS if was is state} == {PublicationEvent.ASKED_AGAIN}


@pytest.mark.parametrize("state", sorted(set(PublicationState) - RESTING))
def test_everything_under_way_can_come_to_rest(state: PublicationState):
    assert advance(state, PublicationEvent.REFUSED) is PublicationState.REFUSED
    assert advance(state, PublicationEvent.OUTDATED) is PublicationState.STALE
