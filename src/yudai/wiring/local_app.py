"""Builds a process that runs its own solves, without a server."""

from collections.abc import AsyncGenerator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, replace

from yudai.arena.attempts import RETRY_DELAYS_S
from yudai.arena.cancel import Stopper
from yudai.arena.open import Solves
from yudai.arena.plan import Planner
from yudai.arena.submit import Submitter
from yudai.artifacts.context import Context
from yudai.decisions.apply import Applier
from yudai.engine.adapters.in_process import InProcessEngine
from yudai.gateway.port import Gateway
from yudai.kit.ids import SolveId
from yudai.settings import Settings
from yudai.solves.domain.states import SolveEvent
from yudai.wiring.arena import Arena, make_flow, open_arena
from yudai.wiring.components import (
    NEVER_LOST,
    is_shared,
    make_applier,
    make_catalogue,
    make_lease,
)
from yudai.wiring.forge import make_submitter


@dataclass(frozen=True)
class App:
    arena: Arena
    engine: InProcessEngine
    submitter: Submitter
    planner: Planner
    applier: Applier

    @property
    def context(self) -> Context:
        return self.arena.context

    @property
    def solves(self) -> Solves:
        return self.submitter.solves


@asynccontextmanager
async def open_app(
    settings: Settings,
    *,
    gateway: Gateway,
    sandbox: str | None = None,
    everything_local: bool = False,
    retry_delays_s: Sequence[float] = RETRY_DELAYS_S,
) -> AsyncGenerator[App]:
    """Open everything. Leaving cancels flows and removes sandboxes."""
    async with AsyncExitStack() as stack:
        arena = await open_arena(settings, gateway, sandbox, stack)
        arena = replace(arena, retry_delays_s=retry_delays_s)
        context, stopper, forge_services = arena.context, arena.stopper, arena.forge_services
        lease = await stack.enter_async_context(
            make_lease(arena.lease_store, durable=False, timings=NEVER_LOST)
        )
        flow = make_flow(arena, lease.id)
        engine = InProcessEngine(flow, flow.answer, flow.conclude)
        stack.push_async_callback(engine.close)
        stack.push_async_callback(_cancel_running, engine, stopper)
        await stopper.fail_dead()
        if not is_shared(settings):
            await flow.concluder.repair(lease.id)
        await stack.enter_async_context(flow.work_guard.watching())
        submitter = replace(
            make_submitter(settings, context, forge_services, engine=engine, gateway=gateway),
            catalogue=make_catalogue(settings, context, everything_local=everything_local),
            solves=Solves(
                context.store, engine, context.clock, gateway, stopper, worker_id=lease.id
            ),
            sandbox_backend=arena.capabilities.backend,
            sources=None,
            takes_folders=True,
            takes_scripts=True,
        )
        yield App(
            arena=arena,
            engine=engine,
            submitter=submitter,
            planner=Planner(arena.preparer, forge_services.fetcher),
            applier=make_applier(settings, context),
        )


async def _cancel_running(engine: InProcessEngine, stopper: Stopper) -> None:
    """Cancel running solves: no other process would continue them."""
    for key in engine.running():
        if isinstance(key, str):
            await stopper.stop(SolveId(key), SolveEvent.CANCELLED, "cancelled")
