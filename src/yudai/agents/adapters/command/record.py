"""A command agent's messages besides its model calls: its start, its output, its end."""

import asyncio
from collections.abc import Callable
from typing import Any, NamedTuple

from yudai.agents.adapters.edit_count import Inspection
from yudai.agents.domain.command_spec import WEAKER, CommandSpec
from yudai.agents.endpoint.port import EndpointReport
from yudai.agents.messages import exit_message, observe
from yudai.agents.port import AgentTask
from yudai.gateway.domain.models import Usage
from yudai.kit.causes import POLICIES, Cause
from yudai.kit.redaction import Redact
from yudai.runs.domain.exit_status import EXIT_STATUSES, SUBMITTED
from yudai.runs.domain.progress import OnMessage, Progress
from yudai.runs.domain.trajectory.trajectory import TrajectoryMessage
from yudai.sandboxes.port import ExecResult

# A cap that was reached counts for every agent, even one that then ended gracefully.
_CAPS = frozenset({Cause.OUT_OF_BUDGET, Cause.OUT_OF_STEPS, Cause.OUT_OF_TIME})


class Ending(NamedTuple):
    exit_status: str
    cause: Cause | None
    reason: str

    @classmethod
    def of(cls, cause: Cause, reason: str = "") -> "Ending":
        status = EXIT_STATUSES.get(cause, EXIT_STATUSES[Cause.SANDBOX_FAILED])
        return cls(status, cause, reason or POLICIES[cause].message)


def ended(result: ExecResult, refusal: Cause | None, *, has_patch: bool, setup: str = "") -> Ending:
    """`refusal`: why its last call was not answered; `setup`: the set-up command that failed."""
    if result.timed_out:
        return Ending.of(Cause.OUT_OF_TIME)
    if refusal is not None and refusal in _CAPS:
        return Ending.of(refusal)
    how = f"exit code {result.exit_code}{_why(result)}"
    if setup:
        return Ending.of(Cause.AGENT_FAILED, f"its set-up `{setup[:200]}` ended with {how}")
    if refusal is not None and (result.exit_code or not has_patch):
        return Ending.of(refusal)
    if result.exit_code and not has_patch:
        return Ending.of(Cause.AGENT_FAILED, f"its command ended with {how} and changed nothing")
    # What it changed is proved like any other patch, and the record says how it ended.
    said = f"its command ended with {how}; its patch is taken as it is" if result.exit_code else ""
    return Ending(SUBMITTED, None, said)


def _why(result: ExecResult) -> str:
    facts = {"out of memory": result.oom, "disk full": result.disk_full}
    found = [fact for fact, holds in facts.items() if holds]
    return f" ({', '.join(found)})" if found else ""


CALL_ID = "the-agent-itself"
"""No call of a model has it: what the command printed is the output of none of them."""

Body = dict[str, Any]


class Transcript:
    """The first message and the last ones; those in between are the model endpoint's."""

    def __init__(self, on_message: OnMessage, *, now: Callable[[], float]) -> None:
        self._on_message = on_message
        self._now = now

    async def write(self, body: Body) -> None:
        await self._write(0, body, Progress(steps=0, edits=0, usage=Usage()))

    async def close(self, report: EndpointReport, observed: Body | None, ending: Ending) -> None:
        end = exit_message(ending.exit_status, ending.reason)
        bodies = [observed, end] if observed else [end]
        edits = int(bool(observed and "edit" in observed["extra"]))
        progress = Progress(steps=report.steps, edits=edits, usage=report.usage)
        for place, body in enumerate(bodies):
            await self._write(report.messages + place, body, progress)

    async def _write(self, seq: int, body: Body, progress: Progress) -> None:
        at = self._now()
        body = body | {"extra": {"timestamp": at, **body["extra"]}}
        message = TrajectoryMessage(
            seq=seq, step=progress.steps, role=body["role"], at=at, body=body
        )
        # It may wait for the database, which the event loop must not.
        await asyncio.to_thread(self._on_message, message, progress)


def opening(name: str, spec: CommandSpec, task: AgentTask) -> Body:
    """Not sent to a model: for readers of the trajectory."""
    lines = [
        f"The agent {name} works in the sandbox by itself: {spec.command}",
        f"Issue: {task.issue_title}",
        "What follows is what it asked its model for, and what it printed. Weaker than usual:",
        *(f"- {promise}" for promise in WEAKER),
    ]
    return {"role": "system", "content": "\n".join(lines), "extra": {}}


def observed(result: ExecResult | None, patch: str, redact: Redact) -> Body | None:
    """What the command printed; with the one edit that can be seen from outside."""
    if result is None:
        return None
    output = {
        "output": redact(result.text),
        "returncode": result.exit_code,
        "exception_info": _exception_info(result),
    }
    message = observe({"tool_call_id": CALL_ID}, output, at=0.0)
    del message["extra"]["timestamp"]
    message["extra"] |= Inspection(edit=1, patch=patch).notes if patch else {}
    return message


def _exception_info(result: ExecResult) -> str:
    facts = {
        "The agent was stopped because its time was up.": result.timed_out,
        "A process was killed because the sandbox ran out of memory.": result.oom,
        "The sandbox's disk is full.": result.disk_full,
        "It printed too much; a part of it was dropped.": result.truncated,
    }
    return " ".join(fact for fact, holds in facts.items() if holds)
