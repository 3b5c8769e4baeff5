"""Signals of a command: the first one ends its work cleanly.

A command that does one thing ignores further signals while it ends. A process that stays, such as a
server, ends at once at the second one.
"""

import asyncio
import os
import signal
import threading
from collections.abc import Coroutine
from types import FrameType
from typing import Any

from yudai.cli.exit_codes import OK, SIGNALLED

# Ctrl-C, `kill`, and the closed terminal window.
_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def run_until_signal(command: Coroutine[Any, Any, int]) -> int:
    """Run a command that does one thing; its exit code tells which signal ended it."""
    stopper = _Stopper()
    try:
        return _run(stopper, command)
    finally:
        # After a signal the process is on its way out, and Python's last steps take a while: an
        # impatient second one must not turn a clean end into a killed one.
        if stopper.received is not None:
            for number in _SIGNALS:
                signal.signal(number, signal.SIG_IGN)


def stay_until_signal(command: Coroutine[Any, Any, int]) -> int:
    """Run it; a signal cancels it, and what it has opened closes itself on the way out."""
    return _run(_ServiceStopper(), command)


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
            return self.exit_code(self.received)

    def exit_code(self, number: int) -> int:
        return SIGNALLED + number

    def stop(self, number: int, _: FrameType | None) -> None:
        if self.received is not None:
            self.stop_again(number)
            return
        self.received = number
        if self._loop is not None and self._task is not None:
            self._loop.call_soon_threadsafe(self._task.cancel)

    def stop_again(self, number: int) -> None:
        """Ignore it, because the work is already ending."""


class _ServiceStopper(_Stopper):
    def exit_code(self, number: int) -> int:
        # Who manages services ends them by SIGTERM: that is no failure.
        return OK if number == signal.SIGTERM else super().exit_code(number)

    def stop_again(self, number: int) -> None:
        # Nothing is lost: the next process continues the work, as after a crash.
        os._exit(SIGNALLED + number)


def _run(stopper: _Stopper, command: Coroutine[Any, Any, int]) -> int:
    if threading.current_thread() is not threading.main_thread():
        return asyncio.run(command)
    before = {number: signal.getsignal(number) for number in _SIGNALS}
    for number, handler in before.items():
        # Signals that our parent ignores (nohup, a script's background job) stay ignored,
        # but commands in sandboxes must not inherit that.
        signal.signal(number, _nothing if handler is signal.SIG_IGN else stopper.stop)
    try:
        return asyncio.run(stopper.run(command))
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _nothing(_: int, __: FrameType | None) -> None:
    pass
