"""The box's own /etc: generated names, and copies of the few host files that programs need."""

import hashlib
import shutil
import stat
from pathlib import Path
from tempfile import mkdtemp

from yudai.adapters.sandboxes.removal import remove_tree

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

_COPIED = (
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


def find(store: Path, uid: int, *, host: Path = Path("/etc")) -> Path:
    """The folder for that user, made when the host's files have changed since the last time."""
    sources = [source for pattern in _COPIED for source in sorted(host.glob(pattern))]
    facts = [(str(source), source.lstat().st_mtime_ns) for source in sources]
    name = hashlib.sha256(repr((uid, _GENERATED, facts)).encode()).hexdigest()[:16]
    folder = store / name
    if not folder.exists():
        store.mkdir(mode=0o700, parents=True, exist_ok=True)
        draft = Path(mkdtemp(prefix=".new-", dir=store))
        _build(draft, uid, sources, host)
        try:
            draft.rename(folder)
        except OSError:
            # Somebody else was faster.
            remove_tree(draft)
    return folder


def _build(target: Path, uid: int, sources: list[Path], host: Path) -> None:
    for name, text in _GENERATED.items():
        (target / name).write_text(text.format(uid=uid))
    for source in sources:
        _copy(source, target / source.relative_to(host))
    for path in (target, *target.rglob("*")):
        if not path.is_symlink():
            path.chmod(0o755 if path.is_dir() else 0o644)


def _copy(source: Path, target: Path) -> None:
    """Of the host only what everybody may read."""
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
