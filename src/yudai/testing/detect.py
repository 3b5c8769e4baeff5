"""Finds out how a repository's tests are run, as it stands in a sandbox."""

import re
import shlex

from yudai.kit.errors import RefusedError
from yudai.kit.hints import SETUP, TEST
from yudai.projects.domain.makefile import read_makefile
from yudai.projects.domain.project import Project
from yudai.projects.domain.repository_files import RepositoryFiles, read_json, string, table
from yudai.projects.domain.tox import read_tox
from yudai.sandboxes.port import Sandbox
from yudai.testing import node, python
from yudai.testing.domain.commands import Recognised, Scripts, recognise
from yudai.testing.domain.report import TestPlan
from yudai.testing.domain.runners import NODE_RUNNERS, TestRunner
from yudai.testing.node import detect_node
from yudai.testing.python import detect_python, unittest_plan
from yudai.testing.run import plan_of, workplace

_MAX_FILE = 1 << 20
_MAKEFILES = ("GNUmakefile", "makefile", "Makefile")
_TARGETS = ("test", "check")
_TOX = ("tox.ini", "tox.toml", "pyproject.toml", "setup.cfg")
_PROGRAM = re.compile(r"[\w./@+-]+")
_ANYWHERE = Project()


async def detect(sandbox: Sandbox, project: Project = _ANYWHERE) -> TestPlan | None:
    """The plan, or None when there is nothing that can be run.

    RefusedError when a test command was given that does not exist in the sandbox.
    """
    if project.test:
        return await _given(sandbox, project)
    order = (detect_node, detect_python) if project.node else (detect_python,)
    for find in order:
        if plan := await find(sandbox, project.folder):
            return plan
    return await _by_make(sandbox, project)


async def _by_make(sandbox: Sandbox, project: Project) -> TestPlan | None:
    rules = (await _scripts(sandbox, project.folder)).make
    target = next((name for name in _TARGETS if name in rules), None)
    if target is None or await _lacks(sandbox, project, "make"):
        return None
    try:
        return await _given(sandbox, project.model_copy(update={"test": f"make {target}"}))
    except RefusedError:
        return None


async def _given(sandbox: Sandbox, project: Project) -> TestPlan:
    found = recognise(project.test, await _scripts(sandbox, project.folder))
    if found is None:
        return await _command(sandbox, project)
    if found.runner in NODE_RUNNERS:
        facts = await node.look(sandbox, project.folder)
        if facts is None or not facts.has(found.runner):
            raise _missing(project.test, f"{found.runner} is not installed")
        return plan_of(found, project.test, project.folder, python="node")
    return await _python(sandbox, project, found)


async def _python(sandbox: Sandbox, project: Project, found: Recognised) -> TestPlan:
    seen = await python.look(sandbox, project.folder)
    if seen is None:
        raise _missing(project.test, "there is no Python")
    is_pytest = found.runner is TestRunner.PYTEST
    if is_pytest and not seen.facts.has_pytest:
        raise _missing(project.test, "pytest is not installed")
    args = found.args
    if not is_pytest and not args:
        args = (
            unittest_plan(seen, project.folder).args if seen.facts.unittest else ("test*.py", ".")
        )
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
    """What `npm test`, `make test` and `tox` would run."""
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
