"""`yudai login`, `logout`, `whoami` and `keys`: at a server, and for this machine alone."""

import json
import stat
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.support.forge.accounts_world import Crowd
from tests.support.servers.databases import _migrated_file
from tests.support.servers.login_server import House, open_house
from yudai.accounts.api_keys import Scope
from yudai.cli.accounts import login as logins
from yudai.cli.accounts.login import (
    run_keys_create,
    run_keys_list,
    run_keys_revoke,
    run_login,
    run_logout,
    run_whoami,
)
from yudai.cli.exit_codes import OK, REFUSED
from yudai.cli.http.client import open_remote
from yudai.cli.http.login_file import Entry, LoginFile
from yudai.cli.serve.listen import answering, bind, url_of
from yudai.forge.ports.login import DeviceState
from yudai.kit.errors import RefusedError
from yudai.kit.ids import LOCAL_USER
from yudai.settings import Settings
from yudai.store.store import Store
from yudai.store.urls import sqlite_url
from yudai.wiring.accounts import Accounts


class Server:
    def __init__(self, house: House, url: str, home: Path) -> None:
        self.house, self.url = house, url
        self.settings = Settings.model_validate({"YUDAI_HOME": home, "YUDAI_SERVER": f"{url}/"})
        self.slept: list[float] = []

    async def sleep(self, seconds: float) -> None:
        """The person agrees while we wait for the second time."""
        self.slept.append(seconds)
        self.house.crowd.clock.time += seconds
        if len(self.slept) == 2:
            self.house.crowd.provider.answer_device("ada")


@pytest.fixture
async def server(tmp_path: Path) -> AsyncGenerator[Server]:
    async with open_house(tmp_path) as house:
        listener = bind("127.0.0.1", 0)
        async with answering(house.app, listener):
            yield Server(house, url_of(listener), tmp_path / "own")
        listener.close()


def said(capsys: pytest.CaptureFixture[str]) -> Any:
    return json.loads(capsys.readouterr().out)


async def test_at_a_server(server: Server, capsys: pytest.CaptureFixture[str]):
    assert await run_whoami(server.settings, json=True) == REFUSED
    assert said(capsys) == {"login": None, "server": server.url}
    assert await run_login(server.settings, json=True, sleep=server.sleep) == OK
    shown = capsys.readouterr()
    assert json.loads(shown.out) == {"login": "ada", "server": server.url}
    assert "ABCD-1234" in shown.err
    assert server.slept == [5, 5]
    file = server.settings.home / "login.json"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert "ydk_" not in shown.out + shown.err
    assert await run_whoami(server.settings, json=True) == OK
    assert said(capsys)["login"] == "ada"
    async with open_remote(server.url, home=server.settings.home) as remote:
        assert "solves" in await remote.get("/api/solves")
    assert await run_logout(server.settings, json=True) == OK
    assert said(capsys)["logged_out"] is True
    assert LoginFile(server.settings.home).entry(server.url) is None
    person = await server.house.crowd.person("ada")
    assert await server.house.crowd.keys.list(person.id) == ()
    assert await run_logout(server.settings, json=True) == OK
    assert said(capsys)["logged_out"] is False


async def test_who_does_not_agree_is_reported(server: Server):
    async def refuse(_: float) -> None:
        server.house.crowd.clock.time += 5
        server.house.crowd.provider.answer_device(DeviceState.DENIED)

    with pytest.raises(RefusedError, match="did not authorize"):
        await run_login(server.settings, sleep=refuse)
    assert not (server.settings.home / "login.json").exists()


async def test_keys_of_programs(server: Server, capsys: pytest.CaptureFixture[str]):
    with pytest.raises(RefusedError, match="log in"):
        await run_keys_list(server.settings, json=True)
    await run_login(server.settings, json=True, sleep=server.sleep)
    capsys.readouterr()
    await run_keys_create(server.settings, "CI", scopes=["read", "run"], days=0, json=False)
    shown = capsys.readouterr()
    key = shown.out.strip()
    assert key.startswith("ydk_")
    assert key not in shown.err
    await run_keys_list(server.settings, json=True)
    listed = {one["name"]: one for one in said(capsys)}
    assert listed["CI"]["scopes"] == [Scope.READ, Scope.RUN]
    # It ends with the key that asked for it.
    assert listed["CI"]["expires_at"] is not None
    await run_keys_list(server.settings, json=False)
    assert "CI" in capsys.readouterr().out
    await run_keys_revoke(server.settings, listed["CI"]["id"], json=True)
    assert said(capsys) == {"revoked": listed["CI"]["id"]}
    for wrong in ("../solves", "", "a b"):
        with pytest.raises(RefusedError, match="id"):
            await run_keys_revoke(server.settings, wrong, json=True)
    with pytest.raises(RefusedError, match="unknown scope 'reed'"):
        await run_keys_create(server.settings, "x", scopes=["reed"], days=1, json=True)


