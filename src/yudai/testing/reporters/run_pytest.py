"""Runs pytest and appends one line of JSON to a report as each thing happens.

Usage: run_pytest.py REPORT KEY IDS [arguments]; KEY is a file whose bytes seal the report, IDS one
with a JSON list of node ids, or "-".
"""

from __future__ import annotations

import hmac
import json
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

# How pytest ends a session that ran all it had: passed, failed, nothing collected.
ORDERLY = (0, 1, 5)


class Reporter:
    def __init__(self, emit: Callable[..., None], ids: frozenset[str] | None) -> None:
        self._emit = emit
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
    report, key, ids, *arguments = sys.argv[1:]
    wanted = None if ids == "-" else frozenset(json.loads(Path(ids).read_text(encoding="utf-8")))
    # As `python -m pytest` would have it.
    sys.path[0] = str(Path.cwd())
    sys.argv = ["pytest", *arguments]
    return int(pytest.main(arguments, plugins=[Reporter(open_report(report, key), wanted)]))


if __name__ == "__main__":
    sys.exit(main())
