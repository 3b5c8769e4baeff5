from textwrap import dedent

import pytest

from yudai.patches.patch import parse_patch
from yudai.verification.domain.edits.tampering import (
    grown_tests,
    hijacking,
    needs_reading,
    tampering,
)

TESTS = """
    import unittest
    import pytest
    from calc import add, mul

    EXPECTED = 5
    UNUSED = 1

    def helper(x):
        return x

    @pytest.fixture
    def two():
        return 2

    def test_add(two):
        "Adds."
        assert add(two, helper(3)) == EXPECTED

    @pytest.mark.parametrize("x", [1, 2])
    def test_mul(x):
        assert mul(x, 1) == x

    class TestMore(unittest.TestCase):
        limit = 3

        def setUp(self):
            self.x = 1

        def test_x(self):
            self.assertEqual(self.x, self.limit - 2)

    @unittest.skip("later")
    def test_later():
        assert False
"""


def reasons(base: str | None, patched: str | None, path: str = "tests/test_calc.py") -> list[str]:
    texts = [None if text is None else dedent(text) for text in (base, patched)]
    return [found.reason for found in tampering({path: texts[0]}, {path: texts[1]})]


def change(old: str, new: str, path: str = "tests/test_calc.py") -> list[str]:
    assert TESTS.count(old) == 1, old
    return reasons(TESTS, TESTS.replace(old, new), path)


def more(text: str, path: str = "tests/test_calc.py") -> list[str]:
    return reasons(TESTS, dedent(TESTS) + dedent(text), path)


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("(3)) == EXPECTED", "(3)) == 6", "edits the existing test test_add"),
        ("def test_add", "def test_sum", "renames the existing test test_add to test_sum"),
        ("def test_add", "def check_add", "removes the existing test test_add"),
        ("self.x, self.limit", "1, self.limit", "edits the existing test TestMore::test_x"),
        ("def test_x", "def old_x", "removes the existing test TestMore::test_x"),
        ("unittest.TestCase)", "object)", "changes the test class TestMore"),
        ("class TestMore", "class More", "removes the test class TestMore"),
        ("return 2", "return 3", "changes the fixture two"),
        ("@pytest.fixture\n", "@pytest.fixture(autouse=True)\n", "changes the fixture two"),
        ("self.x = 1", "self.x = 2", "changes the set-up TestMore::setUp"),
        ("EXPECTED = 5", "EXPECTED = 6", "changes EXPECTED, which existing tests use"),
        ("EXPECTED = 5", "", "changes EXPECTED, which existing tests use"),
        ("limit = 3", "limit = 4", "changes TestMore::limit, which existing tests use"),
        ("return x\n", "return 5\n", "changes helper, which existing tests use"),
        ("from calc import", "from fake import", "changes add, which existing tests use"),
        ('("x", [1, 2])', '("x", [1])', "edits the existing test test_mul"),
        ('("x", [1, 2])', '("x", [2, 1])', "edits the existing test test_mul"),
        ('("x", [1, 2])', '("x", range(3))', "edits the existing test test_mul"),
        ('("x", [1, 2])', '("x", [1, 2, 3], True)', "edits the existing test test_mul"),
        ('.parametrize("x", [1, 2])', '.usefixtures("x")', "edits the existing test test_mul"),
        ('.mark.parametrize("x", [1, 2])', ".fixture", "edits the existing test test_mul"),
        ('@pytest.mark.parametrize("x", [1, 2])', "@odd", "edits the existing test test_mul"),
        (
            "    def test_add",
            '    @pytest.mark.skip("no")\n    def test_add',
            "skips the existing test test_add",
        ),
        ("    def test_add", "    @pytest.mark.xfail\n    def test_add", "skips the existing"),
        ('skip("later")', 'skipIf(1, "x")', "skips the existing test test_later"),
        ("    class TestM", '    @unittest.skip("")\n    class TestM', "skips the test class"),
        ("limit = 3", "limit = 3\n        __test__ = False", "adds TestMore::__test__"),
    ],
)
def test_edits_of_existing_tests(old: str, new: str, reason: str):
    assert reason in change(old, new)[0]


