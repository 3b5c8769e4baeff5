"""Reads messages in all formats of mini-SWE-agent: chat, text, Responses API.

Each function takes a message as it is in the file, which may contain anything.
"""

import json
import re
from collections.abc import Iterator
from typing import NamedTuple

from yudai.gateway.domain.models import Usage
from yudai.kit.money import MICROS_PER_USD
from yudai.kit.untyped import Object, as_amount, as_count, as_items, as_object, as_text

_OPENING = re.compile(r"```(?:mswea_bash_command|bash|sh)[ \t]*\n")
_CLOSING = "\n```"
_FORMAT_ERROR = "FormatError"


class Command(NamedTuple):
    text: str
    call_id: str = ""


def role_of(body: Object) -> str:
    """The role; a Responses API item has only a type."""
    if body.get("object") == "response":
        return "assistant"
    if body.get("type") == "function_call_output":
        return "tool"
    return as_text(body.get("role")) or as_text(body.get("type")) or "unknown"


def at_of(body: Object) -> float | None:
    """Seconds since the epoch: in the message's `extra`, or in the message itself (version 1)."""
    fields = as_amount(as_object(body.get("extra")).get("timestamp"))
    return as_amount(body.get("timestamp")) if fields is None else fields


def starts_turn(body: Object) -> bool:
    """Whether the model was called for it; a refusal keeps the unusable reply it refuses."""
    extra = as_object(body.get("extra"))
    is_refusal = extra.get("interrupt_type") == _FORMAT_ERROR
    return role_of(body) == "assistant" or bool(as_items(extra.get("actions"))) or is_refusal


def is_observation(body: Object) -> bool:
    return role_of(body) == "tool" or "returncode" in as_object(body.get("extra"))


def said_in(body: Object) -> Object:
    """The model's message: this one, or the unusable reply kept in it."""
    extra = as_object(body.get("extra"))
    if extra.get("interrupt_type") != _FORMAT_ERROR:
        return body
    reply = as_object(extra.get("response"))
    choices = as_items(reply.get("choices"))
    if choices:
        return as_object(as_object(choices[0]).get("message"))
    return reply or {"content": as_text(extra.get("model_response"))}


def text_of(body: Object) -> str:
    """The message's text without commands."""
    content = body.get("content")
    parts = [content] if isinstance(content, str) else list(_texts(as_items(content)))
    output = body.get("output")
    if isinstance(output, str):
        parts.append(output)
    for item in map(as_object, as_items(output)):
        if item.get("type") == "message":
            parts += _texts(as_items(item.get("content")))
    return "\n\n".join(part for part in parts if part)


def reasoning_of(body: Object) -> str:
    fields = as_text(body.get("reasoning_content")) or as_text(body.get("reasoning"))
    if fields:
        return fields
    items = [
        i for i in map(as_object, as_items(body.get("output"))) if i.get("type") == "reasoning"
    ]
    summaries = [text for item in items for text in _texts(as_items(item.get("summary")))]
    return "\n\n".join(summaries)


def commands_of(body: Object) -> tuple[Command, ...]:
    """Every command: as mini-SWE-agent read it, else as the model wrote it."""
    actions = map(as_object, as_items(as_object(body.get("extra")).get("actions")))
    found = [Command(as_text(a.get("command")), as_text(a.get("tool_call_id"))) for a in actions]
    found = found or _calls(body)
    if not found and _is_text_reply(body):
        found = [Command(command) for command, _ in _blocks(text_of(body))]
    return tuple(command for command in found if command.text)


def thought_of(body: Object) -> str:
    """The model's text; in a text reply without the block that has its command."""
    text = text_of(body)
    if not _is_text_reply(body):
        return text.strip()
    kept, at = "", 0
    for _, (start, end) in _blocks(text):
        kept += text[at:start]
        at = end
    return (kept + text[at:]).strip()


def usage_of(body: Object) -> Usage:
    """Tokens and cost of this message's model call, as far as they were stored."""
    extra = as_object(body.get("extra"))
    ours = as_object(extra.get("usage"))
    theirs = as_object(as_object(extra.get("response")).get("usage") or body.get("usage"))
    fields = ours or theirs
    details = as_object(fields.get("prompt_tokens_details") or fields.get("input_tokens_details"))
    cost = as_amount(extra.get("cost"))
    return Usage(
        input_tokens=as_count(fields.get("input_tokens") or fields.get("prompt_tokens")),
        cached_tokens=as_count(fields.get("cached_tokens") or details.get("cached_tokens")),
        output_tokens=as_count(fields.get("output_tokens") or fields.get("completion_tokens")),
        cost_micros=round(cost * MICROS_PER_USD) if cost else as_count(ours.get("cost_micros")),
    )


def _texts(items: list[object]) -> Iterator[str]:
    for item in map(as_object, items):
        if item.get("type") == "tool_result":
            yield as_text(item.get("content"))
        else:
            yield as_text(item.get("text"))


def _is_text_reply(body: Object) -> bool:
    """Whether commands are in its text, because neither tools nor the Responses API were used."""
    has_tools = any(isinstance(body.get(key), list) for key in ("tool_calls", "output"))
    return role_of(body) == "assistant" and not has_tools and not _calls(body)


def _calls(body: Object) -> list[Command]:
    return [*_tool_calls(body), *_function_calls(body), *_tool_uses(body)]


def _tool_calls(body: Object) -> Iterator[Command]:
    for call in map(as_object, as_items(body.get("tool_calls"))):
        arguments = as_object(call.get("function")).get("arguments")
        yield Command(_argument(arguments), as_text(call.get("id")))


def _function_calls(body: Object) -> Iterator[Command]:
    for item in map(as_object, as_items(body.get("output"))):
        if item.get("type") == "function_call":
            call_id = as_text(item.get("call_id")) or as_text(item.get("id"))
            yield Command(_argument(item.get("arguments")), call_id)


def _tool_uses(body: Object) -> Iterator[Command]:
    for item in map(as_object, as_items(body.get("content"))):
        if item.get("type") == "tool_use":
            command = as_text(as_object(item.get("input")).get("command"))
            yield Command(command, as_text(item.get("id")))


def _argument(arguments: object) -> str:
    """The command in a tool call's JSON, or that JSON when it cannot be parsed."""
    text = as_text(arguments)
    try:
        parsed: object = json.loads(text)
    except (ValueError, RecursionError):
        return text
    return as_text(as_object(parsed).get("command")) or text


def _blocks(text: str) -> Iterator[tuple[str, tuple[int, int]]]:
    # Fence by fence: a lazy `.*?` takes quadratic time on many unclosed ones.
    opening = _OPENING.search(text)
    while opening is not None:
        end = text.find(_CLOSING, opening.end() - 1)
        if end < 0:
            return
        after = end + len(_CLOSING)
        yield text[opening.end() : end], (opening.start(), after)
        opening = _OPENING.search(text, after)
