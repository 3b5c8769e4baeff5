"""Messages that all agents record the same way: replies, observations, the end; with limits.

A command's result is rendered in the format that mini-SWE-agent's prompts describe.
"""

import json
from typing import Any

from yudai.gateway.port import Completion, ToolCall
from yudai.kit.money import usd
from yudai.kit.text import clean
from yudai.kit.untyped import Object
from yudai.sandboxes.port import ExecResult

KEPT_CHARS = 100_000
"""Limit on one message."""
SHOWN_CHARS = 10_000
NOT_EXECUTED = {"output": "", "returncode": -1, "exception_info": "action was not executed"}


def said(completion: Completion) -> Object:
    """The model's message in OpenAI's format: no `tool_calls` key if there are none."""
    message: Object = {"role": "assistant", "content": clean(completion.content)}
    if completion.reasoning:
        message["reasoning_content"] = clean(completion.reasoning)
    if completion.reasoning_details:
        message["reasoning_details"] = list(completion.reasoning_details)
    if completion.tool_calls:
        message["tool_calls"] = [_tool_call(call) for call in completion.tool_calls]
    return message


def facts_of(completion: Completion, *, temperature: float, at: float) -> Object:
    """The `extra` of the model's message."""
    return {
        "cost": usd(completion.usage.cost_micros),
        "has_cost": completion.has_cost,
        "usage": completion.usage.model_dump(),
        "has_usage": completion.has_usage,
        "finish_reason": clean(completion.finish_reason),
        "temperature_requested": temperature,
        "temperature_used": completion.temperature_used,
        "timestamp": at,
    }


def output_of(result: ExecResult, text: str, *, stopped: str) -> dict[str, Any]:
    """A command's result. `stopped` is the text for a command that ran out of time."""
    facts = {
        stopped: result.timed_out,
        "The command was killed because the sandbox ran out of memory.": result.oom,
        "The sandbox's disk is full.": result.disk_full,
        "The command printed too much; a part of its output was dropped.": result.truncated,
    }
    exception = " ".join(fact for fact, holds in facts.items() if holds)
    return {"output": text, "returncode": result.exit_code, "exception_info": exception}


def observe(action: dict[str, Any], output: dict[str, Any], *, at: float) -> dict[str, Any]:
    """The tool message of one action; the raw output is kept beside it, up to a cap."""
    return {
        "role": "tool",
        "tool_call_id": action["tool_call_id"],
        "content": _content(output),
        "extra": {
            "raw_output": kept(output["output"]),
            "returncode": output["returncode"],
            "timestamp": at,
            "exception_info": output["exception_info"],
        },
    }


def exit_message(exit_status: str, reason: str) -> Object:
    # The patch is taken from the sandbox, so the submission stays empty here.
    extra = {"exit_status": exit_status, "submission": ""}
    return {"role": "exit", "content": reason, "extra": extra}


def kept(text: str) -> str:
    """The text, cut to its start and end if it is too long."""
    if len(text) <= KEPT_CHARS:
        return text
    half = KEPT_CHARS // 2
    return f"{text[:half]}\n[{len(text) - KEPT_CHARS} characters left out]\n{text[-half:]}"


def _tool_call(call: ToolCall) -> Object:
    fields = {
        "id": clean(call.id),
        "type": "function",
        "function": {"name": clean(call.name), "arguments": clean(call.arguments)},
    }
    return fields | ({"extra_content": call.extra_content} if call.extra_content else {})


def _content(output: dict[str, Any]) -> str:
    text: str = output["output"]
    fields: dict[str, Any] = {"returncode": output["returncode"]}
    if len(text) < SHOWN_CHARS:
        fields["output"] = text
    else:
        half = SHOWN_CHARS // 2
        fields["output_head"] = text[:half]
        fields["output_tail"] = text[-half:]
        fields["elided_chars"] = len(text) - SHOWN_CHARS
        fields["warning"] = "Output too long."
    fields |= {key: output[key] for key in ("exception_info", "notice") if output.get(key)}
    return json.dumps(fields, ensure_ascii=False, indent=2)
