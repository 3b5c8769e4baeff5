"""Finds all definitions of a script: declarations, and additions to existing objects."""

from collections.abc import Iterator
from functools import lru_cache

from yudai.verification.domain.edits.python_test_tree import UnreadableError
from yudai.verification.domain.edits.script_test_edits import SCRIPTS
from yudai.verification.domain.sources.names import (
    Definition,
    SymbolKind,
    Texts,
    argument,
    words,
)
from yudai.verification.domain.sources.script_assertions import arguments
from yudai.verification.domain.sources.script_definitions import (
    bound,
    keys_of,
    pattern_keys,
    script_definitions,
)
from yudai.verification.domain.sources.script_tokens import (
    Script,
    Statement,
    read_script,
    statements,
)
from yudai.verification.domain.sources.scripts.arguments import argument_definitions
from yudai.verification.domain.sources.scripts.product import chain_end

_GLOBALS = frozenset({"globalThis", "global"})
_EXPORTS = frozenset({"module", "exports"})
_ADDS = words("assign defineProperty defineProperties")
_MEMBER = frozenset({".", "?."})
_BEFORE_OBJECT = words("= ( , default ?")


@lru_cache(maxsize=128)
def all_definitions(text: str) -> tuple[Definition, ...]:
    script = read_script(text)
    parts = statements(script, 0, len(script.tokens))
    tops = {name for part in parts for name in bound(script, part).names} | _EXPORTS | _GLOBALS
    found = dict.fromkeys(script_definitions(text))
    for part in parts:
        found.update(dict.fromkeys(_exported(script, part)))
    for at in range(len(script.tokens)):
        found.update(dict.fromkeys(argument_definitions(script, at)))
        found.update(dict.fromkeys(_of_token(script, at, tops)))
    return tuple(found)


def functions_of(sources: Texts) -> frozenset[str]:
    """Functions and classes of the scripts among these files."""
    return frozenset(
        name for path, text in sources.items() if text for name in _functions(path, text)
    )


def _functions(path: str, text: str) -> Iterator[str]:
    if not SCRIPTS.fullmatch(path):
        return
    try:
        found = all_definitions(text)
    except (UnreadableError, RecursionError, MemoryError):
        return
    for one in found:
        if one.kind is SymbolKind.CLASS:
            yield one.name
        elif one.name == argument(0):
            yield one.owner


def _exported(script: Script, part: Statement) -> Iterator[Definition]:
    """Keys of unnamed objects that a module exports."""
    if bound(script, part).form != "default":
        return
    for at in range(part.start, part.end):
        if script.word(at) == "{" and script.word(at - 1) in _BEFORE_OBJECT:
            yield from (Definition(SymbolKind.VALUE, key) for key in keys_of(script, at))


def _of_token(script: Script, at: int, tops: set[str]) -> Iterator[Definition]:
    word = script.word(at)
    if word == "{" or (word == "env" and script.word(at - 2) == "process"):
        yield from _environment(script, at)
    elif script.word(at + 1) == "(":
        yield from _of_call(script, at)
    elif script.word(at - 1) not in _MEMBER and word in tops:
        yield from _set(script, at)


def _of_call(script: Script, at: int) -> Iterator[Definition]:
    word = script.word(at)
    if word in _ADDS and script.word(at - 1) == ".":
        yield from _added(script, at)
    elif word == "__defineGetter__" and (name := script.string(at + 2)):
        yield Definition(SymbolKind.ATTRIBUTE, name)
    elif word == "parseArgs":
        yield from _parsed_options(script, at + 1)


def _set(script: Script, at: int) -> Iterator[Definition]:
    """`name.key = ...`, however deep: an attribute of something at the top of the file."""
    end, key = chain_end(script, at), ""
    if end > at + 1:
        key = script.word(end - 1)
    if script.word(end) == "[":
        key, end = _key_in(script, end), script.partners[end] + 1
    word = script.word(at)
    is_set = script.word(end) == "=" and key != "exports"
    if key and word in _GLOBALS:
        yield Definition(SymbolKind.OPTION, key)
    elif key and is_set and word in _EXPORTS:
        yield Definition(SymbolKind.VALUE, key)
    elif key and is_set:
        yield Definition(SymbolKind.ATTRIBUTE, key, word)


def _key_in(script: Script, at: int) -> str:
    """`['key']`, `[Symbol.for('key')]` and `[Symbol.iterator]`."""
    inner = range(at + 1, script.partners[at])
    texts = [text for i in inner if (text := script.string(i)) is not None]
    if texts:
        return texts[0]
    is_symbol = script.word(at + 1) == "Symbol" and script.word(at + 2) == "."
    return script.word(at + 3) if is_symbol else ""


def _added(script: Script, at: int) -> Iterator[Definition]:
    """`Object.assign(name, {...})` and `Object.defineProperty(name, 'key', ...)`."""
    given = arguments(script, at + 1)
    if len(given) < 2 or not script.is_name(given[0].start):
        return
    owner = script.word(given[0].start)
    owner = "" if owner in _EXPORTS else owner
    if (key := script.string(given[1].start)) is not None:
        yield Definition(SymbolKind.ATTRIBUTE, key, owner)
    for part in given[1:] if script.word(at) != "defineProperty" else ():
        if script.word(part.start) == "{":
            for key in keys_of(script, part.start):
                yield Definition(SymbolKind.ATTRIBUTE, key, owner)


def _parsed_options(script: Script, at: int) -> Iterator[Definition]:
    """The keys of `parseArgs({ options: {...} })`."""
    for inner in range(at, script.partners[at]):
        is_options = script.word(inner) == "options" and script.word(inner + 1) == ":"
        if is_options and script.word(inner + 2) == "{":
            for key in keys_of(script, inner + 2):
                yield Definition(SymbolKind.OPTION, f"--{key}")


def _environment(script: Script, at: int) -> Iterator[Definition]:
    """`process.env.NAME`, `process.env['NAME']` and `const { NAME } = process.env`."""
    if script.word(at) == "env":
        name = script.word(at + 2) if script.is_name(at + 2) else script.string(at + 2)
        if script.word(at + 1) in _MEMBER | {"["} and name:
            yield Definition(SymbolKind.OPTION, name)
        return
    close = script.partners[at]
    if [script.word(close + i) for i in (1, 2, 3, 4)] == ["=", "process", ".", "env"]:
        yield from (Definition(SymbolKind.OPTION, key) for key in pattern_keys(script, at))
