"""Text from models and strangers, made fit to be stored, sent and typed."""

import re

REPLACEMENT = "\ufffd"
_UNFIT = re.compile("[\x00\ud800-\udfff]")


def clean(text: str) -> str:
    """U+FFFD in place of NULs and lone surrogates, which no shell, database or UTF-8 takes."""
    if text.isascii() and "\x00" not in text:
        return text
    return _UNFIT.sub(REPLACEMENT, text)
