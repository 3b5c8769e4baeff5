from hypothesis import given
from hypothesis import strategies as st

from yudai.kit.text import cut, line


@given(st.text(st.characters()), st.integers(2, 60))
def test_what_is_kept_is_the_beginning_and_the_end(text: str, limit: int):
    found = cut(text, limit=limit)
    sent = found.text.encode()
    if not found.truncated:
        assert found.bytes == len(sent) <= limit
        return
    head, told, tail = found.text.split("\n", 1)[0], found.text, found.text.rsplit("\n", 1)[-1]
    assert found.bytes > limit
    assert f"{found.bytes - 2 * (limit // 2)} bytes left out" in told
    assert len(sent) <= limit + 40
    assert len(head.encode()) <= limit
    assert len(tail.encode()) <= limit


def test_what_utf_8_cannot_say_is_replaced():
    assert cut("a\ud800b\x00").text == "a\ufffdb\ufffd"


def test_a_character_that_is_cut_through_is_left_out():
    found = cut("é" * 10, limit=6)
    assert found.text == "é\n[… 14 bytes left out …]\né"
    assert found.bytes == 20


@given(st.text(), st.integers(1, 30))
def test_a_line_is_one_line(text: str, width: int):
    found = line(text, width=width)
    assert len(found) <= width
    assert len(found.splitlines()) <= 1
