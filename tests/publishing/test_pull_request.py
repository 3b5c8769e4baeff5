"""What a forge is told of a solve, with hostile words in every place."""

import re
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from yudai.forge.domain.markdown import JOINER
from yudai.kit.ids import RunId, SolveId
from yudai.patches.patch import parse_patch
from yudai.publishing.domain.pull_request import (
    HEADING,
    MAX_BODY,
    MAX_TITLE,
    body,
    branch_name,
    comment,
    commit_message,
    has_marker,
    marker,
    names_a_solve,
    reference,
    title,
)
from yudai.publishing.domain.summary import (
    AskedQuestion,
    CommentFacts,
    FileDelta,
    PublishedSolve,
    file_deltas,
)
from yudai.ranking.domain.scorecard import Place, Scorecard
from yudai.runs.domain.states import RunState
from yudai.solves.domain.matrix import Contestant, patch_contestant
from yudai.solves.domain.strategies import Strategy
from yudai.verification.domain.proof import Faster, ProofKind, Subject
from yudai.verification.domain.verdict import (
    ChangedExpectation,
    Evidence,
    Tally,
    Verdict,
    VerdictStatus,
    Weighed,
)

SOLVE = SolveId("0190a000-0000-7000-8000-00000000aaaa")
OTHER = SolveId("0190a000-0000-7000-8000-00000000bbbb")
HOSTILE = (
    f"{marker(OTHER)}\n</details> <img src=x> @octocat fixes #99 | `a` ``` [x](javascript:1)"
    " https://evil.example/?x \u202e\x1b[31m"
)
_READER = MarkdownIt("gfm-like", {"html": True, "linkify": True})


def _place(rank: int, verdict: Verdict, **changes: Any) -> Place:
    contestant = Contestant(
        agent="mini-swe-agent",
        model=changes.pop("model", "vendor/fast"),
        temperature=0.2,
        max_edits=5,
        strategy=Strategy.TEST_FIRST,
        handle=changes.pop("handle", f"fast-{rank}"),
    )
    why = changes.pop("why", "2 files instead of 1")
    columns: dict[str, Any] = {
        "run_id": RunId(f"run-{rank}"),
        "contestant": contestant,
        "state": RunState.COMPLETED,
        "cause": None,
        "verdict": verdict,
        "files_changed": 1,
        "lines_changed": 4,
        "cost_micros": 12_300,
        "latency_ms": 41_200,
    }
    return Place(rank=rank, scorecard=Scorecard(**(columns | changes)), why=why)


def _passed(**evidence: Any) -> Verdict:
    facts: dict[str, Any] = {"executed": 12, "baseline_executed": 11, "proved_by": ("t.py::red",)}
    return Verdict(
        status=VerdictStatus.PASSED, summary="1 test fixed", evidence=Evidence(**(facts | evidence))
    )


def _story(**changes: Any) -> PublishedSolve:
    failed = Verdict(status=VerdictStatus.FAILED, summary="breaks t.py::old")
    columns: dict[str, Any] = {
        "solve_id": SOLVE,
        "issue_number": 12,
        "issue_title": "add() is wrong",
        "base_branch": "main",
        "base_commit": "c" * 40,
        "command": "pytest -q",
        "champion": _place(1, _passed()),
        "tests": Tally(passed=12, failed=0, total=12),
        "others": (_place(2, failed), _place(3, failed, handle="slow-3")),
        "cost_micros": 36_900,
        "reason": "fast-1: 1 test fixed; ahead of 2 other runs",
        "files": (FileDelta(path="app.py", added=3, removed=1),),
    }
    return PublishedSolve(**(columns | changes))


def test_names():
    assert branch_name(12, SOLVE) == "yudai/issue-12-0000aaaa"
    assert branch_name(None, SOLVE) == "yudai/solve-0000aaaa"
    assert marker(SOLVE) == f"<!-- yudai:solve={SOLVE} -->"
    assert title(_story()) == "[AI] Fix: #12 add() is wrong"
    assert title(_story(issue_number=None)) == "[AI] Fix: add() is wrong"


def test_the_body_begins_with_the_scorecard():
    lines = body(_story()).splitlines()
    assert lines[:8] == [
        HEADING,
        "",
        "✅ Tests: 12 of 12 passed, 0 failed; 1 from red to green",
        "⏱️ Latency: 41200 ms",
        "🧠 Model: vendor/fast (T=0.2)",
        "🧩 Files changed: 1 | LOC: 4",
        "🧪 Command: `pytest -q`",
        "🔁 Strategy: test-first",
    ]


