"""The paths of "Follow one request" are as long as the page says."""

import re
from pathlib import Path

import pytest

from tests.follow import WAYS, files

PAGE = Path(__file__).parents[2] / "docs" / "explanation" / "architecture.md"
WORDS = {
    "POST /api/solves": "`POST /api/solves`",
    "worker to champion": "worker, from",
    "yudai solve FOLDER": "`yudai solve FOLDER`",
    "model call": "one model call",
    "poll": "one poll",
}

SWAYS = {name: int(name == "worker to champion") for name in WAYS}
"""By how much a count differs from time to time: a worker meets a beat of its engine, or not."""


@pytest.mark.real
@pytest.mark.timeout(240)
@pytest.mark.parametrize("name", WAYS)
def test_a_path_is_as_long_as_the_page_says(name: str):
    cells = rf"^\| {re.escape(WORDS[name])}[^|]*\| (\d+) \|[^|]*\| (\d+) \|$"
    row = re.search(cells, PAGE.read_text(), re.MULTILINE)
    assert row is not None
    counted, most = map(int, row.groups())
    assert most == WAYS[name].most
    assert len(files(name)) in (counted - SWAYS[name], counted, counted + SWAYS[name])
    assert counted + SWAYS[name] <= most
