"""In whose name the forge is asked: never in that of somebody who may more than whoever asks."""

import asyncio
from collections.abc import AsyncGenerator

import pytest
from pydantic import SecretStr
from sqlalchemy import select

from tests.support.forge.accounts_world import HOURS_8, Crowd
from yudai.accounts import credentials as keyrings
from yudai.accounts.adapters.vault import FernetVault, new_key
from yudai.accounts.api_keys import ALL_SCOPES
from yudai.accounts.credentials import Keyring
from yudai.accounts.tables import KeyRow, LoginRow, TokenRow
from yudai.forge.domain.repository import RepoRef, Role
from yudai.forge.ports.login import GrantEndedError, SignedOutError
from yudai.forge.ports.remote import (
    ANONYMOUS,
    Credential,
    CredentialKind,
    Credentials,
)
from yudai.kit.errors import (
    ForbiddenError,
    ForgeError,
    LostAnswerError,
    NotFoundError,
    RefusedError,
    YudaiError,
)
from yudai.kit.ids import LOCAL_USER
from yudai.store.store import Store

SERVER = SecretStr("token-of-server")


@pytest.fixture
async def store(database_url: str) -> AsyncGenerator[Store]:
    async with await Store.open(database_url) as opened:
        yield opened


@pytest.fixture
def crowd(store: Store) -> Crowd:
    return Crowd(store)


@pytest.fixture
def repo(crowd: Crowd) -> RepoRef:
    roles = {"ada": Role.ADMIN, "wim": Role.WRITE, "rita": Role.READ}
    return crowd.forge.add_repository("ada/calc", roles=roles, is_private=True)


def token(credential: Credential | None) -> str:
    assert credential is not None
    return credential.token.get_secret_value()


async def test_it_keeps_the_promises_of_its_protocol(crowd: Crowd, repo: RepoRef):
    promised: Credentials = crowd.keyring
    assert await promised.reading(repo, user_id="") == ANONYMOUS


async def test_reading_prefers_ones_own_then_the_app_then_the_server(crowd: Crowd, repo: RepoRef):
    rita = await crowd.person("rita")
    assert (await crowd.keyring.reading(repo, user_id=rita.id)).login == "rita"
    crowd.forge.install(repo)
    assert (await crowd.keyring.reading(repo, user_id=rita.id)).kind is CredentialKind.USER
    assert (await crowd.keyring.reading(repo, user_id="")).kind is CredentialKind.APP
    crowd.forge.uninstall(repo)
    served = Crowd(crowd.store, crowd.forge, crowd.clock, crowd.vault, SERVER)
    assert token(await served.keyring.reading(repo, user_id="")) == SERVER.get_secret_value()


async def test_no_one_publishes_with_the_right_of_another_person(crowd: Crowd, repo: RepoRef):
    """Two users and an App that may push: the confused deputy."""
    wim, rita, eve = [await crowd.person(login) for login in ("wim", "rita", "eve")]
    served = Crowd(crowd.store, crowd.forge, crowd.clock, crowd.vault, SERVER)
    served.forge.let_in("ada", SERVER.get_secret_value())
    for is_installed in (False, True):
        if is_installed:
            served.forge.install(repo)
        for reader in (rita, eve):
            with pytest.raises(ForbiddenError, match=f"{reader.login} may not push to ada/calc"):
                await served.keyring.writing(repo, user_id=reader.id)
        with pytest.raises(SignedOutError):
            await served.keyring.writing(repo, user_id="somebody-unknown")
        with pytest.raises(SignedOutError):
            await served.keyring.writing(repo, user_id=LOCAL_USER)
    assert (await served.keyring.writing(repo, user_id=wim.id)).kind is CredentialKind.APP
    served.forge.uninstall(repo)
    own = await served.keyring.writing(repo, user_id=wim.id)
    assert (own.kind, own.login) == (CredentialKind.USER, "wim")
    assert token(own).startswith("access-wim")


