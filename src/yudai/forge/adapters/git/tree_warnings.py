"""Warnings about a tree: contents that a sandbox will not have."""

import hashlib
import os
import posixpath
import re
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from yudai.forge.adapters.git.command import Git
from yudai.forge.adapters.git.objects import LINK, SUBMODULE, Entry, read_objects
from yudai.patches.patch import readable

_NAMED = 3
_MAX_READ = 256 << 20
_MAX_TARGET = 4096
_MAX_ATTRIBUTES = 1 << 20


async def remarks(git: Git, entries: Sequence[Entry]) -> tuple[str, ...]:
    """One line per kind, with the first names."""
    submodules = [entry.path for entry in entries if entry.mode == SUBMODULE]
    pointers = [entry.path for entry in await _pointers(git, entries)]
    astray = [entry.path for entry in await _astray(git, entries)]
    return (
        *_line(submodules, "submodule is", "submodules are", "left empty"),
        *_line(pointers, "LFS file is", "LFS files are", "left as the pointer that git keeps"),
        *_line(astray, "symbolic link leads", "symbolic links lead", "outside the repository"),
    )


def left_out(repositories: Sequence[bytes]) -> list[str]:
    return _line(repositories, "repository inside is", "repositories inside are", "left out")


async def _pointers(git: Git, entries: Sequence[Entry]) -> list[Entry]:
    attributes = [
        entry.oid
        for entry in entries
        if posixpath.basename(entry.path) == b".gitattributes" and entry.size <= _MAX_ATTRIBUTES
    ]
    rules = await read_objects(git, attributes, max_bytes=_MAX_READ)
    if not any(FILTER in rule.body for rule in rules.values()):
        return []
    likely = [e for e in entries if MIN_POINTER <= e.size <= MAX_POINTER and e.mode != LINK]
    contents = await read_objects(git, (entry.oid for entry in likely), max_bytes=_MAX_READ)
    found = {oid for oid, content in contents.items() if parse_pointer(content.body)}
    return [entry for entry in likely if entry.oid in found]


async def _astray(git: Git, entries: Sequence[Entry]) -> list[Entry]:
    links = [e for e in entries if e.mode == LINK and e.size <= _MAX_TARGET]
    targets = await read_objects(git, (link.oid for link in links), max_bytes=_MAX_READ)
    return [link for link in links if leads_outside(link.path, targets[link.oid].body)]


def leads_outside(path: bytes, target: bytes) -> bool:
    where = posixpath.normpath(posixpath.join(posixpath.dirname(path), target))
    return where.startswith(b"/") or where.split(b"/")[0] == b".."


def _line(found: Sequence[bytes], one: str, many: str, what: str) -> list[str]:
    if not found:
        return []
    return [f"{len(found)} {one if len(found) == 1 else many} {what}: {first_names(found)}"]


def first_names(paths: Sequence[bytes]) -> str:
    """The first paths, and how many more there are."""
    names = [readable(path.decode("utf-8", "surrogateescape")) for path in paths[:_NAMED]]
    more = f" and {len(paths) - _NAMED} more" if len(paths) > _NAMED else ""
    return ", ".join(names) + more


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
