import base64

import pytest
from hypothesis import given
from hypothesis import strategies as st

from yudai.views.domain.cursor import MAX_CHARS, Cursor, Mark, decode, encode, epoch_of

_LARGEST = (1 << 62) - 1
numbers = st.integers(0, _LARGEST)
marks = st.builds(
    Mark,
    attempt=numbers,
    rev=st.integers(-1, _LARGEST),
    seq=st.integers(-1, _LARGEST),
    read_rev=st.integers(-1, _LARGEST),
)
cursors = st.builds(
    Cursor,
    epoch=st.integers(0, (1 << 32) - 1),
    rev=st.integers(-1, _LARGEST),
    event=numbers,
    turn=numbers,
    marks=st.lists(marks, max_size=40).map(tuple),
)


@given(cursors)
def test_a_cursor_comes_back_as_it_was(cursor: Cursor):
    text = encode(cursor)
    assert decode(text) == cursor
    assert text.replace("-", "").replace("_", "").isalnum()


@given(st.text() | st.text("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdef0123456789-_="))
def test_any_text_is_a_cursor_or_none(text: str):
    cursor = decode(text)
    assert cursor is None or encode(cursor) == text


@given(st.binary())
def test_any_bytes_are_a_cursor_or_none(raw: bytes):
    text = base64.urlsafe_b64encode(b"\x01" + raw).rstrip(b"=").decode()
    cursor = decode(text)
    assert cursor is None or encode(cursor) == text


@given(cursors, st.data())
def test_part_of_a_cursor_is_none_or_another(cursor: Cursor, data: st.DataObject):
    text = encode(cursor)
    part = text[: data.draw(st.integers(0, len(text) - 1))]
    assert decode(part) != cursor


@pytest.mark.parametrize(
    "text",
    [
        "",
        "=",
        "A",
        "AQ",
        "éé",
        "A" * (MAX_CHARS + 4),
        "AQAAAAAAAAA=",
        "AQAAAAAAAA AA",
        # Another version, and a number that needs more than 63 bits.
        base64.urlsafe_b64encode(b"\x02" + bytes(7)).decode().rstrip("="),
        base64.urlsafe_b64encode(b"\x01" + bytes(4) + b"\xff" * 9 + b"\x01" + bytes(2)).decode(),
        # A number that is written longer than it has to be.
        base64.urlsafe_b64encode(b"\x01" + bytes(6) + b"\x80\x00").decode().rstrip("="),
    ],
)
def test_whatever_encode_did_not_write_is_none(text: str):
    assert decode(text) is None


def test_eight_runs_fit_into_a_hundred_characters():
    lanes = (Mark(attempt=1, rev=300, seq=250, read_rev=300),) * 8
    cursor = Cursor(epoch_of("0190a000-0000-7000-8000-00000000aaaa", 1.5), 12, 40, 0, lanes)
    assert len(encode(cursor)) < 100


def test_a_thousand_runs_fit_into_a_request():
    lanes = (Mark(attempt=3, rev=9000, seq=9000, read_rev=9000),) * 1000
    text = encode(Cursor(1, 9000, 90_000, 999, lanes))
    assert len(text) <= MAX_CHARS
    assert decode(text) is not None


def test_an_epoch_is_one_solve_of_one_database():
    assert epoch_of("a", 1.0) == epoch_of("a", 1.0)
    assert len({epoch_of("a", 1.0), epoch_of("b", 1.0), epoch_of("a", 2.0)}) == 3
