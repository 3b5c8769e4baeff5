"""Pull requests: opened, refused, merged in three ways, reverted, re-applied; forks."""

import httpx
import pytest

from tests.support.servers.github_server import REPO, GitHubServer
from yudai.dev.fake_github import pulls
from yudai.dev.fake_github.errors import Refusal

AT = f"/repos/{REPO}"


def offered(client: httpx.Client, head: str = "fix", **more: object) -> httpx.Response:
    body = {"title": "Mend it", "body": "", "head": head, "base": "main"} | more
    return client.post(f"{AT}/pulls", json=body)


def why(answer: httpx.Response) -> list[str]:
    assert answer.status_code == 422, answer.text
    return [e.get("message") or f"{e['field']} {e['code']}" for e in answer.json()["errors"]]


def log(github: GitHubServer, branch: str = "main") -> list[str]:
    return github.state.clone(REPO).git("log", "--first-parent", "--format=%s", branch).split("\n")


def files(github: GitHubServer, branch: str = "main") -> set[str]:
    return set(github.state.clone(REPO).git("ls-tree", "-r", "--name-only", branch).split())


@pytest.fixture
def bob(github: GitHubServer) -> httpx.Client:
    github.commit({"a.txt": "one\n"}, branch="fix", message="Add a")
    github.commit({"b.txt": "two\n"}, branch="fix", message="Add b")
    return github.client(github.token("bob"))


def test_a_draft_as_it_was_asked_for(github: GitHubServer, bob: httpx.Client):
    made = offered(bob, "octo:fix", draft=True, body="Fixes #9").json()
    assert (made["number"], made["draft"], made["state"]) == (1, True, "open")
    assert made["head"]["label"] == "octo:fix"
    assert made["head"]["sha"] == github.head("fix")
    assert (made["commits"], made["additions"], made["changed_files"]) == (2, 2, 2)
    assert (made["mergeable"], made["merged"], made["merged_at"]) == (True, False, None)
    found = bob.get(f"{AT}/pulls", params={"head": "octo:fix", "state": "all"}).json()
    assert [one["number"] for one in found] == [1]
    assert bob.get(f"{AT}/pulls", params={"head": "bob:fix"}).json() == []
    assert bob.get(f"{AT}/pulls", params={"base": "other"}).json() == []
    as_issue = bob.get(f"{AT}/issues/1").json()
    assert as_issue["pull_request"]["url"].endswith("/pulls/1")


def test_what_cannot_be_offered(github: GitHubServer, bob: httpx.Client):
    assert why(offered(bob, "nothing")) == ["head invalid"]
    assert why(offered(bob, "nobody:fix")) == ["head invalid"]
    assert why(offered(bob, base="nothing")) == ["base invalid"]
    assert why(offered(bob, "main")) == ["No commits between main and main"]
    assert why(offered(bob, body="x" * 65_537)) == [
        "body is too long (maximum is 65536 characters)"
    ]
    carol = github.client(github.token("carol"))
    assert why(offered(carol)) == ["must be a collaborator"]
    assert github.pulls() == []
    assert offered(bob).status_code == 201
    assert why(offered(bob)) == ["A pull request already exists for octo:fix."]
    assert len(github.pulls()) == 1


@pytest.mark.parametrize(
    ("method", "subjects", "parents"),
    [
        ("merge", ["Merge pull request #1 from octo/fix", "First commit"], 2),
        ("squash", ["Mend it (#1)", "First commit"], 1),
        ("rebase", ["Add b", "Add a", "First commit"], 1),
    ],
)
def test_three_ways_to_merge(
    github: GitHubServer, bob: httpx.Client, method: str, subjects: list[str], parents: int
):
    offered(bob)
    if method == "rebase":
        # Otherwise there would be nothing to do.
        github.commit({"c.txt": "three\n"}, message="First commit")
        subjects = [*subjects[:-1], "First commit", "First commit"]
    answer = bob.put(f"{AT}/pulls/1/merge", json={"merge_method": method})
    assert answer.json()["merged"] is True
    assert log(github) == subjects
    assert {"a.txt", "b.txt"} <= files(github)
    top = github.state.clone(REPO).commits("main")[0]
    assert (top.sha, len(top.parents)) == (answer.json()["sha"], parents)
    told = bob.get(f"{AT}/pulls/1").json()
    assert (told["merged"], told["state"], told["merged_by"]["login"]) == (True, "closed", "bob")
    assert told["merge_commit_sha"] == top.sha
    assert bob.get(f"{AT}/pulls/1/merge").status_code == 204
    assert bob.put(f"{AT}/pulls/1/merge", json={}).status_code == 405
    assert why(bob.patch(f"{AT}/pulls/1", json={"state": "open"}))


def test_before_it_is_merged_the_merge_commit_is_no_evidence(
    github: GitHubServer, bob: httpx.Client
):
    told = offered(bob).json()
    assert told["merge_commit_sha"]
    assert told["merge_commit_sha"] != told["head"]["sha"]
    bob.patch(f"{AT}/pulls/1", json={"state": "closed"})
    closed = bob.get(f"{AT}/pulls/1").json()
    assert (closed["merged"], closed["merge_commit_sha"]) == (False, None)
    assert bob.patch(f"{AT}/pulls/1", json={"state": "open"}).json()["state"] == "open"


