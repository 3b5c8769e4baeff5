"""`yudai publish` and `--pr`: through a server, and what is said when it cannot be."""

import asyncio
import json
import sys
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest
from rich.console import Console
from starlette.responses import Response

from tests.cli.solve.test_solve_request import DEFAULTS
from tests.cli.stub_answers import PATH, UPDATES, document, event, lane, summary, updates
from tests.cli.stub_server import Stub, problem, serving
from tests.support.servers.databases import used_home
from tests.support.solve_rows import SOLVE, Ring, passed, run_id
from yudai.cli import publish as serverdesk
from yudai.cli.publish import LocalPublishClient, publish, run_publish
from yudai.cli.records.records import Server
from yudai.cli.show.show import run_show
from yudai.cli.solve.solve import run_solve, solve_there
from yudai.forge.domain.repository import PullState
from yudai.kit.errors import ConflictError, NotFoundError, RefusedError
from yudai.kit.ids import LOCAL_USER, SolveId
from yudai.operations import telemetry
from yudai.publishing import outcome_queries as outcomes
from yudai.publishing import queries as publications
from yudai.publishing.domain.publication import OutcomeKind, PublicationState
from yudai.publishing.requests import Publications
from yudai.publishing.tables import OutcomeRow, PublicationRow
from yudai.publishing.views import PublicationView
from yudai.settings import Settings
from yudai.solves.domain.origin import PublishMode
from yudai.solves.domain.request import SolveAsk
from yudai.wiring.components import open_context

GIVEN = DEFAULTS._replace(
    target="ada/calc#12", text="", model=["scripted/right"], json=True, yes=True
)
URL = "https://forge.test/ada/calc/pull/7"
PUBLISH, PUBLICATION = f"{PATH}/publish", f"{PATH}/publication"
REMOTE = {"repo": "ada/calc", "folder": None}


def view(state: str = "done", **changes: Any) -> dict[str, Any]:
    whole = {
        "solve_id": SOLVE,
        "run_id": run_id(0),
        "state": state,
        "reason": "",
        "error": "",
        "tries": 0,
        "due_at": None,
        "repo_url": "https://forge.test/ada/calc",
        "base_branch": "main",
        "base_commit": "",
        "branch": "yudai/issue-12-0000aaaa",
        "head_repo": "",
        "commit": "",
        "pull_number": 7 if state == "done" else None,
        "pull_url": URL if state == "done" else "",
        "pull_title": "",
        "pull_state": "open" if state == "done" else None,
        "is_draft": True,
        "merged_at": None,
        "comment_url": "",
        "created_at": 1.0,
        "updated_at": 1.0,
    }
    return whole | changes


@pytest.fixture
def settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Settings:
    telemetry.set_up(verbose=False)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(serverdesk, "_PAUSE_S", 0.0)
    return Settings.at(used_home(tmp_path / "home"))


@pytest.fixture
async def stub() -> AsyncIterator[Stub]:
    async with serving(Stub()) as stub:
        stub.on("GET", "/api/models", {"models": []})
        stub.on("POST", "/api/solves", summary(SOLVE, "queued"))
        whole = document(SOLVE)
        whole["solve"] |= REMOTE
        stub.on("GET", PATH, whole)
        stub.on("GET", f"/api/runs/{run_id(0)}/patch", Response("diff --git a/a b/a\n"))
        events = [event("solve.opened"), event("solve.offered")]
        stub.on("GET", UPDATES, updates("1", lane(0), state="awaiting_review", events=events))
        yield stub


def at(stub: Stub, settings: Settings) -> Settings:
    return settings.model_copy(update={"server": stub.url})


def sent(stub: Stub) -> SolveAsk:
    [body] = stub.bodies("POST", "/api/solves")
    return SolveAsk.model_validate(body)


