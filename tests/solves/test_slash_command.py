import pytest
from hypothesis import given
from hypothesis import strategies as st

from yudai.forge.domain.issue import Issue
from yudai.kit.errors import RefusedError
from yudai.solves.domain.slash_command import SolveCommand, is_command, parse_command
from yudai.solves.domain.strategies import Strategy


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("/solve #12", SolveCommand(issue_number=12)),
        ("  /SOLVE\t12\n", SolveCommand(issue_number=12)),
        (
            "/solve https://github.com/owner/repo/issues/7",
            SolveCommand(issue_number=7, repo_url="https://github.com/owner/repo"),
        ),
        (
            "/solve #12 model=gpt-4.1,claude temp=0.2,0.6 strategy=test-first parallel=4"
            " budget=2.50",
            SolveCommand(
                issue_number=12,
                models=("gpt-4.1", "claude"),
                temperatures=(0.2, 0.6),
                strategies=(Strategy.TEST_FIRST,),
                max_parallel=4,
                budget_usd=2.5,
            ),
        ),
        (
            "/solve budget=$1 edits=3,5 #9 time=60 models=o3,o3",
            SolveCommand(
                issue_number=9, budget_usd=1, max_edits=(3, 5), time_budget_s=60, models=("o3",)
            ),
        ),
        ("/solve Sums are wrong", SolveCommand(issue=Issue(title="Sums are wrong"))),
        (
            "/solve model=gpt gpt=1 and model=x give  wrong sums temp=0\nadd(1, 2)\nbudget=1",
            SolveCommand(
                issue=Issue(title="gpt=1 and model=x give  wrong sums", body="add(1, 2)\nbudget=1"),
                models=("gpt",),
                temperatures=(0.0,),
            ),
        ),
        (
            "/solve parallel=2\n# Sums\n\nare wrong",
            SolveCommand(max_parallel=2, issue=Issue(title="Sums", body="are wrong")),
        ),
        ("/solve #12\nis wrong", SolveCommand(issue=Issue(title="12", body="is wrong"))),
        ("/solve x=1 is wrong", SolveCommand(issue=Issue(title="x=1 is wrong"))),
    ],
)
def test_what_is_understood(text: str, expected: SolveCommand) -> None:
    assert is_command(text)
    assert parse_command(text) == expected


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("/solve", "say what to solve: write `/solve #12`"),
        ("/solve model=o3", "say what to solve"),
        ("/slove #12", "there is no command /slove: write `/solve #12`"),
        ("/solve #0", "there is no issue #0"),
        ("/solve #99999999999", "there is no issue #99999999999"),
        ("/solve #12 please", "'please' is not an option"),
        ("/solve #12 modle=o3", "there is no option modle: did you mean model?"),
        ("/solve #12 x=1", "'x=1' is not an option"),
        ("/solve #12 temp=hot", "temp=hot: give a number from 0 to 2, as in temp=0.2,0.6"),
        ("/solve #12 temp=2.1", "give a number from 0 to 2"),
        ("/solve #12 temp=nan", "give a number from 0 to 2"),
        ("/solve #12 temp=", "give a number from 0 to 2"),
        ("/solve #12 temp=-1", "give a number from 0 to 2"),
        ("/solve #12 temp=0.2,", "give a number from 0 to 2"),
        ("/solve #12 temperature=1e1", "temperature=1e1: give a number"),
        ("/solve #12 strategy=test-fist", "did you mean test-first?"),
        ("/solve #12 strategy=yolo", "choose balanced or test-first"),
        ("/solve #12 parallel=0", "parallel=0: give a whole number from 1 to 1,000"),
        ("/solve #12 parallel=²", "give a whole number"),
        ("/solve #12 parallel=2.5", "give a whole number"),
        ("/solve #12 edits=0", "as in edits=5,10"),
        ("/solve #12 budget=lots", "as in budget=2.50"),
        ("/solve #12 budget=999999", "give a number from 0 to 10,000"),
        ("/solve #12 time=0", "give a number from 1 to 604,800"),
        ("/solve #12 model=", "give names of 1 to 300 characters"),
        ("/solve #12 model=o3 models=o4", "model is there twice: give it once, as in"),
        ("/solve " + "x" * 501, "the issue's title"),
        ("/solve #", "the issue's title"),
    ],
)
def test_what_is_refused_says_what_is_possible(text: str, words: str) -> None:
    with pytest.raises(RefusedError, match=r".") as refused:
        parse_command(text)
    assert words in str(refused.value)
    assert len(str(refused.value)) < 500


@pytest.mark.parametrize(
    "text", ["", "solve it", "/", "/usr/bin/python fails", "why /solve?", "/1 of them", "//solve"]
)
def test_what_is_no_command(text: str) -> None:
    assert not is_command(text)


@given(st.text(max_size=300))
def test_any_text_is_understood_or_refused(text: str) -> None:
    try:
        command = parse_command(f"/solve {text}")
    except RefusedError:
        return
    assert (command.issue is None) != (command.issue_number is None)
