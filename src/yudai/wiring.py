"""Composition root: settings become adapters, adapters become services."""

import importlib
import os
import sys
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from yudai.adapters.artifacts.directory import DirectoryArtifacts
from yudai.adapters.clock import SystemClock
from yudai.adapters.engines.in_process import InProcessEngine
from yudai.adapters.forges.local import LocalForge
from yudai.domain.errors import RefusedError
from yudai.domain.ids import SolveId
from yudai.domain.matrix import DEFAULT_AGENT
from yudai.domain.models import Provider
from yudai.domain.nearest import nearest
from yudai.domain.routing import Routes
from yudai.ports.agent import Agent
from yudai.ports.clock import Clock
from yudai.ports.engine import Engine
from yudai.ports.gateway import Gateway
from yudai.ports.sandbox import Backend, Capabilities, SandboxLimits
from yudai.services.applying import Applier
from yudai.services.cancelling import CancelWatcher
from yudai.services.flow import SolveFlow
from yudai.services.models import Catalogue
from yudai.services.planning import Planner
from yudai.services.preparing import Preparer
from yudai.services.proving import Prover
from yudai.services.ranking import Ranker
from yudai.services.reading import Reader
from yudai.services.running import Runner
from yudai.services.solves import Solves
from yudai.services.stopping import Stopper
from yudai.services.verifying import Verifier
from yudai.settings import Settings, surroundings
from yudai.store.store import Store

BACKENDS = {
    "bubblewrap": ("yudai.adapters.sandboxes.bubblewrap", "BubblewrapBackend"),
    "process": ("yudai.adapters.sandboxes.process", "ProcessBackend"),
}
DEFAULT_BACKEND = "bubblewrap"
MAX_THREADS = 256
_FLOWS = "flows"


@dataclass(frozen=True)
class Library:
    """What only reads: no sandbox, no agent, a quick start."""

    settings: Settings
    store: Store
    reader: Reader


@dataclass(frozen=True)
class App:
    """What runs solves."""

    settings: Settings
    store: Store
    reader: Reader
    backend: Backend
    capabilities: Capabilities
    engine: InProcessEngine
    solves: Solves
    planner: Planner
    applier: Applier


@asynccontextmanager
async def open_library(settings: Settings) -> AsyncGenerator[Library]:
    store = await _open_store(settings)
    try:
        yield Library(settings, store, _reader(settings, store))
    finally:
        await store.close()


@asynccontextmanager
async def open_app(
    settings: Settings,
    *,
    gateway: Gateway,
    sandbox: str | None = None,
    everything_local: bool = False,
) -> AsyncGenerator[App]:
    """Open everything; on leaving, flows are cancelled and sandboxes are gone."""
    async with AsyncExitStack() as stack:
        store = await _open_store(settings)
        stack.push_async_callback(store.close)
        backend = make_backend(settings, sandbox)
        stack.push_async_callback(backend.close)
        capabilities = await backend.capabilities()
        await backend.reap()
        reader = _reader(settings, store)
        agents = _agents(reader.clock, stack)
        stopper = Stopper(store, reader.clock)
        flow = _flow(reader, backend, gateway, agents, stopper)
        engine = InProcessEngine(flow, settings.home / _FLOWS)
        stack.push_async_callback(engine.close)
        await stopper.bury_dead(engine)
        await stack.enter_async_context(CancelWatcher(store, engine).watching())
        yield App(
            settings=settings,
            store=store,
            reader=reader,
            backend=backend,
            capabilities=capabilities,
            engine=engine,
            solves=Solves(store, engine, reader.clock, gateway, stopper),
            planner=Planner(
                forge=LocalForge(settings.home, reader.clock),
                backend=backend,
                gateway=gateway,
                catalogue=make_catalogue(settings, reader, everything_local=everything_local),
                preparer=flow.preparer,
                own_env=_own_env(),
            ),
            applier=make_applier(settings, reader),
        )


def make_backend(settings: Settings, name: str | None = None) -> Backend:
    """The backend that was asked for, else bubblewrap; never silently a weaker one."""
    chosen = name or settings.sandbox_backend or DEFAULT_BACKEND
    if chosen not in BACKENDS:
        raise RefusedError(f"there is no sandbox {chosen!r}: {nearest(chosen, BACKENDS)}")
    module, cls = BACKENDS[chosen]
    limits = SandboxLimits(
        memory_bytes=settings.memory_mb << 20,
        processes=settings.processes,
        disk_bytes=settings.disk_mb << 20,
    )
    factory = getattr(importlib.import_module(module), cls)
    from yudai.adapters.sandboxes.packages import package_settings

    return cast(
        "Backend",
        factory(
            settings.home,
            limits=limits,
            installation=installation(settings),
            packages=package_settings(surroundings()),
            path=[Path(folder) for folder in os.get_exec_path()],
        ),
    )


