"""System calls that no build or test needs and that reach past a namespace, as a BPF program.

Denied: the kernel's keys (the session's would be inherited), new namespaces, the parts of
the kernel with the longest record of escapes, another's limits for process 1, and sockets that no
network namespace keeps in.
"""

import errno
import platform
import struct
from typing import NamedTuple

_NUMBER, _ARCH, _FIRST_ARGUMENT = 0, 4, 16
_LOAD, _JUMP_EQUAL, _JUMP_ABOVE, _JUMP_BITS, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_ALLOW, _ERRNO = 0x7FFF0000, 0x00050000
_NEW_USER_NAMESPACE = 0x10000000
_X32 = 0x40000000
_RUNNER = 1
_VIRTUAL_MACHINES = 40
"""A family of sockets: it leads from this machine, if it is a virtual one, to what runs it."""


class _Machine(NamedTuple):
    arch: int
    denied: tuple[int, ...]
    absent: tuple[int, ...]
    """Answered as unknown to the kernel, so that libraries use alternatives."""
    namespaces: tuple[int, ...]
    """Denied when their first argument asks for a user namespace."""
    limits: int
    """Denied for process 1."""
    socket: int


_NEWER = (425, 426, 427, 435)
"""io_uring, whose work no filter sees, and clone3, whose flags none sees: everywhere the same."""

_MACHINES = {
    "x86_64": _Machine(
        arch=0xC000003E,
        # add_key request_key keyctl bpf userfaultfd perf_event_open kexec x2 handles setns
        denied=(248, 249, 250, 321, 323, 298, 246, 320, 304, 308),
        absent=_NEWER,
        namespaces=(272, 56),
        limits=302,
        socket=41,
    ),
    "aarch64": _Machine(
        arch=0xC00000B7,
        denied=(217, 218, 219, 280, 282, 241, 104, 294, 265, 268),
        absent=_NEWER,
        namespaces=(97, 220),
        limits=261,
        socket=198,
    ),
}


def program(machine: str = platform.machine()) -> bytes | None:
    """The filter for bubblewrap; None for an unknown processor architecture."""
    if machine not in _MACHINES:
        return None
    known = _MACHINES[machine]
    lines = [
        _line(_LOAD, _ARCH),
        *_when(_JUMP_EQUAL, known.arch, errno.ENOSYS, is_met=False),
        _line(_LOAD, _NUMBER),
        *_when(_JUMP_ABOVE, _X32, errno.ENOSYS),
    ]
    for number in known.denied:
        lines += _when(_JUMP_EQUAL, number, errno.EPERM)
    for number in known.absent:
        lines += _when(_JUMP_EQUAL, number, errno.ENOSYS)
    for number in known.namespaces:
        lines += _when_argument(number, _JUMP_BITS, _NEW_USER_NAMESPACE, errno.EPERM)
    lines += _when_argument(known.limits, _JUMP_EQUAL, _RUNNER, errno.EPERM)
    lines += _when_argument(known.socket, _JUMP_EQUAL, _VIRTUAL_MACHINES, errno.EAFNOSUPPORT)
    return b"".join([*lines, _line(_RETURN, _ALLOW)])


def _line(code: int, value: int, *, then: int = 0, otherwise: int = 0) -> bytes:
    return struct.pack("=HBBI", code, then, otherwise, value)


def _when(jump: int, value: int, error: int, *, is_met: bool = True) -> list[bytes]:
    return [
        _line(jump, value, then=int(not is_met), otherwise=int(is_met)),
        _line(_RETURN, _ERRNO | error),
    ]


def _when_argument(number: int, jump: int, value: int, error: int) -> list[bytes]:
    """Deny a call by the low half of its first argument, then have the number loaded again."""
    return [
        _line(_JUMP_EQUAL, number, otherwise=4),
        _line(_LOAD, _FIRST_ARGUMENT),
        *_when(jump, value, error),
        _line(_LOAD, _NUMBER),
    ]
