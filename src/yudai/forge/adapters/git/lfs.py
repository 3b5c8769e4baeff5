"""Git LFS: small texts that stand for big files kept elsewhere."""

import hashlib
import os
import re
from pathlib import Path
from typing import NamedTuple

FILTER = b"filter=lfs"
MIN_POINTER = 100
MAX_POINTER = 1024

_POINTER = re.compile(
    rb"version https://git-lfs\.github\.com/spec/v1\n"
    rb"(?:ext-.*\n)*oid sha256:([0-9a-f]{64})\nsize (\d{1,18})\n"
)
_CHUNK = 1 << 20
_OPEN = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


class Pointer(NamedTuple):
    sha256: str
    size: int


def parse_pointer(content: bytes) -> Pointer | None:
    match = _POINTER.fullmatch(content)
    return Pointer(match[1].decode(), int(match[2])) if match else None


def stands_for(pointer: Pointer, file: Path) -> bool:
    """Whether that file holds what the pointer names."""
    try:
        descriptor = os.open(file, _OPEN)
    except OSError:
        return False
    with open(descriptor, "rb") as content:  # noqa: PTH123 - a descriptor
        if os.fstat(descriptor).st_size != pointer.size:
            return False
        digest = hashlib.sha256()
        while chunk := content.read(_CHUNK):
            digest.update(chunk)
    return digest.hexdigest() == pointer.sha256
