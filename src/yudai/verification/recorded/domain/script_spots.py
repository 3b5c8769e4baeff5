"""Finds the literals of a JavaScript statement that can be inputs."""

from yudai.kit.syntax import UnreadableError
from yudai.verification.domain.sources.script_tokens import (
    Script,
    Statement,
    TokenKind,
    read_script,
)
from yudai.verification.recorded.domain.spots import Spot

_MOST_SPOTS = 60
# A bracket after one of these, or after a name, does not begin a list.
_BEFORE_INDEX = frozenset({")", "]", "}", "?."})
_WORDS = {"true": True, "false": False}
_BEFORE_OBJECT = frozenset({"(", "[", ",", ":"})
_BEFORE_LIST = frozenset({"return", "of", "in", "await", "typeof", "new", "void"})


def script_spots(text: str) -> list[Spot]:
    try:
        script = read_script(text)
    except UnreadableError:
        return []
    found = (_spot(script, at) for at in range(len(script.tokens)))
    return [spot for spot in found if spot is not None][:_MOST_SPOTS]


def _spot(script: Script, at: int) -> Spot | None:
    token = script.tokens[at]
    start, end = _bytes(script, token.start), _bytes(script, token.end)
    if token.kind is TokenKind.NUMBER:
        return _number(script, at, end)
    if token.kind is TokenKind.STRING:
        is_key = script.word(at + 1) == ":" and script.word(at - 1) in {"{", ","}
        return None if is_key else Spot(start, end, token.text)
    if token.kind is TokenKind.NAME and token.text in _WORDS and script.word(at - 1) != ".":
        return Spot(start, end, _WORDS[token.text])
    is_object = script.word(at) == "{" and script.word(at - 1) in _BEFORE_OBJECT
    return _items(script, at) if script.word(at) == "[" or is_object else None


def _number(script: Script, at: int, end: int) -> Spot | None:
    text = script.tokens[at].text.replace("_", "")
    try:
        value = int(text, 0)
    except ValueError:
        try:
            value = float(text)
        except ValueError:
            return None
    is_negative = script.word(at - 1) == "-" and script.word(at - 2) in {"(", "[", ",", ":", "="}
    start = _bytes(script, script.tokens[at - is_negative].start)
    return Spot(start, end, -value if is_negative else value)


def _items(script: Script, at: int) -> Spot | None:
    before = script.word(at - 1)
    is_index = before in _BEFORE_INDEX or (script.is_name(at - 1) and before not in _BEFORE_LIST)
    is_pattern = before in {"const", "let", "var"} or script.word(script.partners[at] + 1) == "="
    if is_index or is_pattern or script.partners[at] == at + 1:
        return None
    items: list[Statement] = []
    start, end = at + 1, script.partners[at]
    for inner in script.level(at + 1, end):
        if script.word(inner) == ",":
            items.append(Statement(start, inner))
            start = inner + 1
    if start < end:
        items.append(Statement(start, end))
    sources = tuple(script.source(item).encode("utf-8", "surrogatepass") for item in items)
    first, last = script.tokens[at], script.tokens[end]
    place = _bytes(script, first.start), _bytes(script, last.end)
    return Spot(*place, None, sources, (first.text.encode(), last.text.encode()))


def _bytes(script: Script, at: int) -> int:
    return len(script.text[:at].encode("utf-8", "surrogatepass"))
