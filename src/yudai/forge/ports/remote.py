"""The Protocols of a remote forge: its API in small parts, and git's side."""

from collections.abc import Mapping
from enum import StrEnum
from pathlib import Path
from typing import Protocol

from pydantic import SecretStr

from yudai.forge.domain.change import Change
from yudai.forge.domain.repository import (
    Account,
    Comment,
    ForgeCommit,
    ForgeIssue,
    Labelling,
    NewPull,
    PullRequest,
    RepoRef,
    Repository,
    Role,
)
from yudai.forge.ports.folder import Snapshot
from yudai.kit.value import Value


class CredentialKind(StrEnum):
    ANONYMOUS = "anonymous"
    SERVER = "server"
    """GITHUB_TOKEN: one for all users."""
    USER = "user"
    APP = "app"
    """An installation's token, valid for one repository and one hour."""


class Credential(Value):
    """Credential for requests to a forge. Never stored in clear, logged, or in a sandbox."""

    kind: CredentialKind
    token: SecretStr = SecretStr("")
    login: str = ""
    """The login that it belongs to; "" when not looked up yet."""
    email: str = ""
    """The address of an App's bot, by which the forge knows its commits."""


ANONYMOUS = Credential(kind=CredentialKind.ANONYMOUS)


class Page(Value):
    issues: tuple[ForgeIssue, ...]
    has_more: bool


class IssueQuery(Value):
    label: str = ""
    words: str = ""
    is_open: bool = True
    since: float | None = None
    """Only what was changed since."""
    page: int = 1
    per_page: int = 50


class Repositories(Protocol):
    @property
    def url(self) -> str:
        """Where people see the forge: `https://github.com`."""
        ...

    async def app_credential(self, repo: RepoRef) -> Credential | None:
        """An installation's token for this repository alone; None where no App is installed."""
        ...

    async def whoami(self, *, by: Credential) -> Account: ...

    async def repository(self, repo: RepoRef, *, by: Credential) -> Repository:
        """NotFoundError also when the caller may not see it."""
        ...

    async def repositories(self, *, by: Credential) -> tuple[Repository, ...]:
        """The caller's repositories, last pushed first.

        For an App's credential: all repositories where the App is installed.
        """
        ...

    async def role(self, repo: RepoRef, login: str, *, by: Credential) -> Role:
        """The role of another user now; NONE also for an unknown login.

        ForbiddenError if the caller may not write there, unless they ask about themselves.
        """
        ...


class Issues(Protocol):
    async def issue(self, repo: RepoRef, number: int, *, by: Credential) -> ForgeIssue: ...

    async def issues(self, repo: RepoRef, query: IssueQuery, *, by: Credential) -> Page:
        """Without pull requests, last changed first."""
        ...

    async def comments(self, repo: RepoRef, number: int, *, by: Credential) -> tuple[Comment, ...]:
        """All of an issue, oldest first."""
        ...

    async def comments_since(
        self, repo: RepoRef, since: float, *, by: Credential
    ) -> tuple[Comment, ...]:
        """Of all issues and pull requests, oldest change first.

        If there are too many, these are the oldest: continue from the time of the last one.
        """
        ...

    async def labellings(
        self, repo: RepoRef, number: int, *, by: Credential
    ) -> tuple[Labelling, ...]:
        """Who put which label on it, oldest first."""
        ...

    async def add_comment(
        self, repo: RepoRef, number: int, body: str, *, by: Credential
    ) -> Comment:
        """Sent once and never repeated. LostAnswerError if the result is unknown."""
        ...

    async def edit_comment(
        self, repo: RepoRef, comment_id: int, body: str, *, by: Credential
    ) -> Comment: ...


class Pulls(Protocol):
    async def pull(self, repo: RepoRef, number: int, *, by: Credential) -> PullRequest: ...

    async def pulls_of(
        self, repo: RepoRef, head: str, base: str, *, by: Credential
    ) -> tuple[PullRequest, ...]:
        """Open and closed ones from `owner:branch`, never from a cache."""
        ...

    async def open_pull(self, repo: RepoRef, new: NewPull, *, by: Credential) -> PullRequest:
        """Sent once and never repeated. LostAnswerError if the result is unknown."""
        ...

    async def fork(self, repo: RepoRef, *, by: Credential) -> RepoRef:
        """The user's fork, created if missing. Returns when it can be pushed to."""
        ...


