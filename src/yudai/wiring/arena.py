"""Builds what runs need: sandboxes, agents, verification and the flow."""

import asyncio
import os
from collections.abc import Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass
from functools import partial

from yudai.agents.adapters.command.model_server import HOST
from yudai.agents.port import Agent
from yudai.arena.attempts import RETRY_DELAYS_S, RunSupervisor
from yudai.arena.blocked_hosts import BlockedHostRecorder
from yudai.arena.cancel import Stopper
from yudai.arena.flow import SolveFlow
from yudai.arena.prepare import Preparer
from yudai.arena.run import Runner
from yudai.arena.verify_runs import RunVerifier
from yudai.artifacts.context import Context
from yudai.conversations.milestones import post_milestones
from yudai.engine.guard import WorkGuard
from yudai.gateway.port import Gateway
from yudai.gateway.throttle import ThrottledGateway
from yudai.kit.clock import Clock
from yudai.kit.ids import WorkerId
from yudai.sandboxes.port import Backend, Capabilities
from yudai.sandboxes.reap import Reaper
from yudai.settings import Settings
from yudai.solves.domain.matrix import DEFAULT_AGENT
from yudai.store.store import Store
from yudai.verification.verify import Verifier
from yudai.wiring.command_agents import (
    make_command_agents,
    make_model_endpoint,
    open_endpoint_access,
    socket_path,
)
from yudai.wiring.components import (
    make_chat_answerer,
    make_concluder,
    make_sources,
    make_stopper,
    make_trajectories,
    open_context,
    open_lease_store,
)
from yudai.wiring.forge import ForgeServices, open_forge_services
from yudai.wiring.sandbox_upkeep import open_reaper
from yudai.wiring.sandboxes import NO_LOCAL_SOCKETS, open_backend

MAX_THREADS = 1000
MIN_VERIFICATIONS = 2
"""Minimum of concurrent verifications, also with fewer processors."""
PATIENCE_S = 60.0
"""How long work waits for an unavailable database."""


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
    forge_services: ForgeServices
    reaper: Reaper
    lease_store: Store
    """For leases and guards."""
    verifications: asyncio.Semaphore
    retry_delays_s: Sequence[float] = RETRY_DELAYS_S


async def open_arena(
    settings: Settings, gateway: Gateway, sandbox: str | None, stack: AsyncExitStack
) -> Arena:
    context = await stack.enter_async_context(open_context(settings, patience_s=PATIENCE_S))
    store, clock = context.store, context.clock
    blocked = BlockedHostRecorder(store, clock)
    await stack.enter_async_context(blocked.writing())
    gateway = ThrottledGateway(gateway, settings.model_max_parallel)
    endpoint = make_model_endpoint(settings, context, gateway)
    socket = await stack.enter_async_context(socket_path()) if endpoint else None
    local_sockets = NO_LOCAL_SOCKETS if socket is None else {HOST: socket}
    backend, capabilities = await open_backend(
        settings, sandbox, store=store, on_blocked=blocked.record, local_sockets=local_sockets
    )
    stack.push_async_callback(backend.close)
    commanders: dict[str, Agent] = {}
    if endpoint and socket:
        access = open_endpoint_access(endpoint, settings, capabilities.backend, socket)
        reached = await stack.enter_async_context(access)
        commanders = make_command_agents(settings, endpoint, reached, clock)
    reaper = await stack.enter_async_context(
        open_reaper(settings, store, in_use={capabilities.backend: backend})
    )
    # Other backends are swept later: an unavailable provider must not delay the start.
    await Reaper({capabilities.backend: backend}).tend()
    verifier = Verifier(backend=backend)
    forge_services = await stack.enter_async_context(
        open_forge_services(settings, context, backend=backend)
    )
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
            fetcher=forge_services.fetcher,
        ),
        stopper=make_stopper(context),
        forge_services=forge_services,
        reaper=reaper,
        lease_store=await open_lease_store(settings, store, stack),
        # Agents mostly wait for their models, but tests keep processors busy.
        verifications=asyncio.Semaphore(max(MIN_VERIFICATIONS, os.cpu_count() or 1)),
    )


def make_flow(arena: Arena, worker_id: WorkerId) -> SolveFlow:
    context, settings = arena.context, arena.settings
    work_guard = WorkGuard(arena.lease_store)
    run_verifier = RunVerifier(context, arena.verifier, slots=arena.verifications)
    supervisor = RunSupervisor(
        context=context,
        worker_id=worker_id,
        work_guard=work_guard,
        preparer=arena.preparer,
        runner=Runner(
            context=context,
            backend=arena.backend,
            agents=arena.agents,
            gateway=arena.gateway,
            trajectories=make_trajectories(settings),
            lifetime_s=settings.limits.lifetime_s,
        ),
        run_verifier=run_verifier,
        verifications=arena.verifications,
        retry_delays_s=arena.retry_delays_s,
    )
    return SolveFlow(
        context=context,
        worker_id=worker_id,
        work_guard=work_guard,
        preparer=arena.preparer,
        supervisor=supervisor,
        run_verifier=run_verifier,
        concluder=make_concluder(context),
        stopper=arena.stopper,
        notify=partial(post_milestones, context.store),
        reply=make_chat_answerer(settings, context, arena.gateway).answer,
        publish=arena.forge_services.publisher.auto,
    )


def _agents(clock: Clock, stack: AsyncExitStack) -> dict[str, Agent]:
    # Imported here: the agent's libraries cost start-up time that `list` and `show` need not pay.
    from yudai.agents.adapters.mini_swe.agent import MiniSweAgent

    mini = MiniSweAgent(clock, max_threads=MAX_THREADS)
    stack.push_async_callback(mini.close)
    return {DEFAULT_AGENT: mini}
