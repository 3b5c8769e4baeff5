"""The Protocol of model calls."""

from typing import Any, Protocol

from pydantic import Field

from yudai.gateway.domain.models import Model, Provider, Usage
from yudai.kit.value import Value


class Call(Value):
    """One request to a model, in the chat-completions shape."""

    model: str
    """Our name for the model; metering replaces it with the provider's."""
    provider: Provider = Provider.SCRIPTED
    temperature: float
    messages: list[dict[str, Any]]
    tools: list[dict[str, Any]]
    turn: int
    """Number of earlier calls of this run."""
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
    """Gemini's thought signature, which must be returned with the call."""


class Completion(Value):
    content: str
    tool_calls: tuple[ToolCall, ...]
    finish_reason: str
    usage: Usage
    """Its cost is the one in the reply, or 0. Metering computes the charged cost."""
    has_cost: bool = False
    """Whether the reply itself named its cost."""
    has_usage: bool = True
    """Whether the reply named its tokens; else they are estimated, rather too high than too low."""
    lost_attempts: int = 0
    """How often the call was sent before and its answer lost: each may have cost as much."""
    reasoning: str = ""
    reasoning_details: tuple[dict[str, Any], ...] = ()
    """The reasoning to return with the next call: signed, maybe encrypted."""
    temperature_used: float | None = None
    """None when the model refused the one that was requested and used its own."""


class Gateway(Protocol):
    def check(self, model: Model) -> None:
        """RefusedError if this model cannot be called: no key, no script."""
        ...

    async def complete(self, call: Call) -> Completion: ...
