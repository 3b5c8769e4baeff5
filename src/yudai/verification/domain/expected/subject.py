"""The subject of an assertion, and whether an issue gives a value as its result."""

import re
from itertools import islice
from typing import NamedTuple

from yudai.verification.domain.expected.issue_values import is_given
from yudai.verification.domain.expected.literals import literal_of

_MAX_ISSUE = 100_000
_MAX_FOUND = 50
_PASSAGES = 2
_WANTED = re.compile(
    r"\b(?:should|shall|must|expect\w*|want\w*|ought|needs?|has to|have to|supposed|correct\w*"
    r"|desired|proper)\b",
    re.IGNORECASE,
)
_COMPLAINED = re.compile(
    r"\b(?:says?|said|returns?|returned|gives?|gave|prints?|printed|shows?|yields?|raises?|raised"
    r"|gets?|got|results?|actual\w*|currently|today|wrong\w*|produces?|becomes?)\b",
    re.IGNORECASE,
)
_INVERTED = re.compile(r"\b(?:instead of|rather than|not)\W*$", re.IGNORECASE)
_OF = re.compile(r"\W*(?:from|for|of|by|when|with|on)\b", re.IGNORECASE)
_CLAUSE = re.compile(r";|[.,!?]\s|\bbut\b|\bwhile\b", re.IGNORECASE)
_DEFINES = re.compile(r"(?:\b(?:def|class|function|const|let|var)\s+)$")
_LITERAL = re.compile(r"'([^'\n]*)'|\"([^\"\n]*)\"|`([^`\n]*)`|(?<![\w.])(\d[\w.]*)")
_QUOTES = "'\"`"


class Subject(NamedTuple):
    names: tuple[str, ...] = ()
    """The functions, attributes and names that it calls or reads."""
    inputs: tuple[str, ...] = ()
    """Source texts of its literals."""
    is_clear: bool = False
    """Whether it has no other inputs."""


def says_result(issue: str, now: str, subject: Subject) -> bool:
    """Whether an issue gives this value, as code or in quotes, as the result of this subject.

    A value that the issue complains about does not count.
    """
    if not subject.is_clear or not subject.names or not is_given(issue, now):
        return False
    text = issue[:_MAX_ISSUE]
    found = islice(_spelling(now).finditer(text), _MAX_FOUND)
    return any(_is_result(text, match, subject) for match in found)


def _spelling(now: str) -> re.Pattern[str]:
    literal = literal_of(now)
    if literal and literal[0] == "text" and isinstance(literal[1], str):
        line = next((line.strip() for line in literal[1].split("\n") if line.strip()), "")
        return _alone(re.escape(line))
    parts = re.findall(r"\w+|[^\w\s]", now)
    return _alone(r"\s*".join("['\"`]" if part in _QUOTES else re.escape(part) for part in parts))


def _alone(pattern: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![\w.]){pattern}(?!\w|\.\w)")


def _is_result(text: str, match: re.Match[str], subject: Subject) -> bool:
    begin = match.start()
    for _ in range(_PASSAGES):
        begin = max(0, text.rfind("\n\n", 0, begin))
    before = text[begin : match.start()]
    window = _from_mention(before, subject)
    if window is None:
        # For example: `1h` is what I expect of human(3600).
        rest = _CLAUSE.split(text[match.end() :].partition("\n\n")[0])[0]
        window = _from_mention(rest, subject) if _OF.match(rest) else None
    return window is not None and _has_inputs(window, subject) and _is_wanted(before)


def _from_mention(text: str, subject: Subject) -> str | None:
    """The text from the subject's last mention; None if there is none."""
    lasts: list[int] = []
    for name in subject.names:
        mentions = [
            found
            for found in re.finditer(rf"(?<![\w$]){re.escape(name)}(?![\w$])", text)
            if not _DEFINES.search(text[max(0, found.start() - 20) : found.start()])
        ]
        # `find` can also be a verb.
        calls = [found for found in mentions if text.startswith("(", found.end())]
        lasts += [found.start() for found in (calls or mentions)[-1:]]
    return text[min(lasts) :] if lasts else None


def _has_inputs(window: str, subject: Subject) -> bool:
    call = re.match(r"[\w$.]+\(([^()]*)(\))?", window)
    if call and not call[2] and not call[1].strip():
        return False
    given = [_plain(found[0]) for found in _LITERAL.finditer(call[1])] if call else []
    wanted = [_plain(text) for text in subject.inputs]
    if given and len(subject.names) == 1:
        return sorted(given) == sorted(wanted)
    return all(_alone(re.escape(text)).search(window) for text in wanted)


def _plain(text: str) -> str:
    return text[1:-1] if text[:1] in _QUOTES else text


def _is_wanted(before: str) -> bool:
    """Whether the clause around the value asks for it and does not complain about it."""
    clause = _CLAUSE.split(before)[-1]
    inverted = _INVERTED.search(clause)
    head = clause[: inverted.start()] if inverted else clause
    is_complaint = not _WANTED.search(head) and _COMPLAINED.search(head) is not None
    return is_complaint if inverted else not is_complaint
