"""The fields that we read from GitHub's responses. Others may be missing."""

from datetime import datetime
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, SecretStr

from yudai.forge.domain.repository import Account, Association, Role
from yudai.kit.text import clean


def _text(value: Any) -> Any:
    return clean(value) if isinstance(value, str) else "" if value is None else value


def _time(value: Any) -> Any:
    if not isinstance(value, str):
        return value
    return datetime.fromisoformat(value).timestamp()


def _none_as_empty(value: Any) -> Any:
    return () if value is None else value


Text = Annotated[str, BeforeValidator(_text)]
Time = Annotated[float, BeforeValidator(_time)]


class Shape(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore")


class User(Shape):
    id: int = 0
    login: Text
    name: Text = ""
    type: Text = "User"

    @property
    def account(self) -> Account:
        is_bot = self.type == "Bot" or self.login.endswith("[bot]")
        return Account(id=self.id, login=self.login, name=self.name, is_bot=is_bot)


# The user that GitHub shows in place of a deleted one.
_GHOST = Account(id=10137, login="ghost")


def account(user: User | None) -> Account:
    return user.account if user else _GHOST


class Permissions(Shape):
    admin: bool = False
    maintain: bool = False
    push: bool = False
    triage: bool = False
    pull: bool = True

    @property
    def role(self) -> Role:
        if self.admin:
            return Role.ADMIN
        if self.maintain or self.push:
            return Role.WRITE
        return Role.TRIAGE if self.triage else Role.READ


class Repo(Shape):
    full_name: Text
    default_branch: Text = "main"
    private: bool = False
    archived: bool = False
    fork: bool = True
    description: Text = ""
    open_issues_count: int = 0
    pushed_at: Time | None = None
    permissions: Permissions = Permissions()


class RepoList(Shape):
    """One page of an installation's repositories."""

    repositories: tuple[Repo, ...] = ()


class CollaboratorPermission(Shape):
    permission: Text = ""
    role_name: Text = ""


class Label(Shape):
    name: Text = ""


class Issue(Shape):
    number: int
    title: Text = ""
    body: Text = ""
    state: Text = "open"
    user: User | None = None
    # A label may be a name alone.
    labels: Annotated[tuple[Label | Text, ...], BeforeValidator(_none_as_empty)] = ()
    comments: int = 0
    created_at: Time
    updated_at: Time
    html_url: Text = ""
    repository_url: Text = ""
    pull_request: dict[str, Any] | None = None

    @property
    def label_names(self) -> tuple[str, ...]:
        return tuple(one.name if isinstance(one, Label) else one for one in self.labels)


class IssueSearch(Shape):
    items: tuple[Issue, ...] = ()


class IssueComment(Shape):
    id: int
    body: Text = ""
    user: User | None = None
    author_association: Text = ""
    issue_url: Text = ""
    html_url: Text = ""
    created_at: Time
    updated_at: Time

    @property
    def association(self) -> Association:
        try:
            return Association(self.author_association.lower())
        except ValueError:
            return Association.OTHER

    @property
    def issue_number(self) -> int:
        number = self.issue_url.rpartition("/")[2]
        return int(number) if number.isdecimal() else 0


class IssueEvent(Shape):
    id: int
    event: Text = ""
    actor: User | None = None
    label: Label | None = None
    created_at: Time


class PullRepo(Shape):
    full_name: Text = ""


class PullSide(Shape):
    ref: Text = ""
    sha: Text = ""
    label: Text = ""
    repo: PullRepo | None = None


class Pull(Shape):
    number: int
    title: Text = ""
    body: Text = ""
    state: Text = "open"
    draft: bool | None = None
    user: User | None = None
    head: PullSide
    base: PullSide
    html_url: Text = ""
    merged: bool | None = None
    merge_commit_sha: Text = ""
    merged_by: User | None = None
    created_at: Time
    updated_at: Time
    merged_at: Time | None = None
    closed_at: Time | None = None


class CommitPerson(Shape):
    name: Text = ""
    date: Time | None = None


class CommitBody(Shape):
    message: Text = ""
    author: CommitPerson | None = None
    committer: CommitPerson | None = None


class Commit(Shape):
    sha: Text
    commit: CommitBody
    # GitHub sends `{}` here for an e-mail address that belongs to no user.
    author: dict[str, Any] | None = None

    @property
    def author_name(self) -> str:
        login = (self.author or {}).get("login")
        if isinstance(login, str):
            return clean(login)
        return self.commit.author.name if self.commit.author else ""


class Branch(Shape):
    name: Text = ""


class Installation(Shape):
    id: int
    suspended_at: Time | None = None


class InstallationToken(Shape):
    token: SecretStr = Field(min_length=1)
    expires_at: Time


class App(Shape):
    slug: Text = Field(min_length=1)


class TokenAnswer(Shape):
    """Errors come as a success that holds `error`."""

    error: Text = ""
    access_token: SecretStr = SecretStr("")
    refresh_token: SecretStr | None = None
    expires_in: float | None = None
    refresh_token_expires_in: float | None = None


class DeviceAnswer(Shape):
    error: Text = ""
    device_code: SecretStr = SecretStr("")
    user_code: Text = ""
    verification_uri: Text = ""
    interval: float = 5.0
    expires_in: float = 900.0
