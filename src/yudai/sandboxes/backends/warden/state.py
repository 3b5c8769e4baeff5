"""What the warden remembers on the machine's disk, in folders that only root can enter."""

import errno
import fcntl
import json
import os
import re
import signal
import sys
from collections.abc import Generator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple

from yudai.sandboxes.backends.warden.protocol import FOLDER, Ending, say

RESULTS = Path(FOLDER, "results")
SEALED = Path(FOLDER, "sealed")
RUN = Path(FOLDER, "run")
"""Scripts, which the agent's shell reads: it can be entered, not listed."""
_BEGUN = RESULTS / "begun"
_KILLED = RESULTS / "killed"
_TURN = RESULTS / "turn"
_SETTLED = SEALED / "machine.json"
_ROOM = 4096
_FULL = (errno.ENOSPC, errno.EDQUOT)
_ID = re.compile(r"[a-z0-9-]{1,64}\Z")


class Agent(NamedTuple):
    """Who runs commands, as `init` has found it possible."""

    uid: int
    gid: int
    separate: bool
    """Whether that is another user than the warden."""
    shell: str

    @classmethod
    def load(cls) -> "Agent":
        return cls(**json.loads(_SETTLED.read_bytes()))

    def save(self) -> None:
        write(_SETTLED, json.dumps(self._asdict()).encode())


def checked(request_id: str) -> str:
    if not _ID.match(request_id):
        raise OSError(f"not a request's name: {request_id!r}")
    return request_id


def take_turn() -> int:
    """Take the lock for one request at a time; it is released with its last descriptor."""
    lock = os.open(_TURN, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    fcntl.flock(lock, fcntl.LOCK_EX)
    return lock


@contextmanager
def turn() -> Generator[None]:
    lock = take_turn()
    try:
        yield
    finally:
        os.close(lock)


def make_folders() -> None:
    for folder in (_BEGUN, _KILLED):
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)


def begin(request_id: str) -> None:
    """Record that it has started, and remove the results of earlier requests."""
    (_BEGUN / request_id).touch()
    for file in RESULTS.iterdir():
        if not file.is_dir() and file != _TURN and file.stem != request_id:
            file.unlink()


def has_begun(request_id: str) -> bool:
    return (_BEGUN / request_id).exists()


def forbid(request_id: str) -> None:
    """The request will not start any more; a running one needs a kill."""
    (_KILLED / request_id).touch()


def is_forbidden(request_id: str) -> bool:
    return (_KILLED / request_id).exists()


def bell(request_id: str) -> Path:
    """A pipe that asks a running request to end."""
    return RESULTS / f"{request_id}.bell"


def finish(request_id: str, ending: Ending, output: bytes) -> None:
    """Store the answer; on a full disk, without its output."""
    try:
        write(RESULTS / f"{request_id}.output", output)
    except OSError:
        (RESULTS / f"{request_id}.output").unlink(missing_ok=True)
        ending = ending._replace(disk_full=True, truncated=bool(output))
    write(RESULTS / f"{request_id}.ending", json.dumps(ending._asdict()).encode())


def is_full() -> bool:
    """Whether nothing can be noted any more: the disk has no bytes left, or no names."""
    probe = RESULTS / "probe"
    try:
        write(probe, bytes(_ROOM))
    except OSError as error:
        return error.errno in _FULL
    probe.unlink()
    return False


def report(request_id: str) -> bool:
    """Print the answer; False while there is none."""
    try:
        ending: dict[str, Any] = json.loads((RESULTS / f"{request_id}.ending").read_bytes())
    except FileNotFoundError:
        return False
    output = b""
    with suppress(FileNotFoundError):
        output = (RESULTS / f"{request_id}.output").read_bytes()
    speak(request_id, ending, output)
    return True


def speak(name: str, header: Mapping[str, Any], body: bytes = b"") -> None:
    # No sign of life may come between the lines of an answer.
    signal.setitimer(signal.ITIMER_REAL, 0)
    for line in say(name, header, body):
        sys.stdout.buffer.write(line)
    sys.stdout.buffer.flush()


def write(path: Path, content: bytes) -> None:
    """Whole or not at all, and for our eyes only."""
    draft = path.with_name(f"{path.name}.new")
    file = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
    try:
        with open(file, "wb") as writer:  # noqa: PTH123 - a descriptor
            writer.write(content)
        draft.replace(path)
    except OSError:
        draft.unlink(missing_ok=True)
        raise
