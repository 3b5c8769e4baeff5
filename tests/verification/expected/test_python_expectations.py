"""Edits of Python tests that only change expected values, and those that weaken a test."""

# ruff: noqa: E501 (a table has a case in a line)

from textwrap import dedent

import pytest

from yudai.verification.domain.edits.tampering import tampering
from yudai.verification.domain.expectations import Expectation
from yudai.verification.domain.expected.subject import Subject

PATH = "tests/test_shop.py"


def found(base: str, patched: str) -> list[tuple[str, Expectation | None]]:
    texts = [dedent(text) for text in (base, patched)]
    return [(f.reason, f.expectation) for f in tampering({PATH: texts[0]}, {PATH: texts[1]})]


def in_test(base: str, patched: str) -> list[tuple[str, Expectation | None]]:
    head = "def test_total(shop, mock):\n"
    return found(
        *(f"{head}    {text.replace(chr(10), chr(10) + '    ')}\n" for text in (base, patched))
    )


def values(base: str, patched: str) -> list[tuple[str, str]]:
    """Before and now of every changed expectation; nothing else may have been found."""
    edits = in_test(base, patched)
    assert all(expected for _, expected in edits), edits
    return [(e.before, e.now) for _, e in edits if e]


def test_a_changed_expectation_is_named():
    [(reason, expected)] = in_test("assert total([1, 2]) == 3", "assert total([1, 2]) == 4")
    assert reason == "changes what test_total expects: 3 -> 4"
    subject = Subject(names=("total",), inputs=("1", "2"), is_clear=True)
    line = f"{PATH}: {reason}"
    assert expected == Expectation(
        test="test_total", path=PATH, line=line, before="3", now="4", subject=subject
    )


@pytest.mark.parametrize(
    ("base", "names", "inputs"),
    [
        ("assert human(5) == '5s'", ("human",), ("5",)),
        ("assert list(human(5)) == '5s'", ("human",), ("5",)),
        ("n = [5]\nassert human(n) == '5s'", ("human",), ("5",)),
        ("order = Order(3)\nassert order.total(tax=1) == '5s'", ("total", "Order"), ("3", "1")),
        ("for n, want in [(4, '4s'), (5, '5s')]:\n    assert human(n) == want", ("human",), ("5",)),
        ("with raises(E, match='5s'):\n    human(5)", ("human",), ("5",)),
        ("self.assertEqual(human(5), '5s')", ("human",), ("5",)),
    ],
)
def test_what_an_assertion_is_about(base: str, names: tuple[str, ...], inputs: tuple[str, ...]):
    [(_, expected)] = in_test(base, base.replace("5s", "5 sec"))
    assert expected is not None
    assert expected.subject == Subject(names, inputs, is_clear=True)


def test_an_unknown_input_is_not_clear():
    base = "assert human(seconds) == '5s'"
    [(_, expected)] = in_test(base, base.replace("5s", "5 s"))
    assert expected is not None
    assert not expected.subject.is_clear


def test_a_row_is_about_its_inputs():
    [(_, expected)] = found(PARAMETRIZED, PARAMETRIZED.replace("(2, 4)", "(2, 5)"))
    assert expected is not None
    assert expected.subject == Subject(("double",), ("2",), is_clear=True)


