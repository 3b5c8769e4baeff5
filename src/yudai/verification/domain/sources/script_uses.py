"""Finds the names that one test of a script mentions, in itself and in the code that it needs."""

import re
from collections.abc import Iterator

from yudai.verification.domain.sources.names import (
    Texts,
    Uses,
    argument,
    merged,
    spellings,
    words,
    words_of,
)
from yudai.verification.domain.sources.script_closure import (
    Piece,
    ScriptTest,
    resolved,
    script_test,
    without_ending,
)
from yudai.verification.domain.sources.script_definitions import bound, pattern_names
from yudai.verification.domain.sources.script_tokens import Script, statements
from yudai.verification.domain.sources.scripts.lookups import (
    folded,
    hands_over,
    looks_up,
    positions,
    takes_any_name,
)
from yudai.verification.domain.sources.scripts.product import Product, product_of

_VALUES = frozenset({"const", "let", "var"})
_PLAIN_ROOTS = words(
    """JSON Math Number String Array console process path fs assert expect jest vi sinon os"""
)
_LOADERS = words("require import mock doMock unmock requireActual importActual")
_CODE = re.compile(r"\b(?:import|require)\b|\w\(")


def script_uses(path: str, text: str, test: str, files: Texts, *, loads: bool = True) -> Uses:
    """The test's uses; `loads`: also those that its file needs to load."""
    found = script_test(path, text, test, files)
    pieces = (found.own, *found.helpers, *(found.loaded if loads else ()))
    local = _local_names(found.script) - found.imports.keys()
    once = {(piece.path, piece.part): piece for piece in pieces}
    products = {id(piece.script): product_of(piece.script) for piece in once.values()}
    parts = [(piece, products[id(piece.script)]) for piece in once.values()]
    uses = merged(_uses(piece, product, local, found) for piece, product in parts)
    is_given = any(hands_over(piece.script, piece.part, product) for piece, product in parts)
    is_taken = any(looks_up(piece.script, piece.part) for piece, _ in parts)
    if is_given and is_taken:
        uses = uses._replace(anything=True)
    return uses if loads else _with_originals(uses, found)


def _with_originals(uses: Uses, test: ScriptTest) -> Uses:
    """Imported names under their original names, and their modules."""
    imported = uses.names & test.imports.keys()
    originals: set[str] = set()
    for piece in test.loaded:
        for at in range(piece.part.start, piece.part.end):
            if piece.script.word(at) in imported and piece.script.word(at - 1) in {"as", ":"}:
                originals.add(piece.script.word(at - 2))
    modules = {without_ending(resolved(test.path, test.imports[name])) for name in imported}
    return uses._replace(
        names=uses.names | originals,
        modules=uses.modules | {module.lstrip("@~#/") for module in modules},
        mentions=uses.mentions | originals,
    )


def _local_names(script: Script) -> set[str]:
    """Names that the file itself binds, at any depth."""
    names: set[str] = set()
    for part in statements(script, 0, len(script.tokens)):
        found = bound(script, part)
        if found.form in {"function", "class", "value", "type"}:
            names.update(found.names)
    for at in range(len(script.tokens)):
        if script.word(at) in _VALUES and "require" not in {
            script.word(at + 3),
            script.word(at + 4),
        }:
            names.update(_declared(script, at + 1))
    return names


def _declared(script: Script, at: int) -> Iterator[str]:
    if script.word(at) not in {"{", "["}:
        if script.is_name(at) and script.word(at + 2) not in {"require", "await"}:
            yield script.word(at)
    elif not {script.word(script.partners[at] + i) for i in (2, 3)} & {
        "require",
        "await",
        "import",
    }:
        yield from pattern_names(script, at)


def _uses(piece: Piece, product: Product, local: set[str], test: ScriptTest) -> Uses:
    script = piece.script
    title = test.script.tokens[test.title.start] if test.title else None
    names: set[str] = set()
    attributes: set[str] = set()
    keywords: set[tuple[str, str]] = set()
    strings: set[str] = set()
    modules: set[str] = set()
    anything = False
    for at in range(piece.part.start, piece.part.end):
        if script.tokens[at] is title:
            continue
        for text in _texts(script, at):
            strings.update(spellings(text))
            strings.update(_code_words(text))
            modules.update(_module(script, at, text, piece.path))
        if script.is_name(at):
            _add_name(script, at, names, attributes)
            anything = anything or takes_any_name(script, at, product)
            keywords.update(_keywords(script, at, product))
    names -= local
    return Uses(
        frozenset(names),
        frozenset(attributes),
        frozenset(keywords),
        frozenset(strings),
        frozenset(modules),
        frozenset(names | attributes | strings),
        anything=anything,
    )


def _texts(script: Script, at: int) -> Iterator[str]:
    if (text := script.string(at)) is not None:
        yield text
        if (more := folded(script, at)) is not None:
            yield more


def _keywords(script: Script, at: int, product: Product) -> Iterator[tuple[str, str]]:
    if _is_key(script, at) and not _is_expected(script, at):
        yield "", script.word(at)
    for name, most in positions(script, at, product):
        yield from ((name, argument(number)) for number in range(1, most + 1))


def _add_name(script: Script, at: int, names: set[str], attributes: set[str]) -> None:
    word = script.word(at)
    if script.word(at - 1) not in {".", "?."}:
        if not (script.word(at + 1) == ":" and script.word(at - 1) in {"{", ","}):
            names.add(word)
    elif script.string(at - 2) is None and not _is_plain(script, at - 2):
        attributes.add(word)
    if script.word(at - 1) in {"{", ","} and script.word(at + 1) in {",", "}", ":", "=", "as"}:
        # `const { name } = require(...)` and `import { name as other }` take it from an object.
        attributes.add(word)


def _is_plain(script: Script, at: int) -> bool:
    return script.word(at) in _PLAIN_ROOTS and script.word(at - 1) not in {".", "?."}


def _is_key(script: Script, at: int) -> bool:
    return script.word(at - 1) in {"{", ","} and script.word(at + 1) in {":", ",", "}", "("}


def _is_expected(script: Script, at: int) -> bool:
    """Whether this key is in an argument of an assertion."""
    for before in range(at - 1, max(-1, at - 400), -1):
        if script.word(before) != "(" or script.partners[before] < at:
            continue
        owner = before - 3
        if script.word(before - 2) != ".":
            return False
        if script.word(owner) == ")":
            owner = script.partners[owner] - 1
        return script.word(owner) in {"assert", "expect"} and before - owner > 1
    return False


def _module(script: Script, at: int, text: str, path: str) -> Iterator[str]:
    before = script.word(at - 1)
    is_loaded = before in {"from", "import"} or (
        before == "(" and script.word(at - 2) in _LOADERS | {"resolve", "URL"}
    )
    if is_loaded and (text.startswith((".", "@/", "~/", "#", "/")) or "/" in text):
        yield without_ending(resolved(path, text)).lstrip("@~#/")


def _code_words(text: str) -> frozenset[str]:
    """Words of code in a string that is passed to `node -e`."""
    is_code = len(text) < 20_000 and _CODE.search(text) is not None
    return words_of(text) if is_code else frozenset()
