"""Runs a repository's tests in a sandbox and reads what our own reporter wrote about each."""

import json
import secrets
import shlex
from collections.abc import AsyncGenerator, Collection
from contextlib import asynccontextmanager, suppress
from importlib.resources import files
from typing import NamedTuple

from yudai.domain.errors import SandboxError
from yudai.domain.reportlines import Ending, read_report
from yudai.domain.testreport import TestPlan, TestReport, TestRunner
from yudai.ports.sandbox import ExecResult, Sandbox

__all__ = ["TestPlan", "TestRun", "TestRunner", "place", "run_tests", "scratch"]

SCRIPTS = {TestRunner.PYTEST: "run_pytest.py", TestRunner.UNITTEST: "run_unittest.py"}

# Whatever the repository's settings say: every test is run, and ids start at the workspace.
_PYTEST_ARGS = ("--rootdir=.", "--continue-on-collection-errors", "--maxfail=0")

# One order of sets and dicts for every execution, so that they can be compared.
_ENV = {"PYTHONHASHSEED": "0"}

_MAX_REPORT = 64 << 20
_MAX_LOG = 200_000


class TestRun(NamedTuple):
    __test__ = False

    report: TestReport
    log: str


async def run_tests(
    sandbox: Sandbox,
    plan: TestPlan,
    *,
    timeout_s: float,
    ids: Collection[str] | None = None,
    paths: Collection[str] = (),
) -> TestRun:
    """Run all tests, or those in `paths`, or of these only `ids`; the exit code decides nothing."""
    key = secrets.token_bytes(32)
    async with scratch(sandbox) as folder:
        script = await place(sandbox, folder, SCRIPTS[plan.runner])
        report, sealing, wanted = f"{folder}/report", f"{folder}/key", "-"
        await sandbox.write(report, b"")
        await sandbox.write(sealing, key)
        if ids is not None:
            wanted = f"{folder}/ids"
            await sandbox.write(wanted, json.dumps(sorted(ids)).encode())
        words = [plan.python, script, report, sealing, wanted, *_arguments(plan)]
        command = shlex.join([*words, *(f"./{path}" for path in paths)])
        result = await sandbox.exec(command, env=_ENV, timeout_s=timeout_s)
        content = await _read(sandbox, report)
    ending = Ending(result.exit_code, result.duration_s, result.timed_out)
    return TestRun(read_report(content, ending, key=key), _log(plan, paths, result))


@asynccontextmanager
async def scratch(sandbox: Sandbox) -> AsyncGenerator[str]:
    """A folder outside the workspace whose name no code in the box can know beforehand."""
    folder = f"/tmp/yudai-{secrets.token_hex(8)}"  # noqa: S108 - inside the sandbox
    try:
        yield folder
    finally:
        # Where there is no isolation, /tmp is the host's and outlives the sandbox.
        with suppress(SandboxError):
            await sandbox.exec(f"rm -rf {folder}")


async def _read(sandbox: Sandbox, report: str) -> bytes:
    """The report's lines; code under test may have removed it or made it too long."""
    try:
        return await sandbox.read(report, max_bytes=_MAX_REPORT)
    except OSError:
        return b""


async def place(sandbox: Sandbox, folder: str, script: str) -> str:
    """Put one of our scripts into the box; returns where it is."""
    content = files("yudai.services.reporters").joinpath(script).read_bytes()
    await sandbox.write(f"{folder}/{script}", content)
    return f"{folder}/{script}"


def _arguments(plan: TestPlan) -> tuple[str, ...]:
    more = _PYTEST_ARGS if plan.runner is TestRunner.PYTEST else ("--",)
    return (*plan.args, *more)


def _log(plan: TestPlan, paths: Collection[str], result: ExecResult) -> str:
    text = result.text
    if len(text) > _MAX_LOG:
        half = _MAX_LOG // 2
        text = (
            f"{text[:half]}\n[... {len(text) - 2 * half} characters left out ...]\n{text[-half:]}"
        )
    ending = "\n[stopped: out of time]" if result.timed_out else f"\n[exit code {result.exit_code}]"
    shown = [path.encode("utf-8", "backslashreplace").decode() for path in paths]
    return f"$ {' '.join([plan.command, *shown])}\n{text.rstrip()}{ending}\n"
