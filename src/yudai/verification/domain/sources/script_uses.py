"""What one test of a script mentions, in itself and in what it needs to be loaded and run."""

import re
from collections.abc import Iterator, Mapping

from yudai.verification.domain.sources.names import Texts, Uses, merged, spellings, words, words_of
from yudai.verification.domain.sources.script_closure import (
    Piece,
    ScriptTest,
    resolved,
    script_test,
    without_ending,
)
from yudai.verification.domain.sources.script_definitions import bound, pattern_names
from yudai.verification.domain.sources.script_tokens import (
    Script,
    TokenKind,
    statements,
)

_VALUES = frozenset({"const", "let", "var"})
_PLAIN_ROOTS = words(
    """JSON Math Number String Array console process path fs assert expect jest vi sinon os"""
)
_LOADERS = words("require import mock doMock unmock requireActual importActual")
_CODE = re.compile(r"\b(?:import|require)\b|\w\(")


def script_uses(path: str, text: str, test: str, files: Texts) -> Uses:
    found = script_test(path, text, test, files)
    pieces = (found.own, *found.helpers, *found.loaded)
    local = _local_names(found.script) - found.imports.keys()
    once = {(piece.path, piece.part): piece for piece in pieces}
    return merged(_uses(piece, local, found) for piece in once.values())


def _local_names(script: Script) -> set[str]:
    """What the file binds itself, however deep."""
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


def _uses(piece: Piece, local: set[str], test: ScriptTest) -> Uses:
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
        if (text := script.string(at)) is not None:
            strings.update(spellings(text))
            strings.update(_code_words(text))
            modules.update(_module(script, at, piece.path))
        elif script.is_name(at):
            _add_name(script, at, names, attributes)
            anything = anything or _lists(script, at, test.imports)
            if _is_key(script, at):
                keywords.add(("", script.word(at)))
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


def _lists(script: Script, at: int, imports: Mapping[str, str]) -> bool:
    """It goes over an object's names, or takes one that is not written here."""
    word = script.word(at)
    if word in {"Object", "Reflect"} and script.word(at + 1) == ".":
        return word == "Reflect" or script.word(at + 2) == "getOwnPropertyNames"
    if word in imports and script.word(at + 1) == "[":
        is_plain = script.string(at + 2) is not None and script.word(at + 3) == "]"
        is_type = script.word(at + 2) == "]"
        return not (is_plain or is_type) and script.tokens[at + 2].kind is not TokenKind.NUMBER
    if word in {"eval", "Function"} and script.word(at + 1) == "(":
        return script.string(at + 2) is None
    return (
        word in {"require", "import"}
        and script.word(at + 1) == "("
        and script.is_name(at + 2)
        and script.word(at + 3) == ")"
    )


def _module(script: Script, at: int, path: str) -> Iterator[str]:
    before = script.word(at - 1)
    is_loaded = before in {"from", "import"} or (
        before == "(" and script.word(at - 2) in _LOADERS | {"resolve", "URL"}
    )
    text = script.string(at) or ""
    if is_loaded and (text.startswith((".", "@/", "~/", "#", "/")) or "/" in text):
        yield without_ending(resolved(path, text)).lstrip("@~#/")


def _code_words(text: str) -> frozenset[str]:
    """A string may be a program: what is given to `node -e`."""
    is_code = len(text) < 20_000 and _CODE.search(text) is not None
    return words_of(text) if is_code else frozenset()
