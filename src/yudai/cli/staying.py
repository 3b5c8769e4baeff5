"""Signals of a process that stays: the first ends it gently, the second at once."""

import asyncio
import os
import signal
import threading
from collections.abc import Coroutine
from types import FrameType
from typing import Any

from yudai.cli.exit_codes import OK, SIGNALLED

_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def stay_until_signal(command: Coroutine[Any, Any, int]) -> int:
    """Run it; a signal cancels it, and what it has opened closes itself on the way out."""
    if threading.current_thread() is not threading.main_thread():
        return asyncio.run(command)
    leaver = _Leaver()
    before = {number: signal.getsignal(number) for number in _SIGNALS}
    for number, handler in before.items():
        # As elsewhere, what we were told to ignore is not passed on to sandboxes.
        signal.signal(number, _nothing if handler is signal.SIG_IGN else leaver.leave)
    try:
        return asyncio.run(leaver.run(command))
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


class _Leaver:
    def __init__(self) -> None:
        self._received: int | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._task: asyncio.Task[int] | None = None

    async def run(self, command: Coroutine[Any, Any, int]) -> int:
        self._loop = asyncio.get_running_loop()
        self._task = asyncio.create_task(command)
        if self._received is not None:
            self._task.cancel()
        try:
            return await self._task
        except asyncio.CancelledError:
            if self._received is None:
                raise
            # Who manages services ends them by SIGTERM: that is no failure.
            return OK if self._received == signal.SIGTERM else SIGNALLED + self._received

    def leave(self, number: int, _: FrameType | None) -> None:
        if self._received is not None:
            # Nothing is lost: whoever starts next takes up what is left, as after a crash.
            os._exit(SIGNALLED + number)
        self._received = number
        if self._loop is not None and self._task is not None:
            self._loop.call_soon_threadsafe(self._task.cancel)


def _nothing(_: int, __: FrameType | None) -> None:
    pass
