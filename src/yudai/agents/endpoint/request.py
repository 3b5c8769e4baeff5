"""Messages and tools of a stranger's request, rebuilt from what is known to be harmless."""

import re

from yudai.kit.errors import RefusedError
from yudai.kit.untyped import Object, as_items, as_object, as_text, is_items, is_object

MAX_TOOLS = 128
_ROLES = frozenset({"system", "developer", "user", "assistant", "tool"})
_TEXTS = ("name", "tool_call_id", "reasoning_content")
_TOOL_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")
_DETAILS = {
    "type": str,
    "id": str,
    "format": str,
    "index": int,
    "text": str,
    "summary": str,
    "signature": str,
    "data": str,
}
_FUNCTION = {"description": str, "parameters": dict, "strict": bool}


def message_of(value: object, field: str) -> Object:
    """RefusedError names the field that is not taken."""
    message = as_object(value)
    if message.get("role") not in _ROLES:
        raise RefusedError(f"{field}.role: one of {', '.join(sorted(_ROLES))}", field=field)
    kept: Object = {"role": message["role"]}
    for name in _TEXTS:
        if not isinstance(message.get(name), str | None):
            raise RefusedError(f"{field}.{name}: has to be text", field=field)
        kept |= {name: message[name]} if message.get(name) else {}
    for name, rebuilt in (("tool_calls", _tool_call), ("reasoning_details", _detail)):
        items = message.get(name)
        if items is not None and not is_items(items):
            raise RefusedError(f"{field}.{name}: has to be a list of objects", field=field)
        kept |= {name: [rebuilt(item, f"{field}.{name}") for item in items]} if items else {}
    return kept | {"content": _content(message.get("content"), f"{field}.content")}


def _content(content: object, field: str) -> str | list[Object] | None:
    if is_items(content):
        return [_part(part, field) for part in content]
    if not isinstance(content, str | None):
        raise RefusedError(f"{field}: has to be text", field=field)
    return content


def _part(value: object, field: str) -> Object:
    """Text alone: what a picture costs cannot be told from its size."""
    part = as_object(value)
    if part.get("type") != "text" or not isinstance(part.get("text"), str):
        raise RefusedError(f"{field}: only parts of text are taken", field=field)
    # One that lasts longer costs more than is set aside for a call.
    cached = {"cache_control": {"type": "ephemeral"}} if part.get("cache_control") else {}
    return {"type": "text", "text": part["text"]} | cached


def _tool_call(value: object, field: str) -> Object:
    call = as_object(value)
    function = as_object(call.get("function"))
    texts = (call.get("id"), function.get("name"), function.get("arguments"))
    if call.get("type", "function") != "function" or not all(isinstance(t, str) for t in texts):
        words = "each needs `id`, `type: function` and `function: {name, arguments}`, all texts"
        raise RefusedError(f"{field}: {words}", field=field)
    return {
        "id": call["id"],
        "type": "function",
        "function": {"name": function["name"], "arguments": function["arguments"]},
    } | _signature(call.get("extra_content"), field)


def _signature(value: object, field: str) -> Object:
    """Gemini's, of the thought that led to a call: `{"google": {"thought_signature": ...}}`."""
    if not value:
        return {}
    kept = {
        vendor: {name: text for name, text in as_object(told).items() if isinstance(text, str)}
        for vendor, told in as_object(value).items()
    }
    if kept != value:
        raise RefusedError(f"{field}.extra_content: only texts by vendor are taken", field=field)
    return {"extra_content": kept}


def _detail(value: object, field: str) -> Object:
    detail = as_object(value)
    if not as_text(detail.get("type")).startswith("reasoning."):
        raise RefusedError(f"{field}: only `reasoning.*` is taken", field=field)
    return {
        name: detail[name]
        for name, kind in _DETAILS.items()
        if name in detail and isinstance(detail[name], kind | None)
    }


def tools_of(value: object) -> list[Object]:
    """Functions, which the agent itself runs: others are run by a provider, who has a network."""
    tools = as_items(value)
    if len(tools) > MAX_TOOLS or not all(map(is_object, tools)):
        raise RefusedError(f"tools: at most {MAX_TOOLS} objects", field="tools")
    return [_tool(tool, f"tools.{place}") for place, tool in enumerate(tools)]


def _tool(tool: Object, field: str) -> Object:
    if tool.get("type") != "function":
        raise RefusedError(f"{field}.type: only `function` is taken", field=field)
    function = as_object(tool.get("function"))
    name = as_text(function.get("name"))
    if not _TOOL_NAME.fullmatch(name):
        raise RefusedError(f"{field}.function.name: 1 to 64 of A-Z a-z 0-9 _ -", field=field)
    kept: Object = {"name": name}
    for key, kind in _FUNCTION.items():
        if not isinstance(function.get(key), kind | None):
            raise RefusedError(f"{field}.function.{key}: is of another kind", field=field)
        kept |= {key: function[key]} if function.get(key) is not None else {}
    return {"type": "function", "function": kept}
