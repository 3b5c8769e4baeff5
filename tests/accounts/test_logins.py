"""Logins, keys and devices: each secret is good for one thing, for a while, some only once."""

from collections.abc import AsyncGenerator

import pytest
from pydantic import SecretStr
from sqlalchemy import select

from tests.support.forge.accounts_world import HERE, Crowd
from yudai.accounts.adapters.vault import FernetVault, new_key
from yudai.accounts.api_keys import ALL_SCOPES, MAX_KEYS, Scope
from yudai.accounts.logins import ABSOLUTE_S, ATTEMPT_S, IDLE_S, Callback, challenge_of
from yudai.accounts.tables import KeyRow, LoginAttemptRow, LoginRow, TokenRow, UserRow
from yudai.forge.ports.login import DeviceState
from yudai.kit.errors import ForbiddenError, ForgeError, NotFoundError, RefusedError
from yudai.store.store import Store


@pytest.fixture
async def crowd(database_url: str) -> AsyncGenerator[Crowd]:
    async with await Store.open(database_url) as store:
        yield Crowd(store)


async def begun(crowd: Crowd, login: str = "ada") -> Callback:
    """Just before it comes back."""
    started = await crowd.logins.begin("/solves", redirect_uri=HERE)
    code, state = crowd.provider.agree(started.url, login)
    return Callback(started.ticket.get_secret_value(), state, code)


async def test_a_browser_is_let_in_and_known(crowd: Crowd):
    done = await crowd.log_in("ada", return_to="/solves/1")
    assert done.return_to == "/solves/1"
    assert done.person.login == "ada"
    found = await crowd.logins.who(done.secret.get_secret_value())
    assert found is not None
    assert found.person == done.person
    assert len(done.secret.get_secret_value()) == 64


async def test_nothing_that_lets_in_is_in_the_database(crowd: Crowd):
    back = await begun(crowd)
    done = await crowd.logins.finish(back, redirect_uri=HERE)
    key = await crowd.keys.create(done.person.id, "CI", scopes=ALL_SCOPES)
    device = await crowd.devices.begin()
    told = [done.secret.get_secret_value(), back.ticket, back.state, back.code, device.ticket]
    told += [key.key.rpartition("_")[2], "access-ada", "refresh-ada", "device-"]
    async with crowd.store.read() as db:
        for table in (UserRow, TokenRow, LoginRow, LoginAttemptRow, KeyRow):
            rows = repr((await db.execute(select(*table.__table__.columns))).all())
            assert not [secret for secret in told if secret in rows], table


async def test_a_callback_is_good_once(crowd: Crowd):
    back = await begun(crowd)
    await crowd.logins.finish(back, redirect_uri=HERE)
    with pytest.raises(RefusedError, match="start again"):
        await crowd.logins.finish(back, redirect_uri=HERE)


async def test_a_callback_of_another_browser_lets_no_one_in(crowd: Crowd):
    mine, theirs = await begun(crowd, "ada"), await begun(crowd, "eve")
    for forged in (
        theirs._replace(ticket=mine.ticket),
        mine._replace(state=""),
        mine._replace(ticket=""),
        mine._replace(ticket="0" * 64),
        mine._replace(ticket="' OR 1=1"),
    ):
        with pytest.raises(RefusedError, match="start again"):
            await crowd.logins.finish(forged, redirect_uri=HERE)
    async with crowd.store.read() as db:
        assert (await db.scalars(select(LoginRow))).all() == []


async def test_a_wrong_state_uses_the_beginning_up(crowd: Crowd):
    back = await begun(crowd)
    with pytest.raises(RefusedError):
        await crowd.logins.finish(back._replace(state="wrong"), redirect_uri=HERE)
    with pytest.raises(RefusedError, match="start again"):
        await crowd.logins.finish(back, redirect_uri=HERE)


async def test_a_beginning_is_over_after_minutes(crowd: Crowd):
    back = await begun(crowd)
    crowd.clock.time += ATTEMPT_S
    with pytest.raises(RefusedError, match="start again"):
        await crowd.logins.finish(back, redirect_uri=HERE)


async def test_old_beginnings_are_forgotten(crowd: Crowd):
    await begun(crowd)
    crowd.clock.time += ATTEMPT_S
    await begun(crowd)
    async with crowd.store.read() as db:
        assert len((await db.scalars(select(LoginAttemptRow))).all()) == 1


