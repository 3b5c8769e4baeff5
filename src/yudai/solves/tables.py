"""Tables and their rows; times are seconds since the epoch, money is micro-dollars."""

from sqlalchemy import (
    BigInteger,
    Double,
    ForeignKey,
    Index,
    String,
    UniqueConstraint,
)
from sqlalchemy.orm import Mapped, mapped_column

from yudai.forge.domain.issue import IssueFacts
from yudai.forge.ports.folder import Snapshot
from yudai.gateway.domain.models import Model
from yudai.kit.hints import SOLVES
from yudai.kit.ids import LOCAL_USER, RunId, SolveId, WorkerId
from yudai.projects.domain.project import Project
from yudai.sandboxes.port import BaseSpec
from yudai.solves.domain.budget import Budget
from yudai.solves.domain.matrix import Contestant, Matrix
from yudai.solves.domain.origin import Origin, PublishMode
from yudai.solves.domain.states import SolveState
from yudai.store.columns import CleanText, ValueJson, words
from yudai.store.rows import Base, Data, Id, Serial, WorkRow
from yudai.testing.domain.report import Baseline, TestPlan
from yudai.verification.domain.question import Choice, QuestionKind

Contestants = tuple[Contestant, ...]
Models = tuple[Model, ...]
Choices = tuple[Choice, ...]
RunIds = tuple[RunId, ...]


class SolveRow(WorkRow, kw_only=True):
    __tablename__ = "solves"
    __named_by__ = SOLVES
    __table_args__ = (
        Index(None, "created_at"),
        Index(None, "state", "created_at"),
        Index(None, "user_id", "created_at"),
        Index(None, "conversation_id", "created_at"),
    )

    id: Mapped[SolveId] = mapped_column(Id, primary_key=True)
    user_id: Mapped[str] = mapped_column(Id, default=LOCAL_USER)
    conversation_id: Mapped[str | None] = mapped_column(Id, default=None)
    repo: Mapped[str] = mapped_column(CleanText)
    base_branch: Mapped[str] = mapped_column(CleanText, default="")
    base_commit: Mapped[str] = mapped_column(Id, default="")
    issue_number: Mapped[int | None] = mapped_column(BigInteger, default=None)
    issue_title: Mapped[str] = mapped_column(CleanText)
    issue_body: Mapped[str] = mapped_column(CleanText)
    matrix: Mapped[Matrix] = mapped_column(ValueJson(Matrix))
    not_started: Mapped[Contestants] = mapped_column(ValueJson(Contestants), default=())
    budget: Mapped[Budget] = mapped_column(ValueJson(Budget))
    reducer: Mapped[str] = mapped_column(Id)
    require_proof: Mapped[bool] = mapped_column(default=True)
    sandbox_backend: Mapped[str] = mapped_column(Id)
    base: Mapped[BaseSpec | None] = mapped_column(ValueJson(BaseSpec), default=None)
    """None until the repository was fetched."""
    repo_url: Mapped[str] = mapped_column(CleanText, default="")
    """Its URL at the forge; "" for a folder."""
    issue_facts: Mapped[IssueFacts | None] = mapped_column(ValueJson(IssueFacts), default=None)
    """None: the issue did not come from a forge."""
    origin: Mapped[Origin | None] = mapped_column(ValueJson(Origin), default=None)
    publish: Mapped[PublishMode | None] = mapped_column(words(PublishMode), default=None)
    """None: not at a forge."""
    snapshot: Mapped[Snapshot | None] = mapped_column(ValueJson(Snapshot), default=None)
    """The folder to which the patch can be applied; None without a folder."""
    project: Mapped[Project] = mapped_column(ValueJson(Project), default_factory=Project)
    models: Mapped[Models] = mapped_column(ValueJson(Models), default=())
    """Models and prices as they were when the solve was opened."""
    state: Mapped[SolveState] = mapped_column(words(SolveState), default=SolveState.QUEUED)
    champion_run_id: Mapped[RunId | None] = mapped_column(Id, default=None)
    reason: Mapped[str] = mapped_column(CleanText, default="")
    """One line: why this champion, or why none."""
    error: Mapped[str] = mapped_column(CleanText, default="")
    test_command: Mapped[str] = mapped_column(CleanText, default="")
    test_plan: Mapped[TestPlan | None] = mapped_column(ValueJson(TestPlan), default=None)
    baseline: Mapped[Baseline | None] = mapped_column(ValueJson(Baseline), default=None)
    created_at: Mapped[float] = mapped_column(Double)
    started_at: Mapped[float | None] = mapped_column(Double, default=None)
    finished_at: Mapped[float | None] = mapped_column(Double, default=None)
    """When the flow ended, with or without a champion."""
    deadline_at: Mapped[float | None] = mapped_column(Double, default=None)
    """Set once, when its contestants can start; a restart does not move it."""
    durable: Mapped[bool] = mapped_column(default=False)
    """Whether its flow can be taken over; else only `worker_id` runs it."""
    worker_id: Mapped[WorkerId] = mapped_column(Id, default=WorkerId(""))
    attempt: Mapped[int] = mapped_column(default=0)
    """Counts claims of its flow; a worker with an older number may not write."""
    spent_micros: Mapped[int] = mapped_column(BigInteger, default=0)
    """Cost of all its calls, including failed attempts; it counts against the cap."""
    uncertain_micros: Mapped[int] = mapped_column(BigInteger, default=0)
    """Possible cost of calls whose answer was lost: it counts against the cap, not as cost."""
    rev: Mapped[int] = mapped_column(default=0)
    """Grows with every change of this row: a reader's cursor."""


