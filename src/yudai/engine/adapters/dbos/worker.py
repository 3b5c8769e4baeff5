"""The process that carries flows out: DBOS, launched for as long as the block lasts."""

import asyncio
import time
from collections import Counter
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from datetime import UTC, datetime
from functools import partial
from typing import Self, TypeVar

import structlog
from dbos import DBOS, DBOSClient, WorkflowStatus, WorkflowStatusString

from yudai.engine.adapters.dbos.configuration import (
    Door,
    EngineConfig,
    lay_ground,
    open_client,
    settings_of,
)
from yudai.engine.adapters.dbos.contract import ANSWERS, RUNS, SOLVES, VERSION
from yudai.engine.adapters.dbos.workflows import RETRY_DELAYS_S, Parts, Workflows
from yudai.engine.port import Flow

log: structlog.stdlib.BoundLogger = structlog.get_logger()


LOOKS = 3
"""So often it was stored as running and was not: claiming and beginning take their time, too."""


class Orphans:
    def __init__(
        self, client: DBOSClient, executor_id: str, active: Callable[[], set[str]]
    ) -> None:
        self._client = client
        self._executor_id = executor_id
        self._active = active
        self._seen: Counter[str] = Counter()

    def look(self) -> list[str]:
        """Queue again what was lost, and say what that was; blocking."""
        stored = self._client.list_workflows(
            status=WorkflowStatusString.PENDING.value,
            executor_id=self._executor_id,
            app_version=VERSION,
            load_input=False,
            load_output=False,
        )
        # Asked after the database: what begins meanwhile is no orphan.
        active = self._active()
        idle = {row.workflow_id: row.queue_name for row in stored if row.workflow_id not in active}
        self._seen = Counter({key: self._seen[key] + 1 for key in idle})
        lost = [key for key in idle if self._seen[key] >= LOOKS]
        for key in lost:
            self._client.resume_workflow(key, queue_name=idle[key])
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
    unfinished = {row.workflow_id for row in _list(client, _UNFINISHED)}
    ended_by = datetime.fromtimestamp(before, UTC).isoformat()
    removed = kept = 0
    for _ in range(_BATCHES):
        found = _list(client, _ENDED, completed_before=ended_by, limit=batch, offset=kept)
        old = [row.workflow_id for row in found if row.parent_workflow_id not in unfinished]
        if old:
            client.delete_workflows(old)
        removed += len(old)
        kept += len(found) - len(old)
        if len(found) < batch:
            break
    return removed


def _list(
    client: DBOSClient,
    status: list[str],
    *,
    completed_before: str | None = None,
    limit: int | None = None,
    offset: int | None = None,
) -> list[WorkflowStatus]:
    return client.list_workflows(
        status=status,
        completed_before=completed_before,
        limit=limit,
        offset=offset,
        load_input=False,
        load_output=False,
    )


Found = TypeVar("Found")

LOOK_S = 5.0
PRUNE_S = 600.0


class DbosWorker:
    """One at a time in a process, because DBOS is one; leaving it and entering again works."""

    def __init__(
        self,
        config: EngineConfig,
        flow: Flow,
        *,
        look_s: float = LOOK_S,
        prune_s: float = PRUNE_S,
        retry_delays_s: Sequence[float] = RETRY_DELAYS_S,
    ) -> None:
        self._config = config
        self._flow = flow
        self._look_s = look_s
        self._prune_s = prune_s
        self._retry_delays_s = retry_delays_s
        self._stack = AsyncExitStack()

    async def __aenter__(self) -> Self:
        """Return when it is ready to work; what its executor id left unfinished goes on."""
        async with AsyncExitStack() as stack:
            client = await stack.enter_async_context(_open_queues(self._config))
            parts = Parts(self._retry_delays_s)
            workflows = Workflows(self._flow, parts, poll_s=self._config.poll_s)
            stack.push_async_callback(parts.wait)
            stack.push_async_callback(_in_thread, _destroy)
            door = Door(self._config)
            stack.callback(door.close)
            await _in_thread(lambda: _launch(self._config, door, workflows))
            # Ended by us, they cannot come to an end that DBOS would store; and DBOS claims no
            # more while they clear up.
            stack.callback(parts.cancel)
            orphans = Orphans(client, self._config.executor_id, lambda: workflows.active)
            look, clear_up = partial(_look, orphans), partial(_prune, client)
            await stack.enter_async_context(_repeating(look, self._look_s, name="orphans"))
            await stack.enter_async_context(_repeating(clear_up, self._prune_s, name="pruning"))
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


@asynccontextmanager
async def _repeating(
    chore: Callable[[], None], every_s: float, *, name: str
) -> AsyncGenerator[None]:
    """Not at once: others may want to know first what became of workflows that ended long ago."""

    async def repeat_for_ever() -> None:
        while True:
            await asyncio.sleep(every_s)
            try:
                await _in_thread(chore)
            except Exception as error:  # noqa: BLE001 - a database that is away for a moment
                log.warning("engine.chore_failed", chore=name, error=repr(error))

    task = asyncio.create_task(repeat_for_ever(), name=name)
    try:
        yield
    finally:
        task.cancel()
        await asyncio.wait([task])


async def _in_thread(work: Callable[[], Found]) -> Found:
    """To its end, and only then cancelled: half a launch could not be undone."""
    task = asyncio.create_task(asyncio.to_thread(work))
    cancelled: asyncio.CancelledError | None = None
    while not task.done():
        try:
            await asyncio.wait([task])
        except asyncio.CancelledError as error:
            cancelled = error
    if cancelled:
        task.exception()
        raise cancelled
    return task.result()