@pytest.mark.parametrize(
    ("base", "patched", "before", "now"),
    [
        ("assert f(1) == 2", "assert f(1) == 3", "2", "3"),
        ("assert f(1) == 2", "assert f(1) == -3.5", "2", "-3.5"),
        ("assert 2 == f(1)", "assert 3 == f(1)", "2", "3"),
        ("assert f(1) == 'a'", "assert f(1) == 'b'", "'a'", "'b'"),
        ("assert f(1) == 2, 'is 2'", "assert f(1) == 3, 'is 3'", "2", "3"),
        ("assert (yes(), f(1)) == (True, 2)", "assert (yes(), f(1)) == (True, 3)", "(True, 2)", "(True, 3)"),
        ("assert f(1) == [1, 2]", "assert f(1) == [1]", "[1, 2]", "[1]"),
        ("assert f(1) == {'a': 1}", "assert f(1) == {'a': 1, 'b': None}", "{'a': 1}", "{'a': 1, 'b': None}"),
        ("assert f(1) == [u.id, 2]", "assert f(1) == [u.id, 3]", "[u.id, 2]", "[u.id, 3]"),
        ("assert f(1) == {'id': u.id, 'n': 2}", "assert f(1) == {'id': u.id, 'n': 3}", "{'id': u.id, 'n': 2}", "{'id': u.id, 'n': 3}"),
        ("assert f(n) == f'{n} items'", "assert f(n) == f'{n} things'", "f'{n} items'", "f'{n} things'"),
        ("assert f(1) == 60 * 60", "assert f(1) == 60 * 61", "60 * 60", "60 * 61"),
        ("assert f(1) == '-'.join(['a', 'b'])", "assert f(1) == '-'.join(['a', 'c'])", "'-'.join(['a', 'b'])", "'-'.join(['a', 'c'])"),
        ("assert f(1) == Decimal('1.5')", "assert f(1) == Decimal('1.6')", "Decimal('1.5')", "Decimal('1.6')"),
        ("assert f(1) == datetime.date(2020, 1, 1)", "assert f(1) == datetime.date(2020, 1, 2)", "datetime.date(2020, 1, 1)", "datetime.date(2020, 1, 2)"),
        ("assert f(1) == [Point(1, 2)]", "assert f(1) == [Point(1, 3), Point(0, 0)]", "[Point(1, 2)]", "[Point(1, 3), Point(0, 0)]"),
        ("assert f(1) == pytest.approx(1.5)", "assert f(1) == pytest.approx(1.6)", "pytest.approx(1.5)", "pytest.approx(1.6)"),
        ("assert f(1) == approx(1.5, abs=0.1)", "assert f(1) == approx(2.5, abs=0.1)", "approx(1.5, abs=0.1)", "approx(2.5, abs=0.1)"),
        ("assert f(1) == snapshot({'a': 1})", "assert f(1) == snapshot({'a': 2})", "snapshot({'a': 1})", "snapshot({'a': 2})"),
        ("assert f(1) is None", "assert f(1) == 3", "None", "3"),
        ("assert f(1) is True", "assert f(1) is False", "True", "False"),
        ("assert f(1) == 3", "assert f(1) is None", "3", "None"),
        ("assert f(1) == 2 and g(1) == 5", "assert f(1) == 2 and g(1) == 6", "5", "6"),
        ("assert 'red' in f(1)", "assert 'blue' in f(1)", "'red'", "'blue'"),
        ("assert 4 in f(1)", "assert 5 in f(1)", "4", "5"),
        ("assert f(1) == -(2 + 3)", "assert f(1) == -(2 + 4)", "-(2 + 3)", "-(2 + 4)"),
        ("assert f(1) == Row({'a': 1})", "assert f(1) == Row({'a': 2})", "Row({'a': 1})", "Row({'a': 2})"),
        ("assert await is_valid('a')", "assert not await is_valid('a')", "True", "False"),
        ("assert_equal(f(1), 2)", "assert_equal(f(1), 3)", "2", "3"),
        ("assertEqual(f(1), 2)", "assertEqual(f(1), 3)", "2", "3"),
        ("g(lambda x: x)\nassert f(1) == 2", "g(lambda x: x)\nassert f(1) == 3", "2", "3"),
        ("assert 'too big' in str(e.value)", "assert 'no number' in str(e.value)", "'too big'", "'no number'"),
        ("assert str(f(1)) == 'a'", "assert str(f(1)) == 'b'", "'a'", "'b'"),
        ("assert Slug('A b') == 'a-b'", "assert Slug('A b') == 'a_b'", "'a-b'", "'a_b'"),
        ("want = 'a'\nassert str(f(1)) == want", "want = 'b'\nassert str(f(1)) == want", "'a'", "'b'"),
        ("want = 'a'\nassert Slug('A') == want", "want = 'b'\nassert Slug('A') == want", "'a'", "'b'"),
        ("assert f(1) in (1, 2)", "assert f(1) in (3, 4)", "(1, 2)", "(3, 4)"),
        ("assert f(1).startswith('Dear')", "assert f(1).startswith('Hello')", "'Dear'", "'Hello'"),
        ("assert is_valid('a b')", "assert not is_valid('a b')", "True", "False"),
        ("assert not shop.is_open", "assert shop.is_open", "False", "True"),
        ("with pytest.raises(ValueError, match='too big'):\n    f(1)", "with pytest.raises(ValueError, match='not a number'):\n    f(1)", "'too big'", "'not a number'"),
        ("with pytest.raises(E, match=r'got \\d+ of \\(3\\)'):\n    f(1)", "with pytest.raises(E, match=r'has \\d+ of \\(4\\)'):\n    f(1)", "'got \\\\d+ of \\\\(3\\\\)'", "'has \\\\d+ of \\\\(4\\\\)'"),
        ("with pytest.raises(E, match=re.escape('a (b)')):\n    f(1)", "with pytest.raises(E, match=re.escape('c (d)')):\n    f(1)", "'a (b)'", "'c (d)'"),
        ("mock.assert_called_once_with('a', n=1)", "mock.assert_called_once_with('a', n=2)", "1", "2"),
        ("expected = [1, 2]\nassert f(1) == expected", "expected = [1, 3]\nassert f(1) == expected", "[1, 2]", "[1, 3]"),
        ("message = 'too big'\nwith raises(E, match=message):\n    f(1)", "message = 'is wrong'\nwith raises(E, match=message):\n    f(1)", "'too big'", "'is wrong'"),
        ("for n, want in [(1, 2), (3, 4)]:\n    assert f(n) == want", "for n, want in [(1, 2), (3, 5)]:\n    assert f(n) == want", "4", "5"),
    ],
)  # fmt: skip
def test_values_that_may_change(base: str, patched: str, before: str, now: str):
    assert values(base, patched) == [(before, now)]


