"""Which files of a patch are tests: by name, by base's test ids, and as the runner finds them."""

# ruff: noqa: E501 (a table has a case in a line)

import pytest

from yudai.patches.patch import Patch, parse_patch
from yudai.testing.domain.own_names import own_names
from yudai.testing.domain.report import TestPlan
from yudai.testing.domain.runners import TestRunner
from yudai.verification.domain.edits.tampering import needs_reading, tampering
from yudai.verification.stages import paths_with_tests, split
from yudai.verification.test_files import TestFiles

NODE = TestPlan(runner=TestRunner.NODE, python="node", command="node --test")
JEST = TestPlan(runner=TestRunner.JEST, python="node", command="npx jest")
VITEST = TestPlan(runner=TestRunner.VITEST, python="node", command="npx vitest run")
GLOBS = NODE.model_copy(update={"args": ("--test", "checks/*.js")})
PYTEST = TestPlan(runner=TestRunner.PYTEST, python="python", command="python -m pytest")
OWN = PYTEST.model_copy(update={"names": ("check_*.py", "*_tests.py")})
UNITTEST = TestPlan(
    runner=TestRunner.UNITTEST,
    python="python",
    args=("test*.py", "."),
    command="python -m unittest",
)
INNER = UNITTEST.model_copy(update={"args": ("test*.py", "checks"), "folder": "app"})
SCRIPT = "test('hours', () => {});"
PYTHON = "def test_hours(): pass"


def new(path: str, text: str) -> Patch:
    return parse_patch(
        f"diff --git a/{path} b/{path}\nnew file mode 100644\nindex {'0' * 40}..{'1' * 40}\n"
        f"--- /dev/null\n+++ b/{path}\n@@ -0,0 +1 @@\n+{text}\n"
    )


def changed(path: str) -> Patch:
    return parse_patch(
        f"diff --git a/{path} b/{path}\nindex {'0' * 40}..{'1' * 40} 100644\n"
        f"--- a/{path}\n+++ b/{path}\n@@ -1 +1 @@\n-a\n+b\n"
    )


@pytest.mark.parametrize(
    ("plan", "path", "test"),
    [
        (NODE, "calc-test.js", "calc-test.js::adds"),
        (NODE, "test.js", "test.js::adds"),
        (NODE, "test-x.js", "test-x.js::adds"),
        (NODE, "calc_test.js", "calc_test.js::adds"),
        (PYTEST, "check_calc.py", "check_calc.py::check_adds"),
        (UNITTEST, "testcalc.py", "testcalc.T.test_adds"),
        (INNER, "app/checks/inner/testcalc.py", "app/inner.testcalc.T.test_adds"),
    ],
)
def test_a_file_that_base_s_tests_stand_in_is_a_test_file(plan: TestPlan, path: str, test: str):
    patch, files = changed(path), TestFiles.of(plan, [test])
    parts = split(patch, (), files)
    assert (parts.tests.paths, parts.source.paths) == ({path}, set())
    assert needs_reading(path, files.tests_of(patch))
    assert files.holds_path(path)
    assert paths_with_tests(plan, parts.tests, [test]) == (path,)


def test_a_weakened_test_of_such_a_file_is_tampering():
    path = "calc-test.js"
    base = "test('a', () => { assert.equal(human(5), '5s'); });\n"
    weak = base.replace("human(5), '5s'", "1, 1")
    assert tampering({path: base}, {path: weak}) == ()
    [found] = tampering({path: base}, {path: weak}, {path})
    assert found.reason == "changes lines of this existing test file"


@pytest.mark.parametrize(
    ("plan", "path", "text"),
    [
        (NODE, "calc-test.js", SCRIPT),
        (NODE, "test.mjs", SCRIPT),
        (NODE, "src/test-x.ts", SCRIPT),
        (JEST, "src/spec.js", SCRIPT),
        (GLOBS, "checks/hours.js", SCRIPT),
        (OWN, "check_hours.py", PYTHON),
        (OWN, "app/hours_tests.py", PYTHON),
        (UNITTEST, "testhours.py", "class T(TestCase): pass"),
    ],
)
def test_a_new_file_that_the_runner_finds_is_one(plan: TestPlan, path: str, text: str):
    parts = split(new(path, text), (), TestFiles(plan))
    assert (parts.tests.paths, parts.source.paths) == ({path}, set())
    assert paths_with_tests(plan, parts.tests) == (path,)


@pytest.mark.parametrize(
    ("plan", "patch"),
    [
        (UNITTEST, changed("app/testing.py")),
        (UNITTEST, new("app/testing.py", "class Client: pass")),
        (NODE, new("test-server.js", "module.exports = {};")),
        (NODE, new("latest.js", SCRIPT)),
        (PYTEST, new("check_hours.py", PYTHON)),
        (INNER, new("testhours.py", PYTHON)),
        (None, new("calc-test.js", SCRIPT)),
    ],
)
def test_code_that_is_only_called_like_a_test_is_judged(plan: TestPlan | None, patch: Patch):
    assert split(patch, (), TestFiles(plan)).source == patch


@pytest.mark.parametrize(
    ("plan", "path", "test"),
    [
        (PYTEST, "src/app/calc.py", "src/app/calc.py::app.calc.add"),
        (PYTEST, "calc.py", "calc.py::calc"),
        (VITEST, "src/calc.ts", "src/calc.ts::adds"),
    ],
)
def test_code_with_tests_inside_is_judged(plan: TestPlan, path: str, test: str):
    assert split(changed(path), (), TestFiles.of(plan, [test])).source.paths == {path}


@pytest.mark.parametrize(
    ("texts", "names"),
    [
        ({"pytest.ini": "[pytest]\npython_files = check_*.py *_tests.py\n"}, ("check_*.py", "*_tests.py")),
        ({"setup.cfg": "[tool:pytest]\npython_files =\n  check_*.py\n"}, ("check_*.py",)),
        ({"tox.ini": "[pytest]\npython_files = c.py\n", "setup.cfg": "[tool:pytest]\npython_files=d\n"}, ("c.py",)),
        ({"pyproject.toml": '[tool.pytest.ini_options]\npython_files = "check_*.py"\n'}, ("check_*.py",)),
        ({"pyproject.toml": '[tool.pytest]\npython_files = ["a", "b"]\n'}, ("a", "b")),
        ({"pyproject.toml": "not = = toml", "pytest.ini": "no ini"}, ()),
        ({}, ()),
    ],
)  # fmt: skip
def test_the_repository_s_own_names(texts: dict[str, str], names: tuple[str, ...]):
    assert own_names(texts) == names
