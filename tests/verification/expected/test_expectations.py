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
from yudai.verification.domain.expected.subject import Subject


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


def told(now: str, call: str = "", issue: str = ISSUE) -> bool:
    """Whether the issue gives it for this call, as base's test would write it."""
    name, _, rest = call.partition("(")
    inputs = tuple(text.strip() for text in rest.rstrip(")").strip("[]").split(",") if text.strip())
    subject = Subject((name,) if name else (), inputs, is_clear=True)
    return gives(issue, Expectation(test="t", before="0", now=now, subject=subject))


@pytest.mark.parametrize(
    ("now", "call"),
    [
        ("4", "total([1, 2])"),
        ("60.5", "area(2, 30)"),
        ("42", "double(21)"),
        ("33", "triple(11)"),
        ("12", "half(24)"),
        ("'Ada'", "name()"),
    ],
)
def test_what_the_issue_gives(now: str, call: str):
    assert told(now, call)


@pytest.mark.parametrize(
    ("now", "call"),
    [
        ("3", "total([1, 2])"),
        ("5", "total([1, 2])"),
        ("4", "total([2, 2])"),
        ("4", "sum([1, 2])"),
        ("4", "total()"),
        ("4", ""),
        ("42", "triple(11)"),
        ("21", "double(21)"),
        ("77", "total([1, 2])"),
        ("60.5", "area(2)"),
        ("''", "name()"),
        ("{'a': 1}", "area(2, 30)"),
        ("'too big'", ""),
    ],
)
def test_what_it_does_not_give(now: str, call: str):
    assert not told(now, call)


HOURS = "human() does not know hours\n\n`human(3600)` says `3600s`; I expected `1h`."


@pytest.mark.parametrize(
    ("issue", "now", "call", "is_given"),
    [
        (HOURS, "'1h'", "human(3600)", True),
        (HOURS, "'1h'", "human(5)", False),
        (HOURS, "'3600s'", "human(3600)", False),
        ("`human(5)` should be `'5 s'` and `human(6)` should be `'6 s'`.", "'6 s'", "human(6)", True),
        ("`human(5)` should be `'5 s'` and `human(6)` should be `'6 s'`.", "'6 s'", "human(5)", False),
        ("`find('bob')` returns `None`, it should find `Bob`", "None", "find('bob')", False),
        ("`find('bob')` returns `None`, it should find `Bob`", "'Bob'", "find('bob')", True),
        ("`human(5)` gives `'5s'` instead of `'5 s'`", "'5 s'", "human(5)", True),
        ("`human(5)` should give `'5 s'` instead of `'5s'`", "'5s'", "human(5)", False),
        ("I expect `'5 s'` from `human(5)`", "'5 s'", "human(5)", True),
        ("I get:\n\n```\n>>> human(5)\n'5s'\n```", "'5s'", "human(5)", False),
        ("crash\n\n```python\ndef f(x):\n    return None\n```", "None", "f(x)", False),
        ("```\nassert human(5) == '5 s'\n```", "'5 s'", "human(5)", True),
    ],
)  # fmt: skip
def test_a_value_is_given_for_its_call_and_not_as_the_complaint(
    issue: str, now: str, call: str, *, is_given: bool
):
    assert told(now, call, issue) is is_given


@pytest.mark.parametrize(
    "issue",
    [
        "```\n" * 30_000,
        "`" * 100_000,
        "'" * 100_000,
        "\n    x" * 20_000,
        "`a == " * 20_000,
        '"`' * 50_000,
        "a(" * 50_000 + "`'something'`",
        "a `'x'` " * 12_000,
    ],
)
def test_hostile_issues_end_soon(issue: str):
    assert not told("'something else'", "a(1)", issue)
    assert not told("'x'", "a(1)", issue)


def test_a_value_that_is_no_literal_is_given_as_it_is_written():
    assert told("Decimal( 1)", "cost()", "`cost()` is `Decimal( 1)` now")
    assert not told("Decimal(1)", "cost()", "`cost()` is Decimal(1) now")


def test_an_unfinished_block_is_code():
    assert told("7", "run()", "Output of `run()`:\n~~~\n7")


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
