"""`yudai serve` and `yudai worker`, with something small in the place of the service."""

import asyncio
import json
import os
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

import httpx
import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.routing import Route

from yudai import __version__
from yudai.cli.http.home_lock import ServerEntry, is_owned, known_owner
from yudai.cli.serve.serve import Opening, ServeOptions, run_serve, run_worker
from yudai.kit.errors import ConflictError, RefusedError
from yudai.settings import Settings

POSTGRESQL = "postgresql://me:secret@127.0.0.1:1/yudai"
ANY_PORT = ServeOptions(port=0)


async def hello(_: Request) -> PlainTextResponse:
    return PlainTextResponse("hello")


class Parts:
    """What is opened and closed, in order."""

    def __init__(self) -> None:
        self.told: list[str] = []

    @asynccontextmanager
    async def __call__(
        self, settings: Settings, _: ServeOptions, url: str
    ) -> AsyncGenerator[Starlette]:
        self.told.append("opened")
        try:
            yield Starlette(routes=[Route("/", hello)])
        finally:
            # Nobody is sent here any more, and nobody else can own the home yet.
            self.told.append("closed" if known_owner(settings.home) is None else "still named")
            assert is_owned(settings.home)
            async with httpx.AsyncClient(trust_env=False) as client:
                with pytest.raises(httpx.ConnectError):
                    await client.get(url)


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings.at(tmp_path)


async def started(home: Path, serving: asyncio.Task[int]) -> ServerEntry:
    while (entry := known_owner(home)) is None:
        assert not serving.done(), serving.exception()
        await asyncio.sleep(0.01)
    return entry


async def end(serving: asyncio.Task[int]) -> None:
    serving.cancel()
    with pytest.raises(asyncio.CancelledError):
        await serving


async def test_it_answers_says_where_and_closes_in_order(settings: Settings, capsys):
    parts = Parts()
    given = ANY_PORT._replace(json=True)
    serving = asyncio.create_task(run_serve(settings, given, opening=parts))
    entry = await started(settings.home, serving)
    async with httpx.AsyncClient(trust_env=False) as client:
        assert (await client.get(entry.url)).text == "hello"
    assert (entry.pid, entry.version) == (os.getpid(), __version__)
    assert entry.database == str(settings.home / "yudai.db")
    with pytest.raises(ConflictError, match=f"{entry.url} .process {entry.pid}.; use it"):
        await run_serve(settings, ANY_PORT, opening=parts)
    await end(serving)
    assert parts.told == ["opened", "closed"]
    assert not is_owned(settings.home)
    captured = capsys.readouterr()
    assert json.loads(captured.out) == {"url": entry.url, "pid": os.getpid()}
    ready, stopping = captured.err.splitlines()
    assert ready == f"Yudai listens on {entry.url}; Ctrl-C ends it."
    assert stopping.startswith("Stopping")


async def test_one_that_cannot_start_owns_nothing(settings: Settings):
    @asynccontextmanager
    async def broken(*_: object) -> AsyncGenerator[Starlette]:
        raise RefusedError("no sandbox on this machine")
        yield Starlette()

    opening: Opening = broken
    with pytest.raises(RefusedError, match="no sandbox"):
        await run_serve(settings, ANY_PORT, opening=opening)
    assert not is_owned(settings.home)


async def test_the_settings_say_where_unless_someone_types_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("HOST", "0.0.0.0")  # noqa: S104 - refused
    settings = Settings.at(tmp_path)
    with pytest.raises(RefusedError, match=r"0\.0\.0\.0 would be open to others"):
        await run_serve(settings, ANY_PORT, opening=Parts())
    given = ANY_PORT._replace(host="127.0.0.1")
    serving = asyncio.create_task(run_serve(settings, given, opening=Parts()))
    assert (await started(tmp_path, serving)).url.startswith("http://127.0.0.1:")
    await end(serving)


async def test_without_a_worker_it_needs_postgresql(
    settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys
):
    given = ANY_PORT._replace(no_worker=True)
    with pytest.raises(RefusedError, match="--no-worker needs PostgreSQL"):
        await run_serve(settings, given, opening=Parts())
    monkeypatch.setenv("DATABASE_URL", POSTGRESQL)
    serving = asyncio.create_task(run_serve(Settings.at(tmp_path), given, opening=Parts()))
    entry = await started(tmp_path, serving)
    assert entry.database == "postgresql://me@127.0.0.1:1/yudai"
    assert "secret" not in (tmp_path / "server.json").read_text()
    await end(serving)
    assert "`yudai worker`" in capsys.readouterr().err


async def test_a_worker_needs_postgresql(settings: Settings):
    with pytest.raises(RefusedError, match="with SQLite `yudai serve` does everything"):
        await run_worker(settings, sandbox=None, json=False)


async def test_a_worker_stays_until_it_is_stopped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys
):
    monkeypatch.setenv("DATABASE_URL", POSTGRESQL)
    opened, closed = asyncio.Event(), asyncio.Event()

    @asynccontextmanager
    async def opening(_: Settings, sandbox: str | None) -> AsyncGenerator[None]:
        assert sandbox == "process"
        try:
            opened.set()
            yield
        finally:
            closed.set()

    worker = run_worker(Settings.at(tmp_path), sandbox="process", json=True, opening=opening)
    working = asyncio.create_task(worker)
    await opened.wait()
    await asyncio.sleep(0)
    await end(working)
    assert closed.is_set()
    captured = capsys.readouterr()
    assert json.loads(captured.out) == {"pid": os.getpid()}
    assert captured.err.splitlines()[0] == f"Worker {os.getpid()} is ready; Ctrl-C ends it."
