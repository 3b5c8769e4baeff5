"""Fields that the views of a run share: a column of `runs` that is named here is in all of them."""

from pydantic import ConfigDict, Field

from yudai.kit.causes import Cause
from yudai.kit.ids import RunId
from yudai.kit.value import Value
from yudai.runs.domain.states import RunState

# Fields have the columns' names; JSON keeps the names that clients know.
_ALIASES = ConfigDict(validate_by_name=True, validate_by_alias=True, serialize_by_alias=True)


class Tokens(Value):
    model_config = _ALIASES

    input_tokens: int = Field(alias="input")
    cached_tokens: int = Field(alias="cached")
    output_tokens: int = Field(alias="output")


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


class RunFacts(AttemptFacts):
    """A run, with the numbers of its newest attempt."""

    id: RunId
    handle: str
    attempt: int
    edits: int
    files_changed: int
    lines_changed: int
    rank: int | None
    submitted_at: float | None
