"""Reads mini-SWE-agent trajectory files of every version as runs. The files are untrusted.

1.1 (version 2): `info`, `messages`, `trajectory_format`; 1 (version 1): the same without `extra`;
before that (0.x): without a format, or no more than the list of messages.
"""

import json
import math
import re
from collections.abc import Sequence
from typing import Any

from yudai.forge.domain.issue import Issue
from yudai.gateway.domain.models import Usage
from yudai.kit.causes import Cause
from yudai.kit.errors import RefusedError
from yudai.kit.money import MICROS_PER_USD
from yudai.kit.redaction import REDACTED
from yudai.kit.text import clean
from yudai.kit.untyped import (
    Object,
    as_amount,
    as_items,
    as_object,
    as_text,
    depth_exceeds,
    is_items,
    is_object,
)
from yudai.kit.value import Value
from yudai.patches.patch import touched
from yudai.runs.domain.exit_status import INTERRUPTED, SUBMITTED, cause_of
from yudai.runs.domain.states import RunState
from yudai.runs.domain.trajectory.messages import at_of, commands_of, role_of, text_of, usage_of
from yudai.runs.domain.trajectory.steps import number_turns
from yudai.runs.domain.trajectory.trajectory import TrajectoryMessage
from yudai.solves.domain.matrix import DEFAULT_AGENT, Contestant
from yudai.solves.domain.strategies import Strategy

UNKNOWN_REPO = "imported"
MAX_TITLE = 500
MAX_BODY = 200_000

_INSTANCE = re.compile(r"([\w.-]{1,100})__([\w.-]{1,100})-\d{1,9}")
_SLOT = re.compile(r"\{\{\s*task\s*\}\}")
_TAG = re.compile(r"</?title>")

# Around the issue in the prompts of mini-SWE-agent's versions, and in ours.
_FRAMES = (
    ("<issue>\n", "\n</issue>"),
    ("<pr_description>\nConsider the following PR description:\n", "\n</pr_description>"),
    ("Please solve this issue: ", "\n\nYou can execute bash commands"),
)


def repo_of(document: Object) -> str:
    """From SWE-bench's instance id, `owner__name-number`."""
    found = _INSTANCE.fullmatch(as_text(document.get("instance_id")))
    return UNKNOWN_REPO if found is None else f"{found[1]}/{found[2]}"


def issue_in(info: Object, bodies: Sequence[Object], *, name: str) -> Issue:
    """The issue from the task, first line as title; `name` is the title when there is no task."""
    prompt = next((text_of(body) for body in bodies if role_of(body) == "user"), "")
    agent = as_object(as_object(info.get("config")).get("agent"))
    task = _TAG.sub("", _task(prompt, as_text(agent.get("instance_template"))))
    head, _, rest = clean(task).strip().partition("\n")
    title = head.lstrip("# ").strip() or clean(name) or UNKNOWN_REPO
    return Issue(title=title[:MAX_TITLE], body=rest.strip()[:MAX_BODY])


def _task(prompt: str, template: str) -> str:
    before, *after = _SLOT.split(template, maxsplit=1)
    frames = [(before, _plain_start(after[0])), *_FRAMES] if after else list(_FRAMES)
    for start, end in frames:
        _, opened, rest = prompt.partition(start) if start else ("", "all", prompt)
        if opened:
            return rest.partition(end)[0] if end else rest
    return prompt


def _plain_start(template: str) -> str:
    """The start of a template's next line, up to its first variable."""
    line = template.partition("{")[0].lstrip("\n").partition("\n")[0]
    return f"\n{line}" if line.strip() else ""


_SECRET = re.compile(
    r"api_?-?key|secret|passw|credential|authorization|(token|auth|key)$", re.IGNORECASE
)


def redacted(document: Object) -> Object:
    """The same file without the secrets of its configuration; messages stay as they are."""
    info = as_object(document.get("info"))
    if "config" not in info:
        return document
    return document | {"info": info | {"config": _clean(info["config"])}}


