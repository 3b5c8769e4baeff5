"""Ten repositories solved end to end: a real process, server, registries and sandboxes."""

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.e2e.support.arena import Arena, by_model, changed, document, fingerprint, models
from tests.e2e.support.brains import RIGHT, WRONG, Players
from tests.e2e.support.registries import Registries
from tests.e2e.support.shapes import Repository
from tests.e2e.support.ten_repositories import REPOSITORIES, create, git
from tests.e2e.support.workbench import Workbench
from tests.support.servers.openai_server import OpenAIServer

KEY = "sk-loopback-0123456789"
# What the same bytes are worth is asserted of all of them in test_ten_repositories.
CHECKED_THERE = ("python-flat-unittest", "node-workspaces")


class Loop(NamedTuple):
    registries: Registries
    server: OpenAIServer
    players: Players


@pytest.fixture(scope="module")
def loop() -> Iterator[Loop]:
    players = Players(REPOSITORIES)
    with Registries() as registries, OpenAIServer(players) as server:
        yield Loop(registries, server, players)


@pytest.fixture
def arena(tmp_path: Path, loop: Loop) -> Arena:
    return Arena(tmp_path, OPENAI_API_KEY=KEY, **loop.registries.places.environment)


@pytest.mark.parametrize("name", REPOSITORIES)
@pytest.mark.real_except("python-src-uv")
def test_a_repository_is_solved_and_the_answer_taken(
    name: str, tmp_path: Path, loop: Loop, arena: Arena
):
    repository = REPOSITORIES[name]
    root = tmp_path / f"the {name}"
    target = create(repository, root, loop.registries.places)
    before = fingerprint(root)
    solved = solve(arena, repository, target, loop.server.url)
    assert solved.returncode == 0, solved.stderr
    assert fingerprint(root) == before
    assert arena.leaves_nothing()
    assert loop.players.surprises == []

    found = document(solved)
    places = by_model(found)
    assert found["solve"]["champion"] == places["right"]["run_id"]
    assert places["wrong"]["verdict"]["status"] == "failed"
    verdict = places["right"]["verdict"]
    assert verdict["status"] == ("passed" if repository.is_provable else "unproved")
    assert bool(verdict["evidence"]["proved_by"]) is repository.is_provable
    assert not verdict["broken"]

    applied = arena("apply")
    assert applied.returncode == 0, applied.stderr
    right = repository.right
    assert changed(before, fingerprint(root)) == {right.path, right.test_path}
    expected = repository.files[right.path].replace(right.old, right.new)
    assert (root / right.path).read_bytes() == expected.encode()
    assert (root / right.test_path).read_text() == right.test
    assert set(git(root, "status", "--porcelain").split()) >= {right.path}
    if name in CHECKED_THERE:
        check_there(repository, root, loop)


def solve(arena: Arena, repository: Repository, target: Path, url: str):
    issue = arena.root / "issue.md"
    issue.write_text(repository.issue)
    prices = [word for model in (RIGHT, WRONG) for word in ("--price", f"{model}=0,0")]
    proof = () if repository.is_provable else ("--accept-unproved",)
    return arena(
        *("solve", str(target), "--issue-file", str(issue), "--base-url", url, "--json"),
        *models(RIGHT, WRONG),
        *(*prices, *proof),
    )


def check_there(repository: Repository, root: Path, loop: Loop) -> None:
    """The repository's own tests, as its owner would run them after taking the answer."""
    bench = Workbench(repository, root, loop.registries.places)
    bench.install()
    assert bench.passes(repository.right)
    assert (bench.test().returncode == 0) is not bool(repository.failing)


@pytest.mark.real
def test_without_proof_there_is_no_champion_unless_it_is_accepted(
    tmp_path: Path, loop: Loop, arena: Arena
):
    repository = REPOSITORIES["node-own-check"]._replace(is_provable=True)
    target = create(repository, tmp_path / "repository", loop.registries.places)
    result = solve(arena, repository, target, loop.server.url)
    found = document(result)
    assert (result.returncode, found["solve"]["champion"]) == (2, None)
    assert by_model(found)["right"]["verdict"]["status"] == "unproved"


def test_on_a_branch_of_its_own_and_the_folder_stays(tmp_path: Path, loop: Loop, arena: Arena):
    repository = REPOSITORIES["node-esm"]
    root = tmp_path / "repository"
    create(repository, root, loop.registries.places)
    before = fingerprint(root)
    result = arena(
        *("solve", str(root), "--text", repository.issue, "--base-url", loop.server.url),
        *("--model", RIGHT, "--price", f"{RIGHT}=0,0", "--branch", "answers/zero", "--json"),
    )
    assert result.returncode == 0, result.stderr
    after = fingerprint(root)
    assert all(path.startswith(".git/") for path in changed(before, after))
    assert after[".git/HEAD"] == before[".git/HEAD"]
    assert after[".git/index"] == before[".git/index"]
    names = git(root, "diff", "--name-only", "main", "answers/zero").split()
    assert set(names) == {repository.right.path, repository.right.test_path}
    assert git(root, "rev-list", "--count", "main..answers/zero").strip() == "1"
