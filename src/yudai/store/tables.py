"""Tables and their rows; times are seconds since the epoch, money is micro-dollars."""

from sqlalchemy import (
    BigInteger,
    Double,
    ForeignKey,
    Index,
    Integer,
    MetaData,
    String,
    Text,
    UniqueConstraint,
    text,
)
from sqlalchemy.orm import DeclarativeBase, Mapped, MappedAsDataclass, mapped_column

from yudai.domain.budget import Budget
from yudai.domain.chat import ChatRole
from yudai.domain.failure import Cause
from yudai.domain.ids import LOCAL_USER, ConversationId, MessageId, RunId, SolveId, WorkerId
from yudai.domain.marks import Marks
from yudai.domain.matrix import Contestant, Matrix
from yudai.domain.models import Model, Price, Provider
from yudai.domain.project import Project
from yudai.domain.publication import IssueFacts, Origin, PublishMode
from yudai.domain.run_state import RunState
from yudai.domain.solve_state import SolveState
from yudai.domain.testreport import Baseline, TestPlan
from yudai.domain.usage import Usage
from yudai.domain.verdict import Verdict
from yudai.ports.artifacts import ArtifactKind, ArtifactRef
from yudai.ports.forge import Snapshot
from yudai.ports.sandbox import BaseSpec
from yudai.store.columns import CleanText, ValueJson, words

Id = String(64)
# SQLite numbers rows by itself only for its own INTEGER.
Serial = BigInteger().with_variant(Integer, "sqlite")
Contestants = tuple[Contestant, ...]
Models = tuple[Model, ...]
Names = tuple[str, ...]
Data = dict[str, object]
Links = dict[str, str]
Refs = tuple[ArtifactRef, ...]


