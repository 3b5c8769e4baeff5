"""Pull requests of a fake GitHub, judged by one person with a token and by a service."""

from pathlib import Path
from typing import Any

import pytest

from tests.e2e.support import small
from tests.e2e.support.arena import Arena, document
from tests.e2e.support.forge_service import BODY, REPO, TITLE, forge_house
from tests.e2e.support.service import rested
from tests.support.servers.github_server import GitHubServer

pytestmark = [pytest.mark.xdist_group("github"), pytest.mark.timeout(240)]

SOURCE = small.FILES["doubling.py"]
TEST = small.TEST.partition("\n")[2].removesuffix("EOF")
RIGHT = {"doubling.py": SOURCE.replace(" if x else 1", ""), "tests/test_zero.py": TEST}
WRONG = {"doubling.py": SOURCE.replace("else 1", "else 2")}
ABOVE = "# A file of doublings.\n"


def propose(github: GitHubServer, branch: str, files: dict[str, str], body: str) -> int:
    github.commit(files, branch=branch, repo=REPO, by="bob")
    return github.pull(branch, title=f"{branch} it", body=body, repo=REPO, by="bob").number


def places(found: dict[str, Any]) -> dict[str, Any]:
    return {place["handle"]: place for place in found["ranking"]}


def test_pull_requests_are_judged_and_the_best_one_published(tmp_path: Path):
    with forge_house(tmp_path, serve=False) as place:
        github = place.github
        issue = github.issue(TITLE, BODY, repo=REPO)
        right = propose(github, "right", RIGHT, f"Fixes #{issue.number}")
        wrong = propose(github, "wrong", WRONG, "Another way.")
        clash = propose(github, "clash", {"doubling.py": "from math import double\n"}, "")
        # The base has moved on: what fits is applied three-way, and what conflicts fails alone.
        github.commit({"doubling.py": ABOVE + "\n\n" + SOURCE}, repo=REPO, by="ada")
        variables = {"GITHUB_URL": github.url, "GITHUB_TOKEN": github.token("bob")}
        arena = Arena(tmp_path, **variables)

        targets = [f"{REPO}#{number}" for number in (right, wrong, clash)]
        judged = arena("judge", *targets, "--json")
        assert judged.returncode == 0, judged.stderr
        found = document(judged)
        by_name = places(found)
        assert found["solve"]["champion"] == by_name[f"pull-{right}"]["run_id"]
        assert found["solve"]["issue"] == f"#{issue.number} {TITLE}"
        assert by_name[f"pull-{wrong}"]["verdict"]["status"] == "failed"
        assert by_name[f"pull-{clash}"]["cause"] == "patch_refused"

        published = document(arena("publish", "--json"))
        pull = github.items(repo=REPO)[published["pull_number"]]
        assert pull.body is not None
        assert f"✍️ Author: pull\\-{right}, whose patch was judged" in pull.body
        assert pull.pull is not None
        made = github.state.clone(REPO).git("show", f"{pull.pull.head}:doubling.py")
        assert made.startswith(ABOVE)
        assert "if x else 1" not in made


@pytest.mark.real
def test_a_service_judges_a_branch_and_a_pull_request(tmp_path: Path):
    with forge_house(tmp_path, GITHUB_PUBLISH="ask", GITHUB_LABEL="never") as place:
        github = place.github
        right = propose(github, "right", RIGHT, "double(0) is 0 now")
        github.commit(WRONG, branch="wrong", repo=REPO, by="bob")
        body = {"repo_url": REPO, "patches": [{"pull": right}, {"branch": "wrong"}]}
        made = place.server.post("/api/solves", body)
        assert rested(place.house.books, made["id"]) == "awaiting_review"
        seen = place.server.get(f"/api/solves/{made['id']}")
        assert places(seen)[f"pull-{right}"]["run_id"] == seen["solve"]["champion"]
        # Its own words, as nothing says which issue it closes.
        assert (seen["issue_title"], seen["issue_number"]) == ("right it", None)
        assert seen["issue_body"] == "double(0) is 0 now"

        unknown = {"repo_url": REPO, "issue_text": "x", "patches": [{"pull": 99}]}
        answer = place.server.api.post("/api/solves", json=unknown)
        assert answer.status_code == 422
        assert answer.json()["errors"][0]["field"] == "patches.0.pull"


def test_the_test_of_another_joins_the_commit_and_is_credited(tmp_path: Path):
    """Two are right and one brought a test; the other one is smaller."""
    longer = RIGHT["doubling.py"].replace("    return", "    x = x + 0\n    return")
    more = f"{TEST}\n    def test_more(self):\n        self.assertEqual(double(4), 8)\n"
    with forge_house(tmp_path, serve=False) as place:
        github = place.github
        issue = github.issue(TITLE, BODY, repo=REPO)
        closes = f"Fixes #{issue.number}"
        tested = {**RIGHT, "doubling.py": longer}
        large = {"doubling.py": longer, "tests/test_large.py": more}
        proposed = [
            propose(github, "silent", {"doubling.py": RIGHT["doubling.py"]}, closes),
            propose(github, "tested", tested, closes),
            propose(github, "large", {**large, "doubling.py": longer + "\n"}, closes),
        ]
        arena = Arena(tmp_path, GITHUB_URL=github.url, GITHUB_TOKEN=github.token("bob"))
        judged = arena("judge", *[f"{REPO}#{number}" for number in proposed], "--json")
        assert judged.returncode == 0, judged.stderr
        found = document(judged)
        silent, author, _ = (f"pull-{number}" for number in proposed)
        champion = places(found)[silent]
        assert found["solve"]["champion"] == champion["run_id"], found["ranking"]

        published = document(arena("publish", "--json"))
        pull = github.items(repo=REPO)[published["pull_number"]]
        assert pull.pull is not None
        clone = github.state.clone(REPO)
        changed = clone.git("diff", "--name-only", f"{pull.pull.head}~", pull.pull.head)
        assert changed.split() == ["doubling.py", "tests/test_zero.py"]
        assert clone.git("show", f"{pull.pull.head}:tests/test_zero.py").strip() == TEST.strip()
        credit = f"was written by {author.replace('-', chr(92) + '-')}, and was verified together"
        assert pull.body is not None
        assert credit in pull.body
        assert f"by {author}." in clone.git("log", "-1", "--format=%B", pull.pull.head)
