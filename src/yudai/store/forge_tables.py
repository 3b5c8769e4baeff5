"""Tables about forges: publications, what became of them, and what was asked there."""

from sqlalchemy import BigInteger, Double, ForeignKey, Index, String, Text, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from yudai.domain.forge import PullState
from yudai.domain.ids import RunId, SolveId
from yudai.domain.publication import OutcomeKind, PublicationState
from yudai.store.columns import CleanText, ValueJson, words
from yudai.store.tables import Base, Data, Id, Names, Serial

Url = String(500)


class PublicationRow(Base, kw_only=True):
    """One for each solve that is published, or whose end is told to its issue."""

    __tablename__ = "publications"
    __table_args__ = (
        UniqueConstraint("repo_url", "branch"),
        Index(None, "state", "due_at"),
        Index(None, "pull_state", "looked_at"),
    )

    solve_id: Mapped[SolveId] = mapped_column(
        Id, ForeignKey("solves.id", ondelete="CASCADE"), primary_key=True
    )
    run_id: Mapped[RunId | None] = mapped_column(Id, default=None)
    """Whose patch it is; None: there is no champion, and only a comment says so."""
    actor: Mapped[str] = mapped_column(Id, default="")
    """The user in whose name it is done; "": the App's, or the server's."""
    repo_url: Mapped[str] = mapped_column(Url)
    branch: Mapped[str | None] = mapped_column(String(250), default=None)
    head_repo: Mapped[str] = mapped_column(CleanText, default="")
    """`owner/name` that the branch is pushed to: a fork where the repository may not be."""
    base_branch: Mapped[str] = mapped_column(CleanText, default="")
    base_commit: Mapped[str] = mapped_column(Id, default="")
    state: Mapped[PublicationState] = mapped_column(
        words(PublicationState), default=PublicationState.REQUESTED
    )
    commit: Mapped[str] = mapped_column(Id, default="")
    patch_id: Mapped[str] = mapped_column(Id, default="")
    inverse_patch_id: Mapped[str] = mapped_column(Id, default="")
    pull_number: Mapped[int | None] = mapped_column(BigInteger, default=None)
    pull_url: Mapped[str] = mapped_column(CleanText, default="")
    pull_title: Mapped[str] = mapped_column(CleanText, default="")
    pull_state: Mapped[PullState | None] = mapped_column(words(PullState), default=None)
    is_draft: Mapped[bool] = mapped_column(default=True)
    merge_commit: Mapped[str] = mapped_column(Id, default="")
    merged_at: Mapped[float | None] = mapped_column(Double, default=None)
    comment_id: Mapped[int | None] = mapped_column(BigInteger, default=None)
    comment_url: Mapped[str] = mapped_column(CleanText, default="")
    reason: Mapped[str] = mapped_column(CleanText, default="")
    """Why it was refused or is stale: one line."""
    error: Mapped[str] = mapped_column(CleanText, default="")
    """What the world said last; it is tried again."""
    tries: Mapped[int] = mapped_column(default=0)
    due_at: Mapped[float] = mapped_column(Double, default=0.0)
    """When it is tried next."""
    holder: Mapped[str] = mapped_column(Id, default="")
    held_until: Mapped[float] = mapped_column(Double, default=0.0)
    """Until then only the holder goes on with it."""
    looked_at: Mapped[float] = mapped_column(Double, default=0.0)
    """When the forge was last asked what became of it."""
    created_at: Mapped[float] = mapped_column(Double)
    updated_at: Mapped[float] = mapped_column(Double)


class OutcomeRow(Base, kw_only=True):
    """What became of a pull request; only ever added to."""

    __tablename__ = "outcomes"
    __table_args__ = (
        UniqueConstraint("solve_id", "kind", "key"),
        {"sqlite_autoincrement": True},
    )

    id: Mapped[int] = mapped_column(Serial, primary_key=True, init=False)
    solve_id: Mapped[SolveId] = mapped_column(Id, ForeignKey("solves.id", ondelete="CASCADE"))
    run_id: Mapped[RunId | None] = mapped_column(Id, default=None)
    kind: Mapped[OutcomeKind] = mapped_column(words(OutcomeKind))
    key: Mapped[str] = mapped_column(String(128))
    """What it was seen by, such as a commit: the same thing seen again is no second outcome."""
    at: Mapped[float] = mapped_column(Double)
    """When it happened at the forge."""
    seen_at: Mapped[float] = mapped_column(Double)
    by: Mapped[str] = mapped_column(CleanText, default="")
    """Who did it, where that is known."""
    evidence: Mapped[Data] = mapped_column(ValueJson(Data), default_factory=dict)
    confirmed: Mapped[bool | None] = mapped_column(default=None)
    """Of a suspicion: what a person said; None: nobody has yet."""
    confirmed_by: Mapped[str] = mapped_column(Id, default="")


class TriggerRow(Base, kw_only=True):
    """Something at the forge that asked for a solve; each is heard once."""

    __tablename__ = "triggers"

    key: Mapped[str] = mapped_column(String(300), primary_key=True)
    """`owner/name` and the forge's number of the comment or labelling."""
    repo_url: Mapped[str] = mapped_column(Url)
    issue_number: Mapped[int] = mapped_column(BigInteger)
    login: Mapped[str] = mapped_column(CleanText)
    state: Mapped[str] = mapped_column(Id)
    """opened, ignored (no right to ask), refused (could not be understood or started)"""
    note: Mapped[str] = mapped_column(CleanText, default="")
    solve_id: Mapped[SolveId | None] = mapped_column(Id, default=None)
    at: Mapped[float] = mapped_column(Double)