def test_a_patch_that_was_given_has_an_author_and_no_model():
    place = _place(1, _passed())
    given = patch_contestant("codex.patch", "ada <b>")
    champion = place.model_copy(
        update={"scorecard": place.scorecard.model_copy(update={"contestant": given})}
    )
    text = body(_story(champion=champion))
    assert text.splitlines()[2:6] == [
        "✅ Tests: 12 of 12 passed, 0 failed; 1 from red to green",
        "✍️ Author: ada &lt;b&gt;, whose patch was judged",
        "🧩 Files changed: 1 | LOC: 4",
        "🧪 Command: `pytest -q`",
    ]
    assert "AI agents" not in text


def test_the_body_ends_with_what_it_fixes_and_our_mark():
    text = body(_story())
    assert text.endswith(f"\n\nFixes #12\n\n{marker(SOLVE)}\n")
    assert "Made by AI agents" in text
    assert has_marker(text, SOLVE)
    assert has_marker(text.replace("\n", "\r\n"), SOLVE)
    assert not has_marker(text, OTHER)


def test_numbers_without_test_files_say_so():
    """The table of a comment has them all."""
    files = (
        FileDelta(path="app.py", added=3, removed=1),
        FileDelta(path="tests/test_app.py", added=9, removed=0),
    )
    for text in (body(_story(files=files)), comment(_story(files=files), CommentFacts())):
        assert "\n🧩 Files changed: 1 | LOC: 4 (besides tests)\n" in text
    assert "\n🧩 Files changed: 1 | LOC: 4\n" in comment(_story(), CommentFacts())
    assert "\n🧩 Files changed: 1 | LOC: 4\n" in body(_story(files=()))


def test_other_contestants_tests_are_only_in_the_cross_examination():
    verdict = _passed(proved_by=("t.py::red", "slow-3::x"), cross_passed=("slow-3::x",))
    text = body(_story(champion=_place(1, verdict)))
    before, after = text.split("#### Cross-examination")
    assert "2 tests red on the base commit" in before
    assert "(1 of other contestants)" in before
    assert "- `t.py::red`" in before
    assert "slow-3::x" not in before
    assert "- `slow-3::x`" in after
    alone = _passed(proved_by=("slow-3::x",), cross_passed=("slow-3::x",))
    assert "Tests from red to green" not in body(_story(champion=_place(1, alone)))


def test_tests_that_could_not_be_run_are_in_the_body_and_in_the_comment():
    verdict = _passed().model_copy(update={"not_run": ("slow-3::x",)})
    for text in (body(_story(champion=_place(1, verdict))), _comment(verdict)):
        assert "could not be run on this patch, so that it may fail them:\n\n- `slow-3::x`" in text
    assert "could not be run" not in body(_story())


def _comment(verdict: Verdict) -> str:
    return comment(_story(champion=_place(1, verdict)), CommentFacts())


def test_failed_tests_of_others_say_why_they_do_not_count():
    idle = Weighed(test="y", kind=ProofKind.BEHAVIOUR, subjects=(Subject.WORDING,))
    other = _place(2, _passed(weighed=(idle,)), handle="slow-3")
    verdict = _passed(cross_passed=("slow-3::x",), cross_failed=("slow-3::y", "slow-3::z"))
    text = body(_story(champion=_place(1, verdict), others=(other,)))
    assert "It fails these tests of other contestants:" in text
    assert "- `slow-3::y` does not count: it is about wording" in text
    assert "- `slow-3::z` does not count\n" in text


def test_a_test_of_another_that_proves_nothing_was_brought_all_the_same():
    idle = Weighed(test="y", kind=ProofKind.NONE)
    other = _place(2, _passed(weighed=(idle,)), handle="slow-3")
    nothing = "No other contestant brought a test that fails on the base commit."
    assert nothing in body(_story())
    text = body(_story(others=(other,)))
    assert nothing not in text
    assert "Other contestants brought 1 test red on the base commit" in text
    assert "none of them counts against this one" in text


def test_an_acceptance_by_a_person_is_not_a_test():
    verdict = _passed(proved_by=("a person",)).model_copy(
        update={"proof": ProofKind.INTERFACE, "tied": True, "rules": 1, "summary": "accepted"}
    )
    text = body(_story(champion=_place(1, verdict)))
    assert "**Accepted by a person.** accepted." in text
    assert "red on the base commit" not in text
    assert "Tests from red to green" not in text
    assert "none was red before" in text


