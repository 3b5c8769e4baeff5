"""Records the values of probes in a sandbox, in processes without a test runner."""

import json
import shlex
from collections.abc import Mapping, Sequence
from importlib.resources import files
from typing import NamedTuple

from yudai.sandboxes.port import Sandbox
from yudai.testing.domain.report import TestPlan
from yudai.testing.domain.runners import TestRunner
from yudai.testing.run import workplace
from yudai.verification.recorded.domain.probe import Language, Probe
from yudai.verification.recorded.domain.values import LOST, Recorded, read_recorded

_MAX_OUTPUT = 32 << 20
_NO_ENV: Mapping[str, str] = {}

# The script is not a file, and its names are in no module, so that code cannot find them.
_PYTHON = (
    "import sys,json,builtins;"
    "exec(json.loads(sys.stdin.readline()),{'__builtins__':dict(vars(builtins))})"
)
_NODE = (
    "const lines=require('fs').readFileSync(0,'utf8').split('\\n');"
    "new Function('require','job',JSON.parse(lines[0]))(require,JSON.parse(lines[1]))"
)
LANGUAGES: Mapping[TestRunner, Language] = {
    TestRunner.PYTEST: Language.PYTHON,
    TestRunner.UNITTEST: Language.PYTHON,
    TestRunner.NODE: Language.NODE,
}
_SCRIPTS = {Language.PYTHON: "record_values.py", Language.NODE: "record_values.cjs"}


class Limits(NamedTuple):
    probe_s: float = 2.0
    import_s: float = 20.0
    whole_s: float = 60.0


USUAL = Limits()
PATIENT = Limits(probe_s=10.0, import_s=30.0, whole_s=120.0)
"""For values that count against an answer: a busy machine must not make them fail."""


class Guise(NamedTuple):
    """What a recording process imitates; by default no test runner."""

    argv: tuple[str, ...] = ()
    modules: tuple[str, ...] = ()
    env: Mapping[str, str] = _NO_ENV
    is_runner: bool = False


NEUTRAL = Guise()


def runner_guise(plan: TestPlan) -> Guise:
    """The guise of the plan's runner."""
    said = dict(plan.env)
    if plan.runner is TestRunner.PYTEST:
        env = {"PYTEST_CURRENT_TEST": "test.py::test (call)", "PYTEST_VERSION": "8.0"}
        return Guise(
            ("pytest", *plan.args), ("pytest", "_pytest.assertion"), said | env, is_runner=True
        )
    if plan.runner is TestRunner.UNITTEST:
        return Guise(("python -m unittest",), ("unittest", "unittest.mock"), said, is_runner=True)
    env = {"NODE_TEST_CONTEXT": "child-v8", "CI": "true"}
    return Guise(("--test",), ("node:test", "node:assert"), said | env, is_runner=True)


async def record(
    sandbox: Sandbox,
    plan: TestPlan,
    probes: Sequence[Probe],
    guise: Guise = NEUTRAL,
    limits: Limits = USUAL,
) -> list[Recorded]:
    """The probes' values, in order. A probe that hangs or exits does not affect the others."""
    if not probes:
        return []
    language = LANGUAGES[plan.runner]
    order, groups = _groups(probes, plan, guise)
    no_argv = [""] if language is Language.PYTHON else []
    job: dict[str, object] = {
        "groups": groups,
        **limits._asdict(),
        "argv": list(guise.argv) or no_argv,
        "modules": list(guise.modules),
        "env": dict(guise.env),
    }
    script = files("yudai.testing.reporters").joinpath(_SCRIPTS[language]).read_text("utf-8")
    result = await sandbox.exec(
        _command(plan, language),
        cwd=workplace(plan.folder),
        env={"PYTHONHASHSEED": "0"} if language is Language.PYTHON else {},
        timeout_s=limits.whole_s + limits.import_s,
        max_output=_MAX_OUTPUT,
        stdin=f"{json.dumps(script)}\n{json.dumps(job)}\n".encode(),
    )
    found = [LOST] * len(probes)
    for at, line in zip(order, result.text.split("\n"), strict=False):
        found[at] = _read(line)
    return found


def _command(plan: TestPlan, language: Language) -> str:
    is_python = language is Language.PYTHON
    flag, code = ("-c", _PYTHON) if is_python else ("-e", _NODE)
    return shlex.join([plan.python, flag, code])


def _read(line: str) -> Recorded:
    try:
        return read_recorded(json.loads(line))
    except (ValueError, RecursionError):
        return LOST


def _groups(
    probes: Sequence[Probe], plan: TestPlan, guise: Guise
) -> tuple[list[int], list[dict[str, object]]]:
    """The probes' order and groups. Probes with exactly the same imports share a process.

    An additional import of one test can fail on an answer or change the results of another test.
    """
    by_imports: dict[tuple[tuple[str, ...], str], list[int]] = {}
    for at, probe in enumerate(probes):
        by_imports.setdefault((probe.imports, _place_of(probe, guise)), []).append(at)
    groups: list[dict[str, object]] = []
    for (imports, place), members in by_imports.items():
        first = probes[members[0]]
        inner = place.removeprefix(f"{plan.folder}/") if plan.folder else place
        groups.append(
            {
                "imports": list(imports),
                "place": _place(first.language, inner, guise),
                "name": _name(inner, guise),
                "probes": [
                    {"code": list(probes[at].code), "expression": probes[at].expression}
                    for at in members
                ],
            }
        )
    return [at for members in by_imports.values() for at in members], groups


def _place_of(probe: Probe, guise: Guise) -> str:
    return probe.path if guise.is_runner else probe.path.rpartition("/")[0]


def _place(language: Language, inner: str, guise: Guise) -> str:
    """The path that the code appears to run from.

    A script's relative imports depend on its folder; without a guise the file's name is hidden.
    """
    if language is Language.NODE:
        return inner if guise.is_runner else f"{inner}/x.js".removeprefix("/")
    return inner if guise.is_runner else "<stdin>"


def _name(inner: str, guise: Guise) -> str:
    return inner.removesuffix(".py").replace("/", ".") if guise.is_runner else "__main__"
