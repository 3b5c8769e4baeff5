"""How much of a model's context is left for its answer, told by an endpoint that refused."""

import re

from yudai.gateway.adapters.openai.errors import Fault
from yudai.gateway.port import Call

_LEAST = 1024
"""An answer that must be shorter than this is of no use: then the context is simply full."""
_MARGIN = 64
_CONTEXT = re.compile(r"maximum context length is (\d{3,9})", re.IGNORECASE)
_USED = re.compile(r"(\d{1,9}) (?:in the messages|of (?:text|tool) input|input tokens)")
_SUM = re.compile(r"context limit: (\d{1,9}) \+ \d{1,9} > (\d{3,9})")


def shortened(call: Call, fault: Fault) -> Call | None:
    """The same call with as short an answer as still fits, if that is what was refused."""
    if not fault.is_about_form:
        return None
    left = _left(fault.text) - _MARGIN
    if not _LEAST <= left < call.max_output_tokens:
        return None
    return call.model_copy(update={"max_output_tokens": left})


def _left(text: str) -> int:
    if both := _SUM.search(text):
        return int(both[2]) - int(both[1])
    context, used = _CONTEXT.search(text), _USED.findall(text)
    return int(context[1]) - sum(map(int, used)) if context and used else 0
