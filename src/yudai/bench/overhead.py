"""Cost of our loop per step against bare mini-SWE-agent, with the same replies."""

import json
import time
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any, cast

import yaml
from pydantic import BaseModel

from yudai.agents.adapters.mini_swe.agent import MiniSweAgent
from yudai.agents.adapters.mini_swe.upstream import (
    DefaultAgent,
    LocalEnvironment,
    actions_toolcall,
    package_dir,
)
from yudai.agents.port import AgentLimits, AgentTask
from yudai.bench.setup import archive, contestant
from yudai.gateway.adapters.scripted import ScriptedGateway
from yudai.kit.clock import SystemClock
from yudai.kit.errors import SandboxError
from yudai.kit.ids import RunId
from yudai.kit.value import Value
from yudai.runs.domain.progress import Progress
from yudai.runs.domain.trajectory.trajectory import TrajectoryMessage
from yudai.runs.message_writer import writer_of
from yudai.sandboxes.port import Backend, BaseRef, BaseSpec
from yudai.settings import Settings
from yudai.store.store import Store
from yudai.wiring import make_backend

FINISH = "echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT"


def run_bare(commands: Sequence[str], folder: Path) -> float:
    """Run the commands in the folder with bare mini-SWE-agent; return the seconds."""
    workspace = folder / "workspace"
    workspace.mkdir(parents=True)
    config: dict[str, Any] = yaml.safe_load((package_dir / "config/mini.yaml").read_text())
    templates = {name: config["agent"][f"{name}_template"] for name in ("system", "instance")}
    begun = time.perf_counter()
    agent = DefaultAgent(  # pyright: ignore[reportUnknownMemberType]  upstream's **kwargs
        ReplayModel([*commands, FINISH], config["model"]),
        LocalEnvironment(cwd=str(workspace), env=config["environment"]["env"]),  # pyright: ignore[reportUnknownMemberType]  upstream's **kwargs
        system_template=templates["system"],
        instance_template=templates["instance"],
        cost_limit=0,
        output_path=folder / "it.traj.json",
    )
    end = cast("dict[str, Any]", agent.run("Print numbers."))  # pyright: ignore[reportUnknownMemberType]  upstream's `dict`
    took = time.perf_counter() - begun
    if end["exit_status"] != "Submitted":
        raise RuntimeError(f"bare mini-SWE-agent ended with {end['exit_status']}")
    return took


class ReplayModelConfig(BaseModel):
    """Configuration as of a real model; upstream's test model dumps all replies every step."""

    model_name: str = "replay"
    observation_template: str
    format_error_template: str


class ReplayModel:
    """Upstream's tool-calling model without the call, and without the response kept twice."""

    def __init__(self, commands: Sequence[str], config: dict[str, Any]) -> None:
        self.config = ReplayModelConfig(
            observation_template=config["observation_template"],
            format_error_template=config["format_error_template"],
        )
        self._replies = iter([_reply(turn, command) for turn, command in enumerate(commands)])

    def query(self, messages: list[dict[str, str]], **_: Any) -> dict[str, Any]:
        del messages
        return next(self._replies)

    def format_message(self, **message: Any) -> dict[str, Any]:
        return message

    def format_observation_messages(
        self,
        message: dict[str, Any],
        outputs: list[dict[str, Any]],
        template_vars: dict[str, Any] | None = None,
    ) -> list[dict[str, Any]]:
        return actions_toolcall.format_toolcall_observation_messages(  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]  upstream's `dict`
            actions=message["extra"]["actions"],
            outputs=outputs,
            observation_template=self.config.observation_template,
            template_vars=template_vars,
        )

    def get_template_vars(self, **_: Any) -> dict[str, Any]:
        return self.config.model_dump()

    def serialize(self) -> dict[str, Any]:
        return {"info": {"config": {"model": self.config.model_dump(mode="json")}}}