@pytest.mark.parametrize(
    ("base", "patched", "before", "now"),
    [
        ("assertEqual(f(1), 2)", "assertEqual(f(1), 3)", "2", "3"),
        ("assertEqual(2, f(1))", "assertEqual(3, f(1))", "2", "3"),
        ("assertEqual(f(1), 2, 'is 2')", "assertEqual(f(1), 3, msg='is 3')", "2", "3"),
        ("assertIsNone(f(1))", "assertEqual(f(1), 3)", "None", "3"),
        ("assertIs(f(1), True)", "assertIs(f(1), False)", "True", "False"),
        ("assertListEqual(f(1), [1])", "assertListEqual(f(1), [2])", "[1]", "[2]"),
        ("assertCountEqual(f(1), [1, 2])", "assertCountEqual(f(1), [1, 3])", "[1, 2]", "[1, 3]"),
        ("assertAlmostEqual(f(1), 1.5, 3)", "assertAlmostEqual(f(1), 1.6, 3)", "1.5", "1.6"),
        ("assertIn('red', f(1))", "assertIn('blue', f(1))", "'red'", "'blue'"),
        ("assertTrue(has_space('a b'))", "assertFalse(has_space('a b'))", "True", "False"),
        ("assertTrue(f(1) == 2)", "assertTrue(f(1) == 3)", "2", "3"),
        ("assertRegex(f(1), r'a\\d')", "assertRegex(f(1), r'b\\d')", "'a\\\\d'", "'b\\\\d'"),
        ("assertRaisesRegex(E, 'big', f, 1)", "assertRaisesRegex(E, 'small', f, 1)", "'big'", "'small'"),
    ],
)  # fmt: skip
def test_values_of_unittest(base: str, patched: str, before: str, now: str):
    assert values(f"self.{base}", f"self.{patched}") == [(before, now)]


