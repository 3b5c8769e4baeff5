"""What is shown of one run, besides the run itself."""

from pydantic import Field

from yudai.kit.causes import Cause
from yudai.kit.ids import RunId, SolveId
from yudai.kit.value import Value
from yudai.runs.domain.states import RunState
from yudai.verification.domain.tally import Tally
from yudai.verification.domain.verdict import Verdict
from yudai.views.live_runs import MessageView
from yudai.views.solves import RunView, Tokens


class RunDetail(RunView):
    solve_id: SolveId
    step_limit: int
    sandbox_id: str


class AttemptView(Value):
    """One attempt: those before the last ended for a cause of the world."""

    number: int
    state: RunState = Field(description="Earlier attempts have failed, whatever became of the run.")
    cause: Cause | None
    error: str
    started_at: float | None
    finished_at: float | None
    api_calls: int
    message_count: int
    tokens: Tokens
    cost_usd: float
    links: dict[str, str]


class AttemptList(Value):
    run_id: RunId
    attempts: tuple[AttemptView, ...]


class PlanView(Value):
    run_id: RunId
    steps: tuple[str, ...]
    before_first_edit: bool = Field(description="Whether it was made before a file was changed.")


class TrajectoryPage(Value):
    run_id: RunId
    attempt: int
    messages: tuple[MessageView, ...] = Field(description="In the order of `seq`.")
    earlier: str | None = Field(description="The page before this one; null on the first.")


class StepView(Value):
    number: int
    at: float
    seconds: float
    messages: tuple[MessageView, ...]
    truncated: bool = Field(description="There are more messages than are shown.")
    raw: str


class StepPage(Value):
    run_id: RunId
    attempt: int
    last: int = Field(description="The number of the newest step; -1: there is none yet.")
    steps: tuple[StepView, ...]
    earlier: str | None
    later: str | None


class BaselineFacts(Value):
    """What the base's own tests said before anybody changed anything."""

    command: str
    executed: int
    passing: int
    failing: int
    flaky: tuple[str, ...]
    failed: tuple[str, ...] = Field(description="The first of those that fail.")


class TestsView(Value):
    run_id: RunId
    verdict: Verdict
    tests: Tally | None
    baseline: BaselineFacts | None
    links: dict[str, str]
