"""A GitHub App's installations: their tokens, each for one repository, and the App's bot."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, replace
from urllib.parse import quote
from weakref import WeakValueDictionary

from yudai.forge.adapters.github.client import Client
from yudai.forge.adapters.github.configuration import AppConfig, host
from yudai.forge.adapters.github.messages import ApiRequest, Identity
from yudai.forge.adapters.github.responses import (
    App,
    Installation,
    InstallationToken,
    Repo,
    RepoList,
    User,
)
from yudai.forge.domain.repository import Account, RepoRef
from yudai.forge.ports.remote import Credential, CredentialKind
from yudai.kit.clock import Clock
from yudai.kit.errors import ForbiddenError, NotFoundError, RefusedError

_REMEDIES = {
    CredentialKind.ANONYMOUS: "log in, or set GITHUB_TOKEN",
    CredentialKind.SERVER: "GITHUB_TOKEN is not valid: set another",
    CredentialKind.USER: "the login has expired: log in again",
    CredentialKind.APP: "the App's token has expired: try again",
}
THE_APP = Identity(
    remedy="GITHUB_APP_ID and the key at GITHUB_APP_PRIVATE_KEY_PATH must belong to the same App",
    is_app=True,
)


def identity(by: Credential, *, owner: str = "") -> Identity:
    """`owner`: whose repository is asked about, which an App's installation belongs to."""
    return Identity(
        remedy=_REMEDIES[by.kind],
        token=by.token,
        writer=f"{by.kind}:{by.login}:{owner}".lower(),
    )


# Nothing that a publisher does not need; not `workflows`, so that GitHub refuses them as well.
_PERMISSIONS: Mapping[str, str] = {
    "contents": "write",
    "issues": "write",
    "metadata": "read",
    "pull_requests": "write",
}
_LISTING: Mapping[str, str] = {"metadata": "read"}
_MARGIN_S = 60.0


@dataclass(frozen=True)
class _Held:
    credential: Credential
    until: float


class Apps:
    def __init__(self, client: Client, config: AppConfig | None, *, clock: Clock, url: str) -> None:
        self._client = client
        self._config = config
        self._clock = clock
        self._url = url
        self._held: dict[str, _Held] = {}
        self._locks: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()
        self._bot: Account | None = None

    async def credential(self, repo: RepoRef) -> Credential | None:
        if self._config is None:
            return None
        key = repo.full.lower()
        lock = self._locks.setdefault(key, asyncio.Lock())
        async with lock:
            if key not in self._fresh():
                number = await self._installation(repo, self._config)
                if number is None:
                    return None
                await self._take(key, number, permissions=_PERMISSIONS, repositories=[repo.name])
            return self._held[key].credential

    async def bot(self, by: Credential) -> Account | None:
        """None where no App is configured; `by` is one of its installations'."""
        if self._config is None or self._bot:
            return self._bot
        login = f"{(await self._client.one(App, ApiRequest('/app'), by=THE_APP)).slug}[bot]"
        ask = ApiRequest(f"/users/{quote(login)}")
        try:
            user = await self._client.one(User, ask, by=identity(by))
        except RefusedError:
            # The server shows no profile pages: an address without the user's number has to do.
            return Account(id=0, login=login, is_bot=True)
        self._bot = Account(id=user.id, login=login, is_bot=True)
        return self._bot

    async def repositories(self) -> list[Repo]:
        found: list[Repo] = []
        for installation in await self._installations():
            key = f"installation {installation.id}"
            lock = self._locks.setdefault(key, asyncio.Lock())
            async with lock:
                if key not in self._fresh():
                    await self._take(key, installation.id, permissions=_LISTING)
            ask = ApiRequest("/installation/repositories", params={"per_page": "100"})
            by = self.identity(self._held[key].credential)
            async for page in self._client.pages(RepoList, ask, by=by):
                found.extend(page.repositories)
        return found

    def covers(self, credential: Credential, repo: RepoRef) -> bool:
        """Whether this is the token that was made for that repository."""
        held = self._held.get(repo.full.lower())
        return held is not None and held.credential.token == credential.token

    def identity(self, by: Credential, *, owner: str = "") -> Identity:
        known = identity(by, owner=owner)
        if by.kind is not CredentialKind.APP:
            return known
        return replace(known, on_rejected=lambda: self._forget(by))

    async def _installation(self, repo: RepoRef, config: AppConfig) -> int | None:
        ask = ApiRequest(f"/repos/{quote(repo.owner)}/{quote(repo.name)}/installation")
        try:
            found = await self._client.one(Installation, ask, by=THE_APP)
        except NotFoundError:
            return None
        is_ours = config.installation_id in (None, found.id)
        return found.id if is_ours and found.suspended_at is None else None

    async def _installations(self) -> list[Installation]:
        if self._config is None:
            return []
        ask = ApiRequest("/app/installations", params={"per_page": "100"})
        wanted = self._config.installation_id
        return [
            one
            for one in await self._client.every(Installation, ask, by=THE_APP)
            if one.suspended_at is None and wanted in (None, one.id)
        ]

    async def _take(
        self,
        key: str,
        installation: int,
        *,
        permissions: Mapping[str, str],
        repositories: list[str] | None = None,
    ) -> None:
        body: dict[str, object] = {"permissions": dict(permissions)}
        if repositories:
            body["repositories"] = repositories
        ask = ApiRequest(
            f"/app/installations/{installation}/access_tokens",
            method="POST",
            body=body,
            is_idempotent=True,
        )
        try:
            made = await self._client.one(InstallationToken, ask, by=THE_APP)
        except (ForbiddenError, NotFoundError):
            raise
        except RefusedError as error:
            wanted = ", ".join(f"{name} ({what})" for name, what in permissions.items())
            raise ForbiddenError(f"give the App these permissions: {wanted}; {error}") from None
        credential = await self._named(Credential(kind=CredentialKind.APP, token=made.token))
        self._held[key] = _Held(credential, until=made.expires_at - _MARGIN_S)

    async def _named(self, credential: Credential) -> Credential:
        """With the bot's name and address for its commits."""
        bot = await self.bot(credential)
        if bot is None:
            return credential
        number = f"{bot.id}+" if bot.id else ""
        email = f"{number}{bot.login}@users.noreply.{host(self._url)}"
        return credential.model_copy(update={"login": bot.login, "email": email})

    def _fresh(self) -> dict[str, _Held]:
        """Keep tokens that are still valid for a while."""
        now = self._clock.now()
        self._held = {key: held for key, held in self._held.items() if held.until > now}
        return self._held

    def _forget(self, credential: Credential) -> None:
        self._held = {
            key: held
            for key, held in self._held.items()
            if held.credential.token != credential.token
        }