async def test_a_key_goes_to_its_own_server_alone(server: Server, tmp_path: Path):
    LoginFile(tmp_path).keep("http://127.0.0.1:1", Entry(login="ada", key="ydk_secret"))
    async with open_remote(server.url, home=tmp_path) as remote:
        assert "authorization" not in remote._http.headers
    async with open_remote("http://127.0.0.1:1/api/", home=tmp_path) as remote:
        assert remote._http.headers["authorization"] == "Bearer ydk_secret"
    async with open_remote("http://127.0.0.1:1") as remote:
        assert "authorization" not in remote._http.headers


async def test_no_key_over_a_network_in_clear(tmp_path: Path):
    settings = Settings.model_validate(
        {"YUDAI_HOME": tmp_path, "YUDAI_SERVER": "http://yudai.example"}
    )
    with pytest.raises(RefusedError, match="https"):
        await run_login(settings)


def test_the_file_keeps_each_server_apart(tmp_path: Path):
    file = LoginFile(tmp_path / "home")
    assert file.entry("http://a") is None
    assert file.drop("http://a") is False
    file.keep("http://a", Entry(login="ada", key="1"))
    file.keep("http://b", Entry(login="eve", key="2"))
    assert file.drop("http://a")
    assert file.entry("http://a") is None
    assert file.entry("http://b") == Entry(login="eve", key="2")
    assert [path.name for path in (tmp_path / "home").iterdir()] == ["login.json"]
    (tmp_path / "home" / "login.json").write_text("{")
    with pytest.raises(RefusedError, match="damaged"):
        file.entry("http://b")


@pytest.fixture
async def local(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncGenerator[Crowd]:
    """This machine's own database, and a forge that knows us."""
    database = tmp_path / "yudai.db"
    database.write_bytes(_migrated_file())
    async with await Store.open(sqlite_url(database)) as store:
        crowd = Crowd(store, is_local=True)

        @asynccontextmanager
        async def opened(_: Settings) -> AsyncGenerator[Accounts]:
            yield crowd.accounts

        monkeypatch.setattr(logins, "open_local", opened)
        yield crowd


async def test_on_ones_own_machine(
    local: Crowd, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    settings = Settings.at(tmp_path / "home")
    assert await run_whoami(settings, json=True) == REFUSED
    assert said(capsys) == {"login": None, "server": None}

    async def agree(_: float) -> None:
        local.provider.answer_device("ada")

    assert await run_login(settings, json=True, sleep=agree) == OK
    assert said(capsys) == {"login": "ada", "server": None}
    own = await local.keyring.own(LOCAL_USER)
    assert own is not None
    assert own.login == "ada"
    assert await run_whoami(settings) == OK
    assert capsys.readouterr().out == "ada\n"
    assert await run_logout(settings) == OK
    assert await local.keyring.own(LOCAL_USER) is None


async def test_a_slow_forge_is_asked_less_often(local: Crowd, tmp_path: Path):
    slept: list[float] = []

    async def wait(seconds: float) -> None:
        slept.append(seconds)
        states = {1: DeviceState.SLOW_DOWN, 2: DeviceState.PENDING}
        local.provider.answer_device(states.get(len(slept), DeviceState.EXPIRED))

    with pytest.raises(RefusedError, match="run yudai login again"):
        await run_login(Settings.at(tmp_path), sleep=wait)
    assert slept == [5, 10, 10]


async def test_a_forge_that_does_not_know_us_is_reported_by_its_setting(tmp_path: Path):
    with pytest.raises(RefusedError, match="GITHUB_APP_CLIENT_ID"):
        await run_login(Settings.at(tmp_path))
    assert await run_whoami(Settings.at(tmp_path)) == REFUSED
    # Who never logs in gets no key files.
    assert not list(tmp_path.glob("*.key"))


async def test_keys_are_a_servers(tmp_path: Path):
    with pytest.raises(RefusedError, match="--server"):
        await run_keys_list(Settings.at(tmp_path), json=True)
