"""Runs a request, or waits for a running one, and reports its result."""

import base64
import os
import signal
import sys
from collections.abc import Sequence
from pathlib import Path
from types import FrameType

from yudai.sandboxes.backends.warden import state
from yudai.sandboxes.backends.warden.processes import ProcessTree
from yudai.sandboxes.backends.warden.protocol import (
    FROM_STDIN,
    FULL,
    FULL_TEXT,
    REQUESTS,
    Ending,
    Request,
)
from yudai.sandboxes.backends.warden.supervisor import start

_SILENCE_S = 20.0
_WARDEN_KILLED = "the warden was killed while a command ran"


def run(words: Sequence[str]) -> int:
    """`exec ID [REQUEST]`: in base64; `-`: on standard input; else in the file of that name."""
    request_id = state.checked(words[0])
    _keep_talking()
    given = _given(words[1:])
    # At the second look our own supervisor has ended, unless it did not even begin.
    for _ in range(2):
        lock = state.take_turn()
        try:
            if _is_answered(request_id):
                return 0
            start(_request(request_id, given), lock)
        finally:
            os.close(lock)
    with state.turn():
        if not _is_answered(request_id):
            _report_loss(request_id, "a command could not be started")
    return 0


def _keep_talking() -> None:
    """A proxy may close a connection on which nothing is sent for long."""

    def send_sign_of_life(_signal: int, _frame: FrameType | None) -> None:
        os.write(1, b"...\n")

    signal.signal(signal.SIGALRM, send_sign_of_life)
    signal.setitimer(signal.ITIMER_REAL, _SILENCE_S, _SILENCE_S)


def _is_answered(request_id: str) -> bool:
    if state.report(request_id):
        return True
    if state.has_begun(request_id):
        # We hold the lock, so its supervisor is dead; the command's processes may still run.
        ProcessTree(state.Agent.load()).kill_all()
        _report_loss(request_id, _WARDEN_KILLED)
        return True
    if state.is_forbidden(request_id):
        state.speak(request_id, Ending(killed=True)._asdict())
        return True
    return False


def _report_loss(request_id: str, why: str) -> None:
    """Who fills the disk so that nothing can be noted has not lost its machine by our fault."""
    if state.is_full():
        state.speak(request_id, FULL._asdict(), FULL_TEXT)
    else:
        state.speak(request_id, Ending(lost=why)._asdict())


def _given(words: Sequence[str]) -> bytes:
    if not words:
        return b""
    # Half of it, when the line is cut, is nothing that could be read.
    return sys.stdin.buffer.read() if words[0] == FROM_STDIN else base64.b64decode(words[0])


def _request(request_id: str, given: bytes) -> Request:
    file = Path(REQUESTS, request_id)
    for other in Path(REQUESTS).iterdir():
        if other != file:
            other.unlink()
    return Request.load(given or file.read_bytes())._replace(id=request_id)
