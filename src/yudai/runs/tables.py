"""Tables of runs: a run, its attempts, its messages, and money held for its model calls."""

from sqlalchemy import BigInteger, Double, ForeignKey, Index, Text, UniqueConstraint, text
from sqlalchemy.orm import Mapped, mapped_column

from yudai.artifacts.port import ArtifactRef
from yudai.gateway.domain.models import Usage
from yudai.kit.causes import Cause
from yudai.kit.hints import SOLVE
from yudai.kit.ids import RunId, SolveId, WorkerId
from yudai.kit.value import from_attributes
from yudai.runs.domain.progress import Marks
from yudai.runs.domain.states import RunState
from yudai.solves.domain.matrix import Contestant
from yudai.store.columns import CleanText, ValueJson, words
from yudai.store.rows import Base, Data, Id, WorkRow
from yudai.verification.domain.facts import Examination, Examined
from yudai.verification.domain.verdict import Verdict

Refs = tuple[ArtifactRef, ...]


class RunRow(WorkRow, kw_only=True):
    __tablename__ = "runs"
    __named_by__ = SOLVE
    __table_args__ = (
        UniqueConstraint("solve_id", "position"),
        UniqueConstraint("solve_id", "handle"),
        Index(None, "state"),
    )

    id: Mapped[RunId] = mapped_column(Id, primary_key=True)
    solve_id: Mapped[SolveId] = mapped_column(Id, ForeignKey("solves.id", ondelete="CASCADE"))
    position: Mapped[int]
    handle: Mapped[str] = mapped_column(CleanText)
    contestant: Mapped[Contestant] = mapped_column(ValueJson(Contestant))
    state: Mapped[RunState] = mapped_column(words(RunState), default=RunState.QUEUED)
    cause: Mapped[Cause | None] = mapped_column(words(Cause), default=None)
    error: Mapped[str] = mapped_column(CleanText, default="")
    attempt: Mapped[int] = mapped_column(default=1)
    """Numbers and trajectory belong to this attempt; a worker with an older one may not write."""
    worker_id: Mapped[WorkerId] = mapped_column(Id, default=WorkerId(""))
    deadline_at: Mapped[float | None] = mapped_column(Double, default=None)
    """Set when its first attempt starts; a later one has no more time."""
    earlier_cost_micros: Mapped[int] = mapped_column(BigInteger, default=0)
    """Cost of all earlier attempts."""
    rev: Mapped[int] = mapped_column(default=0)
    """Grows with every change of this row: a reader's cursor."""
    sandbox_id: Mapped[str] = mapped_column(CleanText, default="")
    queued_at: Mapped[float] = mapped_column(Double)
    started_at: Mapped[float | None] = mapped_column(Double, default=None)
    submitted_at: Mapped[float | None] = mapped_column(Double, default=None)
    finished_at: Mapped[float | None] = mapped_column(Double, default=None)
    exit_status: Mapped[str] = mapped_column(CleanText, default="")
    """mini-SWE-agent's word: Submitted, LimitsExceeded, ..."""
    steps: Mapped[int] = mapped_column(default=0)
    edits: Mapped[int] = mapped_column(default=0)
    edits_capped: Mapped[bool] = mapped_column(default=False)
    message_count: Mapped[int] = mapped_column(default=0)
    input_tokens: Mapped[int] = mapped_column(BigInteger, default=0)
    cached_tokens: Mapped[int] = mapped_column(BigInteger, default=0)
    output_tokens: Mapped[int] = mapped_column(BigInteger, default=0)
    cost_micros: Mapped[int] = mapped_column(BigInteger, default=0)
    files_changed: Mapped[int] = mapped_column(default=0)
    """Files of the patch, test files not counted."""
    lines_changed: Mapped[int] = mapped_column(default=0)
    """Lines added and removed, test files not counted."""
    latency_ms: Mapped[int] = mapped_column(BigInteger, default=0)
    verdict: Mapped[Verdict | None] = mapped_column(ValueJson(Verdict), default=None)
    rank: Mapped[int | None] = mapped_column(default=None)
    why: Mapped[str] = mapped_column(CleanText, default="")
    diagnostics: Mapped[Data] = mapped_column(ValueJson(Data), default_factory=dict)
    marks: Mapped[Marks | None] = mapped_column(ValueJson(Marks), default=None)
    """Marks of the present attempt, at most MAX_MARKS; None: written by an earlier version."""

    @property
    def total_cost_micros(self) -> int:
        return self.earlier_cost_micros + self.cost_micros

    @property
    def usage(self) -> Usage:
        return from_attributes(Usage, self)


