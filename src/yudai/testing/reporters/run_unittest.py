"""Runs unittest and appends one line of JSON to a report as each thing happens.

Usage: run_unittest.py REPORT KEY IDS PATTERN STARTS... -- FILES...; KEY is a file whose bytes seal
the report, IDS one with a JSON list of test ids, or "-"; with files only their tests are loaded,
otherwise what is found below the starts.
"""
# ruff: noqa: N802 - the methods' names are unittest's

from __future__ import annotations

import hmac
import json
import os
import re
import sys
import traceback
import unittest
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

FIXTURE = re.compile(r"setUp(?:Class|Module) \((.*)\)")


def open_report(report: str, key: str) -> Callable[..., None]:
    """The function that appends a line; what it seals with is in no file and no attribute."""
    file = os.open(report, os.O_WRONLY | os.O_APPEND)
    seal = hmac.new(Path(key).read_bytes(), digestmod="sha256")
    Path(key).unlink()

    def emit(event: str, **facts: object) -> None:
        if event == "finished":
            facts["seal"] = seal.hexdigest()
        line = (json.dumps({"event": event, **facts}) + "\n").encode("ascii")
        seal.update(line)
        os.write(file, line)

    return emit


class Result(unittest.TextTestResult):
    """unittest's own result, which also writes to the report."""

    emit: Callable[..., None]
    waiting: dict[int, unittest.TestCase]
    outcome = ""

    def startTest(self, test: unittest.TestCase) -> None:
        super().startTest(test)
        self.outcome = ""
        if is_uncollected(test):
            self.emit("uncollected", id=clean(test.id().partition("_FailedTest.")[2]))
        else:
            self.emit("started", id=clean(test.id()))

    def stopTest(self, test: unittest.TestCase) -> None:
        super().stopTest(test)
        if not is_uncollected(test):
            # Nothing was said about it: it was interrupted.
            self.finish(test, self.outcome or "error")

    def addSuccess(self, test: unittest.TestCase) -> None:
        super().addSuccess(test)
        self.note("passed")

    def addFailure(self, test: unittest.TestCase, err: Any) -> None:
        super().addFailure(test, err)
        self.note("failed")

    def addError(self, test: unittest.TestCase, err: Any) -> None:
        super().addError(test, err)
        if not is_fixture(test):
            self.note("error")
        elif not self.finish_behind(test, "error"):
            self.emit("trouble", id=clean(str(test)))

    def addSubTest(self, test: unittest.TestCase, subtest: unittest.TestCase, err: Any) -> None:
        super().addSubTest(test, subtest, err)
        if err is not None:
            self.note("failed")

    def addSkip(self, test: unittest.TestCase, reason: str) -> None:
        super().addSkip(test, reason)
        if is_fixture(test):
            self.finish_behind(test, "skipped")
        else:
            # A subtest has a test case; that it is skipped says nothing about the others.
            self.note("passed" if hasattr(test, "test_case") else "skipped")

    def addExpectedFailure(self, test: unittest.TestCase, err: Any) -> None:
        super().addExpectedFailure(test, err)
        self.note("xfailed")

    def addUnexpectedSuccess(self, test: unittest.TestCase) -> None:
        super().addUnexpectedSuccess(test)
        self.note("xpassed")

    def note(self, outcome: str) -> None:
        if self.outcome not in ("failed", "error"):
            self.outcome = outcome

    def finish(self, test: unittest.TestCase, outcome: str) -> None:
        self.waiting.pop(id(test), None)
        self.emit("result", id=clean(test.id()), outcome=outcome)

    def finish_behind(self, fixture: object, outcome: str) -> bool:
        """`setUpClass (module.Class)` went wrong: the tests behind it will never start."""
        match = FIXTURE.fullmatch(str(fixture))
        for test in list(self.waiting.values()):
            if match and match.group(1) in (class_name(test), type(test).__module__):
                self.finish(test, outcome)
        return match is not None


def is_uncollected(test: unittest.TestCase) -> bool:
    return type(test).__name__ == "_FailedTest"


def is_fixture(test: object) -> bool:
    """Whether it is `setUpClass` or its like, which unittest reports as if it were a test."""
    return not isinstance(test, unittest.TestCase)


def class_name(test: unittest.TestCase) -> str:
    return f"{type(test).__module__}.{type(test).__qualname__}"


def clean(text: str) -> str:
    """Names of files may hold bytes that are no text."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def flatten(suite: Iterable[Any]) -> Iterator[unittest.TestCase]:
    for test in suite:
        if isinstance(test, unittest.TestSuite):
            yield from flatten(test)
        else:
            yield test


def load(start: str, pattern: str) -> unittest.TestSuite:
    """Discovery keeps whatever a file does on import, even `sys.exit`, with that file."""
    return unittest.TestLoader().discover(start, pattern, start)


def load_file(path: str) -> unittest.TestSuite:
    """Ids must be those of discovery, which counts packages from the first folder that is none."""
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
        except BaseException:  # noqa: BLE001 - hostile code; what it raises is only reported
            traceback.print_exc()
            emit("uncollected", id=clean(name))
    return unittest.TestSuite(suites)


def run(emit: Callable[..., None], suite: unittest.TestSuite) -> bool:
    waiting = {id(test): test for test in flatten(suite) if not is_uncollected(test)}

    def make(stream: Any, descriptions: Any, verbosity: int, **more: Any) -> Result:
        result = Result(stream, descriptions, verbosity, **more)
        result.emit, result.waiting = emit, dict(waiting)
        return result

    result = unittest.TextTestRunner(resultclass=make).run(suite)
    emit("finished", collected=len(waiting))
    return result.wasSuccessful()


def main() -> int:
    report, key, ids, pattern, *names = sys.argv[1:]
    # As `python -m unittest` would have it.
    sys.path[0] = str(Path.cwd())
    sys.argv = ["python -m unittest"]
    emit = open_report(report, key)
    suite = load_all(emit, pattern, names)
    if ids != "-":
        wanted = frozenset(json.loads(Path(ids).read_text(encoding="utf-8")))
        kept = (t for t in flatten(suite) if is_uncollected(t) or clean(t.id()) in wanted)
        suite = unittest.TestSuite(kept)
    return 0 if run(emit, suite) else 1


if __name__ == "__main__":
    sys.exit(main())
