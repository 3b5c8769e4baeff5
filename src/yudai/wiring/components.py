"""Settings become adapters: the parts that every process is made of."""

import math
import os
import sys
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from yudai import demo
from yudai.arena.cancel import Stopper
from yudai.artifacts.context import Context
from yudai.artifacts.port import Artifacts, Trajectories
from yudai.artifacts.source_archives import Sources
from yudai.engine.adapters.host_processes import host_name, is_gone, is_there
from yudai.gateway.catalogue import Catalogue
from yudai.gateway.domain.models import Provider
from yudai.gateway.domain.routing import Routes
from yudai.gateway.port import Gateway
from yudai.kit.clock import SystemClock
from yudai.kit.redaction import redactor
from yudai.settings import Settings
from yudai.store.pool import Pool
from yudai.store.postgresql import session_name
from yudai.store.store import Store
from yudai.store.urls import POSTGRESQL
from yudai.views.documents import Reader
from yudai.wiring.home import make_home

if TYPE_CHECKING:
    # What they need costs start-up time that `list` and `show` need not pay.
    from yudai.conversations.answer import Answering
    from yudai.decisions.apply import Applier
    from yudai.engine.adapters.dbos.configuration import EngineConfig
from yudai.engine.leases import Lease, Terms
from yudai.kit.ids import WorkerId
from yudai.store.holders import Holder

FOR_GOOD = Terms(lost_s=math.inf)
"""Of a process that no other one can take over from: it has nobody to stop for."""
# Lease, heir and guard.
_PULSES = 3


@asynccontextmanager
async def open_context(settings: Settings, *, patience_s: float = 0.0) -> AsyncGenerator[Context]:
    """No sandbox and no agent, for a quick start.

    With patience, work waits for a database that is away; without it, whoever asks hears so.
    """
    make_home(settings)
    if settings.database_url is None and settings.postgres_db is None:
        # Trajectories and prompts are nobody else's business; its journal gets the same mode.
        (settings.home / "yudai.db").touch(mode=0o600)
    opening = Store.open(
        settings.store_url,
        _pool(settings),
        patience_s=patience_s,
        redact=redactor(settings.secrets),
    )
    async with await opening as store:
        yield Context(store, make_artifacts(settings), SystemClock())


def make_catalogue(
    settings: Settings, context: Context, *, everything_local: bool = False
) -> Catalogue:
    routes = Routes(
        everything_local=everything_local,
        local=bool(settings.openai_base_url),
        openrouter=bool(settings.openrouter_api_key),
    )
    return Catalogue(context.store, context.clock, routes)


def make_stopper(context: Context) -> Stopper:
    return Stopper(context.store, context.clock, is_gone, is_there)


def make_applier(settings: Settings, context: Context) -> "Applier":
    from yudai.decisions.apply import Applier
    from yudai.forge.adapters.folder.forge import LocalForge

    return Applier(Reader(context), LocalForge(settings.home, context.clock))


@asynccontextmanager
async def open_gateway(settings: Settings) -> AsyncGenerator[Gateway]:
    """Every provider, each made when its first model is used."""
    from yudai.gateway.adapters.by_provider import Providers
    from yudai.gateway.adapters.openai.endpoint import local, openrouter
    from yudai.gateway.adapters.openai.gateway import OpenAIGateway

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
    """Replies from files in these folders; the demo's own are known everywhere."""
    from yudai.gateway.adapters.scripted import ScriptedGateway

    return ScriptedGateway(roots, bundled=demo.scripts())


def own_env() -> Path | None:
    """Our own Python environment: it has pytest, for repositories that need nothing else."""
    return Path(sys.prefix) if sys.prefix != sys.base_prefix else None


def _pool(settings: Settings) -> Pool:
    """Named after this process, so that others can cut it off when it is taken for dead."""
    name = session_name(host_name(), os.getpid())
    return settings.pool.model_copy(update={"session": name})


async def open_pulse(settings: Settings, store: Store, stack: AsyncExitStack) -> Store:
    """For leases and guards: work that waits for a connection must not keep them waiting.

    On SQLite they share it, as a file has one writer and a reader never waits.
    """
    if not is_shared(settings):
        return store
    pool = _pool(settings).model_copy(update={"size": _PULSES, "overflow": 0})
    pulse = await Store.open(settings.store_url, pool)
    stack.push_async_callback(pulse.close)
    return pulse


def make_artifacts(settings: Settings) -> Artifacts:
    from yudai.artifacts.adapters import object_store

    return object_store.make_artifacts(
        settings.artifacts_url,
        home=settings.home,
        endpoint=settings.s3_endpoint,
        region=settings.s3_region,
        access_key_id=settings.s3_access_key_id,
        secret_access_key=settings.s3_secret_access_key,
    )


def make_trajectories(settings: Settings) -> Trajectories:
    from yudai.artifacts.adapters.trajectory_files import NoTrajectoryFiles, TrajectoryFiles

    folder = settings.trajectory_dir
    return NoTrajectoryFiles() if folder is None else TrajectoryFiles(folder)


def make_sources(settings: Settings, artifacts: Artifacts) -> Sources:
    return Sources(artifacts, settings.home / "sources")


def make_shared_sources(settings: Settings, context: Context) -> Sources | None:
    """None where no other machine needs what this one fetched."""
    return make_sources(settings, context.artifacts) if settings.artifacts_url else None


def make_engine_config(settings: Settings, executor_id: str | None = None) -> "EngineConfig":
    """PostgreSQL keeps DBOS's tables in a schema of their own; SQLite in a file of its own."""
    from yudai.engine.adapters.dbos.configuration import SINGLE, EngineConfig, EngineLimits

    limits = EngineLimits(
        max_solves=settings.max_solves,
        user_max_solves=settings.user_max_solves,
        max_runs=settings.max_runs,
        worker_max_runs=settings.worker_max_runs,
    )
    url = settings.store_url
    if is_shared(settings):
        url, executor_id = f"postgresql://{url.partition('://')[2]}", executor_id or ""
    else:
        url, executor_id = f"sqlite:///{settings.home / 'engine.db'}", SINGLE
    return EngineConfig(url=url, executor_id=executor_id, limits=limits)


def is_shared(settings: Settings) -> bool:
    """Whether several processes can work with this database at the same time."""
    return settings.store_url.startswith(POSTGRESQL)


def make_answering(settings: Settings, context: Context, gateway: Gateway) -> "Answering":
    from yudai.conversations.answer import Answering

    catalogue = make_catalogue(settings, context)
    return Answering(Reader(context), catalogue, gateway, settings.chat_model)


def make_lease(store: Store, *, durable: bool, terms: Terms | None = None) -> Lease:
    clock = SystemClock()
    holder = Holder(id=WorkerId(clock.new_id()), host=host_name(), pid=os.getpid(), durable=durable)
    return Lease(store, clock, holder, terms=terms)
