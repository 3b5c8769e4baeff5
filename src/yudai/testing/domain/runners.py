"""The test runners whose tests are read one by one: one row each.

Detection, command recognition, the run and verification read these rows. A new runner needs a
name and a row here, and its reporter in `testing/reporters/`.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from enum import StrEnum
from typing import Literal, NamedTuple

Args = tuple[str, ...]


class TestRunner(StrEnum):
    __test__ = False

    PYTEST = "pytest"
    UNITTEST = "unittest"
    NODE = "node"
    JEST = "jest"
    VITEST = "vitest"
    MOCHA = "mocha"
    COMMAND = "command"
    """Any other command; its exit code is the outcome of one test."""


class RunnerRow(NamedTuple):
    language: Literal["python", "node"]
    reporter: str
    """The script in `testing/reporters/` that runs the tests and reports each of them."""
    arguments: Callable[[Sequence[str]], Args | None] = tuple
    """Turns the command's arguments into the reporter's; None makes it a plain command."""
    programs: tuple[str, ...] = ()
    """Its program names in a command; a Python runner may also be called as `python -m NAME`."""
    typed: str = ""
    """The command to use if a repository only has its package; "" if detection needs more facts."""
    last: Args = ("--",)
    """Arguments after all others."""
    folders: frozenset[str] = frozenset()
    """Folders in which every script counts as a test; the runner tolerates helpers there."""
    names: str = ""
    """A pattern for its test files, besides the names that all runners share."""
    title: str = ""
    """The name that people use for it, if it differs from its own."""


_MODES = frozenset({"run", "watch", "dev", "--run", "--watch", "-w"})
_NO_TESTS = frozenset({"bench", "list", "init", "typecheck"})
_QUIET = frozenset({"-v", "-b", "-q", "--verbose", "--buffer"})
_GLOB = re.compile(r"[^-\[]*[*?][^\[]*")


def _pytest(words: Sequence[str]) -> Args | None:
    """None for a glob such as `tests/test_*.py`, which only the shell expands."""
    return None if any(map(_GLOB.fullmatch, words)) else tuple(words)


def _unittest(words: Sequence[str]) -> Args | None:
    """Pattern and start; empty if they have to be detected."""
    rest = [word for word in words if word not in _QUIET]
    options = dict(zip(rest[1::2], rest[2::2], strict=False))
    if not rest:
        return ()
    known = options.keys() <= {"-s", "-p", "--start-directory", "--pattern"}
    if rest[0] != "discover" or len(rest) % 2 == 0 or not known:
        return None
    pattern = options.get("-p") or options.get("--pattern") or "test*.py"
    return (pattern, options.get("-s") or options.get("--start-directory") or ".")


def _vitest(words: Sequence[str]) -> Args | None:
    has_tests = _NO_TESTS.isdisjoint(words[:1])
    return tuple(word for word in words if word not in _MODES) if has_tests else None


RUNNERS: Mapping[TestRunner, RunnerRow] = {
    TestRunner.PYTEST: RunnerRow(
        "python",
        "run_pytest.py",
        _pytest,
        programs=("pytest", "py.test"),
        # Override the settings: run every test, and make ids relative to the current folder.
        last=("--rootdir=.", "--continue-on-collection-errors", "--maxfail=0"),
    ),
    TestRunner.UNITTEST: RunnerRow("python", "run_unittest.py", _unittest),
    TestRunner.VITEST: RunnerRow(
        "node",
        "run_vitest.mjs",
        _vitest,
        programs=("vitest",),
        typed="npx vitest run",
        folders=frozenset({"__tests__"}),
    ),
    TestRunner.JEST: RunnerRow(
        "node",
        "run_jest.cjs",
        programs=("jest",),
        typed="npx jest",
        folders=frozenset({"__tests__"}),
        names=r"(test|spec)\.[cm]?[jt]sx?",
    ),
    TestRunner.MOCHA: RunnerRow(
        "node",
        "run_mocha.cjs",
        programs=("mocha", "_mocha"),
        typed="npx mocha",
        folders=frozenset({"test", "tests", "spec"}),
    ),
    TestRunner.NODE: RunnerRow(
        "node",
        "run_node.mjs",
        folders=frozenset({"test"}),
        names=r"(.*[-_.])?test\.[cm]?[jt]s|test[-_].*\.[cm]?[jt]s",
        title="node:test",
    ),
}
BY_PROGRAM = {program: runner for runner, row in RUNNERS.items() for program in row.programs}
PYTHON_RUNNERS = frozenset(name for name, row in RUNNERS.items() if row.language == "python")
NODE_RUNNERS = frozenset(name for name, row in RUNNERS.items() if row.language == "node")


def titles() -> tuple[str, ...]:
    """The names that people use, for help and documents."""
    return tuple(row.title or runner.value for runner, row in RUNNERS.items())
