"""Tries each sandbox backend: its guarantees, the size of its sandboxes and their start time."""

import secrets
import shutil
import tarfile
import tempfile
import time
from contextlib import suppress
from io import BytesIO
from pathlib import Path
from typing import NamedTuple, Protocol, runtime_checkable

from yudai import __version__
from yudai.kit.errors import ConflictError, RefusedError, SandboxError
from yudai.kit.value import Value
from yudai.sandboxes.domain.backends import (
    BACKENDS,
    DEFAULT,
    FALLBACK,
    PROVIDERS,
    UNISOLATED,
    BackendName,
)
from yudai.sandboxes.domain.guarantees import Guarantee
from yudai.sandboxes.port import Backend, BaseSpec, SandboxLimits, SandboxRef
from yudai.settings import Settings
from yudai.store.store import Store
from yudai.wiring.sandboxes import is_set_up, make_backend, open_backend

_OWNER = "doctor"
_TOO_SMALL = "smaller than configured: rebuild it with `yudai sandbox build-template`"
_ENGINES = ("podman", "docker")


class BackendFinding(Value):
    name: str
    default: bool
    """Whether it is the default for solves."""
    usable: bool
    isolated: bool
    detail: str
    set_up: bool = True
    """False: not configured, so it was not tried."""
    version: str = ""
    limits: str = ""
    start_ms: float | None = None
    """Milliseconds until `true` has run in a sandbox of a prepared base."""
    guarantees: tuple[Guarantee, ...] = ()


@runtime_checkable
class Sizing(Protocol):
    """A backend whose sandboxes may have another size than requested."""

    async def size_of(self, ref: SandboxRef) -> SandboxLimits | None: ...


class Start(NamedTuple):
    """Result of starting a sandbox of a prepared base."""

    ms: float | None = None
    """From the request until `true` has run."""
    size: SandboxLimits | None = None
    """Its real size, if it differs from the requested one."""
    words: str = ""


async def probe_backends(
    settings: Settings, store: Store | None, *, starts: bool = True
) -> tuple[BackendFinding, ...]:
    """Probe the backends. `starts=False` starts nothing at providers that charge for it."""
    chosen = await _choice(settings, store)
    return tuple([await _probe(settings, name, store, chosen, starts=starts) for name in BACKENDS])


async def _choice(settings: Settings, store: Store | None) -> str:
    """The default backend for solves."""
    asked = settings.sandbox_backend or DEFAULT
    if settings.sandbox_backend or store is None:
        return asked
    try:
        backend, capabilities = await open_backend(settings, store=store)
    except (SandboxError, RefusedError, OSError):
        return asked
    await backend.close()
    return capabilities.backend


def _is_worth_a_try(settings: Settings, name: str) -> bool:
    has_engine = settings.container_engine or any(map(shutil.which, _ENGINES))
    return (name == FALLBACK and bool(has_engine)) or is_set_up(settings, name)


async def _probe(
    settings: Settings, name: BackendName, store: Store | None, chosen: str, *, starts: bool
) -> BackendFinding:
    is_chosen = name == chosen
    finding = BackendFinding(
        name=name,
        default=is_chosen,
        usable=False,
        isolated=False,
        detail=BACKENDS[name].set_up,
        set_up=is_chosen or _is_worth_a_try(settings, name),
    )
    if not finding.set_up:
        return finding
    try:
        backend = make_backend(settings, name, store=store, waits=False)
        try:
            is_free = name not in PROVIDERS
            return await _try(backend, finding, settings.limits, starts=starts or is_free)
        finally:
            await backend.close()
    except (SandboxError, RefusedError, OSError) as error:
        return finding.model_copy(update={"detail": str(error).strip()})


async def _try(
    backend: Backend, finding: BackendFinding, limits: SandboxLimits, *, starts: bool
) -> BackendFinding:
    capabilities = await backend.capabilities()
    start = await _start(backend) if starts else Start()
    promise = "isolated" if capabilities.isolated else "NO isolation: only for code you trust"
    size = _words(start.size or limits) if finding.name not in UNISOLATED else ""
    small = _TOO_SMALL if start.size is not None and _is_smaller(start.size, limits) else ""
    facts = (promise, capabilities.version, start.words, size, small)
    return finding.model_copy(
        update={
            "usable": True,
            "isolated": capabilities.isolated,
            "detail": "; ".join(fact for fact in facts if fact),
            "version": capabilities.version,
            "limits": size,
            "start_ms": start.ms,
            "guarantees": capabilities.guarantees,
        }
    )


async def _start(backend: Backend) -> Start:
    from yudai.sandboxes.backends.remote.cloud import BusyError

    try:
        return await measure_start(backend)
    except BusyError as error:
        # It works: other processes use it.
        return Start(words=f"its start time was not measured: {error}")


async def measure_start(backend: Backend) -> Start:
    # Each probe has its own base, so that probes do not remove each other's.
    key = f"doctor-{__version__}-{secrets.token_hex(4)}"
    try:
        with tempfile.TemporaryDirectory() as folder:
            source = _archive(Path(folder))
            base = await backend.prepare(BaseSpec(key=key, source=source))
        began = time.perf_counter()
        [sandbox] = await backend.spawn(base, 1, owner=_OWNER)
        if isinstance(sandbox, SandboxError):
            raise sandbox
        try:
            await sandbox.exec("true")
            ms = 1000 * (time.perf_counter() - began)
            size = await backend.size_of(sandbox.ref) if isinstance(backend, Sizing) else None
            return Start(ms, size, f"starts in {ms:.0f} ms")
        finally:
            await sandbox.destroy()
    finally:
        # Conflict when its sandbox could not be ended: a later sweep removes both.
        with suppress(ConflictError):
            await backend.remove_base(key)


def _archive(folder: Path) -> Path:
    path = folder / "source.tar"
    with tarfile.open(path, "w") as archive:
        member = tarfile.TarInfo("README.md")
        member.size = len(b"# Probe\n")
        archive.addfile(member, BytesIO(b"# Probe\n"))
    return path


def _is_smaller(size: SandboxLimits, wanted: SandboxLimits) -> bool:
    return size.processors < wanted.processors or size.memory_bytes < wanted.memory_bytes


def _words(limits: SandboxLimits) -> str:
    return (
        f"{limits.processors:g} processors, {limits.memory_bytes >> 20} MB memory,"
        f" {limits.disk_bytes >> 20} MB disk, {limits.lifetime_s / 60:g} minutes"
    )
