"""Options become a request, or one line that says what to do."""

import io
from pathlib import Path
from types import SimpleNamespace

import pytest

from yudai.cli.options import Options
from yudai.cli.solve.request import to_request
from yudai.kit.errors import RefusedError
from yudai.settings import Settings
from yudai.solves.domain.budget import Budget
from yudai.solves.domain.request import SolveAsk

DEFAULTS = Options(
    target=".",
    text="add subtracts\n\nadd(2, 1) gives 1",
    issue_file="",
    model=["gpt-4.1"],
    temperature=None,
    strategy=None,
    agent=None,
    max_edits=None,
    max_steps=80,
    parallel=4,
    budget_usd=5.0,
    run_budget_usd=1.0,
    time_budget=None,
    run_time_budget=1800.0,
    sandbox=None,
    setup=None,
    test="",
    env=None,
    base="",
    dirty=False,
    base_url="",
    price=None,
    reducer="simple",
    accept_unproved=False,
    apply=False,
    branch="",
    yes=False,
    json=False,
)


@pytest.fixture
def ask(tmp_path: Path):
    def ask(**changes: object) -> SolveAsk:
        return to_request(DEFAULTS._replace(**changes), Settings.at(tmp_path), None)

    return ask


def test_defaults_are_sensible(ask):
    asked = ask()
    assert (asked.issue.title, asked.issue.body) == ("add subtracts", "add(2, 1) gives 1")
    assert asked.matrix.temperatures == (0.2,)
    budget = asked.limits.budget(Budget())
    assert budget.cost_cap_micros == 5_000_000
    assert budget.time_budget_s == 5400
    assert asked.require_proof
    assert asked.setup_commands is None


def test_every_axis_and_limit_is_taken_over(ask):
    asked = ask(
        model=["a/b", "c/d"],
        temperature=[0.0, 1.0],
        strategy=["test-first"],
        max_edits=[3],
        parallel=9,
        budget_usd=0.5,
        time_budget=60.0,
        accept_unproved=True,
        price=["a/b=1,2"],
        setup=["", "npm ci"],
    )
    assert (asked.matrix.models, asked.matrix.max_edits) == (("a/b", "c/d"), (3,))
    budget = asked.limits.budget(Budget())
    assert (budget.max_parallel, budget.time_budget_s) == (9, 60)
    assert (budget.cost_cap_micros, budget.run_cost_cap_micros) == (500_000, 500_000)
    assert asked.known_prices["a/b"].output_micros == 2_000_000
    assert not asked.require_proof
    assert asked.setup_commands == ("npm ci",)


def test_which_agents_there_are_is_known_where_the_solve_runs(ask):
    assert ask(agent=["of-the-server"]).matrix.agents == ("of-the-server",)


def test_an_empty_setup_means_none_at_all(ask):
    assert ask(setup=[""]).setup_commands == ()


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"text": ""}, "--text"),
        ({"text": "x", "issue_file": "y"}, "--issue-file"),
        ({"text": " \n "}, "the issue is empty"),
        ({"text": "", "issue_file": "/nonexistent/issue.md"}, "No such file"),
        ({"model": None}, "--model"),
        ({"model": [""]}, "--model"),
        ({"temperature": [2.5]}, "--temperature: Input should be less than or equal to 2, not 2.5"),
        ({"temperature": [float("nan")]}, "--temperature"),
        ({"strategy": ["test_first"]}, "did you mean test-first?"),
        ({"strategy": ["zzz"]}, "choose balanced"),
        ({"max_edits": [0]}, "--max-edits"),
        ({"max_steps": 0}, "--max-steps"),
        ({"parallel": 0}, "--parallel"),
        ({"time_budget": 0.0}, "--time-budget"),
        ({"budget_usd": -1.0}, "--budget-usd"),
        ({"budget_usd": float("nan")}, "--budget-usd"),
        ({"budget_usd": float("inf")}, "--budget-usd"),
        ({"price": ["nonsense"]}, "nonsense"),
    ],
)
def test_what_is_wrong_is_one_line(ask, changes: dict, words: str):
    with pytest.raises(RefusedError) as refusal:
        ask(**changes)
    assert words in str(refusal.value)
    assert "\n" not in str(refusal.value)


def test_the_issue_comes_from_a_file_or_standard_input(ask, tmp_path: Path, monkeypatch):
    file = tmp_path / "issue.md"
    file.write_bytes(b"# Broken \xff\n\nbody")
    assert ask(text="", issue_file=str(file)).issue.title == "Broken \ufffd"
    monkeypatch.setattr("sys.stdin", SimpleNamespace(buffer=io.BytesIO(b"piped")))
    assert ask(text="", issue_file="-").issue.title == "piped"
    file.write_bytes(b"x" * 500_000)
    with pytest.raises(RefusedError, match="larger than"):
        ask(text="", issue_file=str(file))
