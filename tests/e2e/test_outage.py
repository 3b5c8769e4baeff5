"""PostgreSQL is restarted, and goes away, during a solve: all processes wait, then continue."""

import time
from pathlib import Path

import pytest

from tests.e2e.support import small
from tests.e2e.support.leftovers import NOTHING
from tests.e2e.support.service import (
    Installation,
    ask,
    has_nothing_twice,
    installed,
    rested,
    slow,
    until,
)
from tests.support.servers.restarted_server import RestartableServer, restartable_server

pytestmark = [pytest.mark.xdist_group("service-2"), pytest.mark.timeout(240)]

RUNS = 6
AWAY_S = 5.0


@pytest.mark.real
def test_a_solve_survives_an_outage_of_its_database(tmp_path: Path):
    small.make(tmp_path / "repo")
    with (
        restartable_server() as database,
        installed(tmp_path, database.new_database(), WORKER_MAX_RUNS="4") as house,
    ):
        house.open(workers=2)
        body = ask(tmp_path / "repo", slow(house.arena, 2.0, 6.0), runs=RUNS, max_parallel=RUNS)
        solve_id = house.server.post("/api/solves", body)["id"]
        until(lambda: house.books.events(solve_id, "run.started"), "it races")
        database.stop()
        database.start()
        check_api(house, 200, solve_id)

        until(lambda: all(row.steps for row in house.books.runs(solve_id)), "all are at work")
        be_away(house, database, solve_id)

        assert rested(house.books, solve_id) == "awaiting_review"
        assert {row.state for row in house.books.runs(solve_id)} == {"completed"}
        assert has_nothing_twice(house.books, solve_id)
        assert all(process.is_alive for process in house.processes)
        until(lambda: house.leftovers() == NOTHING, "nothing is left on the host")


def be_away(house: Installation, database: RestartableServer, solve_id: str) -> None:
    database.stop()
    began = time.monotonic()
    check_api(house, 503, solve_id)
    left_s = AWAY_S - (time.monotonic() - began)
    time.sleep(max(0.0, left_s))
    check_api(house, 503, solve_id)
    database.start()
    check_api(house, 200, solve_id)


def check_api(house: Installation, status: int, solve_id: str) -> None:
    """Soon: what is open to the old server breaks first."""
    for path in (f"/api/solves/{solve_id}", "/api/health/ready"):
        answer = until(
            lambda path=path: _answer(house, path, status), f"{path} is {status}", within_s=10
        )
        if status == 503:
            assert int(answer.headers["Retry-After"]) > 0
            assert answer.json()["code"].endswith("_unavailable")
    assert house.server.get("/api/health/live")["status"] == "ok"


def _answer(house: Installation, path: str, status: int):
    answer = house.server.api.get(path)
    assert answer.status_code in (200, 503), answer.text
    return answer if answer.status_code == status else None
