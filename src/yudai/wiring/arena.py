"""Where runs take place: sandboxes, agents and everything that leads a run to its verdict."""

import asyncio
import os
from collections.abc import Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass

from yudai.agents.adapters.command.model_server import HOST
from yudai.agents.port import Agent
from yudai.arena.attempts import RETRY_DELAYS_S, Racer
from yudai.arena.blocked_hosts import BlockedNotes
from yudai.arena.cancel import Stopper
from yudai.arena.flow import SolveFlow
from yudai.arena.prepare import Preparer
from yudai.arena.run import Runner
from yudai.arena.verify_runs import Prover
from yudai.artifacts.context import Context
from yudai.conversations.milestones import Milestones
from yudai.engine.guard import Activities
from yudai.gateway.port import Gateway
from yudai.gateway.throttle import ThrottledGateway
from yudai.kit.clock import Clock
from yudai.kit.ids import WorkerId
from yudai.ranking.rank import Ranker
from yudai.sandboxes.port import Backend, Capabilities
from yudai.sandboxes.reap import Reaper
from yudai.settings import Settings
from yudai.solves.domain.matrix import DEFAULT_AGENT
from yudai.store.store import Store
from yudai.verification.verify import Verifier
from yudai.wiring.command_agents import door_place, make_command_agents, make_desk, open_reach
from yudai.wiring.components import (
    make_answering,
    make_sources,
    make_stopper,
    make_trajectories,
    open_context,
    open_pulse,
)
from yudai.wiring.forge import Forging, open_forging
from yudai.wiring.sandbox_upkeep import open_reaper
from yudai.wiring.sandboxes import NO_DOORS, open_backend

MAX_THREADS = 1000
MIN_VERIFICATIONS = 2
"""At once, also where there are fewer processors."""
PATIENCE_S = 60.0
"""How long work waits for a database that is away."""


@dataclass(frozen=True)
class Arena:
    settings: Settings
    context: Context
    backend: Backend
    capabilities: Capabilities
    gateway: Gateway
    agents: dict[str, Agent]
    verifier: Verifier
    preparer: Preparer
    stopper: Stopper
    forging: Forging
    reaper: Reaper
    pulse: Store
    """For leases and guards."""
    verifications: asyncio.Semaphore
    retry_delays_s: Sequence[float] = RETRY_DELAYS_S


async def open_arena(
    settings: Settings, gateway: Gateway, sandbox: str | None, stack: AsyncExitStack
) -> Arena:
    context = await stack.enter_async_context(open_context(settings, patience_s=PATIENCE_S))
    store, clock = context.store, context.clock
    blocked = BlockedNotes(store, clock)
    await stack.enter_async_context(blocked.telling())
    gateway = ThrottledGateway(gateway, settings.model_max_parallel)
    desk = make_desk(settings, context, gateway)
    door = await stack.enter_async_context(door_place()) if desk else None
    doors = NO_DOORS if door is None else {HOST: door}
    backend, capabilities = await open_backend(
        settings, sandbox, store=store, on_blocked=blocked.hear, doors=doors
    )
    stack.push_async_callback(backend.close)
    commanders: dict[str, Agent] = {}
    if desk and door:
        reach = open_reach(desk, settings, capabilities.backend, door)
        reached = await stack.enter_async_context(reach)
        commanders = make_command_agents(settings, desk, reached, clock)
    reaper = await stack.enter_async_context(
        open_reaper(settings, store, in_use={capabilities.backend: backend})
    )
    # The others are swept by and by: a provider that is away keeps nobody waiting.
    await Reaper({capabilities.backend: backend}).tend()
    verifier = Verifier(backend=backend)
    forging = await stack.enter_async_context(open_forging(settings, context, backend=backend))
    return Arena(
        settings=settings,
        context=context,
        backend=backend,
        capabilities=capabilities,
        gateway=gateway,
        agents=_agents(clock, stack) | commanders,
        verifier=verifier,
        preparer=Preparer(
            context=context,
            backend=backend,
            verifier=verifier,
            sources=make_sources(settings, context.artifacts),
            fetcher=forging.fetcher,
        ),
        stopper=make_stopper(context),
        forging=forging,
        reaper=reaper,
        pulse=await open_pulse(settings, store, stack),
        # Agents wait for their models most of the time; tests keep processors busy.
        verifications=asyncio.Semaphore(max(MIN_VERIFICATIONS, os.cpu_count() or 1)),
    )


def make_flow(arena: Arena, worker_id: WorkerId) -> SolveFlow:
    context, settings = arena.context, arena.settings
    activities = Activities(arena.pulse)
    prover = Prover(context, arena.verifier, lanes=arena.verifications)
    racer = Racer(
        context=context,
        worker_id=worker_id,
        activities=activities,
        preparer=arena.preparer,
        runner=Runner(
            context=context,
            backend=arena.backend,
            agents=arena.agents,
            gateway=arena.gateway,
            trajectories=make_trajectories(settings),
            lifetime_s=settings.limits.lifetime_s,
        ),
        prover=prover,
        verifications=arena.verifications,
        retry_delays_s=arena.retry_delays_s,
    )
    return SolveFlow(
        context=context,
        worker_id=worker_id,
        activities=activities,
        preparer=arena.preparer,
        racer=racer,
        prover=prover,
        ranker=Ranker(context.store),
        stopper=arena.stopper,
        tell=Milestones(context.store).tell,
        reply=make_answering(settings, context, arena.gateway).answer,
        publish=arena.forging.publisher.auto,
    )


def _agents(clock: Clock, stack: AsyncExitStack) -> dict[str, Agent]:
    # Imported here: the agent's libraries cost start-up time that `list` and `show` need not pay.
    from yudai.agents.adapters.mini_swe.agent import MiniSweAgent

    mini = MiniSweAgent(clock, max_threads=MAX_THREADS)
    stack.push_async_callback(mini.close)
    return {DEFAULT_AGENT: mini}