class Base(MappedAsDataclass, DeclarativeBase, kw_only=True, eq=False, repr=False):
    metadata = MetaData(
        naming_convention={
            "pk": "pk_%(table_name)s",
            "fk": "fk_%(table_name)s_%(column_0_name)s",
            "uq": "uq_%(table_name)s_%(column_0_N_name)s",
            "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        }
    )


class SolveRow(Base, kw_only=True):
    __tablename__ = "solves"
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
    """Where a forge finds it; "" for a folder."""
    issue_facts: Mapped[IssueFacts | None] = mapped_column(ValueJson(IssueFacts), default=None)
    """None: its words did not come from a forge."""
    origin: Mapped[Origin | None] = mapped_column(ValueJson(Origin), default=None)
    publish: Mapped[PublishMode | None] = mapped_column(words(PublishMode), default=None)
    """None: it is of no forge."""
    snapshot: Mapped[Snapshot | None] = mapped_column(ValueJson(Snapshot), default=None)
    """Where a folder's patch goes back to; None for what is no folder."""
    project: Mapped[Project] = mapped_column(ValueJson(Project), default_factory=Project)
    models: Mapped[Models] = mapped_column(ValueJson(Models), default=())
    """As they stood when the solve was opened: a later price changes nothing here."""
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
    """When the arena came to rest: an answer was offered, or there was none."""
    deadline_at: Mapped[float | None] = mapped_column(Double, default=None)
    """Set once, when its contestants can start; a restart does not move it."""
    durable: Mapped[bool] = mapped_column(default=False)
    """Its flow outlives its process; else `worker_id` runs it from beginning to end."""
    worker_id: Mapped[WorkerId] = mapped_column(Id, default=WorkerId(""))
    attempt: Mapped[int] = mapped_column(default=0)
    """Counts who took its flow up; whoever holds an older number may not write any more."""
    spent_micros: Mapped[int] = mapped_column(BigInteger, default=0)
    """What all its calls cost, failed attempts too: what the cap is compared with."""
    uncertain_micros: Mapped[int] = mapped_column(BigInteger, default=0)
    """Calls whose answer was lost: they count against the cap, not as cost."""
    rev: Mapped[int] = mapped_column(default=0)
    """Grows with every change of this row: a reader's cursor."""


class RunRow(Base, kw_only=True):
    __tablename__ = "runs"
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
    """Numbers and trajectory are those of this attempt; whoever runs an older one may not write."""
    worker_id: Mapped[WorkerId] = mapped_column(Id, default=WorkerId(""))
    deadline_at: Mapped[float | None] = mapped_column(Double, default=None)
    """Set when its first attempt starts; a later one has no more time."""
    earlier_cost_micros: Mapped[int] = mapped_column(BigInteger, default=0)
    """Of its earlier attempts together."""
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
    """Of the present attempt, at most MAX_MARKS; None: written by an earlier version."""

    @property
    def total_cost_micros(self) -> int:
        return self.earlier_cost_micros + self.cost_micros

    @property
    def usage(self) -> Usage:
        return Usage(
            input_tokens=self.input_tokens,
            cached_tokens=self.cached_tokens,
            output_tokens=self.output_tokens,
            cost_micros=self.cost_micros,
        )


class AttemptRow(Base, kw_only=True):
    """An attempt that ended for a cause of the world: kept with what it cost, never changed."""

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
    """Money set aside for one model call that is under way."""

    __tablename__ = "holds"

    id: Mapped[str] = mapped_column(Id, primary_key=True)
    solve_id: Mapped[SolveId] = mapped_column(
        Id, ForeignKey("solves.id", ondelete="CASCADE"), index=True
    )
    run_id: Mapped[RunId] = mapped_column(Id)
    worker_id: Mapped[WorkerId] = mapped_column(Id, index=True)
    micros: Mapped[int] = mapped_column(BigInteger)
    at: Mapped[float] = mapped_column(Double)


class WorkerRow(Base, kw_only=True):
    """The lease of a process that runs flows: alive while it is renewed."""

    __tablename__ = "workers"

    id: Mapped[WorkerId] = mapped_column(Id, primary_key=True)
    host: Mapped[str] = mapped_column(CleanText)
    pid: Mapped[int]
    durable: Mapped[bool]
    """Its flows can be taken over."""
    started_at: Mapped[float] = mapped_column(Double)
    beat_at: Mapped[float] = mapped_column(Double, index=True)
    """By the database's clock on PostgreSQL: machines do not agree on the time."""
    adopted_by: Mapped[WorkerId | None] = mapped_column(Id, default=None)
    adopted_at: Mapped[float | None] = mapped_column(Double, default=None)


class ConversationRow(Base, kw_only=True):
    __tablename__ = "conversations"
    __table_args__ = (Index(None, "user_id", "created_at"),)

    id: Mapped[ConversationId] = mapped_column(Id, primary_key=True)
    user_id: Mapped[str] = mapped_column(Id, default=LOCAL_USER)
    title: Mapped[str] = mapped_column(CleanText, default="")
    repo_url: Mapped[str] = mapped_column(CleanText, default="")
    repo_path: Mapped[str] = mapped_column(CleanText, default="")
    """What its solves are of, when they do not say otherwise: a URL or a folder."""
    created_at: Mapped[float] = mapped_column(Double)


class ChatMessageRow(Base, kw_only=True):
    """A message of a conversation; milestones of a solve are there once each."""

    __tablename__ = "messages"
    __table_args__ = (
        Index(None, "conversation_id", "id"),
        UniqueConstraint("solve_id", "milestone"),
        UniqueConstraint("reply_to"),
        {"sqlite_autoincrement": True},
    )

    id: Mapped[MessageId] = mapped_column(Serial, primary_key=True, init=False)
    conversation_id: Mapped[ConversationId] = mapped_column(
        Id, ForeignKey("conversations.id", ondelete="CASCADE")
    )
    role: Mapped[ChatRole] = mapped_column(words(ChatRole))
    text: Mapped[str] = mapped_column(CleanText)
    at: Mapped[float] = mapped_column(Double)
    solve_id: Mapped[SolveId | None] = mapped_column(
        Id, ForeignKey("solves.id", ondelete="CASCADE"), default=None
    )
    milestone: Mapped[str | None] = mapped_column(Id, default=None)
    links: Mapped[Links] = mapped_column(ValueJson(Links), default_factory=dict)
    """Name and path within the service, e.g. `solve`: `/solves/...`."""
    reply_to: Mapped[MessageId | None] = mapped_column(Serial, default=None)
    """The message that this one answers: no message is answered twice."""
    cost_micros: Mapped[int] = mapped_column(BigInteger, default=0)


class IdempotencyRow(Base, kw_only=True):
    """A creating request that was carried out, under the key that its sender gave."""

    __tablename__ = "idempotency_keys"

    user_id: Mapped[str] = mapped_column(Id, primary_key=True)
    key: Mapped[str] = mapped_column(String(200), primary_key=True)
    fingerprint: Mapped[str] = mapped_column(String(64))
    """Of method, path and body: the same key with another request is refused."""
    resource_id: Mapped[str] = mapped_column(Id)
    created_at: Mapped[float] = mapped_column(Double, index=True)


class ModelRow(Base, kw_only=True):
    __tablename__ = "models"

    name: Mapped[str] = mapped_column(String(300), primary_key=True)
    provider: Mapped[Provider] = mapped_column(words(Provider))
    model_id: Mapped[str] = mapped_column(String(300))
    aliases: Mapped[Names] = mapped_column(ValueJson(Names), default=())
    input_micros: Mapped[int | None] = mapped_column(BigInteger, default=None)
    """Micro-dollars per million tokens; None with output_micros: the price is unknown."""
    cached_micros: Mapped[int | None] = mapped_column(BigInteger, default=None)
    output_micros: Mapped[int | None] = mapped_column(BigInteger, default=None)
    edited: Mapped[bool] = mapped_column(default=False)
    """By a person: the packaged list never overwrites it."""
    updated_at: Mapped[float] = mapped_column(Double)

    @property
    def value(self) -> Model:
        known = self.input_micros is not None and self.output_micros is not None
        price = Price(
            input_micros=self.input_micros or 0,
            output_micros=self.output_micros or 0,
            cached_micros=self.cached_micros,
        )
        return Model(
            name=self.name,
            provider=self.provider,
            model_id=self.model_id,
            aliases=self.aliases,
            price=price if known else None,
        )


class EventRow(Base, kw_only=True):
    __tablename__ = "events"
    # A number that is never given twice: readers keep it as their cursor.
    __table_args__ = (Index(None, "solve_id", "id"), {"sqlite_autoincrement": True})

    id: Mapped[int] = mapped_column(Serial, primary_key=True, init=False)
    solve_id: Mapped[SolveId] = mapped_column(Id, ForeignKey("solves.id", ondelete="CASCADE"))
    run_id: Mapped[RunId | None] = mapped_column(
        Id, ForeignKey("runs.id", ondelete="CASCADE"), index=True, default=None
    )
    at: Mapped[float] = mapped_column(Double)
    kind: Mapped[str] = mapped_column(Id)
    data: Mapped[Data] = mapped_column(ValueJson(Data), default_factory=dict)


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
    """Its command runs tests, or it is what they printed; None: nobody has looked."""
    edit: Mapped[int | None] = mapped_column(default=None)
    """Which edit it was, when files had changed after its command; the first is 1."""


class ArtifactRow(Base, kw_only=True):
    __tablename__ = "artifacts"

    id: Mapped[str] = mapped_column(String(128), primary_key=True)
    """Owner and kind: unique also for a solve's own artifacts, where `run_id` is NULL."""
    solve_id: Mapped[SolveId] = mapped_column(
        Id, ForeignKey("solves.id", ondelete="CASCADE"), index=True
    )
    run_id: Mapped[RunId | None] = mapped_column(
        Id, ForeignKey("runs.id", ondelete="CASCADE"), index=True, default=None
    )
    kind: Mapped[ArtifactKind] = mapped_column(words(ArtifactKind))
    sha256: Mapped[str] = mapped_column(String(64))
    size: Mapped[int] = mapped_column(BigInteger)
    created_at: Mapped[float] = mapped_column(Double)
