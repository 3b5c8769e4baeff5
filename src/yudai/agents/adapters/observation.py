"""What the model is shown of a command's end, in the shape that mini-SWE-agent's prompts have."""

import json
from typing import Any

SHOWN_CHARS = 10_000
KEPT_CHARS = 100_000

NOT_EXECUTED = {"output": "", "returncode": -1, "exception_info": "action was not executed"}


def observe(action: dict[str, Any], output: dict[str, Any], *, at: float) -> dict[str, Any]:
    """The tool message of one action; the raw output is kept beside it, up to a cap."""
    return {
        "role": "tool",
        "tool_call_id": action["tool_call_id"],
        "content": _content(output),
        "extra": {
            "raw_output": _kept(output["output"]),
            "returncode": output["returncode"],
            "timestamp": at,
            "exception_info": output["exception_info"],
        },
    }


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


def _kept(text: str) -> str:
    if len(text) <= KEPT_CHARS:
        return text
    half = KEPT_CHARS // 2
    return f"{text[:half]}\n[{len(text) - KEPT_CHARS} characters left out]\n{text[-half:]}"