@pytest.mark.parametrize(
    ("addition", "reason"),
    [
        ("def test_add():\n    pass\n", "edits the existing test test_add"),
        ("test_add = None\n", "replaces the existing test test_add"),
        ("from other import test_add\n", "replaces the existing test test_add"),
        ("del test_add\n", "replaces the existing test test_add"),
        ("TestMore.test_x = None\n", "replaces the existing test TestMore::test_x"),
        ("TestMore = None\n", "removes the test class TestMore"),
        ("add = lambda *a: 5\n", "changes add, which existing tests use"),
        ("EXPECTED, y = 6, 7\n", "changes EXPECTED, which existing tests use"),
        ("EXPECTED: int = 6\n", "changes EXPECTED, which existing tests use"),
        ("EXPECTED += 1\n", "changes EXPECTED, which existing tests use"),
        ("pytestmark = pytest.mark.skip\n", "adds pytestmark"),
        ("pytest.skip('x', allow_module_level=True)\n", "stops or skips the whole file"),
        ("raise unittest.SkipTest('x')\n", "stops or skips the whole file"),
        ("import sys\nsys.exit(0)\n", "stops or skips the whole file"),
        ("try:\n    x = 1\nexcept Exception:\n    raise\n", "stops or skips the whole file"),
        ("match 1:\n    case 1:\n        raise SystemExit\n", "stops or skips the whole file"),
        ("def setUpModule():\n    pass\n", "adds the set-up setUpModule"),
        (
            "@pytest.fixture(autouse=True)\ndef always():\n    pass\n",
            "adds the autouse fixture always",
        ),
        ("@pytest.fixture(**how)\ndef always():\n    pass\n", "adds the autouse fixture always"),
        ("def pytest_generate_tests(metafunc):\n    pass\n", "adds pytest_generate_tests"),
        ("import _pytest.runner\n", "reaches into the test runner (_pytest)"),
        ("from _pytest import runner\n", "reaches into the test runner (_pytest)"),
        (
            "unittest.TestCase.assertEqual = print\n",
            "reaches into the test runner (unittest.TestCase.assertEqual)",
        ),
    ],
)
def test_additions_that_undo_existing_tests(addition: str, reason: str):
    [found] = more(addition)
    assert reason in found


@pytest.mark.parametrize(
    "addition",
    [
        "def test_new():\n    assert add(1, 1) == 2\n",
        "class TestNew:\n    pytestmark = pytest.mark.slow\n    def setup_method(self): pass\n",
        "@pytest.fixture(autouse=False)\ndef three():\n    return 3\n",
        "@pytest.fixture\ndef three():\n    return 3\n",
        "from calc import *\nimport calc as c\nfrom . import x\n",
        "MORE = [1]\nMORE[0] = 2\nprint('hello')\n",
        "UNUSED = 2\n",
        "if True:\n    def test_new():\n        pass\n",
        "for x in []:\n    pass\n",
    ],
)
def test_what_comes_beside_existing_tests_is_welcome(addition: str):
    assert more(addition) == []


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("EXPECTED = 5", "EXPECTED = (\n        5\n    )"),
        ('"Adds."', "'''Adds two numbers.'''"),
        ("add, mul", "add, div, mul"),
        ("import unittest\n", "import unittest\n    import os\n"),
        ("UNUSED = 1", "UNUSED = 2"),
        ('("x", [1, 2])', '("x", [0, 1, 2, 3])'),
        ("def test_mul(x):", "def test_mul(x):  # a comment"),
        ('@unittest.skip("later")\n', "\n"),
        (
            "class TestMore(unittest.TestCase):",
            "class TestMore(\n        unittest.TestCase\n    ):",
        ),
    ],
)
def test_changes_that_keep_what_tests_say_are_welcome(old: str, new: str):
    assert change(old, new) == []


GROWN = """
def test_seconds(client):
    shop = open_shop()
    for n in (1, 2):
        assert f(n) == n
    assert f(5) == 5
"""


