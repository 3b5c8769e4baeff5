"""Takes secrets out of text that is kept or shown: known values in every spelling, token shapes."""

import base64
import json
import re
from collections.abc import Callable, Iterable, Iterator
from urllib.parse import quote

REDACTED = "[redacted]"
MIN_LENGTH = 8
"""Shorter ones would be found everywhere."""
Redact = Callable[[str], str]

_SHAPES = (
    r"gh[pousr]_[A-Za-z0-9]{30,}",
    r"github_pat_[A-Za-z0-9_]{50,}",
    r"ydk_[0-9a-z]+_[A-Za-z0-9_-]{30,}",
    r"sk-(?:or-|ant-|proj-)[A-Za-z0-9_-]{30,}",
    # Without quotes: within JSON it must not reach into the next text.
    r"-----BEGIN [A-Z ]*PRIVATE KEY-----[^\"]*?-----END [A-Z ]*PRIVATE KEY-----",
)


def as_it_is(text: str) -> str:
    return text


def redactor(secrets: Iterable[str]) -> Redact:
    """What replaces these secrets and whatever looks like a token."""
    spellings = {form for secret in secrets for form in _spellings(secret)}
    # The longest first: what is left of a longer one must not betray it.
    known = [re.escape(form) for form in sorted(spellings, key=len, reverse=True)]
    pattern = re.compile("|".join((*known, *_SHAPES)))

    def redact(text: str) -> str:
        return pattern.sub(REDACTED, text)

    return redact


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
    """Base64 as it stands within something longer: at each of three places, without its edges."""
    for shift in range(3):
        encoded = base64.b64encode(b"\0" * shift + secret).decode().rstrip("=")
        first = -(-shift * 8 // 6)
        last = (shift + len(secret)) * 8 // 6
        yield encoded[first:last]
