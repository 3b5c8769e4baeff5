"""From the settings to sweeps over every sandbox backend that is set up, or was used."""

from collections.abc import AsyncGenerator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager

from yudai.kit.errors import RefusedError, YudaiError
from yudai.kit.nearest import nearest
from yudai.sandboxes import base_queries as bases
from yudai.sandboxes import queries as sandboxes
from yudai.sandboxes.port import Backend
from yudai.sandboxes.reap import Fleet, Reaper, Unswept
from yudai.settings import Settings
from yudai.store.store import Store
from yudai.wiring.sandboxes import BACKENDS, is_set_up, make_backend


@asynccontextmanager
async def open_reaper(
    settings: Settings, store: Store, *, in_use: Mapping[str, Backend] | None = None
) -> AsyncGenerator[Reaper]:
    """One that cannot be made keeps nobody from sweeping the others; `in_use` are open already."""
    async with AsyncExitStack() as stack:
        yard = _Yard(settings, store, stack, dict(in_use or {}))
        yield Reaper({}, find_more=yard.find)


class _Yard:
    """Backends that are opened when they are first to be swept, and closed with the reaper."""

    def __init__(
        self, settings: Settings, store: Store, stack: AsyncExitStack, opened: dict[str, Backend]
    ) -> None:
        self._settings = settings
        self._store = store
        self._stack = stack
        self._open = opened

    async def find(self, only: str | None) -> Fleet:
        if only is not None and only not in BACKENDS:
            raise RefusedError(f"there is no sandbox {only!r}: {nearest(only, BACKENDS)}")
        wanted = {only} if only else await self._wanted()
        backends: dict[str, Backend] = {}
        missing: list[Unswept] = []
        for name in BACKENDS:
            if name not in wanted:
                continue
            try:
                backends[name] = self._opened(name)
            except (YudaiError, ImportError, OSError) as error:
                missing.append(Unswept(backend=name, error=" ".join(str(error).split())))
        return Fleet(backends, tuple(missing))

    async def _wanted(self) -> set[str]:
        set_up = {name for name in BACKENDS if is_set_up(self._settings, name)}
        return {*self._open, *set_up, *await self._used()}

    async def _used(self) -> set[str]:
        """Whatever the settings say now, it was chosen once, and something of it is noted."""
        async with self._store.read() as db:
            return await sandboxes.backends(db) | await bases.backends(db)

    def _opened(self, name: str) -> Backend:
        if name not in self._open:
            backend = make_backend(self._settings, name, store=self._store)
            self._stack.push_async_callback(backend.close)
            self._open[name] = backend
        return self._open[name]
