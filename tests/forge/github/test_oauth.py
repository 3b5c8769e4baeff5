"""Logins before the fake GitHub, and before servers that answer as no GitHub would."""

from collections.abc import AsyncGenerator, Generator
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest
from pydantic import SecretStr

from tests.support.fakes import StillClock
from tests.support.forge.github_answers import Reply, answering
from tests.support.servers.github_server import GitHubServer, github_server
from yudai.dev.fake_github.oauth import challenge_of
from yudai.dev.fake_github.records import Grant as Code
from yudai.forge.adapters.github.oauth import GitHubOAuth
from yudai.forge.ports.login import DeviceState, Grant, GrantEndedError, LoginProvider
from yudai.kit.errors import ForbiddenError, ForgeError, LostAnswerError, RefusedError

BACK = "http://127.0.0.1:8000/auth/callback"
VERIFIER = "v" * 43
SECRET = SecretStr("client-secret-canary")


@pytest.fixture
def server(tmp_path: Path) -> Generator[GitHubServer]:
    with github_server(tmp_path) as one:
        one.app()
        yield one


@pytest.fixture
async def logins(server: GitHubServer) -> AsyncGenerator[LoginProvider]:
    app = server.state.the_app()
    one = GitHubOAuth(
        server.url,
        client_id=app.client_id,
        client_secret=SecretStr(app.client_secret),
        clock=StillClock(),
    )
    yield one
    await one.close()


def _code(server: GitHubServer, login: str = "bob") -> str:
    """What a browser brings back after that person's consent."""
    server.state.world.grants["code-1"] = Code(
        login=login,
        client_id=server.state.the_app().client_id,
        redirect_uri=BACK,
        challenge=challenge_of(VERIFIER),
        expires_at=server.state.now() + 600,
    )
    return "code-1"


def test_the_way_out_has_a_state_and_a_challenge_and_no_secret(
    server: GitHubServer, logins: LoginProvider
) -> None:
    url = logins.authorize_url("s&1", challenge_of(VERIFIER), BACK)
    parts = urlsplit(url)
    assert f"{parts.scheme}://{parts.netloc}{parts.path}" == f"{server.url}/login/oauth/authorize"
    assert parse_qs(parts.query) == {
        "client_id": [server.state.the_app().client_id],
        "redirect_uri": [BACK],
        "state": ["s&1"],
        "code_challenge": [challenge_of(VERIFIER)],
        "code_challenge_method": ["S256"],
    }


async def test_a_code_is_good_once_and_with_its_verifier_alone(
    server: GitHubServer, logins: LoginProvider
) -> None:
    grant = await logins.exchange(_code(server), VERIFIER, BACK)
    assert server.state.world.tokens[grant.access.get_secret_value()].login == "bob"
    assert grant.access_expires_in == 8 * 3600
    assert grant.refresh_expires_in == 15_897_600
    with pytest.raises(RefusedError, match="start it again"):
        await logins.exchange("code-1", VERIFIER, BACK)
    with pytest.raises(RefusedError):
        await logins.exchange(_code(server), "w" * 43, BACK)
    with pytest.raises(RefusedError, match="GITHUB_REDIRECT_URI"):
        await logins.exchange(_code(server), VERIFIER, f"{BACK}/other")


async def test_refreshing_gives_new_ones_and_ends_the_old(
    server: GitHubServer, logins: LoginProvider
) -> None:
    first = await logins.exchange(_code(server), VERIFIER, BACK)
    assert first.refresh is not None
    second = await logins.refresh(first.refresh)
    assert second.access != first.access
    assert first.access.get_secret_value() not in server.state.world.tokens
    with pytest.raises(GrantEndedError, match="log in again"):
        await logins.refresh(first.refresh)


async def test_a_lost_refresh_is_reported_and_not_repeated(
    server: GitHubServer, logins: LoginProvider
) -> None:
    first = await logins.exchange(_code(server), VERIFIER, BACK)
    assert first.refresh is not None
    fault = server.fail("/login/oauth/access_token", after=True, times=9)
    with pytest.raises(LostAnswerError) as caught:
        await logins.refresh(first.refresh)
    assert fault.hits == 1
    assert first.refresh.get_secret_value() not in str(caught.value)


async def test_a_terminal_waits_for_someone(server: GitHubServer, logins: LoginProvider) -> None:
    server.state.device_interval_s = 0
    code = await logins.device_begin()
    assert code.verification_url == f"{server.url}/login/device"
    assert await logins.device_poll(code.device_code) is DeviceState.PENDING
    device = server.state.world.devices[code.device_code.get_secret_value()]
    assert device.user_code == code.user_code
    device.login = "carol"
    grant = await logins.device_poll(code.device_code)
    assert isinstance(grant, Grant)
    assert server.state.world.tokens[grant.access.get_secret_value()].login == "carol"
    assert isinstance(await logins.device_poll(code.device_code), DeviceState)
    assert grant.refresh is not None
    assert (await logins.refresh(grant.refresh)).access != grant.access


