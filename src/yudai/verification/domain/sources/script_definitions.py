"""Finds the definitions of a script: exports, top-level names, class members, options."""

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from yudai.verification.domain.sources.names import Definition, SymbolKind, options_in, words
from yudai.verification.domain.sources.script_tokens import (
    Script,
    Statement,
    TokenKind,
    read_script,
    statements,
)

_SETTINGS = words("opts options config cfg settings params props argv flags")
_ROUTES = words("get post put patch delete head options all use route")
_TYPES = frozenset({"interface", "type", "enum", "namespace"})
_VALUES = frozenset({"const", "let", "var"})
_PREFIXES = frozenset({"export", "default", "declare", "abstract", "async"})
_MODIFIERS = words(
    """static async get set public private protected readonly override abstract declare
    accessor *"""
)
_NO_FUNCTIONS = words("if for while switch catch with return await")
_BEFORE_BOUND = frozenset({"{", ",", "[", ":", "..."})
_ENVIRONMENT = re.compile(r"[A-Z][A-Z0-9_]+")


class Bound(NamedTuple):
    """The names that a statement binds or exports."""

    names: tuple[str, ...]
    kind: SymbolKind
    form: str
    """function, class, value, type, import, names, from, default, member, object or ""."""
    is_export: bool = False
    module: str = ""


_NOTHING = Bound((), SymbolKind.VALUE, "")


@lru_cache(maxsize=128)
def script_definitions(text: str) -> tuple[Definition, ...]:
    script = read_script(text)
    found: dict[Definition, None] = {}
    for part in statements(script, 0, len(script.tokens)):
        found.update(dict.fromkeys(_of_statement(script, part)))
    inside: list[tuple[int, str]] = []
    for at in range(len(script.tokens)):
        while inside and inside[-1][0] <= at:
            inside.pop()
        if (body := _class_body(script, at)) is not None:
            inside.append((script.partners[body], _name_of_class(script, at)))
            found.update(dict.fromkeys(_members(script, body, inside[-1][1])))
        if script.word(at) == "this" and (name := _assigned_here(script, at)):
            owner = inside[-1][1] if inside else ""
            found[Definition(SymbolKind.ATTRIBUTE, name, owner)] = None
        found.update(dict.fromkeys(_of_token(script, at)))
    return tuple(found)


def bound(script: Script, part: Statement) -> Bound:
    at = part.start
    is_export = script.word(at) == "export"
    while script.word(at) in _PREFIXES and script.word(at + 1) != "=":
        at += 1
    word = script.word(at)
    if word == "import" and script.word(at + 1) not in {"(", "."}:
        return _import(script, Statement(at, part.end))
    if word in {"exports", "module"}:
        return _common_export(script, at, part.end)
    if is_export and word in {"{", "*"} and script.word(at - 1) != "default":
        return _export_list(script, Statement(at, part.end))
    return _declaration(script, Statement(at, part.end), is_export)


def _declaration(script: Script, part: Statement, is_export: bool) -> Bound:  # noqa: FBT001 - two callers
    at, word = part.start, script.word(part.start)
    following = at + 2 if script.word(at + 1) in {"*", "enum"} else at + 1
    name = script.tokens[following].text if script.is_name(following) else ""
    if word == "function":
        return Bound((name or "default",), SymbolKind.FUNCTION, "function", is_export)
    if word == "class":
        return Bound((name or "default",), SymbolKind.CLASS, "class", is_export)
    if word in _TYPES and name and following == at + 1:
        return Bound((name,), SymbolKind.CLASS, "type", is_export)
    if word in _VALUES:
        return _values(script, part, is_export)
    if is_export and script.word(at - 1) == "default":
        return Bound(("default",), SymbolKind.VALUE, "default", is_export=True)
    return _NOTHING


def _values(script: Script, part: Statement, is_export: bool) -> Bound:  # noqa: FBT001 - one caller
    names: list[str] = []
    kind = SymbolKind.VALUE
    is_target = True
    for at in script.level(part.start + 1, part.end):
        word = script.word(at)
        if word == ",":
            is_target = True
        elif word == "=" and is_target:
            is_target = False
            kind = SymbolKind.FUNCTION if is_function(script, at + 1) else kind
        elif is_target and word in {"{", "["}:
            names.extend(pattern_names(script, at))
        elif is_target and script.is_name(at):
            names.append(word)
            is_target = script.word(at + 1) == "="
    module = ""
    for at in range(part.start, part.end - 1):
        if script.word(at) == "require" and script.string(at + 2) is not None:
            module = script.string(at + 2) or ""
    form = "import" if module else "value"
    return Bound(tuple(names), kind, form, is_export, module)


def is_function(script: Script, at: int) -> bool:
    at = at + 1 if script.word(at) == "async" else at
    if script.word(at) == "function" or script.word(at + 1) == "=>":
        return True
    if script.word(at) != "(":
        return False
    return script.word(script.partners[at] + 1) in {"=>", ":"}


