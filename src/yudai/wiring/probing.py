"""Each sandbox backend, tried: what it promises here, how big its boxes are, when they start."""

import tarfile
import tempfile
import time
from io import BytesIO
from pathlib import Path
from typing import NamedTuple, Protocol, runtime_checkable

from yudai import __version__
from yudai.domain.errors import ConflictError, RefusedError, SandboxError
from yudai.domain.value import Value
from yudai.ports.sandbox import Backend, BaseSpec, Guarantee, SandboxLimits, SandboxRef
from yudai.settings import Settings
from yudai.store.store import Store
from yudai.wiring.sandboxes import BACKENDS, DEFAULT_BACKEND, is_set_up, make_backend

_OWNER = "doctor"
_TOO_SMALL = "smaller than the settings say: build it again with `yudai sandbox build-template`"
_PAID = frozenset({"e2b", "prime"})
_HOW = {
    "container": "not asked for: SANDBOX_BACKEND=container uses podman or docker",
    "e2b": "not set up: set E2B_API_KEY, and install yudai[e2b]",
    "prime": "not set up: set PRIME_API_KEY, and install yudai[prime]",
}


class BackendFinding(Value):
    name: str
    default: bool
    usable: bool
    isolated: bool
    detail: str
    set_up: bool = True
    """False: nobody has asked for it, so it was not tried."""
    version: str = ""
    limits: str = ""
    start_ms: float | None = None
    """A sandbox of a prepared base, until `true` has answered."""
    guarantees: tuple[Guarantee, ...] = ()


@runtime_checkable
class Sizing(Protocol):
    """A backend whose boxes may have another size than they were asked for with."""

    async def size_of(self, ref: SandboxRef) -> SandboxLimits | None: ...


class Start(NamedTuple):
    """How it went to make a sandbox of a prepared base."""

    ms: float | None = None
    """From asking for it until `true` has answered."""
    size: SandboxLimits | None = None
    """What it has, where that is not what was asked for."""
    words: str = ""


async def probe_backends(
    settings: Settings, store: Store | None, *, starts: bool = True
) -> tuple[BackendFinding, ...]:
    """`starts=False` asks providers that cost money only what costs none."""
    return tuple([await _probe(settings, name, store, starts=starts) for name in BACKENDS])


async def _probe(
    settings: Settings, name: str, store: Store | None, *, starts: bool
) -> BackendFinding:
    is_default = name == (settings.sandbox_backend or DEFAULT_BACKEND)
    finding = BackendFinding(
        name=name, default=is_default, usable=False, isolated=False, detail=_HOW.get(name, "")
    )
    if not is_set_up(settings, name):
        return finding.model_copy(update={"set_up": False})
    try:
        backend = make_backend(settings, name, store=store, waits=False)
        try:
            return await _try(backend, finding, settings.limits, starts=starts or name not in _PAID)
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
    size = _words(start.size or limits) if capabilities.isolated else ""
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
    from yudai.adapters.sandboxes.remote.cloud import BusyError

    try:
        return await measure_start(backend)
    except BusyError as error:
        # It works, for others use it.
        return Start(words=f"its start was not measured: {error}")


async def measure_start(backend: Backend) -> Start:
    with tempfile.TemporaryDirectory() as folder:
        source = _archive(Path(folder))
        base = await backend.prepare(BaseSpec(key=f"doctor-{__version__}", source=source))
    try:
        began = time.perf_counter()
        [box] = await backend.spawn(base, 1, owner=_OWNER)
        if isinstance(box, SandboxError):
            raise box
        try:
            await box.exec("true")
            ms = 1000 * (time.perf_counter() - began)
            size = await backend.size_of(box.ref) if isinstance(backend, Sizing) else None
            return Start(ms, size, f"starts in {ms:.0f} ms")
        finally:
            await box.destroy()
    finally:
        await _remove(backend, base.key)


async def _remove(backend: Backend, key: str) -> None:
    try:
        await backend.remove_base(key)
    except ConflictError:
        # Another one is at it with the same base, and removes it.
        return


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
