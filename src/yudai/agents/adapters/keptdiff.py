"""As much of a patch as is kept beside a message."""

from typing import NamedTuple

from yudai.kit.text import clean

MAX_DIFF_BYTES = 100_000


class KeptDiff(NamedTuple):
    text: str
    is_truncated: bool = False


def kept_diff(patch: str, *, limit: int = MAX_DIFF_BYTES) -> KeptDiff:
    """Whole lines from its beginning; bytes that are no text are U+FFFD."""
    # No character is shorter than a byte: of what is far too long only the beginning is looked at.
    encoded = clean(patch[: limit + 1]).encode()
    if len(encoded) <= limit and len(patch) <= limit:
        return KeptDiff(encoded.decode())
    whole_lines = encoded[: encoded.rfind(b"\n", 0, limit) + 1]
    return KeptDiff(whole_lines.decode(), is_truncated=True)
