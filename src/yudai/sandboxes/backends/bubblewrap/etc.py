"""The sandbox's own /etc: generated names, and the few host files that programs need."""

import os
import shutil
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from yudai.sandboxes.backends.trees import build_once

HOSTS = "127.0.0.1 localhost sandbox\n::1 localhost\n"
_GENERATED = {
    "passwd": (
        "root:x:0:0:root:/nonexistent:/usr/sbin/nologin\n"
        "agent:x:{uid}:{uid}:agent:/tmp/home:/bin/sh\n"
        "nobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin\n"
    ),
    "group": "root:x:0:\nagent:x:{uid}:\nnogroup:x:65534:\n",
    "hosts": HOSTS,
    "hostname": "sandbox\n",
    "nsswitch.conf": "passwd: files\ngroup: files\nhosts: files\n",
    "resolv.conf": "",
}

_TAKEN = (
    "alternatives",
    "debian_version",
    "fonts",
    "java*",
    "ld.so.cache",
    "ld.so.conf",
    "ld.so.conf.d",
    "localtime",
    "mime.types",
    "os-release",
    "perl",
    "pki/ca-trust/extracted",
    "pki/tls/certs",
    "protocols",
    "python3*",
    "services",
    "ssl/certs",
    "ssl/openssl.cnf",
    "timezone",
)


_MANY = 32
"""Entries of a folder that take longer to copy than to mount in each sandbox."""


class Etc(NamedTuple):
    folder: Path
    shared: tuple[tuple[Path, str], ...] = ()
    """Folders of the host that sandboxes see unchanged, and their paths."""


def find(store: Path, uid: int, *, host: Path = Path("/etc")) -> Etc:
    """The /etc for that user, rebuilt when the host's files have changed."""
    sources = [source for pattern in _TAKEN for source in sorted(host.glob(pattern))]
    shared = [source for source in sources if _is_large_and_public(source)]
    facts = [(str(source), source.lstat().st_mtime_ns, source in shared) for source in sources]

    def build(folder: Path) -> None:
        for source in shared:
            (folder / source.relative_to(host)).mkdir(parents=True)
        _build(folder, uid, [source for source in sources if source not in shared], host)

    folder = build_once(store, (uid, _GENERATED, facts), build)
    return Etc(folder, tuple((source, f"/etc/{source.relative_to(host)}") for source in shared))


def _is_large_and_public(source: Path) -> bool:
    """Whether every user may read all files. Otherwise sandboxes could read files through us."""
    if source.is_symlink() or not source.is_dir():
        return False
    modes = [source.lstat().st_mode, *(entry.lstat().st_mode for entry in _below(source))]
    return len(modes) > _MANY and all(map(_is_for_everybody, modes))


def _below(folder: Path) -> Iterator[Path]:
    for place, folders, files in os.walk(folder):
        yield from (Path(place, name) for name in (*folders, *files))


def _is_for_everybody(mode: int) -> bool:
    kinds = (stat.S_ISLNK, stat.S_ISDIR, stat.S_ISREG)
    return any(is_kind(mode) for is_kind in kinds) and bool(mode & stat.S_IROTH)


def _build(target: Path, uid: int, sources: list[Path], host: Path) -> None:
    for name, text in _GENERATED.items():
        (target / name).write_text(text.format(uid=uid))
    for source in sources:
        _copy(source, target / source.relative_to(host))
    for path in (target, *target.rglob("*")):
        if not path.is_symlink():
            path.chmod(0o755 if path.is_dir() else 0o644)


def _copy(source: Path, target: Path) -> None:
    """Copy a host file only if every user may read it."""
    mode = source.lstat().st_mode
    if stat.S_ISLNK(mode):
        target.parent.mkdir(parents=True, exist_ok=True)
        target.symlink_to(source.readlink())
    elif not mode & stat.S_IROTH:
        return
    elif stat.S_ISDIR(mode):
        target.mkdir(parents=True, exist_ok=True)
        for entry in source.iterdir():
            _copy(entry, target / entry.name)
    elif stat.S_ISREG(mode):
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source, target)