async def test_a_forges_issue_is_sent_by_its_number(stub: Stub, settings: Settings, capsys):
    assert await solve_there(settings, GIVEN, Server(stub.url, is_ours=False)) == 0
    ask = sent(stub)
    # Which forge that is, is the server's own matter.
    assert (ask.repo_url, ask.issue_number, ask.issue_text) == ("ada/calc", 12, "")
    assert ask.publish is PublishMode.ASK
    assert stub.bodies("POST", PUBLISH) == []
    said = " ".join(capsys.readouterr().err.split())
    assert "ada/calc#12" in said


async def test_who_did_not_ask_for_a_pull_request_is_shown_how(
    stub: Stub, settings: Settings, capsys
):
    given = GIVEN._replace(json=False)
    assert await solve_there(settings, given, Server(stub.url, is_ours=False)) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert f"publish 0000aaaa --server {stub.url}" in said


async def test_words_and_an_address_go_along(stub: Stub, settings: Settings):
    url = "https://forge.test/ada/calc/issues/12"
    given = GIVEN._replace(target=url, text="Mind the sign", base="dev", test="make test")
    assert await solve_there(settings, given, Server(stub.url, is_ours=False)) == 0
    ask = sent(stub)
    assert (ask.repo_url, ask.issue_number) == ("https://forge.test/ada/calc", 12)
    assert (ask.issue_text, ask.base_branch, ask.test) == ("Mind the sign", "dev", "make test")


async def test_a_pull_request_is_asked_for_and_waited_for(stub: Stub, settings: Settings, capsys):
    stub.on("POST", PUBLISH, view("requested"))
    stub.on("GET", PUBLICATION, view("pushed"), view())
    stub.on("GET", f"{PATH}/outcomes", {"pull": None, "outcomes": []})
    given = GIVEN._replace(pr=True)
    assert await solve_there(settings, given, Server(stub.url, is_ours=False)) == 0
    # It is opened even if nobody waits here any more.
    assert sent(stub).publish is PublishMode.AUTO
    captured = capsys.readouterr()
    assert f"Pull request #7 (open, a draft): {URL}" in " ".join(captured.err.split())
    assert json.loads(captured.out)["solve"]["id"] == SOLVE


async def test_what_is_not_published_is_an_error_after_the_document(
    stub: Stub, settings: Settings, capsys
):
    stub.on("POST", PUBLISH, view("requested"))
    stub.on("GET", PUBLICATION, view("refused", reason="it changes a workflow"))
    given = GIVEN._replace(pr=True)
    with pytest.raises(RefusedError, match="not published: it changes a workflow"):
        await solve_there(settings, given, Server(stub.url, is_ours=False))
    assert json.loads(capsys.readouterr().out)["solve"]["id"] == SOLVE


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"apply": True}, "--apply is only for a folder, not ada/calc#12"),
        ({"branch": "x"}, "--branch is only for a folder"),
        ({"dirty": True}, "--dirty is only for a folder"),
        ({"env": Path("venv")}, "--env is only for a folder"),
        ({"target": "ada/calc"}, "say what to solve: ada/calc#NUMBER"),
        ({"target": "ada/calc#0"}, "there is no issue #0"),
        ({"target": ".", "text": "x", "pr": True}, "--pr is for a repository at a forge"),
        ({"pr": True, "apply": True}, "choose one of --apply, --branch and --pr"),
        ({"pr": True, "branch": "x"}, "choose one of --apply, --branch and --pr"),
        ({"text": "a", "issue_file": "b"}, "choose one of --text and --issue-file"),
    ],
)
@pytest.mark.parametrize("through", ["server", "here"])
async def test_what_does_not_go_together_is_refused_before_anything(
    stub: Stub, settings: Settings, changes: dict[str, Any], words: str, through: str
):
    settings = at(stub, settings) if through == "server" else settings
    stub.asked.clear()
    if "apply" in changes or "branch" in changes:
        # A server elsewhere refuses these for any target.
        words = (
            words
            if "pr" in changes or through == "here"
            else "needs the server|is only for a folder"
        )
    with pytest.raises(RefusedError, match=words):
        await run_solve(settings, GIVEN._replace(**changes))
    assert stub.bodies("POST", "/api/solves") == []


