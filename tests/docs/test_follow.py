"""No path of "Follow one request" is longer than the page says."""

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


@pytest.mark.real
@pytest.mark.timeout(240)
@pytest.mark.parametrize("name", WAYS)
def test_no_path_is_longer_than_the_page_says(name: str):
    row = re.search(rf"^\| {re.escape(WORDS[name])}.*\| (\d+) \|$", PAGE.read_text(), re.MULTILINE)
    assert row is not None
    assert len(files(name)) <= int(row[1]) == WAYS[name].most
