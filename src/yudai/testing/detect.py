"""Detects how the tests of a repository in a sandbox are run."""

import re
import shlex
from collections.abc import Sequence
from pathlib import PurePosixPath
from typing import NamedTuple, TypeVar

from pydantic import ValidationError

from yudai.kit.errors import RefusedError
from yudai.kit.hints import SETUP, TEST
from yudai.kit.value import Value
from yudai.projects.domain.makefile import read_makefile
from yudai.projects.domain.project import Project
from yudai.projects.domain.repository_files import RepositoryFiles, read_json, string, table
from yudai.projects.domain.tox import read_tox
from yudai.sandboxes.port import Sandbox
from yudai.testing.domain.commands import Recognised, Scripts, recognise
from yudai.testing.domain.own_names import SETTINGS, own_names
from yudai.testing.domain.report import TestPlan
from yudai.testing.domain.runners import NODE_RUNNERS, RUNNERS, TestRunner
from yudai.testing.run import place, plan_of, scratch, workplace

_MAX_FILE = 1 << 20
_MAKEFILES = ("GNUmakefile", "makefile", "Makefile")
_TARGETS = ("test", "check")
_TOX = ("tox.ini", "tox.toml", "pyproject.toml", "setup.cfg")
_PROGRAM = re.compile(r"[\w./@+-]+")
_ANYWHERE = Project()
_LOOK_S = 60.0
_PLACEHOLDER = "no test specified"
_BY_PACKAGE = {runner: row.typed for runner, row in RUNNERS.items() if row.typed}
_USAGE_ERROR = 4
_ANY_TEST = "test*.py"


class _Compiled(NamedTuple):
    """A language with one command that finds and runs all tests of a repository."""

    manifest: str
    program: str
    command: str
    has_tests: str
    """A shell command that succeeds if there is a test."""


_COMPILED = (
    _Compiled("go.mod", "go", "go test ./...", "find . -name '*_test.go' -print -quit | grep -q ."),
    _Compiled(
        "Cargo.toml", "cargo", "cargo test", "grep -rqs --include='*.rs' '#\\[.*test.*\\]' ."
    ),
)

Facts = TypeVar("Facts", bound=Value)


async def detect(sandbox: Sandbox, project: Project = _ANYWHERE) -> TestPlan | None:
    """The plan, or None if there is nothing to run.

    Raises RefusedError if the given test command does not exist in the sandbox.
    """
    plan = await _detected(sandbox, project)
    if plan is None or plan.runner is not TestRunner.PYTEST:
        return plan
    texts = {name: await _text(sandbox, plan.folder, name) for name in SETTINGS}
    return plan.model_copy(update={"names": own_names(texts)})


async def _detected(sandbox: Sandbox, project: Project) -> TestPlan | None:
    if project.test:
        return await _given(sandbox, project)
    order = (detect_node, detect_python) if project.node else (detect_python,)
    for find in order:
        if plan := await find(sandbox, project.folder):
            return plan
    return await _by_make(sandbox, project) or await _by_default(sandbox, project)


async def _by_make(sandbox: Sandbox, project: Project) -> TestPlan | None:
    rules = (await _scripts(sandbox, project.folder)).make
    target = next((name for name in _TARGETS if name in rules), None)
    if target is None or await _lacks(sandbox, project, "make"):
        return None
    try:
        return await _given(sandbox, project.model_copy(update={"test": f"make {target}"}))
    except RefusedError:
        return None


async def _by_default(sandbox: Sandbox, project: Project) -> TestPlan | None:
    """The plan for a repository without tests, to run those that a contestant adds."""
    folder = project.folder
    return (
        await _by_compiler(sandbox, folder, only_with_tests=True)
        or (await _default_node(sandbox, folder) if project.node else None)
        or await _default_python(sandbox, folder, by_manifest=True)
        or await _by_compiler(sandbox, folder, only_with_tests=False)
        or (None if project.node else await _default_python(sandbox, folder, by_manifest=False))
    )


async def _by_compiler(sandbox: Sandbox, folder: str, *, only_with_tests: bool) -> TestPlan | None:
    for row in _COMPILED:
        look = f"[ -f {row.manifest} ] && command -v {row.program} >/dev/null"
        more = f" && {row.has_tests}" if only_with_tests else ""
        found = await sandbox.exec(look + more, cwd=workplace(folder), timeout_s=_LOOK_S)
        if found.exit_code == 0:
            only_command = Recognised(TestRunner.COMMAND, (row.command,))
            return plan_of(only_command, row.command, folder, python="")
    return None


async def _default_node(sandbox: Sandbox, folder: str) -> TestPlan | None:
    """None if there are tests, or the runner that they need is not installed."""
    facts = await look_at_node(sandbox, folder)
    if facts is None or not facts.manifest or facts.tests:
        return None
    script = recognise(facts.scripts.get("test", ""))
    wanted = {*facts.asked, script.runner.value if script else ""} & {r.value for r in _BY_PACKAGE}
    if wanted and wanted.isdisjoint(facts.runners):
        return None
    return plan_by_package(facts.model_copy(update={"node_test": not facts.runners}), folder)


