"""Keeps our descriptors from programs that we start, as Python itself does for those it opens.

Some come from whoever started us, and `posix_spawn` passes on what nobody has closed. Not covered
is what another thread opens, without Python, between this and the start of the program.
"""

import ctypes
import os
from contextlib import suppress
from pathlib import Path

_FIRST = 3
_LAST = 2**32 - 1
_CLOSE_RANGE = 436
_ON_EXEC = 4
_OWN = Path("/proc/self/fd")


def keep() -> None:
    """All but the standard ones are closed when a program takes a child's place."""
    # The call itself, by its number, for libraries know it only since glibc 2.34.
    asked = map(ctypes.c_uint, (_FIRST, _LAST, _ON_EXEC))
    # With Python's lock held, so that no other thread of it comes in between.
    if ctypes.PyDLL(None).syscall(ctypes.c_long(_CLOSE_RANGE), *asked) != 0:
        _keep_each()


def _keep_each() -> None:
    """For kernels before 5.11."""
    for descriptor in [int(entry.name) for entry in _OWN.iterdir()]:
        if descriptor >= _FIRST:
            # The one of the listing is closed by now.
            with suppress(OSError):
                os.set_inheritable(descriptor, False)  # noqa: FBT003 - its only way
