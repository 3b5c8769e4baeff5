"""Builds the configured sandbox backend; each is imported only when it is used."""

import importlib
import os
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple, cast

import structlog
from pydantic import SecretStr

from yudai.engine.adapters.host_processes import host_name, is_gone, is_here, is_there
from yudai.kit.clock import SystemClock
from yudai.kit.errors import RefusedError, SandboxError
from yudai.kit.ids import WorkerId
from yudai.kit.text import nearest
from yudai.sandboxes.domain.backends import BACKENDS, DEFAULT, FALLBACK, BackendName
from yudai.sandboxes.port import Backend, Capabilities, NetworkPolicy, OnBlocked, ignore_blocked
from yudai.sandboxes.register import Register
from yudai.settings import Settings, surroundings
from yudai.store.store import Store
from yudai.wiring.components import installation

if TYPE_CHECKING:
    from yudai.sandboxes.backends.e2b.cloud import E2BCloud
    from yudai.sandboxes.backends.network.dial import DialSettings
    from yudai.sandboxes.backends.remote.cloud import Cloud

log: structlog.stdlib.BoundLogger = structlog.get_logger()

E2B_TEMPLATE = "yudai"
NO_LOCAL_SOCKETS: Mapping[str, Path] = MappingProxyType({})
_LEAST_AT_ONCE = 2
"""A baseline and a proof need two sandboxes together."""
_LOCAL = {
    "bubblewrap": ("yudai.sandboxes.backends.bubblewrap.backend", "BubblewrapBackend"),
    "process": ("yudai.sandboxes.backends.process.backend", "ProcessBackend"),
}


class Provision(NamedTuple):
    """A cloud and its account's limits."""

    cloud: "Cloud"
    at_once: int
    per_second: float = float("inf")
    is_accounts: bool = True
    """Whether `at_once` is shared by all processes of the installation, or per process."""


def make_backend(
    settings: Settings,
    name: str | None = None,
    *,
    store: Store | None = None,
    on_blocked: OnBlocked = ignore_blocked,
    local_sockets: Mapping[str, Path] = NO_LOCAL_SOCKETS,
    waits: bool = True,
) -> Backend:
    """The requested backend, else bubblewrap; never silently a weaker one.

    Agents' commands reach `local_sockets` under a host's name. Where it does not
    wait, it refuses when all sandboxes of an account are in use.
    """
    chosen = name or settings.sandbox_backend or DEFAULT
    if chosen in _LOCAL:
        return _local(settings, chosen, on_blocked, local_sockets)
    if chosen not in CLOUDS:
        raise RefusedError(f"there is no sandbox {chosen!r}: {nearest(chosen, BACKENDS)}")
    provision = CLOUDS[chosen](settings, on_blocked, local_sockets)
    if store is None:
        raise RefusedError(f"sandboxes by {chosen} need a database, to find what they leave behind")
    register, network = make_register(store), _with_endpoint(settings, chosen)
    return _remote(settings, provision, register, network, waits=waits)


async def open_backend(
    settings: Settings,
    name: str | None = None,
    *,
    store: Store,
    on_blocked: OnBlocked = ignore_blocked,
    local_sockets: Mapping[str, Path] = NO_LOCAL_SOCKETS,
) -> tuple[Backend, Capabilities]:
    """A backend that works here. Without a choice, containers replace a broken bubblewrap."""
    make = partial(
        make_backend, settings, store=store, on_blocked=on_blocked, local_sockets=local_sockets
    )
    backend = make(name)
    try:
        return backend, await _capabilities(backend)
    except SandboxError as refused:
        if name or settings.sandbox_backend:
            raise
        backend = make(FALLBACK)
        try:
            capabilities = await _capabilities(backend)
        except SandboxError:
            raise refused from None
        log.warning("sandbox.next_best", backend=FALLBACK, why=str(refused))
        return backend, capabilities


async def _capabilities(backend: Backend) -> Capabilities:
    """Capabilities of the backend, which is closed when it has none."""
    try:
        return await backend.capabilities()
    except BaseException:
        await backend.close()
        raise


def make_register(store: Store) -> Register:
    from yudai.runs.queries import sandbox_tags
    from yudai.sandboxes.database_register import DatabaseRegister

    clock = SystemClock()
    return DatabaseRegister(
        store,
        clock,
        holder=WorkerId(clock.new_id()),
        host=host_name(),
        pid=os.getpid(),
        tags_of=sandbox_tags,
        is_gone=is_gone,
        is_there=is_there,
        is_here=is_here,
    )