@pytest.mark.parametrize(
    ("base", "patched"),
    [
        # another comparison
        ("assert f(1) == 2", "assert f(1) >= 2"),
        ("assert f(1) == 2", "assert f(1) != 3"),
        ("assert f(1) == 2", "assert f(1) in (2, 3)"),
        ("assert f(1) == 'red'", "assert 'r' in f(1)"),
        ("assert f(1) is True", "assert f(1) == 1"),
        ("assert f(1) is None", "assert not f(1)"),
        ("assert f(1) is True", "assert f(1) == 1 * 1"),
        ("assert f(1) == 2 * n", "assert f(1) == 3 * n"),
        ("assert f(1) == {**d, 'a': 1}", "assert f(1) == {**d, 'a': 2}"),
        ("assert f(1) == Row({**d, 'a': 1})", "assert f(1) == Row({**d, 'a': 2})"),
        ("assert f(1) == Row({'a': 1, 'b': 2})", "assert f(1) == Row({'a': 3})"),
        ("assert 'a' in ['a']", "assert 'b' in ['b']"),
        ("global w\nw = 1\nassert f(1) == w", "global w\nw = 2\nassert f(1) == w"),
        ("for n, w in g(1):\n    assert f(n) == 2 * w", "for n, w in g(1):\n    assert f(n) == 3 * w"),
        ("for n, w in [(1, 2), p]:\n    assert f(n) == w", "for n, w in [(1, 3), p]:\n    assert f(n) == w"),
        ("assert f(1) == 2", "assert f(1)"),
        ("assert f(1) != 2", "assert f(1) != 3"),
        ("assert f(1) > 2", "assert f(1) > 1"),
        ("assert 2 <= f(1)", "assert 1 <= f(1)"),
        ("assert f(1) < 2", "assert f(1) < 3"),
        ("assert f(1) > 2", "assert f(1) < 3"),
        ("assert f(1) > 2", "assert f(1) >= 3"),
        ("with raises(KeyError):\n    f(1)", "with raises(LookupError):\n    f(1)"),
        ("with raises(E):\n    f(1)", "with raises((E, F)):\n    f(1)"),
        ("assert isinstance(f(1), str)", "assert isinstance(f(1), object)"),
        ("assert isinstance(f(1), bool)", "assert isinstance(f(1), int)"),
        ("assert isinstance(f(1), str)", "assert isinstance(f(1), (str, int))"),
        ("assert all(f(1))", "assert not all(f(1))"),
        ("assert 'a' not in f(1)", "assert 'b' not in f(1)"),
        ("assert f(1) == 2", "assert f(1) == 2 or True"),
        ("assert f(1) == 2 and g(1) == 3", "assert f(1) == 4 or g(1) == 3"),
        ("assert f(1) == 2 or g(1) == 3", "assert f(1) == 2 or g(1) == 4"),
        ("assert a(1) == 2 == b(1)", "assert a(1) == 3 == b(1)"),
        # another subject or input
        ("assert f(1) == 2", "assert f(2) == 3"),
        ("assert f(1) == 2", "assert g(1) == 3"),
        ("assert f(1) == 2", "assert 3 == 3"),
        ("assert 1 == 1", "assert 2 == 2"),
        ("assert 1 == 2", "assert 1 == 1"),
        ("assert f(1) == g(1)", "assert f(1) == g(2)"),
        ("assert f(1) == f(2)", "assert f(1) == 5"),
        ("assert Slug('A b') == EXPECTED", "assert Slug('a-b') == EXPECTED"),
        ("assert Slug('A b') == shop.expected", "assert Slug('a-b') == shop.expected"),
        ("self.assertEqual([str(1)], EXPECTED)", "self.assertEqual([str(2)], EXPECTED)"),
        ("want = f(1)\nassert Slug('A b') == want", "want = f(1)\nassert Slug('a-b') == want"),
        ("x = 1\nassert f(x) == 2", "x = 5\nassert f(x) == 2"),
        ("x = 1\nassert f(x) == x", "x = 5\nassert f(x) == x"),
        ("want = 1\nassert f(1) == want", "want = f(1)\nassert f(1) == want"),
        ("want = 1\nwant += 1\nassert f(1) == want", "want = 2\nwant += 1\nassert f(1) == want"),
        ("a = 1\nb = 1\nassert a == b", "a = 2\nb = 2\nassert a == b"),
        # something that is equal to more
        ("assert f(1) == 2", "assert f(1) == ANY"),
        ("assert f(1) == 2", "assert f(1) == mock.ANY"),
        ("assert f(1) == {'a': 1}", "assert f(1) == {'a': mock.ANY}"),
        ("assert f(1) == 2", "assert f(1) == EXPECTED"),
        ("assert f(1) == 2", "assert f(1) == f(1)"),
        ("assert f(1) == 2", "assert f(1) == approx(2)"),
        ("assert f(1) == approx(2)", "assert f(1) == approx(3, rel=1)"),
        ("assert f(1) == approx(2, abs=0.1)", "assert f(1) == approx(3, abs=10)"),
        ("assert f(1) == 2", "assert f(1) == Anything(3)"),
        ("assert f(1) == IsStr('a')", "assert f(1) == IsStr('b')"),
        ("assert f(1) == Point(x=1, y=2)", "assert f(1) == Point(x=1)"),
        ("assert f(1) == 2", "assert f(1) == Decimal('3')"),
        ("assert f(1) == snapshot(2)", "assert f(1) == snapshot()"),
        ("assert f(1) == f'{a} {b}'", "assert f(1) == f'{a}'"),
        ("assert f(1) == [u.id, 2]", "assert f(1) == [f(1)[0], 2]"),
        # looked for in something longer
        ("assert 'red car' in f(1)", "assert 'red' in f(1)"),
        ("assert 'red car' in f(1)", "assert '' in f(1)"),
        ("assert 'red car' in f(1)", "assert ' ' in f(1)"),
        ("assert 'red car' in f(1)", "assert 'x' in f(1)"),
        ("assert f(1) in (1, 2)", "assert f(1) in (1, 2, 3)"),
        ("assert f(1) in (1, 2)", "assert f(1) in '12345'"),
        ("assert f(1).startswith('Dear')", "assert f(1).startswith('D')"),
        ("with raises(E, match='too big'):\n    f(1)", "with raises(E, match='too'):\n    f(1)"),
        ("with raises(E, match='too big'):\n    f(1)", "with raises(E, match='.*'):\n    f(1)"),
        ("with raises(E, match='too big'):\n    f(1)", "with raises(E, match='too|'):\n    f(1)"),
        ("with raises(E, match='too big'):\n    f(1)", "with raises(E):\n    f(1)"),
        ("with raises(E, match='ab*'):\n    f(1)", "with raises(E, match='c*'):\n    f(1)"),
        ("with raises(E):\n    f(1)", "with raises(Exception):\n    f(1)"),
        ("with raises(E):\n    f(1)", "f(1)"),
        # the opposite of something narrow
        ("assert isinstance(f(1), int)", "assert not isinstance(f(1), int)"),
        ("assert is_equal(f(1), 2)", "assert not is_equal(f(1), 2)"),
        ("assert is_same('a', 'b')", "assert not is_same('a', 'b')"),
        ("assert f(1) == 2", "assert not f(1) == 2"),
        # fewer or other assertions, another set-up
        ("assert f(1) == 2\nassert g(1) == 3", "assert f(1) == 4"),
        ("assert f(1) == 2\nassert g(1) == 3", "assert g(1) == 4\nassert f(1) == 2"),
        ("assert f(1) == 2", "if False:\n    assert f(1) == 3"),
        ("assert f(1) == 2", "return\nassert f(1) == 3"),
        ("assert f(1) == 2", "try:\n    assert f(1) == 3\nexcept Exception:\n    pass"),
        ("shop.add(1)\nassert f(1) == 2", "assert f(1) == 3"),
        ("mock.assert_called_once_with('a', 1)", "mock.assert_called_once_with('a', ANY)"),
        ("mock.assert_called_once_with('a', 1)", "mock.assert_called_once_with('a')"),
        ("mock.assert_called_once_with('a')", "mock.assert_called_once()"),
    ],
)  # fmt: skip
def test_what_weakens_a_test_is_only_tampering(base: str, patched: str):
    assert in_test(base, patched) == [("edits the existing test test_total", None)]


