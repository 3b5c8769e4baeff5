"""Computes values without a test runner and sends them back as plain values.

It is read from standard input and runs in a namespace of no module: no file, argument or
environment variable contains it. The next line is the job: groups of probes that share their
imports. Each group has a process, and each probe has a process forked from that one.
"""
# The methods of plain types have no types for their items.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false

from __future__ import annotations

import builtins
import os
import resource
import select
import signal
import sys
import time
from _json import encode_basestring_ascii
from contextlib import suppress
from functools import partial
from json import loads

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    Sent = list[Any]
    """A kind, and texts or more of the same."""

# Bound before any code of the repository is loaded, which cannot rebind these names later.
clock, urandom = time.monotonic, os.urandom
fork, pipe, read, write, close, end_now = os.fork, os.pipe, os.read, os.write, os.close, os._exit
kill_group, wait_for, new_group = os.killpg, os.waitpid, os.setpgid
poll, POLL_IN, KILL = select.poll, select.POLLIN, signal.SIGKILL
name_of = type.__dict__["__name__"].__get__
line_of = type.__dict__["__mro__"].__get__
own_members = type.__dict__["__dict__"].__get__

MAX_DEPTH = 20
MAX_ITEMS = 2_000
MAX_TEXT = 20_000
MAX_LINE = 400_000
MAX_MESSAGE = 500
MEMORY = 4 << 30
LOST = '["lost", "%s"]'


class Unplain(Exception):  # noqa: N818 - it is no error
    pass


def dump(value: Sent | str) -> str:
    if isinstance(value, str):
        return encode_basestring_ascii(value)
    return "[" + ", ".join([dump(item) for item in value]) + "]"


class Encoder:
    """Encodes plain values as nested lists of strings; subclasses as their plain base."""

    def __init__(self) -> None:
        self.left = MAX_ITEMS

    def encode(self, value: object, depth: int = 0) -> Sent:
        self.left -= 1
        if depth > MAX_DEPTH or self.left < 0:
            raise Unplain("too much")
        if value is None:
            return ["none", ""]
        kind = plain_kind(type(value))
        if kind is None:
            raise Unplain(name_of(type(value)))
        return ENCODERS[kind](self, value, depth)

    def all(self, name: str, items: Any, depth: int) -> Sent:
        return [name] + [self.encode(item, depth + 1) for item in items]


def plain_kind(kind: type) -> Any:
    """The plain type that this is or extends; None if it defines its own comparison."""
    for one in line_of(kind):
        if one in ENCODERS:
            return one
        if "__eq__" in own_members(one):
            return None
    return None


def text(value: str) -> str:
    if str.__len__(value) > MAX_TEXT:
        raise Unplain("too long a text")
    return str.__str__(value)


def encode_bytes(_: Encoder, value: bytes, __: int) -> Sent:
    if bytes.__len__(value) > MAX_TEXT:
        raise Unplain("too many bytes")
    return ["bytes", bytes.hex(value)]


def encode_int(_: Encoder, value: int, __: int) -> Sent:
    if int.bit_length(value) > 10_000:
        raise Unplain("too long a number")
    return ["int", int.__repr__(value)]


def encode_dict(encoder: Encoder, value: dict[Any, Any], depth: int) -> Sent:
    found: Sent = ["map"]
    for key, inner in dict.items(value):
        found.append([encoder.encode(key, depth + 1), encoder.encode(inner, depth + 1)])
    return found


def encode_bool(_: Encoder, value: bool, __: int) -> Sent:  # noqa: FBT001 - one of a table
    return ["bool", "1" if value else "0"]


def encode_float(_: Encoder, value: float, __: int) -> Sent:
    return ["float", float.__repr__(value)]


def encode_text(_: Encoder, value: str, __: int) -> Sent:
    return ["str", text(value)]


def encode_list(encoder: Encoder, value: list[Any], depth: int) -> Sent:
    return encoder.all("list", list.__iter__(value), depth)


def encode_tuple(encoder: Encoder, value: tuple[Any, ...], depth: int) -> Sent:
    return encoder.all("tuple", tuple.__iter__(value), depth)


def encode_set(encoder: Encoder, value: set[Any], depth: int) -> Sent:
    return encoder.all("set", set.__iter__(value), depth)


def encode_frozen_set(encoder: Encoder, value: frozenset[Any], depth: int) -> Sent:
    return encoder.all("set", frozenset.__iter__(value), depth)


ENCODERS: dict[type, Callable[..., Sent]] = {
    bool: encode_bool,
    int: encode_int,
    float: encode_float,
    str: encode_text,
    bytes: encode_bytes,
    list: encode_list,
    tuple: encode_tuple,
    set: encode_set,
    frozenset: encode_frozen_set,
    dict: encode_dict,
}


def equals_anything(value: object) -> bool:
    """Whether it claims to equal random values, which no test can expect."""
    made_up = urandom(8).hex()
    decoys: list[object] = [made_up, int(made_up, 16), [made_up], {made_up: made_up}, object()]
    try:
        return all(bool(value == decoy) for decoy in decoys)
    except BaseException:  # noqa: BLE001 - code of others
        return False


