"""Cleans untrusted text, so that it can be stored, sent and shown."""

import re
from collections.abc import Iterable
from difflib import get_close_matches
from typing import NamedTuple

REPLACEMENT = "\ufffd"
_UNFIT = re.compile("[\x00\ud800-\udfff]")


def clean(text: str) -> str:
    """U+FFFD in place of NULs and lone surrogates, which no shell, database or UTF-8 takes."""
    if text.isascii() and "\x00" not in text:
        return text
    return _UNFIT.sub(REPLACEMENT, text)


def nearest(name: str, known: Iterable[str]) -> str:
    """`did you mean X?`, or the list of choices."""
    choices = list(known)
    close = get_close_matches(name, choices, n=1)
    return f"did you mean {close[0]}?" if close else f"choose {' or '.join(choices)}"


MAX_BYTES = 16 * 1024
_WIDEST = 4


class Cut(NamedTuple):
    text: str
    bytes: int
    """Size of the whole text in UTF-8."""
    truncated: bool = False


def cut(text: str, *, limit: int = MAX_BYTES) -> Cut:
    """At most `limit` bytes, and one line that says what was left out."""
    whole = clean(text)
    if len(whole) * _WIDEST <= limit:
        return Cut(whole, len(whole.encode()))
    encoded = whole.encode()
    if len(encoded) <= limit:
        return Cut(whole, len(encoded))
    half = limit // 2
    # A character that the cut goes through is left out.
    head = encoded[:half].decode("utf-8", "ignore")
    tail = encoded[len(encoded) - half :].decode("utf-8", "ignore")
    missing = len(encoded) - 2 * half
    return Cut(f"{head}\n[… {missing} bytes left out …]\n{tail}", len(encoded), truncated=True)


def line(text: str, *, width: int) -> str:
    """On one line, at most `width` characters."""
    # Only the beginning of a very long text is read.
    flat = " ".join(clean(text[: 4 * width]).split())
    return flat if len(flat) <= width else f"{flat[: width - 1]}…"
