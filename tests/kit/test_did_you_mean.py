"""The nearest word, or all of them."""

from yudai.kit.text import nearest


def test_a_slip_is_recognised_and_anything_else_gets_the_choice():
    assert nearest("smple", ["simple", "first"]) == "did you mean simple?"
    assert nearest("zzz", ["simple", "first"]) == "choose simple or first"
