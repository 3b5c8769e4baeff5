"""Decides which files are tests: by usual names, by base's test ids, or by the runner's rules."""

import re
from collections.abc import Iterable
from fnmatch import fnmatchcase
from typing import NamedTuple

from yudai.patches.git_diff import FileChange
from yudai.patches.patch import Patch, first_match
from yudai.patches.test_paths import TEST_NAMES, is_test_path, name_of
from yudai.testing.domain.report import TestPlan
from yudai.testing.domain.runners import NODE_RUNNERS, PYTHON_RUNNERS, RUNNERS, TestRunner
from yudai.testing.run import place_of
from yudai.verification.domain.edits.script_test_edits import SCRIPTS

# A new file named like `testing.py` may be code; it counts only if its text has a test.
_HOLDS_TESTS = re.compile(
    r"^\s*(?:async\s+)?def test|\bTestCase\b|\b(?:it|test|describe|suite)(?:\.\w+)*\s*\(",
    re.MULTILINE,
)


class TestFiles(NamedTuple):
    __test__ = False

    plan: TestPlan | None = None
    known: frozenset[str] = frozenset()
    """Files of base that contain its tests."""

    @classmethod
    def of(cls, plan: TestPlan | None, tests: Iterable[str]) -> "TestFiles":
        if plan is None:
            return cls()
        return cls(plan, known_files(plan, (test for test in tests if not _is_in_code(plan, test))))

    def holds(self, change: FileChange) -> bool:
        if is_test_path(change.path) or change.path in self.known:
            return True
        # A file of base in which the runner found no test is code, despite its name.
        return change.is_new and self._is_found(change)

    def holds_path(self, path: str) -> bool:
        return is_test_path(path) or path in self.known

    def tests_of(self, patch: Patch) -> frozenset[str]:
        return frozenset(change.path for change in patch.files if self.holds(change))

    def _is_found(self, change: FileChange) -> bool:
        if self.plan is None or not is_found(self.plan, change.path):
            return False
        return _HOLDS_TESTS.search("\n".join(change.added_lines)) is not None


def known_files(plan: TestPlan, tests: Iterable[str]) -> frozenset[str]:
    """The files that these ids name. unittest's ids name modules below its start folders."""
    if plan.runner is TestRunner.COMMAND:
        return frozenset()
    if plan.runner is not TestRunner.UNITTEST:
        return frozenset(test.partition("::")[0] for test in tests)
    inside = place_of(plan)
    modules = {test.removeprefix(inside).rsplit(".", 2)[0].replace(".", "/") for test in tests}
    starts = ["" if start == "." else f"{start.rstrip('/')}/" for start in plan.args[1:] or (".",)]
    return frozenset(f"{inside}{start}{module}.py" for start in starts for module in modules)


def is_found(plan: TestPlan, path: str) -> bool:
    """Whether the runner collects tests from a file of this name."""
    if not path.startswith(place_of(plan)):
        return False
    inner = path.removeprefix(place_of(plan))
    if plan.runner in PYTHON_RUNNERS:
        return inner.endswith(".py") and _is_python_test(plan, inner)
    return plan.runner in NODE_RUNNERS and _is_script_test(plan, inner)


def _is_in_code(plan: TestPlan, test: str) -> bool:
    """Whether source code holds the test: a doctest, named by its module, or a vitest test."""
    path, _, name = test.partition("::")
    if plan.runner is TestRunner.VITEST:
        return not is_found(plan, path)
    module = name_of(path).partition(".")[0]
    name = name.partition("[")[0]
    return plan.runner is TestRunner.PYTEST and ("." in name or name == module)


def _is_python_test(plan: TestPlan, path: str) -> bool:
    patterns = plan.names if plan.runner is TestRunner.PYTEST else plan.args[:1]
    is_named = any(fnmatchcase(name_of(path), pattern) for pattern in patterns)
    return is_named or TEST_NAMES.fullmatch(name_of(path)) is not None


def _is_script_test(plan: TestPlan, path: str) -> bool:
    row = RUNNERS[plan.runner]
    *folders, name = path.split("/")
    if SCRIPTS.fullmatch(name) is None:
        return False
    is_named = TEST_NAMES.fullmatch(name) or re.fullmatch(row.names, name)
    globs = [word.removeprefix("./") for word in plan.args if "*" in word]
    return bool(is_named or not row.folders.isdisjoint(folders) or first_match(path, globs))
