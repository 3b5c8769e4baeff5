"""GitHub, or a GitHub Enterprise server, as a forge; its repositories and the roles in them."""

import asyncio
import re
from urllib.parse import quote

from yudai.forge.adapters.github.apps import Apps
from yudai.forge.adapters.github.client import Client
from yudai.forge.adapters.github.configuration import BOUNDS, AppConfig, Bounds
from yudai.forge.adapters.github.context import Place
from yudai.forge.adapters.github.issues import GitHubIssues
from yudai.forge.adapters.github.messages import ApiRequest
from yudai.forge.adapters.github.pulls import GitHubPulls
from yudai.forge.adapters.github.responses import CollaboratorPermission, Repo, User
from yudai.forge.adapters.github.retry import Sleep
from yudai.forge.domain.repository import Account, RepoRef, Repository, Role, repo_ref
from yudai.forge.ports.remote import Credential, CredentialKind
from yudai.kit.clock import Clock
from yudai.kit.errors import ForbiddenError, NotFoundError

_LOGIN = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_-]{0,99}(\[bot\])?")
_ROLES = {
    "admin": Role.ADMIN,
    "maintain": Role.WRITE,
    "write": Role.WRITE,
    "triage": Role.TRIAGE,
    "read": Role.READ,
    "none": Role.NONE,
}


class GitHubForge(GitHubIssues, GitHubPulls):
    def __init__(
        self,
        url: str,
        *,
        api_url: str,
        app: AppConfig | None,
        clock: Clock,
        sleep: Sleep = asyncio.sleep,
        bounds: Bounds = BOUNDS,
    ) -> None:
        self._client = Client(api_url, clock=clock, sleep=sleep, app=app, bounds=bounds)
        apps = Apps(self._client, app, clock=clock, url=url)
        super().__init__(Place(url=url, client=self._client, apps=apps, sleep=sleep))

    @property
    def url(self) -> str:
        return self._place.url

    async def app_credential(self, repo: RepoRef) -> Credential | None:
        # It checks that the repository is here.
        self._place.path(repo)
        return await self._place.apps.credential(repo)

    async def whoami(self, *, by: Credential) -> Account:
        if by.kind is CredentialKind.APP and (bot := await self._place.apps.bot(by)):
            return bot
        _require_login(by)
        by_whom = self._place.identity(by)
        return (await self._place.client.one(User, ApiRequest("/user"), by=by_whom)).account

    async def repository(self, repo: RepoRef, *, by: Credential) -> Repository:
        ask = ApiRequest(self._place.path(repo))
        found = await self._place.client.one(Repo, ask, by=self._place.identity(by, repo))
        if by.kind is CredentialKind.APP:
            # Of an installation, GitHub tells no permissions that mean anything.
            is_its_own = self._place.apps.covers(by, repo)
            return self._repository(found, Role.WRITE if is_its_own else Role.READ)
        return self._repository(found, found.permissions.role)

    async def repositories(self, *, by: Credential) -> tuple[Repository, ...]:
        if by.kind is CredentialKind.APP:
            results = [
                self._repository(one, Role.WRITE) for one in await self._place.apps.repositories()
            ]
        else:
            _require_login(by)
            ask = ApiRequest("/user/repos", params={"sort": "pushed", "per_page": "100"})
            by_whom = self._place.identity(by)
            found = await self._place.client.every(Repo, ask, by=by_whom)
            results = [self._repository(one, one.permissions.role) for one in found]
        unique = {one.ref.full.lower(): one for one in results}
        return tuple(sorted(unique.values(), key=lambda one: one.pushed_at or 0.0, reverse=True))

    async def role(self, repo: RepoRef, login: str, *, by: Credential) -> Role:
        if by.kind is CredentialKind.USER and by.login and by.login.lower() == login.lower():
            return (await self.repository(repo, by=by)).role
        if not _LOGIN.fullmatch(login):
            return Role.NONE
        path = self._place.path(repo, f"/collaborators/{quote(login)}/permission")
        ask = ApiRequest(path, is_fresh=True)
        try:
            results = await self._place.client.one(
                CollaboratorPermission, ask, by=self._place.identity(by, repo)
            )
        except NotFoundError:
            # There is no such user, or not in this repository.
            await self.repository(repo, by=by)
            return Role.NONE
        # An organisation's own roles have other names; each stands upon one of the known ones.
        known = _ROLES.get(results.role_name)
        return _ROLES.get(results.permission, Role.NONE) if known is None else known

    def _repository(self, repo: Repo, role: Role) -> Repository:
        owner, _, name = repo.full_name.partition("/")
        return Repository(
            ref=repo_ref(self._place.url, owner, name),
            default_branch=repo.default_branch,
            is_private=repo.private,
            is_archived=repo.archived,
            role=role,
            description=repo.description,
            open_issues=repo.open_issues_count,
            pushed_at=repo.pushed_at,
        )

    async def close(self) -> None:
        await self._client.close()


def _require_login(by: Credential) -> None:
    if by.kind is CredentialKind.ANONYMOUS:
        raise ForbiddenError("GitHub shows this only to a login: log in, or set GITHUB_TOKEN")
