import pytest

from yudai.verification.domain.test_sources import TestSource, normalised, source_of

PYTHON = '''
import pytest
from passbook.ledger import total as t

ROWS = [1, 2]


def make():
    """Rows."""
    return t(ROWS)


def other():
    return 1


class TestIt:
    @pytest.mark.parametrize("x", [1, 2])
    def test_sum(self, x):
        """Adds."""
        got = make()  # all
        assert got == 3


def test_plain():
    assert t([]) == 0
'''

SCRIPT = """
import { total } from '../src/ledger.js';
const make = () => ({ a: 1 });
describe('ledger', () => {
  beforeEach(() => { reset(); });
  describe("sums > all", function () {
    it.each([[1, 2]])('adds %i to $b', (a, b) => {
      const got = make();
      expect(total(got)).toBe("3",);
    });
    it(`of ${name} rows`, async () => { await total(1); });
  });
  test.each`a | b
    ${1} | ${2}
  `('table $a', ({ a }) => { total(a); });
  it.skip('nothing', () => {});
});
test('suite', async (t) => {
  await t.test('inner one', () => { total(2); });
});
test<Row>('typed', () => total(4))
"""


def of(path: str, text: str, test: str) -> TestSource:
    found = source_of(path, text, test)
    assert found is not None
    return found


def test_a_python_test_with_what_it_refers_to():
    found = of("tests/test_a.py", PYTHON, "tests/test_a.py::TestIt::test_sum[1]")
    assert "def test_sum" in found.own
    assert "# all" not in found.own
    assert [text.partition("\n")[0] for text in found.helpers] == ["def make():", "ROWS = [1, 2]"]


@pytest.mark.parametrize(
    ("test", "own"),
    [
        ("tests.test_a.TestIt.test_sum", "def test_sum"),
        ("sub/tests.test_a.TestIt.test_sum", "def test_sum"),
        ("tests.test_a.TestIt.test_sum (x=1)", "def test_sum"),
        ("tests/test_a.py::test_plain", "def test_plain"),
    ],
)
def test_ids_of_python_tests(test: str, own: str):
    assert own in of("tests/test_a.py", PYTHON, test).own


@pytest.mark.parametrize(
    ("title", "own"),
    [
        ("ledger > sums > all > adds 1 to 2", "it.each([[1, 2]])"),
        ("ledger > sums > all > of 3 rows", "it(`of"),
        ("ledger > table 1", "test.each`a"),
        ("ledger > nothing", "it.skip("),
        ("suite > inner one", "test('inner one'"),
        ("suite", "test('suite'"),
        ("typed", "test<Row>("),
    ],
)
def test_titles_of_scripts(title: str, own: str):
    assert of("tests/a.test.ts", SCRIPT, f"tests/a.test.ts::{title}").own.startswith(own)


def test_a_scripts_test_with_what_it_refers_to():
    found = of("tests/a.test.js", SCRIPT, "tests/a.test.js::ledger > sums > all > adds 1 to 2")
    assert set(found.helpers) == {"beforeEach(() => { reset(); })", "const make = () => ({ a: 1 })"}


@pytest.mark.parametrize(
    ("path", "text", "test"),
    [
        ("tests/test_a.py", PYTHON, "tests/test_a.py::test_gone"),
        ("tests/test_a.py", PYTHON, "tests/test_a.py"),
        ("tests/test_a.py", "def f(:", "tests/test_a.py::f"),
        ("tests/a.test.js", SCRIPT, "tests/a.test.js::ledger > gone"),
        ("tests/a.test.js", "it('x', ((", "tests/a.test.js::x"),
        ("a_test.go", "func TestX() {}", "go test ./..."),
    ],
)
def test_no_such_test(path: str, text: str, test: str):
    assert source_of(path, text, test) is None


def same(path: str, test: str, one: str, two: str) -> bool:
    return normalised(of(path, one, test)) == normalised(of(path, two, test))


def python_same(one: str, two: str) -> bool:
    return normalised(of("tests/test_a.py", one, "tests/test_a.py::test_a")) == normalised(
        of("tests/test_b.py", two, "tests/test_b.py::test_b")
    )


ONE = "from a import f\n\ndef test_a():\n    got = f(1)\n    assert got == 2\n"


@pytest.mark.parametrize(
    "two",
    [
        ONE.replace("got", "result"),
        ONE.replace("got = f(1)", "got = f( 1 )  # calls it"),
        ONE.replace("def test_a():", 'def test_a() -> None:\n    """Doc."""'),
        ONE.replace("import f", "import f as g").replace("f(1)", "g(1)"),
        "import os\n" + ONE + "\n\ndef test_more(): pass\n",
    ],
)
def test_equal_python_tests(two: str):
    assert python_same(ONE, two.replace("test_a(", "test_b("))


@pytest.mark.parametrize(
    "two",
    [
        ONE.replace("f(1)", "f(3)"),
        ONE.replace("== 2", "!= 2"),
        ONE.replace("from a", "from b"),
        ONE.replace("got = f(1)", "got = h(1)") + "\ndef h(x): return f(x)\n",
        "import pytest\n" + ONE.replace("def test_a", "@pytest.mark.x\ndef test_a"),
    ],
)
def test_different_python_tests(two: str):
    assert not python_same(ONE, two.replace("test_a(", "test_b("))


def test_helpers_count():
    text = "from a import f\ndef h(): return f(1)\n\ndef test_a(): assert h() == 1\n"
    assert not python_same(text, text.replace("f(1)", "f(2)").replace("test_a", "test_b"))
    assert python_same(text, text.replace("test_a", "test_b"))


TWO = """import { f } from '../a.js';
test('x', () => {
  const got = f(1);
  expect(got).toBe('2');
});
"""


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("got", "result", True),
        ("'2'", '"2"', True),
        ("f(1);", "f( 1 ) // calls it\n", True),
        ("toBe('2')", "toBe('2',)", True),
        ("const", "let", False),
        ("f(1)", "f(2)", False),
        ("../a.js", "../b.js", False),
        ("'2'", "'3'", False),
    ],
)
def test_equal_scripts(old: str, new: str, *, expected: bool):
    assert same("tests/a.test.js", "tests/a.test.js::x", TWO, TWO.replace(old, new)) is expected


def test_what_a_scripts_test_is_called_does_not_count():
    one = of("tests/a.test.js", TWO, "tests/a.test.js::x")
    two = of("tests/a.test.js", TWO.replace("'x'", "'does it'"), "tests/a.test.js::does it")
    assert normalised(one) == normalised(two)