@pytest.mark.parametrize(
    ("base", "patched"),
    [
        ("assertEqual(f(1), 2)", "assertNotEqual(f(1), 3)"),
        ("assertEqual(f(1), 2)", "assertIn(f(1), [2, 3])"),
        ("assertEqual(f(1), 2)", "assertAlmostEqual(f(1), 3)"),
        ("assertEqual(f(1), 2)", "assertIsNotNone(f(1))"),
        ("assertEqual(f(1), 2)", "assertTrue(f(1), 3)"),
        ("assertEqual(1, 2)", "assertEqual(1, 1)"),
        ("assertAlmostEqual(f(1), 2, places=3)", "assertAlmostEqual(f(1), 3, places=0)"),
        ("assertAlmostEqual(f(1), 2)", "assertAlmostEqual(f(1), 3, delta=9)"),
        ("assertLess(f(1), 2)", "assertLess(f(1), 9)"),
        ("assertIs(f(1), True)", "assertEqual(f(1), 1)"),
        ("assertRaises(E, f, 1)", "assertRaises(Exception, f, 1)"),
        ("assertRegex(f(1), 'abc')", "assertRegex(f(1), 'a')"),
        ("assertTrue(equals(f(1), 2))", "assertFalse(equals(f(1), 2))"),
        ("assertTrue(f(1) == 2)", "assertFalse(f(1) == 2)"),
    ],
)
def test_what_weakens_a_unittest(base: str, patched: str):
    found_edits = in_test(f"self.{base}", f"self.{patched}")
    assert found_edits == [("edits the existing test test_total", None)]


