"""Runs a repository's tests in a sandbox and reads our reporter's result of each test."""

import json
import secrets
import shlex
from collections.abc import AsyncGenerator, Collection
from contextlib import asynccontextmanager, suppress
from importlib.resources import files
from typing import NamedTuple

from yudai.kit.errors import SandboxError
from yudai.sandboxes.port import WORKSPACE, ExecResult, Sandbox
from yudai.testing.domain.commands import Recognised
from yudai.testing.domain.report import Failure, FailureKind, Outcome, TestPlan, TestReport
from yudai.testing.domain.report_lines import Ending, read_report
from yudai.testing.domain.runners import (
    NODE_RUNNERS,
    PYTHON_RUNNERS,
    RUNNERS,
    TestRunner,
)

# The same order of sets and dicts in every execution, so that results are comparable.
_PYTHON_ENV = {"PYTHONHASHSEED": "0"}
# Stops programs from waiting for a person or watching for changes.
_OTHER_ENV = {"CI": "true"}

# The module that all reporters of a language use, placed beside them.
_SHARED = {"node": "report.cjs", "python": "yudai_report.py"}

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
    """Run all tests, or those in `paths`, or only `ids`; the reporter's lines give the results.

    A plain command gives only its exit code; with `ids` or `paths` it counts as another test.
    """
    if plan.before:
        built = await _exec(sandbox, plan, _with_programs(plan), timeout_s=timeout_s)
        if built.exit_code != 0:
            return TestRun(_report(built, {}, finished=False), _log(plan, (), built))
    if plan.runner is TestRunner.COMMAND:
        return await _run_command(sandbox, plan, timeout_s=timeout_s, own=bool(ids or paths))
    # After a build, tests can be elsewhere than their sources.
    chosen = () if plan.before else _chosen(plan, ids, paths)
    return await _run_reported(sandbox, plan, timeout_s=timeout_s, ids=ids, paths=chosen)


def workplace(folder: str) -> str:
    """The path of a repository's folder inside a sandbox."""
    return f"{WORKSPACE}/{folder}" if folder else WORKSPACE


def shown_in(folder: str, command: str) -> str:
    """A command for a folder, as a person would type it at the root."""
    return f"cd {shlex.quote(folder)} && {command}" if folder else command


def plan_of(found: Recognised, command: str, folder: str, *, python: str) -> TestPlan:
    return TestPlan(
        runner=found.runner,
        python=python,
        args=found.args,
        env=found.env,
        before=found.before,
        command=shown_in(folder, command),
        folder=folder,
    )


def place_of(plan: TestPlan) -> str:
    """The prefix of this plan's ids and paths."""
    return f"{plan.folder}/" if plan.folder else ""


async def _run_reported(
    sandbox: Sandbox,
    plan: TestPlan,
    *,
    timeout_s: float,
    ids: Collection[str] | None,
    paths: Collection[str],
) -> TestRun:
    key, prefix, row = secrets.token_bytes(32), place_of(plan), RUNNERS[plan.runner]
    async with scratch(sandbox) as folder:
        script = await place(sandbox, folder, row.reporter)
        await place(sandbox, folder, _SHARED[row.language])
        report, sealing, wanted = f"{folder}/report", f"{folder}/key", "-"
        await sandbox.write(report, b"")
        await sandbox.write(sealing, key)
        if ids is not None:
            wanted = f"{folder}/ids"
            inner = sorted(test.removeprefix(prefix) for test in ids)
            await sandbox.write(wanted, json.dumps(inner).encode())
        words = [plan.python, script, report, sealing, wanted, *plan.args, *row.last]
        files = (f"./{path.removeprefix(prefix)}" for path in paths)
        command = shlex.join([*words, *files])
        result = await _exec(sandbox, plan, command, timeout_s=timeout_s)
        content = await _read(sandbox, report)
    ending = Ending(result.exit_code, result.duration_s, result.timed_out)
    found = read_report(content, ending, key=key, prefix=prefix)
    return TestRun(found, _log(plan, paths, result))


async def _run_command(sandbox: Sandbox, plan: TestPlan, *, timeout_s: float, own: bool) -> TestRun:
    result = await _exec(sandbox, plan, plan.args[0], timeout_s=timeout_s)
    outcome = Outcome.PASSED if result.exit_code == 0 else Outcome.FAILED
    test = plan.own_id if own else plan.args[0]
    report = _report(result, {test: outcome}, finished=not result.timed_out)
    failed = {test: _failure(result)} if result.exit_code or result.timed_out else {}
    took = {test: round(result.duration_s, 4)}
    return TestRun(
        report.model_copy(update={"failures": failed, "durations": took}), _log(plan, (), result)
    )


def _failure(result: ExecResult) -> Failure:
    """The failure of a plain command, of which only the ending is known."""
    if result.timed_out:
        return Failure(kind=FailureKind.TIMEOUT)
    return Failure(kind=FailureKind.UNKNOWN, message=f"exit code {result.exit_code}")


async def _exec(sandbox: Sandbox, plan: TestPlan, command: str, *, timeout_s: float) -> ExecResult:
    ours = _PYTHON_ENV if plan.runner in PYTHON_RUNNERS else _OTHER_ENV
    limit = {"YUDAI_TIMEOUT_S": f"{timeout_s:g}"} if plan.runner is TestRunner.NODE else {}
    root = {"YUDAI_WORKSPACE": "../" * (plan.folder.count("/") + 1)} if plan.folder else {}
    env = {**ours, **limit, **root, **dict(plan.env)}
    where = workplace(plan.folder)
    return await sandbox.exec(command, cwd=where, env=env, timeout_s=timeout_s)


def _with_programs(plan: TestPlan) -> str:
    """The build command with the programs of Node packages on PATH, as npm sets it."""
    ups = plan.folder.count("/") + 1 if plan.folder else 0
    folders = "".join(f"$PWD/{'../' * n}node_modules/.bin:" for n in range(ups + 1))
    return f'PATH="{folders}$PATH"; {plan.before}'


def _chosen(plan: TestPlan, ids: Collection[str] | None, paths: Collection[str]) -> Collection[str]:
    """The files to run. Node's runners load whole files, so ids become their files."""
    if paths or not ids or plan.runner not in NODE_RUNNERS:
        return paths
    return sorted({test.partition("::")[0] for test in ids})


def _report(result: ExecResult, outcomes: dict[str, Outcome], *, finished: bool) -> TestReport:
    return TestReport(
        outcomes=outcomes,
        exit_code=result.exit_code,
        finished=finished,
        duration_s=result.duration_s,
        timed_out=result.timed_out,
    )


@asynccontextmanager
async def scratch(sandbox: Sandbox) -> AsyncGenerator[str]:
    """A folder outside the workspace whose name no code in the sandbox can know beforehand."""
    folder = f"/tmp/yudai-{secrets.token_hex(8)}"  # noqa: S108 - inside the sandbox
    try:
        yield folder
    finally:
        # Without isolation, /tmp is the host's and outlives the sandbox.
        with suppress(SandboxError):
            await sandbox.exec(f"rm -rf {folder}")


async def _read(sandbox: Sandbox, report: str) -> bytes:
    """The report's lines; code under test may have removed it or made it too long."""
    try:
        return await sandbox.read(report, max_bytes=_MAX_REPORT)
    except OSError:
        return b""


async def place(sandbox: Sandbox, folder: str, script: str) -> str:
    """Put one of our scripts into the sandbox and return its path."""
    content = files("yudai.testing.reporters").joinpath(script).read_bytes()
    await sandbox.write(f"{folder}/{script}", content)
    return f"{folder}/{script}"


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
