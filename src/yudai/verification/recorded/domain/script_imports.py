"""Reads a script's imports: its runner and assertion modules, and the rest as loading calls."""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from yudai.verification.domain.sources.script_definitions import bound
from yudai.verification.domain.sources.script_tokens import Script, Statement

_ASSERTS = frozenset({"assert", "assert/strict", "node:assert", "node:assert/strict"})
_RUNNERS = frozenset({"node:test", "test"})
_CALLED = ("require", "(")


class Imports(NamedTuple):
    lines: tuple[str, ...]
    others: tuple[Statement, ...]
    """Statements that are not imports."""
    asserts: frozenset[str]
    """Names of assertion modules."""
    functions: Mapping[str, str]
    """Methods of assertion modules, by their local names."""
    tools: frozenset[str]
    """All names from the runner or from assertion modules."""


class _Names(NamedTuple):
    default: str
    """The name for the default export, or for the result of `require`."""
    whole: str
    named: tuple[tuple[str, str], ...]
    """Exports with their local names."""


def read_imports(script: Script, header: Sequence[Statement]) -> Imports:
    lines: list[str] = []
    others: list[Statement] = []
    asserts: set[str] = set()
    functions: dict[str, str] = {}
    tools: set[str] = set()
    for part in header:
        module = bound(script, part).module
        if not module and script.word(part.start) == "import":
            module = script.string(part.end - 1) or ""
        if not module:
            others.append(part)
            continue
        names = _names(script, part)
        here = {names.default, names.whole, *(name for _, name in names.named)} - {""}
        if module in _RUNNERS | _ASSERTS:
            tools |= here
        if module in _ASSERTS:
            asserts |= {names.default, names.whole} - {""}
            asserts |= {name for export, name in names.named if export in {"strict", "default"}}
            functions |= {name: export for export, name in names.named}
        elif module not in _RUNNERS:
            is_import = script.word(part.start) == "import"
            lines.append(_loading(names, module) if is_import else f"{script.source(part)};")
    return Imports(tuple(lines), tuple(others), frozenset(asserts), functions, frozenset(tools))


def _loading(names: _Names, module: str) -> str:
    load = f"await load({json.dumps(module)})"
    whole = f"const {names.whole} = {load};" if names.whole else ""
    pairs = [("default", names.default)] if names.default else []
    pairs += names.named
    inner = ", ".join(f"{json.dumps(export)}: {name}" for export, name in pairs)
    some = f"const {{ {inner} }} = {load};" if pairs else ""
    return " ".join(filter(None, [some, whole])) or f"{load};"


def _names(script: Script, part: Statement) -> _Names:
    """`import a, { b as c }`, `import * as d`, `const e = require`, `const { f: g } = require`."""
    default = whole = ""
    named: list[tuple[str, str]] = []
    at = part.start + 1
    while at < part.end and script.word(at) not in {"from", "="}:
        if script.word(at) == "{":
            named += _inside(script, at)
            at = script.partners[at]
        elif script.word(at) == "*":
            whole = script.word(at + 2)
            at += 2
        elif script.is_name(at):
            default = script.word(at)
        at += 1
    return _Names(default, whole, tuple(named))


def _inside(script: Script, opener: int) -> Iterator[tuple[str, str]]:
    at, end = opener + 1, script.partners[opener]
    while at < end:
        export = script.word(at) or (script.string(at) or "")
        name = export
        if script.word(at + 1) in {"as", ":"}:
            at += 2
            name = script.word(at)
        yield export, name
        at += 2
