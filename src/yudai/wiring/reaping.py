"""From the settings to sweeps over every sandbox backend that is set up."""

from collections.abc import AsyncGenerator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager

from yudai.domain.errors import YudaiError
from yudai.ports.sandbox import Backend
from yudai.services.reaping import Reaper, Unswept
from yudai.settings import Settings
from yudai.store.store import Store
from yudai.wiring.sandboxes import BACKENDS, is_set_up, make_backend


@asynccontextmanager
async def open_reaper(
    settings: Settings, store: Store, *, in_use: Mapping[str, Backend] | None = None
) -> AsyncGenerator[Reaper]:
    """One that cannot be made keeps nobody from sweeping the others; `in_use` are open already."""
    backends = dict(in_use or {})
    missing: list[Unswept] = []
    async with AsyncExitStack() as stack:
        for name in BACKENDS:
            if name in backends or not is_set_up(settings, name):
                continue
            try:
                backend = make_backend(settings, name, store=store)
            except (YudaiError, ImportError, OSError) as error:
                missing.append(Unswept(backend=name, error=" ".join(str(error).split())))
                continue
            stack.push_async_callback(backend.close)
            backends[name] = backend
        yield Reaper(backends, tuple(missing))
