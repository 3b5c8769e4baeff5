"""`yudai keys`: keys for programs, at a server."""

from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from datetime import UTC, datetime

import typer
from rich.table import Table
from rich.text import Text

from yudai.accounts.api_keys import KeyView, NewKey, Scope
from yudai.accounts.views import KeyList
from yudai.cli import console
from yudai.cli.accounts.login import server_of
from yudai.cli.exit_codes import OK
from yudai.cli.http.client import Remote, open_remote, read_as
from yudai.cli.text import one_line, print_json, safe
from yudai.kit.errors import RefusedError
from yudai.kit.text import nearest
from yudai.settings import Settings


async def run_keys_list(settings: Settings, *, json: bool) -> int:
    async with _remote(settings) as remote:
        found = (await remote.read(KeyList, "/api/keys")).keys
    if json:
        print_json([key.model_dump(mode="json") for key in found])
    elif found:
        console.result().print(_table(found))
    else:
        console.result().print("There are no keys: yudai keys create NAME makes one.")
    return OK


async def run_keys_create(
    settings: Settings, name: str, *, scopes: Sequence[str], days: int, json: bool
) -> int:
    known = [scope.value for scope in Scope]
    for scope in scopes:
        if scope not in known:
            raise RefusedError(f"there is no scope {scope!r}: {nearest(scope, known)}")
    body = {"name": name, "scopes": list(dict.fromkeys(scopes)) or ["read"], "days": days or None}
    async with _remote(settings) as remote:
        made = read_as(NewKey, await remote.post("/api/keys", body), remote.url)
    if json:
        print_json(made.model_dump(mode="json"))
        return OK
    typer.echo(made.key)
    note = "Keep it: it is shown this once. Send it as Authorization: Bearer KEY."
    console.progress().print(note, soft_wrap=True)
    return OK


async def run_keys_revoke(settings: Settings, key_id: str, *, json: bool) -> int:
    if not key_id.isalnum():
        raise RefusedError("give the key's id, as `yudai keys` shows it")
    async with _remote(settings) as remote:
        await remote.delete(f"/api/keys/{key_id}")
    if json:
        print_json({"revoked": key_id})
    else:
        console.result().print(Text(f"{safe(key_id)}: revoked"))
    return OK


@asynccontextmanager
async def _remote(settings: Settings) -> AsyncGenerator[Remote]:
    url = await server_of(settings)
    if url is None:
        raise RefusedError("keys are a server's: give --server, or set YUDAI_SERVER")
    async with open_remote(url, home=settings.home) as remote:
        yield remote


def _table(keys: Sequence[KeyView]) -> Table:
    table = Table(box=None)
    for column in ("id", "name", "scopes", "until", "last used"):
        table.add_column(column, no_wrap=True)
    for key in keys:
        cells = (
            safe(key.id),
            one_line(key.name, width=40),
            ", ".join(key.scopes),
            "for ever" if key.expires_at is None else _day(key.expires_at),
            "never" if key.used_at is None else _day(key.used_at),
        )
        table.add_row(*(Text(cell) for cell in cells))
    return table


def _day(at: float) -> str:
    return datetime.fromtimestamp(at, UTC).date().isoformat()
