"""What an issue gives, when two answers agree, and which tests are meant."""

# ruff: noqa: E501 (a table has a case in a line)

import pytest

from yudai.verification.domain.expectations import (
    Expectation,
    edited_tests,
    expectation,
    gives,
    same_value,
)
from yudai.verification.domain.expected.change import (
    Change,
    is_other_pattern,
    is_other_text,
)


@pytest.mark.parametrize(
    ("one", "two"),
    [
        ("1_000", "1000"),
        ("'a'", '"a"'),
        ("`a`", "'a'"),
        ("[1, 2]", "[ 1,2, ]"),
        ("{'a': 1, 'b': None}", "{'b': None, 'a': 1}"),
        ("{a: 1, b: null}", '{"b": null, "a": 1}'),
        ("{'a': [true, -1.5]}", "{a: [true, -1.50]}"),
        ("'\\u0041\\n'", "`A\n`"),
        ("1", "1.0"),
        ("{1, 2}", "{2, 1}"),
        ("[`\\u0041\\x42\\u{43}\\n\\q`, /a/g]", "['ABC\\nq', /a/g]"),
        ("[null, 0x10, 1e3]", "[null, 16, 1000n]"),
        ("Decimal('1')", "Decimal('1') "),
        ("f(1,  2)", "f(1, 2)"),
        ("undefined", "undefined"),
    ],
)
def test_the_same_value(one: str, two: str):
    assert same_value(one, two)


@pytest.mark.parametrize(
    ("one", "two"),
    [
        ("1", "2"),
        ("1", "'1'"),
        ("1", "True"),
        ("[1]", "(1,)"),
        ("[1, 2]", "[2, 1]"),
        ("null", "undefined"),
        ("'a'", "'a '"),
        ("f(1)", "f(2)"),
        ("[`a`, -'b']", "[`a`, -'c']"),
        ("{a}", "{b}"),
        ("[null, 1 2]", "[null, 1 3]"),
        ("[null, `${1}`]", "[null, `${2}`]"),
        ("{a: 1}", "{a: 2}"),
        ("[" * 5_000, "[" * 5_001),
        ("-" * 9_000 + "1", "-" * 9_001 + "1"),
    ],
)
def test_another_value(one: str, two: str):
    assert not same_value(one, two)


ISSUE = """
Adding is wrong: `total([1, 2])` returns 3 but it should be `4`, that is 5 with tax.
It should say "too big" and not 'too small', and don't forget it's `{"a": 1}`.
The message is \u201cnot found\u201d, a snapshot would be `"7 EUR"`.

```python
>>> area(2, 30)
60.5
>>> double(21)  # 42
assert triple(11) == 33
assert.equal(half(24), 12);
expect(name()).toBe('Ada');
```

    $ shop list
    first line
      second line

- a list
  with 77

    and 88
"""


@pytest.mark.parametrize(
    "now",
    [
        *("4", "4.0", "'too big'", "'too small'", "`too big`", "{'a': 1}", "{a: 1}", "60.5", "42"),
        *("33", "12", "'Ada'", '"7 EUR"', '`"7 EUR"`', "'not found'", "'60.5'"),
        *("'first line\\n  second line'", "'first line'", "`\nfirst line\n  second line\n`"),
    ],
)  # fmt: skip
def test_what_the_issue_gives(now: str):
    assert gives(ISSUE, now)


@pytest.mark.parametrize(
    "now",
    ["3", "5", "77", "88", "30", "21", "11", "24", "'too'", "'t forget it'", "{'a': 2}", "''", "[]", "second"],
)  # fmt: skip
def test_what_it_does_not_give(now: str):
    assert not gives(ISSUE, now)


@pytest.mark.parametrize(
    "issue",
    ["```\n" * 30_000, "`" * 100_000, "'" * 100_000, "\n    x" * 20_000, "`a == " * 20_000, '"`' * 50_000],
)  # fmt: skip
def test_hostile_issues_end_soon(issue: str):
    assert not gives(issue, "'something else'")


