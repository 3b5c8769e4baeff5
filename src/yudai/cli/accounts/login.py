"""`yudai login`, `logout`, `whoami` and `keys`: at a server, or for this machine's own person."""

import asyncio
import platform
import webbrowser
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from urllib.parse import urlsplit

import typer
from pydantic import SecretStr
from rich.table import Table
from rich.text import Text

from yudai.accounts.api_keys import KeyView, NewKey, Scope
from yudai.accounts.device_login import DeviceBegun
from yudai.accounts.views import DeviceView, KeyList, Me, Mode
from yudai.cli import console
from yudai.cli.exit_codes import OK, REFUSED
from yudai.cli.http.client import Remote, checked, is_loopback, open_remote, read_as
from yudai.cli.http.home_lock import known_owner
from yudai.cli.http.login_file import Entry, LoginFile
from yudai.cli.text import one_line, print_json, safe
from yudai.forge.ports.login import DeviceState, Grant
from yudai.kit.errors import RefusedError, YudaiError
from yudai.kit.ids import LOCAL_USER
from yudai.kit.text import nearest
from yudai.settings import Settings
from yudai.wiring.accounts import Accounts, open_accounts
from yudai.wiring.components import open_context

Sleep = Callable[[float], Awaitable[None]]
_SLOWER_S = 5.0


async def server_of(settings: Settings) -> str | None:
    """The server to log in to: the named one, else this home's own."""
    if settings.server is not None:
        return checked(settings.server)
    owner = known_owner(settings.home)
    if owner is None:
        return None
    async with open_remote(owner.url) as remote:
        me = await remote.read(Me, "/api/me")
    return owner.url if me.mode is not Mode.LOCAL else None


async def run_login(
    settings: Settings, *, opens: bool = True, json: bool = False, sleep: Sleep = asyncio.sleep
) -> int:
    url = await server_of(settings)
    login = await (
        _login_here(settings, opens=opens, sleep=sleep)
        if url is None
        else _login_there(settings, url, opens=opens, sleep=sleep)
    )
    if json:
        print_json({"login": login, "server": url})
    else:
        where = "" if url is None else f" at {url}"
        console.result().print(Text(f"Logged in as {safe(login)}{where}."), soft_wrap=True)
    return OK


async def run_logout(settings: Settings, *, json: bool = False) -> int:
    url = await server_of(settings)
    was_in = await (_logout_here(settings) if url is None else _logout_there(settings, url))
    if json:
        print_json({"logged_out": was_in, "server": url})
    else:
        said = "Logged out." if was_in else "You were not logged in."
        console.result().print(said)
    return OK


async def run_whoami(settings: Settings, *, json: bool = False) -> int:
    url = await server_of(settings)
    if url is None:
        async with open_local(settings) as accounts:
            login = await accounts.keyring.login_of(LOCAL_USER)
    else:
        async with open_remote(url, home=settings.home) as remote:
            me = await remote.read(Me, "/api/me")
        login = me.login or ""
    if json:
        print_json({"login": login or None, "server": url})
    else:
        console.result().print(Text(safe(login) or "Not logged in: run yudai login"))
    return OK if login else REFUSED


@asynccontextmanager
async def open_local(settings: Settings) -> AsyncGenerator[Accounts]:
    """The database and its forge."""
    async with (
        open_context(settings) as context,
        open_accounts(settings, context) as accounts,
    ):
        yield accounts


async def _login_there(settings: Settings, url: str, *, opens: bool, sleep: Sleep) -> str:
    parts = urlsplit(url)
    if parts.scheme != "https" and not is_loopback(parts.hostname or ""):
        raise RefusedError("the key would be sent unencrypted: use the server's https URL")
    name = f"yudai login at {platform.node()}"[:100]
    async with open_remote(url) as remote:
        begun = read_as(DeviceBegun, await remote.post("/api/login/device"), remote.url)
        _say_code(begun.user_code, begun.verification_url, opens=opens)
        done = await _wait_there(remote, begun, name, sleep=sleep)
    login, key = done.login or "", done.key or ""
    LoginFile(settings.home).keep(url, Entry(login=login, key=key))
    return login