class History(Protocol):
    async def commits(
        self, repo: RepoRef, branch: str, *, since: float, by: Credential
    ) -> tuple[ForgeCommit, ...]:
        """On the branch since then, oldest first.

        By the time they were committed at: an older commit that was merged later is not in it.
        """
        ...

    async def merged_since(
        self, repo: RepoRef, base: str, since: float, *, by: Credential
    ) -> tuple[PullRequest, ...]:
        """Pull requests merged into the base branch since then, oldest first."""
        ...


class RemoteForge(Repositories, Issues, Pulls, History, Protocol):
    async def close(self) -> None: ...


class CommitText(Value):
    """Everything in a commit except its tree. The same text gives the same commit."""

    message: str
    author: str
    email: str
    at: int
    """Seconds since the epoch, UTC."""


class Built(Value):
    commit: str
    tree: str
    paths: tuple[str, ...]
    patch_id: str
    """Git's stable one: the same change upon another base has the same."""
    inverse_patch_id: str
    """Of the change that takes it back."""


class BaseMove(StrEnum):
    """What happened to a base branch since a solve started from it."""

    NONE = "none"
    APART = "apart"
    """It moved in other files."""
    NEAR = "near"
    """The base changed files of the patch; they merge cleanly, into an untested tree."""
    CONFLICT = "conflict"


class Rebased(Value):
    """The changes of our commit, applied to the current base branch."""

    snapshot: Snapshot
    patch: bytes


class Landed(Value):
    """A commit of a base branch with what it changes."""

    sha: str
    at: float
    message: str
    patch_id: str


class Mirrors(Protocol):
    """Our bare repositories, fetched once for each repository and shared by all runs.

    Git runs without user or system configuration, within limits, and never in a tree that came from
    a sandbox.
    """

    async def fetch(self, repo: RepoRef, base: str, *, by: Credential) -> Snapshot:
        """The branch as it is now (its `root` is our mirror), with an archive of its tree.

        NotFoundError when there is no such branch.
        """
        ...

    async def paths(self, snapshot: Snapshot) -> tuple[str, ...]: ...

    async def read(self, snapshot: Snapshot, path: str, *, max_bytes: int = 1 << 20) -> bytes: ...

    async def change(
        self, repo: RepoRef, snapshot: Snapshot, change: Change, *, by: Credential
    ) -> bytes:
        """What a change makes of the snapshot, as the folder's forge says it."""
        ...

    async def build(
        self, repo: RepoRef, base_commit: str, patch: bytes, text: CommitText, *, by: Credential
    ) -> Built:
        """The commit, without a work tree; RefusedError when the patch may not be published."""
        ...

    async def push(self, to: RepoRef, commit: str, branch: str, *, by: Credential) -> None:
        """Create the branch unless it exists; ConflictError if it is at another commit."""
        ...

    async def branch_head(self, repo: RepoRef, branch: str, *, by: Credential) -> str | None: ...

    async def base_move(self, repo: RepoRef, base: str, commit: str, *, by: Credential) -> BaseMove:
        """How the base branch has moved since our commit was built on it."""
        ...

    async def rebased(self, repo: RepoRef, base: str, commit: str, *, by: Credential) -> Rebased:
        """The merged change, to be verified; ConflictError if it does not merge."""
        ...

    async def landed_since(
        self, repo: RepoRef, base: str, commit: str, *, by: Credential
    ) -> tuple[Landed, ...]:
        """Commits of the base branch since that one, oldest first, at most 500."""
        ...

    async def lines_left(
        self, repo: RepoRef, base: str, added: Mapping[str, tuple[str, ...]], *, by: Credential
    ) -> float:
        """The share of these lines, by path, that is in the base branch now: 0 to 1."""
        ...

    @property
    def folder(self) -> Path: ...


class Credentials(Protocol):
    async def reading(self, repo: RepoRef, *, user_id: str) -> Credential:
        """The user's own, else the App's, else the server's, else anonymous."""
        ...

    async def writing(self, repo: RepoRef, *, user_id: str) -> Credential:
        """The App's where it is installed, else the user's own, else the server's.

        `user_id` is the acting user, or "". ForbiddenError when that user may not push there now:
        another user's rights are never used for them.
        """
        ...
