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
"""For one backend: a provider that does not answer does not delay the others."""


class Unswept(Value):
    backend: str
    error: str = Field(description="In one line.")


class Swept(Value):
    """What one sweep found."""

    dry_run: bool
    leftovers: tuple[Leftover, ...]
    failures: tuple[Unswept, ...] = Field(description="Backends that could not be swept.")

    def of(self, fate: Fate) -> tuple[Leftover, ...]:
        return tuple(leftover for leftover in self.leftovers if leftover.fate is fate)


class SweptBackends(NamedTuple):
    backends: Mapping[str, Backend]
    missing: tuple[Unswept, ...] = ()
    """Those that could not be made."""


FindMore = Callable[[str | None], Awaitable[SweptBackends]]
"""Given the one that is asked for by name, if one is."""


@dataclass(frozen=True)
class Reaper:
    """Any process may sweep, at any time: each act is harmless when another one did it first."""

    backends: Mapping[str, Backend]
    """All that are set up here, not only the one that is in use: it may have been another once."""
    missing: tuple[Unswept, ...] = ()
    """Those that are set up and could not be made."""
    find_more: FindMore | None = None
    """Asked at each sweep: what was chosen for one command may have left something since."""
    patience_s: float = PATIENCE_S

    async def find(self, only: str | None = None) -> SweptBackends:
        """What there is to be swept at this moment."""
        more = await self.find_more(only) if self.find_more else SweptBackends({})
        return SweptBackends({**more.backends, **self.backends}, (*self.missing, *more.missing))

    async def tend(self, *, dry_run: bool = False) -> Swept:
        """A sweep of a server or a worker: its log tells what became of it."""
        swept = await self.sweep(dry_run=dry_run)
        for failure in swept.failures:
            log.warning("sandboxes.not_swept", backend=failure.backend, error=failure.error)
        if not dry_run:
            for leftover in swept.leftovers:
                _log(leftover)
        return swept

    async def sweep(self, *, dry_run: bool = False, only: str | None = None) -> Swept:
        """One look at everything; what fails here is tried again by the next one."""
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
