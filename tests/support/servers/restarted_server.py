"""A PostgreSQL server of one's own, for tests that stop it and start it again."""

import os
import secrets
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from tests.support.servers import databases, postgres

TEMPLATE = databases.TEMPLATE
# Its process is sent signals, so that it stays among ours; then there is no /proc of its own.
_NOT_IN_BOX = ("--unshare-pid", "--proc", "/proc")


class RestartableServer:
    """Its data outlive it; `url` gives a fresh database of the newest schema."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._data = folder / "data"
        (folder / "pg_hba.conf").write_text(postgres._HBA)
        guise = postgres._disguise(folder)
        self._sandbox = [word for word in guise.sandbox if word not in _NOT_IN_BOX]
        self._user = guise.user
        self._process: subprocess.Popen[bytes] | None = None
        making = [*self._sandbox, *postgres._making(self._data)]
        subprocess.run(making, check=True, user=self._user, stdout=subprocess.DEVNULL)

    def start(self) -> None:
        command = [*self._sandbox, *postgres._serving(self.folder, self._data)]
        # What was committed has to outlive a crash of the server, if not of the machine.
        command += ["-c", "synchronous_commit=on"]
        env = {name: value for name, value in os.environ.items() if not name.startswith("PG")}
        self._process = subprocess.Popen(
            command, user=self._user, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        postgres._wait_until_ready(self.folder, self._process)

    def stop(self, how: signal.Signals = signal.SIGINT) -> None:
        """SIGINT ends every connection in good order; SIGQUIT is as a crash would be."""
        assert self._process is not None
        leader = int((self._data / "postmaster.pid").read_text().split()[0])
        os.kill(leader, how)
        self._process.wait()
        self._process = None

    @property
    def is_up(self) -> bool:
        return self._process is not None

    def make_template(self) -> None:
        databases._execute(self.folder, "CREATE DATABASE {} TEMPLATE template0", TEMPLATE)
        databases._migrate(databases._url(self.folder, TEMPLATE))

    def new_database(self) -> str:
        name = f"test_{secrets.token_hex(4)}"
        copying = "CREATE DATABASE {} TEMPLATE {} STRATEGY file_copy"
        databases._execute(self.folder, copying, name, TEMPLATE)
        return databases._url(self.folder, name)


@contextmanager
def restartable_server() -> Generator[RestartableServer]:
    # Not pytest's folder: a socket's path has to be short.
    folder = Path(tempfile.mkdtemp(prefix="yudai-pg-own-"))
    server: RestartableServer | None = None
    try:
        server = RestartableServer(folder)
        server.start()
        server.make_template()
        yield server
    finally:
        if server is not None and server.is_up:
            server.stop(signal.SIGQUIT)
        shutil.rmtree(folder)
