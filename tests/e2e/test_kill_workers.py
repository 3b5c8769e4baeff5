"""Workers that are killed, frozen or sent away during a solve: nothing is lost or done twice."""

import signal
import time
from collections.abc import Iterable, Iterator

import httpx
import pytest

from tests.e2e.support import small
from tests.e2e.support.leftovers import NOTHING
from tests.e2e.support.service import (
    Installation,
    ask,
    has_nothing_twice,
    installed,
    key_of,
    replayed,
    rested,
    slow,
    until,
)
from tests.support.servers import databases
from yudai.runs.domain.states import FINAL
from yudai.runs.tables import RunRow

pytestmark = [pytest.mark.xdist_group("service"), pytest.mark.timeout(240)]

SEVERAL = 2
MILESTONES = ["queued", "running", "first_passing_run", "champion", "awaiting_review"]


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Installation]:
    """One API for all tests here; each takes the workers that are alive, and starts new ones."""
    root = tmp_path_factory.mktemp("house")
    small.make(root / "repo")
    for new in databases._new_on_server():
        # So that neither of two workers gets all runs of a solve.
        with installed(root, new(), WORKER_MAX_RUNS="4") as installation:
            installation.open(workers=2)
            yield installation


def start(house: Installation, *, runs: int) -> str:
    """In a conversation, for its milestones."""
    repo = house.root / "repo"
    talk = house.server.post("/api/conversations", {"repo_path": str(repo)})
    body = ask(repo, slow(house.arena, 1.5, 2.0), runs=runs, max_parallel=runs)
    return house.server.post(f"/api/conversations/{talk['id']}/issues/7/solve", body)["id"]


def busiest(house: Installation, solve_id: str, workers: Iterable[str]) -> str:
    """The worker with the most runs, once several of them have made a step."""

    def at_work(worker: str) -> int:
        rows = house.books.runs(solve_id)
        return sum(r.state == "running" and r.steps > 0 and r.worker_id == worker for r in rows)

    return until(lambda: next((w for w in workers if at_work(w) >= SEVERAL), None), "one is busy")


def left_by(house: Installation, solve_id: str, worker: str) -> dict[str, RunRow]:
    """What it had not brought to an end when it was stopped."""
    rows = house.books.runs(solve_id)
    return {row.id: row for row in rows if row.worker_id == worker and row.state not in FINAL}


def check_end(house: Installation, solve_id: str) -> None:
    """All runs have their one verdict, the solve its one offer, the host has nothing left."""
    assert rested(house.books, solve_id) == "awaiting_review"
    rows = house.books.runs(solve_id)
    assert {row.state for row in rows} == {"completed"}
    assert sorted(row.rank or 0 for row in rows) == [*range(1, len(rows) + 1)]
    assert has_nothing_twice(house.books, solve_id)
    until(lambda: house.books.milestones(solve_id) == MILESTONES, "all milestones, once each")
    until(lambda: house.leftovers() == NOTHING, "nothing is left on the host")


def check_taken_over(house: Installation, solve_id: str, left: dict[str, RunRow]) -> None:
    """Attempts in the agent phase are kept and made anew; what was submitted is only verified."""
    lost = {row.id: row for row in left.values() if row.state == "running"}
    assert len(lost) >= SEVERAL
    kept = {row.run_id: row for row in house.books.attempts(solve_id)}
    assert kept.keys() == lost.keys()
    for run_id, row in kept.items():
        assert (row.number, row.cause, row.worker_id) == (1, "worker_lost", lost[run_id].worker_id)
        assert row.sandbox_id == lost[run_id].sandbox_id
    for row in house.books.runs(solve_id):
        assert row.attempt == (2 if row.id in lost else 1)
        if row.id in left:
            assert row.worker_id != left[row.id].worker_id
        if row.id in lost:
            assert row.sandbox_id != lost[row.id].sandbox_id


def takeover_s(house: Installation, solve_id: str, since: float) -> float:
    return min(event.at for event in house.books.events(solve_id, "run.retried")) - since


def test_what_a_killed_worker_ran_goes_on_elsewhere(house: Installation):
    workers = house.workers_by_id(2)
    # More than both have room for.
    solve_id = start(house, runs=9)
    doomed = busiest(house, solve_id, workers)
    killed_at = workers[doomed].kill()
    left = left_by(house, solve_id, doomed)

    check_end(house, solve_id)
    check_taken_over(house, solve_id, left)
    assert 0 < takeover_s(house, solve_id, killed_at) < 20
    assert doomed not in {row.id for row in house.books.workers()}