def test_an_unproved_patch_says_what_is_missing():
    verdict = Verdict(status=VerdictStatus.UNPROVED, summary="t.py::new uses fast, which is new")
    text = body(_story(champion=_place(1, verdict)))
    assert r"**Unproved**: t\.py::new uses fast, which is new." in text
    assert "no test fails on the base commit" not in text


def test_a_test_of_another_that_joined_the_commit_is_credited():
    proofs = ("slow-3::t.py::big", "slow-3::t.py::red")
    joined = _passed(proved_by=proofs, cross_passed=proofs, joined="slow-3::t.py::red")
    story = _story(champion=_place(1, joined))
    text = body(story)
    assert "The test `t.py::red` in this commit was written by slow\\-3, and was verified" in text
    before, _ = text.split("#### Cross-examination")
    assert "(2 of other contestants)" in before
    assert "- `t.py::red`" in before
    assert "- `t.py::big`" not in before
    assert "Its test t.py::red is by slow-3." in commit_message(story)


def test_a_proof_by_time_is_not_called_red():
    fast = Faster(test="t.py::big", base_s=0.4, patch_s=0.01)
    text = body(_story(champion=_place(1, _passed(proved_by=("t.py::big",), faster=(fast,)))))
    assert "1 test at least twice as fast as on the base commit, in a sandbox" in text
    assert "none was red before" in text
    assert "red on the base commit" not in text
    assert "Tests from red to green" not in text


def test_what_tells_of_a_solve():
    assert names_a_solve(comment(_story(), CommentFacts()))
    assert names_a_solve(f"x\r\n{marker(OTHER)}\r\n")
    assert not names_a_solve("<!-- yudai:trigger=1 -->")
    assert not names_a_solve(f"> {marker(OTHER)}")


def test_the_body_tells_everything():
    text = body(
        _story(
            flags=("uv.lock: pins what is installed",),
            page_url="https://yudai.example/solves/1",
            not_started=2,
            champion=_place(
                1,
                _passed(
                    own_tests=("a", "b"),
                    valid_tests=("a",),
                    cross_passed=("slow-3::x",),
                    cross_failed=("slow-3::y",),
                    withheld=("conftest.py",),
                ),
            ),
        )
    )
    for words in (
        "1 test red on the base commit and green with this patch",
        "12 executed with this patch, 11 on the base commit",
        "- `t.py::red`",
        "passes 1 of 2 valid tests of other contestants",
        "1 of its own 2 new tests",
        "- `slow-3::y`",
        r"uv\.lock: pins what is installed",
        r"conftest\.py: was not there when it was verified",
        r"| 3 | slow\-3 | failed | 1 / 4 | 0.0123 USD | 2 files instead of 1 |",
        "0.0123 USD for this patch, 0.0369 USD for all 3 runs; 2 contestants not started",
        f"`main` at `{'c' * 40}`",
        "`yudai show 0000aaaa`, or [its page](https://yudai.example/solves/1)",
    ):
        assert words in text


def test_what_was_not_proved_closes_nothing():
    verdict = Verdict(status=VerdictStatus.UNPROVED, summary="nothing was red")
    solve = _story(champion=_place(1, verdict))
    assert reference(solve) == "Refs #12"
    for text in (body(solve), commit_message(solve)):
        assert "Refs #12" in text
        assert "Fixes" not in text
    assert "none was red before" in body(solve)
    assert reference(_story(issue_number=None)) == ""


def _proved(kind: ProofKind = ProofKind.BEHAVIOUR, **changes: Any) -> Verdict:
    return _passed().model_copy(update={"rules": 1, "proof": kind, "tied": True, **changes})


def test_a_proof_about_the_issue_closes_it_and_its_kind_is_named():
    solve = _story(champion=_place(1, _proved(agreement=2)))
    text = body(solve)
    assert (
        "**Proved by behaviour, about this issue; 2 of 3 contestants gave this answer.** 1 test red"
        in text
    )
    assert text.endswith(f"\n\nFixes #12\n\n{marker(SOLVE)}\n")
    assert "does not close" not in text
    assert "Fixes #12" in commit_message(solve)
    told = comment(solve, CommentFacts())
    assert "\n\nProved by behaviour, about this issue; 2 of 3" in told
    command = body(_story(champion=_place(1, _proved(ProofKind.COMMAND))))
    assert "**Proved by a plain command, about this issue.**" in command


