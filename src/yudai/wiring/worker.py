"""The worker's side of a service: executes flows and periodic tasks."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from dataclasses import replace
from functools import partial

import structlog
from sqlalchemy.exc import SQLAlchemyError

from yudai.conversations.answer import queue_unanswered
from yudai.conversations.milestones import post_all_milestones
from yudai.engine import queries as workers
from yudai.engine.adapters.dbos.engine import DbosEngine
from yudai.engine.adapters.dbos.worker import DbosWorker
from yudai.engine.adapters.host_processes import is_gone, is_there
from yudai.engine.leases import TakeoverWatcher
from yudai.gateway.port import Gateway
from yudai.kit.causes import POLICIES, Cause
from yudai.kit.ids import WorkerId
from yudai.operations.retention import prune_sources, sweep_bases
from yudai.operations.sweep import SWEEP_S, Chore, Sweeper, rounds
from yudai.runs import attempts
from yudai.runs.spending import holds
from yudai.settings import Settings
from yudai.store.outages import StoreAwayError
from yudai.triggers.poll import Poller
from yudai.wiring.arena import Arena, make_flow, open_arena
from yudai.wiring.components import (
    NEVER_LOST,
    is_shared,
    make_engine_config,
    make_lease,
    make_sources,
)
from yudai.wiring.forge import make_deliveries, make_submitter, make_triggers
from yudai.wiring.sandbox_upkeep import DAY_S, make_evictor

log: structlog.stdlib.BoundLogger = structlog.get_logger()

AGAIN_S = 1.0
REQUEUE_S = 5.0
DELIVERIES_S = 2.0
"""How often webhook hints are processed."""
UPKEEP_S = 60.0
REMEMBER_S = 60.0
"""How often solves are published whose flow died before it published."""


@asynccontextmanager
async def open_worker(
    settings: Settings, *, gateway: Gateway, sandbox: str | None = None
) -> AsyncGenerator[None]:
    """Work until the block is left; unfinished work is left for other workers."""
    async with AsyncExitStack() as stack:
        arena = await open_arena(settings, gateway, sandbox, stack)
        engine = await stack.enter_async_context(DbosEngine.opened(make_engine_config(settings)))
        ready: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        task = asyncio.create_task(_work_for_ever(arena, engine, ready), name="worker")
        stack.push_async_callback(_end, task)
        await asyncio.wait([task, ready], return_when=asyncio.FIRST_COMPLETED)
        if task.done():
            task.result()
        for chores in make_rounds(arena, engine):
            await stack.enter_async_context(chores)
        yield


def make_rounds(arena: Arena, engine: DbosEngine) -> tuple[AbstractAsyncContextManager[None], ...]:
    """Periodic tasks of a worker.

    Each runs separately, so that a slow fetch delays neither labels nor pull requests.
    """
    forge_services, settings, context = arena.forge_services, arena.settings, arena.context
    store, clock = context.store, context.clock
    chores = (partial(post_all_milestones, store), partial(queue_unanswered, store, engine, clock))
    sweeper = Sweeper(store, clock, engine, arena.stopper, chores)
    submitter = make_submitter(
        settings, context, forge_services, engine=engine, gateway=arena.gateway
    )
    # Commands may not name scripts; GITHUB_MATRIX, set by the operator, may.
    triggers = make_triggers(settings, forge_services, replace(submitter, takes_scripts=True))
    poller = Poller(
        triggers=triggers,
        watched=settings.github_watch,
        poll_s=settings.github_poll_s,
        has_app=bool(settings.github_app_id),
    )
    deliveries = make_deliveries(settings, forge_services, triggers)
    return (
        rounds("sweeper", sweeper.sweep, every_s=SWEEP_S),
        rounds("upkeep", *make_upkeep(arena), every_s=UPKEEP_S),
        rounds("publishing", forge_services.publisher.sweep),
        rounds("remembering", forge_services.publisher.remember, every_s=REMEMBER_S),
        rounds("deliveries", deliveries.process, every_s=DELIVERIES_S),
        rounds("watching", poller.poll, every_s=max(1.0, settings.github_poll_s / 4)),
        rounds("settling", forge_services.settler.check_due),
    )


def make_upkeep(arena: Arena) -> tuple[Chore, ...]:
    """Slow tasks: they query providers and search disks."""
    settings, context = arena.settings, arena.context
    evictor = partial(make_evictor, settings, clock=context.clock)
    sources = make_sources(settings, context.artifacts)
    return (
        arena.reaper.tend,
        partial(sweep_bases, arena.reaper.find, evictor),
        partial(prune_sources, sources, context, max_age_s=settings.bases_max_days * DAY_S),
    )


async def _work_for_ever(arena: Arena, engine: DbosEngine, ready: asyncio.Future[None]) -> None:
    """Work; after losing the lease, start again with a new one."""
    while True:
        try:
            async with _working(arena, engine) as lost:
                if not ready.done():
                    ready.set_result(None)
                await lost.wait()
        except Exception as error:
            if not ready.done():
                raise
            log.warning("worker.begins_again", error=repr(error))
            await asyncio.sleep(AGAIN_S)


@asynccontextmanager
async def _working(arena: Arena, engine: DbosEngine) -> AsyncGenerator[asyncio.Event]:
    """Work under one lease; yields the event that is set when it is lost."""
    settings, lease_store = arena.settings, arena.lease_store
    lease = make_lease(
        lease_store, durable=True, timings=None if is_shared(settings) else NEVER_LOST
    )
    flow = make_flow(arena, lease.id)
    watcher = TakeoverWatcher(
        store=lease_store,
        clock=arena.context.clock,
        worker_id=lease.id,
        adopt=partial(_take_over, arena, engine),
        is_gone=is_gone,
        is_there=is_there,
        busy=engine.executors if is_shared(settings) else None,
    )
    worker = DbosWorker(make_engine_config(settings, lease.id), flow)
    # The lease is the outermost: it ends after all work has stopped.
    async with lease:
        try:
            async with flow.work_guard.watching(), worker, watcher.watching():
                yield lease.lost
        finally:
            await _requeue_runs(arena, lease.id)


async def _requeue_runs(arena: Arena, worker_id: WorkerId) -> None:
    """Queue our runs again, without counting the attempt: being stopped is not their fault."""
    words = POLICIES[Cause.WORKER_LEFT].message
    try:
        async with asyncio.timeout(REQUEUE_S), arena.lease_store.change() as db:
            await attempts.requeue_runs_of(db, worker_id, words, at=arena.context.clock.now())
    except (TimeoutError, StoreAwayError, SQLAlchemyError) as error:
        log.warning("worker.not_released", worker_id=worker_id, error=repr(error))


async def _end(task: asyncio.Task[None]) -> None:
    task.cancel()
    await asyncio.wait([task])
    if not task.cancelled() and (error := task.exception()):
        log.error("worker.ended", error=repr(error))


async def _take_over(arena: Arena, engine: DbosEngine, dead: WorkerId) -> None:
    """Write off a dead worker's model calls, queue its work again and remove its sandboxes."""
    context = arena.context
    async with arena.lease_store.change() as db:
        await workers.cut_off(db, dead)
    async with context.store.change() as db:
        await holds.write_off(db, dead, at=context.clock.now())
    # With one process per database, launching DBOS has already recovered its work.
    if is_shared(arena.settings):
        await engine.adopt(dead)
    await arena.reaper.tend()
