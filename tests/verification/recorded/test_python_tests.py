"""Python tests taken apart: statements, expressions, expected values, and what cannot be."""

# ruff: noqa: E501 - tables with one case in a line
import time
from textwrap import dedent

import pytest

from yudai.verification.domain.expected.literals import literal_of
from yudai.verification.recorded.domain.probe import Expected, Relation, TakenApart
from yudai.verification.recorded.domain.python_tests import take_apart

PATH = "tests/test_x.py"


def taken(text: str, name: str = "test_it", around: tuple[str, ...] = ()) -> TakenApart:
    return take_apart(PATH, dedent(text), f"{PATH}::{name}", around=around)


def of(assertion: str, head: str = "") -> list[tuple[str, Expected]]:
    body = dedent(assertion).strip().replace("\n", "\n    ")
    found = taken(f"import pytest\nfrom shop import f, g\n{head}\ndef test_it():\n    {body}\n")
    return [(probe.expression, probe.expected) for probe in found.probes]


def expected(relation: Relation, value: str) -> Expected:
    return Expected(relation, literal_of(value))


@pytest.mark.parametrize(
    ("assertion", "expression", "meant"),
    [
        ("assert f(1) == '1h'", "f(1)", expected(Relation.EQUAL, "'1h'")),
        ("assert '1h' == f(1)", "f(1)", expected(Relation.EQUAL, "'1h'")),
        ("assert f(1) == -3 + 2 * 5", "f(1)", expected(Relation.EQUAL, "7")),
        ("assert f(1) == [1, (2,), {'a': None}]", "f(1)", expected(Relation.EQUAL, "[1, (2,), {'a': None}]")),
        ("assert f(1) != 2", "f(1)", expected(Relation.DIFFERENT, "2")),
        ("assert f(1) is None", "f(1)", expected(Relation.EQUAL, "None")),
        ("assert f(1) is not None", "f(1)", expected(Relation.DIFFERENT, "None")),
        ("assert f(1)", "f(1)", Expected(Relation.TRUE)),
        ("assert not f(1)", "f(1)", Expected(Relation.FALSE)),
        ("assert f(1) in (1, 2)", "f(1)", expected(Relation.MEMBER, "(1, 2)")),
        ("assert 'a' in f(1)", "f(1)", expected(Relation.CONTAINS, "'a'")),
        ("assert f(1) < 3", "f(1) < 3", Expected(Relation.TRUE)),
        ("assert f(1) == g(1)", "f(1)", Expected(Relation.OPEN)),
        ("assert f(1) == pytest", "", Expected(Relation.OPEN)),
        ("want = 3\nassert f(1) == want", "f(1)", expected(Relation.EQUAL, "3")),
        ("with pytest.raises(ValueError):\n    f(1)", "f(1)", Expected(Relation.RAISES, None, "ValueError")),
        ("with pytest.raises(f.Bad, match='x'):\n    f(1)", "f(1)", Expected(Relation.RAISES, None, "Bad")),
        ("with pytest.raises((A, B)):\n    f(1)", "f(1)", Expected(Relation.RAISES)),
    ],
)  # fmt: skip
def test_an_assertion_says_what_is_computed_and_what_is_expected(
    assertion: str, expression: str, meant: Expected
):
    found = of(assertion)
    assert found == ([(expression, meant)] if expression else [("f(1)", meant)])


def test_each_assertion_has_the_statements_before_it():
    found = taken(
        """
        import pytest
        from shop import Cart, Item
        from elsewhere import unused

        UNUSED = 3
        ITEM = Item("tea", 3)
        PAIR = [ITEM, ITEM]

        def fill(cart):
            cart.add(ITEM)
            return cart

        def test_other():
            assert False

        def test_it():
            '''What it is about.'''
            cart = fill(Cart())
            assert cart.total() == 3 and cart.count() == 1
            with pytest.raises(KeyError):
                cart.remove("milk")
            cart.add(PAIR[0])
            assert cart.total() == 6
        """
    )
    assert found.reason == ""
    assert [probe.expression for probe in found.probes] == [
        "cart.total()",
        "cart.count()",
        "cart.remove('milk')",
        "cart.total()",
    ]
    last = found.probes[-1]
    assert last.imports == ("from shop import Cart", "from shop import Item")
    assert last.code == (
        "ITEM = Item('tea', 3)",
        "PAIR = [ITEM, ITEM]",
        "def fill(cart):\n    cart.add(ITEM)\n    return cart",
        "cart = fill(Cart())",
        "cart.total()",
        "cart.count()",
        "try:\n    cart.remove('milk')\nexcept Exception:\n    pass",
        "cart.add(PAIR[0])",
    )


CASES = """
    import pytest
    from shop import f

    @pytest.mark.parametrize("sign", ["+", "-"])
    @pytest.mark.parametrize(("text", "number"), [("1", 1), ("a b", None), (f, 2.5), ("1", 1)])
    def test_it(text, number, sign):
        assert f(text, sign) == number
    """


@pytest.mark.parametrize(
    ("case", "code", "value"),
    [
        ("a b-None--", ("text = 'a b'", "sign = '-'"), "None"),
        ("text2-2.5-+", ("text = f", "sign = '+'"), "2.5"),
    ],
)
def test_a_case_has_its_own_values(case: str, code: tuple[str, ...], value: str):
    [probe] = taken(CASES, f"test_it[{case}]").probes
    assert probe.code == code
    assert probe.expected == expected(Relation.EQUAL, value)


@pytest.mark.parametrize("case", ["1-1-+", "9-9-+", ""])
def test_a_case_that_is_not_the_only_one_of_its_name_is_not_taken(case: str):
    found = taken(CASES, f"test_it[{case}]")
    assert found == TakenApart(reason="its case cannot be told from others")


