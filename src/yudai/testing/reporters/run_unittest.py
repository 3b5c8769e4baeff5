"""Runs unittest and appends one line of JSON to a report as each thing happens.

Usage: run_unittest.py REPORT KEY IDS PATTERN STARTS... -- FILES...; KEY is a file whose bytes seal
the report, IDS one with a JSON list of test ids, or "-"; with files only their tests are loaded,
otherwise what is found below the starts.
"""
# ruff: noqa: N802 - the methods' names are unittest's

from __future__ import annotations

import json
import re
import sys
import time
import traceback
import unittest
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from yudai.testing.reporters.yudai_report import clean, describe, is_around_a_test, open_report

    Failure = dict[str, object]
else:
    # The module is in the same folder as this script.
    sys.path.insert(0, str(Path(__file__).parent))
    from yudai_report import clean, describe, is_around_a_test, open_report

    del sys.path[0]

MAKE_FAILED = "_make_failed_import_test"
FIXTURE = re.compile(r"setUp(?:Class|Module) \((.*)\)")


class Result(unittest.TextTestResult):
    """unittest's own result, which also writes to the report."""

    emit: Callable[..., None]
    waiting: dict[int, unittest.TestCase]
    unloaded: dict[str, Failure]
    # A reference of our own, because tests can replace the module's clock.
    clock: Callable[[], float] = staticmethod(time.perf_counter)
    began = 0.0
    outcome = ""
    failure: Failure | None = None

    def startTest(self, test: unittest.TestCase) -> None:
        super().startTest(test)
        self.outcome, self.failure, self.began = "", None, self.clock()
        if is_uncollected(test):
            name = test.id().partition("_FailedTest.")[2]
            failure = self.unloaded.get(name, {"kind": "import"})
            self.emit("uncollected", id=clean(name), failure=failure)
        else:
            self.emit("started", id=clean(test.id()))

    def stopTest(self, test: unittest.TestCase) -> None:
        super().stopTest(test)
        if is_uncollected(test):
            return
        if not self.outcome:
            # No method reported an outcome: the test is being interrupted.
            error = sys.exc_info()[1]
            self.note("error", error and describe(error))
        self.finish(test, self.outcome, self.failure, self.clock() - self.began)

    def addSuccess(self, test: unittest.TestCase) -> None:
        super().addSuccess(test)
        self.note("passed")

    def addFailure(self, test: unittest.TestCase, err: Any) -> None:
        super().addFailure(test, err)
        self.note("failed", failure_of(test, err[1]))

    def addError(self, test: unittest.TestCase, err: Any) -> None:
        super().addError(test, err)
        if not is_fixture(test):
            self.note("error", failure_of(test, err[1]))
            return
        failure = describe(err[1], "set_up")
        if not self.finish_behind(test, "error", failure):
            self.emit("trouble", id=clean(str(test)), failure=failure)

    def addSubTest(self, test: unittest.TestCase, subtest: unittest.TestCase, err: Any) -> None:
        super().addSubTest(test, subtest, err)
        if err is not None:
            self.note("failed", failure_of(test, err[1]))

    def addSkip(self, test: unittest.TestCase, reason: str) -> None:
        super().addSkip(test, reason)
        if is_fixture(test):
            self.finish_behind(test, "skipped")
        else:
            # A subtest has a test case; if it is skipped, the other subtests still count.
            self.note("passed" if hasattr(test, "test_case") else "skipped")

    def addExpectedFailure(self, test: unittest.TestCase, err: Any) -> None:
        super().addExpectedFailure(test, err)
        self.note("xfailed")

    def addUnexpectedSuccess(self, test: unittest.TestCase) -> None:
        super().addUnexpectedSuccess(test)
        self.note("xpassed")

    def note(self, outcome: str, failure: Failure | None = None) -> None:
        if self.outcome not in ("failed", "error"):
            self.outcome, self.failure = outcome, failure

    def finish(
        self,
        test: unittest.TestCase,
        outcome: str,
        failure: Failure | None = None,
        seconds: float = 0.0,
    ) -> None:
        self.waiting.pop(id(test), None)
        facts: Failure = {"failure": failure} if failure else {}
        seconds = round(seconds, 4)
        self.emit("result", id=clean(test.id()), outcome=outcome, seconds=seconds, **facts)

    def finish_behind(self, fixture: object, outcome: str, failure: Failure | None = None) -> bool:
        """Finish the tests that never start because `setUpClass (module.Class)` failed."""
        match = FIXTURE.fullmatch(str(fixture))
        for test in list(self.waiting.values()):
            if match and match.group(1) in (class_name(test), type(test).__module__):
                self.finish(test, outcome, failure)
        return match is not None