def test_what_cannot_be_merged(github: GitHubServer, bob: httpx.Client):
    offered(bob, draft=True)
    draft = bob.put(f"{AT}/pulls/1/merge", json={})
    assert (draft.status_code, draft.json()["message"]) == (405, "Pull Request is still a draft")
    github.ready(1)
    moved = bob.put(f"{AT}/pulls/1/merge", json={"sha": "0" * 40})
    assert moved.status_code == 409
    carol = github.client(github.token("carol"))
    assert carol.put(f"{AT}/pulls/1/merge", json={}).status_code == 403
    github.commit({"a.txt": "another\n"})
    told = bob.get(f"{AT}/pulls/1").json()
    assert (told["mergeable"], told["mergeable_state"]) == (False, "dirty")
    conflict = bob.put(f"{AT}/pulls/1/merge", json={})
    assert (conflict.status_code, conflict.json()["message"]) == (
        405,
        "Pull Request is not mergeable",
    )


def test_the_head_moves_with_its_branch(github: GitHubServer, bob: httpx.Client):
    offered(bob)
    sha = github.commit({"d.txt": "four\n"}, branch="fix")
    told = bob.get(f"{AT}/pulls/1").json()
    assert (told["head"]["sha"], told["commits"]) == (sha, 3)
    assert github.state.clone(REPO).ref("refs/pull/1/head") == sha


def test_a_merge_closes_what_it_fixes(github: GitHubServer, bob: httpx.Client):
    github.issue("one")
    github.issue("two")
    offered(bob, body="Fixes #1, refs #2")
    bob.put(f"{AT}/pulls/3/merge", json={})
    states = {number: item.state for number, item in github.items().items()}
    assert states == {1: "closed", 2: "open", 3: "closed"}


@pytest.mark.parametrize("method", ["merge", "squash", "rebase"])
def test_revert_and_reapply_in_githubs_own_words(
    github: GitHubServer, bob: httpx.Client, method: str
):
    github.commit({"c.txt": "three\n"})
    offered(bob)
    sha = github.merge(1, method=method)
    github.commit({"later.txt": "more\n"})
    made = github.revert(1)
    told = bob.get(f"{AT}/pulls/{made.number}").json()
    assert (told["title"], told["body"]) == ('Revert "Mend it"', f"Reverts {REPO}#1")
    assert (told["merged"], told["head"]["ref"]) == (True, "revert-1-fix")
    assert files(github) == {"README.md", "src/ledger.py", "c.txt", "later.txt"}
    message = github.state.clone(REPO).commits("revert-1-fix")[0].message
    assert message.startswith('Revert "')
    assert message.endswith(f"This reverts commit {sha}.")
    again = github.revert(made.number)
    assert again.title == 'Revert "Revert "Mend it""'
    assert again.body == f"Reverts {REPO}#2"
    assert {"a.txt", "b.txt"} <= files(github)


def test_only_what_was_merged_is_reverted(github: GitHubServer, bob: httpx.Client):
    offered(bob)
    with pytest.raises(Refusal, match="Validation Failed"):
        github.revert(1)


def test_a_fork_has_its_branches_a_while_later(github: GitHubServer, bob: httpx.Client):
    github.state.fork_looks = 3
    carol = github.client(github.token("carol"))
    made = carol.post(f"{AT}/forks")
    assert (made.status_code, made.json()["full_name"]) == (202, "carol/passbook")
    assert made.json()["parent"]["full_name"] == REPO
    answers = [carol.get("/repos/carol/passbook/branches/main").status_code for _ in range(4)]
    assert answers == [404, 404, 200, 200]
    assert carol.post(f"{AT}/forks").json()["id"] == made.json()["id"]


def test_a_pull_request_from_a_fork(github: GitHubServer, bob: httpx.Client):
    pulls.fork(github.state, REPO, by="carol")
    sha = github.commit({"x.txt": "x\n"}, repo="carol/passbook", branch="fix", by="carol")
    carol = github.client(github.token("carol"))
    made = offered(carol, "carol:fix")
    assert made.status_code == 201, made.text
    assert made.json()["head"]["repo"]["full_name"] == "carol/passbook"
    assert made.json()["head"]["sha"] == sha
    # The branch of the same name here is another one.
    assert offered(bob, "octo:fix").status_code == 201
    assert bob.put(f"{AT}/pulls/1/merge", json={}).status_code == 200
    assert "x.txt" in files(github)


def test_another_persons_fork_is_not_mine_to_offer(github: GitHubServer, bob: httpx.Client):
    pulls.fork(github.state, REPO, by="carol")
    github.commit({"x.txt": "x\n"}, repo="carol/passbook", branch="theirs", by="carol")
    mallory = github.client(github.token("mallory"))
    assert why(offered(mallory, "carol:theirs")) == ["must be a collaborator"]