@pytest.mark.real
def test_a_worker_that_was_frozen_writes_nothing_when_it_wakes_up(house: Installation):
    workers = house.workers_by_id(2)
    solve_id = start(house, runs=6)
    # The one that leads the solve, so that this is taken over, too.
    until(lambda: house.books.events(solve_id, "run.started"), "a run starts")
    frozen = house.books.solve(solve_id).worker_id
    busiest(house, solve_id, [frozen])
    frozen_at = workers[frozen].send(signal.SIGSTOP)
    left = left_by(house, solve_id, frozen)
    running = sum(row.state == "running" for row in left.values())
    try:
        until(lambda: len(house.books.attempts(solve_id)) == running, "all were taken over")
    finally:
        workers[frozen].send(signal.SIGCONT)

    check_end(house, solve_id)
    check_taken_over(house, solve_id, left)
    assert takeover_s(house, solve_id, frozen_at) < 20
    assert house.books.solve(solve_id).worker_id != frozen
    until(lambda: house.worker_id(workers[frozen]) > frozen, "it works on with another lease")
    assert workers[frozen].is_alive


@pytest.mark.real
def test_a_worker_that_is_asked_to_leave_hands_over_at_once(house: Installation):
    workers = house.workers_by_id(2)
    solve_id = start(house, runs=4)
    leaving = busiest(house, solve_id, workers)
    began = time.monotonic()
    assert workers[leaving].end() == 0
    laid_down = house.books.attempts(solve_id)
    assert laid_down
    assert {(row.cause, row.worker_id) for row in laid_down} == {("worker_left", leaving)}
    until(
        lambda: all(row.id != leaving or row.adopted_by for row in house.books.workers()),
        "the other one has begun to take over before the lease would have run out",
        within_s=8.0 - (time.monotonic() - began),
    )

    check_end(house, solve_id)
    again = {row.id for row in house.books.runs(solve_id) if row.attempt == 2}
    assert again == {row.run_id for row in laid_down}


def test_without_its_api_a_solve_continues(house: Installation):
    house.workers(1)
    body = ask(house.root / "repo", slow(house.arena, 0.5, 1.0), runs=2)
    solve_id = house.server.post("/api/solves", body, **key_of(body))["id"]
    until(lambda: house.books.events(solve_id, "run.started"), "a run starts")
    killed_at = house.server.kill()
    with pytest.raises(httpx.ConnectError):
        house.server.get("/api/health/live")

    assert rested(house.books, solve_id) == "awaiting_review"
    [offered] = house.books.events(solve_id, "solve.offered")
    assert offered.at > killed_at
    assert has_nothing_twice(house.books, solve_id)
    assert house.books.attempts(solve_id) == []
    house.serve(alone=False)
    assert replayed(house, body) == solve_id
    found = house.server.get(f"/api/solves/{solve_id}")
    assert found["solve"]["state"] == "awaiting_review"
    assert [run["state"] for run in found["runs"]] == ["completed"] * 2


def test_cancelling_leaves_no_sandbox_two_seconds_later(house: Installation):
    house.workers(1)
    api, repo = house.server, house.root / "repo"
    model = slow(house.arena, 0.0, 60.0)
    solve_id = api.post("/api/solves", ask(repo, model, runs=3))["id"]
    until(lambda: all(row.steps for row in house.books.runs(solve_id)), "all are at work")
    assert len(house.leftovers().sandboxes) == 3

    began = time.monotonic()
    said = api.post(f"/api/solves/{solve_id}/cancel")
    assert (said["state"], said["progress"]["cancelled"]) == ("cancelled", 3)
    until(lambda: house.leftovers() == NOTHING, "sandboxes are gone", within_s=2.0)
    assert time.monotonic() - began < 2.0
    assert api.api.post(f"/api/solves/{solve_id}/cancel").status_code == 409
    kinds = [event.kind for event in house.books.events(solve_id)]
    assert kinds.count("solve.cancelled") == 1
    assert kinds.count("run.cancelled") == 3
    assert "run.retried" not in kinds


@pytest.mark.real
def test_a_solve_that_waits_is_cancelled_and_never_begins(house: Installation):
    house.workers(1)
    api, repo = house.server, house.root / "repo"
    model = slow(house.arena, 0.0, 60.0)
    # As many as may run at once, and one more.
    solves = [api.post("/api/solves", ask(repo, model))["id"] for _ in range(5)]
    *running, waiting = solves
    until(lambda: all(house.books.events(s, "solve.started") for s in running), "four run")

    assert api.post(f"/api/solves/{waiting}/cancel")["state"] == "cancelled"
    for solve_id in running:
        assert api.post(f"/api/solves/{solve_id}/cancel")["state"] == "cancelled"
    until(lambda: house.leftovers() == NOTHING, "sandboxes are gone")
    # The places of those before it are free now, and it has had its turn.
    last = api.post("/api/solves", ask(repo, slow(house.arena, 0.0, 0.0)))["id"]
    assert rested(house.books, last) == "awaiting_review"
    kinds = [event.kind for event in house.books.events(waiting)]
    assert kinds == ["solve.opened", "run.cancelled", "solve.cancelled"]
