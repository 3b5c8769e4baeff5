"""Real git against it: who may fetch and push, what is refused, large pushes, lost answers."""

import os
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess

import pytest

from tests.support.servers.github_server import REPO, GitHubServer
from yudai.dev.fake_github.records import Token

Git = Callable[..., CompletedProcess[str]]

WORKFLOW = ".github/workflows/ci.yml"


def url(github: GitHubServer, token: str = "", full: str = REPO) -> str:
    return github.git_url(full).replace("//", f"//x-access-token:{token}@" if token else "//")


def change(git: Git, place: Path, name: str, content: bytes, *, branch: str = "fix") -> None:
    assert git("checkout", "-q", "-B", branch, cwd=place).returncode == 0
    (place / name).parent.mkdir(parents=True, exist_ok=True)
    (place / name).write_bytes(content)
    assert git("add", ".", cwd=place).returncode == 0
    assert git("commit", "-q", "-m", "Change", cwd=place).returncode == 0


@pytest.fixture
def place(github: GitHubServer, git: Git, tmp_path: Path) -> Path:
    """A clone by bob."""
    done = git("clone", "-q", url(github, github.token("bob")), "place")
    assert done.returncode == 0, done.stderr
    return tmp_path / "place"


def test_anybody_fetches_what_is_public(github: GitHubServer, git: Git):
    for address in (github.git_url(), github.git_url().removesuffix(".git")):
        done = git("ls-remote", address)
        assert f"{github.head()}\trefs/heads/main" in done.stdout
    done = git("-c", "protocol.version=2", "clone", "-q", "--depth=1", github.git_url(), "x")
    assert done.returncode == 0


@pytest.mark.parametrize(
    ("login", "why"),
    [
        ("", "could not read Username"),
        ("wrong", "Authentication failed"),
        ("mallory", "not found"),
    ],
)
def test_what_is_private_is_not_there_for_others(
    bare: GitHubServer, git: Git, login: str, why: str
):
    bare.repository(private=True)
    tokens = {"": "", "wrong": "ghp_wrong", "mallory": bare.token("mallory")}
    done = git("ls-remote", url(bare, tokens[login]))
    assert done.returncode != 0
    assert why in done.stderr
    assert git("ls-remote", url(bare, bare.token("carol"))).returncode == 0


def test_a_push_by_a_writer_is_reported(github: GitHubServer, git: Git, place: Path):
    change(git, place, "a.txt", b"one\n")
    assert git("push", "-q", "origin", "fix", cwd=place).returncode == 0
    assert github.head("fix") == git("rev-parse", "HEAD", cwd=place).stdout.strip()
    pushed = github.deliveries[-1]
    assert (pushed.event, '"ref": "refs/heads/fix"' in pushed.body) == ("push", True)
    assert github.requests("POST", "/git-receive-pack")[-1].login == "bob"


def test_a_push_by_a_reader_and_by_no_one(github: GitHubServer, git: Git, place: Path):
    change(git, place, "a.txt", b"one\n")
    reader = git("push", url(github, github.token("carol")), "fix", cwd=place)
    assert "403" in reader.stderr
    nobody = git("push", github.git_url(), "fix", cwd=place)
    assert "could not read Username" in nobody.stderr
    assert github.head("fix") is None


def test_a_large_push_comes_in_chunks(github: GitHubServer, git: Git, place: Path):
    content = os.urandom(3 << 20)
    change(git, place, "big.bin", content)
    done = git("push", "-q", "origin", "fix", cwd=place)
    assert done.returncode == 0, done.stderr
    assert github.state.clone(REPO).raw("show", "fix:big.bin") == content


def test_a_protected_branch(bare: GitHubServer, git: Git, tmp_path: Path):
    bare.repository(protected=("main",))
    git("clone", "-q", url(bare, bare.token("ada")), "place")
    change(git, tmp_path / "place", "a.txt", b"one\n", branch="main")
    before = bare.head()
    done = git("push", "origin", "main", cwd=tmp_path / "place")
    assert "GH006: Protected branch update failed for refs/heads/main." in done.stderr
    assert bare.head() == before
    assert git("push", "origin", "main:other", cwd=tmp_path / "place").returncode == 0
    assert bare.client().get(f"/repos/{REPO}/branches/main").json()["protected"] is True


def installation_token(github: GitHubServer, **permissions: str) -> str:
    """As the App would be given one."""
    github.app()
    state = github.state
    found = state.the_app().installations[0]
    token = Token(
        kind="installation",
        login="yudai[bot]",
        permissions={"metadata": "read", **permissions},
        installation=found.id,
    )
    return state.add_token(token)


@pytest.mark.parametrize("held", [{}, {"workflows": "write"}])
def test_workflows_need_a_permission_of_their_own(
    github: GitHubServer, git: Git, place: Path, held: dict[str, str]
):
    token = installation_token(github, contents="write", **held)
    change(git, place, WORKFLOW, b"on: push\n")
    done = git("push", url(github, token), "fix", cwd=place)
    assert (done.returncode == 0) is bool(held)
    assert (github.head("fix") is not None) is bool(held)
    if not held:
        assert (
            f"refusing to allow a GitHub App to create or update workflow `{WORKFLOW}` without"
            " `workflows` permission" in done.stderr
        )


def test_a_workflow_that_is_there_already_hinders_no_one(
    github: GitHubServer, git: Git, tmp_path: Path
):
    github.commit({WORKFLOW: "on: push\n"})
    token = installation_token(github, contents="write")
    git("clone", "-q", url(github, token), "place")
    change(git, tmp_path / "place", "a.txt", b"one\n")
    assert git("push", "-q", "origin", "fix", cwd=tmp_path / "place").returncode == 0


def test_an_app_that_may_only_read(github: GitHubServer, git: Git, place: Path):
    token = installation_token(github, contents="read")
    change(git, place, "a.txt", b"one\n")
    done = git("push", url(github, token), "fix", cwd=place)
    assert "403" in done.stderr


@pytest.mark.parametrize("when", ["before", "after"])
def test_a_push_whose_answer_is_lost(github: GitHubServer, git: Git, place: Path, when: str):
    is_there = when == "after"
    change(git, place, "a.txt", b"one\n")
    # Curl itself tries a lost connection once more.
    github.fail("git-receive-pack$", after=is_there, times=2)
    assert git("push", "-q", "origin", "fix", cwd=place).returncode != 0
    assert (github.head("fix") is not None) is is_there
    again = git("push", "origin", "fix", cwd=place)
    assert again.returncode == 0
    assert ("Everything up-to-date" in again.stderr) is is_there


def test_looking_for_a_fork_by_git(github: GitHubServer, git: Git):
    github.state.fork_looks = 2
    token = github.token("carol")
    github.client(token).post(f"/repos/{REPO}/forks")
    there = url(github, token, "carol/passbook")
    assert git("ls-remote", there).stdout == ""
    assert "refs/heads/main" in git("ls-remote", there).stdout


def test_pull_requests_have_refs_that_no_one_pushes(github: GitHubServer, git: Git, place: Path):
    github.commit({"a.txt": "one\n"}, branch="fix")
    github.pull("fix")
    github.client().get(f"/repos/{REPO}/pulls/1")
    told = git("ls-remote", github.git_url(), "refs/pull/*").stdout
    assert told == f"{github.head('fix')}\trefs/pull/1/head\n"
    assert git("push", "origin", "HEAD:refs/pull/1/head", cwd=place).returncode != 0
