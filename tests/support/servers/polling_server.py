"""The API alone in a process: `python polling_server.py HOME PORT`."""

import asyncio
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import uvicorn

from yudai.api.app import create_app
from yudai.bench.polling import DATABASE
from yudai.kit.clock import SystemClock
from yudai.settings import Settings
from yudai.store.store import Store
from yudai.store.urls import sqlite_url
from yudai.views.updates import open_updates


async def serve(home: Path, port: int) -> None:
    clock = SystemClock()
    async with (
        await Store.open(sqlite_url(home / DATABASE)) as store,
        open_updates(store, clock) as watching,
    ):
        service = SimpleNamespace(
            settings=Settings.at(home), store=store, clock=clock, updates=watching
        )
        app = create_app(cast("Any", service))
        config = uvicorn.Config(app, port=port, log_config=None, access_log=False)
        await uvicorn.Server(config).serve()


if __name__ == "__main__":
    asyncio.run(serve(Path(sys.argv[1]), int(sys.argv[2])))
