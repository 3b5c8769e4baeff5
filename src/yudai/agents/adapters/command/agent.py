"""Any command-line agent inside the sandbox; its model is called through our own endpoint."""

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

from yudai.agents.adapters.edit_count import Inspection, TakenPatch, take_patch
from yudai.agents.domain.command_spec import WEAKER, CommandSpec
from yudai.agents.endpoint.port import EndpointReport, EndpointToken, RunEndpoint
from yudai.agents.messages import exit_message, observe, output_of
from yudai.agents.port import AgentLimits, AgentOutcome, AgentTask
from yudai.gateway.domain.models import Usage
from yudai.gateway.port import Gateway
from yudai.kit.causes import POLICIES, Cause
from yudai.kit.clock import Clock
from yudai.kit.errors import SandboxError
from yudai.kit.ids import RunId
from yudai.kit.redaction import Redact, redactor
from yudai.runs.domain.exit_status import EXIT_STATUSES, SUBMITTED
from yudai.runs.domain.progress import OnMessage, Progress
from yudai.runs.domain.trajectory.trajectory import TrajectoryMessage
from yudai.sandboxes.port import ExecResult, Sandbox

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
    """`refusal`: why its last call was refused; `setup`: the set-up command that failed."""
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
"""What the command printed, which belongs to no model call."""

Body = dict[str, Any]


class Transcript:
    """The first and the last messages. The model endpoint records those in between."""

    def __init__(self, on_message: OnMessage, *, now: Callable[[], float]) -> None:
        self._on_message = on_message
        self._now = now

    async def write(self, body: Body) -> None:
        await self._write(0, body, Progress(steps=0, edits=0, usage=Usage()))

    async def close(self, report: EndpointReport, output: Body | None, ending: Ending) -> None:
        end = exit_message(ending.exit_status, ending.reason)
        bodies = [output, end] if output else [end]
        edits = int(bool(output and "edit" in output["extra"]))
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


def observation(result: ExecResult | None, patch: str, redact: Redact) -> Body | None:
    """What the command printed, with the one edit that is visible from outside."""
    if result is None:
        return None
    stopped = "The agent was stopped because its time was up."
    output = output_of(result, redact(result.text), stopped=stopped)
    message = observe({"tool_call_id": CALL_ID}, output, at=0.0)
    del message["extra"]["timestamp"]
    message["extra"] |= Inspection(edit=1, patch=patch).notes if patch else {}
    return message


MAX_OUTPUT = 200_000
# With the issue on its standard input; the command itself has none.
_PREAMBLE = (
    'YUDAI_ISSUE_FILE=$(mktemp) && cat > "$YUDAI_ISSUE_FILE" && export YUDAI_ISSUE_FILE'
    " && exec < /dev/null || exit 126"
)


class EndpointAccess(NamedTuple):
    """How a sandbox reaches our endpoint."""

    base_url: str
    env: dict[str, str] = {}  # noqa: RUF012 - never changed
    """Further variables for the commands, such as a proxy."""


class _Ran(NamedTuple):
    result: ExecResult | None
    """Exit code of the command or of the failed set-up command; None: the sandbox failed."""
    setup: str = ""
    """The set-up command that failed."""
    error: SandboxError | None = None


@dataclass(frozen=True)
class CommandAgent:
    """Runs a command inside the sandbox. Weaker than our own loop: see `WEAKER`."""

    name: str
    spec: CommandSpec
    endpoint: RunEndpoint
    access: EndpointAccess
    clock: Clock

    async def run(
        self,
        task: AgentTask,
        sandbox: Sandbox,
        gateway: Gateway,
        limits: AgentLimits,
        *,
        on_message: OnMessage,
    ) -> AgentOutcome:
        # The model endpoint meters for itself: it may be in another process than this one.
        del gateway
        transcript = Transcript(on_message, now=self.clock.now)
        await transcript.write(opening(self.name, self.spec, task))
        run_id, sandbox_id = RunId(sandbox.ref.owner), sandbox.ref.id
        endpoint_token = await self.endpoint.open(
            run_id, sandbox_id=sandbox_id, seconds=limits.wall_time_s
        )
        redact = redactor([endpoint_token.token.get_secret_value()])
        try:
            ran = await self._work(task, sandbox, limits, endpoint_token)
            report = await self.endpoint.report(endpoint_token)
        finally:
            self.endpoint.close(endpoint_token)
        taken = TakenPatch() if ran.error else await take_patch(sandbox.diff())
        ending = _ending(ran, report, taken)
        # In a thread: it may have printed much, and changed more.
        seen = await asyncio.to_thread(observation, ran.result, taken.patch, redact)
        await transcript.close(report, seen, ending)
        return self._outcome(task, report, taken, ending)

    async def _work(
        self, task: AgentTask, sandbox: Sandbox, limits: AgentLimits, endpoint_token: EndpointToken
    ) -> _Ran:
        """The set-up commands and the command, as long as the run has time."""
        seconds = min(limits.wall_time_s, self.spec.timeout_s or limits.wall_time_s)
        deadline = time.monotonic() + seconds
        env = self._variables(task, endpoint_token)
        issue = f"{task.issue_title}\n\n{task.issue_body}\n".encode("utf-8", "replace")
        result = None
        for command in (*self.spec.setup, self.spec.command):
            try:
                result = await sandbox.exec(
                    f"{_PREAMBLE}\n{command}",
                    env=env,
                    timeout_s=max(0.1, deadline - time.monotonic()),
                    max_output=MAX_OUTPUT,
                    stdin=issue,
                )
            except SandboxError as error:
                return _Ran(None, error=error)
            if result.timed_out or (result.exit_code and command is not self.spec.command):
                return _Ran(result, "" if command is self.spec.command else command)
        return _Ran(result)

    def _variables(self, task: AgentTask, endpoint_token: EndpointToken) -> dict[str, str]:
        model = task.contestant.model
        ours = {
            "OPENAI_BASE_URL": self.access.base_url,
            "OPENAI_API_BASE": self.access.base_url,
            "OPENAI_API_KEY": endpoint_token.token.get_secret_value(),
            "OPENAI_MODEL": model,
            "YUDAI_MODEL": model,
            "YUDAI_TEST_COMMAND": task.test_command,
            "YUDAI_STRATEGY": task.contestant.strategy.value,
        }
        return {**self.spec.env, **self.access.env, **ours}

    def _outcome(
        self, task: AgentTask, report: EndpointReport, taken: TakenPatch, ending: Ending
    ) -> AgentOutcome:
        return AgentOutcome(
            exit_status=ending.exit_status,
            cause=ending.cause,
            error=ending.reason if ending.cause else "",
            patch=taken.patch,
            edits=int(bool(taken.patch)),
            edits_capped=False,
            steps=report.steps,
            usage=report.usage,
            plan=report.plan,
            # Its first reply precedes any action that the model could request.
            plan_before_edit=report.plan_step == 1,
            config={
                "agent": {"name": self.name, **self.spec.model_dump(mode="json")},
                "agent_type": "yudai.adapters.agents.command.CommandAgent",
                "model": {
                    "model_name": task.contestant.model,
                    "model_kwargs": {"temperature": task.contestant.temperature},
                },
                "notes": list(WEAKER),
            },
        )


def _ending(ran: _Ran, report: EndpointReport, taken: TakenPatch) -> Ending:
    error = ran.error or taken.error
    if error is not None or ran.result is None:
        cause = error.cause if error else Cause.SANDBOX_FAILED
        return Ending.of(cause, str(error or ""))
    return ended(ran.result, report.refusal, has_patch=bool(taken.patch), setup=ran.setup)
