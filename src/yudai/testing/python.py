"""Finds out in a sandbox how a repository's Python tests are run: pytest or unittest."""

import shlex
from pathlib import PurePosixPath
from typing import NamedTuple

from pydantic import ValidationError

from yudai.kit.errors import RefusedError
from yudai.kit.hints import SETUP, TEST
from yudai.kit.value import Value
from yudai.sandboxes.port import Sandbox
from yudai.testing.domain.commands import Recognised
from yudai.testing.domain.report import TestPlan
from yudai.testing.domain.runners import TestRunner
from yudai.testing.run import place, plan_of, scratch, workplace

_USAGE_ERROR = 4
_LOOK_S = 60.0


class Facts(Value):
    """What the probe saw."""

    has_pytest: bool
    configured: bool
    uses_pytest: bool
    tests: tuple[str, ...]
    unittest: tuple[str, ...]
    packages: tuple[str, ...]


class Seen(NamedTuple):
    python: str
    """The interpreter's name."""
    facts: Facts


async def look(sandbox: Sandbox, folder: str) -> Seen | None:
    """None where no Python can be started."""
    python = await _python(sandbox)
    facts = await _facts(sandbox, python, folder) if python else None
    return None if facts is None else Seen(python, facts)


async def detect_python(sandbox: Sandbox, folder: str) -> TestPlan | None:
    """The plan, or None when there is nothing that pytest or unittest could run."""
    seen = await look(sandbox, folder)
    if seen is None or not (seen.facts.tests or seen.facts.configured):
        return None
    python, facts = seen
    if facts.has_pytest and (facts.configured or facts.uses_pytest):
        args = await _pytest_args(sandbox, python, folder)
        command = shlex.join([python, "-m", "pytest", *args])
        return plan_of(Recognised(TestRunner.PYTEST, args), command, folder, python=python)
    if facts.unittest:
        return unittest_plan(seen, folder)
    if facts.uses_pytest:
        raise RefusedError(
            "the tests use pytest, which is not in the environment: install it there, or say how"
            " with ",
            SETUP,
            " and ",
            TEST,
        )
    return None


def unittest_plan(seen: Seen, folder: str) -> TestPlan:
    """Discovery starts wherever a folder with tests cannot be imported from the one above."""
    python, facts = seen
    files = [PurePosixPath(path) for path in facts.unittest]
    starts = sorted({_start(file.parent, frozenset(facts.packages)) for file in files})
    pattern = _pattern([file.name for file in files])
    command = " && ".join(_command(python, start, pattern) for start in starts)
    found = Recognised(TestRunner.UNITTEST, (pattern, *starts))
    return plan_of(found, command, folder, python=python)


async def _python(sandbox: Sandbox) -> str:
    """The name of the first Python there that our scripts can run on, or ""."""
    found = await sandbox.exec(
        "for name in python python3; do"
        ' "$name" -c "import sys; sys.exit(sys.version_info < (3, 8))" 2>/dev/null'
        ' && { echo "$name"; break; }; done; true'
    )
    return found.text.strip()


async def _facts(sandbox: Sandbox, python: str, folder: str) -> Facts | None:
    async with scratch(sandbox) as scripts:
        script = await place(sandbox, scripts, "probe.py")
        result = await sandbox.exec(
            shlex.join([python, script]), cwd=workplace(folder), timeout_s=_LOOK_S
        )
    try:
        return Facts.model_validate_json(result.output)
    except ValidationError:
        return None


async def _pytest_args(sandbox: Sandbox, python: str, folder: str) -> tuple[str, ...]:
    """Leave the repository's own options out only when they name a plugin that is not there."""
    for args in ((), ("-o", "addopts=")):
        markers = shlex.join([python, "-m", "pytest", *args, "--markers"])
        result = await sandbox.exec(markers, cwd=workplace(folder), timeout_s=_LOOK_S)
        if result.exit_code != _USAGE_ERROR:
            return args
    return ()


def _command(python: str, start: str, pattern: str) -> str:
    where = ["-s", start] if start != "." else []
    what = ["-p", pattern] if pattern != "test*.py" else []
    return shlex.join(
        [python, "-m", "unittest", *(["discover", *where, *what] if where or what else [])]
    )


def _start(folder: PurePosixPath, packages: frozenset[str]) -> str:
    while str(folder) != "." and str(folder) in packages:
        folder = folder.parent
    return str(folder)


def _pattern(names: list[str]) -> str:
    if all(name.startswith("test") for name in names):
        return "test*.py"
    return "*_test.py" if all(name.endswith("_test.py") for name in names) else "*test*.py"
