"""JSON text that every database takes: no NUL, no lone surrogate."""

import json
import re

from yudai.kit.text import REPLACEMENT, clean

# An escaped backslash is consumed whole, so that `\\u0000` stays the six characters it stands for.
_ESCAPED = re.compile(r"\\(\\|u0000)")


def to_json(value: object) -> str:
    """JSON text of plain data, cleaned; what is not plain data is a TypeError."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    if "\\u0000" in text:
        text = _ESCAPED.sub(_replace_nul, text)
    return clean(text)


def _replace_nul(match: re.Match[str]) -> str:
    return match[0] if match[1] == "\\" else REPLACEMENT
