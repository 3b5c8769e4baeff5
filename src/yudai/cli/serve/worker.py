"""`yudai worker`: runs the solves that a server accepts, beside any number of others."""

import asyncio
import json as jsons
import os
from collections.abc import AsyncGenerator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager

import typer
from rich.text import Text

from yudai.cli import console
from yudai.cli.exit_codes import OUR_FAULT
from yudai.kit.errors import RefusedError
from yudai.settings import Settings
from yudai.wiring.components import is_shared, open_gateway
from yudai.wiring.production_checks import check_production

Opening = Callable[[Settings, str | None], AbstractAsyncContextManager[None]]


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
    settings: Settings, *, sandbox: str | None, json: bool, opening: Opening = open_flows
) -> int:
    """Work until a signal comes; then what runs here goes on elsewhere."""
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
            progress.print("Stopping: runs that go on are handed over …", style="yellow")
            raise
    return OUR_FAULT
