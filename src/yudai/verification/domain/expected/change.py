"""One expected value before and after, and whether what is expected now is as strict."""

import re
from enum import StrEnum
from typing import NamedTuple

from yudai.verification.domain.expected.subject import Subject


class Row(NamedTuple):
    """A row of a table, before and now."""

    at: int
    rows: int
    now: int
    now_rows: int


class Change(NamedTuple):
    test: str
    before: str
    now: str
    """Source texts, as long as they are."""
    subject: Subject = Subject()
    row: Row | None = None


class Rule(StrEnum):
    """How an assertion looks at the value that it expects."""

    EXACT = "exact"
    TEXT = "text"
    """It is looked for inside something longer."""
    PATTERN = "pattern"
    MEMBER = "member"
    """A text that is looked for inside another, or an element."""
    CHOICE = "choice"
    """One of these is enough."""
    SUBSET = "subset"
    """Only what is named here is compared."""
    TYPE = "type"
    """A class, or one of these."""
    LEAST = "least"
    MOST = "most"
    """More, or less, is right as well."""


_MAX_PATTERN = 2_000
_PARTS = re.compile(
    r"""
      (?P<special> \\[A-Za-z0-9] | \[\^?\]?(?:\\.|[^\]\\])*\] | \{[\d,]*\} | [.^$*+?()|\[\]{}] )
    | \\(?P<escaped>.) | (?P<plain>.)
    """,
    re.VERBOSE | re.DOTALL,
)


def is_other_text(old: str, new: str) -> bool:
    """Whether looking for `new` is no easier than it was for `old`."""
    before, after = old.strip(), new.strip()
    if not after or after in before:
        return False
    return 2 * len(after) >= len(before) and len(after) >= min(2, len(before))


def is_other_pattern(old: str, new: str) -> bool:
    """Whether only the plain text of a regular expression changed, and not to something broader."""
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
    """What stands before, between and after the special parts."""


def _parsed(pattern: str) -> _Pattern:
    found = _Pattern([], [""])
    for part in _PARTS.finditer(pattern):
        if special := part["special"]:
            found.specials.append(special)
            found.texts.append("")
        else:
            found.texts[-1] += part["escaped"] or part["plain"] or ""
    return found