async def test_a_terminal_is_refused_or_too_late(
    server: GitHubServer, logins: LoginProvider
) -> None:
    server.state.device_interval_s = 0
    code = await logins.device_begin()
    device = server.state.world.devices[code.device_code.get_secret_value()]
    device.denied = True
    assert await logins.device_poll(code.device_code) is DeviceState.DENIED
    late = await logins.device_begin()
    server.state.world.devices[late.device_code.get_secret_value()].expires_at = 0
    assert await logins.device_poll(late.device_code) is DeviceState.EXPIRED


async def test_a_wrong_secret_names_the_settings(server: GitHubServer) -> None:
    app = server.state.the_app()
    logins = GitHubOAuth(
        server.url, client_id=app.client_id, client_secret=SECRET, clock=StillClock()
    )
    with pytest.raises(RefusedError, match="GITHUB_APP_CLIENT_SECRET") as caught:
        await logins.exchange(_code(server), VERIFIER, BACK)
    assert SECRET.get_secret_value() not in str(caught.value) + repr(logins.__dict__)
    await logins.close()


_ANSWERS = {
    "slow_down": DeviceState.SLOW_DOWN,
    "authorization_pending": DeviceState.PENDING,
    "access_denied": DeviceState.DENIED,
    "expired_token": DeviceState.EXPIRED,
}


async def test_what_github_says_meanwhile_is_ours() -> None:
    async with answering() as server:
        logins = GitHubOAuth(server.url, client_id="Iv1", client_secret=SECRET, clock=StillClock())
        for error, state in _ANSWERS.items():
            server.reply(Reply({"error": error, "interval": 10}))
            assert await logins.device_poll(SecretStr("d")) is state
        sent = server.asked[0]
        assert sent.headers["accept"] == "application/json"
        assert SECRET.get_secret_value().encode() not in sent.body
        for error, kind in (
            ("device_flow_disabled", "device flow"),
            ("some\nthing else", "some thing else"),
        ):
            server.reply(Reply({"error": error}))
            with pytest.raises(RefusedError, match=kind):
                await logins.device_begin()
        server.reply(Reply({"message": "Not Found"}, status=404))
        with pytest.raises(ForbiddenError, match="GITHUB_APP_CLIENT_ID"):
            await logins.device_begin()
        server.reply(Reply({"token_type": "bearer"}))
        with pytest.raises(RefusedError, match="no token"):
            await logins.exchange("c", VERIFIER, BACK)
        server.reply(Reply(raw=b"<html>"))
        with pytest.raises(LostAnswerError):
            await logins.exchange("c", VERIFIER, BACK)
        await logins.close()


@pytest.mark.parametrize(
    "reply",
    [
        Reply(raw=b"<html>Forbidden</html>", status=403),
        Reply({"message": "who are you?"}, status=401),
        Reply({"error": "bad_refresh_token"}, status=403),
        Reply({"error": "incorrect_client_credentials"}),
        Reply({"error": "unsupported_grant_type"}),
    ],
)
async def test_only_githubs_own_word_ends_a_login(reply: Reply) -> None:
    async with answering() as server:
        logins = GitHubOAuth(server.url, client_id="Iv1", client_secret=SECRET, clock=StillClock())
        server.reply(reply)
        with pytest.raises(RefusedError) as caught:
            await logins.refresh(SecretStr("r"))
        assert not isinstance(caught.value, GrantEndedError)
        server.reply(Reply({"error": "bad_refresh_token"}))
        with pytest.raises(GrantEndedError):
            await logins.refresh(SecretStr("r"))
        await logins.close()


async def test_no_one_is_sent_elsewhere_to_type_a_code() -> None:
    async with answering() as server:
        logins = GitHubOAuth(server.url, client_id="Iv1", client_secret=None, clock=StillClock())
        told = {"device_code": "d", "user_code": "A-B", "verification_uri": "https://evil.test/x"}
        server.reply(Reply(told))
        code = await logins.device_begin()
        assert code.verification_url == f"{server.url}/login/device"
        assert (code.interval_s, code.expires_in) == (5, 900)
        assert "d'" not in repr(code)
        server.reply(Reply({"user_code": "A-B"}))
        with pytest.raises(ForgeError, match="no code"):
            await logins.device_begin()
        await logins.close()
