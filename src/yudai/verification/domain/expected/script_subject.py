"""The subject of an assertion in a JavaScript test: what it calls, with which literals."""

from collections.abc import Mapping, Sequence

from yudai.verification.domain.expected.script_tokens import Token, codes_of
from yudai.verification.domain.expected.script_values import CONSTANTS
from yudai.verification.domain.expected.subject import Subject

Values = Mapping[str, Sequence[Token]]
_WORDS = frozenset({"async", "await", "new", "function", "return", "typeof", "void", "JSON"})
_DEPTH = 5


def script_subject(tokens: Sequence[Token], values: Values) -> Subject:
    """The subject of these tokens; `values`: tokens by the names that are bound to them."""
    if not tokens:
        return Subject()
    names: list[str] = []
    inputs: list[str] = []
    is_clear = _read(tokens, values, names, inputs, _DEPTH)
    return Subject(tuple(dict.fromkeys(names)), tuple(inputs), is_clear)


def _read(
    tokens: Sequence[Token], values: Values, names: list[str], inputs: list[str], depth: int
) -> bool:
    is_clear = True
    for at, token in enumerate(tokens):
        following = tokens[at + 1].text if at + 1 < len(tokens) else ""
        is_member = at > 0 and tokens[at - 1].text in {".", "?."}
        if token.kind in {"number", "string", "regex"} or token.text in CONSTANTS:
            inputs.append(token.text)
        elif token.kind == "template":
            inputs.append(token.text)
            is_clear = is_clear and not codes_of(token.text)
        elif token.kind != "word" or token.text in _WORDS or following == ":":
            continue
        elif is_member or following == "(":
            names.append(token.text)
        elif token.text in values and depth:
            is_clear = _read(values[token.text], values, names, inputs, depth - 1) and is_clear
        elif following not in {".", "?."}:
            is_clear = False
    return is_clear
