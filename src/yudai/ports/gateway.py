"""Where model calls go."""

from typing import Any, Protocol

from yudai.domain.usage import Usage
from yudai.domain.value import Value


class Call(Value):
    """One request to a model, in the chat-completions shape."""

    model: str
    temperature: float
    messages: list[dict[str, Any]]
    tools: list[dict[str, Any]]
    turn: int
    """How many calls this run has made before: 0 for the first."""


class ToolCall(Value):
    id: str
    name: str
    arguments: str
    """JSON text as the model wrote it: it may be malformed."""


class Completion(Value):
    content: str
    tool_calls: tuple[ToolCall, ...]
    finish_reason: str
    usage: Usage


class Gateway(Protocol):
    def check(self, model: str) -> None:
        """RefusedError with what to do when this model could not be called."""
        ...

    async def complete(self, call: Call) -> Completion: ...
