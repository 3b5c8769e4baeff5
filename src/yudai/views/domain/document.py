"""Fields that views share, and what `--json` prints: one solve with its ranking.

Name a column of `runs` once: in `RunFacts` for the API and the live table, in `RunHead` for
documents, too, in `AttemptFacts` for each attempt.
"""

from pydantic import ConfigDict, Field

from yudai.kit.causes import Cause
from yudai.kit.ids import RunId, SolveId
from yudai.kit.value import Value
from yudai.runs.domain.states import RunState
from yudai.solves.domain.blocked import BlockedEntry
from yudai.solves.domain.states import SolveState
from yudai.verification.domain.question import Choice, QuestionKind
from yudai.verification.domain.verdict import Verdict

# Fields have the columns' names; JSON keeps the names that clients know.
_ALIASES = ConfigDict(validate_by_name=True, validate_by_alias=True, serialize_by_alias=True)


class Tokens(Value):
    model_config = _ALIASES

    input_tokens: int = Field(alias="input")
    cached_tokens: int = Field(alias="cached")
    output_tokens: int = Field(alias="output")


class RunHead(Value):
    """What every view and document shows of a run."""

    handle: str
    state: RunState
    cause: Cause | None
    files_changed: int
    lines_changed: int
    cost_usd: float


class AttemptFacts(Value):
    """One attempt of a run."""

    model_config = _ALIASES

    state: RunState
    cause: Cause | None
    error: str
    started_at: float | None
    finished_at: float | None
    steps: int = Field(alias="api_calls")
    cost_usd: float


class RunFacts(RunHead, AttemptFacts):
    """A run, with the numbers of its newest attempt."""

    id: RunId
    attempt: int
    edits: int
    rank: int | None
    submitted_at: float | None


class SolveHead(Value):
    """Fields of a solve in lists and in full documents."""

    id: SolveId
    state: SolveState
    repo: str
    issue: str
    cost_usd: float
    elapsed_s: float
    champion: RunId | None = Field(description="The champion's run.")

    @property
    def needs_answer(self) -> bool:
        """Whether a person has to answer a question before there can be a champion."""
        return self.state is SolveState.AWAITING_REVIEW and self.champion is None


class SolveEntry(SolveHead):
    folder: str | None = None
    """The folder to which the champion's patch can be applied."""


class RunEntry(RunHead):
    """A run in a document."""

    run_id: RunId
    verdict: Verdict
    size: int = Field(default=0, description="Lines of code changed, as the ranking counts them.")
    same_as: str | None = Field(
        default=None, description="Handle of the equal answer that was verified in its place."
    )
    latency_ms: int


class PlaceEntry(RunEntry):
    rank: int
    why: str


class QuestionView(Value):
    """A question that a person answers before there can be a champion."""

    id: str
    key: str
    kind: QuestionKind
    text: str
    choices: tuple[Choice, ...]
    runs: tuple[RunId, ...] = Field(description="The answers that it is about.")
    detail: str = Field(description="What is needed to decide: plain, untrusted text.")
    asked_at: float
    choice: str | None = Field(description="Id of the chosen one; null: it is open.")
    answered_by: str
    answered_at: float | None


class SolveDocument(Value):
    solve: SolveEntry
    ranking: tuple[PlaceEntry, ...]
    questions: tuple[QuestionView, ...] = ()
    """Open and answered ones."""
    not_started: tuple[str, ...]
    """Handles of contestants above the cap on their number."""
    reason: str
    budget_ended: str | None = None
    """The solve's limit that was reached, if any."""
    blocked: tuple[BlockedEntry, ...] = ()
    partial: str = ""
    """What of the base's tests could not be run or loaded, if anything."""

    @property
    def open_questions(self) -> tuple[QuestionView, ...]:
        return tuple(question for question in self.questions if question.choice is None)
