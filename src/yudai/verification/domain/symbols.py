"""Finds a patch's new definitions, those that a test uses, and the tree with only these."""

import re
from collections.abc import Collection, Iterable, Iterator

from yudai.kit.syntax import UnreadableError
from yudai.patches.test_paths import is_test_path
from yudai.verification.domain.edits.script_test_edits import SCRIPTS
from yudai.verification.domain.sources.issue_text import names_word, read_issue
from yudai.verification.domain.sources.names import (
    MOST_CHARACTERS,
    Definition,
    Symbol,
    SymbolKind,
    Texts,
    Uses,
    argument,
    is_used,
    place_of,
    stem_of,
    words,
    words_of,
)
from yudai.verification.domain.sources.python.operations import OPERATIONS
from yudai.verification.domain.sources.python_definitions import python_definitions
from yudai.verification.domain.sources.python_kept import kept_python
from yudai.verification.domain.sources.python_uses import python_uses
from yudai.verification.domain.sources.script_kept import kept_script
from yudai.verification.domain.sources.script_uses import script_uses
from yudai.verification.domain.sources.scripts.additions import all_definitions
from yudai.verification.domain.sources.scripts.arguments import calls_with

__all__ = [
    "Symbol",
    "SymbolKind",
    "Texts",
    "introduced",
    "kept_texts",
    "named_by",
    "said_in",
    "used",
]

_OTHER_DEFINITION = re.compile(
    r"""^[ \t]*(?:(?:pub|export|public|private|protected|internal|static|final|abstract|async
        |default|open|override|inline|unsafe|extern|sealed|data|pub\(crate\))[ \t]+)*
        (func|fn|fun|def|class|type|const|var|let|val|struct|enum|trait|interface|module|mod)[ \t]+
        (?:\([^()\n]*\)[ \t]*)?(?:mut[ \t]+|self\.)?([A-Za-z_]\w*)""",
    re.VERBOSE | re.MULTILINE,
)
_NO_CODE = re.compile(
    r".*\.(md|rst|txt|json5?|ya?ml|toml|cfg|ini|csv|tsv|html?|s?css|less|lock|xml|svg|sql|po|env)"
    r"|(.*/)?[A-Z]+"
)
_TOP = frozenset({SymbolKind.FUNCTION, SymbolKind.CLASS, SymbolKind.VALUE})
_OTHER_KINDS = {"func", "fn", "fun", "def"}
_OTHER_VALUES = {"const", "var", "let", "val"}
_LOCALS = {"var", "let", "val"}
"""Inside a function these declare local names, which no test can call."""
_COMMON = frozenset(
    name for kind in (str, bytes, list, dict, set, tuple, int, float) for name in dir(kind)
) | words("""length map filter forEach push slice then catch test exec name size has""")


def introduced(before: Texts, after: Texts) -> tuple[Symbol, ...]:
    """The definitions that a patch adds to the source files it changes."""
    found: dict[Symbol, None] = {}
    kept = kept_texts(before, after)
    for path, text in after.items():
        if text is None or is_test_path(path):
            continue
        base = before.get(path)
        if base is None:
            found[Symbol(SymbolKind.MODULE, stem_of(path), path, top_level=True)] = None
        found.update(dict.fromkeys(_new_in(path, base or "", text, kept.get(path))))
    return tuple(found)


def used(
    symbols: Iterable[Symbol],
    *,
    path: str,
    text: str,
    test: str,
    files: Texts | None = None,
    loads: bool = True,
) -> tuple[Symbol, ...]:
    """The symbols that one test uses; with `loads`, also those that its file needs to load."""
    asked = tuple(symbols)
    if not asked:
        return ()
    try:
        uses = _uses(path, text, test, files or {}, loads=loads)
    except (UnreadableError, RecursionError, MemoryError):
        uses = None
    if uses is None:
        words = words_of("\n".join([text, *(t for t in (files or {}).values() if t)]))
        return tuple(symbol for symbol in asked if words_of(symbol.name) <= words)
    found = tuple(symbol for symbol in asked if is_used(symbol, uses))
    return tuple(symbol for symbol in found if not _is_said_better(symbol, found))


