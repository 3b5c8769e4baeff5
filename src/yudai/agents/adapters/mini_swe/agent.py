"""mini-SWE-agent on the worker; only its commands run in the sandbox."""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from contextvars import copy_context
from itertools import count
from typing import Any

from yudai.agents import prompts
from yudai.agents.adapters.edit_count import EditCount, TakenPatch, take_patch
from yudai.agents.adapters.mini_swe.environment import SandboxEnvironment
from yudai.agents.adapters.mini_swe.loop import ArenaLoop
from yudai.agents.adapters.mini_swe.model import GatewayModel
from yudai.agents.adapters.mini_swe.thread_bridge import Bridge
from yudai.agents.port import AgentLimits, AgentOutcome, AgentTask
from yudai.gateway.port import Gateway
from yudai.kit.causes import POLICIES, Cause
from yudai.kit.clock import Clock
from yudai.runs.domain.exit_status import CANCELLED, EXIT_CAUSES
from yudai.runs.domain.progress import OnMessage, Progress
from yudai.runs.domain.trajectory.trajectory import TrajectoryMessage
from yudai.sandboxes.port import Sandbox

_NO_SANDBOX = frozenset({Cause.SANDBOX_LOST, Cause.SANDBOX_FAILED, Cause.SANDBOX_REFUSED})


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
        seq = count()

        def tell(body: dict[str, Any], progress: Progress) -> None:
            at, role = self._clock.now(), body["role"]
            message = TrajectoryMessage(
                seq=next(seq), step=progress.steps, role=role, at=at, body=body
            )
            on_message(message, progress)

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
            tell=tell,
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
    # What was taken at the edit cap needs no sandbox.
    is_gone = loop.edits.patch_at_cap is None and cause in _NO_SANDBOX
    taken = TakenPatch() if is_gone else await take_patch(loop.edits.take())
    first_edit = loop.edits.first_step
    return AgentOutcome(
        exit_status=exit_status,
        cause=cause or (taken.error.cause if taken.error else None),
        error=_error(cause, end) if cause else str(taken.error or ""),
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