def grown(base: str, patched: str, path: str = "tests/test_calc.py") -> list[str]:
    return [one.test for one in grown_tests({path: base}, {path: patched})]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("    assert f(5) == 5\n", "    assert f(5) == 5\n    assert f(3600) == 1\n"),
        ("    assert f(5) == 5\n", "    assert f(3600) == 1\n    assert f(5) == 5\n"),
        ("assert f(n) == n", "assert f(n) == n\n        assert f(-n) == n"),
        ("    assert f(5)", "    with pytest.raises(E):\n        f(-1)\n    assert f(5)"),
        (
            "    assert f(5)",
            "    import os\n    home = os.getcwd()\n    assert home\n    assert f(5)",
        ),
        ("== 5\n", "== 5\n    client.patch('/')\n    shop = None\n    assert f(shop)\n"),
    ],
)
def test_a_test_may_gain_assertions(old: str, new: str):
    assert GROWN.count(old) == 1
    patched = GROWN.replace(old, new)
    assert reasons(GROWN, patched) == []
    assert grown(GROWN, patched) == ["test_seconds"]
    assert grown(GROWN, GROWN) == []


@pytest.mark.parametrize(
    "line",
    [
        "return",
        "pytest.skip('no')",
        "f = lambda n: n",
        "shop = None",
        "shop.f = print",
        "monkeypatch.setattr('calc.f', print)",
        "raise SystemExit",
        "if True: return",
        "while True: break",
        "global f",
        "(f := print)",
        "yield",
        "del shop",
        "from fake import f",
        "from fake import *",
        "def f(n): return n",
        "exec('f = print')",
        "assert pytest.skip('no')",
        "try:\n        pass\n    finally:\n        pass",
    ],
)
def test_what_a_test_gains_may_not_undo_the_rest(line: str):
    patched = GROWN.replace("    assert f(5)", f"    {line}\n    assert f(5)")
    assert reasons(GROWN, patched) == ["edits the existing test test_seconds"]
    assert grown(GROWN, patched) == []


@pytest.mark.parametrize("line", ["pytest.skip('no')", "yield", "return", "raise E"])
def test_what_may_not_stand_at_the_end_either(line: str):
    assert reasons(GROWN, f"{GROWN}    {line}\n") == ["edits the existing test test_seconds"]


def test_a_test_with_fewer_statements_is_edited():
    for line in (
        "    shop = open_shop()\n",
        "        assert f(n) == n\n",
        "    assert f(5) == 5\n",
    ):
        patched = GROWN.replace(line, "        pass\n" if "(n)" in line else "")
        assert reasons(GROWN, patched) == ["edits the existing test test_seconds"]


def test_fixtures_and_tables_may_gain_entries():
    base = (
        "@pytest.fixture\ndef shop():\n    return {'a': 1, 'b': [1]}\n"
        "CASES = [(1, 2)]\ndef test_a(shop):\n    assert CASES\n"
    )
    assert (
        reasons(base, base.replace("[1]}", "[1, 2], 'c': 3}").replace("(1, 2)", "(1, 2), 3")) == []
    )
    assert reasons(base, base.replace("'a': 1", "'a': 2")) == ["changes the fixture shop"]
    assert reasons(base, base.replace("'a': 1, ", "")) == ["changes the fixture shop"]
    assert reasons(base, base.replace("{'a'", "{**x, 'a'")) == ["changes the fixture shop"]
    wider = reasons(base, base.replace("[(1, 2)]", "[(1, 2, 3)]"))
    assert wider == ["changes CASES, which existing tests use"]


def test_a_script_s_test_that_gains_a_line_has_grown():
    base = "it('a', () => {\n  expect(f(1)).toBe(2);\n});\n"
    more = base.replace("});", "  expect(f(2)).toBe(3);\n});")
    assert grown(base, more, "a.test.js") == ["a"]
    assert reasons(base, more, "a.test.js") == []
    assert grown(base, base.replace("2);", "3);"), "a.test.js") == []


def test_a_test_moved_under_a_condition_is_changed():
    base = "def test_a():\n    pass\n"
    assert reasons(base, "if False:\n    def test_a():\n        pass\n") == [
        "edits the existing test test_a"
    ]
    inside = "try:\n    def test_a():\n        pass\nfinally:\n    pass\n"
    assert reasons(inside, inside + "x = 1\n") == []


def test_removing_a_marker_or_an_import_is_welcome():
    assert reasons("import os\npytestmark = 1\ndef test_a(): pass\n", "def test_a(): pass\n") == []


