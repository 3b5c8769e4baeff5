"""A fresh database for each test, on SQLite and on PostgreSQL; import its fixtures in a conftest.

All test processes of one pytest run share one server. Each holds a lock on its `users` file: the
kernel counts, so that nobody who is killed is counted any longer (see postgres.py).
"""

import asyncio
import fcntl
import itertools
import os
import secrets
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Literal, LiteralString

import psycopg
import pytest
from psycopg import sql

from tests.support.servers import postgres
from yudai.store import migrations
from yudai.store.urls import postgresql_url, sqlite_url

Kind = Literal["sqlite", "postgresql"]
NewDatabase = Callable[..., str]
TEMPLATE = "migrated"
_numbers = itertools.count()


@pytest.fixture(params=["sqlite", "postgresql"])
def database_kind(request: pytest.FixtureRequest) -> Kind:
    return request.param


on_one_kind = pytest.mark.parametrize("database_kind", ["sqlite"], indirect=True)
"""For what is the same on each: its queries are those of other tests, which use both."""


@pytest.fixture
def database_url(new_database: NewDatabase) -> str:
    """A database of the newest schema, once of each kind."""
    return new_database()


@pytest.fixture
def empty_database_url(new_database: NewDatabase) -> str:
    return new_database(empty=True)


@pytest.fixture
def new_database(database_kind: Kind, tmp_path: Path) -> Iterator[NewDatabase]:
    """For tests that need several: call it, with `empty=True` for one without a schema."""
    yield from (_new_files(tmp_path) if database_kind == "sqlite" else _new_on_server())


@pytest.fixture
def postgresql_only_url() -> Iterator[str]:
    """For what only PostgreSQL does."""
    yield from (new() for new in _new_on_server())


@pytest.fixture
def postgresql_empty_url() -> Iterator[str]:
    yield from (new(empty=True) for new in _new_on_server())


def _new_files(folder: Path) -> Iterator[NewDatabase]:
    def new(*, empty: bool = False) -> str:
        file = folder / f"database-{next(_numbers)}.db"
        if not empty:
            file.write_bytes(_migrated_file())
        return sqlite_url(file)

    yield new


def used_home(home: Path) -> Path:
    """As the first command leaves it: making its database takes longer than most tests."""
    home.mkdir(mode=0o700, parents=True, exist_ok=True)
    (home / "yudai.db").write_bytes(_migrated_file())
    return home


@cache
def _migrated_file() -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "migrated.db")
        _migrate(sqlite_url(file))
        return file.read_bytes()


def _new_on_server() -> Iterator[NewDatabase]:
    made: list[str] = []

    def new(*, empty: bool = False) -> str:
        name = f"test_{os.getpid()}_{next(_numbers)}"
        template = "template0" if empty else TEMPLATE
        administer("CREATE DATABASE {} TEMPLATE {} STRATEGY file_copy", name, template)
        made.append(name)
        return server_url(name)

    yield new
    for name in made:
        administer("DROP DATABASE {} WITH (FORCE)", name)


def server_url(database: str, *, user: str = postgres.SUPERUSER, password: str = "") -> str:
    return _url(_server(), database, user=user, password=password)


def administer(statement: LiteralString, *names: str) -> None:
    """Run one statement as the server's owner; names take the place of each `{}`."""
    _execute(_server(), statement, *names)


@cache
def _server() -> Path:
    """The folder of the server's socket; the first who asks starts it for all."""
    run = os.environ.get("PYTEST_XDIST_TESTRUNUID") or secrets.token_hex(8)
    folder = Path(tempfile.gettempdir(), f"yudai-pg-{run[:16]}")
    _join(folder)
    starting = os.open(folder / "starting", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC)
    fcntl.flock(starting, fcntl.LOCK_EX)
    if not (folder / "started").exists():
        _start(folder)
        _execute(folder, "CREATE DATABASE {} TEMPLATE template0", TEMPLATE)
        _migrate(_url(folder, TEMPLATE))
        _execute(folder, f"CREATE ROLE {postgres.GUARDED} LOGIN PASSWORD '{postgres.PASSWORD}'")
        (folder / "started").touch()
    os.close(starting)
    return folder


def _join(folder: Path) -> None:
    """Be counted as a user until this process ends."""
    while True:
        folder.mkdir(mode=0o700, exist_ok=True)
        with suppress(FileNotFoundError):
            users = os.open(folder / "users", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC)
            fcntl.flock(users, fcntl.LOCK_SH)
            if (folder / "users").stat().st_ino == os.fstat(users).st_ino:
                return
            # The server that it counted for has ended just now.
            os.close(users)


def _start(folder: Path) -> None:
    command = [sys.executable, "-I", postgres.__file__, "keep", str(folder)]
    env = {name: value for name, value in os.environ.items() if not name.startswith("PG")}
    with tempfile.TemporaryFile() as log:
        keeper = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=log, env=env, cwd="/", start_new_session=True
        )
        assert keeper.stdout is not None
        with keeper.stdout as said:
            is_ready = said.readline() == b"ready\n"
        if not is_ready:
            keeper.wait()
            log.seek(0)
            raise RuntimeError(f"no PostgreSQL for the tests: {log.read().decode()}")
    # Not waited for: it outlives this process when others still need it.
    keeper.returncode = 0


def _execute(folder: Path, statement: LiteralString, *names: str) -> None:
    composed = sql.SQL(statement).format(*map(sql.Identifier, names))
    place = f"host={folder} port=5432 user={postgres.SUPERUSER} dbname=postgres"
    with psycopg.connect(place, autocommit=True) as db:
        db.execute(composed)


def _url(folder: Path, database: str, *, user: str = postgres.SUPERUSER, password: str = "") -> str:
    secret = password or None
    return postgresql_url(database, user=user, password=secret, host=str(folder), port=5432)


def _migrate(url: str) -> None:
    """In a thread: the loop of whoever asks is none of our business."""
    with ThreadPoolExecutor(1) as thread:
        thread.submit(lambda: asyncio.run(migrations.upgrade(url))).result()
