import subprocess
import sys
from pathlib import Path

import pytest

from yudai.ranking.domain.reducers import DEFAULT, REDUCERS, choices

VERIFICATION = Path(__file__).parents[2] / "docs/explanation/verification.md"


@pytest.mark.parametrize("name", REDUCERS)
def test_each_row_is_complete(name: str):
    row = REDUCERS[name]
    assert row.criteria
    assert f"{name} ({row.explanation})" in choices()
    assert "\n" not in row.explanation
    assert f"`{name}`" in VERIFICATION.read_text()


def test_the_default_is_one_of_them():
    assert DEFAULT in REDUCERS


def test_the_names_load_nothing_heavy():
    code = "import sys, yudai.ranking.domain.reducers; print('pydantic' in sys.modules)"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "False"