def test_changing_a_marker_is_not():
    found = reasons("pytestmark = a\n", "pytestmark = b\n")
    assert found == ["changes pytestmark"]


def test_a_helper_class_counts_when_tests_use_it():
    base = (
        "class Stub:\n    def value(self): return 1\n\ndef test_a():\n    assert Stub().value()\n"
    )
    assert reasons(base, base.replace("return 1", "return 2")) == [
        "changes Stub::value, which existing tests use"
    ]
    assert reasons(base, base.replace("class Stub", "class Stub(int)")) == [
        "changes Stub, which existing tests use"
    ]


def test_a_parametrize_with_names_may_grow_too():
    base = "@p.mark.parametrize('x', argvalues=[1], ids=['a'])\ndef test_a(x): pass\n"
    assert reasons(base, base.replace("[1]", "[1, 2]").replace("['a']", "['a', 'b']")) == []
    assert reasons(base, base.replace("ids", "id")) == ["edits the existing test test_a"]
    assert reasons(base, base.replace("p.mark", "q.mark")) == ["edits the existing test test_a"]


def expected(
    base: str, patched: str, path: str = "tests/test_calc.py"
) -> list[tuple[str, str, str]]:
    found = [one.expectation for one in tampering({path: base}, {path: patched})]
    assert all(found)
    return [(one.test, one.before, one.now) for one in found if one]


CONSTANTS = """
WANT = "5s"
CASES = {5: "5s", 6: "6s"}
ROWS = [(5, "5s"), (6, "6s")]
GIVEN = 5

@pytest.mark.parametrize("n, want", ROWS)
def test_rows(n, want):
    assert human(n) == want

def test_want():
    assert human(GIVEN) == WANT

def test_cases():
    for n, want in CASES.items():
        assert human(n) == want

class TestHuman:
    want = "5s"

    def test_own(self):
        assert human(5) == self.want
"""


@pytest.mark.parametrize(
    ("old", "new", "test", "before", "now"),
    [
        ('WANT = "5s"', 'WANT = "5 s"', "test_want", "'5s'", "'5 s'"),
        ('{5: "5s"', '{5: "5 s"', "test_cases", "'5s'", "'5 s'"),
        ('(6, "6s")', '(6, "6 s"), (7, "7 s")', "test_rows", "'6s'", "'6 s'"),
        ('    want = "5s"', '    want = "5 s"', "TestHuman::test_own", "'5s'", "'5 s'"),
    ],
)
def test_other_values_beside_the_tests(old: str, new: str, test: str, before: str, now: str):
    assert CONSTANTS.count(old) == 1
    assert expected(CONSTANTS, CONSTANTS.replace(old, new)) == [(test, before, now)]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("GIVEN = 5", "GIVEN = 6"),
        ('WANT = "5s"', "WANT = human(5)"),
        ('{5: "5s"', '{4: "4s"'),
        (', 6: "6s"}', "}"),
        (', (6, "6s")]', "]"),
        ('(6, "6s")', '(7, "7s")'),
        ('(6, "6s")', '(6, "6s", 1)'),
        ('    want = "5s"', "    want = ANY"),
    ],
)
def test_other_inputs_and_fewer_rows_beside_the_tests(old: str, new: str):
    found = tampering(
        {"tests/test_a.py": CONSTANTS}, {"tests/test_a.py": CONSTANTS.replace(old, new)}
    )
    assert found
    assert [one.expectation for one in found] == [None] * len(found)


def test_what_a_helper_compares_with():
    base = "def check(n, want):\n    assert human(n) == want\n\ndef test_a():\n    check(5, '5s')\n"
    assert expected(base, base.replace("'5s'", "'5 s'")) == [("test_a", "'5s'", "'5 s'")]
    assert reasons(base, base.replace("(5, '5s'", "(4, '4s'")) == ["edits the existing test test_a"]
    other = base.replace("== want", "== want or want")
    assert reasons(other, other.replace("'5s'", "'5 s'")) == ["edits the existing test test_a"]


def test_a_file_of_data_may_hold_what_is_expected():
    path = "tests/golden.txt"
    assert expected("a\n5s\n", "a\n5 s\n", path) == [("", "5s", "5 s")]
    for patched in ("a\n", "a\n\0\n"):
        [found] = tampering({path: "a\n5s\n"}, {path: patched})
        assert found.expectation is None


