"""`yudai solve owner/repo#12` in this process: a forge in memory, a real solve, a real sandbox."""

import json
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from tests.cli.solve.test_solve_request import DEFAULTS
from tests.cli.test_publish import URL as PULL_URL
from tests.cli.test_publish import Publishing
from tests.support.forge.forge_in_memory import MemoryForge
from tests.support.forge.repositories import Repository
from tests.support.servers.databases import used_home
from yudai.arena.forge_issue import ForgeIssueReader
from yudai.cli.options import Options
from yudai.cli.solve import local
from yudai.cli.solve.solve import run_solve
from yudai.forge.adapters.folder.forge import LocalForge
from yudai.forge.domain.repository import RepoRef, Role
from yudai.forge.ports.folder import Snapshot
from yudai.forge.ports.remote import Credential
from yudai.kit.clock import SystemClock
from yudai.kit.errors import RefusedError
from yudai.kit.ids import LOCAL_USER, SolveId
from yudai.operations import telemetry
from yudai.publishing import queries as publications
from yudai.publishing.domain.publication import PublicationState
from yudai.publishing.requests import Publications
from yudai.publishing.tables import PublicationRow
from yudai.settings import Settings
from yudai.solves import timeline as events
from yudai.solves.domain.origin import OriginKind, PublishMode
from yudai.solves.domain.states import SolveState
from yudai.solves.tables import SolveRow
from yudai.views.documents import find_solve
from yudai.wiring.components import open_context
from yudai.wiring.local_app import App, open_app

FILES = {
    "doubling.py": "def double(x):\n    return x + x if x else 1\n",
    "test_doubling.py": "import unittest\n\nfrom doubling import double\n\n\n"
    "class Doubling(unittest.TestCase):\n    def test_double(self):\n"
    "        self.assertEqual(double(2), 4)\n",
}
TEST = (
    "printf 'import unittest\\nfrom doubling import double\\n\\n\\n"
    "class Zero(unittest.TestCase):\\n    def test_zero(self):\\n"
    "        self.assertEqual(double(0), 0)\\n' > test_zero.py"
)
FIX = "sed -i 's/ if x else 1//' doubling.py"
RIGHT = [{"say": "<plan>\nfix it\n</plan>", "run": [TEST, FIX]}, {"finish": True}]
WRONG = [{"say": "nothing to do"}, {"finish": True}]


class FolderMirrors(LocalForge):
    """A repository on this disk stands for the forge's."""

    def __init__(self, home: Path, folder: Path) -> None:
        super().__init__(home, SystemClock(), person=home)
        self.folder_of_code = folder
        self.fetched: list[tuple[str, str, str]] = []

    async def fetch(self, repo: RepoRef, base: str, *, by: Credential) -> Snapshot:
        self.fetched.append((repo.full, base, by.login))
        return await self.snapshot(str(self.folder_of_code), base=base, dirty=False)


class Town:
    """What `app.arena.forge_services` has, and who may ask."""

    def __init__(self, home: Path, code: Repository) -> None:
        self.head = code.head
        self.forge = MemoryForge()
        self.repo = self.forge.add_repository("ada/calc", roles={"wim": Role.WRITE})
        self.number = self.forge.add_issue(self.repo, "double(0) is 1", body="It should be 0.")
        self.mirrors = FolderMirrors(home, code.root)
        self.asks = ForgeIssueReader(self.forge, self, SystemClock())
        self.publisher: Publishing | None = None
        self.asked_by: list[str] = []

    async def reading(self, repo: RepoRef, *, user_id: str) -> Credential:
        assert repo.owner == "ada"
        self.asked_by.append(user_id)
        return self.forge.credential("wim")

    async def writing(self, repo: RepoRef, *, user_id: str) -> Credential:
        """Asked for before the solve; what is written is the publisher's."""
        assert (repo.owner, user_id) == ("ada", LOCAL_USER)
        return self.forge.credential("wim")


class WithForging:
    """An app with another town around it."""

    def __init__(self, app: App, town: Town) -> None:
        self._app = app
        services = SimpleNamespace(
            forge=town.forge, mirrors=town.mirrors, asks=town.asks, publisher=town.publisher
        )
        self.arena = replace(app.arena, forge_services=cast("Any", services))
        self.submitter = replace(app.submitter, remotes=town.asks)
        fetcher = replace(
            app.planner.fetcher, mirrors=town.mirrors, credentials=town, forge_url=town.forge.url
        )
        self.planner = replace(app.planner, fetcher=fetcher)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._app, name)


@pytest.fixture
def settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Settings:
    telemetry.set_up(verbose=False)
    monkeypatch.chdir(tmp_path)
    for name, replies in (("right", RIGHT), ("wrong", WRONG)):
        (tmp_path / f"{name}.json").write_text(json.dumps({"replies": replies}))
    at = Settings.at(used_home(tmp_path / "home"))
    return at.model_copy(update={"github_url": "https://forge.test"})