@pytest.mark.parametrize(
    ("base", "patched", "before", "now"),
    [
        ("with raises(ValueError):\n    f(1)", "with raises(KeyError):\n    f(1)", "ValueError", "KeyError"),
        ("raises(ValueError, f, 1)", "raises(shop.Missing, f, 1)", "ValueError", "shop.Missing"),
        ("with raises((A, B)):\n    f(1)", "with raises((A, C)):\n    f(1)", "(A, B)", "(A, C)"),
        ("self.assertRaises(ValueError, f, 1)", "self.assertRaises(KeyError, f, 1)", "ValueError", "KeyError"),
        ("assert isinstance(f(1), str)", "assert isinstance(f(1), int)", "str", "int"),
        ("self.assertIsInstance(f(1), str)", "self.assertIsInstance(f(1), int)", "str", "int"),
        ("assert valid('x')", "assert not valid('x')", "True", "False"),
        ("assert is_valid(x)", "assert not is_valid(x)", "True", "False"),
        ("assert not find(y)", "assert find(y)", "False", "True"),
        ("assert len(f(1)) > 2", "assert len(f(1)) > 3", "2", "3"),
        ("assert 2 >= f(1)", "assert 1 >= f(1)", "2", "1"),
        ("self.assertLess(f(1), 2)", "self.assertLess(f(1), -1)", "2", "-1"),
    ],
)  # fmt: skip
def test_types_bounds_and_answers_of_yes_or_no(base: str, patched: str, before: str, now: str):
    assert values(base, patched) == [(before, now)]


def test_a_new_value_beside_more_assertions():
    assert values("assert f(1) == 2", "assert f(1) == 3\nassert f(2) == 4") == [("2", "3")]
    assert values("assert f(1) == 2", "assert f(2) == 4\nassert f(1) == 3") == [("2", "3")]


def test_each_value_of_a_test_is_one_expectation():
    changed = values(
        "assert f(1) == 2\nassert f(2) == 3\nassert f(3) == 4",
        "assert f(1) == 5\nassert f(2) == 3\nassert f(3) == 6",
    )
    assert changed == [("2", "5"), ("4", "6")]


def test_a_value_that_changes_beside_a_weakened_one():
    base = "assert f(1) == 2\nassert g(1) == 3"
    assert in_test(base, "assert f(1) == 4\nassert g(1) >= 3") == [
        ("edits the existing test test_total", None)
    ]


def test_two_tests_of_which_one_is_weakened():
    base = "def test_a():\n    assert f(1) == 2\ndef test_b():\n    assert g(1) == 2\n"
    patched = base.replace("f(1) == 2", "f(1) == 3").replace("g(1) == 2", "g(1)")
    assert [(reason, bool(e)) for reason, e in found(base, patched)] == [
        ("changes what test_a expects: 2 -> 3", True),
        ("edits the existing test test_b", False),
    ]


def test_a_method_is_named_as_pytest_does():
    base = "class TestShop:\n    async def test_total(self):\n        assert await f(1) == 2\n"
    [(_, expected)] = found(base, base.replace("== 2", "== 3"))
    assert expected is not None
    assert expected.test == "TestShop::test_total"


PARAMETRIZED = """
    @pytest.mark.parametrize(("given", "expected"), [(1, 2), (2, 4), pytest.param(3, 6, id="x")])
    def test_double(given, expected):
        assert double(given) == expected
"""