class IdempotencyRow(Base, kw_only=True):
    """An executed request that created something, under its idempotency key."""

    __tablename__ = "idempotency_keys"

    user_id: Mapped[str] = mapped_column(Id, primary_key=True)
    key: Mapped[str] = mapped_column(String(200), primary_key=True)
    fingerprint: Mapped[str] = mapped_column(String(64))
    """Hash of method, path and body: the same key with another request is refused."""
    resource_id: Mapped[str] = mapped_column(Id)
    created_at: Mapped[float] = mapped_column(Double, index=True)


class QuestionRow(Base, kw_only=True):
    """A question that was asked about a solve, with a person's answer."""

    __tablename__ = "questions"
    __table_args__ = (UniqueConstraint("solve_id", "key"), Index(None, "answered_at"))

    id: Mapped[str] = mapped_column(Id, primary_key=True)
    solve_id: Mapped[SolveId] = mapped_column(Id, ForeignKey("solves.id", ondelete="CASCADE"))
    key: Mapped[str] = mapped_column(String(200))
    """What it is about: asked again, it is the same question."""
    position: Mapped[int] = mapped_column(default=0)
    """Its place among those that were asked at the same time."""
    kind: Mapped[QuestionKind] = mapped_column(words(QuestionKind))
    text: Mapped[str] = mapped_column(CleanText)
    choices: Mapped[Choices] = mapped_column(ValueJson(Choices))
    runs: Mapped[RunIds] = mapped_column(ValueJson(RunIds), default=())
    detail: Mapped[str] = mapped_column(CleanText, default="")
    asked_at: Mapped[float] = mapped_column(Double)
    closed_at: Mapped[float | None] = mapped_column(Double, default=None)
    """When it no longer needed an answer."""
    choice: Mapped[str | None] = mapped_column(CleanText, default=None)
    """Id of the chosen one; None: not answered."""
    answered_by: Mapped[str] = mapped_column(CleanText, default="")
    """The person's login at the forge, or the user's id."""
    answered_at: Mapped[float | None] = mapped_column(Double, default=None)


class EventRow(Base, kw_only=True):
    __tablename__ = "events"
    # Numbers are never reused: readers keep them as cursors.
    __table_args__ = (Index(None, "solve_id", "id"), {"sqlite_autoincrement": True})

    id: Mapped[int] = mapped_column(Serial, primary_key=True, init=False)
    solve_id: Mapped[SolveId] = mapped_column(Id, ForeignKey("solves.id", ondelete="CASCADE"))
    run_id: Mapped[RunId | None] = mapped_column(
        Id, ForeignKey("runs.id", ondelete="CASCADE"), index=True, default=None
    )
    at: Mapped[float] = mapped_column(Double)
    kind: Mapped[str] = mapped_column(Id)
    data: Mapped[Data] = mapped_column(ValueJson(Data), default_factory=dict)
