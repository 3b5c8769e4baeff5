"""The real loop in a real bubblewrap sandbox."""

import asyncio
import io
import tarfile
from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any

import pytest

from tests.support.scripted_agent import FILES, FINISH, Stage, Told
from yudai.bench import overhead
from yudai.kit.causes import Cause
from yudai.kit.errors import SandboxError
from yudai.runs.domain.progress import Progress
from yudai.runs.domain.trajectory.trajectory import TrajectoryMessage
from yudai.sandboxes.backends.bubblewrap.backend import BubblewrapBackend
from yudai.sandboxes.port import BaseSpec, Sandbox

EDIT = "echo 'x = 2' > app.py"


@pytest.fixture
async def sandbox(tmp_path: Path) -> AsyncGenerator[Sandbox]:
    source = tmp_path / "source.tar"
    with tarfile.open(source, "w") as tar:
        for name, content in FILES.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(content)
            tar.addfile(entry, io.BytesIO(content.encode()))
    backend = BubblewrapBackend(tmp_path / "home")
    try:
        base = await backend.prepare(BaseSpec(key="it", source=source))
        [sandbox] = await backend.spawn(base, 1, owner="it")
        assert not isinstance(sandbox, SandboxError)
        yield sandbox
        await sandbox.destroy()
    finally:
        await backend.close()


class Signal(Told):
    """Sets an event, in the test's loop, when so many messages were told."""

    def __init__(self, after: int) -> None:
        super().__init__()
        self.heard = asyncio.Event()
        self._after = after
        self._loop = asyncio.get_running_loop()

    def __call__(self, message: TrajectoryMessage, progress: Progress) -> None:
        super().__call__(message, progress)
        if len(self.messages) == self._after:
            self._loop.call_soon_threadsafe(self.heard.set)


async def play(stage: Stage, sandbox: Sandbox, replies: list[dict[str, Any]], **options: Any):
    return await stage.run(stage.script(replies), sandbox, **options)


async def test_a_run_with_a_cap_on_edits(tmp_path: Path, sandbox: Sandbox):
    stage = Stage(tmp_path / "stage")
    outcome = await play(
        stage,
        sandbox,
        [
            {"run": ["cat app.py", "python3 -m py_compile app.py; echo hello > debug.log"]},
            {"run": EDIT},
            {"run": "touch app.py; git init -q . 2>/dev/null; true"},
            {"run": "mkdir -p new && echo 1 > new/file"},
            {"run": "echo 'x = 3' > app.py"},
            {"run": [FINISH, "true"]},
        ],
        max_edits=2,
    )
    assert (outcome.exit_status, outcome.cause) == ("Submitted", None)
    assert (outcome.edits, outcome.edits_capped) == (2, True)
    assert "+x = 2" in outcome.patch
    assert "b/new/file" in outcome.patch
    assert "x = 3" not in outcome.patch
    assert "debug.log" not in outcome.patch
    assert "does not count" in stage.told.observations[5]["notice"]


async def test_cancelling_a_command(tmp_path: Path, sandbox: Sandbox):
    stage = Stage(tmp_path / "stage")
    stage.told = Signal(after=4)
    run = asyncio.create_task(
        play(stage, sandbox, [{"run": ["echo begun", "setsid sleep 61 & sleep 60"]}])
    )
    await stage.told.heard.wait()
    run.cancel()
    done, _ = await asyncio.wait([run], timeout=2)
    assert done
    assert run.cancelled()
    assert stage.told.exit_status == "Cancelled"
    left = await sandbox.exec("grep -al 'sleep' /proc/[0-9]*/comm || echo none")
    assert left.text == "none\n"


async def test_a_sandbox_that_is_destroyed_under_the_agent(tmp_path: Path, sandbox: Sandbox):
    stage = Stage(tmp_path / "stage")
    stage.told = Signal(after=4)
    run = asyncio.create_task(play(stage, sandbox, [{"run": ["echo begun", "sleep 60", "true"]}]))
    await stage.told.heard.wait()
    await sandbox.destroy()
    outcome = await run
    assert (outcome.exit_status, outcome.cause) == ("SandboxLost", Cause.SANDBOX_LOST)
    assert [o["returncode"] for o in stage.told.observations] == [0, -1, -1]


async def test_the_overhead_bench_runs_both_sides(tmp_path: Path):
    bench = await overhead.measure(tmp_path, steps=(3,), rounds=2)
    [pace] = bench.paces
    assert pace.steps == 3
    assert min(pace.bare_ms, pace.ours_ms, pace.ratio) > 0