def _clean(value: Any) -> Any:
    # The depth of the file is already bounded.
    if is_object(value):
        return {key: _clean_field(key, field) for key, field in value.items()}
    if is_items(value):
        return [_clean(item) for item in value]
    return value


def _clean_field(key: str, value: Any) -> Any:
    return REDACTED if isinstance(value, str) and value and _SECRET.search(key) else _clean(value)


FORMATS = ("mini-swe-agent-1.1", "mini-swe-agent-1")
OLDER = "mini-swe-agent-0"
MAX_MESSAGES = 100_000
MAX_DEPTH = 100
UNKNOWN_MODEL = "unknown"
# The providers' default temperature.
DEFAULT_TEMPERATURE = 1.0
# mini-SWE-agent has no edit limit: use the maximum of a contestant.
NO_EDIT_LIMIT = 1000

_FINISH_MARKERS = ("COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT", "MINI_SWE_AGENT_FINAL_OUTPUT")


class Imported(Value):
    """One run read from a file."""

    document: Object
    """The file without its secrets, as it is exported again."""
    repo: str
    issue: Issue
    contestant: Contestant
    exit_status: str
    state: RunState
    cause: Cause | None
    patch: str
    """The submission, when it is a diff."""
    steps: int
    usage: Usage
    messages: tuple[TrajectoryMessage, ...]
    started_at: float | None
    finished_at: float | None


def parse(content: bytes) -> object:
    """Parse JSON; RefusedError says what is wrong with it."""
    try:
        value: object = json.loads(
            content.decode("utf-8-sig"), parse_float=_finite, parse_constant=_finite
        )
    except UnicodeDecodeError:
        raise RefusedError("it is not UTF-8 text") from None
    except json.JSONDecodeError as error:
        raise RefusedError(f"it is not JSON ({error.msg} at line {error.lineno})") from None
    except ValueError as error:
        raise RefusedError(f"it is not JSON ({error})") from None
    except RecursionError:
        raise RefusedError(f"it is nested deeper than {MAX_DEPTH} levels") from None
    if depth_exceeds(value, MAX_DEPTH):
        raise RefusedError(f"it is nested deeper than {MAX_DEPTH} levels")
    return value


def read_trajectory(value: object, *, name: str) -> Imported:
    """A run, or RefusedError; `name` stands for the issue when the file does not name one."""
    document = redacted(_document(value))
    bodies = _bodies(document)
    info = _info(document)
    messages = _messages(bodies)
    exit_status, submission = _ending(info, bodies)
    patch = _ended(submission)
    times = [at for at in map(at_of, bodies) if at]
    return Imported(
        document=document,
        repo=repo_of(document),
        issue=issue_in(info, bodies, name=name),
        contestant=_contestant(info),
        exit_status=exit_status,
        state=_state(exit_status),
        cause=cause_of(exit_status),
        patch=patch if touched(patch) else "",
        steps=_calls(info) or messages[-1].step,
        usage=_usage(info, bodies),
        messages=messages,
        started_at=min(times, default=None),
        finished_at=max(times, default=None),
    )


def _finite(text: str) -> float:
    """Refuse NaN, Infinity and huge numbers, which other JSON readers refuse."""
    if not math.isfinite(value := float(text)):
        raise ValueError(f"{text:.40} is no number")
    return value


def _document(value: object) -> Object:
    document: Object = {"info": {}, "messages": value} if is_items(value) else as_object(value)
    format_ = document.get("trajectory_format")
    is_known = format_ in FORMATS or as_text(format_).startswith(OLDER)
    if format_ is not None and not is_known:
        known = ", ".join(FORMATS)
        raise RefusedError(f"its format is {format_!r:.80}: known are {known} and older")
    if not is_items(document.get("messages")):
        hint = " (it looks like SWE-agent's own format)" if "trajectory" in document else ""
        raise RefusedError(f"it is not a mini-SWE-agent trajectory: it has no messages{hint}")
    return document


