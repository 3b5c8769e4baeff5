"""Long text in short: its beginning, its end, and how much is missing between."""

from typing import NamedTuple

from yudai.kit.text import clean

MAX_BYTES = 16 * 1024
_WIDEST = 4


class Cut(NamedTuple):
    text: str
    bytes: int
    """Of the whole text in UTF-8."""
    truncated: bool = False


def cut(text: str, *, limit: int = MAX_BYTES) -> Cut:
    """At most `limit` bytes of it and one line that says what is missing; fit to be sent."""
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
    # Of what is far too long only the beginning is looked at.
    flat = " ".join(clean(text[: 4 * width]).split())
    return flat if len(flat) <= width else f"{flat[: width - 1]}…"
