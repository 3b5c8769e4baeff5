"""Whatever fails while a champion is published: one branch, one pull request, one comment.

The real client and real git talk to the fake; a killed process is a real one, ended by SIGKILL.
"""

import os
import shutil
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e.support.arena import document
from tests.e2e.support.forge_service import BODY, REPO, TITLE, ForgeHouse, forge_house
from tests.support.servers.preforked import Warm

pytestmark = [pytest.mark.xdist_group("github-faults"), pytest.mark.timeout(240)]

PUBLISHING = Path(__file__).parents[1] / "support" / "publishing_process.py"
ACTS = {
    "push": ("POST", r"\.git/git-receive-pack$"),
    "open": ("POST", r"/pulls$"),
    "comment": ("POST", r"/issues/\d+/comments$"),
}
LOOKS = {
    "app": ("POST", r"/access_tokens$"),
    "fetch": ("GET", r"\.git/info/refs$"),
    "repository": ("GET", rf"/repos/{REPO}$"),
    "pulls": ("GET", r"/pulls$"),
    "comments": ("GET", r"/issues/\d+/comments$"),
}
WAYS = {
    "refused": {"status": 502},
    "cut": {"status": "drop", "times": 2},
    "lost": {"status": "drop", "after": True, "times": 2},
}


class Stage:
    """One solve with a champion; before each test nothing of it is published."""

    def __init__(self, place: ForgeHouse, root: Path) -> None:
        self.place = place
        self.arena = place.house.arena
        issue = place.github.issue(TITLE, BODY, repo=REPO)
        self.number = issue.number
        words = ("--model", "scripted/right", "--json", "--yes")
        found = document(self.arena("solve", f"{REPO}#{issue.number}", *words))
        self.solve_id = found["solve"]["id"]
        self._kept = root / "kept"
        shutil.copytree(self.arena.home, self._kept, symlinks=True)
        self._heads = set(place.github.state.clone(REPO).branches())

    def clear(self) -> None:
        shutil.rmtree(self.arena.home)
        shutil.copytree(self._kept, self.arena.home, symlinks=True)
        state = self.place.github.state
        state.faults.clear()
        with state.lock:
            items = state.repo(REPO).items
            for number in [n for n, item in items.items() if item.pull is not None]:
                del items[number]
            items[self.number].comments.clear()
        for branch in set(state.clone(REPO).branches()) - self._heads:
            state.clone(REPO).git("update-ref", "-d", f"refs/heads/{branch}")

    def start(self, turn: str = "first") -> subprocess.Popen[bytes]:
        return Warm(
            [PUBLISHING, self.solve_id, turn],
            env=self.arena.variables,
            stdin=subprocess.DEVNULL,
        )

    def check_whole(self) -> None:
        """One of each, and they belong together."""
        github = self.place.github
        branches = set(github.state.clone(REPO).branches()) - self._heads
        [pull] = github.pulls(repo=REPO)
        assert pull.pull is not None
        assert branches == {pull.pull.head}
        assert (pull.state, pull.pull.draft) == ("open", True)
        [said] = self.place.ours(self.number)
        assert f"/pull/{pull.number}" in said


@pytest.fixture(scope="module")
def opened(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    root = tmp_path_factory.mktemp("stage")
    with forge_house(root, serve=False) as place:
        yield Stage(place, root)


@pytest.fixture
def stage(opened: Stage) -> Stage:
    opened.clear()
    return opened


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("act", ACTS)
@pytest.mark.real_except("open-lost")
def test_an_act_that_fails_is_done_once(stage: Stage, act: str, way: str):
    method, path = ACTS[act]
    fault = stage.place.github.fail(path, method=method, **WAYS[way])
    assert stage.start().wait(100) == 0
    assert fault.hits
    stage.check_whole()


@pytest.mark.parametrize("look", LOOKS)
@pytest.mark.real
def test_a_look_that_fails_is_done_again(stage: Stage, look: str):
    method, path = LOOKS[look]
    fault = stage.place.github.fail(path, method=method, status="drop", times=2)
    assert stage.start().wait(100) == 0
    assert fault.hits
    stage.check_whole()


@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
@pytest.mark.parametrize("act", ACTS)
@pytest.mark.real_except("push-before")
def test_who_is_killed_at_an_act_leaves_it_to_another(stage: Stage, act: str, *, after: bool):
    method, path = ACTS[act]
    running: list[subprocess.Popen[bytes]] = []

    def kill() -> None:
        os.kill(running[0].pid, signal.SIGKILL)

    stage.place.github.fail(path, method=method, status="drop", after=after, strike=kill)
    running.append(stage.start())
    assert running[0].wait(100) == -signal.SIGKILL
    assert stage.start("again").wait(100) == 0
    stage.check_whole()


def test_a_limit_of_the_forge_is_waited_for(stage: Stage):
    stage.place.github.fail(
        r"/pulls$", method="POST", status=403, headers={"Retry-After": "1"},
        message="You have exceeded a secondary rate limit.",
    )  # fmt: skip
    assert stage.start().wait(100) == 0
    stage.check_whole()


def test_a_branch_that_a_person_changed_is_not_overwritten(stage: Stage):
    github = stage.place.github
    branch = f"yudai/issue-{stage.number}-{stage.solve_id[-8:]}"
    theirs = github.commit({"notes.txt": "mine\n"}, repo=REPO, branch=branch, by="bob")
    assert stage.start().wait(100) == 0
    assert github.head(branch, repo=REPO) == theirs
    assert github.pulls(repo=REPO) == []
    [said] = stage.place.ours(stage.number)
    assert branch in said.replace("\\", "").replace("\u2060", "")


@pytest.mark.real
def test_a_pull_request_that_was_closed_stays_closed(stage: Stage):
    assert stage.start().wait(100) == 0
    github = stage.place.github
    [pull] = github.pulls(repo=REPO)
    github.close(pull.number, by="ada", repo=REPO)
    shutil.rmtree(stage.arena.home)
    shutil.copytree(stage._kept, stage.arena.home, symlinks=True)
    assert stage.start().wait(100) == 0
    [still] = github.pulls(repo=REPO)
    assert (still.number, still.state) == (pull.number, "closed")