def test_a_proof_that_is_not_tied_closes_nothing_and_says_what_is_missing():
    solve = _story(champion=_place(1, _proved(tied=False)))
    text = body(solve)
    assert "Proved by behaviour, not visibly about this issue." in text
    missing = (
        "It does not close the issue: no test that proves the patch calls what the issue names with"
        " an input, value or message that the issue gives."
    )
    assert text.endswith(f"\n\n{missing}\n\nRefs #12\n\n{marker(SOLVE)}\n")
    assert commit_message(solve).endswith("\n\nRefs #12\n")
    assert missing in comment(solve, CommentFacts())
    for written in (text, commit_message(solve)):
        assert "Fixes" not in written
    without = _story(champion=_place(1, _proved(tied=False)), issue_number=None)
    assert "does not close" not in body(without)


def test_a_verdict_from_before_the_rules_names_no_kind():
    assert reference(_story()) == "Fixes #12"
    assert "Proved by" not in body(_story())
    assert "about this issue" not in comment(_story(), CommentFacts())


def test_changed_expectations_are_listed():
    changed = (
        ChangedExpectation(
            test="t.py::total", before="3", now="4", says=("the issue",), accepted=True
        ),
        ChangedExpectation(test="t.py::name", before="", now="'b'", says=("fast-1", "x_y")),
    )
    verdict = _proved(evidence=Evidence(changed_expectations=changed))
    for text in (
        body(_story(champion=_place(1, verdict))),
        comment(_story(champion=_place(1, verdict)), CommentFacts()),
    ):
        assert (
            "#### Changed expectations\n\n- `t.py::total`: `3` before, `4` now, says the issue\n"
            in text
        )
        assert (
            "- `t.py::name`: nothing before, `'b'` now,"
            r" says fast\-1, x\_y; a person has to accept it" in text
        )
    many = _proved(evidence=Evidence(changed_expectations=changed * 15))
    assert "- and 10 more" in body(_story(champion=_place(1, many)))
    assert "Changed expectations" not in body(_story())


def test_an_equal_answer_is_said_to_be_one():
    other = _place(2, _proved(same_as="fast-1"), why="3.0 s instead of 2.0 s")
    text = body(_story(champion=_place(1, _proved(agreement=2)), others=(other,)))
    assert r"| same answer as fast\-1; 3\.0 s instead of 2\.0 s |" in text


@pytest.mark.parametrize(
    ("tests", "said"),
    [
        (None, "⚠️ Tests: none were executed"),
        (Tally(passed=3, failed=1, total=4), "⚠️ Tests: 3 of 4 passed, 1 failed"),
    ],
)
def test_tests_are_reported_honestly(tests: Tally | None, said: str):
    assert said in body(_story(tests=tests, command=""))
    assert "🧪 Command: none was found" in body(_story(command=""))


def test_a_commit_is_reported_in_plain_words():
    text = commit_message(_story(issue_title="fixes @you\n[skip ci] #3"))
    lines = text.splitlines()
    assert lines[0] == f"Solve #12: fixes @{JOINER}you [{JOINER}skip ci] #{JOINER}3"
    assert lines[-1] == "Fixes #12"
    assert SOLVE in text
    with pytest.raises(ValueError, match="only a champion"):
        commit_message(_story(champion=None))


@pytest.mark.parametrize(
    ("changes", "told", "words"),
    [
        (
            {},
            CommentFacts(pull_number=13, pull_url="https://f.example/13"),
            "[#13](https://f.example/13)",
        ),
        (
            {},
            CommentFacts(pull_number=13, pull_url="javascript:1)"),
            "Draft pull request #13 is open",
        ),
        (
            {},
            CommentFacts(refused="changes a workflow"),
            "no pull request was opened: changes a workflow",
        ),
        ({}, CommentFacts(), "a person has to publish it"),
        ({"champion": None, "reason": "no champion: all failed"}, CommentFacts(), "all failed"),
    ],
)
def test_comments(changes: dict[str, Any], told: CommentFacts, words: str):
    text = comment(_story(**changes), told)
    assert text.startswith(f"{HEADING}\n")
    assert words in text
    assert has_marker(text, SOLVE)
    assert "Fixes" not in text
    if "champion" not in changes:
        assert r"| app\.py | 3 | 1 |" in text


