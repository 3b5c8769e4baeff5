"""One fake GitHub for each test, with one repository."""

import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.support.servers.github_server import GitHubServer, github_server

Git = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture
def bare(tmp_path: Path) -> Iterator[GitHubServer]:
    """Nobody has made anything yet."""
    with github_server(tmp_path / "github") as server:
        yield server


@pytest.fixture
def github(bare: GitHubServer) -> GitHubServer:
    bare.repository()
    return bare


@pytest.fixture
def git(tmp_path: Path) -> Git:
    """The real one, as a person would run it; it never asks for anything."""
    env = {
        "PATH": "/usr/local/bin:/usr/bin:/bin",
        "HOME": str(tmp_path),
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_TERMINAL_PROMPT": "0",
        "NO_PROXY": "127.0.0.1",
        "GIT_AUTHOR_NAME": "Bob",
        "GIT_AUTHOR_EMAIL": "bob@example.org",
        "GIT_COMMITTER_NAME": "Bob",
        "GIT_COMMITTER_EMAIL": "bob@example.org",
    }

    def run(*args: str, cwd: Path = tmp_path) -> "subprocess.CompletedProcess[str]":
        return subprocess.run(
            ["git", *args], cwd=cwd, env=env, capture_output=True, text=True, check=False
        )

    return run
