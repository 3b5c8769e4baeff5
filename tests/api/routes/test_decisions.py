"""A person decides over HTTP: finds the solve, takes its answer, or none."""

from typing import Any

import httpx
import pytest
from sqlalchemy import event

from tests.api.test_http import UNKNOWN, problem
from tests.support.api_client import Place
from tests.support.forge.repositories import Repository
from tests.support.solve_rows import SOLVE, Ring, failed, passed, run_id
from yudai.api.errors import Code
from yudai.artifacts import queries as artifacts
from yudai.artifacts.port import ArtifactKind
from yudai.kit.ids import RunId, SolveId
from yudai.runs import queries as runs
from yudai.runs.domain.states import RunEvent
from yudai.solves import queries as solves
from yudai.solves import timeline as events
from yudai.solves.domain.states import SolveEvent, SolveState

FIXED = "def add(a, b):\n    return a + b\n"


class Offer:
    """A solve of a real folder with an answer that awaits review."""

    def __init__(self, place: Place, client: httpx.AsyncClient, repository: Repository) -> None:
        self.place = place
        self.client = client
        self.repository = repository
        self.id = SolveId("")
        self.runs: list[RunId] = []

    async def open(self, *patches: bytes | None, offered: bool = True) -> "Offer":
        """One run per patch; the first is the champion."""
        temperatures = [number / 10 for number in range(len(patches))]
        body = {
            "repo_path": str(self.repository.root),
            "issue_text": "add subtracts",
            "matrix": {"models": ["gpt-4.1"], "temperatures": temperatures},
        }
        answer = await self.client.post("/api/solves", json=body)
        assert answer.status_code == 202, answer.text
        self.id = SolveId(answer.json()["id"])
        async with self.place.context.store.change() as db:
            self.runs = [run.id for run in await runs.of_solve(db, self.id)]
            await solves.advance(db, self.id, SolveEvent.STARTED, at=1.0)
        for run, patch in zip(self.runs, patches, strict=True):
            await self._end(run, patch)
        if offered:
            async with self.place.context.store.change() as db:
                await solves.advance(
                    db, self.id, SolveEvent.OFFERED, at=3.0, champion_run_id=self.runs[0]
                )
        return self

    async def _end(self, run: RunId, patch: bytes | None) -> None:
        kept = None
        if patch is not None:
            kept = await self.place.context.artifacts.put(ArtifactKind.PATCH, patch)
        async with self.place.context.store.change() as db:
            if kept is not None:
                await artifacts.add(db, self.id, run, kept, at=2.0)
            for happened in (RunEvent.STARTED, RunEvent.SUBMITTED):
                await runs.advance(db, run, happened, at=2.0)
            await runs.advance(db, run, RunEvent.JUDGED, at=2.0, verdict=passed())

    async def apply(self, **body: Any) -> httpx.Response:
        return await self.client.post(f"/api/solves/{self.id}/apply", json=body)

    async def view(self) -> dict[str, Any]:
        return (await self.client.get(f"/api/solves/{self.id}")).json()


@pytest.fixture
def offer(place: Place, client: httpx.AsyncClient, repository: Repository) -> Offer:
    return Offer(place, client, repository)


@pytest.fixture
def patch(repository: Repository) -> bytes:
    return repository.patch({"calc.py": FIXED})


async def test_an_answer_is_taken_into_the_folder(offer: Offer, patch: bytes):
    await offer.open(patch)
    view = await offer.view()
    assert (view["can_apply"], view["cannot_apply_because"]) == (True, "")
    assert (view["applied"], view["dismissed"]) == (None, None)
    answer = await offer.apply()
    assert answer.status_code == 200, answer.text
    root = str(offer.repository.root)
    assert answer.json() == {
        "run_id": offer.runs[0],
        "handle": view["runs"][0]["handle"],
        "root": root,
        "paths": ["calc.py"],
        "branch": "",
        "commit": "",
    }
    assert (offer.repository.root / "calc.py").read_text() == FIXED
    view = await offer.view()
    assert (view["solve"]["state"], view["can_apply"]) == ("completed", True)
    applied = view["applied"]
    assert (applied["run_id"], applied["folder"], applied["branch"]) == (offer.runs[0], root, "")
    assert applied["at"] == view["events"][-1]["at"]