async def test_another_forge_is_refused_here(settings: Settings):
    with pytest.raises(RefusedError, match=r"only repositories at https://github\.com"):
        await run_solve(settings, GIVEN._replace(target="https://forge.test/ada/calc/issues/1"))


async def test_publish_asks_the_server(stub: Stub, settings: Settings, capsys):
    stub.on("POST", PUBLISH, view("requested"))
    stub.on("GET", PUBLICATION, view())
    assert await run_publish(at(stub, settings), SOLVE, json=True) == 0
    captured = capsys.readouterr()
    assert PublicationView.model_validate_json(captured.out).pull_url == URL
    assert await run_publish(at(stub, settings), SOLVE, json=False) == 0
    assert URL in capsys.readouterr().out


async def test_one_that_is_under_way_is_waited_for(stub: Stub, settings: Settings, capsys):
    stub.on("POST", PUBLISH, problem(409, "it is being published already: watch it"))
    stub.on("GET", PUBLICATION, view("committed"), view("opened"), view())
    assert await run_publish(at(stub, settings), SOLVE, json=True) == 0
    assert json.loads(capsys.readouterr().out)["pull_number"] == 7


async def test_a_lost_answer_is_asked_for_again(stub: Stub, settings: Settings):
    stub.on("POST", PUBLISH, problem(503, "away"), view())
    assert await run_publish(at(stub, settings), SOLVE, json=True) == 0
    assert len(stub.bodies("POST", PUBLISH)) == 2


async def test_what_the_server_will_not_publish_is_reported(stub: Stub, settings: Settings):
    stub.on("POST", PUBLISH, problem(409, "it has no champion: choose one first"))
    with pytest.raises(ConflictError, match="choose one first"):
        await run_publish(at(stub, settings), SOLVE, json=True)
    # One that was refused before, and is refused again.
    stub.on("GET", PUBLICATION, view("refused", reason="old"))
    with pytest.raises(ConflictError, match="choose one first"):
        await run_publish(at(stub, settings), SOLVE, json=True)


async def test_no_one_waits_for_a_forge_that_is_away_for_long(stub: Stub, settings: Settings):
    stub.on("POST", PUBLISH, view("pushed", error="rate limit", due_at=4e9, tries=3))
    with pytest.raises(RefusedError, match=r"rate limit.*publish 0000aaaa` continues later"):
        await run_publish(at(stub, settings), SOLVE, json=True)


async def test_a_stale_one_says_what_to_do(stub: Stub, settings: Settings):
    stub.on("POST", PUBLISH, view("stale", reason="a.py was changed"))
    with pytest.raises(
        RefusedError, match=r"not published: a\.py was changed .*solve the issue again"
    ):
        await run_publish(at(stub, settings), SOLVE, json=True)


async def _at_forge(settings: Settings, **columns: Any) -> None:
    """A solve of a forge in our own database, awaiting review."""
    async with open_context(settings) as context:
        await Ring(context).solve(
            passed(),
            repo="ada/calc",
            repo_url="https://github.com/ada/calc",
            publish=PublishMode.ASK,
            issue_number=12,
        )
        if not columns:
            return
        row = PublicationRow(
            solve_id=SOLVE,
            run_id=run_id(0),
            repo_url="https://github.com/ada/calc",
            created_at=1.0,
            updated_at=1.0,
            **columns,
        )
        async with context.store.change() as db:
            await publications.add(db, row, data={})


class Publishing:
    """Executes what was requested: one step each time, after something failed."""

    def __init__(self, asked: Publications) -> None:
        self.asked = asked
        self.steps = [
            {"state": PublicationState.COMMITTED, "tries": 1, "due_at": 1.0, "error": "away"},
            {
                "state": PublicationState.DONE,
                "pull_number": 7,
                "pull_url": URL,
                "pull_state": PullState.OPEN,
            },
        ]

    async def resume(self, solve_id: SolveId) -> None:
        async with self.asked.store.change() as db:
            row = await publications.get(db, solve_id)
            for name, value in self.steps.pop(0).items():
                setattr(row, name, value)


