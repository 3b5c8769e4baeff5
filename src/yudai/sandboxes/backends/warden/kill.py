"""Ends a request: kills a running one, and forbids one that has not started."""

import errno
import os
from collections.abc import Sequence

from yudai.sandboxes.backends.warden import exec, state


def run(words: Sequence[str]) -> int:
    """`kill ID`: tells how it ended, once it has."""
    request_id = state.checked(words[0])
    state.forbid(request_id)
    _ring(request_id)
    return exec.run([request_id])


def _ring(request_id: str) -> None:
    try:
        bell = os.open(state.bell(request_id), os.O_WRONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError as error:
        # No reader: it has ended, or will see that it is forbidden before it starts.
        if error.errno not in (errno.ENOENT, errno.ENXIO):
            raise
        return
    try:
        os.write(bell, b"!")
    finally:
        os.close(bell)
