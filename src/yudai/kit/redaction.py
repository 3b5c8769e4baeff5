"""Removes secrets from text: known values in every encoding, and token shapes."""

import base64
import json
import re
from collections.abc import Callable, Iterable, Iterator
from urllib.parse import quote

REDACTED = "[redacted]"
MIN_LENGTH = 8
"""Shorter values are not redacted, because they would match everywhere."""
Redact = Callable[[str], str]

_SHAPES = (
    r"gh[pousr]_[A-Za-z0-9]{30,}",
    r"github_pat_[A-Za-z0-9_]{50,}",
    r"ydk_[0-9a-z]+_[A-Za-z0-9_-]{30,}",
    r"sk-(?:or-|ant-|proj-)[A-Za-z0-9_-]{30,}",
    # From the start of a word, as JSON writes a line's too: each word is looked at only once.
    r"(?:(?<![A-Za-z0-9_-])|(?<=\\[bfnrt]))"
    r"eyJ[A-Za-z0-9_-]{8,}+\.[A-Za-z0-9_-]{8,}+\.[A-Za-z0-9_-]{20,}+",
)
_BEGIN = "-----BEGIN "
_KEY_BEGINS = rf"(?P<key>{_BEGIN}[A-Z ]*PRIVATE KEY-----)"
_QUOTE = re.compile('"')
_KEY_ENDS = re.compile(r"-----END [A-Z ]*PRIVATE KEY-----")


def as_it_is(text: str) -> str:
    return text


def redactor(secrets: Iterable[str]) -> Redact:
    """A function that replaces these secrets and everything that looks like a token."""
    spellings = {form for secret in secrets for form in _spellings(secret)}
    # The longest first, so that no rest of a longer secret is left.
    known = [re.escape(form) for form in sorted(spellings, key=len, reverse=True)]
    pattern = re.compile("|".join((*known, *_SHAPES)))
    with_keys = re.compile("|".join((*known, *_SHAPES, _KEY_BEGINS)))

    def redact(text: str) -> str:
        if _BEGIN not in text:
            return pattern.sub(REDACTED, text)
        return _without(text, with_keys)

    return redact


def _without(text: str, pattern: re.Pattern[str]) -> str:
    """Like one pattern from begin to end of a key, but in linear time.

    Ends and quotes are only searched forwards.
    """
    ends, quotes = _Ahead(text, _KEY_ENDS), _Ahead(text, _QUOTE)
    parts: list[str] = []
    kept = at = 0
    while found := pattern.search(text, at):
        end = found.end()
        if found["key"]:
            closing = ends.after(end)
            # Within JSON it must not reach into the next text.
            if closing is None or _is_before(quotes.after(end), closing):
                at = found.start() + 1
                continue
            end = closing.end()
        parts += text[kept : found.start()], REDACTED
        kept = at = end
    return "".join((*parts, text[kept:]))


class _Ahead:
    """The next match from a position. Positions must increase."""

    def __init__(self, text: str, pattern: re.Pattern[str]) -> None:
        self._text = text
        self._pattern = pattern
        self._next = pattern.search(text)

    def after(self, place: int) -> re.Match[str] | None:
        if self._next and self._next.start() < place:
            self._next = self._pattern.search(self._text, place)
        return self._next


def _is_before(one: re.Match[str] | None, other: re.Match[str]) -> bool:
    return one is not None and one.start() < other.start()


def _spellings(secret: str) -> Iterator[str]:
    if len(secret) < MIN_LENGTH:
        return
    yield secret
    yield json.dumps(secret)[1:-1]
    yield quote(secret, safe="")
    for part in _encoded(secret.encode()):
        yield part
        yield part.replace("+", "-").replace("/", "_")


def _encoded(secret: bytes) -> Iterator[str]:
    """The base64 of a secret inside longer data: one per alignment, without the edges."""
    for shift in range(3):
        encoded = base64.b64encode(b"\0" * shift + secret).decode().rstrip("=")
        first = -(-shift * 8 // 6)
        last = (shift + len(secret)) * 8 // 6
        yield encoded[first:last]
