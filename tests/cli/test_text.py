"""Hostile text never reaches a terminal as it is."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from yudai.cli.text import dollars, one_line, safe, seconds


@pytest.mark.parametrize(
    "text",
    ["\x1b[2J", "\x1b]0;title\x07", "a\x00b", "\u202eevil", "\u200b", "\x9b31m", "\r"],
)
def test_control_and_direction_characters_are_replaced(text: str):
    assert "\ufffd" in safe(text)
    assert "\x1b" not in safe(text)


def test_lines_and_tabs_stay():
    assert safe("a\tb\nc") == "a\tb\nc"


@given(st.text(), st.integers(2, 50))
def test_one_line_is_one_short_line(text: str, width: int):
    line = one_line(text, width=width)
    assert "\n" not in line
    assert len(line) <= width


def test_lone_surrogates_do_not_break_printing():
    safe("\udc80").encode()


def test_numbers_for_people():
    assert [seconds(1.25), seconds(61), seconds(3599)] == ["1.2 s", "1:01 min", "59:59 min"]
    assert [dollars(0), dollars(1500)] == ["$0", "$0.0015"]