def said_in(symbols: Iterable[Symbol], texts: Iterable[str]) -> tuple[Symbol, ...]:
    """The symbols that test files of any language mention but do not define."""
    whole = "\n".join(texts)
    said = words_of(whole) - {definition.name for definition in _by_lines(whole)}
    return tuple(
        symbol
        for symbol in symbols
        if (_is_file_in(symbol, whole) if _is_module(symbol) else words_of(symbol.name) <= said)
    )


def _is_module(symbol: Symbol) -> bool:
    return symbol.kind is SymbolKind.MODULE


def _is_file_in(symbol: Symbol, text: str) -> bool:
    name = re.escape(symbol.path.rpartition("/")[2])
    return re.search(rf"(?<![\w.-]){name}(?![\w-])|\b{re.escape(symbol.name)}::", text) is not None


def _is_said_better(symbol: Symbol, found: Iterable[Symbol]) -> bool:
    """Whether this is a positional argument while a named one of the same file is used."""
    return place_of(symbol.name) is not None and any(
        other.kind is SymbolKind.PARAMETER
        and other.path == symbol.path
        and place_of(other.name) is None
        for other in found
    )


def kept_texts(
    before: Texts, after: Texts, without: Collection[str] = frozenset()
) -> dict[str, str]:
    """Texts to write over base that add the new definitions and change nothing else.

    `without`: names of definitions to leave out.
    """
    kept: dict[str, str] = {}
    for path, text in after.items():
        base = before.get(path)
        if text is None or base == text or is_test_path(path):
            continue
        if base is None:
            kept[path] = text
        elif (grown := _grown(path, base, text, without)) is not None and grown != base:
            kept[path] = grown
    return kept


def named_by(issue: str, symbol: Symbol) -> bool:
    """Whether the issue names the symbol, as code or in words that can only mean it."""
    is_shared = symbol.owner and symbol.kind is not SymbolKind.PARAMETER
    if is_shared and symbol.owner not in read_issue(issue).words:
        # Base has other definitions of that name.
        return False
    if symbol.kind is SymbolKind.MODULE:
        return any(names_word(issue, name) for name in _names_of_module(symbol))
    if symbol.kind is SymbolKind.PARAMETER:
        return _names_parameter(issue, symbol)
    whole = read_issue(issue).whole
    if symbol.kind is SymbolKind.OPTION and symbol.name.startswith("-"):
        return re.search(rf"(?<![\w-]){re.escape(symbol.name)}(?![\w-])", whole) is not None
    is_called = symbol.name in OPERATIONS and f"{symbol.name.strip('_')}(" in whole
    return is_called or names_word(issue, symbol.name)


def _names_parameter(issue: str, symbol: Symbol) -> bool:
    whole = read_issue(issue).whole
    if (number := place_of(symbol.name)) is not None:
        return calls_with(whole, symbol.owner, number)
    callee, place = symbol.place
    if place.startswith("#") and calls_with(whole, callee, int(place[1:])):
        return True
    dashed = "--" + symbol.name.strip("_").replace("_", "-")
    return names_word(issue, symbol.name) or ("_" in symbol.name and names_word(issue, dashed))


def _names_of_module(symbol: Symbol) -> Iterator[str]:
    yield symbol.name
    yield symbol.path
    yield symbol.path.rpartition("/")[2]
    parts = symbol.path.partition(".")[0].removesuffix("/__init__").split("/")
    for first in range(len(parts) - 1):
        yield ".".join(parts[first:])
        yield "/".join(parts[first:])


