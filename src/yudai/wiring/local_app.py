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
from yudai.sandboxes.port import Backend, Capabilities
from yudai.settings import Settings
from yudai.solves.domain.states import SolveEvent
from yudai.wiring.arena import make_flow, open_arena
from yudai.wiring.components import (
    NEVER_LOST,
    make_applier,
    make_catalogue,
    make_lease,
    own_env,
)
from yudai.wiring.forge import ForgeServices
from yudai.wiring.submit import make_submitter


@dataclass(frozen=True)
class App:
    settings: Settings
    context: Context
    backend: Backend
    capabilities: Capabilities
    engine: InProcessEngine
    stopper: Stopper
    submitter: Submitter
    planner: Planner
    applier: Applier
    forge_services: ForgeServices

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
        context, stopper = arena.context, arena.stopper
        lease = await stack.enter_async_context(
            make_lease(arena.lease_store, durable=False, timings=NEVER_LOST)
        )
        flow = make_flow(arena, lease.id)
        engine = InProcessEngine(flow, flow.answer)
        stack.push_async_callback(engine.close)
        stack.push_async_callback(_cancel_running, engine, stopper)
        await stopper.fail_dead()
        await stack.enter_async_context(flow.work_guard.watching())
        submitter = replace(
            make_submitter(settings, context, engine, gateway, remotes=arena.forge_services.asks),
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
            settings=settings,
            context=context,
            backend=arena.backend,
            capabilities=arena.capabilities,
            engine=engine,
            stopper=stopper,
            submitter=submitter,
            planner=Planner(
                backend=arena.backend,
                preparer=arena.preparer,
                mirrors=arena.forge_services.mirrors,
                credentials=arena.forge_services.asks.credentials,
                forge_url=arena.forge_services.forge.url,
                own_env=own_env(),
            ),
            applier=make_applier(settings, context),
            forge_services=arena.forge_services,
        )


async def _cancel_running(engine: InProcessEngine, stopper: Stopper) -> None:
    """Cancel running solves: no other process would continue them."""
    for key in engine.running():
        if isinstance(key, str):
            await stopper.stop(SolveId(key), SolveEvent.CANCELLED, "cancelled")
