"""Files of a snapshot, read from the mirror that holds it."""

import errno
import os
import posixpath
from collections.abc import Sequence

from yudai.forge.adapters.git.mirror import Mirror
from yudai.forge.adapters.git.objects import LINK, SUBMODULE, Entry
from yudai.forge.ports.folder import Snapshot

_MAX_HOPS = 8


async def list_paths(mirror: Mirror, snapshot: Snapshot) -> tuple[str, ...]:
    entries = await mirror.entries(snapshot)
    return tuple(_text(entry.path) for entry in files_of(entries))


async def read_file(mirror: Mirror, snapshot: Snapshot, path: str, *, max_bytes: int) -> bytes:
    """A link is read as what it leads to in the tree."""
    for _ in range(_MAX_HOPS):
        entry = await mirror.find(snapshot, path)
        if entry is None or entry not in files_of([entry]):
            break
        if entry.size > max_bytes:
            raise OSError(errno.EFBIG, os.strerror(errno.EFBIG), path)
        content = await mirror.git.ask("cat-file", "blob", entry.oid)
        if entry.mode != LINK:
            return content
        path = posixpath.normpath(posixpath.join(posixpath.dirname(path), _text(content)))
    raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), path)


def _text(path: bytes) -> str:
    return path.decode("utf-8", "surrogateescape")


def files_of(entries: Sequence[Entry]) -> list[Entry]:
    """Files and links: neither folders nor submodules."""
    return [entry for entry in entries if not entry.is_folder and entry.mode != SUBMODULE]