async def _default_python(sandbox: Sandbox, folder: str, *, by_manifest: bool) -> TestPlan | None:
    seen = await look_at_python(sandbox, folder)
    if seen is None or not (seen.facts.manifest if by_manifest else seen.facts.has_python):
        return None
    if seen.facts.has_pytest:
        return await _pytest_plan(sandbox, seen.python, folder)
    found = Recognised(TestRunner.UNITTEST, (_ANY_TEST, "."))
    return plan_of(found, f"{seen.python} -m unittest", folder, python=seen.python)


async def _given(sandbox: Sandbox, project: Project) -> TestPlan:
    found = recognise(project.test, await _scripts(sandbox, project.folder))
    if found is None:
        return await _command(sandbox, project)
    if found.runner in NODE_RUNNERS:
        facts = await look_at_node(sandbox, project.folder)
        if facts is None or not facts.has(found.runner):
            raise _missing(project.test, f"{found.runner} is not installed")
        return plan_of(found, project.test, project.folder, python="node")
    return await _python(sandbox, project, found)


async def _python(sandbox: Sandbox, project: Project, found: Recognised) -> TestPlan:
    seen = await look_at_python(sandbox, project.folder)
    if seen is None:
        raise _missing(project.test, "there is no Python")
    is_pytest = found.runner is TestRunner.PYTEST
    if is_pytest and not seen.facts.has_pytest:
        raise _missing(project.test, "pytest is not installed")
    args = found.args
    if not is_pytest and not args:
        args = unittest_plan(seen, project.folder).args if seen.facts.unittest else (_ANY_TEST, ".")
    found = found._replace(args=args)
    return plan_of(found, project.test, project.folder, python=seen.python)


async def _command(sandbox: Sandbox, project: Project) -> TestPlan:
    words = project.test.split()
    program = next((word for word in words if "=" not in word), "")
    if _PROGRAM.fullmatch(program) and await _lacks(sandbox, project, program):
        raise _missing(project.test, f"there is no program {program}")
    only_command = Recognised(TestRunner.COMMAND, (project.test,))
    return plan_of(only_command, project.test, project.folder, python="")


async def _lacks(sandbox: Sandbox, project: Project, program: str) -> bool:
    look = f"command -v {shlex.quote(program)}"
    return (await sandbox.exec(look, cwd=workplace(project.folder))).exit_code != 0


def _missing(command: str, why: str) -> RefusedError:
    return RefusedError(
        f"the test command `{command}` does not exist in the sandbox: {why}; install it with ",
        SETUP,
        ", or give another one with ",
        TEST,
    )


async def _scripts(sandbox: Sandbox, folder: str) -> Scripts:
    """The commands that `npm test`, `make test` and `tox` would run."""
    names = ("package.json", *_MAKEFILES, *_TOX)
    texts = {name: await _text(sandbox, folder, name) for name in names}
    if folder and not texts["package.json"]:
        texts["package.json"] = await _text(sandbox, "", "package.json")
    npm = table(read_json(texts["package.json"]), "scripts")
    tox = read_tox(RepositoryFiles(frozenset(), texts))
    return Scripts(
        npm={name: string(script) for name, script in npm.items() if string(script)},
        make=read_makefile(next((texts[name] for name in _MAKEFILES if texts[name]), "")),
        tox=tox.commands if tox else (),
    )


async def _text(sandbox: Sandbox, folder: str, name: str) -> str:
    try:
        content = await sandbox.read(f"{workplace(folder)}/{name}", max_bytes=_MAX_FILE)
    except OSError:
        return ""
    return content.decode("utf-8", "replace")


class NodeFacts(Value):
    """The facts that the probe reports about a Node repository."""

    scripts: dict[str, str]
    runners: tuple[str, ...]
    """The installed runners."""
    asked: tuple[str, ...]
    """The packages that `package.json` requires."""
    tests: tuple[str, ...]
    node_test: bool
    has_tsx: bool
    manifest: bool = True
    """Whether there is a readable package.json."""

    def has(self, runner: TestRunner) -> bool:
        return runner is TestRunner.NODE or runner.value in self.runners


async def look_at_node(sandbox: Sandbox, folder: str) -> NodeFacts | None:
    """The probe's facts; None if Node cannot be started."""
    words = ("node", *_BY_PACKAGE)
    return await _probe(sandbox, folder, NodeFacts, "probe.cjs", "report.cjs", words=words)


async def detect_node(sandbox: Sandbox, folder: str) -> TestPlan | None:
    """The plan by the `test` script, else by the installed runner, else for node:test."""
    facts = await look_at_node(sandbox, folder)
    if facts is None:
        return None
    script = facts.scripts.get("test", "")
    has_script = bool(script) and _PLACEHOLDER not in script
    found = recognise("npm test", Scripts(npm=facts.scripts)) if has_script else None
    if found and facts.has(found.runner):
        return plan_of(found, "npm test", folder, python="node")
    if facts.tests and (plan := plan_by_package(facts, folder)):
        return plan
    if has_script and found is None:
        only_command = Recognised(TestRunner.COMMAND, ("npm test",))
        return plan_of(only_command, "npm test", folder, python="")
    return None


