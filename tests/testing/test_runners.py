"""Every row is complete: detection, a command, a reporter and a place in the documents."""

import re
from importlib.resources import files
from pathlib import Path

import pytest

from yudai.testing.detect import NodeFacts, plan_by_package
from yudai.testing.domain.commands import recognise
from yudai.testing.domain.runners import RUNNERS, TestRunner, titles

DOCS = Path(__file__).parents[2] / "docs"
READ = [runner for runner in TestRunner if runner is not TestRunner.COMMAND]
"""Any other command is no runner: nothing is known of it."""


def test_each_runner_has_a_row():
    assert set(RUNNERS) == set(READ)


@pytest.mark.parametrize("runner", READ)
def test_its_reporter_is_there(runner: TestRunner):
    assert files("yudai.testing.reporters").joinpath(RUNNERS[runner].reporter).is_file()


@pytest.mark.parametrize("runner", READ)
def test_it_is_recognised_in_a_command(runner: TestRunner):
    row = RUNNERS[runner]
    started = f"python -m {runner}" if row.language == "python" else row.typed or f"{runner} --test"
    for command in (started, *row.programs):
        found = recognise(command)
        assert found is not None
        assert found.runner is runner


@pytest.mark.parametrize("runner", [r for r in READ if RUNNERS[r].language == "node"])
def test_it_is_detected_by_its_package(runner: TestRunner):
    plan = plan_by_package(
        NodeFacts(
            scripts={},
            runners=(runner,),
            asked=(runner,),
            tests=("a.test.js",),
            node_test=runner is TestRunner.NODE,
            has_tsx=False,
        ),
        folder="",
    )
    assert plan is not None
    assert plan.runner is runner
    assert plan.command == (RUNNERS[runner].typed or "node --test")


@pytest.mark.parametrize("title", titles())
def test_documents_name_it(title: str):
    text = (DOCS / "howto/solve-your-own-folder.md").read_text()
    assert re.search(rf"read one by one with[^.]*\b{title}\b", text)