async def test_the_code_belongs_to_the_verifier_and_the_address(crowd: Crowd):
    """PKCE: a stolen code is of no use with another beginning."""
    mine, theirs = await begun(crowd, "eve"), await begun(crowd, "ada")
    with pytest.raises(RefusedError, match="not good"):
        await crowd.logins.finish(mine._replace(code=theirs.code), redirect_uri=HERE)
    back = await begun(crowd)
    with pytest.raises(RefusedError, match="not good"):
        await crowd.logins.finish(back, redirect_uri="https://evil.example/auth/callback")


def test_the_challenge_is_that_of_the_standard():
    # RFC 7636, appendix B.
    verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
    assert challenge_of(verifier) == "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"


async def test_what_the_forge_refuses_is_reported(crowd: Crowd):
    back = await begun(crowd)
    with pytest.raises(ForbiddenError, match=r"access_denied"):
        await crowd.logins.finish(back._replace(error="access_denied\n\n"), redirect_uri=HERE)
    back = await begun(crowd)
    with pytest.raises(ForbiddenError):
        await crowd.logins.finish(back._replace(code=""), redirect_uri=HERE)


async def test_a_forge_that_is_away_lets_no_one_in(crowd: Crowd):
    back = await begun(crowd)
    crowd.forge.faults.before("whoami")
    with pytest.raises(ForgeError):
        await crowd.logins.finish(back, redirect_uri=HERE)
    async with crowd.store.read() as db:
        assert (await db.scalars(select(UserRow))).all() == []


async def test_a_bot_is_no_person(crowd: Crowd):
    with pytest.raises(RefusedError, match="bot"):
        await crowd.log_in("dependabot[bot]")


async def test_a_lost_key_of_the_vault_ends_a_beginning(crowd: Crowd):
    back = await begun(crowd)
    lost = Crowd(crowd.store, crowd.forge, crowd.clock, FernetVault([SecretStr(new_key())]))
    with pytest.raises(RefusedError, match="start again"):
        await lost.logins.finish(back, redirect_uri=HERE)


async def test_a_login_ends_when_it_is_idle(crowd: Crowd):
    secret = (await crowd.log_in("ada")).secret.get_secret_value()
    crowd.clock.time += IDLE_S - 1
    assert await crowd.logins.who(secret)
    crowd.clock.time += IDLE_S - 1
    assert await crowd.logins.who(secret), "being asked keeps it"
    crowd.clock.time += IDLE_S
    assert await crowd.logins.who(secret) is None