async def test_without_a_server_this_process_does_it(
    settings: Settings, monkeypatch: pytest.MonkeyPatch, capsys
):
    await _at_forge(settings)
    found: list[Publishing] = []

    @asynccontextmanager
    async def open_forge_services(_: Settings, context: Any, **_more: Any) -> AsyncGenerator[Any]:
        asked = Publications(context.store, context.clock, "https://github.com")
        found.append(Publishing(asked))
        yield SimpleNamespace(publisher=found[0], forge=SimpleNamespace(url="https://github.com"))

    module = ModuleType("yudai.wiring.forge")
    module.open_forge_services = open_forge_services  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "yudai.wiring.forge", module)
    assert await run_publish(settings, "", json=True) == 0
    assert json.loads(capsys.readouterr().out)["pull_url"] == URL
    async with open_context(settings) as context, context.store.read() as db:
        assert (await publications.get(db, SolveId(SOLVE))).actor == LOCAL_USER


async def test_who_stops_waiting_stops_the_wait_only(settings: Settings):
    await _at_forge(settings)
    started = asyncio.Event()

    class Stuck(Publishing):
        async def resume(self, solve_id: SolveId) -> None:
            del solve_id
            started.set()
            await asyncio.Event().wait()

    async with open_context(settings) as context:
        asked = Publications(context.store, context.clock, "https://github.com")
        stuck: Any = Stuck(asked)
        console = Console(stderr=True)
        waiting = asyncio.create_task(publish(LocalPublishClient(stuck, asked), SOLVE, console))
        await started.wait()
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting
        assert (await asked.view(SOLVE)).state is PublicationState.REQUESTED


async def test_show_tells_of_the_pull_request_and_its_outcomes(settings: Settings, capsys):
    columns = {"pull_number": 7, "pull_url": URL, "pull_state": PullState.MERGED}
    await _at_forge(settings, state=PublicationState.DONE, **columns)
    async with open_context(settings) as context, context.store.change() as db:
        for kind, by in ((OutcomeKind.MERGED, "ada\x1b[31m"), (OutcomeKind.SUSPECTED_REVERT, "")):
            row = OutcomeRow(
                solve_id=SOLVE,
                kind=kind,
                key="k",
                at=1.0,
                seen_at=1.0,
                by=by,
                evidence={"commit": "b" * 40},
            )
            await outcomes.add(db, row)
    assert await run_show(settings, "", json=False, view=None) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert f"Pull request #7 (merged): {URL}" in said
    assert "merged by ada\ufffd[31m in bbbbbbbbbbbb" in said
    assert "suspected revert in bbbbbbbbbbbb (waits" in said
    assert await run_show(settings, "", json=True, view=None) == 0
    shown = json.loads(capsys.readouterr().out)
    assert shown["pull"]["number"] == 7
    assert [one["kind"] for one in shown["outcomes"]] == ["merged", "suspected_revert"]
    assert shown["solve"]["id"] == SOLVE


async def test_show_tells_why_it_is_not_published(settings: Settings, capsys):
    await _at_forge(settings, state=PublicationState.REFUSED, reason="it changes a workflow")
    assert await run_show(settings, "", json=False, view=None) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert "Publication: refused, it changes a workflow" in said


async def test_show_through_an_older_server_tells_of_none(stub: Stub, settings: Settings, capsys):
    assert await run_show(at(stub, settings), SOLVE, json=True, view=None) == 0
    assert "pull" not in json.loads(capsys.readouterr().out)
    stub.on("GET", f"{PATH}/outcomes", {"pull": None, "outcomes": []})
    assert await run_show(at(stub, settings), SOLVE, json=False, view=None) == 0
    assert "Pull request" not in capsys.readouterr().out


async def test_there_is_nothing_to_publish(settings: Settings):
    with pytest.raises(NotFoundError, match="there are no solves yet"):
        await run_publish(settings, "", json=True)