class DeliveryRow(Base, kw_only=True):
    """A webhook's hint: what may have changed; the forge is asked what is true."""

    __tablename__ = "deliveries"
    __table_args__ = (Index(None, "processed_at", "received_at"), UniqueConstraint("body_sha256"))

    id: Mapped[str] = mapped_column(String(100), primary_key=True)
    body_sha256: Mapped[str] = mapped_column(String(64))
    event: Mapped[str] = mapped_column(CleanText)
    repo: Mapped[str] = mapped_column(CleanText, default="")
    number: Mapped[int | None] = mapped_column(BigInteger, default=None)
    received_at: Mapped[float] = mapped_column(Double)
    processed_at: Mapped[float | None] = mapped_column(Double, default=None)
    tries: Mapped[int] = mapped_column(default=0)


class WatchRow(Base, kw_only=True):
    """How far a repository was looked through: what is older has been seen."""

    __tablename__ = "watches"

    repo_url: Mapped[str] = mapped_column(Url, primary_key=True)
    comments_since: Mapped[float] = mapped_column(Double)
    issues_since: Mapped[float] = mapped_column(Double)
    history_since: Mapped[float] = mapped_column(Double)
    looked_at: Mapped[float] = mapped_column(Double, default=0.0)
    error: Mapped[str] = mapped_column(CleanText, default="")


class WriterRow(Base, kw_only=True):
    """When the next act of writing at a forge may come, over all processes."""

    __tablename__ = "writers"

    key: Mapped[str] = mapped_column(String(300), primary_key=True)
    next_at: Mapped[float] = mapped_column(Double)


class UserRow(Base, kw_only=True):
    __tablename__ = "users"
    __table_args__ = (UniqueConstraint("forge", "forge_id"),)

    id: Mapped[str] = mapped_column(Id, primary_key=True)
    forge: Mapped[str] = mapped_column(Url)
    forge_id: Mapped[int] = mapped_column(BigInteger)
    login: Mapped[str] = mapped_column(CleanText)
    name: Mapped[str] = mapped_column(CleanText, default="")
    created_at: Mapped[float] = mapped_column(Double)
    seen_at: Mapped[float] = mapped_column(Double)


class TokenRow(Base, kw_only=True):
    """A user's token at the forge, encrypted."""

    __tablename__ = "tokens"

    user_id: Mapped[str] = mapped_column(
        Id, ForeignKey("users.id", ondelete="CASCADE"), primary_key=True
    )
    access: Mapped[str] = mapped_column(Text)
    refresh: Mapped[str] = mapped_column(Text, default="")
    access_expires_at: Mapped[float | None] = mapped_column(Double, default=None)
    refresh_expires_at: Mapped[float | None] = mapped_column(Double, default=None)
    updated_at: Mapped[float] = mapped_column(Double)


class LoginRow(Base, kw_only=True):
    """A browser that is signed in: its cookie's hash, never the cookie."""

    __tablename__ = "logins"

    hash: Mapped[str] = mapped_column(String(64), primary_key=True)
    user_id: Mapped[str] = mapped_column(Id, ForeignKey("users.id", ondelete="CASCADE"), index=True)
    agent: Mapped[str] = mapped_column(CleanText, default="")
    created_at: Mapped[float] = mapped_column(Double)
    seen_at: Mapped[float] = mapped_column(Double)
    expires_at: Mapped[float] = mapped_column(Double, index=True)


class LoginAttemptRow(Base, kw_only=True):
    """A login that has begun: used once, or forgotten after minutes."""

    __tablename__ = "login_attempts"

    hash: Mapped[str] = mapped_column(String(64), primary_key=True)
    """Of what the browser or the command line holds."""
    state_hash: Mapped[str] = mapped_column(String(64), default="")
    secret: Mapped[str] = mapped_column(Text)
    """PKCE's verifier or the device's code, encrypted."""
    return_to: Mapped[str] = mapped_column(CleanText, default="")
    next_at: Mapped[float] = mapped_column(Double, default=0.0)
    """When the forge may be asked about a device again."""
    created_at: Mapped[float] = mapped_column(Double)
    expires_at: Mapped[float] = mapped_column(Double, index=True)


class KeyRow(Base, kw_only=True):
    """A key for programs: its hash, its scopes; the key itself was shown once."""

    __tablename__ = "api_keys"

    id: Mapped[str] = mapped_column(Id, primary_key=True)
    user_id: Mapped[str] = mapped_column(Id, ForeignKey("users.id", ondelete="CASCADE"), index=True)
    hash: Mapped[str] = mapped_column(String(64))
    name: Mapped[str] = mapped_column(CleanText)
    scopes: Mapped[Names] = mapped_column(ValueJson(Names), default=())
    created_at: Mapped[float] = mapped_column(Double)
    expires_at: Mapped[float | None] = mapped_column(Double, default=None)
    used_at: Mapped[float | None] = mapped_column(Double, default=None)
