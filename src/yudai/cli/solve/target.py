"""Whether a target is a folder or a repository at a forge."""

import re
from pathlib import Path
from urllib.parse import urlsplit

from yudai.forge.domain.repository import Target, parse_target
from yudai.kit.errors import RefusedError

_SHORT = re.compile(r"[^/\s#.~][^/\s#]*/[^/\s#]+(?:#[0-9]+)?")


def find_target(text: str, *, forge: str = "") -> Target | None:
    """None: a folder. Without a forge whichever one is named, or none at all.

    A folder that exists is a folder, whatever else its name could mean.
    """
    if "://" in text:
        return parse_target(text, forge=forge or _origin(text))
    if not _SHORT.fullmatch(text) or _exists(text):
        return None
    return parse_target(text, forge=forge)


def _origin(url: str) -> str:
    try:
        parts = urlsplit(url)
    except ValueError:
        parts = None
    is_plain = parts is not None and parts.netloc and "@" not in parts.netloc
    if parts is None or not is_plain or parts.scheme not in ("https", "http"):
        raise RefusedError(
            "this is no address of an issue: give a folder, owner/repo#12 or https://host/owner/"
            "repo/issues/12"
        )
    return f"{parts.scheme}://{parts.netloc}"


def _exists(text: str) -> bool:
    try:
        return Path(text).exists()
    except (OSError, ValueError):
        return False
