"""Every pair of state and event, for solves and for runs."""

from itertools import product

import pytest

from yudai.kit.errors import IllegalTransitionError
from yudai.runs.domain import states as run_state
from yudai.runs.domain.states import RunEvent, RunState
from yudai.solves.domain import states as solve_state
from yudai.solves.domain.states import SolveEvent, SolveState


@pytest.mark.parametrize(("state", "event"), [*product(RunState, RunEvent)])
def test_a_run_moves_by_the_table_or_not_at_all(state: RunState, event: RunEvent):
    expected = run_state.TRANSITIONS.get((state, event))
    if expected is not None:
        assert run_state.advance(state, event) is expected
    else:
        with pytest.raises(IllegalTransitionError, match=f"{event} is not possible"):
            run_state.advance(state, event)


@pytest.mark.parametrize(("state", "event"), [*product(SolveState, SolveEvent)])
def test_a_solve_moves_by_the_table_or_not_at_all(state: SolveState, event: SolveEvent):
    expected = solve_state.TRANSITIONS.get((state, event))
    if expected is not None:
        assert solve_state.advance(state, event) is expected
    else:
        with pytest.raises(IllegalTransitionError):
            solve_state.advance(state, event)


@pytest.mark.parametrize(
    ("table", "final"),
    [(run_state.TRANSITIONS, run_state.FINAL), (solve_state.TRANSITIONS, solve_state.FINAL)],
)
def test_nothing_leaves_a_final_state_and_every_other_state_can_end(table: dict, final: frozenset):
    leaving = {state for state, _ in table}
    assert not leaving & final
    reachable = set(table.values())
    assert final <= reachable


@pytest.mark.parametrize("state", [s for s in RunState if s not in run_state.FINAL])
def test_an_open_run_can_always_be_cancelled_and_can_always_break(state: RunState):
    assert run_state.advance(state, RunEvent.CANCELLED) is RunState.CANCELLED
    assert run_state.advance(state, RunEvent.BROKE) is RunState.FAILED
