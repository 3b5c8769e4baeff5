"""What asks for a solve at a forge, and what only looks so."""

from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from yudai.forge.domain.repository import Account, ForgeIssue, Labelling
from yudai.kit.errors import RefusedError
from yudai.solves.domain.slash_command import SolveCommand, read_options
from yudai.solves.domain.strategies import Strategy
from yudai.triggers.domain.commands import find_command, last_labelling, over, parse_command

ADA = Account(id=1, login="ada")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("/yudai solve", "solve"),
        ("Please:\n/yudai solve model=o3 temp=0.2\nthanks", "solve model=o3 temp=0.2"),
        ("/Yudai Solve", "Solve"),
        ("/yudai", ""),
        ("/yudai\tsolve\r\n", "solve"),
        ("```\ncode\n```\n/yudai solve", "solve"),
        ("~~~\n```\n~~~\n/yudai solve", "solve"),
        ("``` no fence ` at all\n/yudai solve", "solve"),
        ("/yudai solve a=1\n/yudai solve b=2", "solve a=1"),
    ],
)
def test_commands(text: str, words: str):
    assert find_command(text) == words


@pytest.mark.parametrize(
    "text",
    [
        "",
        "try /yudai solve",
        "> /yudai solve",
        "- /yudai solve",
        "    /yudai solve",
        "`/yudai solve`",
        "```\n/yudai solve\n```",
        "````\n```\n/yudai solve\n````",
        "~~~ sh\n/yudai solve",
        "```\n/yudai solve\n~~~\n/yudai solve",
        "<!-- \n/yudai solve\n-->",
        "<!--\n/yudai solve",
        "/yudaisolve",
        "/solve",
        "//yudai solve",
        "x\u202e\n /yudai solve",
        "we say <!-- yudai:solve=1 -->\n/yudai solve",
    ],
)
def test_what_is_quoted_code_or_hidden_is_no_command(text: str):
    assert find_command(text) is None


@given(st.text(max_size=200))
def test_any_comment_is_a_command_or_not(text: str):
    words = find_command(text)
    if words is not None:
        assert "\n" not in words
        with suppress(RefusedError):
            assert parse_command(words).issue is None


def test_words_of_a_command():
    command = parse_command("solve model=o3,gpt-4.1 temp=0.2 strategy=test-first budget=2 edits=3")
    assert command == SolveCommand(
        models=("o3", "gpt-4.1"),
        temperatures=(0.2,),
        strategies=(Strategy.TEST_FIRST,),
        max_edits=(3,),
        budget_usd=2.0,
    )
    assert parse_command("SOLVE") == SolveCommand()


@pytest.mark.parametrize(
    ("words", "why"),
    [
        ("", "there is no command"),
        ("slove", "there is no command `/yudai slove`"),
        ("solve #12", "'#12' is not an option"),
        ("solve please", "'please' is not an option"),
        ("solve modle=o3", "there is no option modle"),
        ("solve temp=hot", "temp=hot: give a number"),
        ("solve model=a model=b", "twice"),
        ("solve model=a what temp=1", "'what' is not an option"),
    ],
)
def test_what_is_not_understood_says_what_is_possible(words: str, why: str):
    with pytest.raises(RefusedError, match=why) as refused:
        parse_command(words)
    assert len(str(refused.value)) < 500


def test_a_command_goes_over_the_defaults():
    defaults = read_options("model=a,b temp=0.1 parallel=2")
    meant = over(read_options("model=c budget=0"), defaults)
    assert meant.models == ("c",)
    assert (meant.temperatures, meant.max_parallel, meant.budget_usd) == ((0.1,), 2, 0)
    assert over(SolveCommand(), defaults) == defaults


def labelled(*labels: str) -> ForgeIssue:
    return ForgeIssue(
        number=1,
        title="t",
        body="",
        is_open=True,
        is_pull_request=False,
        author=ADA,
        labels=labels,
        created_at=1,
        updated_at=1,
    )


def event(number: int, label: str = "yudai", **more: Any) -> Labelling:
    return Labelling(id=number, label=label, by=ADA, at=float(number), **more)


def test_the_last_labelling_of_a_label_that_is_there_counts():
    events = (event(1), event(3), event(2), event(4, "bug"))
    assert last_labelling(labelled("bug", "Yudai"), events, "yudai") == event(3)
    assert last_labelling(labelled("bug"), events, "yudai") is None
    assert last_labelling(labelled("yudai"), (event(4, "bug"),), "yudai") is None
