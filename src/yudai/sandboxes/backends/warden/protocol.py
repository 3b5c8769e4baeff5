"""The warden's requests and answers: the same module on both ends."""

import base64
import binascii
import json
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

FOLDER = "/var/lib/yudai"
ARCHIVE = f"{FOLDER}/warden.pyz"
LIBRARY = f"{FOLDER}/library"
REQUESTS = f"{FOLDER}/requests"
RECORD = f"{FOLDER}/record"
FROM_STDIN = "-"
AGENT_HOME = "/home/agent"
AGENT_ID = 58123

CANNOT_RUN = 126
TIMED_OUT = 124
KILLED = 137
MAX_CHANGES = 16 << 20
"""The most that a walk may say."""

_CHUNK = 45_000
_MARK = b"yudai-warden "


class Request(NamedTuple):
    """One command; it runs at most once, even if the request is sent again."""

    id: str
    script: bytes
    variables: Mapping[str, str]
    """The whole environment."""
    stdin: bytes = b""
    timeout_s: float = 60.0
    max_output: int = 1_000_000
    as_root: bool = False
    processes: int = 512
    file_bytes: int = 4 << 30
    disk_bytes: int = 4 << 30
    disk_folders: tuple[str, ...] = ()
    """What they hold together is measured."""

    def dump(self) -> bytes:
        words = self._asdict()
        for name in ("script", "stdin"):
            words[name] = base64.b64encode(words[name]).decode()
        words["variables"] = dict(self.variables)
        return json.dumps(words).encode()

    @classmethod
    def load(cls, text: bytes) -> "Request":
        words: dict[str, Any] = json.loads(text)
        for name in ("script", "stdin"):
            words[name] = base64.b64decode(words[name])
        words["disk_folders"] = tuple(words["disk_folders"])
        return cls(**words)


class Ending(NamedTuple):
    """How a command came to its end."""

    exit_code: int = KILLED
    truncated: bool = False
    timed_out: bool = False
    oom: bool = False
    disk_full: bool = False
    killed: bool = False
    """Because a kill was requested."""
    duration_s: float = 0.0
    lost: str = ""
    """Why nothing can be said of it, and no further command should be run."""


FULL = Ending(exit_code=CANNOT_RUN, disk_full=True)
FULL_TEXT = b"yudai: the disk is full\n"


class Heard(NamedTuple):
    header: dict[str, Any]
    body: bytes


def say(name: str, header: Mapping[str, Any], body: bytes = b"") -> Iterator[bytes]:
    """An answer in lines of ASCII; `name` says to what."""
    words = json.dumps({**header, "size": len(body)})
    yield b"%s%s %s\n" % (_MARK, name.encode(), words.encode())
    for start in range(0, len(body), _CHUNK):
        yield base64.b64encode(body[start : start + _CHUNK]) + b"\n"


def hear(name: str, said: bytes) -> Heard | None:
    """Find the answer in the output, after any start-up text of a shell; None: incomplete."""
    found = said.find(_MARK + name.encode() + b" ")
    if found < 0:
        return None
    line, _, lines = said[found:].partition(b"\n")
    try:
        header: dict[str, Any] = json.loads(line[len(_MARK) + len(name) + 1 :])
        body = b"".join(map(base64.b64decode, lines.split()))
    except (ValueError, binascii.Error):
        return None
    return Heard(header, body) if len(body) == header.get("size") else None


def room_for(size: int) -> int:
    """How long an answer with a body of that size can be on the line."""
    return size * 4 // 3 + size // 1000 + (64 << 10)
