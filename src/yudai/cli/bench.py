"""`yudai bench NAME`: run a measurement and print its ratio beside its target."""

import tempfile
from collections.abc import Awaitable
from pathlib import Path
from typing import TypeVar

from yudai.cli import consoles
from yudai.cli.exits import OK
from yudai.cli.text import print_json
from yudai.domain.value import Value

Result = TypeVar("Result", bound=Value)


async def run_overhead(*, rounds: int, json: bool) -> int:
    from yudai.bench import overhead

    with tempfile.TemporaryDirectory(prefix="yudai-bench-") as home:
        result = await _patiently(overhead.measure(Path(home), rounds=rounds))
    lines = [
        f"{pace.steps:>4} steps: {pace.ours_ms:.1f} ms a step, bare mini-SWE-agent "
        f"{pace.bare_ms:.1f} ms: {_against(pace.ratio, pace.target)}"
        for pace in result.paces
    ]
    return _print(result, lines, json=json)


async def run_sandbox(*, rounds: int, json: bool) -> int:
    from yudai.bench import sandbox

    with tempfile.TemporaryDirectory(prefix="yudai-bench-") as home:
        result = await _patiently(sandbox.measure(Path(home), rounds=rounds))
    lines = [
        f"{result.n} sandboxes from spawn until `true` answers: {result.ours_ms:.0f} ms, "
        f"bare bwrap {result.bare_ms:.0f} ms: {_against(result.ratio, result.target)}",
        f"a command in a warm sandbox: {result.command_ms:.1f} ms",
    ]
    return _print(result, lines, json=json)


async def _patiently(work: Awaitable[Result]) -> Result:
    with consoles.progress().status("measuring, in turns, to cancel out the machine's noise"):
        return await work


def _against(ratio: float, target: float | None) -> str:
    if target is None:
        return f"{ratio:.2f} x"
    return f"{ratio:.2f} x (target {target:g} x, {'met' if ratio <= target else 'MISSED'})"


def _print(result: Value, lines: list[str], *, json: bool) -> int:
    if json:
        print_json(result.model_dump(mode="json"))
    else:
        for line in lines:
            consoles.result().print(line, soft_wrap=True)
    return OK
