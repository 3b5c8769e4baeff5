"""Parses agents' chat-completions requests: fields that are used, dropped or refused."""

import json
import math
from itertools import accumulate
from typing import Annotated, Any, Literal, NamedTuple, TypeVar

from pydantic import (
    AfterValidator,
    AliasChoices,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    ValidationError,
    ValidatorFunctionWrapHandler,
    WrapValidator,
)

from yudai.kit.errors import RefusedError
from yudai.kit.text import clean
from yudai.kit.untyped import Object, as_items, as_object, as_text, is_object

MAX_MESSAGES = 5000
MAX_TOOLS = 128
MAX_VALUES = 200_000
"""Limit on values in a body, including field names: parsing costs far more than sending."""
_MAX_DEPTH = 32
_BRACKETS = b"[{]}"
_ALL_BUT_BRACKETS = bytes(set(range(256)) - set(_BRACKETS))
_STEP = {ord(char): step for char, step in zip("[{]}", (1, 1, -1, -1), strict=True)}
_TEXTS = ("type", "id", "format", "text", "summary", "signature", "data")
_DETAILS = dict.fromkeys(_TEXTS, str) | {"index": int}
_NAMED = 4
"""Parts of an error's path that are shown. Deeper ones contain names that the sender chose."""


class ChatRequest(NamedTuple):
    """The fields that are passed on. Model and temperature are the contestant's."""

    messages: list[Object]
    tools: list[Object]
    max_output_tokens: int | None = None
    is_streamed: bool = False
    with_usage: bool = False
    """Whether a stream's last chunk has the usage."""


def read_request(body: bytes) -> ChatRequest:
    """RefusedError, in one line that names the field, for what is not taken.

    Nothing else of a request goes any further: what it asks of a provider besides, like plugins
    or another model, is left out.
    """
    given = {name: value for name, value in _parsed(body).items() if value is not None}
    if given.get("n", 1) != 1:
        raise RefusedError("n: only 1 is possible", field="n")
    if given.get("functions"):
        raise RefusedError("functions: give `tools` instead", field="functions")
    if not 1 <= len(as_items(given.get("messages"))) <= MAX_MESSAGES:
        raise RefusedError(f"messages: give 1 to {MAX_MESSAGES}", field="messages")
    try:
        request = _Request.model_validate(given)
    except ValidationError as error:
        first = error.errors(include_url=False, include_context=False, include_input=False)[0]
        place = ".".join(map(str, first["loc"][:_NAMED]))
        words = first["msg"].removeprefix("Value error, ")
        raise RefusedError(f"{place}: {words}", field=place) from None
    return ChatRequest(
        # A message without content still has the field.
        messages=[{"content": None} | _kept(message) for message in request.messages],
        tools=list(map(_kept, request.tools)),
        max_output_tokens=request.max_tokens,
        is_streamed=given.get("stream") is True,
        with_usage=as_object(given.get("stream_options")).get("include_usage") is True,
    )


def words_of(message: Object) -> str:
    """The text of a message, sent as a whole or in parts."""
    content = message.get("content")
    if isinstance(content, str):
        return content
    return "".join(as_text(as_object(part).get("text")) for part in as_items(content))


def _parsed(body: bytes) -> Object:
    _refuse_heavy(body)
    try:
        # As text: of bytes the parser would take other encodings, and halves of characters.
        text = body.decode()
        data: object = json.loads(text, parse_constant=_no_number, parse_float=_number)
        if "\\ud" in text.lower():
            # Unpaired surrogates, which cannot be encoded.
            data = json.loads(clean(json.dumps(data, ensure_ascii=False)))
    except (ValueError, RecursionError):
        raise RefusedError("the body is not JSON") from None
    if not is_object(data):
        raise RefusedError("the body has to be one JSON object")
    return data


