"""Names that a script's test computes: folded if they can be read, else any name."""

from collections.abc import Iterator

from yudai.verification.domain.sources.names import words
from yudai.verification.domain.sources.script_assertions import arguments
from yudai.verification.domain.sources.script_tokens import Script, Statement, TokenKind
from yudai.verification.domain.sources.scripts.product import (
    Product,
    chain_end,
    is_bare,
    is_root,
)

_LISTS = words(
    """keys values entries assign getOwnPropertyNames getOwnPropertyDescriptors
    getOwnPropertySymbols stringify inspect"""
)
_ALL_NAMES = "getOwnPropertyNames"
_PATHS = words(
    """path join resolve __dirname __filename dirname filename import meta url URL new href
    pathname fileURLToPath pathToFileURL with type toString"""
)
_MOCKS = words("spyOn method stub spy mock replace keys values entries")


def folded(script: Script, at: int) -> str | None:
    """`"a" + "b"` and `["a", "b"].join("")` as one text; None if nothing is joined."""
    if script.string(at) is None:
        return None
    if script.word(at - 1) == "[":
        return _joined(script, at)
    if script.word(at - 1) == "+" and script.string(at - 2) is not None:
        return None
    parts = [script.string(at) or ""]
    while script.word(at + 1) == "+" and (text := script.string(at + 2)) is not None:
        parts.append(text)
        at += 2
    return "".join(parts) if len(parts) > 1 else None


def _joined(script: Script, at: int) -> str | None:
    close = script.partners[at - 1]
    inner = range(at, close)
    is_join = [script.word(close + i) for i in (1, 2, 3)] == [".", "join", "("]
    is_plain = all(script.string(i) is not None or script.word(i) == "," for i in inner)
    if not is_join or not is_plain:
        return None
    parts = [text for i in inner if (text := script.string(i)) is not None]
    between = script.string(close + 4)
    return ("," if between is None else between).join(parts)


def takes_any_name(script: Script, at: int, product: Product) -> bool:
    """Whether it iterates over the product's names here, or reads one that is computed."""
    if is_root(script, at, product.names):
        return _is_computed(script, chain_end(script, at)) or _is_listed(script, at, product)
    word, following = script.word(at), script.word(at + 1)
    if following == ".":
        return word == "Reflect" or [word, script.word(at + 2)] == ["Object", _ALL_NAMES]
    if following != "(" or script.word(at - 1) == ".":
        return False
    if word in {"eval", "Function"}:
        return not _is_one_text(script, at + 1)
    return word in {"require", "import"} and _is_made(script, at + 1)


def _is_computed(script: Script, at: int) -> bool:
    """`[...]` or `?.[...]` with what is neither a text, a number nor a type."""
    at += script.word(at) == "?."
    if script.word(at) != "[" or script.partners[at] == at + 1:
        return False
    is_one = script.partners[at] == at + 2
    is_plain = script.string(at + 1) is not None or script.tokens[at + 1].kind is TokenKind.NUMBER
    is_symbol = script.word(at + 1) == "Symbol"
    return not (is_symbol or (is_one and is_plain))


def _is_listed(script: Script, at: int, product: Product) -> bool:
    if not is_root(script, at, product.kept):
        return False
    end = chain_end(script, at)
    before = script.word(at - 1)
    if before == "..." and script.word(end) != "(":
        return True
    if before == "in" and script.word(end) == ")":
        return script.word(at - 3) in {"const", "let", "var"}
    return before == "(" and script.word(at - 2) in _LISTS and script.word(end) in {")", ","}


def _is_one_text(script: Script, at: int) -> bool:
    return script.string(at + 1) is not None and script.partners[at] == at + 2


def _is_made(script: Script, at: int) -> bool:
    """Whether a module's name is computed from more than texts and folders."""
    given = arguments(script, at)
    return bool(given) and any(
        script.is_name(inner) and script.word(inner) not in _PATHS
        for inner in range(given[0].start, given[0].end)
    )


def hands_over(script: Script, part: Statement, product: Product) -> bool:
    """Whether a whole module is passed to a function that could read any of its names."""
    return any(
        is_bare(script, given.start, given.end, product.whole)
        and script.is_name(at - 1)
        and script.word(at - 1) not in _MOCKS
        for at in range(part.start, part.end)
        if script.word(at) == "("
        for given in arguments(script, at)
    )


def looks_up(script: Script, part: Statement) -> bool:
    """Whether any object is read by a computed name."""
    return any(
        (script.is_name(at) or script.word(at) == ")") and _is_computed(script, at + 1)
        for at in range(part.start, part.end)
    )


def positions(script: Script, at: int, product: Product) -> Iterator[tuple[str, int]]:
    """Callees by name with their number of arguments; `...` and `apply` can pass any number."""
    if not script.is_name(at):
        return
    word, following = script.word(at), script.word(at + 1)
    name = product.originals.get(word, word)
    if following == "(":
        yield name, _count(script, at + 1)
    elif following in {".", "?."} and script.word(at + 2) in {"apply", "length"}:
        yield name, MOST_ARGUMENTS
    elif following in {".", "?."} and script.word(at + 2) in {"call", "bind"}:
        yield name, max(0, _count(script, at + 3) - 1) if script.word(at + 3) == "(" else 0


MOST_ARGUMENTS = 9


def _count(script: Script, at: int) -> int:
    given = arguments(script, at)
    if any(script.word(part.start) == "..." for part in given):
        return MOST_ARGUMENTS
    return min(len(given), MOST_ARGUMENTS)
