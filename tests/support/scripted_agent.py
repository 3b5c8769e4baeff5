"""A stage for scripted contestants: a real agent, a real gateway, a folder for a sandbox."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.support.fakes import FolderSandbox, StillClock
from yudai.agents.adapters.mini_swe.agent import MiniSweAgent
from yudai.agents.port import AgentLimits, AgentOutcome, AgentTask
from yudai.gateway.adapters.scripted import ScriptedGateway
from yudai.gateway.port import Gateway
from yudai.runs.domain.progress import Progress
from yudai.runs.domain.trajectory.trajectory import TrajectoryMessage
from yudai.sandboxes.port import Sandbox
from yudai.solves.domain.matrix import Contestant
from yudai.solves.domain.strategies import Strategy

TOKEN = "0123456789abcdef"  # noqa: S105  not a password
MARKER = f"COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT_{TOKEN}"
FINISH = f"echo {MARKER}"
FILES = {"app.py": "x = 1\n", ".gitignore": "*.log\n", "tests/test_app.py": "import app\n"}
LIMITS = AgentLimits(max_steps=20, wall_time_s=60, cost_cap_micros=1_000_000, command_timeout_s=30)

Reply = Mapping[str, Any]


@dataclass
class Told:
    """What the listener heard."""

    messages: list[TrajectoryMessage] = field(default_factory=list)
    progress: list[Progress] = field(default_factory=list)

    def __call__(self, message: TrajectoryMessage, progress: Progress) -> None:
        self.messages.append(message)
        self.progress.append(progress)

    @property
    def roles(self) -> list[str]:
        return [message.role for message in self.messages]

    @property
    def observations(self) -> list[dict[str, Any]]:
        return [json.loads(m.body["content"]) for m in self.messages if m.role == "tool"]

    @property
    def exit_status(self) -> str:
        return self.messages[-1].body["extra"]["exit_status"]


def contestant(script: str = "it", *, max_edits: int = 10) -> Contestant:
    return Contestant(
        agent="mini-swe-agent",
        model=f"scripted/{script}",
        temperature=0.2,
        max_edits=max_edits,
        strategy=Strategy.BALANCED,
        handle="it",
    )


def task(*, max_edits: int = 10, title: str = "x is wrong", body: str = "It is 1.") -> AgentTask:
    return AgentTask(
        issue_title=title,
        issue_body=body,
        contestant=contestant(max_edits=max_edits),
        test_command="python -m pytest -q",
        finish_token=TOKEN,
    )


class Stage:
    """One sandbox, one agent; `play` runs a script on it."""

    def __init__(self, root: Path, files: Mapping[str, str] = FILES) -> None:
        self.root = root
        self.sandbox = FolderSandbox(root / "sandbox", files)
        self.agent = MiniSweAgent(StillClock(), max_threads=2)
        self.told = Told()

    def script(self, replies: Sequence[Reply], *, repeat_last: bool = False) -> ScriptedGateway:
        document = {"replies": list(replies), "repeat_last": repeat_last}
        (self.root / "it.json").write_text(json.dumps(document))
        return ScriptedGateway((self.root,))

    async def play(
        self,
        replies: Sequence[Reply],
        *,
        repeat_last: bool = False,
        max_edits: int = 10,
        **limits: Any,
    ) -> AgentOutcome:
        gateway = self.script(replies, repeat_last=repeat_last)
        return await self.run(gateway, self.sandbox, max_edits=max_edits, **limits)

    async def run(
        self, gateway: Gateway, sandbox: Sandbox, *, max_edits: int = 10, **limits: Any
    ) -> AgentOutcome:
        return await self.agent.run(
            task(max_edits=max_edits),
            sandbox,
            gateway,
            LIMITS.model_copy(update=limits),
            on_message=self.told,
        )