@pytest.fixture
def town(tmp_path: Path, settings: Settings, monkeypatch: pytest.MonkeyPatch) -> Town:
    town = Town(settings.home, Repository.create(tmp_path / "code", FILES))

    @asynccontextmanager
    async def opened(*args: Any, **kwargs: Any) -> AsyncGenerator[Any]:
        async with open_app(*args, **kwargs) as app:
            asked = Publications(app.context.store, app.context.clock, town.forge.url)
            town.publisher = town.publisher or Publishing(asked)
            yield WithForging(app, town)

    monkeypatch.setattr(local, "open_app", opened)
    return town


def given(town: Town, **changes: Any) -> Options:
    whole = DEFAULTS._replace(
        target=f"ada/calc#{town.number}",
        text="",
        model=["scripted/right"],
        test="python3 -m unittest",
        json=True,
        yes=True,
    )
    return whole._replace(**changes)


async def _publication(settings: Settings, solve_id: SolveId) -> PublicationRow | None:
    async with open_context(settings) as context, context.store.read() as db:
        return await publications.find(db, solve_id)


async def _solve(settings: Settings, ending: str) -> tuple[SolveRow, list[str]]:
    async with open_context(settings) as context:
        row = await find_solve(context, ending)
        async with context.store.read() as db:
            told = [event.kind for event in await events.after(db, row.id)]
    return row, told


async def test_an_issue_is_fetched_planned_solved_and_published(
    settings: Settings, town: Town, capsys
):
    assert await run_solve(settings, given(town, pr=True)) == 0
    captured = capsys.readouterr()
    shown = json.loads(captured.out)
    assert shown["solve"]["repo"] == "ada/calc"
    assert shown["solve"]["folder"] is None
    assert shown["ranking"][0]["verdict"]["status"] == "passed"
    assert shown["pull"]["url"] == PULL_URL
    said = " ".join(captured.err.split())
    assert f"Pull request #7 (open, a draft): {PULL_URL}" in said
    assert "1 pass, 0 fail" in said
    row, told = await _solve(settings, shown["solve"]["id"])
    assert (row.issue_number, row.issue_title) == (town.number, "double(0) is 1")
    assert (row.publish, row.snapshot) == (PublishMode.ASK, None)
    assert row.issue_facts is not None
    assert row.origin is not None
    assert row.origin.kind is OriginKind.PERSON
    assert row.base_commit == town.head
    assert told[:2] == ["solve.opened", "base.fetched"]
    assert town.mirrors.fetched == [("ada/calc", "main", "wim")]
    assert set(town.asked_by) == {LOCAL_USER}
    publication = await _publication(settings, row.id)
    assert publication is not None
    assert publication.actor == LOCAL_USER


async def test_without_asking_nothing_is_published_and_it_is_said_how(
    settings: Settings, town: Town, capsys
):
    assert await run_solve(settings, given(town, json=False)) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert "Open its pull request: " in said
    assert "publish " in said
    row, _ = await _solve(settings, "")
    assert await _publication(settings, row.id) is None
    assert row.state is SolveState.AWAITING_REVIEW


@pytest.mark.real
async def test_without_a_champion_nothing_is_published(settings: Settings, town: Town, capsys):
    assert await run_solve(settings, given(town, pr=True, model=["scripted/wrong"])) == 2
    shown = json.loads(capsys.readouterr().out)
    assert shown["solve"]["champion"] is None
    assert await _publication(settings, shown["solve"]["id"]) is None


async def test_what_may_not_be_published_is_said_after_the_document(
    settings: Settings, town: Town, capsys, monkeypatch: pytest.MonkeyPatch
):
    async def refuse(self: Publishing, solve_id: SolveId) -> None:
        async with self.asked.store.change() as db:
            row = await publications.get(db, solve_id)
            row.state, row.reason = PublicationState.REFUSED, "it changes a workflow"

    monkeypatch.setattr(Publishing, "resume", refuse)
    with pytest.raises(RefusedError, match="not published: it changes a workflow"):
        await run_solve(settings, given(town, pr=True))
    assert json.loads(capsys.readouterr().out)["solve"]["champion"] is not None


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"target": "ada/calc#99"}, "there is no issue #99"),
        ({"target": "ada/nothing#1"}, "there is no ada/nothing"),
        ({"model": ["gpt-4.1"]}, "OPENROUTER_API_KEY"),
        ({"base": "no-such-branch"}, "no-such-branch"),
    ],
)
async def test_what_is_not_there_is_one_line(
    settings: Settings, town: Town, changes: dict[str, Any], words: str
):
    with pytest.raises(RefusedError, match=words):
        await run_solve(settings, given(town, **changes))
