"""`yudai serve`: the HTTP API with a worker in one process; `yudai worker`: a worker alone."""

import asyncio
import json as jsons
import os
import socket
from collections.abc import AsyncGenerator, Callable
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager, closing
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import urlsplit

import typer
from rich.console import Console
from rich.text import Text

from yudai import __version__
from yudai.cli import console
from yudai.cli.exit_codes import FAILED
from yudai.cli.http.home_lock import ServerEntry, owning, place_of
from yudai.cli.serve.listen import answering, bind, url_of
from yudai.kit.errors import RefusedError
from yudai.settings import Settings
from yudai.wiring.components import is_shared, open_gateway
from yudai.wiring.production_checks import check_production, model_hosts, own_hosts

if TYPE_CHECKING:
    from starlette.types import ASGIApp

    from yudai.wiring.api_service import Service


class ServeOptions(NamedTuple):
    """Options of `yudai serve`; None: the setting."""

    host: str | None = None
    port: int | None = None
    no_worker: bool = False
    sandbox: str | None = None
    json: bool = False
    any_port: bool = False
    """Use any free port if this one is taken."""


class Serving(NamedTuple):
    entry: ServerEntry
    http: asyncio.Task[None]
    """Set when the server has stopped answering."""


Opening = Callable[[Settings, ServeOptions, str], "AbstractAsyncContextManager[ASGIApp]"]
OpeningFlows = Callable[[Settings, str | None], AbstractAsyncContextManager[None]]


@asynccontextmanager
async def open_server(
    settings: Settings, given: ServeOptions, url: str
) -> "AsyncGenerator[ASGIApp]":
    async with open_parts(settings, given) as service:
        yield make_api(service, settings, given, url)


@asynccontextmanager
async def open_parts(settings: Settings, given: ServeOptions) -> "AsyncGenerator[Service]":
    """Open the worker, then the service, which needs the worker's engine."""
    from yudai.wiring.api_service import open_service

    if given.sandbox:
        settings = settings.model_copy(update={"sandbox_backend": given.sandbox})
    async with AsyncExitStack() as stack:
        if not given.no_worker:
            await stack.enter_async_context(open_flows(settings, None))
        yield await stack.enter_async_context(open_service(settings))


def make_api(service: "Service", settings: Settings, given: ServeOptions, url: str) -> "ASGIApp":
    from yudai.api import page
    from yudai.api.app import create_app

    names = (_host(settings, given), urlsplit(url).netloc.rpartition(":")[0])
    origins = [settings.frontend_url] if settings.frontend_url else []
    return create_app(
        service,
        hosts=(*names, *own_hosts(settings)),
        model_hosts=model_hosts(settings),
        origins=origins,
        page_folder=page.BUILT,
    )


async def run_serve(
    settings: Settings, given: ServeOptions, *, opening: Opening = open_server
) -> int:
    check_production(settings.model_copy(update={"host": _host(settings, given)}))
    if given.no_worker and not is_shared(settings):
        raise RefusedError(
            "--no-worker needs PostgreSQL (DATABASE_URL), where `yudai worker` does the work:"
            " with SQLite no other process can, so leave it out"
        )
    progress = console.progress()
    async with serving(settings, given, opening=opening) as served:
        _say_ready(served.entry, given, settings, progress)
        try:
            await asyncio.wait([served.http])
        except asyncio.CancelledError:
            progress.print("Stopping: active runs are handed over …", style="yellow")
            raise
    return FAILED


@asynccontextmanager
async def serving(
    settings: Settings, given: ServeOptions, *, opening: Opening
) -> AsyncGenerator[Serving]:
    """Own the home and answer requests until the block ends; other commands find the server."""
    async with AsyncExitStack() as stack:
        ownership = await stack.enter_async_context(owning(settings.home))
        listener = stack.enter_context(closing(_bind(settings, given)))
        app = await stack.enter_async_context(opening(settings, given, url_of(listener)))
        http = await stack.enter_async_context(answering(app, listener))
        entry = ServerEntry(
            url=url_of(listener), pid=os.getpid(), version=__version__, database=place_of(settings)
        )
        ownership.announce(entry)
        # First, so that no client is sent to a server that is stopping.
        stack.callback(ownership.withdraw)
        yield Serving(entry, http)


def _bind(settings: Settings, given: ServeOptions) -> socket.socket:
    host, port = _host(settings, given), settings.port if given.port is None else given.port
    try:
        return bind(host, port, is_open=settings.is_production)
    except RefusedError:
        if not given.any_port:
            raise
        return bind(host, 0, is_open=settings.is_production)


def _host(settings: Settings, given: ServeOptions) -> str:
    return settings.host if given.host is None else given.host


def _heard(settings: Settings) -> str:
    """The line that says where labels and commands are polled; empty if nowhere."""
    places = [
        *settings.github_watch,
        *(["where the App is installed"] if settings.github_app_id else []),
    ]
    if not places:
        return ""
    hooks = "webhooks and polling" if settings.github_webhook_secret else "polling"
    return (
        f"Labels ({settings.github_label}) and /yudai commands at {settings.github_url} are read"
        f" in {', '.join(places)}, by {hooks} every {settings.github_poll_s:g} s."
    )


def _say_ready(
    entry: ServerEntry, given: ServeOptions, settings: Settings, progress: Console
) -> None:
    worker = "; solves are run by `yudai worker`" if given.no_worker else ""
    progress.print(Text(f"Yudai listens on {entry.url}{worker}; Ctrl-C ends it."), soft_wrap=True)
    if heard := _heard(settings):
        progress.print(Text(heard, style="dim"), soft_wrap=True)
    if given.json:
        typer.echo(jsons.dumps({"url": entry.url, "pid": entry.pid}))


@asynccontextmanager
async def open_flows(settings: Settings, sandbox: str | None) -> AsyncGenerator[None]:
    # After the refusals: the engine takes a while to import.
    from yudai.wiring.worker import open_worker

    async with (
        open_gateway(settings) as gateway,
        open_worker(settings, gateway=gateway, sandbox=sandbox),
    ):
        yield


async def run_worker(
    settings: Settings, *, sandbox: str | None, json: bool, opening: OpeningFlows = open_flows
) -> int:
    """Work until a signal arrives; then hand active runs to other workers."""
    check_production(settings)
    if not is_shared(settings):
        raise RefusedError(
            "a worker needs PostgreSQL (DATABASE_URL): with SQLite `yudai serve` does everything"
            " in one process"
        )
    progress = console.progress()
    async with opening(settings, sandbox):
        progress.print(Text(f"Worker {os.getpid()} is ready; Ctrl-C ends it."), soft_wrap=True)
        if json:
            typer.echo(jsons.dumps({"pid": os.getpid()}))
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            progress.print("Stopping: active runs are handed over …", style="yellow")
            raise
    return FAILED
