"""Secrets that mini-SWE-agent writes into its files: the keys of a configuration, in clear."""

import re
from typing import Any

from yudai.kit.redaction import REDACTED
from yudai.kit.untyped import Object, as_object, is_items, is_object

_SECRET = re.compile(
    r"api_?-?key|secret|passw|credential|authorization|(token|auth|key)$", re.IGNORECASE
)


def redacted(document: Object) -> Object:
    """The same file without the secrets of its configuration; messages stay as they are."""
    info = as_object(document.get("info"))
    if "config" not in info:
        return document
    return document | {"info": info | {"config": _clean(info["config"])}}


def _clean(value: Any) -> Any:
    # The depth of a file is bounded before this.
    if is_object(value):
        return {key: _clean_field(key, field) for key, field in value.items()}
    if is_items(value):
        return [_clean(item) for item in value]
    return value


def _clean_field(key: str, value: Any) -> Any:
    return REDACTED if isinstance(value, str) and value and _SECRET.search(key) else _clean(value)
