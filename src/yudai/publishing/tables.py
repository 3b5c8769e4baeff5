"""Tables of publications and their outcomes."""

from sqlalchemy import BigInteger, Double, ForeignKey, Index, String, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from yudai.forge.domain.repository import PullState
from yudai.kit.ids import RunId, SolveId
from yudai.publishing.domain.publication import OutcomeKind, PublicationState
from yudai.store.columns import CleanText, ValueJson, words
from yudai.store.rows import Base, Data, Id, Serial, Url


class PublicationRow(Base, kw_only=True):
    """A publication of a solve: a pull request, or only a comment on its issue."""

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
    """Run of the published patch; None: no champion, only a comment."""
    actor: Mapped[str] = mapped_column(Id, default="")
    """User whose credential is used; "": the App's or the server's."""
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
    """Last error of a step that is tried again."""
    tries: Mapped[int] = mapped_column(default=0)
    due_at: Mapped[float] = mapped_column(Double, default=0.0)
    """Time of the next try."""
    holder: Mapped[str] = mapped_column(Id, default="")
    held_until: Mapped[float] = mapped_column(Double, default=0.0)
    """End of the holder's lease."""
    looked_at: Mapped[float] = mapped_column(Double, default=0.0)
    """Time of the last check at the forge."""
    created_at: Mapped[float] = mapped_column(Double)
    updated_at: Mapped[float] = mapped_column(Double)


class OutcomeRow(Base, kw_only=True):
    """Outcomes of a pull request; append-only."""

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
    """What identifies it, such as a commit: seen again, it is no second outcome."""
    at: Mapped[float] = mapped_column(Double)
    """When it happened at the forge."""
    seen_at: Mapped[float] = mapped_column(Double)
    by: Mapped[str] = mapped_column(CleanText, default="")
    """Who did it, if known."""
    evidence: Mapped[Data] = mapped_column(ValueJson(Data), default_factory=dict)
    confirmed: Mapped[bool | None] = mapped_column(default=None)
    """A person's answer to a suspicion; None: not answered."""
    confirmed_by: Mapped[str] = mapped_column(Id, default="")
