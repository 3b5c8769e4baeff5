"""The process that carries flows out: DBOS, launched for as long as the block lasts."""

import asyncio
import time
from collections import Counter
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from dataclasses import KW_ONLY, dataclass, field
from datetime import UTC, datetime
from functools import partial
from typing import Self, TypeVar

import structlog
from dbos import DBOS, DBOSClient, WorkflowStatusString

from yudai.engine.adapters.dbos.configuration import (
    Door,
    EngineConfig,
    lay_ground,
    list_workflows,
    open_client,
    settings_of,
)
from yudai.engine.adapters.dbos.contract import ANSWERS, RUNS, SOLVES, VERSION
from yudai.engine.adapters.dbos.workflows import RETRY_DELAYS_S, Parts, Workflows
from yudai.engine.port import Flow
from yudai.kit.concurrency import repeating, to_its_end

log: structlog.stdlib.BoundLogger = structlog.get_logger()


LOOKS = 3
"""So often it was stored as running and was not: claiming and beginning take their time, too."""


@dataclass
class Orphans:
    client: DBOSClient
    executor_id: str
    active: Callable[[], set[str]]
    _seen: Counter[str] = field(default_factory=Counter[str])

    def look(self) -> list[str]:
        """Queue again what was lost, and say what that was; blocking."""
        pending = WorkflowStatusString.PENDING.value
        stored = list_workflows(
            self.client, status=pending, executor_id=self.executor_id, app_version=VERSION
        )
        # Asked after the database: what begins meanwhile is no orphan.
        active = self.active()
        idle = {row.workflow_id: row.queue_name for row in stored if row.workflow_id not in active}
        self._seen = Counter({key: self._seen[key] + 1 for key in idle})
        lost = [key for key in idle if self._seen[key] >= LOOKS]
        for key in lost:
            self.client.resume_workflow(key, queue_name=idle[key])
            del self._seen[key]
        return lost


KEEP_S = 3 * 24 * 3600.0
"""Long enough to look into what went wrong."""
BATCH = 200
# In all a few seconds of work, as whoever ends the worker waits for it; the rest is for next time.
_BATCHES = 20
_UNFINISHED = [
    WorkflowStatusString.DELAYED.value,
    WorkflowStatusString.ENQUEUED.value,
    WorkflowStatusString.PENDING.value,
]
_ENDED = [
    WorkflowStatusString.SUCCESS.value,
    WorkflowStatusString.ERROR.value,
    WorkflowStatusString.CANCELLED.value,
    WorkflowStatusString.MAX_RECOVERY_ATTEMPTS_EXCEEDED.value,
]


def prune(client: DBOSClient, *, before: float, batch: int = BATCH) -> int:
    """Remove what ended before that time, and say how many that were; blocking.

    Workers may do it at the same time: what one has removed is no longer there for the others.
    """
    # A solve that goes on after a long break asks for the runs that it has waited for.
    unfinished = {row.workflow_id for row in list_workflows(client, status=_UNFINISHED)}
    ended_by = datetime.fromtimestamp(before, UTC).isoformat()
    removed = kept = 0
    for _ in range(_BATCHES):
        query = {"completed_before": ended_by, "limit": batch, "offset": kept}
        found = list_workflows(client, status=_ENDED, **query)
        old = [row.workflow_id for row in found if row.parent_workflow_id not in unfinished]
        if old:
            client.delete_workflows(old)
        removed += len(old)
        kept += len(found) - len(old)
        if len(found) < batch:
            break
    return removed


Found = TypeVar("Found")

LOOK_S = 5.0
PRUNE_S = 600.0


@dataclass
class DbosWorker:
    """One at a time in a process, because DBOS is one; leaving it and entering again works."""

    config: EngineConfig
    flow: Flow
    _: KW_ONLY
    look_s: float = LOOK_S
    prune_s: float = PRUNE_S
    retry_delays_s: Sequence[float] = RETRY_DELAYS_S
    _stack: AsyncExitStack = field(default_factory=AsyncExitStack)

    async def __aenter__(self) -> Self:
        """Return when it is ready to work; what its executor id left unfinished goes on."""
        async with AsyncExitStack() as stack:
            client = await stack.enter_async_context(_open_queues(self.config))
            parts = Parts(self.retry_delays_s)
            workflows = Workflows(self.flow, parts, poll_s=self.config.poll_s)
            stack.push_async_callback(parts.wait)
            stack.push_async_callback(_in_thread, _destroy)
            door = Door(self.config)
            stack.callback(door.close)
            await _in_thread(lambda: _launch(self.config, door, workflows))
            # Ended by us, they cannot come to an end that DBOS would store; and DBOS claims no
            # more while they clear up.
            stack.callback(parts.cancel)
            orphans = Orphans(client, self.config.executor_id, lambda: workflows.active)
            look, clear_up = partial(_look, orphans), partial(_prune, client)
            await stack.enter_async_context(_repeating(look, self.look_s, name="orphans"))
            await stack.enter_async_context(_repeating(clear_up, self.prune_s, name="pruning"))
            self._stack = stack.pop_all()
        return self

    async def __aexit__(self, *_: object) -> None:
        """What runs here is cancelled, and stays unfinished for whoever takes it up."""
        await self._stack.aclose()


@asynccontextmanager
async def _open_queues(config: EngineConfig) -> AsyncGenerator[DBOSClient]:
    """A client, and the queues as they are to be from now on: before DBOS looks for them."""
    await _in_thread(lambda: lay_ground(config))
    client = open_client(config)
    try:
        await _in_thread(lambda: _register_queues(client, config))
        yield client
    finally:
        await _in_thread(client.destroy)


def _register_queues(client: DBOSClient, config: EngineConfig) -> None:
    limits = config.limits
    client.register_queue(
        SOLVES,
        global_concurrency=limits.max_solves,
        partition_concurrency=limits.user_max_solves,
        polling_interval_sec=2 * config.poll_s,
        on_conflict="always_update",
    )
    client.register_queue(
        RUNS,
        global_concurrency=limits.max_runs,
        worker_concurrency=min(limits.worker_max_runs, limits.max_runs),
        # No cap of its own, as a solve queues no more than it may: for solves to take turns.
        partition_concurrency=limits.max_runs,
        polling_interval_sec=config.poll_s,
        on_conflict="always_update",
    )
    client.register_queue(
        ANSWERS,
        worker_concurrency=limits.worker_max_answers,
        polling_interval_sec=2 * config.poll_s,
        on_conflict="always_update",
    )


def _launch(config: EngineConfig, door: Door, workflows: Workflows) -> None:
    """In a thread without a loop, so that DBOS makes one of its own."""
    DBOS(config=settings_of(config, door=door))
    workflows.register()
    DBOS.launch()


def _destroy() -> None:
    DBOS.destroy(destroy_registry=True)


def _look(orphans: Orphans) -> None:
    if lost := orphans.look():
        log.warning("engine.queued_again", workflows=lost)


def _prune(client: DBOSClient) -> None:
    if removed := prune(client, before=time.time() - KEEP_S):
        log.info("engine.pruned", workflows=removed)


def _repeating(
    chore: Callable[[], None], every_s: float, *, name: str
) -> AbstractAsyncContextManager[None]:
    """Not at once: others may want to know first what became of workflows that ended long ago."""
    act = partial(_in_thread, chore)
    failed = "engine.chore_failed"
    return repeating(act, every_s, name=name, failed=failed, first_s=every_s, chore=name)


async def _in_thread(work: Callable[[], Found]) -> Found:
    """Half a launch could not be undone."""
    return await to_its_end(asyncio.to_thread(work))
