"""Kinds of messages for readers of a trajectory, and the agent's notes on them.

The notes are in the `extra` of an observation, which is not sent to the model.
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
"""Key of the edit's number, when files changed; the first is 1."""
DIFF = "diff"
"""Key of the work tree's patch after the edit, possibly truncated."""
DIFF_TRUNCATED = "diff_truncated"
IS_TEST = "is_test"
"""Key that marks the output of tests."""

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
    """Whether it is a command's output; version 1 of mini-SWE-agent sends it as a user message."""
    if is_observation(body):
        return True
    return role_of(body) == "user" and text_of(body).lstrip().startswith("<returncode>")


def notes_of(body: Object) -> Notes:
    """Notes on a single message, from its extra facts and commands."""
    extra = as_object(body.get("extra"))
    edit = as_count(extra.get(EDIT))
    is_test = extra.get(IS_TEST) is True
    if not is_test and kind_of(body) == "command":
        is_test = any(runs_tests(command.text) for command in commands_of(body))
    return Notes(is_test, edit if 0 < edit <= _MAX_EDIT else None)


def notes_of_all(bodies: Sequence[Object]) -> list[Notes]:
    """Notes on a whole trajectory, where an output is matched with the command before it."""
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
    """The command that made this output: by its call's id, else in order."""
    named = (one for one in waiting if call_id and one.call_id == call_id)
    unnamed = (one for one in waiting if not call_id or not one.call_id)
    found = next(named, None) or next(unnamed, None)
    if found is not None:
        waiting.remove(found)
    return found
