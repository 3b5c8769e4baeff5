"""`kill -9` of the only process, in each part of a solve: its next start brings it to an end."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.e2e.support import small
from tests.e2e.support.leftovers import NOTHING
from tests.e2e.support.service import (
    Installation,
    Process,
    ask,
    has_nothing_twice,
    installed,
    key_of,
    replayed,
    rested,
    slow,
    until,
)

pytestmark = [pytest.mark.xdist_group("service-2"), pytest.mark.timeout(240)]

RUNS = 2
# Slow enough to be met while its tests run.
WAIT = "\n    def test_wait(self):\n        __import__('time').sleep(0.5)\n"


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    test = "tests/test_doubling.py"
    return small.make(tmp_path / "repo", **{test: small.FILES[test] + WAIT})


def check_end(house: Installation, solve_id: str) -> None:
    assert rested(house.books, solve_id) == "awaiting_review"
    assert [row.state for row in house.books.runs(solve_id)] == ["completed"] * RUNS
    assert has_nothing_twice(house.books, solve_id)
    assert house.server.get(f"/api/solves/{solve_id}")["solve"]["state"] == "awaiting_review"
    until(lambda: house.leftovers() == NOTHING, "nothing is left on the host")


def test_a_restart_goes_on_from_wherever_it_was_killed(tmp_path: Path, repo: Path):
    """One process, killed in each part of one solve; sooner or later it offers its champion."""
    with installed(tmp_path) as house:
        house.serve()
        body = ask(repo, slow(house.arena, 0.5, 1.0), runs=RUNS)
        solve_id = house.server.post("/api/solves", body, **key_of(body))["id"]
        for moment in (preparing, at_work, verifying, concluding):
            kill_at(house, lambda moment=moment: moment(house, solve_id), moment.__name__)
            house.serve()
            assert replayed(house, body) == solve_id

        check_end(house, solve_id)
        # Killed once in the agent phase: that attempt is kept, and each run was submitted once.
        kept = house.books.attempts(solve_id)
        assert {(row.number, row.cause) for row in kept} == {(1, "worker_lost")}
        assert len(kept) == RUNS
        assert len(house.books.events(solve_id, "run.submitted")) == RUNS
        assert house.server.end() == 0
        [last] = house.books.workers()
        assert (last.pid, last.beat_at) == (house.server.pid, 0)


def kill_at(house: Installation, is_so: Callable[[], bool], what: str) -> None:
    process: Process = house.server
    until(is_so, what)
    process.kill()
    assert is_so(), f"it was killed too late: not {what} any more"


def states(house: Installation, solve_id: str) -> set[str]:
    return {row.state for row in house.books.runs(solve_id)}


def preparing(house: Installation, solve_id: str) -> bool:
    kinds = {event.kind for event in house.books.events(solve_id)}
    return "solve.started" in kinds and "baseline.measured" not in kinds


def at_work(house: Installation, solve_id: str) -> bool:
    rows = house.books.runs(solve_id)
    return all(row.state == "running" and row.steps and row.attempt == 1 for row in rows)


def verifying(house: Installation, solve_id: str) -> bool:
    return states(house, solve_id) <= {"verifying", "completed"} and "verifying" in states(
        house, solve_id
    )


def concluding(house: Installation, solve_id: str) -> bool:
    at_end = bool(house.books.events(solve_id, "solve.offered"))
    return states(house, solve_id) == {"completed"} and not at_end
