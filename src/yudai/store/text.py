"""Text that every database takes: no NUL, no lone surrogate."""

import json
import re

_REPLACEMENT = "\ufffd"
_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")
# An escaped backslash is consumed whole, so that `\\u0000` stays the six characters it stands for.
_ESCAPED = re.compile(r"\\(\\|u0000)")


def clean(text: str) -> str:
    """The text with U+FFFD in place of what PostgreSQL or UTF-8 refuse."""
    if text.isascii() and "\x00" not in text:
        return text
    return _UNSTORABLE.sub(_REPLACEMENT, text)


def to_json(value: object) -> str:
    """JSON text of plain data, cleaned; what is not plain data is a TypeError."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    if "\\u0000" in text:
        text = _ESCAPED.sub(_replace_nul, text)
    return clean(text)


def _replace_nul(match: re.Match[str]) -> str:
    return match[0] if match[1] == "\\" else _REPLACEMENT
