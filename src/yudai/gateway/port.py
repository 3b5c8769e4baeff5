"""Where model calls go."""

from typing import Any, Protocol

from pydantic import Field

from yudai.gateway.domain.models import Model, Provider, Usage
from yudai.kit.value import Value


class Call(Value):
    """One request to a model, in the chat-completions shape."""

    model: str
    """A name of ours; metering replaces it by what the provider calls it."""
    provider: Provider = Provider.SCRIPTED
    temperature: float
    messages: list[dict[str, Any]]
    tools: list[dict[str, Any]]
    turn: int
    """How many calls this run has made before: 0 for the first."""
    max_output_tokens: int = 16_384
    learns_with: str = ""
    """Calls with the same value share what was learnt about a model's request format. Ours have "".
    A command agent's calls are kept apart: it could provoke misleading errors from the provider."""


class ToolCall(Value):
    id: str
    name: str
    arguments: str
    """JSON text as the model wrote it: it may be malformed."""
    extra_content: dict[str, Any] = Field(default_factory=dict)
    """What Gemini wants back with the call: the signature of the thought that led to it."""


class Completion(Value):
    content: str
    tool_calls: tuple[ToolCall, ...]
    finish_reason: str
    usage: Usage
    """Its cost is what the reply itself says, or 0; metering settles what is charged."""
    has_cost: bool = False
    """Whether the reply itself named its cost."""
    has_usage: bool = True
    """Whether the reply named its tokens; else they are estimated, rather too high than too low."""
    lost_attempts: int = 0
    """How often the call was sent before and its answer lost: each may have cost as much."""
    reasoning: str = ""
    reasoning_details: tuple[dict[str, Any], ...] = ()
    """The reasoning as the provider wants it back with the next call: signed, maybe encrypted."""
    temperature_used: float | None = None
    """None when the model refused the one that was requested and used its own."""


class Gateway(Protocol):
    def check(self, model: Model) -> None:
        """RefusedError with what to do when this model could not be called: no key, no script."""
        ...

    async def complete(self, call: Call) -> Completion: ...
