"""An App's tokens and forks before the fake GitHub."""

import asyncio
from collections.abc import AsyncGenerator, Generator
from pathlib import Path

import pytest
from pydantic import SecretStr

from tests.support.fakes import StillClock
from tests.support.forge.github_answers import Reply, answering
from tests.support.servers.github_server import REPO, GitHubServer, github_server
from yudai.forge.adapters.github.configuration import AppConfig
from yudai.forge.adapters.github.forge import GitHubForge
from yudai.forge.domain.repository import RepoRef, Role, repo_ref
from yudai.forge.ports.remote import Credential, CredentialKind
from yudai.kit.errors import ForbiddenError, ForgeError, NotFoundError, RefusedError

TOKENS = "/access_tokens"


class MovingClock(StillClock):
    def __init__(self, at: float) -> None:
        super().__init__()
        self.at = at

    def now(self) -> float:
        return self.at


class Place:
    """A forge with an App that is installed nowhere yet."""

    def __init__(self, server: GitHubServer, key: str) -> None:
        self.server = server
        self.key = key
        self.clock = MovingClock(server.state.now())
        self.slept: list[float] = []
        self.forges: list[GitHubForge] = []
        server.repository()
        self.repo = repo_ref(server.url, *REPO.split("/"))

    def forge(self, *, installation: int | None = None, key: str = "") -> GitHubForge:
        app = AppConfig(
            app_id=str(self.server.state.the_app().id),
            private_key=SecretStr(key or self.key),
            installation_id=installation,
        )
        made = GitHubForge(
            self.server.url, api_url=self.server.api, app=app, clock=self.clock, sleep=self.sleep
        )
        self.forges.append(made)
        return made

    async def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)


@pytest.fixture
def server(tmp_path: Path) -> Generator[GitHubServer]:
    with github_server(tmp_path) as one:
        yield one


@pytest.fixture
async def place(server: GitHubServer) -> AsyncGenerator[Place]:
    key = server.app(account="mallory", repositories=())
    made = Place(server, key)
    yield made
    for forge in made.forges:
        await forge.close()


async def test_without_an_app_there_is_no_credential(place: Place) -> None:
    forge = GitHubForge(place.server.url, api_url=place.server.api, app=None, clock=place.clock)
    place.server.state.install("octo")
    assert await forge.app_credential(place.repo) is None
    assert await forge.repositories(by=Credential(kind=CredentialKind.APP)) == ()
    await forge.close()


async def test_a_token_is_for_one_repository_and_for_what_a_publisher_needs(place: Place) -> None:
    place.server.repository("octo/other", private=True)
    place.server.state.install("octo")
    by = await place.forge().app_credential(place.repo)
    assert by is not None
    held = place.server.state.world.tokens[by.token.get_secret_value()]
    assert held.repositories == [REPO]
    assert held.permissions == {
        "contents": "write",
        "issues": "write",
        "metadata": "read",
        "pull_requests": "write",
    }
    other = repo_ref(place.server.url, "octo", "other")
    with pytest.raises(NotFoundError):
        await place.forge().repository(other, by=by)
    assert by.token.get_secret_value() not in repr(by) + str(by)


async def test_a_token_is_kept_until_a_minute_before_its_end(place: Place) -> None:
    place.server.state.install("octo")
    forge = place.forge()
    first = await forge.app_credential(place.repo)
    assert await forge.app_credential(place.repo) == first
    assert len(place.server.requests("POST", TOKENS)) == 1
    place.clock.at += 3600 - 61 - 2
    assert await forge.app_credential(place.repo) == first
    place.clock.at += 5
    assert await forge.app_credential(place.repo) != first


async def test_who_come_at_once_share_one_token(place: Place) -> None:
    place.server.state.install("octo")
    forge = place.forge()
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(forge.app_credential(place.repo)) for _ in range(5)]
    first = tasks[0].result()
    assert first is not None
    assert all(task.result() == first for task in tasks)
    assert len(place.server.requests("POST", TOKENS)) == 1


async def test_a_token_that_was_ended_is_made_again(place: Place) -> None:
    place.server.state.install("octo")
    forge = place.forge()
    first = await forge.app_credential(place.repo)
    assert first is not None
    place.server.state.world.tokens.pop(first.token.get_secret_value())
    with pytest.raises(ForbiddenError, match="try again"):
        await forge.repository(place.repo, by=first)
    second = await forge.app_credential(place.repo)
    assert second is not None
    assert (await forge.repository(place.repo, by=second)).role == Role.WRITE