def test_methods_of_a_case_without_a_set_up_are_taken_apart():
    text = """
        import unittest
        from shop import f

        class TestShop(unittest.TestCase):
            def test_it(self):
                x = f(1)
                self.assertEqual(x, 3)
                self.assertTrue(x)
                self.assertIsNone(f(2))
                self.assertIn(x, [3, 4])
                self.assertRaises(ValueError, f, "a", b=1)
                with self.assertRaises(KeyError):
                    f("b")
        """
    found = take_apart(PATH, dedent(text), "tests.test_x.TestShop.test_it")
    assert found.reason == ""
    assert [(probe.expression, probe.expected) for probe in found.probes] == [
        ("x", expected(Relation.EQUAL, "3")),
        ("x", Expected(Relation.TRUE)),
        ("f(2)", expected(Relation.EQUAL, "None")),
        ("x", expected(Relation.MEMBER, "[3, 4]")),
        ("f('a', b=1)", Expected(Relation.RAISES, None, "ValueError")),
        ("f('b')", Expected(Relation.RAISES, None, "KeyError")),
    ]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("def test_it(tmp_path):\n    assert f(tmp_path)", "it uses fixtures"),
        ("def test_it(capsys):\n    assert f(1) == 1", "it uses fixtures"),
        ("@mock.patch('shop.f')\ndef test_it():\n    assert f(1)", "it has a decorator"),
        ("@pytest.mark.skip\ndef test_it():\n    assert f(1)", "it has a decorator"),
        ("async def test_it():\n    assert f(1)", "it is asynchronous"),
        ("import time\ndef test_it():\n    time.sleep(1)\n    assert f(1)", "it uses time"),
        ("from random import choice\ndef test_it():\n    assert f(choice([1]))", "it uses random"),
        ("from unittest import mock\ndef test_it():\n    assert f(mock.ANY)", "it uses mock"),
        ("def test_it():\n    assert f(date.today()) == 1", "it asks for the time"),
        ("def test_it():\n    x = pytest.approx(1)\n    assert f(x)", "it uses pytest beside its assertions"),
        ("from .near import f\ndef test_it():\n    assert f(1)", "it imports its neighbours"),
        ("def test_it():\n    for x in [1]:\n        assert f(x)\n    assert f(2)", "it asserts in a branch, a loop or a helper"),
        ("def ok(x):\n    assert x\ndef test_it():\n    ok(f(2))\n    assert f(1)", "it asserts in a branch, a loop or a helper"),
        ("pytestmark = pytest.mark.usefixtures('x')\ndef test_it():\n    assert f(1)", "its file is marked"),
        ("@pytest.fixture(autouse=True)\ndef y(): pass\ndef test_it():\n    assert f(1)", "its file has fixtures for every test"),
        ("def setup_function():\n    pass\ndef test_it():\n    assert f(1)", "its file has fixtures for every test"),
        ("def test_it():\n    assert f(__file__)", "it uses __file__"),
        ("def test_it():\n    f(1)", "it asserts nothing that can be read"),
        ("def test_other():\n    assert f(1)", "it does not stand in its file"),
        ("def test_it(:\n", "its file cannot be read"),
    ],
)  # fmt: skip
def test_what_cannot_be_taken_apart_is_said(text: str, reason: str):
    assert taken(f"import pytest\nfrom shop import f\n{text}\n") == TakenApart(reason=reason)


@pytest.mark.parametrize("name", ["setUp", "tearDown", "setUpClass", "setup_method"])
def test_a_class_with_a_set_up_is_not_taken_apart(name: str):
    text = (
        f"class TestA:\n    def {name}(self): pass\n    def test_it(self):\n        assert f(1)\n"
    )
    assert taken(text, "TestA::test_it") == TakenApart(reason="its class has a set-up")


@pytest.mark.parametrize(
    ("conftest", "reason"),
    [
        ("", ""),
        ("import pytest\n@pytest.fixture\ndef shop(): return 1\n", ""),
        ("import pytest\n@pytest.fixture(autouse=True)\ndef shop(): return 1\n", "speaks"),
        ("def pytest_configure(config): pass\n", "speaks"),
        ("X = 3\n", "speaks"),
    ],
)
def test_conftest_files_that_speak_about_every_test_are_a_reason(conftest: str, reason: str):
    found = taken("from shop import f\ndef test_it():\n    assert f(1)\n", around=(conftest,))
    assert reason in found.reason
    assert bool(found.probes) is not bool(reason)


@pytest.mark.parametrize(
    "text",
    [
        f"def test_it():\n    assert f({'(' * 5000}1{')' * 5000})\n",
        f"def test_it():\n    assert f(1) == {'-' * 20000}1\n",
        "def test_it():\n" + "    assert f(1) == 1\n" * 20000,
        "".join(f"A{n} = A{n - 1}\n" for n in range(1, 3000))
        + "def test_it():\n    assert A2999\n",
        f"def test_it():\n    assert f(1) == {' + '.join(['1'] * 3000)}\n",
        f"def test_it():\n    assert {' and '.join(['f(1)'] * 5000)}\n",
        "x = 'a' * 9\n" * 5000 + "def test_it():\n    assert f(x) == x\n",
        "def test_it():\n    assert f(1) == " + "10 ** " * 50 + "10\n",
    ],
    ids=["deep", "signs", "many", "chain", "sum", "and", "same", "power"],
)
def test_hostile_sources_take_no_time(text: str):
    began = time.monotonic()
    found = taken(text)
    assert time.monotonic() - began < 20
    assert len(found.probes) <= 20
