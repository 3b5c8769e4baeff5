"""One step of a trajectory: the thought, the commands and their output."""

import json
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from yudai.gateway.domain.models import Usage
from yudai.kit.money import usd
from yudai.kit.untyped import Object, as_object, as_text
from yudai.kit.value import Value
from yudai.runs.domain.trajectory.messages import (
    Command,
    commands_of,
    is_observation,
    reasoning_of,
    role_of,
    said_in,
    starts_turn,
    text_of,
    thought_of,
    usage_of,
)
from yudai.runs.domain.trajectory.trajectory import TrajectoryMessage


class Action(Value):
    """A command and its result; `returncode` None: unknown."""

    command: str
    output: str = ""
    returncode: int | None = None
    exception: str = ""
    """Why it ended early or was not executed."""
    notice: str = ""
    """The notice about edits that the agent was shown."""


class StepInput(Value):
    """Any other message of the step: prompts, a refusal, the end."""

    role: str
    text: str


class Step(Value):
    number: int
    thought: str
    reasoning: str
    actions: tuple[Action, ...]
    inputs: tuple[StepInput, ...]
    usage: Usage
    started_at: float
    seconds: float
    """From its first message to its last, without the model call before the first."""


def step_of(number: int, messages: Sequence[TrajectoryMessage]) -> Step:
    """Combine all messages of one step, in order."""
    bodies = [message.body for message in messages]
    turns = [body for body in bodies if starts_turn(body)]
    said = [said_in(body) for body in turns]
    commands = [command for body in said for command in commands_of(body)]
    observations, others = _parted([body for body in bodies if body not in said], commands)
    ats = [message.at for message in messages]
    return Step(
        number=number,
        thought="\n\n".join(filter(None, map(thought_of, said))),
        reasoning="\n\n".join(filter(None, map(reasoning_of, said))),
        actions=_matched(commands, observations),
        inputs=tuple(StepInput(role=role_of(body), text=text_of(body)) for body in others),
        usage=sum(map(usage_of, turns), start=Usage()),
        started_at=min(ats, default=0.0),
        seconds=max(ats, default=0.0) - min(ats, default=0.0),
    )


def number_turns(bodies: Iterable[Object]) -> list[int]:
    """Each message's step: the number of model calls up to then."""
    numbers: list[int] = []
    turn = 0
    for body in bodies:
        turn += starts_turn(body)
        numbers.append(turn)
    return numbers


class _Observation(NamedTuple):
    call_id: str
    action: Action


def _parted(
    bodies: Sequence[Object], commands: Sequence[Command]
) -> tuple[list[_Observation], list[Object]]:
    observations: list[_Observation] = []
    others: list[Object] = []
    for body in bodies:
        # Version 1 has only text: the message after a command is its output.
        is_due = role_of(body) == "user" and len(observations) < len(commands)
        if is_observation(body) or (is_due and not as_object(body.get("extra"))):
            observations.append(_observed(body))
        else:
            others.append(body)
    return observations, others


def _observed(body: Object) -> _Observation:
    extra, text = as_object(body.get("extra")), text_of(body)
    shown = _fields(text)
    raw = extra.get("raw_output")
    code = extra.get("returncode", shown.get("returncode"))
    action = Action(
        command="",
        output=raw if isinstance(raw, str) else as_text(shown.get("output")),
        returncode=code if isinstance(code, int) else None,
        exception=as_text(extra.get("exception_info")) or as_text(shown.get("exception_info")),
        notice=as_text(shown.get("notice")),
    )
    return _Observation(as_text(body.get("tool_call_id") or body.get("call_id")), action)


def _fields(text: str) -> Object:
    """Fields of an observation, in JSON or in tags; other text is all output."""
    try:
        parsed = as_object(json.loads(text))
    except (ValueError, RecursionError):
        parsed = {}
    if "returncode" in parsed:
        return parsed
    code = _between(text, "<returncode>", "</returncode>")
    output = _between(text, "<output>\n", "</output>")
    is_number = code is not None and code.strip().removeprefix("-").isdecimal() and len(code) < 12
    return {
        "returncode": int(code) if is_number and code is not None else None,
        "output": text if output is None else output.removesuffix("\n"),
    }


def _between(text: str, start: str, end: str) -> str | None:
    """From the first opening tag to the last closing one: the output may contain tags itself."""
    _, opened, rest = text.partition(start)
    inner, closed, _ = rest.rpartition(end)
    return inner if opened and closed else None


def _matched(
    commands: Sequence[Command], observations: Sequence[_Observation]
) -> tuple[Action, ...]:
    """Match outputs to commands: by the call's id, else in order. Unmatched output is kept."""
    left = list(observations)
    actions: list[Action] = []
    for command in commands:
        named = (o for o in left if command.call_id and o.call_id == command.call_id)
        unnamed = (o for o in left if not o.call_id or not command.call_id)
        found = next(named, None) or next(unnamed, None)
        if found is None:
            actions.append(Action(command=command.text))
        else:
            left.remove(found)
            actions.append(found.action.model_copy(update={"command": command.text}))
    return (*actions, *(observation.action for observation in left))


_INDENT = "    "


def transcript_of(step: Step, *, began_at: float) -> str:
    """One step, with its time since the trajectory began."""
    return "".join(f"{line}\n" for line in _lines(step, began_at))


def _lines(step: Step, began_at: float) -> Iterator[str]:
    seconds = max(0.0, step.started_at - began_at)
    cost = f", ${usd(step.usage.cost_micros):.4f}" if step.usage.cost_micros else ""
    yield f"Step {step.number} (+{seconds:.1f} s{cost})"
    yield from _block("Reasoning", step.reasoning)
    yield from _block("Thought", step.thought)
    for action in step.actions:
        yield from _action(action)
    for message in step.inputs:
        yield from _block(_heading(message.role), message.text)
    yield ""


def _action(action: Action) -> Iterator[str]:
    yield from _block("Command", action.command)
    code = "unknown" if action.returncode is None else action.returncode
    yield f"  Exit code {code}" + (":" if action.output else "")
    yield from _indented(action.output)
    yield from _block("Stopped", action.exception)
    yield from _block("StepInput", action.notice)


def _block(heading: str, text: str) -> Iterator[str]:
    if text:
        yield f"  {heading}:"
        yield from _indented(text)


def _indented(text: str) -> Iterator[str]:
    if text:
        for line in text.removesuffix("\n").replace("\r\n", "\n").split("\n"):
            yield _INDENT + line if line else ""


def _heading(role: str) -> str:
    known = {"system": "System", "user": "User", "exit": "Exit"}
    return known.get(role, "Other")
