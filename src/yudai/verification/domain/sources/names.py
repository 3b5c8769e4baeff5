"""The names that a patch introduces and a test uses, and whether they match."""

import re
from collections.abc import Iterable, Iterator, Mapping
from enum import StrEnum
from typing import NamedTuple

Texts = Mapping[str, str | None]
"""Files by path; None if there is no such file on that side."""

MOST_CHARACTERS = 1_000_000
"""Longer files are not read."""

OPTION = re.compile(r"--?[A-Za-z][\w-]*")
_WORD = re.compile(r"[\w$]+")
_DOTTED = re.compile(r"[\w$]+(?:[.:#][\w$]+)+")
_OPTION_START = re.compile(r"(?<![\w-])--?[A-Za-z][\w-]*")
_WILD = frozenset({"*", "__getattr__"})
"""These can provide any name."""
_STEM_OF_FOLDER = frozenset({"__init__", "index", "mod", "__main__"})


class SymbolKind(StrEnum):
    FUNCTION = "function"
    CLASS = "class"
    VALUE = "value"
    ATTRIBUTE = "attribute"
    PARAMETER = "parameter"
    OPTION = "option"
    MODULE = "module"


class Symbol(NamedTuple):
    """Something new that code can call, pass or load after a patch."""

    kind: SymbolKind
    name: str
    path: str
    top_level: bool
    """Whether the kept tree has it: it is in a new file, or a new top-level definition."""
    owner: str = ""
    """Set if base has other definitions of that name: it counts only together with this owner."""
    place: tuple[str, str] = ("", "")
    """A call without its name: the callee and a position such as `#2`, or `**`."""
    short: frozenset[str] = frozenset()
    """Abbreviations of an option."""


class Definition(NamedTuple):
    kind: SymbolKind
    name: str
    owner: str = ""
    """The class of an attribute, the function of a parameter."""
    place: str = ""
    """A parameter's position: `#2` is the second, `*#2` all from there, `**` all keywords."""


class Uses(NamedTuple):
    """The names that a piece of code mentions, by the kind of mention."""

    names: frozenset[str] = frozenset()
    attributes: frozenset[str] = frozenset()
    keywords: frozenset[tuple[str, str]] = frozenset()
    """Each callee with a keyword; the callee is "" if it is not known."""
    strings: frozenset[str] = frozenset()
    modules: frozenset[str] = frozenset()
    """Imported modules: dotted names, or paths without suffix."""
    mentions: frozenset[str] = frozenset()
    """All words of the code."""
    anything: bool = False
    """Whether it looks up names that cannot be read here."""


def argument(number: int) -> str:
    """The name for a positional argument."""
    return f"argument {number}"


def place_of(name: str) -> int | None:
    word, _, number = name.partition(" ")
    return int(number) if word == "argument" and number.isdecimal() else None


def words(text: str) -> frozenset[str]:
    """A table of words, written as a line."""
    return frozenset(text.split())


def merged(parts: Iterable[Uses]) -> Uses:
    every = list(parts)
    sets = (frozenset[object]().union(*(part[at] for part in every)) for at in range(6))  # pyright: ignore[reportArgumentType] - the first six fields are sets
    return Uses(*sets, anything=any(part.anything for part in every))  # pyright: ignore[reportArgumentType] - of the fields' own types


def is_used(symbol: Symbol, uses: Uses) -> bool:
    if uses.anything or symbol.kind is SymbolKind.MODULE:
        return uses.anything or _is_loaded(symbol, uses)
    if symbol.name in _WILD and symbol.kind is not SymbolKind.ATTRIBUTE:
        return stem_of(symbol.path) in uses.mentions
    if symbol.name in uses.strings or _as_word(symbol.name) in uses.strings:
        return not symbol.owner or symbol.owner in uses.mentions
    if symbol.kind is SymbolKind.PARAMETER:
        return _is_passed(symbol, uses)
    if symbol.kind is SymbolKind.ATTRIBUTE:
        return symbol.name in uses.attributes and (
            not symbol.owner or symbol.owner in uses.mentions
        )
    said = uses.names | uses.attributes | {name for _, name in uses.keywords}
    return symbol.name in said or not symbol.short.isdisjoint(uses.strings)


def _is_passed(symbol: Symbol, uses: Uses) -> bool:
    return symbol.place in uses.keywords or any(
        name == symbol.name and (not symbol.owner or callee in {"", symbol.owner})
        for callee, name in uses.keywords
    )


def spellings(text: str) -> Iterator[str]:
    """The names in a string: itself, parts of a dotted name or a path, its options."""
    yield text
    if len(text) <= 300:
        yield _as_word(text)
        if _DOTTED.fullmatch(text):
            yield from _WORD.findall(text)
    if "-" in text:
        for option in _OPTION_START.findall(text[:20_000]):
            yield option
            yield _as_word(option)
            # `-n3` is the option `-n` with a value.
            yield option if option.startswith("--") else option[:2]


def options_in(text: str) -> Iterator[str]:
    """`-f, --foo/--no-foo <x>`: -f, --foo and --no-foo."""
    if not text.lstrip().startswith("-"):
        return
    for part in re.split(r"[\s,/|=<\[(]", text[:1000]):
        if OPTION.fullmatch(part):
            yield part


def stem_of(path: str) -> str:
    """The name under which a file is imported."""
    *folders, name = path.split("/")
    stem = name.partition(".")[0] or name
    return folders[-1] if stem in _STEM_OF_FOLDER and folders else stem


def words_of(text: str) -> frozenset[str]:
    return frozenset(_WORD.findall(text))


def _as_word(text: str) -> str:
    """`--dry-run` is the parameter `dry_run`, `list-users` the function `list_users`."""
    return text.lstrip("-").replace("-", "_")


def _is_loaded(symbol: Symbol, uses: Uses) -> bool:
    parts = _module_parts(symbol.path)
    if any(_is_tail(re.split(r"[./]", module), parts) for module in uses.modules):
        return True
    name = symbol.path.rpartition("/")[2]
    return any(
        text in {symbol.name, symbol.path, name}
        or text.endswith(f"/{name}")
        or (text.count(".") and _is_tail(text.split("."), parts))
        for text in uses.strings
    )


def _module_parts(path: str) -> list[str]:
    *folders, name = path.split("/")
    stem = name.partition(".")[0] or name
    return folders if stem in _STEM_OF_FOLDER and folders else [*folders, stem]


def _is_tail(module: list[str], parts: list[str]) -> bool:
    """Whether one path is the end of the other."""
    clean = [part for part in module if part not in {"", ".", ".."}]
    most = min(len(clean), len(parts))
    return most > 0 and clean[-most:] == parts[-most:]