def sent(value: object) -> str:
    try:
        line = dump(Encoder().encode(value))
    except Unplain as what:
        name = str(what)[:MAX_MESSAGE]
        if plain_kind(type(value)) is not None:
            return dump(["other", name, "0"])
        return dump(["other", name, "1" if equals_anything(value) else "0"])
    return line if len(line) <= MAX_LINE else dump(["lost", "it is too long"])


def raised(error: BaseException) -> str:
    names = [name_of(kind) for kind in line_of(type(error))[:10]]
    try:
        message = str(error)
        message = message[:MAX_MESSAGE] if type(message) is str else ""
    except BaseException:  # noqa: BLE001 - code of others
        message = ""
    return dump(["raised", names, message])


def evaluate(space: dict[str, Any], probe: dict[str, Any], place: str) -> str:
    try:
        code = compile("\n".join(probe["code"]), place, "exec", 0, True)  # noqa: FBT003
        expression = compile(probe["expression"], place, "eval", 0, True)  # noqa: FBT003
        exec(code, space)  # noqa: S102 - what a test would do
        value = eval(expression, space)  # noqa: S307 - what a test would do
    except BaseException as error:  # noqa: BLE001 - whatever it is, it is the result
        return raised(error)
    try:
        return sent(value)
    except BaseException:  # noqa: BLE001 - code of others
        return LOST % "it cannot be read"


class Child:
    """A forked process; the parent reads its output line by line, up to a deadline."""

    def __init__(self, work: Callable[[int], object]) -> None:
        self.buffer = b""
        self.end, into = pipe()
        self.pid = fork()
        if self.pid == 0:
            try:
                new_group(0, 0)
                close(self.end)
                work(into)
            finally:
                end_now(0)
        close(into)
        self.waiter = poll()
        self.waiter.register(self.end, POLL_IN)

    def line(self, until: float) -> str:
        """The next line; "" if there is none in time."""
        while b"\n" not in self.buffer:
            left = until - clock()
            if left <= 0 or not self.waiter.poll(left * 1000):
                return ""
            some = read(self.end, 1 << 16)
            if not some or len(self.buffer) > MAX_LINE:
                return ""
            self.buffer += some
        line, _, self.buffer = self.buffer.partition(b"\n")
        return line.decode("ascii", "replace")

    def stop(self) -> None:
        close(self.end)
        with suppress(OSError):
            kill_group(self.pid, KILL)
        wait_for(self.pid, 0)


def tell(file: int, line: str) -> None:
    data = line.encode("ascii") + b"\n"
    while data:
        data = data[write(file, data) :]


def run_probe(space: dict[str, Any], probe: dict[str, Any], place: str, limit: float) -> str:
    """Run a probe in a separate process, so that a hang affects only this probe."""
    began = clock()
    child = Child(lambda file: tell(file, evaluate(space, probe, place)))
    line = child.line(began + limit)
    late = clock() - began >= limit
    child.stop()
    return line or LOST % ("it did not end in time" if late else "it ended the process")


def run_group(file: int, group: dict[str, Any], limit: float) -> None:
    space: dict[str, Any] = {"__name__": group["name"], "__builtins__": builtins}
    try:
        for line in group["imports"]:
            exec(compile(line, group["place"], "exec", 0, True), space)  # noqa: S102, FBT003
    except BaseException as error:  # noqa: BLE001 - whatever it is, it is the result of each
        for _ in group["probes"]:
            tell(file, raised(error))
        return
    for probe in group["probes"]:
        tell(file, run_probe(space, probe, group["place"], limit))


def run_apart(out: int, group: dict[str, Any], limit: float, file: int) -> None:
    """Run a group in its own process, which cannot write to the output for results."""
    close(out)
    run_group(file, group, limit)


def play_runner(job: dict[str, Any]) -> None:
    """Imitate a test runner, to find values that are right only inside one."""
    for name in job["modules"]:
        __import__(name)
    os.environ.update(job["env"])  # noqa: TID251 - not our process
    sys.argv = list(job["argv"])


def main() -> None:
    job = loads(sys.stdin.readline())
    out, null = os.dup(1), os.open(os.devnull, os.O_RDWR)
    for standard in (0, 1, 2):
        os.dup2(null, standard)
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    play_runner(job)
    until = clock() + job["whole_s"]
    for group in job["groups"]:
        child = Child(partial(run_apart, out, group, job["probe_s"]))
        patience = job["import_s"]
        for number, _ in enumerate(group["probes"]):
            line = child.line(min(until, clock() + patience + job["probe_s"]))
            patience = 1.0
            tell(out, line or LOST % "it did not end in time")
            if not line:
                for _ in group["probes"][number + 1 :]:
                    tell(out, LOST % "one before it did not end")
                break
        child.stop()


main()
