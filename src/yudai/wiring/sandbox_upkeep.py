"""Builds sweeps over every sandbox backend that is configured or was used."""

from collections.abc import AsyncGenerator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from typing import NamedTuple

from yudai.kit.clock import Clock
from yudai.kit.errors import RefusedError, YudaiError
from yudai.kit.text import nearest
from yudai.operations.retention import Evictor
from yudai.sandboxes import queries as sandboxes
from yudai.sandboxes.domain.backends import BACKENDS
from yudai.sandboxes.port import Backend
from yudai.sandboxes.reap import Reaper, SweptBackends, Unswept
from yudai.settings import Settings
from yudai.store.store import Store
from yudai.wiring.sandboxes import is_set_up, make_backend


@asynccontextmanager
async def open_reaper(
    settings: Settings, store: Store, *, in_use: Mapping[str, Backend] | None = None
) -> AsyncGenerator[Reaper]:
    """A reaper of all backends; one that cannot be opened is skipped. `in_use` are open already."""
    async with AsyncExitStack() as stack:
        backends = _Backends(settings, store, stack, dict(in_use or {}))
        yield Reaper({}, find_more=backends.find)


class _Backends(NamedTuple):
    """Backends, opened at their first sweep and closed with the reaper."""

    settings: Settings
    store: Store
    stack: AsyncExitStack
    opened: dict[str, Backend]

    async def find(self, only: str | None) -> SweptBackends:
        if only is not None and only not in BACKENDS:
            raise RefusedError(f"there is no sandbox {only!r}: {nearest(only, BACKENDS)}")
        wanted = {only} if only else await self._wanted()
        backends: dict[str, Backend] = {}
        missing: list[Unswept] = []
        for name in BACKENDS:
            if name not in wanted:
                continue
            try:
                backends[name] = self._open(name)
            except (YudaiError, ImportError, OSError) as error:
                missing.append(Unswept(backend=name, error=" ".join(str(error).split())))
        return SweptBackends(backends, tuple(missing))

    async def _wanted(self) -> set[str]:
        set_up = {name for name in BACKENDS if is_set_up(self.settings, name)}
        # Backends that were used before, also when they are not configured now.
        async with self.store.read() as db:
            used = await sandboxes.backends(db)
        return {*self.opened, *set_up, *used}

    def _open(self, name: str) -> Backend:
        if name not in self.opened:
            backend = make_backend(self.settings, name, store=self.store)
            self.stack.push_async_callback(backend.close)
            self.opened[name] = backend
        return self.opened[name]


_MIB = 1 << 20
DAY_S = 86_400.0


@asynccontextmanager
async def open_named_backend(
    settings: Settings, name: str | None, store: Store
) -> AsyncGenerator[Backend]:
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
    """An evictor with limits from the settings unless given."""
    megabytes = settings.bases_max_mb if max_mb is None else max_mb
    days = settings.bases_max_days if max_days is None else max_days
    return Evictor(backend, clock, max_bytes=megabytes * _MIB, max_age_s=days * DAY_S)
