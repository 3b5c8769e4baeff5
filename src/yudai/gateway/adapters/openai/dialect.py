"""The request format of one model, learnt from its replies and errors."""

import re
from typing import Any, NamedTuple

from yudai.gateway.adapters.openai.errors import Fault
from yudai.gateway.port import Call, Completion
from yudai.kit.text import clean

MAX_STRANGERS = 1000
"""Number of stored dialects that were learnt from command agents' calls."""
_FIELDS = ("role", "name", "tool_call_id", "tool_calls")

_NOT_TAKEN = (
    r"(?:unsupported|not supported|n[o']t support|deprecated|only the default|only 1|may only"
    r"|must be 1\b|not allowed|not permitted|unknown|unrecognized|unexpected|not accept)"
)
_NO_TEMPERATURE = re.compile(
    rf"{_NOT_TAKEN}.{{0,60}}\btemperature\b|\btemperature\b.{{0,80}}{_NOT_TAKEN}",
    re.IGNORECASE | re.DOTALL,
)
_OTHER_LIMIT = re.compile(r"(?:use|instead).{0,20}max_completion_tokens", re.IGNORECASE)
_MOST_OUTPUT = re.compile(
    r"at most (\d{2,7}) (?:completion|output) tokens|max_tokens[^.]{0,60}> ?(\d{2,7}), which is",
    re.IGNORECASE,
)
_WANTS_REASONING = re.compile(
    r"reasoning_content.{0,60}(?:must be passed|missing|required)", re.IGNORECASE
)
_REASONING = re.compile(r"reasoning_(?:content|details)", re.IGNORECASE)


class Dialect(NamedTuple):
    has_temperature: bool = True
    limit_field: str = "max_tokens"
    most_output: int | None = None
    reasoning_field: str = ""
    """Field that returns earlier reasoning: "", reasoning_content or reasoning_details."""
    is_reasoning_refused: bool = False

    def after(self, completion: Completion, fields: frozenset[str]) -> "Dialect":
        """Return reasoning in the field that it came in, if there is any."""
        if self.is_reasoning_refused:
            return self
        if completion.reasoning_details:
            return self._replace(reasoning_field="reasoning_details")
        if "reasoning_content" in fields and not self.reasoning_field:
            return self._replace(reasoning_field="reasoning_content")
        return self

    def corrected(self, fault: Fault) -> "Dialect":
        """The dialect for a retry after an error; unchanged if the error has another cause."""
        text = fault.text
        if self.has_temperature and _NO_TEMPERATURE.search(text):
            return self._replace(has_temperature=False)
        if self.limit_field == "max_tokens" and _OTHER_LIMIT.search(text):
            return self._replace(limit_field="max_completion_tokens")
        if most := _MOST_OUTPUT.search(text):
            return self._replace(most_output=int(most[1] or most[2]))
        return self._corrected_reasoning(text)

    def _corrected_reasoning(self, text: str) -> "Dialect":
        if self.reasoning_field and _REASONING.search(text):
            return self._replace(reasoning_field="", is_reasoning_refused=True)
        if not self.is_reasoning_refused and _WANTS_REASONING.search(text):
            return self._replace(reasoning_field="reasoning_content")
        return self


class Dialects:
    """The current dialects, shared by runs with the same model.

    Those of command agents' calls are separate: a provider's error may repeat their text.
    """

    def __init__(self) -> None:
        self._ours: dict[str, Dialect] = {}
        self._strangers: dict[tuple[str, str], Dialect] = {}

    def of(self, call: Call) -> Dialect:
        ours = self._ours.get(call.model, Dialect())
        return self._strangers.get((call.model, call.learns_with), ours)

    def learn(self, call: Call, dialect: Dialect) -> None:
        if not call.learns_with:
            self._ours[call.model] = dialect
            return
        key = call.model, call.learns_with
        # The newest last: the oldest is forgotten first.
        self._strangers.pop(key, None)
        self._strangers[key] = dialect
        if len(self._strangers) > MAX_STRANGERS:
            del self._strangers[next(iter(self._strangers))]


def request(call: Call, dialect: Dialect) -> dict[str, Any]:
    """The call in the model's format, without fields that a strict server would reject."""
    most = dialect.most_output or call.max_output_tokens
    body: dict[str, Any] = {
        "model": call.model,
        "messages": [_message(message, dialect) for message in call.messages],
        dialect.limit_field: min(call.max_output_tokens, most),
    }
    if call.tools:
        body["tools"] = call.tools
    if dialect.has_temperature:
        body["temperature"] = call.temperature
    return body


def _message(message: dict[str, Any], dialect: Dialect) -> dict[str, Any]:
    kept = {field: message[field] for field in _FIELDS if message.get(field)}
    content = message.get("content")
    kept["content"] = clean(content) if isinstance(content, str) else content
    if message["role"] != "assistant":
        return kept
    # Some refuse an empty text beside tool calls, and OpenAI itself answers with null there.
    kept["content"] = kept["content"] or (None if kept.get("tool_calls") else "")
    if dialect.reasoning_field == "reasoning_content":
        # DeepSeek wants it in every turn, also where it was empty.
        kept["reasoning_content"] = message.get("reasoning_content", "")
    elif dialect.reasoning_field and message.get("reasoning_details"):
        kept["reasoning_details"] = message["reasoning_details"]
    return kept