def _reply(turn: int, command: str) -> dict[str, Any]:
    call = {"name": "bash", "arguments": json.dumps({"command": command})}
    return {
        "role": "assistant",
        "content": "Next.",
        "tool_calls": [{"id": f"call_{turn}", "type": "function", "function": call}],
        "extra": {
            "actions": [{"command": command, "tool_call_id": f"call_{turn}"}],
            "cost": 0.0,
            "timestamp": time.time(),
        },
    }


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
        """Seconds from the sandbox's start until patch and all messages are stored."""
        gateway = self._gateway(commands)
        run_id = RunId(self.clock.new_id())
        begun = time.perf_counter()
        [sandbox] = await self.backend.spawn(self.base, 1, owner=run_id)
        if isinstance(sandbox, SandboxError):
            raise sandbox

        writer = writer_of(self.store)

        def record(message: TrajectoryMessage, progress: Progress) -> None:
            writer.append(run_id, 1, message, progress)

        try:
            outcome = await self.agent.run(
                self._task(), sandbox, gateway, _limits(len(commands)), on_message=record
            )
            await writer.flush()
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
            contestant=contestant("it"),
            test_command="",
            finish_token=self.clock.token(),
        )


@asynccontextmanager
async def open_ours(home: Path) -> AsyncGenerator[Ours]:
    """Set up what a solve makes once before its runs; not measured."""
    clock = SystemClock()
    backend = make_backend(Settings.at(home), "bubblewrap")
    agent = MiniSweAgent(clock, max_threads=1)
    try:
        async with await Store.open(f"sqlite+aiosqlite:///{home / 'bench.db'}") as store:
            source = archive(home / "source.tar", _BASE_FILES)
            base = await backend.prepare(BaseSpec(key="bench-overhead", source=source))
            yield Ours(backend, base, store, agent, clock, home)
    finally:
        await agent.close()
        await backend.close()


def _limits(commands: int) -> AgentLimits:
    return AgentLimits(
        max_steps=commands + 1, wall_time_s=600, cost_cap_micros=0, command_timeout_s=60
    )


TARGETS = {20: 1.3, 250: 1.0}

# Each prints about 4 KB; the first one also writes a file, so that there is a patch.
_EDIT = "seq 1000 1818 | tee numbers.txt"
_PRINT = "seq 1000 1818"
_WARM_UP = 5


class Pace(Value):
    """Medians per step; the last step is the finish."""

    steps: int
    bare_ms: float
    ours_ms: float
    """From the sandbox's start until the patch is taken and every message is stored."""
    ratio: float
    target: float | None


class OverheadBench(Value):
    rounds: int
    paces: tuple[Pace, ...]


async def measure(home: Path, *, steps: tuple[int, ...] = (20, 250), rounds: int) -> OverheadBench:
    """Ratio within one run. The sides alternate, so that load on the machine affects both."""
    async with open_ours(home) as ours:
        # The first round of each side pays for imports and caches.
        await _both(ours, home, _WARM_UP)
        paces = [await _pace(ours, home, number, rounds) for number in steps]
    return OverheadBench(rounds=rounds, paces=tuple(paces))


async def _pace(ours: Ours, home: Path, steps: int, rounds: int) -> Pace:
    times = [await _both(ours, home, steps) for _ in range(rounds)]
    bare_s, ours_s = (median(side) for side in zip(*times, strict=True))
    return Pace(
        steps=steps,
        bare_ms=round(bare_s / steps * 1000, 3),
        ours_ms=round(ours_s / steps * 1000, 3),
        ratio=round(ours_s / bare_s, 3),
        target=TARGETS.get(steps),
    )


async def _both(ours: Ours, home: Path, steps: int) -> tuple[float, float]:
    commands = [_EDIT, *[_PRINT] * (steps - 2)]
    with TemporaryDirectory(dir=home) as folder:
        return run_bare(commands, Path(folder)), await ours.run(commands)
