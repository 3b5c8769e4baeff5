"""Values of repositories, issues and pull requests."""

import re
from enum import StrEnum
from urllib.parse import urlsplit

from yudai.kit.errors import RefusedError
from yudai.kit.value import Value

_NAME = re.compile(r"[A-Za-z0-9_.-]{1,100}")
_SHORT = re.compile(r"(?P<owner>[^/\s#]+)/(?P<name>[^/\s#]+)(?:#(?P<number>[0-9]{1,9}))?")
_PATH = re.compile(
    r"/(?P<owner>[^/]+)/(?P<name>[^/]+?)(?:\.git)?(?:/(?:issues|pull)/(?P<number>[0-9]{1,9}))?/?"
)


class Role(StrEnum):
    """What a user may do in a repository, weakest first."""

    NONE = "none"
    READ = "read"
    TRIAGE = "triage"
    WRITE = "write"
    ADMIN = "admin"

    def allows(self, wanted: "Role") -> bool:
        order = list(Role)
        return order.index(self) >= order.index(wanted)


class RepoRef(Value):
    """A repository at a forge; built from checked parts alone, never from a person's URL."""

    forge: str
    """Where the forge is, without a slash at its end: `https://github.com`."""
    owner: str
    name: str

    @property
    def full(self) -> str:
        return f"{self.owner}/{self.name}"

    @property
    def url(self) -> str:
        return f"{self.forge}/{self.full}"

    def issue_url(self, number: int) -> str:
        return f"{self.url}/issues/{number}"


class Target(Value):
    """A named target: `owner/repo#12` or its URL."""

    repo: RepoRef
    number: int | None = None


def parse_target(text: str, *, forge: str) -> Target:
    """RefusedError for a URL at another forge, or one that is no repository.

    Only the configured forge is ever contacted, whatever URL is given.
    """
    found = _SHORT.fullmatch(text) if "://" not in text else _path(text, forge)
    if found is None:
        raise RefusedError(
            f"{text[:200]!a} is not a repository: write owner/repo#12, or {forge}/owner/repo"
        )
    number = None if found["number"] is None else int(found["number"])
    if number == 0:
        raise RefusedError("there is no issue #0: give the number that the forge shows")
    return Target(repo=repo_ref(forge, found["owner"], found["name"]), number=number)


def repo_ref(forge: str, owner: str, name: str) -> RepoRef:
    for part in (owner, name):
        if not _NAME.fullmatch(part) or part in (".", "..") or part.startswith("-"):
            raise RefusedError(f"{part[:100]!a} is not a valid owner or repository name")
    return RepoRef(forge=forge, owner=owner, name=name)


def _path(text: str, forge: str) -> re.Match[str] | None:
    try:
        asked, known = urlsplit(text), urlsplit(forge)
        is_there = (asked.scheme, asked.netloc.lower()) == (known.scheme, known.netloc.lower())
    except ValueError:
        return None
    if not is_there:
        raise RefusedError(f"only repositories at {forge} are supported, not this one")
    return None if asked.query else _PATH.fullmatch(asked.path)


class Account(Value):
    """A user, App or organisation at a forge."""

    id: int
    login: str
    name: str = ""
    is_bot: bool = False


class Repository(Value):
    ref: RepoRef
    default_branch: str
    is_private: bool
    is_archived: bool = False
    role: Role
    """The role of the user who asked."""
    description: str = ""
    open_issues: int = 0
    pushed_at: float | None = None


class Association(StrEnum):
    """Who wrote something, seen from the repository."""

    OWNER = "owner"
    MEMBER = "member"
    COLLABORATOR = "collaborator"
    CONTRIBUTOR = "contributor"
    OTHER = "other"

    @property
    def is_trusted(self) -> bool:
        return self in (Association.OWNER, Association.MEMBER, Association.COLLABORATOR)


class Comment(Value):
    id: int
    issue_number: int
    author: Account
    association: Association
    body: str
    created_at: float
    updated_at: float
    url: str = ""


class ForgeIssue(Value):
    """An issue at the forge; untrusted."""

    number: int
    title: str
    body: str
    is_open: bool
    is_pull_request: bool
    author: Account
    labels: tuple[str, ...] = ()
    comments: int = 0
    created_at: float
    updated_at: float
    url: str = ""


class Labelling(Value):
    """One event: a user added a label to an issue."""

    id: int
    """The forge's own number of this event: the same label put on again has another one."""
    label: str
    by: Account
    at: float


class PullState(StrEnum):
    OPEN = "open"
    MERGED = "merged"
    CLOSED = "closed"
    """Without having been merged."""


class PullRequest(Value):
    number: int
    url: str
    title: str
    body: str
    state: PullState
    is_draft: bool
    author: Account
    head_repo: str
    """`owner/name`; "" when it was deleted."""
    head_branch: str
    head_commit: str
    base_branch: str
    merge_commit: str = ""
    """What is on the base branch since it was merged; "" before."""
    merged_by: str = ""
    created_at: float
    merged_at: float | None = None
    closed_at: float | None = None


class NewPull(Value):
    title: str
    body: str
    head: str
    """`owner:branch`"""
    base: str
    draft: bool = True


class ForgeCommit(Value):
    """A commit on a branch of the forge."""

    sha: str
    message: str
    at: float
    author: str = ""
