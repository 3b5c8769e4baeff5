"""Which of a repository's open issues the champion's tests are about."""

from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any

import pytest

from tests.support.forge.mirrors_in_memory import Press
from tests.support.solve_rows import passed, run_id
from tests.support.trajectories import DIFF
from yudai.patches.patch import parse_patch
from yudai.publishing.domain.issue_comparison import (
    IssueComparison,
    compare_issues,
    proving_test,
)
from yudai.store.store import Store
from yudai.verification.domain.verdict import Verdict

TEST = "tests/test_total.py"
TOTAL = "total() drops cents\n`total([1.25, 2.5])` gives 3, not `3.75`."
OTHER = "total() of nothing\n`total([])` is None."
LINES = (
    "from shop import total",
    "",
    "def test_cents():",
    "    assert total([1.25, 2.5]) == 3.75",
)
ADDED = (
    f"diff --git a/{TEST} b/{TEST}\nnew file mode 100644\nindex {'0' * 40}..{'1' * 40}\n"
    f"--- /dev/null\n+++ b/{TEST}\n@@ -0,0 +1,4 @@\n" + "".join(f"+{line}\n" for line in LINES)
)
CHANGED = (
    f"diff --git a/{TEST} b/{TEST}\nindex {'0' * 40}..{'1' * 40} 100644\n"
    f"--- a/{TEST}\n+++ b/{TEST}\n@@ -1,2 +1,4 @@\n first()\n second()\n"
    + "".join(f"+{line}\n" for line in LINES[2:])
)
PROOF = passed().model_copy(
    update={
        "tied": True,
        "rules": 1,
        "evidence": passed().evidence.model_copy(
            update={"proved_by": (f"{TEST}::test_cents",), "own_tests": (f"{TEST}::test_cents",)}
        ),
    }
)


@pytest.mark.parametrize("patch", [ADDED, CHANGED])
def test_strictly_better_is_nearer(patch: str):
    [change] = parse_patch(patch).files
    tests = [proving_test(change, f"{TEST}::test_cents")]

    def compared(issue: str, **others: str) -> IssueComparison:
        numbered = {int(name[1:]): text for name, text in others.items()}
        return compare_issues(tests, issue, numbered, {})

    assert compared(TOTAL, i3=OTHER, i4="Typo") == IssueComparison(compared=2)
    assert compared(OTHER, i3=TOTAL, i4="Typo") == IssueComparison(compared=2, nearer=3)
    assert compared(OTHER, i9=TOTAL, i4=TOTAL).nearer == 4
    # Of equal ones the issue that was to be solved is meant.
    assert compared(TOTAL, i3=TOTAL).nearer is None
    assert compared(TOTAL) == IssueComparison()


@pytest.fixture
async def press(tmp_path: Path) -> AsyncGenerator[Press]:
    async with await Store.open(f"sqlite+aiosqlite:///{tmp_path / 'db'}") as store:
        yield Press(store, tmp_path / "artifacts")


def add(press: Press, issue: str) -> int:
    title, _, body = issue.partition("\n")
    return press.forge.add_issue(press.repo, title, body=body)


async def publish(press: Press, issue: str, verdict: Verdict = PROOF, patch: str = ADDED) -> Any:
    title, _, body = issue.partition("\n")
    solve_id = await press.solve(verdict, issue_title=title, issue_body=body)
    await press.keep_patch(run_id(0), DIFF + patch)
    await press.publisher().auto(solve_id)
    await press.finish()
    [pull] = press.pulls
    return pull


def messages(press: Press) -> set[str]:
    return {text.message for text in press.mirrors.built.values()}


async def test_a_proof_of_another_issue_closes_none_and_the_body_says_which(press: Press):
    number = add(press, TOTAL)
    pull = await publish(press, OTHER)
    assert f"Refs #{press.number}" in pull.body
    assert "Fixes" not in pull.body
    assert f"the tests that prove it match #{number} better" in pull.body
    assert press.forge.calls.count("issues") == 1
    assert all("Refs #" in message for message in messages(press))
    [comment] = press.comments
    assert f"match #{number} better" in comment.body


async def test_a_proof_of_this_issue_closes_it(press: Press):
    add(press, OTHER)
    pull = await publish(press, TOTAL)
    assert f"Fixes #{press.number}" in pull.body


async def test_where_other_issues_cannot_be_read_nothing_is_compared_and_that_is_said(press: Press):
    add(press, TOTAL)
    press.forge.faults.before("issues", times=50)
    pull = await publish(press, OTHER)
    assert f"Fixes #{press.number}" in pull.body
    assert "Other open issues could not be read" in pull.body


async def test_no_request_is_made_where_nothing_can_be_compared(press: Press):
    untied = PROOF.model_copy(update={"tied": False})
    await publish(press, TOTAL, untied)
    assert "issues" not in press.forge.calls


async def test_what_was_compared_is_not_compared_again(press: Press):
    """The process dies before the branch is pushed; meanwhile an issue is opened that is nearer."""
    press.mirrors.faults.before("push", times=1)
    title, _, body = OTHER.partition("\n")
    solve_id = await press.solve(PROOF, issue_title=title, issue_body=body)
    await press.keep_patch(run_id(0), DIFF + ADDED)
    press.forge.add_issue(press.repo, "Something else")
    await press.publisher().auto(solve_id)
    add(press, TOTAL)
    await press.finish()
    [pull] = press.pulls
    assert f"Fixes #{press.number}" in pull.body
    assert press.forge.calls.count("issues") == 1