def test_one_alone_has_lost_to_no_one():
    text = body(_story(others=()))
    assert "Why the others lost" not in text
    assert "for all 1 run." in text


def test_binary_files_many_files_and_none():
    assert "| File |" not in comment(_story(files=()), CommentFacts())
    files = tuple(FileDelta(path=f"f{n}", added=n, removed=0) for n in range(60))
    text = comment(_story(files=files), CommentFacts())
    assert "20 more files are not listed" in text
    one = FileDelta(path="logo.png", added=0, removed=0, is_binary=True)
    assert r"| logo\.png | binary | |" in comment(_story(files=(one,)), CommentFacts())


def test_deltas_of_a_patch():
    patch = parse_patch(
        "diff --git a/app.py b/app.py\nindex 2bdd9ad..c8f1dd0 100644\n--- a/app.py\n+++ b/app.py\n"
        "@@ -1 +1,2 @@\n-x = 1\n+x = 2\n+y = 3\n"
    )
    assert file_deltas(patch) == (FileDelta(path="app.py", added=2, removed=1),)


def _hostile_story(words: str, *, count: int = 3) -> PublishedSolve:
    names = (words,) * count
    evidence = {
        "proved_by": names,
        "own_tests": names,
        "valid_tests": names,
        "cross_failed": names,
        "withheld": names,
    }
    changed = ChangedExpectation(test=words, before=words, now=words, says=names)
    verdict = _passed(**evidence, changed_expectations=(changed,) * count).model_copy(
        update={"summary": words, "flaky": names, "same_as": words}
    )
    places = tuple(
        _place(n, verdict, handle=words, why=words, model=words) for n in range(1, count + 1)
    )
    return _story(
        issue_title=words,
        base_branch=words,
        base_commit=words,
        command=words,
        champion=places[0],
        others=places,
        reason=words,
        files=tuple(FileDelta(path=words, added=1, removed=1) for _ in names),
        flags=names,
        page_url=words,
    )


@pytest.mark.parametrize(
    "make", [body, lambda solve: comment(solve, CommentFacts(refused=HOSTILE))]
)
def test_hostile_words_do_nothing_anywhere(make: Any):
    text = make(_hostile_story(HOSTILE))
    assert not has_marker(text, OTHER)
    assert text.count("<!--") == 1
    html = _READER.render(text)
    assert "<img" not in html
    assert "<a " not in html
    without_code = re.sub(r"<code>.*?</code>", "", html, flags=re.DOTALL)
    assert "@octocat" not in without_code
    assert not re.search(r"(?i)fixes #99", html)
    assert html.count("<details>") == html.count("</details>")
    assert "\u202e" not in text
    assert "\x1b" not in text


@settings(max_examples=25)
@given(st.text(max_size=200), st.integers(min_value=1, max_value=60))
def test_nothing_is_too_long_and_everything_keeps_its_mark(words: str, count: int):
    solve = _hostile_story(words * 20, count=count)
    for text in (body(solve), comment(solve, CommentFacts(refused=words * 100))):
        assert len(text) <= MAX_BODY
        assert has_marker(text, SOLVE)
        assert text.startswith(HEADING)
    assert len(title(solve)) <= MAX_TITLE
    assert "\n" not in title(solve)


def test_what_does_not_fit_is_left_out_and_said_so():
    text = body(_hostile_story('"' * 4000, count=60))
    assert len(text) <= MAX_BODY
    assert "More was said here than fits" in text
    assert text.endswith(f"Fixes #12\n\n{marker(SOLVE)}\n")


def test_a_question_shows_where_the_patches_are():
    asked = AskedQuestion(
        name="0000cccc",
        text="Which is right?",
        detail="The issue says: 4",
        choices=(),
        runs=(RunId("0190a000-0000-7000-8000-0000run-2"),),
    )
    place = _place(2, _passed(), run_id=asked.runs[0], handle="my <b>")
    story = _story(champion=None, others=(place,), questions=(asked,))
    assert "- my &lt;b&gt;: `yudai show 000run-2 --diff`" in comment(story, CommentFacts())
    paged = story.model_copy(update={"page_url": "https://yudai.example/solves/1"})
    page = f"https://yudai.example/solves/1/runs/{asked.runs[0]}"
    assert f"--diff`, or [its page]({page})" in comment(paged, CommentFacts())