async def test_what_is_applied_is_not_applied_again(offer: Offer, patch: bytes):
    await offer.open(patch)
    assert (await offer.apply()).status_code == 200
    again = problem(await offer.apply(), Code.CONFLICT)
    assert "already" in again["detail"]
    assert (offer.repository.root / "calc.py").read_text() == FIXED
    kinds = [each["kind"] for each in (await offer.view())["events"]]
    assert (kinds.count("solve.settled"), kinds.count("patch.applied")) == (1, 0)


async def test_a_folder_that_changed_meanwhile_is_left_alone(offer: Offer, patch: bytes):
    await offer.open(patch)
    (offer.repository.root / "calc.py").write_text("mine\n")
    problem(await offer.apply(), Code.CONFLICT)
    assert (offer.repository.root / "calc.py").read_text() == "mine\n"
    view = await offer.view()
    assert (view["solve"]["state"], view["applied"]) == ("awaiting_review", None)


async def test_an_answer_becomes_a_branch(offer: Offer, patch: bytes):
    await offer.open(patch)
    answer = await offer.apply(branch="fix/add")
    assert answer.status_code == 200, answer.text
    made = answer.json()
    repository = offer.repository
    assert made["branch"] == "fix/add"
    assert repository.git("rev-parse", "fix/add").strip() == made["commit"]
    assert repository.git("show", "fix/add:calc.py").strip() == FIXED.strip()
    assert (repository.root / "calc.py").read_text() != FIXED
    view = await offer.view()
    assert view["solve"]["state"] == "completed"
    applied = view["applied"]
    assert (applied["folder"], applied["branch"]) == ("", "fix/add")
    assert applied["commit"] == made["commit"]


@pytest.mark.parametrize("name", ["-x", "a b", "a..b", "HEAD", "a\nb", "\0"])
async def test_what_is_no_name_of_a_branch(offer: Offer, patch: bytes, name: str):
    await offer.open(patch)
    told = problem(await offer.apply(branch=name), Code.REFUSED)
    assert [error["field"] for error in told["errors"]] == ["branch"]
    assert (await offer.view())["solve"]["state"] == "awaiting_review"


async def test_a_branch_that_is_there_stays_as_it_is(offer: Offer, patch: bytes):
    await offer.open(patch)
    told = problem(await offer.apply(branch="main"), Code.CONFLICT)
    assert [error["field"] for error in told["errors"]] == ["branch"]


async def test_any_run_with_a_patch_can_be_taken(offer: Offer, patch: bytes):
    other = offer.repository.patch({"calc.py": FIXED, "more.py": "x = 1\n"})
    await offer.open(patch, other, None)
    answer = await offer.apply(run_id=offer.runs[1])
    assert answer.json()["paths"] == ["calc.py", "more.py"]
    assert (await offer.view())["applied"]["run_id"] == offer.runs[1]
    told = problem(await offer.apply(run_id=offer.runs[2]), Code.REFUSED)
    assert [error["field"] for error in told["errors"]] == ["run_id"]


async def test_only_a_run_of_this_solve(offer: Offer, patch: bytes, ring: Ring):
    await offer.open(patch)
    await ring.solve(passed())
    for stranger in (run_id(0), UNKNOWN, offer.runs[0][-8:], "\0"):
        told = problem(await offer.apply(run_id=stranger), Code.REFUSED)
        assert [error["field"] for error in told["errors"]] == ["run_id"]


async def test_without_a_champion_a_run_has_to_be_named(offer: Offer, patch: bytes):
    await offer.open(patch, offered=False)
    view = await offer.view()
    assert view["cannot_apply_because"] == "there is no champion yet: the solve is running"
    assert problem(await offer.apply(), Code.CONFLICT)["state"] == "running"
    async with offer.place.context.store.change() as db:
        await solves.advance(db, offer.id, SolveEvent.ABSTAINED, at=3.0)
    assert problem(await offer.apply(), Code.CONFLICT)["state"] == "completed"
    assert "choose one" in (await offer.view())["cannot_apply_because"]
    assert (await offer.apply(run_id=offer.runs[0])).status_code == 200
    view = await offer.view()
    assert (view["events"][-1]["kind"], view["applied"]["run_id"]) == (
        "patch.applied",
        offer.runs[0],
    )