def is_set_up(settings: Settings, name: str) -> bool:
    """Whether it is configured, by a key or by name."""
    row = BACKENDS[cast("BackendName", name)]
    if not row.is_registered or name == settings.sandbox_backend:
        return True
    return bool(row.key and getattr(settings, row.key))


def _local(
    settings: Settings, name: str, on_blocked: OnBlocked, local_sockets: Mapping[str, Path]
) -> Backend:
    from yudai.sandboxes.backends.toolchain.package_settings import package_settings

    module, cls = _LOCAL[name]
    more = {"dialing": _dialing(local_sockets)} if name == DEFAULT else {}
    factory = getattr(importlib.import_module(module), cls)
    return cast(
        "Backend",
        factory(
            settings.home,
            limits=settings.limits,
            installation=installation(settings),
            packages=package_settings(surroundings()),
            path=[Path(folder) for folder in os.get_exec_path()],
            network=settings.network,
            on_blocked=on_blocked,
            **more,
        ),
    )


def _dialing(local_sockets: Mapping[str, Path]) -> "DialSettings":
    """Ways out of local sandboxes: this host's proxy, if any, and local sockets."""
    from yudai.sandboxes.backends.network.dial import DialSettings, upstream_of

    return DialSettings(upstream=upstream_of(surroundings()), local_sockets=local_sockets)


def _with_endpoint(settings: Settings, name: str) -> NetworkPolicy:
    """Add the model endpoint to the hosts that command agents may reach."""
    from yudai.wiring.command_agents import endpoint_hosts

    policy = settings.network
    hosts = endpoint_hosts(settings, name)
    return policy.model_copy(update={"agent": (*policy.agent, *hosts)})


def _remote(
    settings: Settings,
    provision: Provision,
    register: Register,
    network: NetworkPolicy,
    *,
    waits: bool,
) -> Backend:
    from yudai.sandboxes.backends.remote.backend import RemoteBackend, Terms
    from yudai.sandboxes.backends.remote.rate_limit import MachineRateLimit
    from yudai.sandboxes.backends.toolchain.package_settings import package_settings

    terms = Terms(
        limits=settings.limits,
        network=network,
        packages=package_settings(surroundings()),
        at_most=provision.at_once if provision.is_accounts else None,
        waits=waits,
    )
    rate_limit = MachineRateLimit(at_once=provision.at_once, per_second=provision.per_second)
    return RemoteBackend(provision.cloud, register, rate_limit, terms)


def _e2b(settings: Settings, *_: object) -> Provision:
    cloud = e2b_cloud(settings)
    return Provision(cloud, settings.e2b_max_sandboxes, settings.e2b_creations_per_s)


def e2b_cloud(settings: Settings, *, template: str = "") -> "E2BCloud":
    """The account at E2B: for sandboxes, and to build a template."""
    from yudai.sandboxes.backends.e2b.cloud import E2BCloud

    return E2BCloud(
        api_key=_key(settings.e2b_api_key, "E2B_API_KEY", "E2B"),
        template=template or settings.e2b_template_id or E2B_TEMPLATE,
        domain=settings.e2b_domain,
        api_url=settings.e2b_api_url,
        sandbox_url=settings.e2b_sandbox_url,
    )


def _prime(settings: Settings, *_: object) -> Provision:
    from yudai.sandboxes.backends.prime.cloud import PrimeCloud

    cloud = PrimeCloud(
        api_key=_key(settings.prime_api_key, "PRIME_API_KEY", "Prime Intellect"),
        image=settings.prime_sandbox_image,
        base_url=settings.prime_api_base_url,
        home=settings.home / "prime",
    )
    return Provision(cloud, settings.prime_max_sandboxes)


def _container(
    settings: Settings, on_blocked: OnBlocked, local_sockets: Mapping[str, Path]
) -> Provision:
    from yudai.sandboxes.backends.container.cloud import ContainerCloud

    cloud = ContainerCloud(
        engine=settings.container_engine,
        image=settings.container_image,
        home=settings.home / "containers",
        on_blocked=on_blocked,
        dialing=_dialing(local_sockets),
    )
    at_once = max(_LEAST_AT_ONCE, settings.worker_max_runs)
    return Provision(cloud, at_once, is_accounts=False)


def _key(secret: SecretStr | None, name: str, provider: str) -> str:
    if secret is None:
        raise RefusedError(f"sandboxes at {provider} need a key: set {name}")
    return secret.get_secret_value()


CLOUDS: dict[str, Callable[[Settings, OnBlocked, Mapping[str, Path]], Provision]] = {
    "container": _container,
    "e2b": _e2b,
    "prime": _prime,
}