def test_deleted_test_files():
    assert reasons(TESTS, None) == ["deletes this test file"]
    assert reasons("{}", None, "tests/data/expected.json") == ["deletes this test file"]


def test_files_that_cannot_be_read():
    assert reasons(TESTS, "def test_add(:\n") == ["could not be read"]
    assert reasons(TESTS, "x = " + "(" * 10_000) == ["could not be read"]
    assert reasons(TESTS, "x = '\udcff'\n") == ["could not be read"]
    # Python 3.14 can parse what is nested as deeply as this; then all that was there is gone.
    assert reasons(TESTS, "x = a" + ".b" * 5_000 + "\n") != []


def test_new_files_that_are_no_python_are_not_our_business():
    assert reasons(None, "def broken(:\n", "tests/data/broken.py") == []
    assert reasons(None, "{", "tests/data/broken.json") == []


def test_deep_trees_are_given_up_not_died_of():
    deep = "x = " + "-" * 1_500 + "1\ndef test_a(): return x\n"
    assert reasons(deep, deep.replace("1\n", "2\n")) == ["could not be read"]


def test_escapes_in_a_hostile_file_warn_nobody():
    assert reasons("x = '\\d'\n", "x = '\\d'\ny = '\\w'\n") == []


def test_other_test_files_may_only_grow():
    path = "web/sum.test.js"
    base = "test('a', f)\ntest('b', g)\n"
    assert reasons(base, base + "test('c', h)\n", path) == []
    assert reasons(base, base.replace("('b', g)", "('b', h)"), path) == [
        "changes lines of this existing test file"
    ]
    assert reasons("print 'two'\n", "print 'two'\nprint 3\n", "tests/test_old.py") == []
    assert reasons("print 'two'\n", "print 'one'\n", "tests/test_old.py") == [
        "changes lines of this existing test file"
    ]


@pytest.mark.parametrize("path", ["tests/README.md", "tests/requirements-dev.txt", "noxfile.py"])
def test_prose_and_outer_tools_are_free(path: str):
    assert reasons("one\n", "two\n", path) == []
    assert reasons("one\n", None, path) == []


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("def pytest_runtest_makereport(item): pass\n", "adds the hook pytest_runtest_makereport"),
        ("collect_ignore = ['x']\n", "adds collect_ignore"),
        ("pytest_plugins = ['x']\n", "adds pytest_plugins"),
        ("from evil import *\n", "adds everything of evil"),
        ("from evil import pytest_configure\n", "adds pytest_configure"),
        ("import pytest\n@pytest.fixture(autouse=True)\ndef a(): pass\n", "adds the autouse fix"),
        ("import sys\nsys.exit(0)\n", "stops or skips the whole file"),
        ("def broken(:\n", "could not be read"),
    ],
)
@pytest.mark.parametrize("base", [None, "x = 1\n"])
def test_what_conftest_may_not_bring(base: str | None, text: str, reason: str):
    [found] = tampering({"tests/conftest.py": base}, {"tests/conftest.py": (base or "") + text})
    assert reason in found.reason
    assert found.is_runner


def test_what_conftest_may_bring():
    fixture = "import pytest\n@pytest.fixture\ndef client(): return 1\n"
    assert reasons(None, fixture, "conftest.py") == []
    assert reasons("x = 1\n", "x = 1\n" + fixture, "conftest.py") == []


def test_a_changed_hook():
    base = "def pytest_configure(config): pass\n"
    [found] = tampering({"conftest.py": base}, {"conftest.py": base.replace("pass", "1")})
    assert (found.reason, found.is_runner) == ("changes pytest_configure", True)


def test_a_deleted_conftest_changes_how_tests_run():
    [found] = tampering({"conftest.py": "x = 1\n"}, {"conftest.py": None})
    assert (found.line, found.is_runner) == ("conftest.py: deletes this test file", True)


PYPROJECT = """
[project]
name = "x"

[tool.pytest.ini_options]
testpaths = ["tests"]
markers = ["slow: takes long"]
"""


PACKAGE = """
{
  "scripts": {"test": "jest", "test:x": "a", "build": "tsc"},
  "jest": {"testEnvironment": "node"}
}
"""


