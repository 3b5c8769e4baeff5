"""The worker that executes flows: DBOS, launched for the duration of an `async with` block."""

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
    DatabaseConnector,
    EngineConfig,
    dbos_settings,
    list_workflows,
    migrate_database,
    open_client,
)
from yudai.engine.adapters.dbos.contract import (
    ANSWERS,
    CONCLUSIONS,
    RUNS,
    SOLVES,
    VERSION,
)
from yudai.engine.adapters.dbos.workflows import RETRY_DELAYS_S, PartRunner, Workflows
from yudai.engine.port import Flow
from yudai.kit.concurrency import repeat_in_background, to_its_end

log: structlog.stdlib.BoundLogger = structlog.get_logger()


LOST_AFTER = 3
"""Checks after which a stored workflow that does not run is lost. Claiming one takes time, too."""


@dataclass
class OrphanedWorkflows:
    client: DBOSClient
    executor_id: str
    active: Callable[[], set[str]]
    _seen: Counter[str] = field(default_factory=Counter[str])

    def requeue(self) -> list[str]:
        """Requeue lost workflows and return their ids. Blocking."""
        pending = WorkflowStatusString.PENDING.value
        stored = list_workflows(
            self.client, status=pending, executor_id=self.executor_id, app_version=VERSION
        )
        # Read after the database: a workflow that starts in between is not lost.
        active = self.active()
        idle = {row.workflow_id: row.queue_name for row in stored if row.workflow_id not in active}
        self._seen = Counter({key: self._seen[key] + 1 for key in idle})
        lost = [key for key in idle if self._seen[key] >= LOST_AFTER]
        for key in lost:
            self.client.resume_workflow(key, queue_name=idle[key])
            del self._seen[key]
        return lost


KEEP_S = 3 * 24 * 3600.0
"""Ended workflows are kept this long, for finding out what went wrong."""
BATCH = 200
# A few seconds of work in all, because stopping the worker waits for it. The next round continues.
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
    """Delete workflows that ended before that time and return their number. Blocking.

    Several workers may do it at the same time.
    """
    # A solve that resumes after a long break asks for the runs it waited for.
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

ORPHAN_CHECK_S = 5.0
PRUNE_S = 600.0


@dataclass
class DbosWorker:
    """One at a time per process, because DBOS is a singleton. It can be entered again."""

    config: EngineConfig
    flow: Flow
    _: KW_ONLY
    orphan_check_s: float = ORPHAN_CHECK_S
    prune_s: float = PRUNE_S
    retry_delays_s: Sequence[float] = RETRY_DELAYS_S
    _stack: AsyncExitStack = field(default_factory=AsyncExitStack)

    async def __aenter__(self) -> Self:
        """Return when ready; unfinished workflows of the executor id are recovered."""
        async with AsyncExitStack() as stack:
            client = await stack.enter_async_context(_open_queues(self.config))
            part_runner = PartRunner(self.retry_delays_s)
            workflows = Workflows(self.flow, part_runner, poll_s=self.config.poll_s)
            stack.push_async_callback(part_runner.wait)
            stack.push_async_callback(_in_thread, _destroy)
            connector = DatabaseConnector(self.config)
            stack.callback(connector.close)
            await _in_thread(lambda: _launch(self.config, connector, workflows))
            # Cancelled parts report no result that DBOS would store, and DBOS claims no more work
            # while they clean up.
            stack.callback(part_runner.cancel)
            orphans = OrphanedWorkflows(client, self.config.executor_id, lambda: workflows.active)
            look, clear_up = partial(_requeue_orphans, orphans), partial(_prune, client)
            await stack.enter_async_context(_repeating(look, self.orphan_check_s, name="orphans"))
            await stack.enter_async_context(_repeating(clear_up, self.prune_s, name="pruning"))
            self._stack = stack.pop_all()
        return self

    async def __aexit__(self, *_: object) -> None:
        """Cancel running parts; their workflows stay unfinished for another worker."""
        await self._stack.aclose()


@asynccontextmanager
async def _open_queues(config: EngineConfig) -> AsyncGenerator[DBOSClient]:
    """A client, after registering the queues: DBOS reads them at launch."""
    await _in_thread(lambda: migrate_database(config))
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
        # A solve queues only as many runs as it may have; partitions make solves take turns.
        partition_concurrency=limits.max_runs,
        polling_interval_sec=config.poll_s,
        on_conflict="always_update",
    )
    # Conclusions execute nothing: they do not wait behind solves.
    for queue in (ANSWERS, CONCLUSIONS):
        client.register_queue(
            queue,
            worker_concurrency=limits.worker_max_answers,
            polling_interval_sec=2 * config.poll_s,
            on_conflict="always_update",
        )


def _launch(config: EngineConfig, connector: DatabaseConnector, workflows: Workflows) -> None:
    """Runs in a thread without an event loop, so that DBOS makes its own."""
    DBOS(config=dbos_settings(config, connector=connector))
    workflows.register()
    DBOS.launch()


def _destroy() -> None:
    DBOS.destroy(destroy_registry=True)


def _requeue_orphans(orphans: OrphanedWorkflows) -> None:
    if lost := orphans.requeue():
        log.warning("engine.queued_again", workflows=lost)


def _prune(client: DBOSClient) -> None:
    if removed := prune(client, before=time.time() - KEEP_S):
        log.info("engine.pruned", workflows=removed)


def _repeating(
    chore: Callable[[], None], every_s: float, *, name: str
) -> AbstractAsyncContextManager[None]:
    """The first round comes after `every_s`: recovery may still need old workflows."""
    act = partial(_in_thread, chore)
    failed = "engine.chore_failed"
    return repeat_in_background(act, every_s, name=name, failed=failed, first_s=every_s, chore=name)


async def _in_thread(work: Callable[[], Found]) -> Found:
    """Not cancellable: half a launch could not be undone."""
    return await to_its_end(asyncio.to_thread(work))
