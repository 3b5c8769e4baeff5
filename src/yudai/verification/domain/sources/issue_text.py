"""Splits an issue's text into code, quotations and prose."""

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from yudai.verification.domain.sources.names import words

_MOST_CHARACTERS = 200_000
_KIND = (
    r"(?:functions?|methods?|class(?:es)?|options?|flags?|parameters?|arguments?|args?|commands?"
    r"|subcommands?|modules?|attributes?|propert(?:y|ies)|keywords?|kwargs?|fields?|helpers?"
    r"|constants?|variables?|decorators?|exceptions?|switch(?:es)?|endpoints?|routes?)"
)
_ARTICLE = r"(?:the|a|an|this|that|our|your|its|new|existing|called|named|and|or)"
# "command line", "method name", "option value": the second word is not a name.
_NO_NAMES = words(
    """name names line lines value values list lists call calls type types is are was to of in on
    for and or that which with should must can could does do has have if when not a an the as by
    be so but from at it takes returns body signature default defaults argument arguments"""
)
_COMMON = words("""the and for that this with from not but are was does has have its which when then
    issue test tests answer answers base fails passed right solve line lines expect instead""")
_PASSAGES = re.compile(r"\n+|(?<=[.!?])\s+(?=[A-Z`\"'])")
_MOST_OF_PASSAGE = 500
_QUOTES = re.compile(
    r"""(?<!\w)"([^"\n]{1,300})"(?!\w)|(?<!\w)'([^'\n]{1,300})'(?!\w)"""
    r"""|\u201c([^\u201d\n]{1,300})\u201d|\u2018([^\u2019\n]{1,300})\u2019"""
)
_CODE_LIKE = re.compile(r"[\w$.:#/\\()\[\]{}=<>,*+-]+")
_INLINE = re.compile(r"(`+)([^`\n]{1,2000})\1(?!`)")
_TAGGED = re.compile(r"<(?:code|pre|kbd|tt)>([^<]{1,5000})</", re.IGNORECASE)
_FENCE = re.compile(r"\s{0,12}(?:[-*+>]\s+|\d+\.\s+)?(`{3,}|~{3,})")
_WORDS = re.compile(r"[\w$]+")
_SHORT = 4
_COMMAND = re.compile(r"[\w$./=-]+(?: +[\w$./=-]+)*")
_NAME_PLACES = re.compile(
    r"""(?:(?<=[.@])|(?<=--)|(?<=['"`])|(?:\b(?:def|class|function|import|from|const|let|new)\ ))
        ([\w$]+)(?=$|\W)|(?<![\w$])([\w$]+)(?=\(|\.\w|=(?!=)|['"]\s*[\]:)])""",
    re.VERBOSE,
)
_NUMBERS = re.compile(r"(?<![\w.#$])(?<!line )[-+]?\d[\d_,]*(?:\.\d+)?(?!\w)")


class IssueText(NamedTuple):
    whole: str
    code: str
    """Code blocks and spans, one per line."""
    prose: str
    """The text outside code."""
    quoted: tuple[str, ...]
    words: frozenset[str]
    code_words: frozenset[str]
    code_names: frozenset[str]
    """Words of code in the position of a name, not words of sentences in code."""
    numbers: frozenset[str]
    code_numbers: frozenset[str]
    flat: str
    """The whole text with single spaces."""
    tight: str
    """The whole text without spaces and with one kind of quotes."""


@lru_cache(maxsize=64)
def read_issue(text: str) -> IssueText:
    text = text[:_MOST_CHARACTERS].replace("\r\n", "\n")
    blocks, prose = _blocks(text)
    spans = [match[2] for match in _INLINE.finditer(prose)]
    spans += [match[1] for match in _TAGGED.finditer(prose)]
    code = "\n".join([*blocks, *spans])
    prose = _TAGGED.sub(" ", _INLINE.sub(" ", prose))
    quoted = tuple(match[match.lastindex or 0].strip() for match in _QUOTES.finditer(prose))
    exact = " ".join(part for part in quoted if _CODE_LIKE.fullmatch(part))
    return IssueText(
        whole=text,
        code=code,
        prose=prose,
        quoted=quoted,
        words=frozenset(_WORDS.findall(text)),
        code_words=frozenset(_WORDS.findall(f"{code} {exact}")),
        code_names=frozenset(_names_in(blocks, [*spans, *exact.split()])),
        numbers=frozenset(_numbers(text)),
        code_numbers=frozenset(_numbers("\n".join([code, *quoted]))),
        flat=flattened(text),
        tight=tightened(text),
    )


def flattened(text: str) -> str:
    return re.sub(r"\s+", " ", text).strip()


def tightened(text: str) -> str:
    return re.sub(r"\s+", "", text).replace('"', "'")


