"""One expected value before and after, and whether the new one is as strict."""

import re
from enum import StrEnum
from typing import NamedTuple

from yudai.verification.domain.expected.subject import Subject


class Row(NamedTuple):
    """The position of a table row before and after."""

    at: int
    rows: int
    now: int
    now_rows: int


class Change(NamedTuple):
    test: str
    before: str
    now: str
    """Source texts, not shortened."""
    subject: Subject = Subject()
    row: Row | None = None


class Rule(StrEnum):
    """How an assertion compares with the expected value."""

    EXACT = "exact"
    TEXT = "text"
    """The text is searched in a longer one."""
    PATTERN = "pattern"
    MEMBER = "member"
    """A text inside another one, or an element of a collection."""
    CHOICE = "choice"
    """One of these values is enough."""
    SUBSET = "subset"
    """Only the listed keys are compared."""
    TYPE = "type"
    """A class, or one of several."""
    LEAST = "least"
    MOST = "most"
    """A bound: a larger value (LEAST) or a smaller one (MOST) passes, too."""


_MAX_PATTERN = 2_000
_PARTS = re.compile(
    r"""
      (?P<special> \\[A-Za-z0-9] | \[\^?\]?(?:\\.|[^\]\\])*\] | \{[\d,]*\} | [.^$*+?()|\[\]{}] )
    | \\(?P<escaped>.) | (?P<plain>.)
    """,
    re.VERBOSE | re.DOTALL,
)


def is_other_text(old: str, new: str) -> bool:
    """Whether a search for `new` is as strict as one for `old`."""
    before, after = old.strip(), new.strip()
    if not after or after in before:
        return False
    return 2 * len(after) >= len(before) and len(after) >= min(2, len(before))


def is_other_pattern(old: str, new: str) -> bool:
    """Whether only the plain text of a regular expression changed, and did not become broader."""
    if max(len(old), len(new)) > _MAX_PATTERN:
        return False
    before, after = _parsed(old), _parsed(new)
    if before.specials != after.specials:
        return False
    pairs = zip(before.texts, after.texts, strict=True)
    return all(one == other or is_other_text(one, other) for one, other in pairs)


class _Pattern(NamedTuple):
    specials: list[str]
    texts: list[str]
    """The plain texts before, between and after the special parts."""


def _parsed(pattern: str) -> _Pattern:
    found = _Pattern([], [""])
    for part in _PARTS.finditer(pattern):
        if special := part["special"]:
            found.specials.append(special)
            found.texts.append("")
        else:
            found.texts[-1] += part["escaped"] or part["plain"] or ""
    return found