def plan_by_package(facts: NodeFacts, folder: str) -> TestPlan | None:
    installed = [runner for runner in _BY_PACKAGE if facts.has(runner)]
    asked = [runner for runner in installed if runner.value in facts.asked]
    runner = next(iter(asked or (() if facts.node_test else installed)), None)
    if runner is not None:
        return plan_of(Recognised(runner), _BY_PACKAGE[runner], folder, python="node")
    if not facts.node_test:
        return None
    typed = facts.has_tsx and all(".ts" in path for path in facts.tests)
    args = ("--import", "tsx") if typed else ()
    command = shlex.join(["node", *args, "--test"])
    return plan_of(Recognised(TestRunner.NODE, args), command, folder, python="node")


class PythonFacts(Value):
    """The facts that the probe reports about a Python repository."""

    has_pytest: bool
    configured: bool
    uses_pytest: bool
    tests: tuple[str, ...]
    unittest: tuple[str, ...]
    manifest: bool
    """Whether its files show a Python project, with or without tests."""
    has_python: bool
    packages: tuple[str, ...]


class Seen(NamedTuple):
    python: str
    """The name of the interpreter."""
    facts: PythonFacts


async def look_at_python(sandbox: Sandbox, folder: str) -> Seen | None:
    """The probe's facts; None if Python cannot be started."""
    python = await _find_python(sandbox)
    if not python:
        return None
    facts = await _probe(sandbox, folder, PythonFacts, "probe.py", words=[python])
    return None if facts is None else Seen(python, facts)


async def detect_python(sandbox: Sandbox, folder: str) -> TestPlan | None:
    """The plan, or None if there is nothing that pytest or unittest can run."""
    seen = await look_at_python(sandbox, folder)
    if seen is None or not (seen.facts.tests or seen.facts.configured):
        return None
    python, facts = seen
    if facts.has_pytest and (facts.configured or facts.uses_pytest):
        return await _pytest_plan(sandbox, python, folder)
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
    """The plan for unittest. Discovery starts in each test folder that its parent cannot import."""
    python, facts = seen
    files = [PurePosixPath(path) for path in facts.unittest]
    starts = sorted({_start(file.parent, frozenset(facts.packages)) for file in files})
    pattern = _pattern([file.name for file in files])
    command = " && ".join(_unittest_command(python, start, pattern) for start in starts)
    found = Recognised(TestRunner.UNITTEST, (pattern, *starts))
    return plan_of(found, command, folder, python=python)


async def _find_python(sandbox: Sandbox) -> str:
    """The name of the first Python in the sandbox that can run our scripts, or ""."""
    found = await sandbox.exec(
        "for name in python python3; do"
        ' "$name" -c "import sys; sys.exit(sys.version_info < (3, 8))" 2>/dev/null'
        ' && { echo "$name"; break; }; done; true'
    )
    return found.text.strip()


async def _probe(
    sandbox: Sandbox, folder: str, facts: type[Facts], *scripts: str, words: Sequence[str]
) -> Facts | None:
    """Run the first of our scripts and read the facts that it prints; None if unreadable."""
    async with scratch(sandbox) as away:
        script, *_ = [await place(sandbox, away, name) for name in scripts]
        program, *more = words
        command = shlex.join([program, script, *more])
        result = await sandbox.exec(command, cwd=workplace(folder), timeout_s=_LOOK_S)
    try:
        return facts.model_validate_json(result.output)
    except ValidationError:
        return None


async def _pytest_plan(sandbox: Sandbox, python: str, folder: str) -> TestPlan:
    args = await _pytest_args(sandbox, python, folder)
    command = shlex.join([python, "-m", "pytest", *args])
    return plan_of(Recognised(TestRunner.PYTEST, args), command, folder, python=python)


async def _pytest_args(sandbox: Sandbox, python: str, folder: str) -> tuple[str, ...]:
    """Arguments that drop the repository's own options, if these need a missing plugin."""
    for args in ((), ("-o", "addopts=")):
        markers = shlex.join([python, "-m", "pytest", *args, "--markers"])
        result = await sandbox.exec(markers, cwd=workplace(folder), timeout_s=_LOOK_S)
        if result.exit_code != _USAGE_ERROR:
            return args
    return ()


def _unittest_command(python: str, start: str, pattern: str) -> str:
    where = ["-s", start] if start != "." else []
    what = ["-p", pattern] if pattern != _ANY_TEST else []
    return shlex.join(
        [python, "-m", "unittest", *(["discover", *where, *what] if where or what else [])]
    )


def _start(folder: PurePosixPath, packages: frozenset[str]) -> str:
    while str(folder) != "." and str(folder) in packages:
        folder = folder.parent
    return str(folder)


def _pattern(names: list[str]) -> str:
    if all(name.startswith("test") for name in names):
        return _ANY_TEST
    return "*_test.py" if all(name.endswith("_test.py") for name in names) else "*test*.py"
