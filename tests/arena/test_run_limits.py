"""How long an agent may work: its own time, the solve's, and its sandbox's."""

from types import SimpleNamespace
from typing import Any

import pytest

from yudai.arena.run import RunBrokeError, Runner
from yudai.artifacts.context import Context
from yudai.kit.causes import Cause
from yudai.projects.domain.project import Project
from yudai.solves.domain.budget import Budget

NOW = 1000.0
LONG = 10_000.0


def wall_time_s(
    *,
    run_left_s: float = LONG,
    solve_left_s: float = LONG,
    lifetime_s: float = LONG,
    waited_s: float = 0.0,
) -> float:
    nothing: Any = None
    clock: Any = SimpleNamespace(now=lambda: NOW)
    context = Context(nothing, nothing, clock)
    runner = Runner(context, nothing, {}, nothing, nothing, lifetime_s=lifetime_s)
    solve: Any = SimpleNamespace(budget=Budget(), project=Project(), deadline_at=NOW + solve_left_s)
    run: Any = SimpleNamespace(deadline_at=NOW + run_left_s, earlier_cost_micros=0)
    return runner._limits(solve, run, waited_s=waited_s).wall_time_s


def test_the_nearest_end_counts():
    assert wall_time_s(run_left_s=60) == 60
    assert wall_time_s(solve_left_s=50) == 50


def test_waiting_for_a_sandbox_is_not_the_contestants():
    assert wall_time_s(run_left_s=60, waited_s=30) == 90
    assert wall_time_s(run_left_s=60, solve_left_s=70, waited_s=30) == 70


def test_it_ends_before_its_sandbox_so_that_its_patch_can_be_taken():
    assert wall_time_s(lifetime_s=3600) == 3480
    assert wall_time_s(lifetime_s=60) == 30


def test_without_time_it_does_not_begin():
    with pytest.raises(RunBrokeError) as broke:
        wall_time_s(run_left_s=0)
    assert broke.value.cause is Cause.OUT_OF_TIME
