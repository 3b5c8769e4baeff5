"""Runs pytest and appends one line of JSON to a report as each thing happens.

Usage: run_pytest.py REPORT KEY IDS [arguments]; KEY is a file whose bytes seal the report, IDS one
with a JSON list of node ids, or "-".
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

    from yudai.testing.reporters.yudai_report import clean, describe, is_around_a_test, open_report
else:
    # The module is in the same folder as this script.
    sys.path.insert(0, str(Path(__file__).parent))
    from yudai_report import clean, describe, is_around_a_test, open_report

    del sys.path[0]

# Exit codes of a complete session: passed, failed, nothing collected.
ORDERLY = (0, 1, 5)


class Reporter:
    def __init__(self, emit: Callable[..., None], ids: frozenset[str] | None) -> None:
        self._emit = emit
        self._ids = ids
        self._outcomes: dict[str, str] = {}
        self._failures: dict[str, dict[str, object]] = {}
        self._seconds: dict[str, float] = {}
        self._strict: set[str] = set()
        self._collected = 0

    def pytest_cmdline_main(self, config: pytest.Config) -> None:
        """Force one process and one order despite plugins, so that reports are comparable."""
        settings: dict[str, object] = {
            "numprocesses": 0,
            "dist": "no",
            "tx": [],
            "randomly_seed": 1,
        }
        for name, value in settings.items():
            if hasattr(config.option, name):
                setattr(config.option, name, value)

    @pytest.hookimpl(hookwrapper=True, tryfirst=True)
    def pytest_collection_modifyitems(
        self, config: pytest.Config, items: list[pytest.Item]
    ) -> Generator[None, None, None]:
        yield
        if self._ids is not None:
            others = [item for item in items if clean(item.nodeid) not in self._ids]
            items[:] = [item for item in items if clean(item.nodeid) in self._ids]
            config.hook.pytest_deselected(items=others)

    @pytest.hookimpl(hookwrapper=True, tryfirst=True)
    def pytest_make_collect_report(self, collector: pytest.Collector) -> Generator[None, Any, None]:
        made = yield
        report = None if made.excinfo else made.get_result()
        call = getattr(report, "call", None)
        if report is not None:
            if report.failed and call is not None and call.excinfo is not None:
                self._failures[report.nodeid] = unloaded(call.excinfo.value)
        elif isinstance(collector, pytest.File):
            # The exception ends the session, and no other hook reports the file.
            failure = describe(made.excinfo[1], "exit")
            self._emit("uncollected", id=clean(collector.nodeid), failure=failure)

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.failed:
            failure = self._failures.pop(report.nodeid, {"kind": "import"})
            self._emit("uncollected", id=clean(report.nodeid), failure=failure)

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        self._collected = len(session.items)

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        for known in (self._outcomes, self._failures, self._seconds):
            known.pop(nodeid, None)
        self._emit("started", id=clean(nodeid))

    @pytest.hookimpl(hookwrapper=True, tryfirst=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[None]
    ) -> Generator[None, Any, None]:
        made = yield
        report = made.get_result()
        if is_strict_pass(item, report):
            self._strict.add(report.nodeid)
        elif report.failed and call.excinfo is not None and report.nodeid not in self._failures:
            self._failures[report.nodeid] = failure_of(item, call)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        outcome = outcome_of(report)
        if outcome == "failed" and report.nodeid in self._strict:
            outcome = "xpassed"
        if outcome and self._outcomes.get(report.nodeid) not in ("failed", "error"):
            self._outcomes[report.nodeid] = outcome
        if not is_part(report):
            before = self._seconds.get(report.nodeid, 0.0)
            self._seconds[report.nodeid] = before + report.duration

    def pytest_runtest_logfinish(self, nodeid: str) -> None:
        outcome = self._outcomes.pop(nodeid, "error")
        facts: dict[str, object] = {"seconds": round(self._seconds.pop(nodeid, 0.0), 4)}
        failure = self._failures.pop(nodeid, None)
        if failure and outcome in ("failed", "error"):
            facts["failure"] = failure
        self._emit("result", id=clean(nodeid), outcome=outcome, **facts)

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self, exitstatus: int) -> None:
        if int(exitstatus) in ORDERLY:
            self._emit("finished", collected=self._collected)


def outcome_of(report: pytest.TestReport) -> str | None:
    """The test's outcome, if this phase decides it."""
    if report.failed:
        return "failed" if report.when == "call" else "error"
    if is_part(report) or report.when == "teardown":
        return None
    if report.skipped:
        return "xfailed" if hasattr(report, "wasxfail") else "skipped"
    if report.when != "call" or not report.passed:
        return None
    return "xpassed" if hasattr(report, "wasxfail") else "passed"


def is_part(report: pytest.TestReport) -> bool:
    """Whether the report is about a subtest."""
    return "subtest" in type(report).__name__.lower()


def failure_of(item: pytest.Item, call: pytest.CallInfo[None]) -> dict[str, object]:
    error = call.excinfo.value if call.excinfo else None
    if error is None:
        return {"kind": "unknown"}
    if call.when != "call" or is_around_a_test(error):
        return describe(error, "set_up")
    assertion = getattr(getattr(item, "cls", None), "failureException", AssertionError)
    return describe(error, assertion=assertion)


def unloaded(error: BaseException) -> dict[str, object]:
    """Describe an import error, which pytest wraps into an exception of its own."""
    if type(error).__name__ == "CollectError" and error.__cause__ is not None:
        error = error.__cause__
    return describe(error, "import")


def is_strict_pass(item: pytest.Item, report: pytest.TestReport) -> bool:
    """Whether the failure is an unexpected pass, which only strict settings report as failed."""
    if report.when != "call" or not report.failed:
        return False
    text = str(report.longrepr)
    marked = item.get_closest_marker("xfail") is not None and text.startswith("[XPASS(strict)]")
    expecting = getattr(getattr(item, "obj", None), "__unittest_expecting_failure__", False)
    return marked or (expecting and text.strip().startswith("Unexpected success"))


def main() -> int:
    report, key, ids, *arguments = sys.argv[1:]
    wanted = None if ids == "-" else frozenset(json.loads(Path(ids).read_text(encoding="utf-8")))
    # The same values as under `python -m pytest`.
    sys.path[0] = str(Path.cwd())
    sys.argv = ["pytest", *arguments]
    return int(pytest.main(arguments, plugins=[Reporter(open_report(report, key), wanted)]))


if __name__ == "__main__":
    sys.exit(main())