async def test_what_must_not_be_changed_is_not(offer: Offer):
    hook = ".git/hooks/x"
    hooks = (
        f"diff --git a/{hook} b/{hook}\nnew file mode 100755\n--- /dev/null\n+++ b/{hook}\n"
        "@@ -0,0 +1 @@\n+x\n"
    ).encode()
    await offer.open(hooks)
    assert "must not be applied" in problem(await offer.apply(), Code.REFUSED)["detail"]


async def test_a_solve_of_no_folder_has_nothing_to_change(client: httpx.AsyncClient, ring: Ring):
    await ring.solve(passed())
    answer = await client.post(f"/api/solves/{SOLVE}/apply", json={})
    refused = problem(answer, Code.REFUSED)
    assert refused["detail"].endswith("no folder: use `GET /api/runs/{run_id}/patch`")
    assert refused["command_line"].endswith("use `yudai show --diff`")
    view = (await client.get(f"/api/solves/{SOLVE}")).json()
    assert (view["can_apply"], view["cannot_apply_because"]) == (
        False,
        "this solve has no folder",
    )


async def test_another_persons_solve_is_not_there(client: httpx.AsyncClient, ring: Ring):
    await ring.solve(passed(), user_id="bob")
    for solve_id in (SOLVE, UNKNOWN, "latest"):
        for action in ("apply", "dismiss"):
            answer = await client.post(f"/api/solves/{solve_id}/{action}", json={})
            problem(answer, Code.NOT_FOUND)


async def test_what_is_gone_of_the_folder_is_said(offer: Offer, patch: bytes):
    await offer.open(patch)
    offer.repository.root.rename(offer.repository.root.with_name("elsewhere"))
    told = problem(await offer.apply(), Code.REFUSED)
    assert "there is no folder" in told["detail"]


async def test_no_answer_is_taken(client: httpx.AsyncClient, ring: Ring):
    await ring.solve(passed(), failed())
    path = f"/api/solves/{SOLVE}/dismiss"
    answer = await client.post(path, json={"reason": " too\n large "})
    assert answer.status_code == 200, answer.text
    assert (answer.json()["state"], answer.json()["champion"]) == ("completed", run_id(0))
    view = (await client.get(f"/api/solves/{SOLVE}")).json()
    told = view["events"][-1]
    assert told["kind"] == "solve.settled"
    assert told["data"]["dismissed"] == "too large"
    assert view["dismissed"] == {"at": told["at"], "reason": "too large"}
    assert view["applied"] is None
    again = await client.post(path, json={})
    assert problem(again, Code.CONFLICT)["state"] == "completed"


async def test_a_reason_for_dismissing_need_not_be_given(client: httpx.AsyncClient, ring: Ring):
    await ring.solve(passed())
    assert (await client.post(f"/api/solves/{SOLVE}/dismiss", json={})).status_code == 200
    view = (await client.get(f"/api/solves/{SOLVE}")).json()
    assert view["dismissed"]["reason"] == ""


@pytest.mark.parametrize("state", ["queued", "running", "completed", "failed", "cancelled"])
async def test_there_is_a_time_for_dismissing(client: httpx.AsyncClient, ring: Ring, state: str):
    await ring.solve(passed(), state=SolveState(state))
    answer = await client.post(f"/api/solves/{SOLVE}/dismiss", json={})
    assert problem(answer, Code.CONFLICT)["state"] == state


async def test_a_dismissed_answer_can_still_be_taken(offer: Offer, patch: bytes):
    await offer.open(patch)
    await offer.client.post(f"/api/solves/{offer.id}/dismiss", json={"reason": "no"})
    assert (await offer.apply()).status_code == 200
    view = await offer.view()
    assert (view["dismissed"]["reason"], view["applied"]["run_id"]) == ("no", offer.runs[0])


async def found(client: httpx.AsyncClient, query: str) -> list[str]:
    answer = await client.get(f"/api/solves?{query}")
    assert answer.status_code == 200, answer.text
    return [each["id"][-4:] for each in answer.json()["solves"]]


