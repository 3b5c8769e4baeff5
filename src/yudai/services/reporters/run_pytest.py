"""Runs pytest and appends one line of JSON to a report as each thing happens.

Usage: run_pytest.py REPORT IDS [arguments]; IDS is a file with a JSON list of node ids, or "-".
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Generator

# How pytest ends a session that ran all it had: passed, failed, nothing collected.
ORDERLY = (0, 1, 5)


class Reporter:
    def __init__(self, report: str, ids: frozenset[str] | None) -> None:
        self._file = os.open(report, os.O_WRONLY | os.O_APPEND)
        self._ids = ids
        self._outcomes: dict[str, str] = {}
        self._strict: set[str] = set()
        self._collected = 0

    def pytest_cmdline_main(self, config: pytest.Config) -> None:
        """One process and one order, whatever plugins there are: reports must be comparable."""
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

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.failed:
            self._emit("uncollected", id=clean(report.nodeid))

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        self._collected = len(session.items)

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        self._outcomes.pop(nodeid, None)
        self._emit("started", id=clean(nodeid))

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_makereport(self, item: pytest.Item) -> Generator[None, Any, None]:
        made = yield
        report = made.get_result()
        if is_strict_pass(item, report):
            self._strict.add(report.nodeid)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        outcome = outcome_of(report)
        if outcome == "failed" and report.nodeid in self._strict:
            outcome = "xpassed"
        if outcome and self._outcomes.get(report.nodeid) not in ("failed", "error"):
            self._outcomes[report.nodeid] = outcome

    def pytest_runtest_logfinish(self, nodeid: str) -> None:
        self._emit("result", id=clean(nodeid), outcome=self._outcomes.pop(nodeid, "error"))

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self, exitstatus: int) -> None:
        if int(exitstatus) in ORDERLY:
            self._emit("finished", collected=self._collected)

    def _emit(self, event: str, **facts: object) -> None:
        os.write(self._file, (json.dumps({"event": event, **facts}) + "\n").encode("ascii"))


def outcome_of(report: pytest.TestReport) -> str | None:
    """The test's outcome, if this phase of it decides one."""
    if report.failed:
        return "failed" if report.when == "call" else "error"
    if "subtest" in type(report).__name__.lower() or report.when == "teardown":
        return None
    if report.skipped:
        return "xfailed" if hasattr(report, "wasxfail") else "skipped"
    if report.when != "call" or not report.passed:
        return None
    return "xpassed" if hasattr(report, "wasxfail") else "passed"


def is_strict_pass(item: pytest.Item, report: pytest.TestReport) -> bool:
    """An expected failure that passed is "failed" only because the repository is strict."""
    if report.when != "call" or not report.failed:
        return False
    text = str(report.longrepr)
    marked = item.get_closest_marker("xfail") is not None and text.startswith("[XPASS(strict)]")
    expecting = getattr(getattr(item, "obj", None), "__unittest_expecting_failure__", False)
    return marked or (expecting and text.strip().startswith("Unexpected success"))


def clean(text: str) -> str:
    """Names of files may hold bytes that are no text."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def main() -> int:
    report, ids, arguments = sys.argv[1], sys.argv[2], sys.argv[3:]
    wanted = None if ids == "-" else frozenset(json.loads(Path(ids).read_text(encoding="utf-8")))
    # As `python -m pytest` would have it.
    sys.path[0] = str(Path.cwd())
    sys.argv = ["pytest", *arguments]
    return int(pytest.main(arguments, plugins=[Reporter(report, wanted)]))


if __name__ == "__main__":
    sys.exit(main())
