"""Where a command works: at the server that was named or owns this home, else right here."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import NamedTuple

from yudai.cli.http.home_lock import ServerEntry, find_owner, is_owned, known_owner, place_of
from yudai.cli.records.records import OwnRecords, Records
from yudai.kit.errors import YudaiError
from yudai.settings import Settings
from yudai.wiring.components import open_context


class Server(NamedTuple):
    url: str
    is_ours: bool
    """It works with our home and our database: what it has made can be applied from here."""
    version: str = ""


@asynccontextmanager
async def open_records(settings: Settings) -> AsyncGenerator[Records]:
    """What a server has written into our own database is read from there."""
    url = settings.server or _elsewhere(settings)
    if url is None:
        async with open_context(settings) as context:
            yield OwnRecords(settings, context)
        return
    # Only here: an HTTP client costs start-up time that a look at the database need not pay.
    from yudai.cli.records.http_records import open_server_records

    async with open_server_records(url, home=settings.home) as records:
        yield records


async def find_server(settings: Settings) -> Server | None:
    """Who runs a new solve; None: this process.

    A server that starts a moment later does no harm: a solve of this process stays its own.
    """
    if settings.server is not None:
        owner = known_owner(settings.home)
        is_owner = owner is not None and owner.url == settings.server.strip().rstrip("/")
        return Server(settings.server, is_owner and _is_ours(owner, settings))
    if not is_owned(settings.home):
        return None
    owner = await find_owner(settings.home, _answers)
    return None if owner is None else Server(owner.url, _is_ours(owner, settings), owner.version)


async def _answers(entry: ServerEntry) -> bool:
    from yudai.cli.http.client import open_remote

    try:
        async with open_remote(entry.url) as remote:
            await remote.version()
    except YudaiError:
        return False
    return True


def _is_ours(owner: ServerEntry | None, settings: Settings) -> bool:
    return owner is not None and owner.database == place_of(settings)


def _elsewhere(settings: Settings) -> str | None:
    """The server of this home, when its solves are in another database than ours."""
    owner = known_owner(settings.home)
    return None if owner is None or _is_ours(owner, settings) else owner.url