def pattern_names(script: Script, at: int) -> Iterator[str]:
    """The names that `{ a, b: c, ...d }` or `[a, b]` binds."""
    for inner in range(at + 1, script.partners[at]):
        ends = script.word(inner + 1) in {",", "}", "]", "="}
        if script.is_name(inner) and ends and script.word(inner - 1) in _BEFORE_BOUND:
            yield script.tokens[inner].text


def pattern_keys(script: Script, at: int) -> Iterator[str]:
    """The keys that `{ a, b: c = 1 }` reads from an object."""
    for inner in script.level(at + 1, script.partners[at]):
        if script.is_name(inner) and script.word(inner - 1) in {"{", ","}:
            yield script.tokens[inner].text


def _import(script: Script, part: Statement) -> Bound:
    names: list[str] = []
    for at in range(part.start + 1, part.end):
        is_bound = script.is_name(at) and script.word(at + 1) != "as"
        if is_bound and script.word(at) not in {"from", "as", "type"}:
            names.append(script.tokens[at].text)
    module = next(filter(None, map(script.string, range(part.start, part.end))), "")
    return Bound(tuple(names), SymbolKind.VALUE, "import", module=module)


def _export_list(script: Script, part: Statement) -> Bound:
    names = [
        script.tokens[at].text
        for at in range(part.start, part.end)
        if script.is_name(at) and script.word(at + 1) in {",", "}"}
    ]
    module = next(filter(None, map(script.string, range(part.start, part.end))), "")
    form = "from" if module else "names"
    return Bound(tuple(names), SymbolKind.VALUE, form, is_export=True, module=module)


def _common_export(script: Script, at: int, end: int) -> Bound:
    """`exports.x = ...`, `module.exports.x = ...` and `module.exports = {...}`."""
    if script.word(at) == "module" and [script.word(at + i) for i in (1, 2)] != [".", "exports"]:
        return _NOTHING
    at += 3 if script.word(at) == "module" else 1
    if script.word(at) == "." and script.is_name(at + 1) and script.word(at + 2) == "=":
        kind = SymbolKind.FUNCTION if is_function(script, at + 3) else SymbolKind.VALUE
        return Bound((script.tokens[at + 1].text,), kind, "member", is_export=True)
    if script.word(at) == "[" and (name := script.string(at + 1)) and script.word(at + 3) == "=":
        return Bound((name,), SymbolKind.VALUE, "member", is_export=True)
    if script.word(at) != "=":
        return _NOTHING
    if script.word(at + 1) == "{" and script.partners[at + 1] == end - 1:
        return Bound(tuple(keys_of(script, at + 1)), SymbolKind.VALUE, "object", is_export=True)
    return Bound(("default",), SymbolKind.VALUE, "default", is_export=True)


def keys_of(script: Script, at: int) -> Iterator[str]:
    for inner in script.level(at + 1, script.partners[at]):
        first = inner - 1
        while script.word(first) in {"async", "get", "set", "*"}:
            first -= 1
        is_key = script.is_name(inner) or script.string(inner) is not None
        ends = script.word(inner + 1) in {":", ",", "}", "("}
        if is_key and ends and script.word(first) in {"{", ","}:
            yield script.tokens[inner].text


def _of_statement(script: Script, part: Statement) -> Iterator[Definition]:
    found = bound(script, part)
    if found.form != "import":
        yield from (Definition(found.kind, name) for name in found.names if name != "default")
    if found.form == "value" and len(found.names) == 1:
        yield from _properties(script, part, found.names[0])
    if found.form == "" and script.is_name(part.start):
        yield from _assigned_member(script, part)


def _properties(script: Script, part: Statement, owner: str) -> Iterator[Definition]:
    """The keys of `const owner = {...}`."""
    for at in script.level(part.start, part.end):
        if script.word(at) == "{" and script.word(at - 1) == "=":
            yield from (Definition(SymbolKind.ATTRIBUTE, k, owner) for k in keys_of(script, at))


def _assigned_member(script: Script, part: Statement) -> Iterator[Definition]:
    """`Name.prototype.x = ...` and `Name.x = ...`."""
    at = part.start + 1
    while script.word(at) == "." and script.is_name(at + 1):
        at += 2
    if at > part.start + 1 and script.word(at) == "=":
        owner = script.tokens[part.start].text
        yield Definition(SymbolKind.ATTRIBUTE, script.tokens[at - 1].text, owner)


def _of_token(script: Script, at: int) -> Iterator[Definition]:
    word = script.word(at)
    if word == "(":
        yield from _parameters(script, at)
    elif word == "{" and script.word(at - 1) in _VALUES:
        yield from _taken(script, at)
    elif word == "{":
        yield from _members_given(script, at)
    elif script.tokens[at].kind in {TokenKind.STRING, TokenKind.TEMPLATE}:
        yield from _options(script, at)
    elif script.word(at + 1) in {".", "?."} and script.is_name(at + 2):
        key = script.word(at + 2)
        if word in _SETTINGS:
            yield Definition(SymbolKind.PARAMETER, key, function_around(script, at))
        elif word == "env" and _ENVIRONMENT.fullmatch(key):
            yield Definition(SymbolKind.OPTION, key)