async def test_a_right_that_was_taken_away_is_gone_at_once(crowd: Crowd, repo: RepoRef):
    wim = await crowd.person("wim")
    await crowd.keyring.writing(repo, user_id=wim.id)
    crowd.forge.give(repo, "wim", Role.READ)
    with pytest.raises(ForbiddenError, match="may not push"):
        await crowd.keyring.writing(repo, user_id=wim.id)


async def test_the_servers_token_writes_only_where_no_one_in_particular_asks(
    store: Store, crowd: Crowd, repo: RepoRef
):
    with pytest.raises(ForbiddenError, match="GITHUB_TOKEN"):
        await crowd.keyring.writing(repo, user_id="")
    for is_local, user_id in ((False, ""), (True, ""), (True, LOCAL_USER)):
        served = Crowd(store, crowd.forge, crowd.clock, crowd.vault, SERVER, is_local)
        found = await served.keyring.writing(repo, user_id=user_id)
        assert (found.kind, token(found)) == (CredentialKind.SERVER, SERVER.get_secret_value())


async def test_a_token_that_ends_soon_is_refreshed_and_written_before_it_is_used(crowd: Crowd):
    ada = await crowd.person("ada")
    first = token(await crowd.keyring.own(ada.id))
    crowd.clock.time += HOURS_8 - keyrings.LEEWAY_S - 1
    assert token(await crowd.keyring.own(ada.id)) == first
    crowd.clock.time += 1
    second = token(await crowd.keyring.own(ada.id))
    assert second != first
    assert crowd.provider.refreshes == 1
    # Another process that knows nothing but the database.
    assert token(await crowd.new_keyring().own(ada.id)) == second
    crowd.clock.time += HOURS_8
    assert token(await crowd.new_keyring().own(ada.id)) not in (first, second)


async def test_twenty_at_once_are_one_refresh(crowd: Crowd):
    """Half of them as another process would: only the row's lock is between them."""
    ada = await crowd.person("ada")
    crowd.clock.time += HOURS_8
    crowd.provider.hold = asyncio.Event()
    keyring_of: list[Keyring] = [crowd.keyring, crowd.new_keyring()]
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(keyring_of[n % 2].own(ada.id)) for n in range(20)]
        await crowd.provider.refreshing.wait()
        crowd.provider.hold.set()
    assert crowd.provider.refreshes == 1
    assert len({token(task.result()) for task in tasks}) == 1


def refuse(crowd: Crowd, monkeypatch: pytest.MonkeyPatch, error: YudaiError) -> None:
    """Whatever is refreshed."""

    async def refused(_: SecretStr) -> None:
        crowd.provider.refreshes += 1
        raise error

    monkeypatch.setattr(crowd.provider, "refresh", refused)


async def test_a_dead_refresh_token_signs_out(
    crowd: Crowd, repo: RepoRef, monkeypatch: pytest.MonkeyPatch
):
    ada = await crowd.person("ada")
    other = await crowd.person("wim")
    crowd.clock.time += HOURS_8
    refuse(crowd, monkeypatch, GrantEndedError("the login has ended"))
    assert await crowd.keyring.own(ada.id) is None
    assert await crowd.keyring.own(ada.id) is None
    assert crowd.provider.refreshes == 1, "it is not asked again"
    with pytest.raises(SignedOutError):
        await crowd.keyring.writing(repo, user_id=ada.id)
    async with crowd.store.read() as db:
        assert (await db.scalars(select(TokenRow.user_id))).all() == [other.id]
        assert (await db.scalars(select(LoginRow.user_id))).all() == [other.id]


async def test_a_refresh_token_that_is_over_is_not_tried(crowd: Crowd):
    ada = await crowd.person("ada")
    crowd.clock.time += 181 * 86_400
    assert await crowd.keyring.own(ada.id) is None
    assert crowd.provider.refreshes == 0


