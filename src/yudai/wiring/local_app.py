"""A process that runs its own solves, from beginning to end."""

import math
from collections.abc import AsyncGenerator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, replace

from yudai.arena.attempts import RETRY_DELAYS_S
from yudai.arena.cancel import Stopper
from yudai.arena.open import Solves
from yudai.arena.plan import Planner
from yudai.decisions.apply import Applier
from yudai.engine.adapters.in_process import InProcessEngine
from yudai.engine.leases import Terms
from yudai.gateway.port import Gateway
from yudai.kit.ids import SolveId
from yudai.sandboxes.port import Backend, Capabilities
from yudai.settings import Settings
from yudai.solves.domain.states import SolveEvent
from yudai.store.store import Store
from yudai.views.documents import Reader
from yudai.wiring.arena import make_flow, open_hall
from yudai.wiring.components import make_applier, make_drafter, make_lease
from yudai.wiring.forge import Forging

# Nobody else goes on with its solves: it has nobody to stop for.
FOR_GOOD = Terms(lost_s=math.inf)


@dataclass(frozen=True)
class App:
    settings: Settings
    store: Store
    reader: Reader
    backend: Backend
    capabilities: Capabilities
    engine: InProcessEngine
    stopper: Stopper
    solves: Solves
    planner: Planner
    applier: Applier
    forging: Forging


@asynccontextmanager
async def open_app(
    settings: Settings,
    *,
    gateway: Gateway,
    sandbox: str | None = None,
    everything_local: bool = False,
    retry_delays_s: Sequence[float] = RETRY_DELAYS_S,
) -> AsyncGenerator[App]:
    """Open everything; on leaving, flows are cancelled and sandboxes are gone."""
    async with AsyncExitStack() as stack:
        hall = await open_hall(settings, gateway, sandbox, stack)
        hall = replace(hall, retry_delays_s=retry_delays_s)
        reader = hall.reader
        lease = await stack.enter_async_context(
            make_lease(hall.pulse, durable=False, terms=FOR_GOOD)
        )
        flow = make_flow(hall, lease.id)
        engine = InProcessEngine(flow, flow.answer)
        stack.push_async_callback(engine.close)
        stack.push_async_callback(_cancel_running, engine, hall.stopper)
        await hall.stopper.bury_dead()
        await stack.enter_async_context(flow.activities.guarded())
        yield App(
            settings=settings,
            store=reader.store,
            reader=reader,
            backend=hall.backend,
            capabilities=hall.capabilities,
            engine=engine,
            stopper=hall.stopper,
            solves=Solves(
                reader.store, engine, reader.clock, gateway, hall.stopper, worker_id=lease.id
            ),
            planner=Planner(
                make_drafter(settings, reader, gateway, everything_local=everything_local),
                hall.backend,
                hall.preparer,
            ),
            applier=make_applier(settings, reader),
            forging=hall.forging,
        )


async def _cancel_running(engine: InProcessEngine, stopper: Stopper) -> None:
    """Nobody else would go on with them."""
    for key in engine.running():
        if isinstance(key, str):
            await stopper.stop(SolveId(key), SolveEvent.CANCELLED, "cancelled")