def _members_given(script: Script, at: int) -> Iterator[Definition]:
    """The keys of `return { ... }`, and the members of an enum."""
    if script.word(at - 1) == "return" or _is_given_back(script, at):
        owner = function_around(script, at)
        yield from (Definition(SymbolKind.ATTRIBUTE, key, owner) for key in keys_of(script, at))
    elif script.word(at - 2) == "enum":
        owner = script.word(at - 1)
        yield from (Definition(SymbolKind.ATTRIBUTE, key, owner) for key in _cases(script, at))


def _is_given_back(script: Script, at: int) -> bool:
    """`=> ({ ... })`."""
    return script.word(at - 1) == "(" and script.word(at - 2) == "=>"


def _cases(script: Script, at: int) -> Iterator[str]:
    """The members of an enum."""
    for inner in script.level(at + 1, script.partners[at]):
        if script.is_name(inner) and script.word(inner - 1) in {"{", ","}:
            yield script.word(inner)


def _taken(script: Script, at: int) -> Iterator[Definition]:
    """`const { key } = options`."""
    close = script.partners[at]
    if script.word(close + 1) == "=" and script.word(close + 2) in _SETTINGS:
        owner = function_around(script, at)
        for key in pattern_keys(script, at):
            yield Definition(SymbolKind.PARAMETER, key, owner)


def _options(script: Script, at: int) -> Iterator[Definition]:
    text = script.tokens[at].text
    for option in options_in(text):
        yield Definition(SymbolKind.OPTION, option)
    if script.word(at - 1) == "(" and script.word(at - 2) == "command" and text.strip():
        yield Definition(SymbolKind.OPTION, text.split()[0])
    is_first = script.word(at - 1) == "(" and script.word(at + 1) == ","
    if is_first and text.startswith("/") and script.word(at - 2) in _ROUTES:
        yield Definition(SymbolKind.OPTION, text)


def _class_body(script: Script, at: int) -> int | None:
    if script.word(at) != "class" or script.word(at - 1) in {".", "?."}:
        return None
    for begin in script.level(at + 1, min(at + 200, len(script.tokens))):
        if script.word(begin) == "{":
            return begin
        if script.word(begin) in {";", ")", "}", ":", "="}:
            return None
    return None


def _name_of_class(script: Script, at: int) -> str:
    name = script.word(at + 1) if script.is_name(at + 1) else ""
    return "" if name == "extends" else name


def _members(script: Script, begin: int, owner: str) -> Iterator[Definition]:
    for inner in script.level(begin + 1, script.partners[begin]):
        if script.is_name(inner) and _is_member(script, inner):
            yield Definition(SymbolKind.ATTRIBUTE, script.tokens[inner].text, owner)


def _assigned_here(script: Script, at: int) -> str:
    """The name in `this.name = ...`."""
    is_assigned = script.word(at + 1) == "." and script.word(at + 3) == "="
    return script.word(at + 2) if is_assigned and script.is_name(at + 2) else ""


def _is_member(script: Script, at: int) -> bool:
    before = script.word(at - 1)
    begins = before in {"{", "}", ";"} | _MODIFIERS or script.tokens[at].is_first
    return begins and script.word(at + 1) in {"(", "=", ";", ":", "?", "!", "}", "<"}


def _parameters(script: Script, at: int) -> Iterator[Definition]:
    """The keys that a function reads from an object argument."""
    close = script.partners[at]
    if script.word(at - 1) in _NO_FUNCTIONS or script.word(close + 1) not in {"{", "=>", ":"}:
        return
    for inner in script.level(at + 1, close):
        if script.word(inner) == "{" and script.word(inner - 1) in {"(", ","}:
            for key in pattern_keys(script, inner):
                yield Definition(SymbolKind.PARAMETER, key, name_of_function(script, at))


def name_of_function(script: Script, at: int) -> str:
    """The name of the function whose parameters begin here."""
    before = at - 1
    if script.is_name(before) and script.word(before) not in {"function", "async"}:
        return script.word(before)
    while script.word(before) in {"function", "async", "=", ":"}:
        before -= 1
    return script.word(before) if script.is_name(before) else ""


def function_around(script: Script, at: int) -> str:
    """The name of the innermost function around this; only earlier tokens are searched."""
    for before in range(at, max(-1, at - 400), -1):
        if script.word(before) != "(" or script.partners[before] > at:
            continue
        close = script.partners[before]
        body = close + 2 if script.word(close + 1) == "=>" else close + 1
        is_around = script.word(body) == "{" and script.partners[body] > at
        if is_around and script.word(before - 1) not in _NO_FUNCTIONS:
            return name_of_function(script, before)
    return ""
