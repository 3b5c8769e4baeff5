"""The filter of system calls, run by a small interpreter of its own language."""

import errno
import platform
import socket
import struct

import pytest

from yudai.sandboxes.backends.bubblewrap import seccomp

ALLOWED = 0x7FFF0000
X86_64, AARCH64, I386 = 0xC000003E, 0xC00000B7, 0x40000003
MACHINES = {"x86_64": X86_64, "aarch64": AARCH64}

NUMBERS = {
    "x86_64": {
        "keyctl": 250,
        "unshare": 272,
        "clone": 56,
        "prlimit64": 302,
        "read": 0,
        "socket": 41,
        "socketpair": 53,
    },
    "aarch64": {
        "keyctl": 219,
        "unshare": 97,
        "clone": 220,
        "prlimit64": 261,
        "read": 63,
        "socket": 198,
        "socketpair": 199,
    },
}


def refused(error: int) -> int:
    return 0x00050000 | error


def run(program: bytes, *, arch: int, number: int, argument: int = 0) -> int:
    lines = list(struct.iter_unpack("=HBBI", program))
    data = struct.pack("=IIQQ", number, arch, 0, argument)
    position, held = 0, 0
    while True:
        code, then, otherwise, value = lines[position]
        position += 1
        if code == 0x06:
            return value
        if code == 0x20:
            held = struct.unpack_from("=I", data, value)[0]
        else:
            true = {0x15: held == value, 0x35: held >= value, 0x45: bool(held & value)}[code]
            position += then if true else otherwise


@pytest.fixture(params=MACHINES)
def machine(request: pytest.FixtureRequest) -> str:
    return request.param


def decide(
    machine: str,
    number: int,
    argument: int = 0,
    *,
    arch: int | None = None,
) -> int:
    program = seccomp.program(machine)
    assert program is not None
    return run(program, arch=arch or MACHINES[machine], number=number, argument=argument)


def test_ordinary_calls_are_allowed(machine: str):
    assert decide(machine, NUMBERS[machine]["read"]) == ALLOWED


def test_keys_are_denied(machine: str):
    assert decide(machine, NUMBERS[machine]["keyctl"]) == refused(errno.EPERM)


@pytest.mark.parametrize("call", ["unshare", "clone"])
def test_user_namespaces_are_denied_and_processes_are_not(machine: str, call: str):
    number = NUMBERS[machine][call]

    assert decide(machine, number, 0x10000000 | 0x11) == refused(errno.EPERM)
    assert decide(machine, number, 0x11) == ALLOWED


def test_only_the_runners_limits_are_guarded(machine: str):
    number = NUMBERS[machine]["prlimit64"]

    assert decide(machine, number, 1) == refused(errno.EPERM)
    assert decide(machine, number, 0) == ALLOWED
    assert decide(machine, number, 2) == ALLOWED


@pytest.mark.parametrize("number", [425, 426, 427, 435])
def test_what_no_filter_can_see_into_does_not_exist(machine: str, number: int):
    assert decide(machine, number) == refused(errno.ENOSYS)


def test_calls_of_another_machine_do_not_exist(machine: str):
    assert decide(machine, 1, arch=I386) == refused(errno.ENOSYS)
    assert decide(machine, 0x40000000) == refused(errno.ENOSYS)


def test_an_unknown_machine_has_no_filter():
    assert seccomp.program("pdp11") is None
    assert seccomp.program() == seccomp.program(platform.machine())


def test_sockets_that_no_network_namespace_keeps_in_are_denied(machine: str):
    numbers = NUMBERS[machine]
    denied = decide(machine, numbers["socket"], socket.AF_VSOCK)

    assert denied == refused(errno.EAFNOSUPPORT)
    for family in (socket.AF_UNIX, socket.AF_INET, socket.AF_INET6, socket.AF_NETLINK):
        assert decide(machine, numbers["socket"], family) == ALLOWED
    assert decide(machine, numbers["socketpair"], socket.AF_UNIX) == ALLOWED
