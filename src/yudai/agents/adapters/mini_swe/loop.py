"""mini-SWE-agent's loop with our limits; every message is reported as soon as it exists."""

from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from string import Template
from typing import Any

from yudai.agents.adapters.edit_count import NOTHING_SEEN, EditCount, Inspection
from yudai.agents.adapters.mini_swe.environment import SandboxEnvironment
from yudai.agents.adapters.mini_swe.model import GatewayModel
from yudai.agents.adapters.mini_swe.thread_bridge import Bridge, OverdueError, StoppedError
from yudai.agents.adapters.mini_swe.upstream import MINI_VERSION, DefaultAgent, InterruptAgentFlow
from yudai.agents.domain.plan import parse_plan
from yudai.agents.messages import NOT_EXECUTED, exit_message
from yudai.agents.port import AgentLimits
from yudai.agents.prompts import text
from yudai.kit.causes import POLICIES, Cause
from yudai.kit.errors import InfrastructureError, YudaiError
from yudai.kit.money import usd
from yudai.runs.domain.exit_status import CANCELLED, EXIT_STATUSES, SUBMITTED
from yudai.runs.domain.progress import Marks, Progress, RunMark, with_mark
from yudai.runs.domain.trajectory import trajectory
from yudai.runs.domain.trajectory.kinds import IS_TEST
from yudai.testing.domain.agent_commands import passed, runs_tests

_WITHOUT_SANDBOX = frozenset({CANCELLED, "SandboxFailed", "SandboxLost"})


class Ending(InterruptAgentFlow):
    """Ends the run with an exit message."""

    def __init__(self, exit_status: str, reason: str) -> None:
        self.reason = reason
        self.leaves_sandbox = exit_status not in _WITHOUT_SANDBOX
        """Whether the work tree can still be inspected."""
        super().__init__(  # pyright: ignore[reportUnknownMemberType]  upstream says only `dict`
            exit_message(exit_status, reason)
        )


def ending(cause: Cause | None, reason: str = "") -> Ending:
    reason = reason or ("" if cause is None else POLICIES[cause].message)
    return Ending(EXIT_STATUSES[cause], reason)


@contextmanager
def as_endings() -> Generator[None]:
    """Turn what ends a run into its exit message, so that the model never sees it."""
    try:
        yield
    except StoppedError:
        raise Ending(CANCELLED, "the run was cancelled") from None
    except OverdueError:
        raise ending(Cause.OUT_OF_TIME) from None
    except InfrastructureError as error:
        raise ending(error.cause, str(error)) from error


# The work tree is looked at even when the time is up, so that the last step counts as it should.
_LOOK_GRACE_S = 10.0


