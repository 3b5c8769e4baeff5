"""Bare mini-SWE-agent, as its command line runs it: what we measure ourselves against."""

import json
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, cast

import yaml
from pydantic import BaseModel

from yudai.agents.adapters.mini_swe.upstream import (
    DefaultAgent,
    LocalEnvironment,
    actions_toolcall,
    package_dir,
)

FINISH = "echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT"


def run_bare(commands: Sequence[str], folder: Path) -> float:
    """Run the commands and the finish in the folder; seconds it took, its trajectory saved."""
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
    """As much as a real model's; upstream's own test model would dump all replies every step."""

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