def failure_of(test: unittest.TestCase, error: BaseException) -> Failure:
    kind = "set_up" if is_around_a_test(error) else ""
    return describe(error, kind, test.failureException)


def is_uncollected(test: unittest.TestCase) -> bool:
    return type(test).__name__ == "_FailedTest"


def is_fixture(test: object) -> bool:
    """Whether it is `setUpClass` or its like, which unittest reports as if it were a test."""
    return not isinstance(test, unittest.TestCase)


def class_name(test: unittest.TestCase) -> str:
    return f"{type(test).__module__}.{type(test).__qualname__}"


def flatten(suite: Iterable[Any]) -> Iterator[unittest.TestCase]:
    for test in suite:
        if isinstance(test, unittest.TestSuite):
            yield from flatten(test)
        else:
            yield test


def load(start: str, pattern: str) -> unittest.TestSuite:
    """Load by discovery, which records an import error, even `sys.exit`, for its file."""
    return unittest.TestLoader().discover(start, pattern, start)


def load_file(path: str) -> unittest.TestSuite:
    """Load one file; ids equal discovery's, which start at the first folder that is no package."""
    file = Path(path).resolve()
    top = file.parent
    while top != Path.cwd() and (top / "__init__.py").is_file():
        top = top.parent
    name = re.sub(r"([*?[])", r"[\1]", file.name)
    return unittest.TestLoader().discover(str(file.parent), name, str(top))


def load_all(emit: Callable[..., None], pattern: str, names: list[str]) -> unittest.TestSuite:
    split = names.index("--")
    starts, paths = names[:split], names[split + 1 :]
    suites: list[unittest.TestSuite] = []
    for name in paths or starts:
        try:
            suites.append(load_file(name) if paths else load(name, pattern))
        except BaseException as error:  # noqa: BLE001 - hostile code; what it raises is only reported
            traceback.print_exc()
            emit("uncollected", id=clean(name), failure=unloaded(error))
    return unittest.TestSuite(suites)


def unloaded(error: BaseException) -> Failure:
    return describe(error, "exit" if isinstance(error, SystemExit) else "import")


def keep_import_errors(kept: dict[str, Failure]) -> None:
    """Record import errors as exceptions; unittest itself keeps only their text."""
    loader: Any = unittest.loader
    make = getattr(loader, MAKE_FAILED, None)
    if make is None:
        return

    def keep(name: str, *more: Any) -> Any:
        error = sys.exc_info()[1]
        if error is not None:
            kept[name] = unloaded(error)
        return make(name, *more)

    setattr(loader, MAKE_FAILED, keep)


def run(
    emit: Callable[..., None], suite: unittest.TestSuite, import_errors: dict[str, Failure]
) -> bool:
    waiting = {id(test): test for test in flatten(suite) if not is_uncollected(test)}

    def make(stream: Any, descriptions: Any, verbosity: int, **more: Any) -> Result:
        result = Result(stream, descriptions, verbosity, **more)
        result.emit, result.waiting, result.unloaded = emit, dict(waiting), import_errors
        return result

    result = unittest.TextTestRunner(resultclass=make).run(suite)
    emit("finished", collected=len(waiting))
    return result.wasSuccessful()


def main() -> int:
    report, key, ids, pattern, *names = sys.argv[1:]
    # The same values as under `python -m unittest`.
    sys.path[0] = str(Path.cwd())
    sys.argv = ["python -m unittest"]
    emit = open_report(report, key)
    import_errors: dict[str, Failure] = {}
    keep_import_errors(import_errors)
    suite = load_all(emit, pattern, names)
    if ids != "-":
        wanted = frozenset(json.loads(Path(ids).read_text(encoding="utf-8")))
        kept = (t for t in flatten(suite) if is_uncollected(t) or clean(t.id()) in wanted)
        suite = unittest.TestSuite(kept)
    return 0 if run(emit, suite, import_errors) else 1


if __name__ == "__main__":
    sys.exit(main())
