"""Finds out how a repository's Node tests are run, as it stands in a sandbox."""

import shlex

from pydantic import ValidationError

from yudai.kit.value import Value
from yudai.sandboxes.port import Sandbox
from yudai.testing.domain.commands import Recognised, Scripts, recognise
from yudai.testing.domain.report import TestPlan
from yudai.testing.domain.runners import RUNNERS, TestRunner
from yudai.testing.run import place, plan_of, scratch, workplace

_LOOK_S = 60.0
_PLACEHOLDER = "no test specified"
_BY_PACKAGE = {runner: row.typed for runner, row in RUNNERS.items() if row.typed}


class NodeFacts(Value):
    """What the probe saw."""

    scripts: dict[str, str]
    runners: tuple[str, ...]
    """Runners that are installed."""
    asked: tuple[str, ...]
    """Packages that `package.json` asks for."""
    tests: tuple[str, ...]
    node_test: bool
    has_tsx: bool

    def has(self, runner: TestRunner) -> bool:
        return runner is TestRunner.NODE or runner.value in self.runners


async def look(sandbox: Sandbox, folder: str) -> NodeFacts | None:
    """None where no Node can be started."""
    async with scratch(sandbox) as scripts:
        await place(sandbox, scripts, "report.cjs")
        script = await place(sandbox, scripts, "probe.cjs")
        result = await sandbox.exec(
            shlex.join(["node", script, *_BY_PACKAGE]), cwd=workplace(folder), timeout_s=_LOOK_S
        )
    try:
        return NodeFacts.model_validate_json(result.output)
    except ValidationError:
        return None


async def detect_node(sandbox: Sandbox, folder: str) -> TestPlan | None:
    """By the `test` script, else by the runner that is installed, else node:test."""
    facts = await look(sandbox, folder)
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
