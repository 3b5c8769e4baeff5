"""mini-SWE-agent on the worker; only its commands run in the sandbox."""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from contextvars import copy_context
from itertools import count
from typing import Any, NamedTuple

from yudai.agents import prompts
from yudai.agents.adapters.edit_count import EditCount
from yudai.agents.adapters.mini_swe.environment import SandboxEnvironment
from yudai.agents.adapters.mini_swe.loop import ArenaLoop
from yudai.agents.adapters.mini_swe.model import GatewayModel
from yudai.agents.adapters.mini_swe.thread_bridge import Bridge
from yudai.agents.port import AgentLimits, AgentOutcome, AgentTask
from yudai.gateway.port import Gateway
from yudai.kit.causes import POLICIES, Cause
from yudai.kit.clock import Clock
from yudai.kit.errors import SandboxError
from yudai.runs.domain.exit_status import CANCELLED, EXIT_CAUSES
from yudai.runs.domain.progress import OnMessage, Progress
from yudai.runs.domain.trajectory.trajectory import TrajectoryMessage
from yudai.sandboxes.port import Sandbox


class Teller:
    def __init__(self, on_message: OnMessage, *, now: Callable[[], float]) -> None:
        self._on_message = on_message
        self._now = now
        self._seq = count()

    def tell(self, body: dict[str, Any], progress: Progress) -> None:
        message = TrajectoryMessage(
            seq=next(self._seq), step=progress.steps, role=body["role"], at=self._now(), body=body
        )
        self._on_message(message, progress)


_NO_SANDBOX = frozenset({Cause.SANDBOX_LOST, Cause.SANDBOX_FAILED, Cause.SANDBOX_REFUSED})
# The patch is taken even when the run's time is up.
_PATCH_TIME_S = 60.0


class MiniSweAgent:
    """One thread per run, since upstream's loop is synchronous; all else is on the event loop."""

    def __init__(self, clock: Clock, *, max_threads: int) -> None:
        self._clock = clock
        self._pool = ThreadPoolExecutor(max_threads, thread_name_prefix="mini-swe-agent")

    async def run(
        self,
        task: AgentTask,
        sandbox: Sandbox,
        gateway: Gateway,
        limits: AgentLimits,
        *,
        on_message: OnMessage,
    ) -> AgentOutcome:
        bridge = Bridge(wall_time_s=limits.wall_time_s)
        teller = Teller(on_message, now=self._clock.now)
        facts = prompts.facts(task, limits)
        marker = prompts.finish_marker(task)
        loop = ArenaLoop(
            GatewayModel(
                gateway,
                bridge,
                contestant=task.contestant,
                now=self._clock.now,
                format_error=lambda error: prompts.fill("format_error", facts | {"error": error}),
            ),
            SandboxEnvironment(
                sandbox, bridge, timeout_s=limits.command_timeout_s, finish_marker=marker
            ),
            bridge=bridge,
            limits=limits,
            edits=EditCount(sandbox, max_edits=task.contestant.max_edits, marker=marker),
            tell=teller.tell,
        )
        await loop.edits.begin()
        await self._in_thread(lambda: loop.work(facts), bridge)
        return await _outcome(loop)

    async def close(self) -> None:
        self._pool.shutdown(wait=False, cancel_futures=True)

    async def _in_thread(self, work: Callable[[], None], bridge: Bridge) -> None:
        """Wait for the thread; when cancelled, stop it and still wait: nothing is left running."""
        job = self._pool.submit(copy_context().run, work)
        done = asyncio.wrap_future(job)
        try:
            await asyncio.wait([done])
        except asyncio.CancelledError:
            if not job.cancel():
                bridge.stop()
                await _end_of(done)
            raise
        done.result()


async def _end_of(done: asyncio.Future[None]) -> None:
    while not done.done():
        with suppress(asyncio.CancelledError):  # once cancelled, more of it changes nothing
            await asyncio.wait([done])
    done.exception()


async def _outcome(loop: ArenaLoop) -> AgentOutcome:
    end = loop.messages[-1]
    exit_status = end["extra"]["exit_status"]
    if exit_status == CANCELLED:
        raise asyncio.CancelledError
    cause = EXIT_CAUSES[exit_status]
    taken = await _take_patch(loop.edits, cause)
    first_edit = loop.edits.first_step
    return AgentOutcome(
        exit_status=exit_status,
        cause=cause or taken.cause,
        error=_error(cause, end) if cause else taken.error,
        patch=taken.patch,
        edits=loop.edits.count,
        edits_capped=loop.edits.used_up,
        steps=loop.n_calls,
        usage=loop.model.usage,
        plan=loop.plan,
        plan_before_edit=loop.plan_step is not None
        and (first_edit is None or loop.plan_step <= first_edit),
        config=loop.info_config(),
    )


def _error(cause: Cause, end: dict[str, Any]) -> str:
    # Upstream's own exits say nothing but their status.
    says_nothing = end["content"] == end["extra"]["exit_status"]
    return POLICIES[cause].message if says_nothing else end["content"]


class _Taken(NamedTuple):
    patch: str
    cause: Cause | None = None
    error: str = ""


async def _take_patch(edits: EditCount, cause: Cause | None) -> _Taken:
    """The patch at the edit cap, else as the work tree stands, whatever ended the run."""
    if edits.patch_at_cap is None and cause in _NO_SANDBOX:
        return _Taken("")
    try:
        async with asyncio.timeout(_PATCH_TIME_S):
            return _Taken(await edits.take())
    except SandboxError as error:
        return _Taken("", error.cause, f"the patch could not be taken: {error}")
    except TimeoutError:
        return _Taken("", Cause.SANDBOX_FAILED, "the patch could not be taken in time")
