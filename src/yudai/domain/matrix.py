"""The axes a user gave, and the contestants they expand to."""

from enum import StrEnum
from typing import Annotated, NamedTuple

from pydantic import AliasChoices, ConfigDict, Field

from yudai.domain.value import Value

DEFAULT_AGENT = "mini-swe-agent"
DEFAULT_MAX_CONTESTANTS = 36


class Strategy(StrEnum):
    BALANCED = "balanced"
    TEST_FIRST = "test-first"
    STACKTRACE_FIRST = "stacktrace-first"
    SMALL_STEPS = "small-steps"
    MINIMAL_FIX = "minimal-fix"


Model = Annotated[str, Field(min_length=1, max_length=300)]
Temperature = Annotated[float, Field(ge=0.0, le=2.0)]
MaxEdits = Annotated[int, Field(ge=1, le=1000)]


class Matrix(Value):
    """Axes of an experiment; `temps` and `evolution` are accepted spellings."""

    model_config = ConfigDict(frozen=True, extra="forbid", populate_by_name=True)

    models: tuple[Model, ...] = Field(min_length=1)
    temperatures: tuple[Temperature, ...] = Field(
        default=(0.2,), min_length=1, validation_alias=AliasChoices("temperatures", "temps")
    )
    max_edits: tuple[MaxEdits, ...] = Field(default=(10,), min_length=1)
    strategies: tuple[Strategy, ...] = Field(
        default=(Strategy.BALANCED,),
        min_length=1,
        validation_alias=AliasChoices("strategies", "evolution"),
    )
    agents: tuple[str, ...] = Field(default=(DEFAULT_AGENT,), min_length=1)


class Contestant(Value):
    """One point of the matrix."""

    agent: str
    model: str
    temperature: float
    max_edits: int
    strategy: Strategy
    handle: str


class Lineup(NamedTuple):
    """Who starts, and who is listed as not started because of the cap."""

    contestants: tuple[Contestant, ...]
    not_started: tuple[Contestant, ...]
