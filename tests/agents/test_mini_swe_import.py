"""What mini-SWE-agent itself writes is read: each of its models has another shape of message."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from yudai.agents.adapters.mini_swe.upstream import DefaultAgent
from yudai.runs.domain.trajectory.foreign_files import Imported, parse, read_trajectory
from yudai.runs.domain.trajectory.steps import step_of

COMMANDS = ("echo one; exit 3", "echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT; echo done")


def _text() -> Any:
    from minisweagent.models.test_models import DeterministicModel, make_output

    return DeterministicModel(
        outputs=[make_output(f"I run {c}", [{"command": c}]) for c in COMMANDS]
    )


def _tools() -> Any:
    from minisweagent.models.test_models import DeterministicToolcallModel, make_toolcall_output

    def reply(number: int, command: str) -> dict[str, Any]:
        call_id = f"call-{number}"
        function = {"name": "bash", "arguments": json.dumps({"command": command})}
        calls = [{"id": call_id, "type": "function", "function": function}]
        actions = [{"command": command, "tool_call_id": call_id}]
        return make_toolcall_output(f"I run {command}", calls, actions)

    return DeterministicToolcallModel(outputs=[reply(n, c) for n, c in enumerate(COMMANDS)])


def _responses() -> Any:
    from minisweagent.models.test_models import (
        DeterministicResponseAPIToolcallModel,
        make_response_api_output,
    )

    return DeterministicResponseAPIToolcallModel(
        outputs=[
            make_response_api_output(f"I run {c}", [{"command": c, "tool_call_id": f"call-{n}"}])
            for n, c in enumerate(COMMANDS)
        ]
    )


@pytest.mark.parametrize("model", [_text, _tools, _responses])
def test_each_of_its_models(model: Callable[[], Any], tmp_path: Path):
    file = tmp_path / "it.traj.json"
    run = _written_by(model(), file)
    assert run.document == json.loads(file.read_text())
    assert (run.exit_status, run.state, run.steps) == ("Submitted", "completed", 2)
    assert (run.usage.cost_micros, run.issue.title) == (2_000_000, "x is wrong")
    assert run.patch == ""
    step = step_of(1, [message for message in run.messages if message.step == 1])
    assert step.thought == f"I run {COMMANDS[0]}"
    [action] = step.actions
    assert (action.command, action.output, action.returncode) == (COMMANDS[0], "one\n", 3)
    assert step.inputs == ()
    last = step_of(2, [message for message in run.messages if message.step == 2])
    assert (last.actions[0].command, last.inputs[-1].role) == (COMMANDS[1], "exit")


def test_a_run_that_crashed(tmp_path: Path):
    from minisweagent.models.test_models import DeterministicModel, make_output

    file = tmp_path / "it.traj.json"
    one = make_output("I look", [{"command": "true"}])
    with pytest.raises(IndexError):
        _written_by(DeterministicModel(outputs=[one]), file)
    run = read_trajectory(parse(file.read_bytes()), name="it")
    assert (run.state, run.cause, run.exit_status) == ("failed", "agent_failed", "IndexError")


def _written_by(model: Any, file: Path) -> Imported:
    from minisweagent.environments.local import LocalEnvironment

    agent = DefaultAgent(
        model,
        LocalEnvironment(),
        system_template="Be brief.",
        instance_template="Please do this: {{task}}\n\nNow.",
        output_path=file,
    )
    agent.run("x is wrong\nIt is 1.")
    return read_trajectory(parse(file.read_bytes()), name="it")
