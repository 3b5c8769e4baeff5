"""The command line that a forecast shows asks for the same as the body that it was made from."""

import shlex
from functools import wraps
from pathlib import Path
from typing import Any

import pytest
import typer
from hypothesis import given, settings
from hypothesis import strategies as st

from yudai.cli import app
from yudai.cli.options import Options
from yudai.cli.solve.request import to_request
from yudai.settings import Settings
from yudai.solves.domain.budget import Budget
from yudai.solves.domain.equivalent_command import MOST_CONTESTANTS, command_line
from yudai.solves.domain.request import EXAMPLE_FOLDER, EXAMPLE_REMOTE, SolveAsk

FOLDER: dict[str, Any] = {"repo_path": "/w", "issue_text": "x", "matrix": {"models": ["m"]}}


def ask(**changes: Any) -> SolveAsk:
    return SolveAsk.model_validate(FOLDER | changes)


def typed(line: str) -> SolveAsk:
    """What `yudai solve` makes of it, with the very options that it has."""
    words = shlex.split(line)
    environment: dict[str, Any] = {"YUDAI_HOME": Path("/nowhere")}
    while "=" in words[0]:
        name, _, value = words.pop(0).partition("=")
        environment[name] = value
    assert words[:2] == ["yudai", "solve"]
    given_options = parsed(words[2:])
    return to_request(given_options, Settings.model_validate(environment), None)


def parsed(words: list[str]) -> Options:
    """Of the command's own signature, without what it would do."""
    taken: list[Options] = []

    @wraps(app.solve)
    def take(**options: Any) -> None:
        taken.append(Options(**options))

    probe = typer.Typer(add_completion=False)
    probe.command()(take)
    probe(words, standalone_mode=False)
    return taken[0]


def meant(wanted: SolveAsk) -> dict[str, Any]:
    """What the server makes of the body, with the defaults of such an installation."""
    spelled = {"repo_path", "repo_url", "issue_text", "issue_title", "issue_number"}
    derived = {"limits", "prices", "setup", "publish"}
    return {
        **wanted.model_dump(exclude=spelled | derived),
        "place": wanted.place,
        # The command line cannot number an issue: it is told in words.
        "issue": wanted.issue.model_copy(update={"number": None}),
        "budget": wanted.limits.budget(Budget(max_contestants=Settings().max_contestants)),
        "prices": wanted.known_prices,
        "setup": wanted.setup_commands,
    }


def check(wanted: SolveAsk) -> None:
    assert meant(typed(command_line(wanted))) == meant(wanted)


@pytest.mark.parametrize(
    "changes",
    [
        {},
        EXAMPLE_FOLDER,
        {"repo_path": "", "repo_url": "file:///w/with%20blank"},
        {"repo_path": "/w/with//a/"},
        {"repo_path": '/it\'s a "folder" $HOME `id` \\ *'},
        {"issue_text": "-m says\n\n$(rm -rf /) `id` 'quoted' \"twice\"\n!! \\"},
        {"issue_title": "Sums", "issue_text": "add subtracts", "issue_number": 3},
        {"matrix": {"models": ["-x", "a=b", "scripted//abs/f.yaml"], "temps": [0, 0.25, 2]}},
        {"matrix": {"models": ["m"], "max_edits": [3, 5], "strategies": ["test-first"]}},
        {"limits": {"max_parallel": 2, "max_runs": 3, "max_steps": 9, "time_budget_s": 1e3}},
        {"limits": {"budget_usd": 0.000001, "run_budget_usd": 3, "run_time_budget_s": 0.5}},
        {"prices": {"m": {"input_usd": 1e-6, "output_usd": 10000}}},
        {"prices": {"a=b": {"input_usd": 100, "output_usd": 0.15, "cached_usd": 0}}},
        {"setup": []},
        {"setup": ["", " "]},
        {"setup": ["pip install -e '.[dev]'", "", "make"], "test": "-c 'x y'\nnext"},
        {"env": "/venv with blank", "base_branch": "v1~2", "dirty": True},
        {"reducer": "first", "require_proof": False},
    ],
)
def test_the_line_asks_for_the_same(changes: dict[str, Any]):
    check(ask(**changes))


def test_the_shortest_ask_is_a_short_line():
    assert command_line(ask()) == "yudai solve /w --text x --model m"


def test_a_cap_on_contestants_is_a_setting():
    line = command_line(ask(limits={"max_runs": 4}))
    assert line.startswith(f"{MOST_CONTESTANTS}=4 yudai solve /w ")


def test_words_that_are_not_there_yet_leave_a_gap():
    assert "--text '' " in command_line(ask(issue_text=""))


def test_what_no_argument_can_hold_is_replaced():
    assert "--text 'a\ufffdb'" in command_line(ask(issue_text="a\0b"))


def test_an_issue_at_a_forge_is_named_by_its_address():
    line = command_line(SolveAsk.model_validate(EXAMPLE_REMOTE))
    assert line.startswith("yudai solve https://github.com/owner/repo/issues/123 --model gpt-4.1 ")
    assert "--text" not in line
    short = {"repo_url": "owner/repo", "repo_path": "", "publish": "auto"}
    assert command_line(ask(**short, issue_text="", issue_number=12)) == (
        "yudai solve 'owner/repo#12' --model m --pr"
    )
    assert command_line(ask(**short)) == "yudai solve owner/repo --text x --model m --pr"
    # It has no way to say both.
    assert command_line(ask(**short, issue_number=12)) == ""


LINES = st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Cs"]), max_size=20)


@settings(max_examples=25, deadline=None)
@given(
    path=LINES,
    text=st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=40),
    model=LINES.filter(lambda name: name.isprintable() and name == name.strip() != ""),
    test=LINES,
    usd=st.floats(0, 1000),
    temperature=st.floats(0, 2),
)
def test_whatever_is_written_survives_the_shell(
    path: str, text: str, model: str, test: str, usd: float, temperature: float
):
    body = ask(
        repo_path=f"/{path}",
        issue_text=f"A title\n{text}",
        matrix={"models": [model], "temperatures": [temperature]},
        test=test,
        limits={"budget_usd": usd},
    )
    check(body)
