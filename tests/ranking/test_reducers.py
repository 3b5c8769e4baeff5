import subprocess
import sys
from pathlib import Path

import pytest
import typer
import typer.core

from yudai.cli.app import app
from yudai.cli.options import Options
from yudai.ranking.domain.reducers import REDUCERS, choices
from yudai.solves.domain import defaults
from yudai.solves.domain.again import AgainAsk
from yudai.solves.domain.request import SolveAsk

VERIFICATION = Path(__file__).parents[2] / "docs/explanation/verification.md"


@pytest.mark.parametrize("name", REDUCERS)
def test_each_row_is_complete(name: str):
    row = REDUCERS[name]
    assert row.criteria
    assert f"{name} ({row.explanation})" in choices()
    assert "\n" not in row.explanation
    assert f"`{name}`" in VERIFICATION.read_text()


def test_the_default_is_one_of_them():
    assert defaults.REDUCER in REDUCERS


def test_every_way_to_ask_has_the_same_default():
    asked = [AgainAsk().reducer, SolveAsk.model_fields["reducer"].default, Options().reducer]
    commands = typer.main.get_command(app)
    assert isinstance(commands, typer.core.TyperGroup)
    for name in ("solve", "judge", "demo"):
        [option] = [one for one in commands.commands[name].params if one.name == "reducer"]
        asked.append(option.default)
    assert asked == [defaults.REDUCER] * 6


def test_the_names_load_nothing_heavy():
    code = "import sys, yudai.ranking.domain.reducers; print('pydantic' in sys.modules)"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "False"