async def test_a_suspended_or_other_installation_is_none(place: Place) -> None:
    made = place.server.state.install("octo")
    assert await place.forge(installation=made.id + 1).app_credential(place.repo) is None
    assert await place.forge(installation=made.id).app_credential(place.repo) is not None
    made.suspended = True
    assert await place.forge().app_credential(place.repo) is None


async def test_an_app_without_the_permissions_has_them_named(place: Place) -> None:
    place.server.state.install("octo", permissions={"metadata": "read", "issues": "read"})
    with pytest.raises(ForbiddenError, match=r"contents \(write\)"):
        await place.forge().app_credential(place.repo)


async def test_a_wrong_key_is_reported_without_it(place: Place) -> None:
    place.server.state.install("octo")
    for key in ("no key at all", "-----BEGIN RSA PRIVATE KEY-----\ncanary\n-----END RSA"):
        with pytest.raises(ForbiddenError, match="GITHUB_APP_PRIVATE_KEY_PATH") as caught:
            await place.forge(key=key).app_credential(place.repo)
        assert "canary" not in str(caught.value)
    place.server.state.the_app().id += 1
    forge = place.forge()
    place.server.state.the_app().id -= 1
    with pytest.raises(ForbiddenError, match="GITHUB_APP_ID"):
        await forge.app_credential(place.repo)


async def test_a_lost_token_is_asked_for_again(place: Place) -> None:
    place.server.state.install("octo")
    place.server.fail(TOKENS, after=True)
    assert await place.forge().app_credential(place.repo) is not None


async def test_a_bot_whose_page_is_not_shown_has_an_address_without_a_number(
    place: Place,
) -> None:
    place.server.state.install("octo")
    place.server.fail("/users/", status=404)
    by = await place.forge().app_credential(place.repo)
    assert by is not None
    assert (by.login, by.email) == ("yudai[bot]", "yudai[bot]@users.noreply.127.0.0.1")


async def test_an_app_that_may_not_is_reported(place: Place) -> None:
    place.server.state.install("octo")
    place.server.fail(TOKENS, status=403, message="This installation has been suspended")
    with pytest.raises(ForbiddenError, match="suspended"):
        await place.forge().app_credential(place.repo)


async def test_a_fork_is_waited_for(place: Place) -> None:
    forge = place.forge()
    by = Credential(
        kind=CredentialKind.USER, token=SecretStr(place.server.token("mallory")), login="mallory"
    )
    place.server.fail("/branches/", status=404, times=3)
    fork = await forge.fork(place.repo, by=by)
    assert fork.full == "mallory/passbook"
    assert len(place.slept) >= 3
    place.server.fail("/branches/", status=404, times=100)
    with pytest.raises(ForgeError, match="not ready") as caught:
        await forge.fork(place.repo, by=by)
    assert caught.value.retry_after_s == 60
    assert sum(place.slept) < 150


async def test_what_is_no_copy_is_never_pushed_to() -> None:
    async with answering() as server:
        forge = GitHubForge(server.url, api_url=server.api_url, app=None, clock=StillClock())
        repo = RepoRef(forge=server.url, owner="ada", name="calc")
        by = Credential(kind=CredentialKind.USER, token=SecretStr("t"))
        for made in ({"full_name": "bob/calc", "fork": False}, {"full_name": "Ada/calc"}):
            server.reply(Reply(made, status=202))
            with pytest.raises(RefusedError, match="no copy"):
                await forge.fork(repo, by=by)
        await forge.close()


async def test_a_proxy_is_asked_for_others_and_never_for_loopback(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    by = Credential(kind=CredentialKind.USER, token=SecretStr("t"))
    async with answering() as server:
        server.reply(Reply({"login": "wim", "id": 1}))
        for name in ("HTTP_PROXY", "http_proxy"):
            monkeypatch.setenv(name, "http://127.0.0.1:9")
        near = GitHubForge(server.url, api_url=server.api_url, app=None, clock=StillClock())
        assert (await near.whoami(by=by)).login == "wim"
        for name in ("HTTP_PROXY", "http_proxy"):
            monkeypatch.setenv(name, server.url)
        url = "http://github.invalid"
        far = GitHubForge(url, api_url=f"{url}/api/v3", app=None, clock=StillClock())
        assert (await far.whoami(by=by)).login == "wim"
        assert server.asked[-1].headers["host"] == "github.invalid"
        await near.close()
        await far.close()