def _refuse_heavy(body: bytes) -> None:
    """Check limits before parsing, which blocks the process and takes far more memory."""
    bare = body.replace(rb"\\", b"").replace(rb"\"", b"")
    is_heavy = bare.count(b'"') > 2 * MAX_VALUES
    outside = b"" if is_heavy else b"".join(bare.split(b'"')[::2])
    if is_heavy or sum(map(outside.count, (b",", b"[", b"{"))) > MAX_VALUES:
        raise RefusedError(f"the body has more than {MAX_VALUES} values")
    steps = map(_STEP.__getitem__, outside.translate(None, _ALL_BUT_BRACKETS))
    if max(accumulate(steps), default=0) > _MAX_DEPTH:
        raise RefusedError(f"the body is nested deeper than {_MAX_DEPTH} levels")


def _number(word: str) -> float:
    number = float(word)
    return number if math.isfinite(number) else _no_number(word)


def _no_number(word: str) -> float:
    raise ValueError(f"{word} is not a JSON number")


def _kept(shape: BaseModel) -> Object:
    return shape.model_dump(exclude_none=True)


def _text_alone(value: object, check: ValidatorFunctionWrapHandler) -> Any:
    """Refuse images, because their cost is unknown in advance."""
    try:
        return check(value)
    except ValidationError:
        raise ValueError("has to be text; in a list only parts of text are taken") from None


def _detail(value: object) -> Object:
    detail = as_object(value)
    if not as_text(detail.get("type")).startswith("reasoning."):
        raise ValueError("only `reasoning.*` is taken")
    return {
        name: detail[name]
        for name, kind in _DETAILS.items()
        if name in detail and isinstance(detail[name], kind | None)
    }


def _short_cache(value: object) -> Object | None:
    """Refuse longer caching, which costs more than the reserved amount."""
    return {"type": "ephemeral"} if value else None


def _or_none(value: Any) -> Any:
    return value or None


_T = TypeVar("_T")
# Only the first error is reported: more would take time and memory.
_Items = Annotated[list[_T], Field(fail_fast=True)]
_Text = Annotated[str | None, AfterValidator(_or_none)]
_Detail = Annotated[Object, BeforeValidator(_detail)]


class _Shape(BaseModel):
    """Keep only known harmless fields."""

    model_config = ConfigDict(extra="ignore", strict=True)


class _Part(_Shape):
    type: Literal["text"]
    text: str
    cache_control: Annotated[Object | None, BeforeValidator(_short_cache)] = None


class _Called(_Shape):
    name: str
    arguments: str


class _ToolCall(_Shape):
    id: str
    type: Literal["function"] = "function"
    function: _Called
    extra_content: Annotated[dict[str, dict[str, str]] | None, BeforeValidator(_or_none)] = None
    """Gemini's thought signature of a call: `{"google": {"thought_signature": ...}}`."""


class _Message(_Shape):
    role: Literal["system", "developer", "user", "assistant", "tool"]
    name: _Text = None
    tool_call_id: _Text = None
    reasoning_content: _Text = None
    tool_calls: Annotated[_Items[_ToolCall] | None, AfterValidator(_or_none)] = None
    reasoning_details: Annotated[_Items[_Detail] | None, AfterValidator(_or_none)] = None
    content: Annotated[str | _Items[_Part] | None, WrapValidator(_text_alone)] = None


class _Function(_Shape):
    name: str = Field(pattern=r"^[A-Za-z0-9_-]{1,64}$")
    description: str | None = None
    parameters: dict[str, Any] | None = None
    strict: bool | None = None


class _Tool(_Shape):
    """A function that the agent runs. Other tools run at the provider, with a network."""

    type: Literal["function"]
    function: _Function


class _Request(_Shape):
    messages: _Items[_Message]
    tools: Annotated[_Items[_Tool], Field(max_length=MAX_TOOLS), BeforeValidator(as_items)] = []
    max_tokens: int | None = Field(
        default=None, ge=1, validation_alias=AliasChoices("max_completion_tokens", "max_tokens")
    )