def numbered(ending: str) -> SolveId:
    return SolveId(f"{SOLVE[:-4]}{ending}")


async def test_solves_are_found_by_state_repository_and_words(
    client: httpx.AsyncClient, ring: Ring
):
    first = {"repo": "Owner/Leap_year", "issue_title": "Interest is 100% wrong", "created_at": 3.0}
    second = {"repo": "owner/leapXyear", "issue_title": "Überlauf\\ in _sum", "created_at": 2.0}
    third = {"repo": "toy", "issue_title": "other", "created_at": 1.0}
    await ring.solve(passed(), id=numbered("0001"), **first)
    await ring.solve(None, id=numbered("0002"), state=SolveState.RUNNING, **second)
    await ring.solve(passed(), id=numbered("0003"), state=SolveState.FAILED, **third)
    assert await found(client, "") == ["0001", "0002", "0003"]
    assert await found(client, "state=running") == ["0002"]
    assert await found(client, "state=running&state=failed") == ["0002", "0003"]
    assert await found(client, "repo=toy") == ["0003"]
    assert await found(client, "repo=to") == []
    assert await found(client, "q=LEAP") == ["0001", "0002"]
    assert await found(client, "q=interest") == ["0001"]
    assert await found(client, "q=Leap_Year") == ["0001"]
    assert await found(client, "q=100%25%20w") == ["0001"]
    assert await found(client, "q=_s") == ["0002"]
    assert await found(client, "q=%5C%20in") == ["0002"]
    assert await found(client, "q=/") == ["0001", "0002"]
    assert await found(client, "q=leap&state=running") == ["0002"]
    assert await found(client, "q=%00&repo=%00") == []
    page = (await client.get("/api/solves?q=leap&limit=1")).json()
    assert await found(client, f"q=leap&limit=1&cursor={page['cursor']}") == ["0002"]


async def test_a_list_names_champions_and_their_tests(client: httpx.AsyncClient, ring: Ring):
    await ring.solve(passed(), failed(), id=numbered("0001"))
    await ring.solve(failed(), id=numbered("0002"), state=SolveState.COMPLETED)
    listed = {each["id"][-4:]: each for each in (await client.get("/api/solves")).json()["solves"]}
    champion = listed["0001"]
    assert champion["champion_handle"] == "fast-t0.0-e5-balanced"
    assert champion["tests"] == {"passed": 2, "failed": 0, "total": 2}
    assert (listed["0002"]["champion_handle"], listed["0002"]["tests"]) == ("", None)
    choice = {"run_id": run_id(1, numbered("0001")), "reason": "x"}
    chosen = await client.post(f"/api/solves/{numbered('0001')}/champion", json=choice)
    assert chosen.json()["champion_handle"] == "fast-t0.1-e5-balanced"
    # What is red on base stays red unless it was fixed.
    assert chosen.json()["tests"] == {"passed": 1, "failed": 1, "total": 2}


async def test_a_longer_list_asks_the_database_no_more_often(
    client: httpx.AsyncClient, place: Place, ring: Ring
):
    asked: list[str] = []
    engine = place.context.store.database.engine.sync_engine

    def note(_connection: Any, _cursor: Any, statement: str, *_rest: Any) -> None:
        asked.append(statement)

    async def statements() -> int:
        asked.clear()
        assert (await client.get("/api/solves")).status_code == 200
        return len([each for each in asked if each.startswith("SELECT")])

    await ring.solve(passed(), id=numbered("0001"))
    event.listen(engine, "before_cursor_execute", note)
    try:
        one = await statements()
        for number in range(2, 8):
            await ring.solve(passed(), failed(), id=numbered(f"000{number}"))
        assert await statements() == one
    finally:
        event.remove(engine, "before_cursor_execute", note)


async def test_a_champion_that_was_taken_is_chosen_no_more(offer: Offer, patch: bytes):
    await offer.open(patch)
    await offer.apply()
    choice = {"run_id": offer.runs[0], "reason": "x"}
    answer = await offer.client.post(f"/api/solves/{offer.id}/champion", json=choice)
    assert problem(answer, Code.CONFLICT)["state"] == "completed"
    async with offer.place.context.store.read() as db:
        assert not await events.has(db, offer.id, "champion.chosen")