def _new_in(path: str, base: str, text: str, kept: str | None) -> Iterator[Symbol]:
    known = _definitions(path, base)
    before = {definition[:3] for definition in known}
    names = {d.name for d in known}
    defined = {(d.kind in _TOP, d.name) for d in known if not d.owner}
    stays = {_key(definition) for definition in _definitions(path, kept or "")}
    seen: set[tuple[object, str, str]] = set()
    for definition in _definitions(path, text):
        kind, name, owner, _ = definition
        is_old = definition[:3] in before or (not owner and (kind in _TOP, name) in defined)
        is_old |= kind is SymbolKind.ATTRIBUTE and not owner and name in names
        is_placed = kind is SymbolKind.PARAMETER and place_of(name) is not None
        # A positional argument is new only if base has the function with fewer arguments.
        is_old |= is_placed and (kind, argument(0), owner) not in before
        if is_old or _key(definition) in seen:
            continue
        seen.add(_key(definition))
        # A name that a module imports counts together with the module.
        is_shared = (
            owner == stem_of(path)
            or name in names
            or name in _COMMON
            or is_placed
            or name in OPERATIONS
        )
        yield Symbol(
            kind,
            name,
            path,
            top_level=_key(definition) in stays,
            owner=owner if is_shared else "",
            place=_place(definition, known),
            short=_beginnings(name, names) if kind is SymbolKind.OPTION else frozenset(),
        )


def _place(definition: Definition, known: Iterable[Definition]) -> tuple[str, str]:
    """The function and the position of an argument that base's function does not take."""
    if not any(d.name == definition.owner for d in known):
        return ("", "")
    taken = {d.place for d in known if d.place and d.owner == definition.owner}
    at = definition.place.replace("*#", "#")
    takes_all = at.startswith("#") and any(place.startswith("*#") for place in taken)
    return (definition.owner, at) if at and at not in taken and not takes_all else ("", "")


def _beginnings(name: str, known: Collection[str]) -> frozenset[str]:
    """The abbreviations that argparse accepts for an option, without base's own options."""
    if not name.startswith("--"):
        return frozenset()
    shorter = (name[:length] for length in range(3, len(name)))
    return frozenset(text for text in shorter if text not in known)


def _key(definition: Definition) -> tuple[object, str, str]:
    """The identity of a definition: a top-level name is the same, exported or not."""
    return (definition.kind in _TOP or definition.kind, definition.name, definition.owner)


def _definitions(path: str, text: str) -> tuple[Definition, ...]:
    if not text or _NO_CODE.fullmatch(path):
        return ()
    try:
        if path.endswith((".py", ".pyi", ".pyx")):
            return python_definitions(text, path)
        if SCRIPTS.fullmatch(path):
            return all_definitions(text)
    except (UnreadableError, RecursionError, MemoryError):
        pass
    return tuple(dict.fromkeys(_by_lines(text)))


def _by_lines(text: str) -> Iterator[Definition]:
    for found in _OTHER_DEFINITION.finditer(text[:MOST_CHARACTERS]):
        word, name = found.groups()
        if word in _OTHER_KINDS:
            yield Definition(SymbolKind.FUNCTION, name)
        elif word not in _LOCALS or not found[0][:1].isspace():
            kind = SymbolKind.VALUE if word in _OTHER_VALUES else SymbolKind.CLASS
            yield Definition(kind, name)


def _uses(path: str, text: str, test: str, files: Texts, *, loads: bool) -> Uses | None:
    if path.endswith(".py"):
        return python_uses(path, text, test, files, loads=loads)
    if SCRIPTS.fullmatch(path):
        return script_uses(path, text, test, files, loads=loads)
    return None


def _grown(path: str, base: str, text: str, without: Collection[str]) -> str | None:
    """Base's file with the new top-level definitions; None if they cannot be added safely."""
    try:
        if path.endswith(".py"):
            return kept_python(base, text, path, without)
        if SCRIPTS.fullmatch(path):
            return kept_script(base, text, without)
    except (UnreadableError, RecursionError, MemoryError):
        pass
    return None