@pytest.mark.parametrize(
    ("path", "base", "patched"),
    [
        ("pyproject.toml", PYPROJECT, PYPROJECT.replace('["tests"]', '["none"]')),
        ("pyproject.toml", PYPROJECT, PYPROJECT + 'addopts = "-k nothing"\n'),
        ("pyproject.toml", PYPROJECT, PYPROJECT.replace("slow:", "fast:")),
        ("pyproject.toml", PYPROJECT, "[project]\nname = 'x'\n"),
        ("pyproject.toml", None, PYPROJECT),
        ("pyproject.toml", PYPROJECT, PYPROJECT + '\n[project.entry-points.pytest11]\na = "b"\n'),
        ("pyproject.toml", "tool = 1\n", "[tool.pytest]\nx = 1\n"),
        ("pyproject.toml", PYPROJECT, PYPROJECT + "\n[tool.pytest]\nnot toml"),
        ("pytest.toml", None, "x = 1\n"),
        ("tox.toml", "x = 1\n", "x = 2\n"),
        ("pytest.ini", None, ""),
        ("pytest.ini", "[pytest]\naddopts = -q\n", "[pytest]\naddopts = -q -k a\n"),
        ("pytest.ini", "[pytest]\n", None),
        ("sub/.pytest.ini", None, "[pytest]\n"),
        ("setup.cfg", "[metadata]\nname = x\n", "[metadata]\nname = x\n[tool:pytest]\nx = 1\n"),
        ("setup.cfg", "[a]\n", "[a]\n[options.entry_points]\npytest11 =\n  a = b\n"),
        ("setup.cfg", "[a]\n", "no section\n"),
        ("tox.ini", "[testenv]\ncommands = pytest\n", "[testenv]\ncommands = true\n"),
        ("tox.ini", "[testenv:py]\nx = 1\n", "[testenv:py]\nx = 2\n"),
        ("package.json", PACKAGE, PACKAGE.replace('"test": "jest"', '"test": "true"')),
        ("package.json", PACKAGE, PACKAGE.replace('"test:x": "a"', '"test:x": "b"')),
        ("package.json", PACKAGE, PACKAGE.replace('"scripts": {', '"scripts": {"pretest": "x",')),
        ("package.json", PACKAGE, PACKAGE.replace('"node"', '"jsdom"')),
        ("package.json", PACKAGE, PACKAGE.replace('"jest": {', '"other": {')),
        ("package.json", PACKAGE, "not json"),
        ("web/jest.config.js", None, "module.exports = {}\n"),
        ("jest.config.js", "a", "b"),
        ("vitest.config.ts", "a", None),
        (".mocharc.yml", "spec: a\n", "spec: b\n"),
        ("jest.setup.js", "a\n", "a\nb\n"),
        ("vite.config.ts", "export default {}\n", "export default { test: { include: [] } }\n"),
        (".npmrc", None, "node-options = --require ./x.js\n"),
        (".yudai.yml", "test: pytest\n", "test: 'true'\n"),
        (".yudai.yml", None, "test: 'true'\n"),
        ("Makefile", "test:\n\tpytest\n", "test:\n\ttrue\n"),
        ("Makefile", "X = pytest\ntest:\n\t$(X)\n", "X = true\ntest:\n\t$(X)\n"),
        ("Makefile", "test: build\n\tpytest\n", "test:\n\tpytest\n"),
    ],
)
def test_configuration_that_changes_how_tests_run(path: str, base: str | None, patched: str | None):
    [found] = tampering({path: base}, {path: patched})
    assert found.is_runner
    assert found.path == path


