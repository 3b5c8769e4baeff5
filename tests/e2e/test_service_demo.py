"""The demo and a folder's solve at a service whose work is done by another process."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e.support import small
from tests.e2e.support.service import Installation, ask, installed, rested, slow
from tests.support.servers import databases

pytestmark = [pytest.mark.xdist_group("service"), pytest.mark.timeout(240)]


@pytest.fixture
def house(tmp_path: Path) -> Iterator[Installation]:
    small.make(tmp_path / "repo")
    for new in databases._new_on_server():
        # With a model of the real world as well, which nobody calls.
        with installed(tmp_path, new(), OPENROUTER_API_KEY="sk-or-unused") as installation:
            installation.open(workers=1)
            yield installation


@pytest.mark.real
def test_what_the_page_begins_is_carried_out(house: Installation):
    server, repo = house.server, house.root / "repo"
    demo = server.post("/api/demo")["id"]
    body = ask(repo, slow(house.arena, 0, 0))
    told = server.post("/api/forecasts", body)
    assert (told["total"], told["free"], told["folder"]["root"]) == (1, True, str(repo))
    solve_id = server.post("/api/solves", told["ask"])["id"]

    assert rested(house.books, solve_id) == "awaiting_review"
    assert server.get(f"/api/solves/{solve_id}")["can_apply"]
    applied = server.post(f"/api/solves/{solve_id}/apply")
    assert applied["paths"] == ["doubling.py", "tests/test_zero.py"]
    assert "if x else 1" not in (repo / "doubling.py").read_text()
    assert server.api.post(f"/api/solves/{solve_id}/apply", json={}).status_code == 409
    assert server.get(f"/api/solves/{solve_id}")["solve"]["state"] == "completed"

    assert rested(house.books, demo) == "awaiting_review"
    [listed] = server.get("/api/solves?repo=yudai/demo")["solves"]
    assert listed["champion_handle"].startswith("surgeon-")
    assert listed["tests"]["failed"] == 0
    assert server.post(f"/api/solves/{demo}/dismiss")["state"] == "completed"
    assert [each["repo_path"] for each in server.get("/api/repos")["repos"]] == [str(repo)]
