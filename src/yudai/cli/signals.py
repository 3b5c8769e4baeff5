"""Signals: the first one ends the work cleanly, further ones change nothing."""

import asyncio
import signal
import threading
from collections.abc import Coroutine
from types import FrameType
from typing import Any

from yudai.cli.exit_codes import SIGNALLED

# Ctrl-C, `kill`, and the closed terminal window.
_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def run_until_signal(command: Coroutine[Any, Any, int]) -> int:
    if threading.current_thread() is not threading.main_thread():
        return asyncio.run(command)
    stopper = _Stopper()
    before = {number: signal.getsignal(number) for number in _SIGNALS}
    for number, handler in before.items():
        # What we were told to ignore (nohup, a script's background job) stays without effect,
        # but commands in sandboxes must not inherit that.
        signal.signal(number, _nothing if handler is signal.SIG_IGN else stopper.stop)
    try:
        return asyncio.run(stopper.run(command))
    finally:
        # After a signal the process is on its way out, and Python's last steps take a while: an
        # impatient second one must not turn a clean end into a killed one.
        ended = stopper.received is not None
        for number, handler in before.items():
            signal.signal(number, signal.SIG_IGN if ended else handler)


class _Stopper:
    def __init__(self) -> None:
        self.received: int | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._task: asyncio.Task[int] | None = None

    async def run(self, command: Coroutine[Any, Any, int]) -> int:
        self._loop = asyncio.get_running_loop()
        self._task = asyncio.create_task(command)
        if self.received is not None:
            self._task.cancel()
        try:
            return await self._task
        except asyncio.CancelledError:
            if self.received is None:
                raise
            return SIGNALLED + self.received

    def stop(self, number: int, _: FrameType | None) -> None:
        if self.received is not None:
            return
        self.received = number
        if self._loop is not None and self._task is not None:
            self._loop.call_soon_threadsafe(self._task.cancel)


def _nothing(_: int, __: FrameType | None) -> None:
    pass