@pytest.mark.parametrize(
    ("old", "new", "before", "now"),
    [
        ("(2, 4)", "(2, 5)", "4", "5"),
        ("(2, 4)", "(2, 5), (7, 8)", "4", "5"),
        ("param(3, 6,", "param(3, 7,", "6", "7"),
    ],
)
def test_the_expected_column_of_a_table(old: str, new: str, before: str, now: str):
    [(_, expected)] = found(PARAMETRIZED, PARAMETRIZED.replace(old, new))
    assert expected is not None
    assert (expected.test, expected.before, expected.now) == ("test_double", before, now)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("(2, 4)", "(3, 4)"),
        ("(2, 4), ", ""),
        ("(1, 2), (2, 4)", "(2, 5), (1, 2)"),
        ("(2, 4)", "(2, mock.ANY)"),
        ("(2, 4)", "pytest.param(2, 5, marks=pytest.mark.skip)"),
        ("param(3, 6,", "param(3, 7, marks=pytest.mark.xfail,"),
        ('id="x")]', 'id="x")], indirect=["expected"]'),
    ],
)
def test_other_changes_of_a_table(old: str, new: str):
    [(reason, expected)] = found(PARAMETRIZED, PARAMETRIZED.replace(old, new))
    assert (reason, expected) == ("edits the existing test test_double", None)


def test_other_ways_to_write_a_table():
    head = "def test_a(given, expected):\n    assert f(given) == expected\n"
    for names in ("'given, expected'", "['given', 'expected']"):
        for rows in ("[(1, 2)]", "argvalues=([1, 2],)", "[(1, 2)], ids=['a']"):
            base = f"@p.mark.parametrize({names}, {rows})\n{head}"
            patched = base.replace("1, 2", "1, 3").replace("['a']", "['a', 'b']")
            assert [reason for reason, _ in found(base, patched)] == [
                "changes what test_a expects: 2 -> 3"
            ]


@pytest.mark.parametrize(
    ("base", "patched"),
    [
        ("@p.mark.parametrize('given, expected', [(1, 2)], ids=['a'])", "['b']"),
        ("@p.mark.parametrize('expected', ['a'])", "['b']"),
        ("@p.mark.parametrize(NAMES, ['a'])", "['b']"),
        ("@p.mark.parametrize('given, expected', ROWS or ['a'])", "['b']"),
        ("@p.mark.parametrize('given, expected', [rows('a'), ['a']])", "['b']"),
        ("@given(['a'])", "['b']"),
        ("@parametrize(['a'])", "['b']"),
    ],
)
def test_what_is_no_table_of_expected_values(base: str, patched: str):
    text = f"{base}\ndef test_a(given, expected):\n    assert f(given) == expected\n"
    [(reason, expected)] = found(text, text.replace("['a']", patched))
    assert (reason, expected) == ("edits the existing test test_a", None)


def test_a_coroutine_is_another_test():
    base = "def test_a():\n    assert f(1) == 2\n"
    patched = "async " + base.replace("== 2", "== 3")
    assert found(base, patched) == [("edits the existing test test_a", None)]


def test_a_column_that_is_also_an_input_is_none_of_expected_values():
    for body in ("assert double(expected) == expected", "assert given == expected"):
        base = PARAMETRIZED.replace("assert double(given) == expected", body)
        [(_, expected)] = found(base, base.replace("(2, 4)", "(2, 5)"))
        assert expected is None


def test_a_skip_beside_a_new_value():
    base = "def test_a():\n    assert f(1) == 2\n"
    patched = "@pytest.mark.skip\n" + base.replace("== 2", "== 3")
    assert found(base, patched) == [("skips the existing test test_a", None)]


def test_a_condition_around_a_new_value():
    base = "def test_a():\n    assert f(1) == 2\n"
    patched = "if x:\n    def test_a():\n        assert f(1) == 3\n"
    assert found(base, patched) == [("edits the existing test test_a", None)]


def test_a_new_docstring_is_no_expectation():
    base = "def test_a():\n    'one'\n    assert f(1) == 2\n"
    assert found(base, base.replace("one", "two")) == []
    [(reason, _)] = found(base, base.replace("one", "two").replace("== 2", "== 3"))
    assert reason == "changes what test_a expects: 2 -> 3"


def test_hostile_trees_are_given_up():
    base = "def test_a():\n    assert f(1) == 2\n"
    deep = "def test_a():\n    assert f(1) == " + "-" * 1_200 + "2\n"
    for text in (deep, base.replace("f(1)", "f" + "(1)" * 1_200)):
        for depth in range(0, 600, 50):
            edits = deeper(depth, text, text.replace("2\n", "3\n"))
            assert [expected for _, expected in edits] == [None]


def deeper(depth: int, *texts: str) -> list[tuple[str, Expectation | None]]:
    """How deep a tree Python can make depends on the calls that it is in."""
    return deeper(depth - 1, *texts) if depth else found(*texts)
