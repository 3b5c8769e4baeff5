"""The same with the real client and a GitHub that speaks HTTP."""

from collections.abc import AsyncGenerator, Generator
from contextlib import AsyncExitStack
from pathlib import Path

import httpx
import pytest

from tests.support.forge.accounts_world import HERE, HOURS_8, MovingClock
from tests.support.servers.databases import _migrated_file
from tests.support.servers.github_server import REPO, ROLES, GitHubServer, github_server
from yudai.accounts.access import Right
from yudai.accounts.adapters.vault import new_key
from yudai.accounts.logins import Callback
from yudai.artifacts.adapters.object_store import make_artifacts
from yudai.artifacts.context import Context
from yudai.forge.adapters.github.forge import GitHubForge
from yudai.forge.domain.repository import Role
from yudai.kit.errors import ForbiddenError, ForgeError, NotFoundError, RefusedError
from yudai.settings import Settings
from yudai.store.store import Store
from yudai.store.urls import sqlite_url
from yudai.wiring.accounts import Accounts, LoginServices, make_accounts, make_provider


@pytest.fixture
def clock() -> MovingClock:
    return MovingClock()


@pytest.fixture
def github(tmp_path: Path, clock: MovingClock) -> Generator[GitHubServer]:
    with github_server(tmp_path / "github", clock=clock) as server:
        server.repository(roles=ROLES, private=True)
        # A user's token of an App sees what the App is installed for, and no more.
        server.app()
        yield server


@pytest.fixture
async def accounts(
    tmp_path: Path, github: GitHubServer, clock: MovingClock
) -> AsyncGenerator[Accounts]:
    app = github.state.world.app
    assert app is not None
    settings = Settings.model_validate(
        {
            "YUDAI_HOME": tmp_path / "home",
            "AUTH_MODE": "github",
            "GITHUB_URL": github.url,
            "GITHUB_APP_CLIENT_ID": app.client_id,
            "GITHUB_APP_CLIENT_SECRET": app.client_secret,
            "TOKEN_KEYS": new_key(),
        }
    )
    file = tmp_path / "yudai.db"
    file.write_bytes(_migrated_file())
    async with AsyncExitStack() as stack:
        store = await stack.enter_async_context(await Store.open(sqlite_url(file)))
        forge = GitHubForge(github.url, api_url=github.api, app=None, clock=clock)
        stack.push_async_callback(forge.close)
        provider = make_provider(settings, clock)
        assert provider is not None
        stack.push_async_callback(provider.close)
        yield make_accounts(
            settings,
            Context(store, make_artifacts(None, home=tmp_path), clock),
            forge=forge,
            provider=provider,
        )


def login_services(accounts: Accounts) -> LoginServices:
    assert accounts.login_services is not None
    return accounts.login_services


async def come_back(url: str, login: str) -> httpx.QueryParams:
    """What the browser is sent back with."""
    async with httpx.AsyncClient(trust_env=False) as browser:
        answer = await browser.get(f"{url}&auto={login}")
    assert answer.status_code == 302, answer.text
    assert answer.headers["location"].startswith(f"{HERE}?")
    return httpx.URL(answer.headers["location"]).params


async def log_in(accounts: Accounts, login: str) -> str:
    logins = login_services(accounts).logins
    begun = await logins.begin("/", redirect_uri=HERE)
    told = await come_back(begun.url, login)
    back = Callback(begun.ticket.get_secret_value(), told["state"], told["code"])
    return (await logins.finish(back, redirect_uri=HERE)).person.id


async def test_people_log_in_and_have_their_rights(accounts: Accounts):
    bob, carol, mallory = [await log_in(accounts, name) for name in ("bob", "carol", "mallory")]
    check = accounts.access.check_repo
    repo = await check(bob, REPO, Right.PUBLISH)
    await check(carol, REPO, Right.READ)
    with pytest.raises(ForbiddenError):
        await check(carol, REPO, Right.RUN)
    with pytest.raises(NotFoundError):
        await check(mallory, REPO, Right.READ)
    assert (await accounts.keyring.writing(repo, user_id=bob)).login == "bob"
    with pytest.raises(ForbiddenError):
        await accounts.keyring.writing(repo, user_id=carol)


async def test_a_token_is_refreshed_by_the_real_one(
    accounts: Accounts, clock: MovingClock, github: GitHubServer
):
    bob = await log_in(accounts, "bob")
    first = await accounts.keyring.own(bob)
    clock.time += HOURS_8
    second = await accounts.keyring.own(bob)
    assert first is not None
    assert second is not None
    assert second.token != first.token
    await accounts.access.check_repo(bob, REPO, Right.RUN)
    github.state.world.refreshes.clear()
    clock.time += HOURS_8
    assert await accounts.keyring.own(bob) is None


@pytest.mark.parametrize("status", [401, 403, 404])
async def test_a_proxy_that_refuses_signs_no_one_out(
    accounts: Accounts, clock: MovingClock, github: GitHubServer, status: int
):
    bob = await log_in(accounts, "bob")
    clock.time += HOURS_8
    fault = github.fail("/login/oauth/access_token", status=status, times=1)
    with pytest.raises(ForgeError, match="try again later"):
        await accounts.keyring.own(bob)
    assert fault.hits == 1
    assert len(await login_services(accounts).logins.list(bob)) == 1
    assert await accounts.keyring.own(bob) is not None


async def test_a_code_of_another_beginning_is_refused(accounts: Accounts):
    logins = login_services(accounts).logins
    mine = await logins.begin("/", redirect_uri=HERE)
    theirs = await logins.begin("/", redirect_uri=HERE)
    told, stolen = await come_back(mine.url, "mallory"), await come_back(theirs.url, "bob")
    back = Callback(mine.ticket.get_secret_value(), told["state"], stolen["code"])
    with pytest.raises(RefusedError):
        await logins.finish(back, redirect_uri=HERE)


async def test_who_says_no_is_not_let_in(accounts: Accounts):
    logins = login_services(accounts).logins
    begun = await logins.begin("/", redirect_uri=HERE)
    told = await come_back(begun.url, "-")
    back = Callback(begun.ticket.get_secret_value(), told["state"], "", told["error"])
    with pytest.raises(ForbiddenError, match="access_denied"):
        await logins.finish(back, redirect_uri=HERE)


async def test_a_terminal_logs_in(accounts: Accounts, clock: MovingClock, github: GitHubServer):
    devices = login_services(accounts).devices
    begun = await devices.begin()
    clock.time += begun.interval_s
    assert (await devices.poll(begun.ticket, name="x")).key is None
    own_page = {"Origin": github.url}
    async with httpx.AsyncClient(trust_env=False, base_url=github.url, headers=own_page) as browser:
        form = {"user_code": begun.user_code, "as": "bob"}
        assert (await browser.post("/login/device", data=form)).status_code == 200
    clock.time += 2 * begun.interval_s
    said = await devices.poll(begun.ticket, name="laptop")
    assert said.person is not None
    assert said.person.login == "bob"
    assert said.key is not None


async def test_a_role_that_was_taken_away_counts(accounts: Accounts, github: GitHubServer):
    bob = await log_in(accounts, "bob")
    repo = await accounts.access.check_repo(bob, REPO, Right.PUBLISH)
    github.state.world.repos[REPO.lower()].roles["bob"] = Role.READ
    with pytest.raises(ForbiddenError, match="may not push"):
        await accounts.keyring.writing(repo, user_id=bob)
