"""How long 100 varied inputs of the demo take: `python -m tests.e2e.support.measure_recorder`."""

import ast
import asyncio
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

from yudai import demo
from yudai.kit.errors import SandboxError
from yudai.sandboxes.backends.bubblewrap.backend import BubblewrapBackend
from yudai.testing.domain.report import TestPlan
from yudai.testing.domain.runners import TestRunner
from yudai.verification.recorded.domain.probe import Probe
from yudai.verification.recorded.domain.python_tests import take_apart
from yudai.verification.recorded.domain.vary import choose
from yudai.verification.recorded.record import record

TARGET_S = 10.0
INPUTS = 100
PLAN = TestPlan(runner=TestRunner.PYTEST, python="python", command="pytest")


class Measured(NamedTuple):
    inputs: int
    known: int
    """Those that gave a plain value or raised an exception."""
    seconds: float


def probes() -> list[Probe]:
    """Every assertion of the sample's own tests that can be taken apart."""
    found: list[Probe] = []
    for file in sorted((demo.ROOT / "sample/tests").glob("test_*.py")):
        text = file.read_text(encoding="utf-8")
        names = [n.name for n in ast.parse(text).body if isinstance(n, ast.FunctionDef)]
        path = f"tests/{file.name}"
        found += [p for n in names for p in take_apart(path, text, f"{path}::{n}").probes]
    return found


async def measure(home: Path) -> Measured:
    """From nothing but the tests' text to the values: taking apart, varying, one sandbox."""
    backend = BubblewrapBackend(home / "sandboxes")
    try:
        base = await backend.prepare(demo.base(home, Path(sys.prefix)))
        began = time.perf_counter()
        inputs = [variant.probe for variant in choose([], probes(), INPUTS)]
        [sandbox] = await backend.spawn(base, 1, owner="bench")
        if isinstance(sandbox, SandboxError):
            raise sandbox
        found = await record(sandbox, PLAN, inputs)
        await sandbox.destroy()
        seconds = time.perf_counter() - began
    finally:
        await backend.close()
    return Measured(len(inputs), sum(one.is_known for one in found), round(seconds, 2))


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        found = asyncio.run(measure(Path(folder)))
    told = f"{found.inputs} inputs, {found.known} with values: {found.seconds} s"
    sys.stdout.write(f"{told}, target {TARGET_S:g} s\n")


if __name__ == "__main__":
    main()