class ExaminedRow(Base, kw_only=True):
    """What was found about a run's patch by itself: its verdict is decided from it."""

    __tablename__ = "examined_runs"

    run_id: Mapped[RunId] = mapped_column(
        Id, ForeignKey("runs.id", ondelete="CASCADE"), primary_key=True
    )
    facts: Mapped[Examined] = mapped_column(ValueJson(Examined))


class ExaminationRow(Base, kw_only=True):
    """What the tests of a solve's answers said of each other."""

    __tablename__ = "examinations"

    solve_id: Mapped[SolveId] = mapped_column(
        Id, ForeignKey("solves.id", ondelete="CASCADE"), primary_key=True
    )
    facts: Mapped[Examination] = mapped_column(ValueJson(Examination))


class AttemptRow(Base, kw_only=True):
    """An attempt that the infrastructure ended. Kept with its cost, never changed."""

    __tablename__ = "attempts"

    run_id: Mapped[RunId] = mapped_column(
        Id, ForeignKey("runs.id", ondelete="CASCADE"), primary_key=True
    )
    number: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    worker_id: Mapped[WorkerId] = mapped_column(Id)
    sandbox_id: Mapped[str] = mapped_column(CleanText, default="")
    started_at: Mapped[float | None] = mapped_column(Double, default=None)
    finished_at: Mapped[float] = mapped_column(Double)
    cause: Mapped[Cause] = mapped_column(words(Cause))
    error: Mapped[str] = mapped_column(CleanText, default="")
    artifacts: Mapped[Refs] = mapped_column(ValueJson(Refs), default=())
    steps: Mapped[int] = mapped_column(default=0)
    message_count: Mapped[int] = mapped_column(default=0)
    input_tokens: Mapped[int] = mapped_column(BigInteger, default=0)
    cached_tokens: Mapped[int] = mapped_column(BigInteger, default=0)
    output_tokens: Mapped[int] = mapped_column(BigInteger, default=0)
    cost_micros: Mapped[int] = mapped_column(BigInteger, default=0)


class HoldRow(Base, kw_only=True):
    """Money reserved for one running model call."""

    __tablename__ = "holds"

    id: Mapped[str] = mapped_column(Id, primary_key=True)
    solve_id: Mapped[SolveId] = mapped_column(
        Id, ForeignKey("solves.id", ondelete="CASCADE"), index=True
    )
    run_id: Mapped[RunId] = mapped_column(Id)
    worker_id: Mapped[WorkerId] = mapped_column(Id, index=True)
    micros: Mapped[int] = mapped_column(BigInteger)
    at: Mapped[float] = mapped_column(Double)


class MessageRow(Base, kw_only=True):
    """One message; no foreign key, so that a removed run cannot fail the others' batch."""

    __tablename__ = "trajectory_messages"
    # Edits are few among many messages, and asked for by where they stand.
    __table_args__ = (
        Index(
            None,
            "run_id",
            "attempt",
            "seq",
            sqlite_where=text("edit IS NOT NULL"),
            postgresql_where=text("edit IS NOT NULL"),
        ),
    )

    run_id: Mapped[RunId] = mapped_column(Id, primary_key=True)
    attempt: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    seq: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    step: Mapped[int]
    role: Mapped[str] = mapped_column(CleanText)
    at: Mapped[float] = mapped_column(Double)
    body: Mapped[str] = mapped_column(Text)
    """JSON text of mini-SWE-agent's message, never parsed on the way in."""
    is_test: Mapped[bool | None] = mapped_column(default=None)
    """Its command runs tests, or it is their output; None: not analysed."""
    edit: Mapped[int | None] = mapped_column(default=None)
    """Number of the edit, when its command changed files; the first is 1."""


class EndpointRow(Base, kw_only=True):
    """An attempt whose agent calls its model from the sandbox, through the model endpoint."""

    __tablename__ = "desks"

    run_id: Mapped[RunId] = mapped_column(
        Id, ForeignKey("runs.id", ondelete="CASCADE"), primary_key=True
    )
    attempt: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    refused: Mapped[int] = mapped_column(default=0)
    """Number of refused requests."""
    uncertain_micros: Mapped[int] = mapped_column(BigInteger, default=0)
    """Cost of calls that failed but may have been billed: it counts against the run's cap."""
    closed_at: Mapped[float | None] = mapped_column(Double, default=None)
    """When its token became invalid."""