@pytest.mark.parametrize(
    "error",
    [
        ForgeError("away"),
        LostAnswerError("lost"),
        ForbiddenError("a proxy's 403"),
        NotFoundError("a proxy's 404"),
        RefusedError("the App's secret is wrong"),
    ],
)
async def test_whatever_else_is_said_signs_no_one_out(
    crowd: Crowd, monkeypatch: pytest.MonkeyPatch, error: YudaiError
):
    ada = await crowd.person("ada")
    crowd.clock.time += HOURS_8
    with monkeypatch.context() as patched:
        refuse(crowd, patched, error)
        with pytest.raises(ForgeError, match=str(error)):
            await crowd.keyring.own(ada.id)
    async with crowd.store.read() as db:
        assert (await db.scalars(select(LoginRow.user_id))).all() == [ada.id]
    assert await crowd.keyring.own(ada.id) is not None


async def test_a_process_that_cannot_refresh_signs_no_one_out(crowd: Crowd):
    ada = await crowd.person("ada")
    crowd.clock.time += HOURS_8
    without = Keyring(crowd.store, crowd.clock, crowd.vault, crowd.forge)
    assert await without.own(ada.id) is None
    assert await crowd.keyring.own(ada.id) is not None
    async with crowd.store.read() as db:
        assert (await db.scalars(select(LoginRow.user_id))).all() == [ada.id]


async def test_who_disconnects_leaves_nothing_behind(crowd: Crowd):
    ada, wim = await crowd.person("ada"), await crowd.person("wim")
    for person in (ada, ada, wim):
        await crowd.keys.create(person.id, "CI", scopes=ALL_SCOPES)
    await crowd.keyring.disconnect(ada.id)
    await crowd.keyring.disconnect(ada.id)
    assert await crowd.keyring.own(ada.id) is None
    async with crowd.store.read() as db:
        for table in (TokenRow, LoginRow, KeyRow):
            assert (await db.scalars(select(table.user_id))).all() == [wim.id], table


async def test_a_forge_that_hangs_holds_up_no_one_for_long(
    crowd: Crowd, monkeypatch: pytest.MonkeyPatch
):
    ada = await crowd.person("ada")
    crowd.clock.time += HOURS_8
    crowd.provider.hold = asyncio.Event()
    monkeypatch.setattr(keyrings, "REFRESH_S", 0.05)
    with pytest.raises(LostAnswerError, match="try again"):
        await crowd.keyring.own(ada.id)


async def test_a_token_without_an_end_is_never_refreshed(crowd: Crowd):
    crowd.provider.expires_in = None
    ada = await crowd.person("ada")
    crowd.clock.time += 1000 * 86_400
    assert token(await crowd.keyring.own(ada.id)).startswith("access-ada")
    assert crowd.provider.refreshes == 0


async def test_keys_of_the_vault_are_rotated(store: Store):
    old, new = SecretStr(new_key()), SecretStr(new_key())
    before = Crowd(store, vault=FernetVault([old]))
    ada = await before.person("ada")
    first = token(await before.keyring.own(ada.id))
    both = Crowd(store, before.forge, before.clock, FernetVault([new, old]))
    assert await both.keyring.reseal() == 1
    after = Crowd(store, before.forge, before.clock, FernetVault([new]))
    assert token(await after.keyring.own(ada.id)) == first
    # The refresh token as well.
    after.provider._refresh = before.provider._refresh
    before.clock.time += HOURS_8
    assert await after.keyring.own(ada.id) is not None


@pytest.mark.parametrize("later_s", [0.0, HOURS_8])
async def test_a_process_with_the_wrong_keys_signs_no_one_out(store: Store, later_s: float):
    before = Crowd(store)
    ada = await before.person("ada")
    before.clock.time += later_s
    after = Crowd(store, before.forge, before.clock)
    assert await after.keyring.reseal() == 0
    assert await after.keyring.own(ada.id) is None
    assert await before.keyring.own(ada.id) is not None


async def test_no_secret_is_in_what_is_shown(crowd: Crowd):
    ada = await crowd.person("ada")
    own = await crowd.keyring.own(ada.id)
    assert "access-ada" not in repr(own)
    assert "access-ada" not in repr(crowd.keyring)
