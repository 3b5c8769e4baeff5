"""A chat-completions request of a stranger: what of it is taken, and what is refused."""

import json
import math
from itertools import accumulate
from typing import NamedTuple

from yudai.agents.endpoint.request import message_of, tools_of
from yudai.kit.errors import RefusedError
from yudai.kit.text import clean
from yudai.kit.untyped import Object, as_items, as_object, as_text, is_object

MAX_MESSAGES = 5000
MAX_VALUES = 200_000
"""Of one body, names of fields among them: each costs far more to read than to send."""
_MAX_DEPTH = 32
_LIMITS = ("max_completion_tokens", "max_tokens")
_BRACKETS = b"[{]}"
_ALL_BUT_BRACKETS = bytes(set(range(256)) - set(_BRACKETS))
_STEP = {ord(char): step for char, step in zip("[{]}", (1, 1, -1, -1), strict=True)}


class ChatRequest(NamedTuple):
    """What of a request is passed on; the model and its temperature are the contestant's."""

    messages: list[Object]
    tools: list[Object]
    max_output_tokens: int | None = None
    is_streamed: bool = False
    with_usage: bool = False
    """A stream's last chunk says what was used."""


def read_request(body: bytes) -> ChatRequest:
    """RefusedError, in one line that names the field, for what is not taken.

    Nothing else of a request goes any further: what it asks of a provider besides, like plugins
    or another model, is left out.
    """
    data = _parsed(body)
    if data.get("n") not in (None, 1):
        raise RefusedError("n: only 1 is possible", field="n")
    if data.get("functions"):
        raise RefusedError("functions: give `tools` instead", field="functions")
    options = as_object(data.get("stream_options"))
    return ChatRequest(
        messages=_messages(data.get("messages")),
        tools=tools_of(data.get("tools")),
        max_output_tokens=_limit(data),
        is_streamed=data.get("stream") is True,
        with_usage=options.get("include_usage") is True,
    )


def _parsed(body: bytes) -> Object:
    _refuse_heavy(body)
    try:
        # As text: of bytes the parser would take other encodings, and halves of characters.
        text = body.decode()
        data: object = json.loads(text, parse_constant=_no_number, parse_float=_number)
        if "\\ud" in text.lower():
            # Halves of characters, which could be sent to nobody.
            data = json.loads(clean(json.dumps(data, ensure_ascii=False)))
    except (ValueError, RecursionError):
        raise RefusedError("the body is no JSON") from None
    if not is_object(data):
        raise RefusedError("the body has to be one JSON object")
    return data


def _refuse_heavy(body: bytes) -> None:
    """Without parsing it, which takes the whole process's time and a hundred times its size."""
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
    raise ValueError(f"{word} is no number of JSON")


def _messages(value: object) -> list[Object]:
    given = as_items(value)
    if not given or len(given) > MAX_MESSAGES:
        raise RefusedError(f"messages: give 1 to {MAX_MESSAGES}", field="messages")
    return [message_of(message, f"messages.{place}") for place, message in enumerate(given)]


def _limit(data: Object) -> int | None:
    for name in _LIMITS:
        given = data.get(name)
        if given is None:
            continue
        if isinstance(given, bool) or not isinstance(given, int) or given < 1:
            raise RefusedError(f"{name}: has to be a whole number above 0", field=name)
        return given
    return None


def words_of(message: Object) -> str:
    """The text of a request's message, whether it came whole or in parts."""
    content = message.get("content")
    if isinstance(content, str):
        return content
    return "".join(as_text(as_object(part).get("text")) for part in as_items(content))
