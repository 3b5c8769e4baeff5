"""Our side of the measurement: real sandbox, real loop, real store, scripted replies."""

import io
import json
import tarfile
import time
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from yudai.agents.adapters.mini_swe.agent import MiniSweAgent
from yudai.agents.port import AgentLimits, AgentTask
from yudai.gateway.adapters.scripted import ScriptedGateway
from yudai.kit.errors import SandboxError
from yudai.kit.ids import RunId
from yudai.kit.system_clock import SystemClock
from yudai.runs.domain.progress import Progress
from yudai.runs.domain.trajectory.trajectory import TrajectoryMessage
from yudai.runs.message_writer import writer_of
from yudai.sandboxes.port import Backend, BaseRef, BaseSpec
from yudai.settings import Settings
from yudai.solves.domain.matrix import DEFAULT_AGENT, Contestant, Strategy
from yudai.store.store import Store
from yudai.wiring import make_backend

_BASE_FILES = 100


@dataclass(frozen=True)
class Ours:
    backend: Backend
    base: BaseRef
    store: Store
    agent: MiniSweAgent
    clock: SystemClock
    scripts: Path

    async def run(self, commands: Sequence[str]) -> float:
        """From the sandbox's start until the patch is taken and every message is stored."""
        gateway = self._gateway(commands)
        run_id = RunId(self.clock.new_id())
        begun = time.perf_counter()
        [sandbox] = await self.backend.spawn(self.base, 1, owner=run_id)
        if isinstance(sandbox, SandboxError):
            raise sandbox

        def record(message: TrajectoryMessage, progress: Progress) -> None:
            writer_of(self.store).append(run_id, 1, message, progress)

        try:
            outcome = await self.agent.run(
                self._task(), sandbox, gateway, _limits(len(commands)), on_message=record
            )
            await writer_of(self.store).flush()
            took = time.perf_counter() - begun
        finally:
            await sandbox.destroy()
        if outcome.cause is not None or not outcome.patch:
            raise RuntimeError(f"our loop ended with {outcome.exit_status}: {outcome.error}")
        return took

    def _gateway(self, commands: Sequence[str]) -> ScriptedGateway:
        replies = [{"say": "Next.", "run": command} for command in commands]
        script = {"replies": [*replies, {"finish": True}]}
        (self.scripts / "it.json").write_text(json.dumps(script))
        gateway = ScriptedGateway((self.scripts,))
        gateway.script("scripted/it")
        return gateway

    def _task(self) -> AgentTask:
        return AgentTask(
            issue_title="Print numbers.",
            issue_body="",
            contestant=Contestant(
                agent=DEFAULT_AGENT,
                model="scripted/it",
                temperature=0.0,
                max_edits=10,
                strategy=Strategy.BALANCED,
                handle="it",
            ),
            test_command="",
            finish_token=self.clock.token(),
        )


@asynccontextmanager
async def open_ours(home: Path) -> AsyncGenerator[Ours]:
    """Everything that a solve makes once, before its runs: outside of what is measured."""
    clock = SystemClock()
    backend = make_backend(Settings.at(home), "bubblewrap")
    agent = MiniSweAgent(clock, max_threads=1)
    try:
        async with await Store.open(f"sqlite+aiosqlite:///{home / 'bench.db'}") as store:
            base = await backend.prepare(BaseSpec(key="bench-overhead", source=_source(home)))
            yield Ours(backend, base, store, agent, clock, home)
    finally:
        await agent.close()
        await backend.close()


def _source(home: Path) -> Path:
    archive = home / "source.tar"
    with tarfile.open(archive, "w") as tar:
        for number in range(_BASE_FILES):
            content = f"VALUE = {number}\n".encode()
            entry = tarfile.TarInfo(f"package/module_{number}.py")
            entry.size = len(content)
            tar.addfile(entry, io.BytesIO(content))
    return archive


def _limits(commands: int) -> AgentLimits:
    return AgentLimits(
        max_steps=commands + 1, wall_time_s=600, cost_cap_micros=0, command_timeout_s=60
    )
