"""Names, values and code of a test that an issue can mention, and how many it mentions."""

import re
from collections.abc import Collection, Iterable, Iterator
from typing import NamedTuple

from yudai.verification.domain.sources.issue_text import (
    flattened,
    names_word,
    plain_number,
    read_issue,
    stands_alone,
    tightened,
)
from yudai.verification.domain.sources.names import words

FRAMEWORK = words(
    """pytest unittest mock typing collections os sys re json pathlib subprocess io tempfile
    datetime time math random contextlib functools itertools textwrap shutil dataclasses decimal
    copy string hypothesis vitest jest mocha chai sinon assert assert/strict path fs child_process
    util node:test node:assert node:assert/strict node:path node:fs node:child_process node:util
    @jest/globals"""
)
# Words that occur in every report, and methods that all objects have.
_TOO_COMMON = words(
    """run main get set call invoke open close read write print test check new use value data name
    path text result file error line list"""
) | frozenset(name for kind in (str, bytes, list, dict, set) for name in dir(kind))
_NO_INPUT = words("utf-8 utf8 -m -c -e python python3 node npm npx rb wb __main__ --help -h")
_TRIVIAL = words("0 1 0.0 1.0")
_ERROR = re.compile(r"\w*[a-z](?:Error|Exception|Warning|Exit|Interrupt)")
_MOST = 3000


class Facts(NamedTuple):
    names: frozenset[str]
    """Names that are called or imported, and words of a command line."""
    strings: frozenset[str]
    numbers: frozenset[str]
    code: frozenset[str]
    """Source texts of collections and calls."""


class Match(NamedTuple):
    text: str
    weight: int


def facts_of(
    *,
    names: Iterable[str],
    strings: Iterable[str],
    numbers: Iterable[str],
    code: Iterable[str],
    without: Collection[str],
) -> Facts:
    return Facts(
        names=_some(name for name in names if name and name not in without),
        strings=_some(text for text in strings if text not in without),
        numbers=_some(map(plain_number, numbers)),
        code=_some(map(tightened, code)),
    )


def named_in(issue: str, facts: Facts) -> Iterator[Match]:
    """Names that the test calls and the issue mentions; weak if only as an ordinary word."""
    plain = {word.casefold() for word in read_issue(issue).words}
    for name in sorted(facts.names):
        if names_word(issue, name):
            yield Match(name, 3)
        elif len(name) > 2 and name not in _TOO_COMMON and name.casefold() in plain:
            yield Match(name, 1)


def given_in(issue: str, facts: Facts) -> Iterator[Match]:
    """Inputs, values and messages of the test that the issue gives."""
    read = read_issue(issue)
    weights = ((text.strip(), _weight_of_string(issue, text)) for text in sorted(facts.strings))
    yield from (Match(text, weight) for text, weight in weights if weight)
    for number in sorted(facts.numbers - _TRIVIAL):
        if _has_number(issue, number):
            yield Match(number, 1 if len(number) < 3 else 2)
    for code in sorted(facts.code):
        if len(code) > 3 and _stands_tight(code, read.tight):
            yield Match(code, 3)
    for name in sorted(facts.names):
        if _ERROR.fullmatch(name) and name in read.words:
            yield Match(name, 1)


def _some(items: Iterable[str]) -> frozenset[str]:
    found: set[str] = set()
    for item in items:
        if len(found) >= _MOST:
            break
        if 0 < len(item) <= 20_000:
            found.add(item)
    return frozenset(found)


def _weight_of_string(issue: str, text: str) -> int:
    plain = flattened(text)
    if len(plain) < 2 or plain in _NO_INPUT:
        return 0
    if _is_given(issue, plain):
        return min(4, 1 + len(plain) // 8)
    lines = [line.strip() for line in text.splitlines()[:200]]
    found = [line for line in lines if len(line) > 5 and _is_given(issue, line)]
    escaped = text.encode("unicode_escape").decode("ascii")
    if not found and escaped != text and escaped in read_issue(issue).code:
        return 2
    return min(4, 2 * len(found))


def _is_given(issue: str, plain: str) -> bool:
    read = read_issue(issue)
    if re.fullmatch(r"[-+]?\d[\d_,]*(\.\d+)?", plain):
        return _has_number(issue, plain_number(plain))
    if not any(char.isalnum() for char in plain):
        return plain in read.code
    if not plain.isalpha():
        return stands_alone(issue, plain)
    if plain in read.code_words or plain in read.quoted:
        return True
    # A capital letter in the middle of a sentence marks a name, not an ordinary word.
    inside = rf"[a-z0-9,;:] {re.escape(plain)}\b"
    return not plain.islower() and re.search(inside, read.flat) is not None


def _has_number(issue: str, number: str) -> bool:
    """Whether the issue contains the number; a single digit counts only in code."""
    read = read_issue(issue)
    return number in (read.code_numbers if len(number) == 1 else read.numbers)


def _stands_tight(code: str, whole: str) -> bool:
    at = whole.find(code)
    while at >= 0:
        if not (code[0].isalnum() and whole[at - 1 : at].isalnum()):
            return True
        at = whole.find(code, at + 1)
    return False
