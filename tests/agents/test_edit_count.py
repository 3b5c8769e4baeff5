import pytest
from hypothesis import given
from hypothesis import strategies as st

from yudai.agents.adapters.edit_count import MAX_DIFF_BYTES, KeptDiff, kept_diff


def test_a_small_one_is_whole():
    assert kept_diff("+a\n") == KeptDiff("+a\n")
    assert kept_diff("") == KeptDiff("")


def test_bytes_that_are_no_text_are_replaced():
    path = b"diff --git a/\xff.py b/\xff.py\n".decode("utf-8", "surrogateescape")
    assert kept_diff(path).text == "diff --git a/\ufffd.py b/\ufffd.py\n"


@pytest.mark.parametrize("line", ["+" + "x" * 80 + "\n", "+" + "ü" * 40 + "\n", "+\udcff\n"])
def test_a_huge_one_is_cut_between_lines(line: str):
    kept = kept_diff(line * 100_000)
    assert kept.is_truncated
    assert kept.text.endswith("\n")
    assert MAX_DIFF_BYTES - 200 < len(kept.text.encode()) <= MAX_DIFF_BYTES
    assert not kept.text.replace(line.replace("\udcff", "\ufffd"), "")


def test_one_endless_line_leaves_what_stood_before_it():
    assert kept_diff("a\n" + "x" * 200_000) == KeptDiff("a\n", is_truncated=True)
    assert kept_diff("x" * 200_000) == KeptDiff("", is_truncated=True)


@given(st.text(alphabet="aü\n\udcff€😀", max_size=60), st.integers(1, 80))
def test_never_longer_than_it_may_be(text: str, limit: int):
    kept = kept_diff(text, limit=limit)
    assert len(kept.text.encode()) <= limit
    assert kept.is_truncated or len(kept.text) == len(text)