def test_a_value_that_is_no_literal_is_given_as_it_is_written():
    assert gives("It is `Decimal( 1)` now", "Decimal( 1)")
    assert not gives("It is Decimal(1) now", "Decimal(1)")


def test_an_unfinished_block_is_code():
    assert gives("Output:\n~~~\n7", "7")


def test_long_values_are_excerpts_that_still_differ():
    before, now, other = ("x" * 600 + end + "y" * 600 for end in ("1", "2", "3"))
    one, two = (expectation(Change("test_a", before, value)) for value in (now, other))
    assert max(len(one.before), len(one.now)) <= 500
    assert one.now.startswith("...xxx")
    assert one.now[43] == "2"
    assert not same_value(one.now, two.now)
    late = expectation(Change("test_a", before, now + "."))
    assert not same_value(one.now, late.now)
    assert same_value(one.now, expectation(Change("test_b", before, now)).now)


def test_hostile_values_are_shown_on_one_line():
    found = expectation(Change("a\nb", "'\x1b[31m'\n\tx\udcff", "'" + "y" * 100 + "'"))
    assert found.before == "'\\x1b[31m'\n    x\\udcff"
    assert found.reason.startswith("changes what a\\x0ab expects: '\\x1b[31m' x\\udcff -> 'yyy")
    assert found.reason.isprintable()
    assert len(found.reason) < 200


def test_long_values_are_shown_where_they_differ():
    found = expectation(Change("test_a", "[" + "1, " * 50 + "2]", "[" + "1, " * 50 + "3]"))
    ends = [f"..., {'1, ' * 6}{last}]" for last in (2, 3)]
    assert found.reason == f"changes what test_a expects: {' -> '.join(ends)}"


def made(path: str, test: str) -> Expectation:
    return Expectation(test=test, path=path, before="1", now="2")


def test_tests_to_run_by_their_names():
    found = edited_tests(
        [
            made("tests/test_a.py", "TestA::test_x"),
            made("tests/test_a.py", "TestA::test_x"),
            made("tests/test_a.py", "test_y"),
            made("web/a.test.ts", "a > b"),
            made("web/__snapshots__/a.test.ts.snap", "a > b 1"),
            made("web/__snapshots__/c.test.ts.snap", "a b: hint 12"),
            made("__snapshots__/d.test.ts.snap", "d 1"),
            made("test/n.test.js.snapshot", "suite > n 1"),
            made("tests/__snapshots__/test_s.ambr", "TestS.test_s[a.b].1"),
            made("tests/__snapshots__/test_s.ambr", "test_t.1"),
        ]
    )
    assert found == {
        "tests/test_a.py": ("TestA::test_x", "test_y"),
        "web/a.test.ts": ("a > b",),
        "web/c.test.ts": ("a b",),
        "d.test.ts": ("d",),
        "test/n.test.js": ("suite > n",),
        "tests/test_s.py": ("TestS::test_s", "test_t"),
    }


@pytest.mark.parametrize(
    ("old", "new", "is_other"),
    [
        ("red", "blue", True),
        ("red", "redder", True),
        ("red", "re", False),
        ("red", "", False),
        ("red", "x", False),
        ("3", "4", True),
        ("a long sentence", "short", False),
    ],
)
def test_a_text_that_is_looked_for(old: str, new: str, *, is_other: bool):
    assert is_other_text(old, new) is is_other


@pytest.mark.parametrize(
    ("old", "new", "is_other"),
    [
        (r"is \d+ (x)", r"was \d+ (y)", True),
        (r"is 3\.5", r"is 4\.5", True),
        (r"is \d", r"is .", False),
        (r"^is", r"was", False),
        (r"[a-c]x", r"[a-z]x", False),
        (r"ab|cd", r"ab|c", False),
        (r"is (?:a)", r"is (?:", False),
        ("a" * 3_000, "b" * 3_000, False),
        ("[" * 1_000, "[" * 1_000 + "a", True),
    ],
)
def test_a_pattern_that_is_looked_for(old: str, new: str, *, is_other: bool):
    assert is_other_pattern(old, new) is is_other
