"""Sweeps all backends: removes sandboxes whose process is gone, and reports them."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

import structlog
from pydantic import Field

from yudai.kit.concurrency import gather
from yudai.kit.errors import RefusedError, YudaiError
from yudai.kit.text import nearest
from yudai.kit.value import Value
from yudai.sandboxes.port import Backend, Fate, Leftover

log: structlog.stdlib.BoundLogger = structlog.get_logger()

PATIENCE_S = 120.0
"""Seconds per backend, so that an unresponsive provider does not delay the others."""


class Unswept(Value):
    backend: str
    error: str = Field(description="In one line.")


class Swept(Value):
    """Result of one sweep."""

    dry_run: bool
    leftovers: tuple[Leftover, ...]
    failures: tuple[Unswept, ...] = Field(description="Backends that could not be checked.")

    def of(self, fate: Fate) -> tuple[Leftover, ...]:
        return tuple(leftover for leftover in self.leftovers if leftover.fate is fate)


class SweptBackends(NamedTuple):
    backends: Mapping[str, Backend]
    missing: tuple[Unswept, ...] = ()
    """Backends that could not be opened."""


FindMore = Callable[[str | None], Awaitable[SweptBackends]]
"""Opens the backends, or only the named one."""


@dataclass(frozen=True)
class Reaper:
    """Sweeps all backends. Any process may do so at any time, because each action is idempotent."""

    backends: Mapping[str, Backend]
    """All configured backends, not only the one in use, because that may have changed."""
    missing: tuple[Unswept, ...] = ()
    """Configured backends that could not be opened."""
    find_more: FindMore | None = None
    """Called at each sweep, because another process may have used a further backend."""
    patience_s: float = PATIENCE_S

    async def find(self, only: str | None = None) -> SweptBackends:
        """Backends to sweep now."""
        more = await self.find_more(only) if self.find_more else SweptBackends({})
        return SweptBackends({**more.backends, **self.backends}, (*self.missing, *more.missing))

    async def tend(self, *, dry_run: bool = False) -> Swept:
        """A sweep of a server or a worker, which logs the result."""
        swept = await self.sweep(dry_run=dry_run)
        for failure in swept.failures:
            log.warning("sandboxes.not_swept", backend=failure.backend, error=failure.error)
        if not dry_run:
            for leftover in swept.leftovers:
                _log(leftover)
        return swept

    async def sweep(self, *, dry_run: bool = False, only: str | None = None) -> Swept:
        """Sweep everything once. The next sweep retries what fails."""
        everything, missing = await self.find(only)
        chosen = _chosen(only, everything, missing)
        results = await gather(
            self._sweep(name, backend, dry_run=dry_run) for name, backend in chosen.items()
        )
        leftovers = [one for found in results if not isinstance(found, Unswept) for one in found]
        return Swept(
            dry_run=dry_run,
            leftovers=tuple(leftovers),
            failures=(
                *(one for one in missing if only in (None, one.backend)),
                *(found for found in results if isinstance(found, Unswept)),
            ),
        )

    async def _sweep(
        self, name: str, backend: Backend, *, dry_run: bool
    ) -> tuple[Leftover, ...] | Unswept:
        try:
            async with asyncio.timeout(self.patience_s):
                return tuple(await backend.reap(dry_run=dry_run))
        except TimeoutError:
            error = f"it did not answer within {self.patience_s:g} s"
        except (YudaiError, OSError) as problem:
            error = " ".join(str(problem).split())
        except Exception as problem:
            error = f"our fault: {type(problem).__name__}"
            log.exception("sandboxes.sweep_broke", backend=name)
        return Unswept(backend=name, error=error)


def _chosen(
    only: str | None, backends: Mapping[str, Backend], missing: tuple[Unswept, ...]
) -> Mapping[str, Backend]:
    if only is None:
        return backends
    known = (*backends, *(one.backend for one in missing))
    if only not in known:
        raise RefusedError(f"sandboxes by {only!r} are not set up here: {nearest(only, known)}")
    return {name: backend for name, backend in backends.items() if name == only}


def _log(leftover: Leftover) -> None:
    facts = {"backend": leftover.backend, "sandbox_id": leftover.id, "why": leftover.why}
    if leftover.fate is Fate.REAPED:
        log.info("sandbox.reaped", owner=leftover.owner, **facts)
    elif leftover.fate is Fate.REFUSED:
        log.warning("sandbox.not_reaped", error=leftover.note, **facts)
