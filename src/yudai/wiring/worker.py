"""A service: the worker's side, which does."""

import asyncio
import math
from collections.abc import AsyncGenerator
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, replace
from functools import partial

import structlog
from sqlalchemy.exc import SQLAlchemyError

from yudai.conversations.answer import Reminder
from yudai.conversations.milestones import Milestones
from yudai.engine import queries as workers
from yudai.engine.adapters.dbos.engine import DbosEngine
from yudai.engine.adapters.dbos.worker import DbosWorker
from yudai.engine.adapters.host_processes import is_gone, is_there
from yudai.engine.leases import Heir, Terms
from yudai.gateway.port import Gateway
from yudai.kit.causes import POLICIES, Cause
from yudai.kit.ids import WorkerId
from yudai.operations.retention import Shelves
from yudai.operations.sweep import Chore, Sweeper, rounds
from yudai.runs import attempts
from yudai.runs.spending import holds
from yudai.settings import Settings
from yudai.store.outages import StoreAwayError
from yudai.wiring.arena import Hall, make_flow, open_hall
from yudai.wiring.components import is_shared, make_engine_config, make_lease
from yudai.wiring.forge import make_hearing
from yudai.wiring.sandbox_upkeep import make_evictor, make_pruner
from yudai.wiring.submit import make_submitter

log: structlog.stdlib.BoundLogger = structlog.get_logger()

AGAIN_S = 1.0
LAY_DOWN_S = 5.0
HEAR_S = 2.0
"""How soon a webhook's hint is followed."""
UPKEEP_S = 60.0
REMEMBER_S = 60.0
"""How soon an end is told that its own flow died before telling."""


@dataclass(frozen=True)
class _Plant:
    hall: Hall
    engine: DbosEngine

    @asynccontextmanager
    async def working(self) -> AsyncGenerator[asyncio.Event]:
        """For as long as a lease lasts; yields what is set when it is lost."""
        settings, pulse, clock = self.hall.settings, self.hall.pulse, self.hall.reader.clock
        # Where this is the only process that can work, there is nobody to stop for.
        terms = None if is_shared(settings) else Terms(lost_s=math.inf)
        lease = make_lease(pulse, durable=True, terms=terms)
        flow = make_flow(self.hall, lease.id)
        heir = Heir(
            store=pulse,
            clock=clock,
            worker_id=lease.id,
            adopt=partial(_inherit, self.hall, self.engine),
            is_gone=is_gone,
            is_there=is_there,
            busy=self.engine.executors if is_shared(settings) else None,
        )
        engine = DbosWorker(make_engine_config(settings, lease.id), flow)
        # The lease is the outermost: it ends when nothing runs here any more.
        async with lease:
            try:
                async with flow.activities.guarded(), engine, heir.watching():
                    yield lease.lost
            finally:
                await self._lay_down(lease.id)

    async def _lay_down(self, worker_id: WorkerId) -> None:
        """Being stopped is no fault of the runs: whoever goes on need not count it against them."""
        words = POLICIES[Cause.WORKER_LEFT].message
        try:
            async with asyncio.timeout(LAY_DOWN_S), self.hall.pulse.change() as db:
                await attempts.lay_down(db, worker_id, words, at=self.hall.reader.clock.now())
        except (TimeoutError, StoreAwayError, SQLAlchemyError) as error:
            log.warning("worker.not_laid_down", worker_id=worker_id, error=repr(error))


@asynccontextmanager
async def open_worker(
    settings: Settings, *, gateway: Gateway, sandbox: str | None = None
) -> AsyncGenerator[None]:
    """Work until it is left; whatever runs then is left for whoever takes it up."""
    async with AsyncExitStack() as stack:
        hall = await open_hall(settings, gateway, sandbox, stack)
        engine = await stack.enter_async_context(DbosEngine.opened(make_engine_config(settings)))
        plant = _Plant(hall, engine)
        ready: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        task = asyncio.create_task(_work_for_ever(plant, ready), name="worker")
        stack.push_async_callback(_end, task)
        await asyncio.wait([task, ready], return_when=asyncio.FIRST_COMPLETED)
        if task.done():
            task.result()
        for chores in make_rounds(hall, engine):
            await stack.enter_async_context(chores)
        yield


def make_rounds(hall: Hall, engine: DbosEngine) -> tuple[AbstractAsyncContextManager[None], ...]:
    """All that a worker does again and again, each in a task of its own."""
    return (
        _sweeper(hall, engine).sweeping(),
        rounds("upkeep", *make_upkeep(hall), every_s=UPKEEP_S),
        *_forge_rounds(hall, engine),
    )


def make_upkeep(hall: Hall) -> tuple[Chore, ...]:
    """What takes its time: providers are asked, and disks are searched."""
    evictor = partial(make_evictor, hall.settings, clock=hall.reader.clock)
    return (
        hall.reaper.tend,
        Shelves(hall.reaper.find, evictor).sweep,
        make_pruner(hall.settings, hall.reader).sweep,
    )


def _forge_rounds(hall: Hall, engine: DbosEngine) -> tuple[AbstractAsyncContextManager[None], ...]:
    forging, settings = hall.forging, hall.settings
    submitter = make_submitter(settings, hall.reader, engine, hall.gateway, remotes=forging.asks)
    # Scripts that a command names are refused there; GITHUB_MATRIX is the operator's.
    hearing = make_hearing(settings, forging, replace(submitter, takes_scripts=True))
    # Each in a task of its own: a slow fetch holds up neither labels nor pull requests.
    return (
        rounds("publishing", forging.publisher.sweep),
        rounds("remembering", forging.publisher.remember, every_s=REMEMBER_S),
        rounds("hearing", hearing.deliveries.process, every_s=HEAR_S),
        rounds("watching", hearing.watcher.look, every_s=max(1.0, settings.github_poll_s / 4)),
        rounds("settling", forging.settler.look),
    )


async def _work_for_ever(plant: _Plant, ready: asyncio.Future[None]) -> None:
    """A worker that lost its lease begins anew under another one."""
    while True:
        try:
            async with plant.working() as lost:
                if not ready.done():
                    ready.set_result(None)
                await lost.wait()
        except Exception as error:
            if not ready.done():
                raise
            log.warning("worker.begins_again", error=repr(error))
            await asyncio.sleep(AGAIN_S)


async def _end(task: asyncio.Task[None]) -> None:
    task.cancel()
    await asyncio.wait([task])
    if not task.cancelled() and (error := task.exception()):
        log.error("worker.ended", error=repr(error))


async def _inherit(hall: Hall, engine: DbosEngine, dead: WorkerId) -> None:
    """Its calls may have been billed, its work is queued again, its sandboxes are removed."""
    reader = hall.reader
    async with hall.pulse.change() as db:
        await workers.cut_off(db, dead)
    async with reader.store.change() as db:
        await holds.write_off(db, dead, at=reader.clock.now())
    # A database with one process has nothing left to queue: its launch has done it.
    if is_shared(hall.settings):
        await engine.adopt(dead)
    await hall.reaper.tend()


def _sweeper(hall: Hall, engine: DbosEngine) -> Sweeper:
    store, clock = hall.reader.store, hall.reader.clock

    return Sweeper(
        store=store,
        clock=clock,
        engine=engine,
        stopper=hall.stopper,
        chores=(Milestones(store).sweep, Reminder(store, engine, clock).remind),
    )
