"""One command of a local sandbox: its result, and its end by time, disk or cancellation."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from contextlib import suppress
from pathlib import Path

from yudai.kit.causes import Cause
from yudai.kit.errors import SandboxError
from yudai.sandboxes.backends.shell_script import NUL_REFUSED, script
from yudai.sandboxes.backends.warden.protocol import CANNOT_RUN, TIMED_OUT, Ending
from yudai.sandboxes.backends.workspace.disk_usage import usage
from yudai.sandboxes.backends.workspace.output import Capture
from yudai.sandboxes.port import Exec, ExecResult

_SOONEST_S = 0.5
_INTERVAL_S = 2.0
_SHARE = 20
"""Measuring takes at most this fraction of the time: 1 / N."""
_SHORT_S = 0.5
"""Shorter commands are not measured."""
_GRACE_S = 10.0
_KILL_EVERY_S = 0.05


class DiskWatch:
    """Measures the workspace periodically; the longer that takes, the less often it is done."""

    def __init__(self, root: Path, limit: int) -> None:
        self._root = root
        self._limit = limit
        self._used = 0
        self._due = time.monotonic() + _INTERVAL_S

    async def until_full(self) -> None:
        """Return once the limit is passed; cancelled when the command ends before."""
        while not await self._grew_too_big():  # noqa: ASYNC110 - there is no event for a growing file
            await asyncio.sleep(max(self._due - time.monotonic(), _SOONEST_S))

    async def is_full(self) -> bool:
        """Measure again after a command, unless the last measurement is recent."""
        return time.monotonic() >= self._due and await self._grew_too_big()

    async def _grew_too_big(self) -> bool:
        """A workspace above the limit may shrink, but not grow."""
        allowed = max(self._limit, self._used)
        self._used = await asyncio.to_thread(self._measure)
        return self._used > allowed

    def _measure(self) -> int:
        began = time.monotonic()
        used = usage(self._root) if self._root.exists() else 0
        ended = time.monotonic()
        self._due = ended + max(_INTERVAL_S, _SHARE * (ended - began))
        return used


async def run_script(
    asked: Exec,
    run: Callable[[Exec, bytes, Capture], Awaitable[Ending]],
    *,
    lost: str,
    disk: DiskWatch,
    oom: Callable[[], bool] = lambda: False,
) -> ExecResult:
    """`lost` says why no command can run any more."""
    text = script(asked.command, cwd=asked.cwd, env=asked.env)
    if text is None:
        return ExecResult(exit_code=CANNOT_RUN, output=NUL_REFUSED)
    if lost:
        raise SandboxError(lost, cause=Cause.SANDBOX_LOST)
    capture, began = Capture(asked.max_output), time.monotonic()
    end = await run(asked, text, capture)
    output, truncated = capture.result()
    return ExecResult(
        exit_code=TIMED_OUT if end.timed_out else end.exit_code,
        output=output,
        truncated=truncated,
        timed_out=end.timed_out,
        oom=oom(),
        disk_full=end.disk_full or await disk.is_full(),
        duration_s=time.monotonic() - began,
    )


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