def _bodies(document: Object) -> list[Object]:
    items = as_items(document["messages"])
    if not items:
        raise RefusedError("it has no messages")
    if len(items) > MAX_MESSAGES:
        raise RefusedError(f"it has more than {MAX_MESSAGES} messages")
    for number, item in enumerate(items):
        if not is_object(item):
            raise RefusedError(f"its message {number} is {type(item).__name__}, not an object")
    return [as_object(item) for item in items]


def _info(document: Object) -> Object:
    info = document.get("info", {})
    if not is_object(info):
        raise RefusedError("its info is not an object")
    return info


def _messages(bodies: list[Object]) -> tuple[TrajectoryMessage, ...]:
    messages: list[TrajectoryMessage] = []
    at = next((found for found in map(at_of, bodies) if found), 0.0)
    for seq, (body, step) in enumerate(zip(bodies, number_turns(bodies), strict=True)):
        at = at_of(body) or at
        messages.append(
            TrajectoryMessage(seq=seq, step=step, role=role_of(body)[:64], at=at, body=body)
        )
    return tuple(messages)


def _ending(info: Object, bodies: list[Object]) -> tuple[str, str]:
    """Exit status and submission; the oldest files have them only in their last messages."""
    stored = {key: info.get(key) for key in ("exit_status", "submission")}
    for key, value in stored.items():
        if value is not None and not isinstance(value, str):
            raise RefusedError(f"its {key.replace('_', ' ')} is not a text")
    last = as_object(bodies[-1].get("extra"))
    status = as_text(stored["exit_status"]) or as_text(last.get("exit_status"))
    submission = as_text(stored["submission"]) or as_text(last.get("submission"))
    if status or stored["exit_status"] is not None:
        return status, submission
    commands = [command.text for body in bodies[-2:] for command in commands_of(body)]
    if any(marker in command for command in commands for marker in _FINISH_MARKERS):
        return SUBMITTED, submission or text_of(bodies[-1])
    return "", submission


def _state(exit_status: str) -> RunState:
    if exit_status in INTERRUPTED:
        return RunState.CANCELLED
    return RunState.COMPLETED if cause_of(exit_status) is None else RunState.FAILED


def _ended(diff: str) -> str:
    """Restore the final newline, which mini-SWE-agent strips and git requires."""
    return diff if not diff or diff.endswith("\n") else f"{diff}\n"


def _calls(info: Object) -> int:
    calls = as_object(info.get("model_stats")).get("api_calls")
    if calls is not None and (isinstance(calls, bool) or not isinstance(calls, int)):
        raise RefusedError("its number of API calls is not a whole number")
    if calls is not None and not 0 <= calls < 1 << 31:
        raise RefusedError("its number of API calls is out of range")
    return calls or 0


def _usage(info: Object, bodies: list[Object]) -> Usage:
    """Tokens from the messages, the total cost from the file."""
    counted = sum(map(usage_of, bodies), start=Usage())
    stored = as_object(info.get("model_stats")).get("instance_cost")
    cost = as_amount(stored)
    if stored is not None and cost is None:
        raise RefusedError("its cost is not a number of dollars")
    micros = counted.cost_micros if cost is None else round(cost * MICROS_PER_USD)
    usage = counted.model_copy(update={"cost_micros": micros})
    if any(number >> 62 for number in (micros, counted.input_tokens, counted.output_tokens)):
        raise RefusedError("its cost or its number of tokens is out of range")
    return usage


def _contestant(info: Object) -> Contestant:
    model = as_object(as_object(info.get("config")).get("model"))
    name = as_text(model.get("model_name"))[:300] or UNKNOWN_MODEL
    stored = as_object(model.get("model_kwargs")).get("temperature")
    temperature = DEFAULT_TEMPERATURE if stored is None else as_amount(stored)
    if temperature is None or temperature > 2:
        raise RefusedError("its temperature is not a number from 0 to 2")
    return Contestant(
        agent=DEFAULT_AGENT,
        model=name,
        temperature=temperature,
        max_edits=NO_EDIT_LIMIT,
        strategy=Strategy.BALANCED,
        # Not one of our handles: edit limit and strategy are not in the file.
        handle=f"{name.rsplit('/', 1)[-1]}-t{temperature:g}-imported",
    )
