"""Builds the components that every kind of process uses from the settings."""

import math
import os
import sys
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

import structlog

from yudai import demo
from yudai.arena.cancel import Stopper
from yudai.artifacts.context import Context
from yudai.artifacts.port import Artifacts, Trajectories
from yudai.artifacts.source_archives import Sources
from yudai.engine.adapters.host_processes import host_name, is_gone, is_there
from yudai.engine.leases import Lease, LeaseTimings
from yudai.gateway.catalogue import Catalogue
from yudai.gateway.domain.models import Provider
from yudai.gateway.domain.routing import Routes
from yudai.gateway.port import Gateway
from yudai.kit.clock import Clock, SystemClock
from yudai.kit.errors import RefusedError
from yudai.kit.ids import SolveId, WorkerId
from yudai.kit.redaction import redactor
from yudai.settings import Settings
from yudai.store.holders import Holder
from yudai.store.pool import Pool
from yudai.store.postgresql import session_name
from yudai.store.store import Store
from yudai.store.urls import POSTGRESQL

if TYPE_CHECKING:
    # Imported lazily: their imports would slow down `list` and `show`.
    from yudai.arena.conclude import Concluder
    from yudai.conversations.answer import ChatAnswerer
    from yudai.decisions.answer import Answers
    from yudai.decisions.apply import Applier
    from yudai.engine.adapters.dbos.configuration import EngineConfig
    from yudai.engine.port import Engine

log: structlog.stdlib.BoundLogger = structlog.get_logger()

NEVER_LOST = LeaseTimings(lost_s=math.inf)
"""For a process that cannot be taken over: it never has to stop for another one."""
# Lease, takeover and guard.
_LEASE_CONNECTIONS = 3


@asynccontextmanager
async def open_context(settings: Settings, *, patience_s: float = 0.0) -> AsyncGenerator[Context]:
    """Open database and artifacts, without sandboxes and agents, for a fast start.

    With patience, work waits for an unavailable database; without it, it fails at once.
    """
    make_home(settings)
    if settings.database_url is None and settings.postgres_db is None:
        # Trajectories and prompts are private. The journal gets the same mode.
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


def make_concluder(context: Context) -> "Concluder":
    from yudai.arena.conclude import Concluder, StoredFacts

    return Concluder(context, StoredFacts(context.store))


def make_answers(store: Store, clock: Clock, engine: "Engine") -> "Answers":
    """A worker concludes the answered solves."""
    from yudai.decisions.answer import Answers

    async def conclude(solve_id: SolveId, turn: int) -> None:
        try:
            await engine.conclude(solve_id, turn=turn)
        except Exception as error:  # noqa: BLE001 - it is stored: the workers' sweep starts it
            log.warning("solve.not_concluded_yet", solve_id=solve_id, error=repr(error))

    return Answers(store, clock, conclude)


def make_own_answers(context: Context) -> "Answers":
    """Without a worker: the answered solves are concluded by this process."""
    from yudai.decisions.answer import Answers

    async def conclude(solve_id: SolveId, turn: int) -> None:
        del turn
        worker_id = WorkerId(context.clock.new_id())
        await make_concluder(context).conclude_here(solve_id, worker_id)

    return Answers(context.store, context.clock, conclude)


def make_applier(settings: Settings, context: Context) -> "Applier":
    from yudai.decisions.apply import Applier
    from yudai.forge.adapters.folder.forge import LocalForge

    return Applier(context, LocalForge(settings.home, context.clock))


@asynccontextmanager
async def open_gateway(settings: Settings) -> AsyncGenerator[Gateway]:
    """A gateway to all providers; each is created when its first model is used."""
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
    """Scripted replies from files in these folders, and the demo's."""
    from yudai.gateway.adapters.scripted import ScriptedGateway

    return ScriptedGateway(roots, bundled=demo.scripts())


def own_env() -> Path | None:
    """Our own Python environment with pytest, for repositories that need nothing else."""
    return Path(sys.prefix) if sys.prefix != sys.base_prefix else None


def _pool(settings: Settings) -> Pool:
    """A pool named after this process, so that others can end its connections after its death."""
    name = session_name(host_name(), os.getpid())
    return settings.pool.model_copy(update={"session": name})


async def open_lease_store(settings: Settings, store: Store, stack: AsyncExitStack) -> Store:
    """A separate store for leases and guards, which must not wait for connections of other work.

    On SQLite it is the same store: a file has one writer, and readers never wait.
    """
    if not is_shared(settings):
        return store
    pool = _pool(settings).model_copy(update={"size": _LEASE_CONNECTIONS, "overflow": 0})
    lease_store = await Store.open(settings.store_url, pool)
    stack.push_async_callback(lease_store.close)
    return lease_store


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
    """None when workers do not share archives."""
    return make_sources(settings, context.artifacts) if settings.artifacts_url else None


def make_engine_config(settings: Settings, executor_id: str | None = None) -> "EngineConfig":
    """DBOS's tables are in their own schema on PostgreSQL, and in their own SQLite file."""
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
    """Whether several processes can share this database."""
    return settings.store_url.startswith(POSTGRESQL)


def make_chat_answerer(settings: Settings, context: Context, gateway: Gateway) -> "ChatAnswerer":
    from yudai.conversations.answer import ChatAnswerer

    catalogue = make_catalogue(settings, context)
    return ChatAnswerer(context, catalogue, gateway, settings.chat_model)


def make_lease(store: Store, *, durable: bool, timings: LeaseTimings | None = None) -> Lease:
    clock = SystemClock()
    holder = Holder(id=WorkerId(clock.new_id()), host=host_name(), pid=os.getpid(), durable=durable)
    return Lease(store, clock, holder, timings=timings)


def installation(settings: Settings) -> str:
    """The random name of this installation, which marks its sandboxes."""
    file = settings.home / "installation"
    if not file.exists():
        make_home(settings)
        draft = settings.home / f".installation-{SystemClock().token()}"
        draft.write_text(SystemClock().token())
        # A link appears atomically, and the first one stays.
        with suppress(FileExistsError):
            file.hardlink_to(draft)
        draft.unlink()
    return file.read_text().strip()


def make_home(settings: Settings) -> None:
    why = "it is read-only"
    try:
        settings.home.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        why = error.strerror
    if not os.access(settings.home, os.W_OK | os.X_OK):
        raise RefusedError(
            f"cannot write to {settings.home} ({why}): set YUDAI_HOME to a folder of your own"
        )