async def test_a_login_ends_for_good_however_often_it_is_used(crowd: Crowd):
    secret = (await crowd.log_in("ada")).secret.get_secret_value()
    steps = int(ABSOLUTE_S // 36_000)
    for _ in range(steps):
        crowd.clock.time += 36_000
        assert await crowd.logins.who(secret)
    crowd.clock.time += ABSOLUTE_S - steps * 36_000
    assert await crowd.logins.who(secret) is None


async def test_being_asked_writes_once_a_minute(crowd: Crowd):
    secret = (await crowd.log_in("ada")).secret.get_secret_value()

    async def seen_at() -> float:
        async with crowd.store.read() as db:
            return (await db.scalars(select(LoginRow.seen_at))).one()

    first = await seen_at()
    crowd.clock.time += 59
    await crowd.logins.who(secret)
    assert await seen_at() == first
    crowd.clock.time += 1
    await crowd.logins.who(secret)
    assert await seen_at() == first + 60


async def test_logging_in_again_gives_another_secret_and_ends_the_former(crowd: Crowd):
    first = (await crowd.log_in("ada")).secret.get_secret_value()
    second = (await crowd.log_in("ada", former=first)).secret.get_secret_value()
    assert second != first
    assert await crowd.logins.who(first) is None
    assert await crowd.logins.who(second)


@pytest.mark.parametrize("change", ["", "0" * 64, "x" * 64, "A" * 64, "é" * 64])
async def test_a_secret_that_was_tampered_with_lets_no_one_in(crowd: Crowd, change: str):
    await crowd.log_in("ada")
    assert await crowd.logins.who(change) is None


async def test_logins_are_listed_and_ended(crowd: Crowd):
    one, two, three = [await crowd.log_in("ada") for _ in range(3)]
    other = await crowd.log_in("eve")
    present = await crowd.logins.who(one.secret.get_secret_value())
    assert present is not None
    listed = await crowd.logins.list(one.person.id, present=present.login_id)
    assert [view.present for view in listed].count(True) == 1
    assert len(listed) == 3
    await crowd.logins.end(two.secret.get_secret_value())
    assert await crowd.logins.who(two.secret.get_secret_value()) is None
    known = await crowd.logins.who(three.secret.get_secret_value())
    assert known is not None
    for wrong in ("", known.login_id[:8], "%" * 16, "_" * 16):
        with pytest.raises(NotFoundError):
            await crowd.logins.end_one(one.person.id, wrong)
    with pytest.raises(NotFoundError):
        await crowd.logins.end_one(other.person.id, known.login_id)
    await crowd.logins.end_one(one.person.id, known.login_id)
    assert await crowd.logins.end_all(one.person.id) == 1
    assert await crowd.logins.who(one.secret.get_secret_value()) is None
    assert await crowd.logins.who(other.secret.get_secret_value())


async def test_a_renamed_account_is_the_same_person(crowd: Crowd):
    before = await crowd.person("ada")
    account = crowd.forge.person("ada").model_copy(update={"login": "lovelace"})
    crowd.forge._people["lovelace"] = account
    after = await crowd.person("lovelace")
    assert (after.id, after.login) == (before.id, "lovelace")


async def test_a_key_is_good_until_it_ends_or_is_revoked(crowd: Crowd):
    ada = await crowd.person("ada")
    made = await crowd.keys.create(ada.id, " CI \n", scopes={Scope.RUN, Scope.READ}, lasts_s=100)
    assert made.about.scopes == (Scope.READ, Scope.RUN)
    assert made.about.name == "CI"
    used = await crowd.keys.use(SecretStr(made.key))
    assert used is not None
    assert (used.person, used.scopes) == (ada, {Scope.READ, Scope.RUN})
    assert (await crowd.keys.list(ada.id))[0].used_at == crowd.clock.now()
    crowd.clock.time += 100
    assert await crowd.keys.use(SecretStr(made.key)) is None
    lasting = await crowd.keys.create(ada.id, "x", scopes=ALL_SCOPES)
    await crowd.keys.revoke(ada.id, lasting.about.id)
    assert await crowd.keys.use(SecretStr(lasting.key)) is None


async def test_another_persons_key_is_not_there(crowd: Crowd):
    ada, eve = await crowd.person("ada"), await crowd.person("eve")
    made = await crowd.keys.create(ada.id, "CI", scopes=ALL_SCOPES)
    assert await crowd.keys.list(eve.id) == ()
    with pytest.raises(NotFoundError):
        await crowd.keys.revoke(eve.id, made.about.id)
    assert await crowd.keys.use(SecretStr(made.key))


async def test_what_is_nearly_a_key_lets_no_one_in(crowd: Crowd):
    ada = await crowd.person("ada")
    one, two = [await crowd.keys.create(ada.id, "x", scopes=ALL_SCOPES) for _ in range(2)]
    _, first_id, first = one.key.split("_")
    _, second_id, _ = two.key.split("_")
    for wrong in (
        f"ydk_{second_id}_{first}",
        f"ydk_{first_id}_{first[:-1]}{'0' if first[-1] != '0' else '1'}",
        one.key.upper(),
        f"{one.key}\n",
        f" {one.key}",
        "ydk_",
        "",
    ):
        assert await crowd.keys.use(SecretStr(wrong)) is None, wrong


async def test_no_key_outlives_the_one_it_came_from(crowd: Crowd):
    ada = await crowd.person("ada")
    ends = crowd.clock.now() + 50
    for lasts_s in (None, 100.0):
        made = await crowd.keys.create(
            ada.id, "x", scopes={Scope.READ}, lasts_s=lasts_s, until=ends
        )
        assert made.about.expires_at == ends


async def test_keys_have_scopes_and_an_end_of_number(crowd: Crowd):
    ada = await crowd.person("ada")
    with pytest.raises(RefusedError, match="scope"):
        await crowd.keys.create(ada.id, "x", scopes=())
    for _ in range(MAX_KEYS):
        await crowd.keys.create(ada.id, "x", scopes={Scope.READ})
    with pytest.raises(RefusedError, match="revoke"):
        await crowd.keys.create(ada.id, "x", scopes={Scope.READ})


async def test_a_terminal_gets_a_key(crowd: Crowd):
    begun = await crowd.devices.begin()
    assert (begun.user_code, begun.interval_s) == ("ABCD-1234", 5)
    crowd.clock.time += 5
    assert (await crowd.devices.poll(begun.ticket, name="x")).wait_s == 5
    crowd.provider.answer_device("ada")
    crowd.clock.time += 5
    said = await crowd.devices.poll(begun.ticket, name="laptop")
    assert said.person is not None
    assert said.key is not None
    assert said.key.about.name == "laptop"
    used = await crowd.keys.use(SecretStr(said.key.key))
    assert used is not None
    assert used.scopes == ALL_SCOPES
    with pytest.raises(RefusedError, match="start again"):
        await crowd.devices.poll(begun.ticket, name="x")


async def test_terminals_have_no_more_keys_than_others(crowd: Crowd):
    """A terminal that comes again takes the place of its own oldest key, and of no other."""
    ada = await crowd.person("ada")
    old = await crowd.keys.create(ada.id, "laptop", scopes=ALL_SCOPES)
    for _ in range(MAX_KEYS - 2):
        crowd.clock.time += 1
        await crowd.keys.create(ada.id, "CI", scopes={Scope.READ})
    await terminal(crowd, "laptop")
    assert await crowd.keys.use(SecretStr(old.key)) is not None, "there was room"
    newest = await terminal(crowd, " laptop\n")
    kept = {key.id for key in await crowd.keys.list(ada.id)}
    assert len(kept) == MAX_KEYS
    assert await crowd.keys.use(SecretStr(old.key)) is None
    assert await crowd.keys.use(SecretStr(newest)) is not None
    with pytest.raises(RefusedError, match="revoke one first"):
        await terminal(crowd, "another")
    assert {key.id for key in await crowd.keys.list(ada.id)} == kept


async def terminal(crowd: Crowd, name: str) -> str:
    """The key that ada's gets."""
    begun = await crowd.devices.begin()
    crowd.provider.answer_device("ada")
    crowd.clock.time += 5
    key = (await crowd.devices.poll(begun.ticket, name=name)).key
    assert key is not None
    return key.key


async def test_the_forge_is_asked_no_oftener_than_it_wants(crowd: Crowd):
    begun = await crowd.devices.begin()
    for _ in range(10):
        assert (await crowd.devices.poll(begun.ticket, name="x")).wait_s == 5
    assert crowd.provider.polls == 0
    crowd.clock.time += 5
    crowd.provider.answer_device(DeviceState.SLOW_DOWN)
    assert (await crowd.devices.poll(begun.ticket, name="x")).wait_s == 10
    crowd.clock.time += 5
    assert (await crowd.devices.poll(begun.ticket, name="x")).wait_s == 5
    assert crowd.provider.polls == 1
    crowd.clock.time += 5
    crowd.provider.answer_device(DeviceState.PENDING)
    assert (await crowd.devices.poll(begun.ticket, name="x")).wait_s == 10


@pytest.mark.parametrize("state", [DeviceState.DENIED, DeviceState.EXPIRED])
async def test_a_terminal_that_is_refused_begins_again(crowd: Crowd, state: DeviceState):
    begun = await crowd.devices.begin()
    crowd.clock.time += 5
    crowd.provider.answer_device(state)
    with pytest.raises(ForbiddenError, match="start again"):
        await crowd.devices.poll(begun.ticket, name="x")
    with pytest.raises(RefusedError, match="start again"):
        await crowd.devices.poll(begun.ticket, name="x")


async def test_a_ticket_of_one_kind_is_none_of_the_other(crowd: Crowd):
    device = await crowd.devices.begin()
    with pytest.raises(RefusedError):
        await crowd.logins.finish(Callback(device.ticket, "", "code"), redirect_uri=HERE)
    browser = await begun(crowd)
    with pytest.raises(RefusedError):
        await crowd.devices.poll(browser.ticket, name="x")
    crowd.clock.time += 900
    with pytest.raises(RefusedError):
        await crowd.devices.poll(device.ticket, name="x")


async def test_the_local_user_keeps_a_token_beside_the_same_account(crowd: Crowd):
    ada = await crowd.person("ada")
    grant = crowd.provider.grant("ada")
    local = await crowd.enroller.keep_as("local", await crowd.enroller.account(grant), grant)
    assert (local.id, local.login) == ("local", "ada")
    assert local.id != ada.id
    async with crowd.store.read() as db:
        assert len((await db.scalars(select(TokenRow))).all()) == 2