@pytest.mark.parametrize(
    ("path", "base", "patched"),
    [
        ("pyproject.toml", PYPROJECT, PYPROJECT.replace('"x"', '"y"') + "\n[tool.ruff]\nx = 1\n"),
        ("pyproject.toml", PYPROJECT, PYPROJECT.replace('long"]', 'long", "net: needs it"]')),
        ("pyproject.toml", None, "[project]\nname = 'x'\n"),
        ("pyproject.toml", "a = 1\n", "a = 2\n"),
        ("setup.cfg", "[metadata]\nname = x\n", "[metadata]\nname = y\n"),
        ("tox.ini", "[flake8]\nx = 1\n", "[flake8]\nx = %2\n"),
        ("pytest.ini", "[pytest]\nx = 1\n", "[pytest]\n# why\nx = 1\nmarkers =\n  slow\n"),
        ("package.json", PACKAGE, PACKAGE.replace('"tsc"', '"tsc -b"')),
        ("package.json", PACKAGE, PACKAGE.replace('"scripts": {', '"scripts": {"test:new": "x",')),
        ("package.json", None, '{"dependencies": {"a": "1"}}'),
        ("package.json", "[]", '{"name": "x"}'),
        ("vite.config.ts", "export default {}\n", "export default { base: '/x' }\n"),
        (".npmrc", "a=b\n", "a=c\n"),
        ("Makefile", "test:\n\tpytest\ndocs:\n\ta\n", "test:\n\tpytest\ndocs:\n\tb\n"),
    ],
)
def test_configuration_of_other_things_is_free(path: str, base: str | None, patched: str | None):
    assert tampering({path: base}, {path: patched}) == ()


def test_source_files_are_free_and_need_not_be_read():
    assert reasons("x = 1\n", "x = 2\n", "src/calc.py") == []
    assert not needs_reading("src/calc.py")
    assert needs_reading("tests/test_a.py")
    assert needs_reading("setup.cfg")


def test_findings_come_in_the_order_of_their_paths():
    found = tampering({"tests/b.txt": "1", "tests/a.txt": "1", "same": "1"}, {"same": "1"})
    assert [finding.path for finding in found] == ["tests/a.txt", "tests/b.txt"]


def added(path: str, line: str = "x") -> str:
    return (
        f"diff --git a/{path} b/{path}\nnew file mode 100644\nindex {'0' * 40}..{'1' * 40}\n"
        f"--- /dev/null\n+++ b/{path}\n@@ -0,0 +1 @@\n+{line}\n"
    )


def modified(path: str, old: str, new: str) -> str:
    return (
        f"diff --git a/{path} b/{path}\nindex {'0' * 40}..{'1' * 40} 100644\n"
        f"--- a/{path}\n+++ b/{path}\n@@ -1 +1 @@\n-{old}\n+{new}\n"
    )


@pytest.mark.parametrize(
    "path",
    [
        "sitecustomize.py",
        "src/usercustomize.py",
        "deep/down/sitecustomize.py",
        "x.pth",
        "tests/__pycache__/test_a.cpython-311.pyc",
        "sitecustomize.pyc",
        "json.py",
        "json/__init__.py",
        "src/json.py",
        "json.cpython-311-x86_64-linux-gnu.so",
        "_pytest/__init__.py",
        "tests/pytest.py",
        "evil-1.0.dist-info/entry_points.txt",
        "node_modules/jest/index.js",
        "web/node_modules/.bin/jest",
        "src/evil.egg-info/entry_points.txt",
    ],
)
def test_files_that_would_be_loaded_by_themselves(path: str):
    [found] = hijacking(parse_patch(added(path)))
    assert (found.path, found.is_runner) == (path, True)


@pytest.mark.parametrize(
    "path",
    [
        "src/pkg/json.py",
        "test/__init__.py",
        "docs/site/x.py",
        "json/data.txt",
        "email/notes.py",
        "tests/types.py",
        "entry_points.txt",
    ],
)
def test_files_that_only_sound_like_it(path: str):
    assert hijacking(parse_patch(added(path))) == ()


def test_a_module_that_was_there_may_change():
    assert hijacking(parse_patch(modified("json.py", "a", "b"))) == ()
    [found] = hijacking(parse_patch(modified("sitecustomize.py", "a", "b")))
    assert found.reason == "sitecustomize runs whenever Python starts"


def test_source_that_reaches_into_the_runner():
    [found] = hijacking(parse_patch(modified("src/a.py", "x", "    from _pytest import runner")))
    assert found.reason == "reaches into the test runner (_pytest)"
    moved = modified("src/a.py", "import _pytest", "import _pytest  # noqa")
    assert hijacking(parse_patch(moved)) == ()
    assert hijacking(parse_patch(added("docs/a.md", "import _pytest"))) == ()
