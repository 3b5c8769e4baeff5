"""Repositories to choose from: recent ones, and those at the forge with their issues."""

from dataclasses import dataclass
from typing import NamedTuple, Protocol

from pydantic import Field, SecretStr

from yudai.arena.forge_issue import ForgeIssueReader
from yudai.forge.domain.issue import Issue, IssueFacts
from yudai.forge.domain.issue_text import Selection, bare
from yudai.forge.domain.repository import ForgeIssue, RepoRef, Repository, Role, repo_ref
from yudai.forge.ports.login import SignedOutError
from yudai.forge.ports.remote import Credential, CredentialKind, IssueQuery
from yudai.kit.errors import ForbiddenError
from yudai.kit.hints import LOG_IN
from yudai.kit.text import clean
from yudai.kit.value import Value, from_attributes
from yudai.store.store import Store
from yudai.views import solve_queries as pages
from yudai.views.solve_queries import UsedRepository

MAX_REPOS = 500
PER_PAGE = 30
_LETTERS_PER_TOKEN = 4
_MAX_SHOWN = 500


class Owned(Protocol):
    async def own(self, user_id: str) -> Credential | None: ...


class RepoLine(Value):
    name: str = Field(description="`owner/name`")
    url: str
    default_branch: str
    is_private: bool
    is_archived: bool
    role: Role = Field(description="The caller's role.")
    description: str
    open_issues: int
    pushed_at: float | None


class ForgeRepoList(Value):
    forge: str = Field(description="URL of the forge.")
    repos: tuple[RepoLine, ...] = Field(description="Last pushed first.")


class IssueLine(Value):
    number: int
    title: str
    author: str
    labels: tuple[str, ...]
    comments: int
    created_at: float
    updated_at: float
    url: str


class IssueList(Value):
    repo: RepoLine
    issues: tuple[IssueLine, ...] = Field(description="Last changed first.")
    page: int
    has_more: bool


class IssuePreview(Value):
    repo: str
    issue: Issue = Field(description="What contestants will read.")
    facts: IssueFacts = Field(description="What was stripped from it or left out.")
    is_open: bool
    labels: tuple[str, ...]
    characters: int
    tokens: int = Field(description="Sent with every model call; a rough guess.")


class Wanted(Value):
    """Which issues of a repository."""

    owner: str
    name: str
    words: str = ""
    label: str = ""
    page: int = 1


@dataclass(frozen=True)
class Browser:
    """Requests use the viewer's credential, so that they see only what they see at the forge."""

    asks: ForgeIssueReader
    own: Owned
    is_local: bool = True
    """Local mode: one person, who may use the server's credentials."""
    server: SecretStr | None = None
    """GITHUB_TOKEN; used only in local mode."""
    has_app: bool = False
    """Whether an App is configured; used only in local mode."""

    async def repos(self, *, user_id: str) -> ForgeRepoList:
        forge = self.asks.forge
        found = await forge.repositories(by=await self._whose(user_id))
        lines = tuple(map(_repo_line, found[:MAX_REPOS]))
        return ForgeRepoList(forge=forge.url, repos=lines)

    async def issues(self, wanted: Wanted, *, user_id: str) -> IssueList:
        repo = self._ref(wanted.owner, wanted.name)
        by = await self._reading(repo, user_id)
        found = await self.asks.forge.repository(repo, by=by)
        query = IssueQuery(
            label=wanted.label, words=wanted.words, page=wanted.page, per_page=PER_PAGE
        )
        page = await self.asks.forge.issues(found.ref, query, by=by)
        return IssueList(
            repo=_repo_line(found),
            issues=tuple(map(_issue_line, page.issues)),
            page=wanted.page,
            has_more=page.has_more,
        )

    async def preview(self, owner: str, name: str, number: int, *, user_id: str) -> IssuePreview:
        repo = self._ref(owner, name)
        by = await self._reading(repo, user_id)
        found = await self.asks.forge.issue(repo, number, by=by)
        selection = Selection(self.asks.all_comments)
        issue, facts = await self.asks.snapshot(repo, number, by=by, selection=selection)
        size = len(issue.title) + len(issue.body)
        return IssuePreview(
            repo=repo.full,
            issue=issue,
            facts=facts,
            is_open=found.is_open,
            labels=tuple(map(_shown, found.labels)),
            characters=size,
            tokens=-(-size // _LETTERS_PER_TOKEN),
        )

    def _ref(self, owner: str, name: str) -> RepoRef:
        return repo_ref(self.asks.forge.url, owner, name)

    async def _whose(self, user_id: str) -> Credential:
        own = await self.own.own(user_id)
        if own is not None:
            return own
        if self.is_local and self.server is not None:
            return Credential(kind=CredentialKind.SERVER, token=self.server)
        if self.is_local and self.has_app:
            # All that it is installed for.
            return Credential(kind=CredentialKind.APP)
        if not self.is_local:
            raise SignedOutError
        raise ForbiddenError("the forge requires a login: ", LOG_IN)

    async def _reading(self, repo: RepoRef, user_id: str) -> Credential:
        if self.is_local:
            return await self.asks.credentials.reading(repo, user_id=user_id)
        return await self._whose(user_id)


def _repo_line(found: Repository) -> RepoLine:
    return from_attributes(
        RepoLine,
        found,
        name=found.ref.full,
        url=found.ref.url,
        description=_shown(found.description),
    )


def _issue_line(found: ForgeIssue) -> IssueLine:
    return from_attributes(
        IssueLine,
        found,
        title=_shown(found.title),
        author=found.author.login,
        labels=tuple(map(_shown, found.labels)),
    )


def _shown(text: str) -> str:
    """On one line, without invisible characters."""
    return " ".join(bare(text[: 4 * _MAX_SHOWN]).text.split())[:_MAX_SHOWN]


MAX_RECENT = 50
LOOKED_THROUGH = 1000


class RecentRepo(Value):
    repo: str
    repo_path: str
    """A folder of this machine, or empty."""
    repo_url: str
    solves: int = Field(description=f"Of the newest {LOOKED_THROUGH:,}.")
    last_used_at: float


class RepoList(Value):
    repos: tuple[RecentRepo, ...]
    """Newest first, at most 50."""


class _RepositoryAddress(NamedTuple):
    path: str
    url: str


async def recent_repositories(store: Store, *, user_id: str) -> RepoList:
    """Recent repositories, without those of the demo and of imported runs."""
    async with store.read() as db:
        used = await pages.used(db, user_id, limit=LOOKED_THROUGH)
    found: dict[_RepositoryAddress, list[UsedRepository]] = {}
    for one in used:
        spot = _spot(one)
        if any(spot):
            found.setdefault(spot, []).append(one)
    newest_first = list(found.items())[:MAX_RECENT]
    return RepoList(repos=tuple(_recent(spot, uses) for spot, uses in newest_first))


def _spot(used: UsedRepository) -> _RepositoryAddress:
    snapshot = used.snapshot
    path = "" if snapshot is None else str(snapshot.root / snapshot.folder)
    return _RepositoryAddress(clean(path), used.repo_url)


def _recent(spot: _RepositoryAddress, uses: list[UsedRepository]) -> RecentRepo:
    newest = uses[0]
    return RecentRepo(
        repo=newest.repo,
        repo_path=spot.path,
        repo_url=spot.url,
        solves=len(uses),
        last_used_at=newest.at,
    )
