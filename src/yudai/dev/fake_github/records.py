"""The records of the fake GitHub, all in one JSON document."""

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from yudai.forge.domain.repository import Role


class Record(BaseModel):
    model_config = ConfigDict(extra="forbid")


class Person(Record):
    id: int
    login: str
    name: str = ""
    kind: Literal["User", "Bot", "Organization"] = "User"
    members: list[str] = Field(default_factory=list[str])
    """Of an organisation."""
    created_at: float


class Comment(Record):
    id: int
    author: str
    body: str
    created_at: float
    updated_at: float


class Event(Record):
    """Something that happened to an issue: `labeled`, `unlabeled`, `closed`, `reopened` ..."""

    id: int
    kind: str
    actor: str
    at: float
    label: str = ""
    commit: str = ""


class Pull(Record):
    """What an item has besides when it is a pull request."""

    head_repo: str
    head: str
    head_sha: str
    base: str
    base_sha: str
    draft: bool = False
    merge_sha: str = ""
    """Of the base branch after the merge."""
    merged_over: str = ""
    """Of the base branch before the merge."""
    merged_at: float | None = None
    merged_by: str = ""


class Item(Record):
    """An issue or a pull request: they share their numbers."""

    id: int
    number: int
    title: str
    body: str | None = None
    author: str
    state: Literal["open", "closed"] = "open"
    state_reason: str | None = None
    labels: list[str] = Field(default_factory=list[str])
    comments: list[Comment] = Field(default_factory=list[Comment])
    events: list[Event] = Field(default_factory=list[Event])
    created_at: float
    updated_at: float
    closed_at: float | None = None
    closed_by: str = ""
    pull: Pull | None = None


class Repo(Record):
    id: int
    owner: str
    name: str
    description: str = ""
    private: bool = False
    archived: bool = False
    default_branch: str = "main"
    roles: dict[str, Role] = Field(default_factory=dict[str, Role])
    protected: list[str] = Field(default_factory=list[str])
    """Branches that only a merged pull request changes."""
    labels: dict[str, str] = Field(default_factory=dict[str, str])
    """Their colours."""
    items: dict[int, Item] = Field(default_factory=dict[int, Item])
    parent: str = ""
    looks_left: int = 0
    """How many requests it takes until a fork has its branches."""
    created_at: float
    updated_at: float
    pushed_at: float

    @property
    def full(self) -> str:
        return f"{self.owner}/{self.name}"


class Token(Record):
    """`pat`: a person's own; `user`: a person's through the App; `installation`: the App's."""

    kind: Literal["pat", "user", "installation"]
    login: str
    expires_at: float | None = None
    permissions: dict[str, str] = Field(default_factory=dict[str, str])
    repositories: list[str] | None = None
    """None: every repository that its holder may see."""
    installation: int = 0


class Grant(Record):
    """A code that a browser brings back from the consent page."""

    login: str
    client_id: str
    redirect_uri: str
    challenge: str
    expires_at: float


class Device(Record):
    user_code: str
    client_id: str
    interval: float
    expires_at: float
    asked_at: float | None = None
    login: str = ""
    denied: bool = False


class Refresh(Record):
    """Good for one use, after which it and its access token are over."""

    login: str
    access: str
    expires_at: float
    by_device: bool = False
    """Then the client's secret is not asked for."""


class Installation(Record):
    id: int
    account: str
    repositories: list[str] | None = None
    """None: all of the account."""
    permissions: dict[str, str]
    suspended: bool = False


class App(Record):
    id: int
    slug: str
    name: str
    owner: str
    client_id: str
    client_secret: str
    public_key: str = ""
    permissions: dict[str, str]
    callbacks: list[str] = Field(default_factory=list[str])
    """Where browsers may be sent back to; none: anywhere on loopback."""
    installations: list[Installation] = Field(default_factory=list[Installation])


class Hook(Record):
    url: str = ""
    secret: str = ""
    events: list[str] = Field(
        default_factory=lambda: ["issues", "issue_comment", "pull_request", "push"]
    )


class Delivery(Record):
    id: int
    guid: str
    event: str
    action: str | None
    repo: str
    body: str
    """As it was signed and sent."""
    signature: str
    at: float
    redelivery: bool = False
    status_code: int = 0
    """0: no one has answered."""
    seconds: float = 0.0


class World(Record):
    last_id: int = 1000
    last_delivery: int = 0
    people: dict[str, Person] = Field(default_factory=dict[str, Person])
    repos: dict[str, Repo] = Field(default_factory=dict[str, Repo])
    tokens: dict[str, Token] = Field(default_factory=dict[str, Token])
    grants: dict[str, Grant] = Field(default_factory=dict[str, Grant])
    devices: dict[str, Device] = Field(default_factory=dict[str, Device])
    refreshes: dict[str, Refresh] = Field(default_factory=dict[str, Refresh])
    app: App | None = None
    hook: Hook = Field(default_factory=Hook)
    deliveries: list[Delivery] = Field(default_factory=list[Delivery])