class ArenaLoop(DefaultAgent):
    model: GatewayModel
    env: SandboxEnvironment
    messages: list[dict[str, Any]]
    extra_template_vars: dict[str, Any]
    n_calls: int
    cost: float

    def __init__(
        self,
        model: GatewayModel,
        env: SandboxEnvironment,
        *,
        bridge: Bridge,
        limits: AgentLimits,
        edits: EditCount,
        tell: Callable[[dict[str, Any], Progress], None],
    ) -> None:
        super().__init__(  # pyright: ignore[reportUnknownMemberType]  upstream's **kwargs
            model,
            env,
            system_template=text("system"),
            instance_template=text("instance"),
            step_limit=limits.max_steps,
            cost_limit=usd(limits.cost_cap_micros),
            wall_time_limit_seconds=round(limits.wall_time_s),
        )
        self.edits = edits
        self.plan: tuple[str, ...] = ()
        self.plan_step: int | None = None
        self._bridge = bridge
        self._limits = limits
        self._tell = tell
        self._marks: Marks = ()

    @property
    def progress(self) -> Progress:
        return Progress(
            steps=self.n_calls,
            edits=self.edits.count,
            usage=self.model.usage,
            marks=self._marks,
        )

    def work(self, facts: Mapping[str, str]) -> None:
        """Run to the end; the facts fill the prompts."""
        self.run(**facts)  # pyright: ignore[reportUnknownMemberType]  upstream's **kwargs

    def add_messages(self, *messages: dict[str, Any]) -> list[dict[str, Any]]:
        for message in messages:
            self.messages.append(message)
            self._note_plan(message)
            self._tell(message, self.progress)
        return list(messages)

    def query(self) -> dict[str, Any]:
        self._authorise()
        self.n_calls += 1
        with as_endings():
            message = self.model.query(self.messages)
        self.cost += message["extra"]["cost"]
        return self.add_messages(message)[0]

    def execute_actions(self, message: dict[str, Any]) -> list[dict[str, Any]]:
        """Record an observation of every action, also of those that were not executed."""
        *first, last = message["extra"]["actions"]
        end: Ending | None = None
        observations: list[dict[str, Any]] = []
        for action in first:
            output, end = self._execute(action, end)
            observations += self._observe(action, output, NOTHING_SEEN)
        output, end = self._execute(last, end)
        look, end = self._look(end)
        observations += self._observe(last, output, look)
        if end is not None:
            raise end
        return observations

    def save(self, path: object, *extra_dicts: object) -> dict[str, Any]:
        """Does nothing: messages are reported already; upstream saves the history every step."""
        del path, extra_dicts
        return {}

    def handle_uncaught_exception(self, e: Exception) -> list[dict[str, Any]]:
        """Without upstream's traceback, which may contain secrets."""
        reason = str(e) if isinstance(e, YudaiError) else type(e).__name__
        return self.add_messages(exit_message(type(e).__name__, reason))

    def info_config(self) -> dict[str, object]:
        return {
            "agent": self.config.model_dump(mode="json"),
            "agent_type": "yudai.adapters.agents.loop.ArenaLoop",
            **self.model.serialize(),
            **self.env.serialize(),
            trajectory.MINI_VERSION: MINI_VERSION,
        }

    def _render_template(self, template: str) -> str:
        return Template(template).substitute(self.extra_template_vars)

    def _authorise(self) -> None:
        """Check before each call that steps, time and money are left."""
        if self.n_calls >= self._limits.max_steps:
            raise ending(Cause.OUT_OF_STEPS)
        if not self._bridge.remaining_s:
            raise ending(Cause.OUT_OF_TIME)
        # Free calls never touch the cap, so a cap of 0 still lets a scripted contestant run.
        spent = self.model.usage.cost_micros
        if spent and spent >= self._limits.cost_cap_micros:
            raise ending(Cause.OUT_OF_BUDGET)

    def _execute(
        self, action: dict[str, Any], end: Ending | None
    ) -> tuple[dict[str, Any], Ending | None]:
        if end is None and not self._bridge.remaining_s:
            end = ending(Cause.OUT_OF_TIME)
        if end is not None:
            return NOT_EXECUTED, end
        try:
            with as_endings():
                output = self.env.execute(action)
        except Ending as reached:
            return NOT_EXECUTED | {"exception_info": reached.reason}, reached
        return output, Ending(SUBMITTED, "") if self.env.finished(output) else None

    def _look(self, end: Ending | None) -> tuple[Inspection, Ending | None]:
        if end is not None and not end.leaves_sandbox:
            return NOTHING_SEEN, end
        try:
            with as_endings():
                look = self._bridge.call(
                    lambda: self.edits.look(self.n_calls), grace_s=_LOOK_GRACE_S
                )
        except Ending as reached:
            return NOTHING_SEEN, end or reached
        return look, end

    def _observe(
        self, action: dict[str, Any], output: dict[str, Any], look: Inspection
    ) -> list[dict[str, Any]]:
        turn = {"extra": {"actions": [action]}}
        seen = output | {"notice": look.notice}
        [message] = self.model.format_observation_messages(turn, [seen])
        # `extra` is never sent to the model.
        message["extra"] |= self._mark(
            action["command"], output, look, at=message["extra"]["timestamp"]
        )
        return self.add_messages(message)

    def _mark(
        self, command: str, output: dict[str, Any], look: Inspection, *, at: float
    ) -> dict[str, Any]:
        """Report progress and return the fields stored beside the observation."""
        was_run = output["returncode"] != NOT_EXECUTED["returncode"]
        is_test = was_run and runs_tests(command)
        step, cost = self.n_calls, self.model.usage.cost_micros
        if look.edit is not None:
            mark = RunMark(kind="edit", at=at, step=step, cost_micros=cost)
            self._marks = with_mark(self._marks, mark)
        if is_test:
            ok = passed(command, exit_code=output["returncode"], output=output["output"])
            mark = RunMark(kind="test", at=at, step=step, cost_micros=cost, ok=ok)
            self._marks = with_mark(self._marks, mark)
        return look.notes | ({IS_TEST: True} if is_test else {})

    def _note_plan(self, message: dict[str, Any]) -> None:
        """The first plan counts, also one in a reply that had no usable tool call."""
        if self.plan:
            return
        said = (
            message if message["role"] == "assistant" else message.get("extra", {}).get("response")
        )
        if said and (plan := parse_plan(said["content"])):
            self.plan, self.plan_step = plan, self.n_calls
