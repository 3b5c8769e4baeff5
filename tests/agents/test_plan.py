"""Plans out of hostile text."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from yudai.agents.domain.plan import MAX_STEP_CHARS, MAX_STEPS, parse_plan


@pytest.mark.parametrize(
    ("text", "steps"),
    [
        ("no plan", ()),
        ("<plan></plan>", ()),
        ("<plan>\n\n  \n</plan>", ()),
        ("before <plan>one\ntwo</plan> after", ("one", "two")),
        (
            "<PLAN>\n1. one\n2) two\n- three\n* four\n\u2022 five\n[x] six\n</Plan>",
            ("one", "two", "three", "four", "five", "six"),
        ),
        ("<plan></plan><plan>second</plan><plan>third</plan>", ("second",)),
        ("<plan>open for ever", ()),
        ("</plan><plan>a</plan>", ("a",)),
        ("<plan>a<plan>b</plan>", ("a<plan>b",)),
        (
            "<plan>1.5 seconds is too long\n-x is kept</plan>",
            ("1.5 seconds is too long", "-x is kept"),
        ),
        ("<plan>a\x00b\x1b[31m\u202ec\ud800</plan>", ("a b [31m c",)),
        ("<plan>a\r\nb\u2028c</plan>", ("a", "b", "c")),
    ],
)
def test_plans(text: str, steps: tuple[str, ...]):
    assert parse_plan(text) == steps


def test_a_long_plan_is_cut():
    plan = parse_plan("<plan>" + "\n".join("y" * 5000 for _ in range(500)) + "</plan>")
    assert len(plan) == MAX_STEPS
    assert {len(step) for step in plan} == {MAX_STEP_CHARS}
    assert plan[0].endswith("\u2026")


def test_many_open_tags_take_no_longer_than_reading_them():
    assert parse_plan("<plan>" * 500_000) == ()


@given(st.text())
def test_any_text_gives_short_clean_lines(text: str):
    for step in parse_plan(f"<plan>{text}</plan>"):
        assert 0 < len(step) <= MAX_STEP_CHARS
        assert step.isprintable() or not step.isascii()
        step.encode()
