"""Waiting for a command's end, or bringing it about: time, disk, cancellation."""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from typing import NamedTuple

from yudai.kit.causes import Cause
from yudai.kit.errors import SandboxError
from yudai.sandboxes.backends.disk_watch import DiskWatch

_SHORT_S = 0.5
"""Shorter commands are not worth a look at the disk."""
_GRACE_S = 10.0
_KILL_EVERY_S = 0.05


class Ending(NamedTuple):
    """How a command came to its end."""

    status: int
    timed_out: bool = False
    disk_full: bool = False


async def supervise(
    status: "asyncio.Future[int]", *, timeout_s: float, disk: DiskWatch, kill: Callable[[], object]
) -> Ending:
    """Wait for a command's status; `kill` is called until it comes when its time or disk is up.

    Cancelled, it kills likewise before it lets go. A status that never comes is an error.
    """
    try:
        await asyncio.wait({status}, timeout=min(timeout_s, _SHORT_S))
        disk_full = False
        if not status.done() and timeout_s > _SHORT_S:
            disk_full = await _fills(disk, status, timeout_s - _SHORT_S)
        if status.done():
            return Ending(status.result())
        return Ending(await _stop(status, kill), timed_out=not disk_full, disk_full=disk_full)
    except asyncio.CancelledError:
        with suppress(SandboxError):
            await _stop(status, kill)
        raise


async def _fills(disk: DiskWatch, status: "asyncio.Future[int]", timeout_s: float) -> bool:
    """Whether the disk is full before the status has come or the time is up."""
    full = asyncio.create_task(disk.until_full())
    try:
        await asyncio.wait({status, full}, timeout=timeout_s, return_when=asyncio.FIRST_COMPLETED)
        return full.done() and full.result() is None
    finally:
        full.cancel()


async def _stop(status: "asyncio.Future[int]", kill: Callable[[], object]) -> int:
    for _ in range(int(_GRACE_S / _KILL_EVERY_S)):
        if status.done():
            return status.result()
        kill()
        await asyncio.wait({status}, timeout=_KILL_EVERY_S)
    raise SandboxError("the sandbox could not be stopped", cause=Cause.SANDBOX_LOST)
