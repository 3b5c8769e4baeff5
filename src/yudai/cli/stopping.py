"""Signals: the first one ends the work cleanly, further ones change nothing."""

import asyncio
import signal
import threading
from collections.abc import Coroutine
from typing import Any

from yudai.cli.exits import SIGNALLED

# Ctrl-C, `kill`, and the closed terminal window.
_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def run_until_signal(command: Coroutine[Any, Any, int]) -> int:
    return asyncio.run(_until_signal(command))


async def _until_signal(command: Coroutine[Any, Any, int]) -> int:
    task = asyncio.create_task(command)
    received: list[signal.Signals] = []

    def stop(number: signal.Signals) -> None:
        if not received:
            received.append(number)
            task.cancel()

    loop = asyncio.get_running_loop()
    if threading.current_thread() is threading.main_thread():
        for number in _SIGNALS:
            # What we were told to ignore (nohup, a script's background job) stays without effect,
            # but commands in sandboxes must not inherit that.
            ignored = signal.getsignal(number) is signal.SIG_IGN
            loop.add_signal_handler(number, _nothing if ignored else stop, number)
    try:
        return await task
    except asyncio.CancelledError:
        if not received:
            raise
        return SIGNALLED + received[0]


def _nothing(_: signal.Signals) -> None:
    pass
