"""A backend that is only looked at: its bases are listed and removed, no sandbox is made."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

from yudai.kit.clock import Clock
from yudai.operations.retention import Evictor, SourcePruner
from yudai.sandboxes.port import Backend
from yudai.settings import Settings
from yudai.store.store import Store
from yudai.views.documents import Reader
from yudai.wiring.components import make_sources
from yudai.wiring.sandboxes import make_backend

_MIB = 1 << 20
_DAY_S = 86_400.0


@asynccontextmanager
async def open_shelf(settings: Settings, name: str | None, store: Store) -> AsyncGenerator[Backend]:
    """The configured backend, or another by its name."""
    backend = make_backend(settings, name, store=store)
    try:
        yield backend
    finally:
        await backend.close()


def make_evictor(
    settings: Settings,
    backend: Backend,
    clock: Clock,
    *,
    max_mb: int | None = None,
    max_days: float | None = None,
) -> Evictor:
    """By the settings, where nothing else is said."""
    megabytes = settings.bases_max_mb if max_mb is None else max_mb
    days = settings.bases_max_days if max_days is None else max_days
    return Evictor(backend, clock, max_bytes=megabytes * _MIB, max_age_s=days * _DAY_S)


def make_pruner(settings: Settings, reader: Reader) -> SourcePruner:
    return SourcePruner(
        make_sources(settings, reader.artifacts),
        reader.store,
        reader.clock,
        max_age_s=settings.bases_max_days * _DAY_S,
    )
