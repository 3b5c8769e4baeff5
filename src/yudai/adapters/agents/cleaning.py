"""Text from models and strangers, made fit to be stored, sent and typed."""

import re

_UNFIT = re.compile("[\x00\ud800-\udfff]")


def clean(text: str) -> str:
    """U+FFFD in place of NULs and halves of surrogate pairs, which no shell and no UTF-8 takes."""
    if text.isascii() and "\x00" not in text:
        return text
    return _UNFIT.sub("\ufffd", text)