def known_flows(settings: Settings) -> Engine:
    """Which flows of this machine are alive, asked from a process that runs none."""

    async def refuse(solve_id: SolveId) -> None:
        raise RuntimeError(f"flow {solve_id} was started by a process that only looks")

    return InProcessEngine(refuse, settings.home / _FLOWS)


def make_catalogue(
    settings: Settings, reader: Reader, *, everything_local: bool = False
) -> Catalogue:
    routes = Routes(
        everything_local=everything_local,
        local=bool(settings.openai_base_url),
        openrouter=bool(settings.openrouter_api_key),
    )
    return Catalogue(reader.store, reader.clock, routes)


def make_applier(settings: Settings, reader: Reader) -> Applier:
    return Applier(reader.store, reader, LocalForge(settings.home, reader.clock), reader.clock)


@asynccontextmanager
async def open_gateway(settings: Settings) -> AsyncGenerator[Gateway]:
    """Every provider, each made when its first model is used."""
    from yudai.adapters.gateways.endpoint import local, openrouter
    from yudai.adapters.gateways.openai import OpenAIGateway
    from yudai.adapters.gateways.providers import Providers

    here = local(settings.openai_base_url or "", settings.openai_api_key)
    there = openrouter(settings.openrouter_api_key)

    providers = Providers(
        {
            Provider.SCRIPTED: lambda: scripted_gateway(Path.cwd()),
            Provider.LOCAL: lambda: OpenAIGateway(here),
            Provider.OPENROUTER: lambda: OpenAIGateway(there),
        }
    )
    try:
        yield providers
    finally:
        await providers.close()


def scripted_gateway(*roots: Path) -> Gateway:
    """Replies from files in these folders."""
    from yudai.adapters.gateways.scripted import ScriptedGateway

    return ScriptedGateway(roots)


def _own_env() -> Path | None:
    return Path(sys.prefix) if sys.prefix != sys.base_prefix else None


def installation(settings: Settings) -> str:
    """Our own random name: sandboxes of another installation are never touched."""
    file = settings.home / "installation"
    if not file.exists():
        _make_home(settings)
        draft = settings.home / f".installation-{SystemClock().token()}"
        draft.write_text(SystemClock().token())
        # A link is there whole or not at all, and the first one stays.
        with suppress(FileExistsError):
            file.hardlink_to(draft)
        draft.unlink()
    return file.read_text().strip()


async def _open_store(settings: Settings) -> Store:
    _make_home(settings)
    return await Store.open(settings.store_url, settings.pool)


def _make_home(settings: Settings) -> None:
    why = "it is read-only"
    try:
        settings.home.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        why = error.strerror
    if not os.access(settings.home, os.W_OK | os.X_OK):
        raise RefusedError(
            f"cannot write to {settings.home} ({why}): set YUDAI_HOME to a folder of your own"
        )


def _reader(settings: Settings, store: Store) -> Reader:
    return Reader(
        store=store,
        artifacts=DirectoryArtifacts(settings.home / "artifacts"),
        clock=SystemClock(),
    )


def _agents(clock: Clock, stack: AsyncExitStack) -> dict[str, Agent]:
    # Imported here: the agent's libraries cost start-up time that `list` and `show` need not pay.
    from yudai.adapters.agents.mini_swe import MiniSweAgent

    mini = MiniSweAgent(clock, max_threads=MAX_THREADS)
    stack.push_async_callback(mini.close)
    return {DEFAULT_AGENT: mini}


def _flow(
    reader: Reader,
    backend: Backend,
    gateway: Gateway,
    agents: dict[str, Agent],
    stopper: Stopper,
) -> SolveFlow:
    store, artifacts, clock = reader.store, reader.artifacts, reader.clock
    verifier = Verifier(backend=backend)
    return SolveFlow(
        store=store,
        clock=clock,
        gateway=gateway,
        preparer=Preparer(store, backend, verifier, artifacts, clock),
        runner=Runner(store, backend, artifacts, agents, clock),
        prover=Prover(store, verifier, artifacts, clock),
        ranker=Ranker(store),
        stopper=stopper,
    )
