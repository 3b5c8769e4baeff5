"""Removes bases and source archives that are no longer needed."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

import structlog

from yudai.artifacts.context import Context
from yudai.artifacts.source_archives import Sources
from yudai.kit.clock import Clock
from yudai.kit.errors import ConflictError, SandboxError
from yudai.sandboxes.domain.eviction import choose
from yudai.sandboxes.port import Backend, BaseView
from yudai.sandboxes.reap import PATIENCE_S, SweptBackends
from yudai.solves import queries as solves
from yudai.solves.domain.states import SolveState

log: structlog.stdlib.BoundLogger = structlog.get_logger()

_MAY_NEED = (SolveState.QUEUED, SolveState.RUNNING, SolveState.AWAITING_REVIEW)


@dataclass(frozen=True)
class Evictor:
    """Removes old bases. Every worker does it; removing one twice is harmless."""

    backend: Backend
    clock: Clock
    max_bytes: int
    max_age_s: float

    async def choose(self) -> tuple[BaseView, ...]:
        """Bases that would be removed now, in order."""
        return choose(
            await self.backend.bases(),
            max_bytes=self.max_bytes,
            max_age_s=self.max_age_s,
            now=self.clock.now(),
        )

    async def sweep(self) -> tuple[BaseView, ...]:
        """Remove bases and return the removed ones."""
        return tuple([base for base in await self.choose() if await self._remove(base)])

    async def _remove(self, base: BaseView) -> bool:
        about = {"backend": base.backend, "key": base.key, "size_bytes": base.size_bytes}
        try:
            is_removed = await self.backend.remove_base(base.key)
        except ConflictError as error:
            log.info("base.not_evicted", **about, why=str(error))
            return False
        except (SandboxError, OSError) as error:
            # Continue with the others; the next sweep tries this one again.
            log.warning("base.not_evicted", **about, why=str(error))
            return False
        if is_removed:
            log.info("base.evicted", **about, used_at=base.used_at)
        return is_removed


async def sweep_bases(
    find: Callable[[], Awaitable[SweptBackends]],
    make_evictor: Callable[[Backend], Evictor],
    *,
    patience_s: float = PATIENCE_S,
) -> None:
    """Sweep the bases of all backends; a backend that fails or hangs does not block the others."""
    for name, backend in (await find()).backends.items():
        try:
            async with asyncio.timeout(patience_s):
                await make_evictor(backend).sweep()
        except Exception as error:  # noqa: BLE001 - the next sweep tries again
            log.warning("bases.not_swept", backend=name, error=repr(error))


async def prune_sources(sources: Sources, context: Context, *, max_age_s: float) -> int:
    """Remove old source archives on this machine that no open solve needs."""
    moment = context.clock.now() - max_age_s
    if not await sources.older_than(moment):
        return 0
    async with context.store.read() as db:
        rows = await solves.in_states(db, _MAY_NEED)
    needed = {row.base.source for row in rows if row.base is not None}
    n = await sources.prune(moment, needed=needed)
    if n:
        log.info("sources.pruned", files=n)
    return n
