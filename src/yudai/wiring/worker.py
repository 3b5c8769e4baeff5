"""A service: the worker's side, which does."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from dataclasses import replace
from functools import partial

import structlog
from sqlalchemy.exc import SQLAlchemyError

from yudai.conversations.answer import remind
from yudai.conversations.milestones import Milestones
from yudai.engine import queries as workers
from yudai.engine.adapters.dbos.engine import DbosEngine
from yudai.engine.adapters.dbos.worker import DbosWorker
from yudai.engine.adapters.host_processes import is_gone, is_there
from yudai.engine.leases import Heir
from yudai.gateway.port import Gateway
from yudai.kit.causes import POLICIES, Cause
from yudai.kit.ids import WorkerId
from yudai.operations.retention import prune_sources, sweep_bases
from yudai.operations.sweep import SWEEP_S, Chore, Sweeper, rounds
from yudai.runs import attempts
from yudai.runs.spending import holds
from yudai.settings import Settings
from yudai.store.outages import StoreAwayError
from yudai.wiring.arena import Arena, make_flow, open_arena
from yudai.wiring.components import (
    FOR_GOOD,
    is_shared,
    make_engine_config,
    make_lease,
    make_sources,
)
from yudai.wiring.forge import make_deliveries, make_triggers, make_watcher
from yudai.wiring.sandbox_upkeep import DAY_S, make_evictor
from yudai.wiring.submit import make_submitter

log: structlog.stdlib.BoundLogger = structlog.get_logger()

AGAIN_S = 1.0
LAY_DOWN_S = 5.0
HEAR_S = 2.0
"""How soon a webhook's hint is followed."""
UPKEEP_S = 60.0
REMEMBER_S = 60.0
"""How soon an end is told that its own flow died before telling."""


@asynccontextmanager
async def open_worker(
    settings: Settings, *, gateway: Gateway, sandbox: str | None = None
) -> AsyncGenerator[None]:
    """Work until it is left; whatever runs then is left for whoever takes it up."""
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
    """All that a worker does again and again.

    Each is in a task of its own: a slow fetch holds up neither labels nor pull requests.
    """
    forging, settings, context = arena.forging, arena.settings, arena.context
    store, clock = context.store, context.clock
    chores = (Milestones(store).sweep, partial(remind, store, engine, clock))
    sweeper = Sweeper(store, clock, engine, arena.stopper, chores)
    submitter = make_submitter(settings, context, engine, arena.gateway, remotes=forging.asks)
    # Scripts that a command names are refused there; GITHUB_MATRIX is the operator's.
    triggers = make_triggers(settings, forging, replace(submitter, takes_scripts=True))
    watcher = make_watcher(settings, triggers)
    deliveries = make_deliveries(settings, forging, triggers)
    return (
        rounds("sweeper", sweeper.sweep, every_s=SWEEP_S),
        rounds("upkeep", *make_upkeep(arena), every_s=UPKEEP_S),
        rounds("publishing", forging.publisher.sweep),
        rounds("remembering", forging.publisher.remember, every_s=REMEMBER_S),
        rounds("hearing", deliveries.process, every_s=HEAR_S),
        rounds("watching", watcher.look, every_s=max(1.0, settings.github_poll_s / 4)),
        rounds("settling", forging.settler.look),
    )


def make_upkeep(arena: Arena) -> tuple[Chore, ...]:
    """What takes its time: providers are asked, and disks are searched."""
    settings, context = arena.settings, arena.context
    evictor = partial(make_evictor, settings, clock=context.clock)
    sources = make_sources(settings, context.artifacts)
    return (
        arena.reaper.tend,
        partial(sweep_bases, arena.reaper.find, evictor),
        partial(prune_sources, sources, context, max_age_s=settings.bases_max_days * DAY_S),
    )


async def _work_for_ever(arena: Arena, engine: DbosEngine, ready: asyncio.Future[None]) -> None:
    """A worker that lost its lease begins anew under another one."""
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
    """For as long as a lease lasts; yields what is set when it is lost."""
    settings, pulse = arena.settings, arena.pulse
    lease = make_lease(pulse, durable=True, terms=None if is_shared(settings) else FOR_GOOD)
    flow = make_flow(arena, lease.id)
    heir = Heir(
        store=pulse,
        clock=arena.context.clock,
        worker_id=lease.id,
        adopt=partial(_inherit, arena, engine),
        is_gone=is_gone,
        is_there=is_there,
        busy=engine.executors if is_shared(settings) else None,
    )
    worker = DbosWorker(make_engine_config(settings, lease.id), flow)
    # The lease is the outermost: it ends when nothing runs here any more.
    async with lease:
        try:
            async with flow.activities.guarded(), worker, heir.watching():
                yield lease.lost
        finally:
            await _lay_down(arena, lease.id)


async def _lay_down(arena: Arena, worker_id: WorkerId) -> None:
    """Being stopped is no fault of the runs: whoever goes on need not count it against them."""
    words = POLICIES[Cause.WORKER_LEFT].message
    try:
        async with asyncio.timeout(LAY_DOWN_S), arena.pulse.change() as db:
            await attempts.lay_down(db, worker_id, words, at=arena.context.clock.now())
    except (TimeoutError, StoreAwayError, SQLAlchemyError) as error:
        log.warning("worker.not_laid_down", worker_id=worker_id, error=repr(error))


async def _end(task: asyncio.Task[None]) -> None:
    task.cancel()
    await asyncio.wait([task])
    if not task.cancelled() and (error := task.exception()):
        log.error("worker.ended", error=repr(error))


async def _inherit(arena: Arena, engine: DbosEngine, dead: WorkerId) -> None:
    """Its calls may have been billed, its work is queued again, its sandboxes are removed."""
    context = arena.context
    async with arena.pulse.change() as db:
        await workers.cut_off(db, dead)
    async with context.store.change() as db:
        await holds.write_off(db, dead, at=context.clock.now())
    # A database with one process has nothing left to queue: its launch has done it.
    if is_shared(arena.settings):
        await engine.adopt(dead)
    await arena.reaper.tend()
