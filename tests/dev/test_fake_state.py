"""What it remembers, and that its answers have GitHub's shape."""

import json
import stat
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from pydantic import TypeAdapter

from tests.support.servers.github_server import REPO, GitHubServer, github_server
from yudai.dev.fake_github import pulls


def test_a_restart_forgets_nothing(tmp_path: Path):
    folder = tmp_path / "github"
    with github_server(folder) as first:
        first.repository(private=True)
        first.app()
        first.webhooks()
        first.issue()
        first.label(1)
        first.commit({"a.txt": "one\n"}, branch="fix")
        first.pull("fix")
        sha = first.merge(2)
        pulls.fork(first.state, REPO, by="carol")
        token = first.token("bob")
        before = first.state.world.model_dump()
    with github_server(folder) as second:
        assert second.state.world.model_dump() == before
        client = second.client(token)
        assert client.get("/user").json()["login"] == "bob"
        told = client.get(f"/repos/{REPO}/pulls/2").json()
        assert told["merge_commit_sha"] == sha == second.head()
        # Addresses are those of now.
        assert told["html_url"].startswith(second.url)
        assert second.issue().number == 3


def test_what_a_request_changed_is_on_disk_at_once(tmp_path: Path):
    with github_server(tmp_path / "github") as github:
        github.repository()
        github.issue()
        bob = github.client(github.token("bob"))
        bob.post(f"/repos/{REPO}/issues/1/comments", json={"body": "kept"})
        file = tmp_path / "github" / "state.json"
        kept = json.loads(file.read_text())
        assert kept["repos"][REPO]["items"]["1"]["comments"][0]["body"] == "kept"
        assert stat.S_IMODE(file.stat().st_mode) == 0o600
    left = {path.name for path in (tmp_path / "github").iterdir()}
    assert left == {"state.json", "repositories"}


@pytest.fixture
def told(github: GitHubServer) -> dict[str, Any]:
    """One answer of each kind, by the name of its model."""
    github.issue(labels=("bug",))
    github.comment(1, "hello", by="bob")
    github.commit({"a.txt": "one\n"}, branch="fix")
    github.pull("fix", draft=True)
    headers = {"X-GitHub-Api-Version": "2026-03-10"}
    ada, at = github.client(github.token("ada"), headers=headers), f"/repos/{REPO}"

    def get(path: str) -> Any:
        return ada.get(path).raise_for_status().json()

    return {
        "FullRepository": get(at),
        "Repository": get("/user/repos")[0],
        "PublicUser": get("/user"),
        "Issue": get(f"{at}/issues/1"),
        "IssueComment": get(f"{at}/issues/1/comments")[0],
        "LabeledIssueEvent": get(f"{at}/issues/1/events")[0],
        "Label": get(f"{at}/issues/1/labels")[0],
        "PullRequest": get(f"{at}/pulls/2"),
        "PullRequestSimple": get(f"{at}/pulls")[0],
        "Commit": get(f"{at}/commits")[0],
        "BranchWithProtection": get(f"{at}/branches/main"),
        "RepositoryCollaboratorPermission": get(f"{at}/collaborators/bob/permission"),
        "SearchIssuesGetResponse200": get(f"/search/issues?q=repo:{REPO}"),
    }


def test_answers_have_githubs_shape(told: dict[str, Any]):
    """As the library says it, which is made from GitHub's own description."""
    models = import_module("githubkit_schemas.v2026_03_10.models")
    for name, document in told.items():
        TypeAdapter[Any](getattr(models, name)).validate_python(document)
