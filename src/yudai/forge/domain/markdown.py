"""Escapes untrusted text for a forge's Markdown, so that it shows but has no effect."""

import re
import unicodedata

from yudai.kit.text import clean

JOINER = "\u2060"
"""Word joiner: unseen, and no forge reads a name, a number or a keyword across it."""
MAX_TEXT = 300
MAX_CODE = 300
MAX_FENCE = 8000

_ANSI = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|[@-Z\\-_])")
_UNSEEN = frozenset({"Cc", "Cf", "Cs", "Co", "Cn"})
# Letters and marks that show nothing: fillers, joiners, variation selectors, blank Braille.
_BLANK = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0f\uffa0"
    "\U000e0100-\U000e01ef]"
)
_LINE_BREAKS = "\n\r\x0b\x0c\x1c\x1d\x1e\x85\u2028\u2029"
_TO_SPACES = dict.fromkeys(map(ord, f"{_LINE_BREAKS}\t"), " ")
_TO_NEWLINES = dict.fromkeys(map(ord, _LINE_BREAKS), "\n")

_URL = re.compile(r"(?:https?|ftp)://\S+|\bwww\.\S+|(?:mailto|xmpp):\S+", re.IGNORECASE)
# Also at the end: what we write after it may be a number.
_CLOSING = re.compile(
    r"\b(clos|fix|resolv)"
    r"(?=(?:e[sd]?)?\b[\s:]*(?:$|#|GH-|https?://|[\w.-]+/[\w.-]+#))",
    re.IGNORECASE,
)
_LETTERED = re.compile(r"(GH-)(?=[0-9])", re.IGNORECASE)
# The words by which a commit keeps a forge's checks from running.
_SKIPPING = re.compile(r"\[(?=\s*(?:skip|ci|no|actions)\b)", re.IGNORECASE)
_SIGN = re.compile("[@#<]|:(?=//)")
_BACKTICKS = re.compile("`+")
_LANGUAGE = re.compile("[a-z]{0,20}")

_ESCAPED = {char: f"\\{char}" for char in "\\`*_{}[]()+-.!|~^="} | {
    "&": "&amp;",
    "<": "&lt;",
    ">": "&gt;",
    '"': "&quot;",
    "$": "&#36;",
    "@": f"@{JOINER}",
    "#": f"\\#{JOINER}",
}
# In a table even code ends at a bar.
_IN_URL = {"|": "%7C", "\\": "%5C", "`": "%60", "<": "%3C", ">": "%3E"}


def visible(text: str, *, limit: int = MAX_TEXT) -> str:
    """On one line, without what cannot be seen or changes direction, at most `limit` characters."""
    # Of what is far too long only the beginning is looked at.
    flat = " ".join(_seen(text[: 8 * limit].translate(_TO_SPACES)).split())
    return flat if len(flat) <= limit else f"{flat[: limit - 1]}…"


def plain(text: str, *, limit: int = MAX_TEXT) -> str:
    """For titles and commits: mentions no one, closes no issue, skips no check."""
    shown = _SKIPPING.sub(f"[{JOINER}", _inert(visible(text, limit=limit)))
    return _SIGN.sub(rf"\g<0>{JOINER}", shown)


def md(text: str, *, limit: int = MAX_TEXT) -> str:
    """For the text of a body or a table's cell: shown as it was written, and nothing else."""
    shown = visible(text, limit=limit)
    parts: list[str] = []
    end = 0
    for url in _URL.finditer(shown):
        parts += [_escape(shown[end : url.start()]), _url_span(url[0])]
        end = url.end()
    return "".join([*parts, _escape(shown[end:])])


def code_span(text: str, *, limit: int = MAX_CODE) -> str:
    """As code within a line, not within a table; "" for nothing."""
    shown = _literal(visible(text, limit=limit))
    if not shown:
        return ""
    ticks = "`" * (_longest(shown) + 1)
    pad = " " if shown.startswith("`") or shown.endswith("`") else ""
    return f"{ticks}{pad}{shown}{pad}{ticks}"


def fence(text: str, *, language: str = "", limit: int = MAX_FENCE) -> str:
    """As a block of code, its lines kept; fenced by more backticks than stand together in it."""
    if not _LANGUAGE.fullmatch(language):
        raise ValueError(f"{language!a} is no language of a fence")
    whole = text.replace("\r\n", "\n").translate(_TO_NEWLINES)
    lines = [_literal(_seen(line)) for line in whole[:limit].split("\n")]
    if len(whole) > limit:
        lines[-1] += "…"
    shown = "\n".join(lines)
    ticks = "`" * max(3, _longest(shown) + 1)
    return f"{ticks}{language}\n{shown}\n{ticks}"


def _seen(text: str) -> str:
    bare = _BLANK.sub("", _ANSI.sub("", clean(text)))
    return "".join(c for c in bare if c == "\t" or unicodedata.category(c) not in _UNSEEN)


def _escape(text: str) -> str:
    return "".join(_ESCAPED.get(char, char) for char in _inert(text))


def _inert(text: str) -> str:
    """A keyword that would close an issue is split in two, and so is `GH-12`."""
    return _LETTERED.sub(rf"\1{JOINER}", _CLOSING.sub(rf"\1{JOINER}", text))


def _url_span(url: str) -> str:
    return code_span("".join(_IN_URL.get(char, char) for char in url), limit=3 * len(url))


def _literal(text: str) -> str:
    """Code is kept literally, also where it looks like one of our marks."""
    return _CLOSING.sub(rf"\1{JOINER}", text).replace("<!", f"<{JOINER}!")


def _longest(text: str) -> int:
    return max((len(run[0]) for run in _BACKTICKS.finditer(text)), default=0)
