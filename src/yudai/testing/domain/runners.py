"""The test runners whose tests are read one by one: one row each.

Detection, the reading of commands, the run and verification read these rows. A new runner is a
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
    """Any other command: its exit code is the outcome of one test."""


class RunnerRow(NamedTuple):
    language: Literal["python", "node"]
    reporter: str
    """The script in `testing/reporters/` that runs the tests and reports each of them."""
    arguments: Callable[[Sequence[str]], Args | None] = tuple
    """From the words behind its name to those for the reporter; None: it is just a command."""
    programs: tuple[str, ...] = ()
    """What it is called in a command; one for Python is also known as `python -m NAME`."""
    typed: str = ""
    """The command of a repository that only has its package; else detection looks at more."""
    last: Args = ("--",)
    """Arguments behind all others."""
    folders: frozenset[str] = frozenset()
    """Below these any script is a test; helpers that are none do no harm to it."""
    names: str = ""
    """What it calls tests besides the names that all of them know, as an expression."""
    title: str = ""
    """Where people know it by another name than its own."""


_MODES = frozenset({"run", "watch", "dev", "--run", "--watch", "-w"})
_NO_TESTS = frozenset({"bench", "list", "init", "typecheck"})
_QUIET = frozenset({"-v", "-b", "-q", "--verbose", "--buffer"})
_GLOB = re.compile(r"[^-\[]*[*?][^\[]*")


def _pytest(words: Sequence[str]) -> Args | None:
    """It leaves it to the shell to find `tests/test_*.py`, and so do we."""
    return None if any(map(_GLOB.fullmatch, words)) else tuple(words)


def _unittest(words: Sequence[str]) -> Args | None:
    """Pattern and start, or nothing where they have to be found out."""
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
        # Whatever the settings say: every test is run, and ids start where it is run.
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
    """What people call them, for help and documents."""
    return tuple(row.title or runner.value for runner, row in RUNNERS.items())