async def _wait_there(remote: Remote, begun: DeviceBegun, name: str, *, sleep: Sleep) -> DeviceView:
    waited, wait_s = 0.0, begun.interval_s
    with console.progress().status("Waiting for you to confirm it there …"):
        while waited <= begun.expires_in_s:
            await sleep(wait_s)
            waited += wait_s
            body = {"ticket": begun.ticket, "name": name}
            said = read_as(
                DeviceView, await remote.post("/api/login/device/poll", body), remote.url
            )
            if said.done:
                return said
            wait_s = max(1.0, said.wait_s)
    raise RefusedError("the login was not confirmed in time: run yudai login again")


async def _login_here(settings: Settings, *, opens: bool, sleep: Sleep) -> str:
    async with open_local(settings) as accounts:
        if accounts.login_services is None:
            raise RefusedError(
                "the forge does not know this installation: set GITHUB_APP_CLIENT_ID, or give a"
                " token as GITHUB_TOKEN; for a server give --server"
            )
        devices = accounts.login_services.devices
        begun = await devices.provider.device_begin()
        _say_code(begun.user_code, begun.verification_url, opens=opens)
        grant = await _wait_here(
            devices.provider.device_poll,
            begun.device_code,
            interval_s=begun.interval_s,
            expires_in_s=begun.expires_in,
            sleep=sleep,
        )
        account = await accounts.enroller.account(grant)
        return (await accounts.enroller.keep_as(LOCAL_USER, account, grant)).login


async def _wait_here(
    poll: Callable[[SecretStr], Awaitable[Grant | DeviceState]],
    code: SecretStr,
    *,
    interval_s: float,
    expires_in_s: float,
    sleep: Sleep,
) -> Grant:
    waited = 0.0
    with console.progress().status("Waiting for you to confirm it there …"):
        while waited <= expires_in_s:
            await sleep(interval_s)
            waited += interval_s
            said = await poll(code)
            if isinstance(said, Grant):
                return said
            if said is DeviceState.SLOW_DOWN:
                interval_s += _SLOWER_S
            elif said is not DeviceState.PENDING:
                raise RefusedError("you did not authorize this at the forge: run yudai login again")
    raise RefusedError("the login was not confirmed in time: run yudai login again")


async def _logout_here(settings: Settings) -> bool:
    async with open_local(settings) as accounts:
        return await accounts.keyring.sign_out(LOCAL_USER)


async def _logout_there(settings: Settings, url: str) -> bool:
    """Delete the key here, even if the server cannot be reached."""
    file = LoginFile(settings.home)
    if file.entry(url) is None:
        return False
    try:
        async with open_remote(url, home=settings.home) as remote:
            await remote.post_nothing("/api/logout")
    except YudaiError as error:
        note = f"The server could not revoke the key: {error}"
        console.progress().print(Text(safe(note)), style="yellow", soft_wrap=True)
    return file.drop(url)


def _say_code(code: str, url: str, *, opens: bool) -> None:
    progress = console.progress()
    progress.print(Text(f"Open {safe(url)} and type the code {safe(code)}"), soft_wrap=True)
    # Only what is surely a page: it comes from a server.
    if opens and urlsplit(url).scheme in ("http", "https") and progress.is_terminal:
        webbrowser.open(url)


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
            raise RefusedError(f"unknown scope {scope!r}: {nearest(scope, known)}")
    body = {"name": name, "scopes": list(dict.fromkeys(scopes)) or ["read"], "days": days or None}
    async with _remote(settings) as remote:
        made = read_as(NewKey, await remote.post("/api/keys", body), remote.url)
    if json:
        print_json(made.model_dump(mode="json"))
        return OK
    typer.echo(made.key)
    note = "Save it now: it is not shown again. Send it as Authorization: Bearer KEY."
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
        raise RefusedError("API keys belong to a server: give --server, or set YUDAI_SERVER")
    async with open_remote(url, home=settings.home) as remote:
        yield remote


def _table(keys: Sequence[KeyView]) -> Table:
    table = Table(box=None)
    for column in ("id", "name", "scopes", "expires", "last used"):
        table.add_column(column, no_wrap=True)
    for key in keys:
        cells = (
            safe(key.id),
            one_line(key.name, width=40),
            ", ".join(key.scopes),
            "never" if key.expires_at is None else _day(key.expires_at),
            "never" if key.used_at is None else _day(key.used_at),
        )
        table.add_row(*(Text(cell) for cell in cells))
    return table


def _day(at: float) -> str:
    return datetime.fromtimestamp(at, UTC).date().isoformat()
