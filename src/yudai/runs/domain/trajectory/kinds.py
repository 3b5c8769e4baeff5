"""What a message is for whoever reads a trajectory, and what the agent noted beside it.

The notes stand in the `extra` of an observation, which no model is shown.
"""

from collections.abc import Sequence
from typing import Literal, NamedTuple

from yudai.kit.untyped import Object, as_count, as_object, as_text
from yudai.runs.domain.trajectory.messages import (
    Command,
    commands_of,
    is_observation,
    role_of,
    starts_turn,
    text_of,
)
from yudai.testing.domain.agent_commands import runs_tests

Kind = Literal["prompt", "thought", "command", "output", "exit"]

EDIT = "edit"
"""Which edit it was, when files had changed; the first is 1."""
DIFF = "diff"
"""The work tree's patch then, as far as it was kept."""
DIFF_TRUNCATED = "diff_truncated"
IS_TEST = "is_test"
"""It is what tests printed."""

_PROMPTS = frozenset({"system", "user", "developer"})
_MAX_EDIT = (1 << 31) - 1


class Notes(NamedTuple):
    is_test: bool = False
    edit: int | None = None


def kind_of(body: Object) -> Kind:
    role = role_of(body)
    if role == "exit":
        return "exit"
    if is_output(body):
        return "output"
    if role in _PROMPTS:
        return "prompt"
    if role == "assistant" or starts_turn(body):
        return "command" if commands_of(body) else "thought"
    return "output"


def is_output(body: Object) -> bool:
    """Version 1 of mini-SWE-agent says what a command printed in the user's name."""
    if is_observation(body):
        return True
    return role_of(body) == "user" and text_of(body).lstrip().startswith("<returncode>")


def notes_of(body: Object) -> Notes:
    """What is known of a message by itself; its commands are looked at."""
    extra = as_object(body.get("extra"))
    edit = as_count(extra.get(EDIT))
    is_test = extra.get(IS_TEST) is True
    if not is_test and kind_of(body) == "command":
        is_test = any(runs_tests(command.text) for command in commands_of(body))
    return Notes(is_test, edit if 0 < edit <= _MAX_EDIT else None)


def notes_of_all(bodies: Sequence[Object]) -> list[Notes]:
    """Of a whole trajectory, where an output can be told by the command before it."""
    found: list[Notes] = []
    waiting: list[Command] = []
    for body in bodies:
        notes = notes_of(body)
        if is_output(body):
            command = _taken(waiting, as_text(body.get("tool_call_id") or body.get("call_id")))
            is_test = notes.is_test or (command is not None and runs_tests(command.text))
            notes = notes._replace(is_test=is_test)
        elif kind_of(body) in ("command", "thought"):
            waiting = list(commands_of(body))
        found.append(notes)
    return found


def _taken(waiting: list[Command], call_id: str) -> Command | None:
    """The command that this is the output of: by its call's id, else in order."""
    named = (one for one in waiting if call_id and one.call_id == call_id)
    unnamed = (one for one in waiting if not call_id or not one.call_id)
    found = next(named, None) or next(unnamed, None)
    if found is not None:
        waiting.remove(found)
    return found