def names_word(issue: str, name: str) -> bool:
    """Whether the issue mentions this name, not only the English word."""
    text = read_issue(issue)
    if not name or not set(_WORDS.findall(name)) <= text.words:
        return False
    if _WORDS.fullmatch(name) and name in text.code_names:
        return True
    if not _WORDS.fullmatch(name) and _stands(name, text.whole):
        return True
    return is_identifier(name) or _is_spoken_of(name, text.prose)


def is_identifier(word: str) -> bool:
    """Whether the word cannot be English: it has an underscore, an inner capital or a digit."""
    letters = word.strip("_$")
    return (
        "_" in word
        or any(char.isdigit() for char in letters)
        or (not letters.isupper() and any(char.isupper() for char in letters[1:]))
    )


def holds(issue: str, literal: str) -> bool:
    """Whether the issue contains a text; spaces and case do not count."""
    return flattened(literal).casefold() in read_issue(issue).flat.casefold()


def nearest_passage(issue: str, text: str) -> str:
    """The sentence or line with most of a text's words; the issue's beginning if none has any."""
    asked = {word.casefold() for word in _WORDS.findall(text) if len(word) > 2} - _COMMON
    passages = [part.strip() for part in _PASSAGES.split(issue[:_MOST_CHARACTERS]) if part.strip()]
    if not passages:
        return ""
    said = [{word.casefold() for word in _WORDS.findall(part)} & asked for part in passages]
    weights = [sum(1 + is_identifier(word) for word in words) for words in said]
    return passages[weights.index(max(weights))][:_MOST_OF_PASSAGE]


def stands_alone(issue: str, literal: str) -> bool:
    """Whether the text contains this one, and not as part of a longer word or number."""
    return _stands(flattened(literal), read_issue(issue).flat)


def _stands(text: str, whole: str) -> bool:
    at = whole.find(text)
    while at >= 0:
        before, after = whole[at - 1 : at], whole[at + len(text) : at + len(text) + 1]
        if not (_joins(before, text[0]) or _joins(text[-1], after)):
            return True
        at = whole.find(text, at + 1)
    return False


def _joins(left: str, right: str) -> bool:
    return bool(left and right) and (left.isalnum() or left == "_") and right.isalnum()


def _is_spoken_of(name: str, prose: str) -> bool:
    word = re.escape(name)
    called = rf"(?<![\w$]){word}\(|[\w)\]]\.{word}(?![\w$])|(?<![\w$.]){word}=(?![\s=])"
    if re.search(rf"{called}|(?<![\w.])\.{word}(?![\w$])", prose):
        return True
    if re.search(rf"\b{_ARTICLE}\s{{1,3}}{word}\s{{1,3}}{_KIND}\b", prose, re.IGNORECASE):
        return True
    before = rf"\b{_KIND}\s{{1,3}}(?:called\s|named\s)?{word}(?![\w-])"
    return name.casefold() not in _NO_NAMES and bool(re.search(before, prose, re.IGNORECASE))


def _blocks(text: str) -> tuple[list[str], str]:
    """Fenced and indented blocks, and the lines between them."""
    blocks: list[str] = []
    prose: list[str] = []
    fence, is_after_gap = "", True
    for line in text.split("\n"):
        mark = _FENCE.match(line)
        if fence:
            fence = "" if mark and mark[1].startswith(fence) else fence
            if fence:
                blocks.append(line)
        elif mark:
            fence = mark[1]
        elif line.startswith(("    ", "\t")) and is_after_gap:
            blocks.append(line.strip())
            continue
        else:
            prose.append(line)
        is_after_gap = not line.strip()
    return blocks, "\n".join(prose)


def _names_in(lines: list[str], spans: list[str]) -> Iterator[str]:
    """Names in code: all words of commands and short spans, else words in a name's position."""
    short = [span for span in spans if len(span.split()) <= _SHORT]
    yield from _WORDS.findall(" ".join(short))
    for piece in (*lines, *(span for span in spans if span not in short)):
        is_command = len(piece.split()) <= _SHORT and _COMMAND.fullmatch(piece.strip())
        if is_command or piece.lstrip().startswith(("$ ", "> ")):
            yield from _WORDS.findall(piece)
        else:
            yield from (match[1] or match[2] for match in _NAME_PLACES.finditer(piece))


def _numbers(text: str) -> Iterator[str]:
    for match in _NUMBERS.finditer(text):
        yield plain_number(match[0])


def plain_number(text: str) -> str:
    """`-1,000` and `1_000` as 1000, 2.80 as 2.8."""
    digits = text.lstrip("+-").replace("_", "").replace(",", "")
    return digits.rstrip("0").rstrip(".") if "." in digits else digits
