"""The request body in our words: limits, places, issues, prices."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from yudai.kit.errors import RefusedError
from yudai.solves.domain.budget import Budget
from yudai.solves.domain.matrix import Matrix
from yudai.solves.domain.request import (
    EXAMPLE_FOLDER,
    EXAMPLE_REMOTE,
    Folder,
    Limits,
    Remote,
    SolveAsk,
)

MATRIX = Matrix(models=("m",))
DEFAULTS = Budget(max_contestants=10, time_budget_s=60)


def ask(**fields: object) -> SolveAsk:
    return SolveAsk.model_validate({"matrix": MATRIX, **fields})


def test_what_is_not_given_is_as_the_server_has_it():
    assert Limits().budget(DEFAULTS) == DEFAULTS


def test_what_is_given_wins_but_for_the_number_of_contestants():
    given_limits = Limits(
        max_parallel=2,
        max_runs=99,
        max_steps=3,
        time_budget_s=4.5,
        run_time_budget_s=5,
        budget_usd=0.3,
        run_budget_usd=0.1,
    )
    assert given_limits.budget(DEFAULTS) == Budget(
        max_parallel=2,
        max_contestants=10,
        max_steps=3,
        time_budget_s=4.5,
        run_time_budget_s=5,
        cost_cap_micros=300_000,
        run_cost_cap_micros=100_000,
    )
    assert Limits(max_runs=2).budget(DEFAULTS).max_contestants == 2


def test_a_run_may_not_cost_more_than_its_solve():
    budget = Limits(budget_usd=0).budget(DEFAULTS)
    assert (budget.cost_cap_micros, budget.run_cost_cap_micros) == (0, 0)


def test_the_examples_are_asks():
    remote, folder = SolveAsk(**EXAMPLE_REMOTE), SolveAsk(**EXAMPLE_FOLDER)
    assert remote.place == Remote("https://github.com/owner/repo", "owner/repo")
    assert remote.matrix.temperatures == (0.2, 0.6)
    assert folder.place == Folder("/home/ada/passbook")
    assert folder.issue.title == "Interest is wrong in leap years"
    assert folder.prices["gpt-4.1"].price.cached_micros == 500_000


def test_an_ask_survives_being_sent():
    for example in (EXAMPLE_REMOTE, EXAMPLE_FOLDER):
        sent = SolveAsk(**example)
        assert SolveAsk.model_validate_json(sent.model_dump_json()) == sent


@pytest.mark.parametrize(
    ("fields", "title", "body"),
    [
        ({"issue_text": "# a\n\nb"}, "a", "b"),
        ({"issue_text": "# a\n\nb", "issue_title": " t "}, "t", "# a\n\nb"),
        ({"issue_number": 3, "issue_title": "t"}, "t", ""),
        ({"issue_number": 3}, "#3", ""),
        ({"issue_number": 3, "issue_text": "a"}, "a", ""),
    ],
)
def test_issues(fields: dict[str, object], title: str, body: str):
    issue = ask(repo_url="https://host/o/r", **fields).issue
    assert (issue.title, issue.body) == (title, body)
    assert issue.number == fields.get("issue_number")


def test_a_file_url_is_a_folder_of_this_machine():
    assert ask(repo_url="file:///a%20b").place == Folder("/a b")
    assert ask(repo_url="file://localhost/a").place == Folder("/a")


@pytest.mark.parametrize(
    ("text", "url"),
    [
        ("o/r", "o/r"),
        ("https://GitHub.com/O/r.git", "https://github.com/O/r"),
        ("http://127.0.0.1:8080/o/r", "http://127.0.0.1:8080/o/r"),
        ("http://LocalHost/o/r/", "http://localhost/o/r"),
        ("http://[::1]:9/o/r", "http://[::1]:9/o/r"),
    ],
)
def test_repositories_at_a_forge(text: str, url: str):
    place = ask(repo_url=text).place
    assert isinstance(place, Remote)
    assert place.url == url
    assert ask(repo_url=text).placed.repo_url == url


@pytest.mark.parametrize(
    "text",
    [
        *("http://github.com/o/r", "http://127.0.0.1.evil.org/o/r", "http://127.0.0.2/o/r"),
        *("http://2130706433/o/r", "http://u@127.0.0.1/o/r", "http://127.0.0.1/o/r?x", "o/.."),
        *("o", "o/r/s", "../r", "o/r#1", "-/r\n", "ext::sh -c x", "git://h/o/r", "ssh://h/o/r"),
        *("https://u:p@github.com/o/r", "https://github.com:port/o/r", "--upload-pack=x/y z"),
    ],
)
def test_whatever_leads_elsewhere_is_refused(text: str):
    with pytest.raises((RefusedError, ValidationError)):
        _ = ask(repo_url=text).place


def test_the_body_of_old_says_nothing_of_publishing():
    assert SolveAsk(**EXAMPLE_REMOTE).publish is None
    assert ask(repo_url="o/r", publish="auto").publish == "auto"
    with pytest.raises(ValidationError):
        ask(repo_url="o/r", publish="now")


@given(st.text(max_size=60))
def test_any_words_for_a_place_are_a_place_or_refused(text: str):
    try:
        place = ask(repo_url=text).place
    except (RefusedError, ValidationError):
        return
    if isinstance(place, Remote):
        assert place.url == place.repo or place.url.startswith(("https://", "http://"))


@given(st.text(max_size=700), st.text(max_size=20))
def test_any_words_for_an_issue_are_an_issue_or_refused(text: str, title: str):
    try:
        issue = ask(repo_path="/a", issue_text=text, issue_title=title).issue
    except (RefusedError, ValidationError):
        return
    assert 0 < len(issue.title) <= 500
