"""Other inputs: which ones, in which order, and how many."""

# ruff: noqa: E501 - tables with one case in a line
import time

import pytest

from yudai.verification.recorded.domain.probe import Expected, Language, Probe, Relation
from yudai.verification.recorded.domain.vary import choose, related, vary, words_of


def probe(expression: str, *code: str, language: Language = Language.PYTHON) -> Probe:
    return Probe("t", "test_x.py", language, (), code, expression, Expected(Relation.TRUE))


def varied(expression: str, language: Language = Language.PYTHON) -> list[str]:
    return [variant.probe.expression for variant in vary(probe(expression, language=language))]


@pytest.mark.parametrize(
    ("expression", "among"),
    [
        ("f(5)", ["f(6)", "f(10)", "f(0)", "f(4)", "f((-5))", "f(1000012)"]),
        ("f(-2)", ["f((-1))", "f((-4))", "f(0)", "f((-3))", "f(2)", "f(1000005)"]),
        ("f(1.5)", ["f(2.5)", "f(3.0)", "f(0.0)", "f(0.5)", "f((-1.5))", "f(1000008.5)"]),
        ("f(True)", ["f(False)"]),
        ("f('')", []),
        ("f('1h')", ["f('2h')", "f('1h1h')", "f('h')", "f('')", "f('1')", "f('h1')", "f('1H')"]),
        ("f([a, b])", ["f([b, a])", "f([a, b, a])", "f([a, b, b])", "f([a, a, b])", "f([a])", "f([b])", "f([])"]),
        ("f((a,))", ["f((a, a))", "f(())"]),
        ("f({a: b, c: d})", ["f({c: d, a: b})", "f({a: b, c: d, a: b})", "f({a: b, c: d, c: d})", "f({a: b, a: b, c: d})", "f({a: b})", "f({c: d})", "f({})"]),
        ("f({a: b, **c})", []),
        ("f(x=[])", []),
        ("f(lambda: 3, f'{4}', None)", []),
        ("x[a]", []),
    ],
)  # fmt: skip
def test_python_literals_are_varied(expression: str, among: list[str]):
    assert varied(expression) == among


@pytest.mark.parametrize(
    ("expression", "among"),
    [
        ("f(5)", ["f(6)", "f(10)", "f(0)", "f(4)", "f((-5))", "f(1000012)"]),
        ("f(-2)", ["f((-1))", "f((-4))", "f(0)", "f((-3))", "f(2)", "f(1000005)"]),
        ("f(true)", ["f(false)"]),
        ("f({ 'k': a })", ["f({'k': a, 'k': a})", "f({})"]),
        ("f(() => { g; })", []),
        ("f([a, b])", ["f([b, a])", "f([a, b, a])", "f([a, b, b])", "f([a, a, b])", "f([a])", "f([b])", "f([])"]),
        ("a[b]", []),
        ("f(`x`, /a/)", []),
        ('f("é1")', ['f("\\u00e92")', 'f("\\u00e91\\u00e91")', 'f("1")', 'f("")', 'f("\\u00e9")', 'f("1\\u00e9")', 'f("\\u00c91")']),
    ],
)  # fmt: skip
def test_javascript_literals_are_varied(expression: str, among: list[str]):
    assert varied(expression, Language.NODE) == among


def test_lines_of_a_text_are_swapped_doubled_and_dropped():
    found = [v.probe.code[0] for v in vary(probe("f(T)", "T = 'head\\na 1\\nb 2\\n'"))]
    assert "T = 'head\\nb 2\\na 1\\n'" in found
    assert "T = 'head\\na 1\\na 1\\nb 2\\n'" in found
    assert "T = 'head\\na 1\\nb 2\\nhead\\n'" in found
    assert "T = 'head\\nb 2\\n'" in found
    assert "T = 'head\\na 2\\nb 3\\n'" in found


def test_statements_are_varied_and_helpers_are_not():
    found = [v.probe.code for v in vary(probe("f(A, 1)", "A = 1", "def g():\n    return 1"))]
    assert all(code[1] == "def g():\n    return 1" for code in found)
    assert {code[0] for code in found} >= {"A = 1", "A = 2", "A = 0"}


def test_what_a_variant_should_give_is_not_known():
    assert {v.probe.expected.relation for v in vary(probe("f(1)"))} == {Relation.OPEN}


def test_the_choice_is_bounded_divided_sorted_and_always_the_same():
    own = [probe(f"own({n})") for n in range(1, 30)]
    base = [probe(f"base({n}, 'text')") for n in range(1, 100)]
    found = choose(own, base, 100)
    assert found == choose(own, base, 100)
    assert len(found) == 100
    sizes = [variant.probe.size for variant in found]
    assert sizes == sorted(sizes)
    assert sum(v.seed.expression.startswith("own") for v in found) >= 40
    assert len({v.probe for v in found}) == 100
    # One change of each of base's comes before a second one of any.
    assert len({v.seed for v in found if v.seed.expression.startswith("base")}) >= 40


def test_tests_that_share_words_with_a_patch_come_first():
    probes = [probe("parse(text)"), probe("human(seconds)"), probe("other(1)")]
    words = words_of("-def human(seconds):\n+def human(seconds, short):\n")
    assert related(probes, words)[0].expression == "human(seconds)"


@pytest.mark.parametrize("language", list(Language))
@pytest.mark.parametrize(
    "expression",
    ["f(" + "[" * 90 + "1" + "]" * 90 + ")", f"f([{', '.join(['1'] * 20000)}])", f"f('{'a' * 100000}')"],
    ids=["deep", "long", "text"],
)  # fmt: skip
def test_hostile_literals_take_no_time(expression: str, language: Language):
    began = time.monotonic()
    assert len(varied(expression, language)) <= 200
    assert time.monotonic() - began < 20
