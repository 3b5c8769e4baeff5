"""Builds base's version of a script plus a patch's new top-level declarations and exports."""

from collections.abc import Collection, Iterator

from yudai.kit.syntax import UnreadableError
from yudai.verification.domain.sources.script_definitions import Bound, bound
from yudai.verification.domain.sources.script_tokens import (
    Script,
    Statement,
    TokenKind,
    read_script,
    statements,
)

_DECLARED = frozenset({"function", "class", "value", "type"})


def kept_script(base: str, text: str, without: Collection[str] = frozenset()) -> str | None:
    """The text; None if it would not be readable. Names in `without` are not added."""
    old, new = read_script(base), read_script(text)
    known = {name for _, found in _all(old) for name in found.names}.union(without)
    exported = {name for _, found in _all(old) if found.is_export for name in found.names}
    exported.update(without)
    added = [*_declarations(new, known), *_exports(new, exported, known)]
    if not added:
        return base
    needed = list(_imports(new, known, _words(new, added)))
    kept = base.rstrip("\n") + "\n\n" + "\n\n".join(f"{part};" for part in [*needed, *added]) + "\n"
    try:
        read_script(kept)
    except UnreadableError:
        return None
    return kept


def _all(script: Script) -> Iterator[tuple[Statement, Bound]]:
    for part in statements(script, 0, len(script.tokens)):
        yield part, bound(script, part)


def _declarations(script: Script, known: set[str]) -> Iterator[str]:
    for part, found in _all(script):
        if found.form in _DECLARED and found.names and known.isdisjoint(found.names):
            yield script.source(part)


def _exports(script: Script, exported: set[str], known: set[str]) -> Iterator[str]:
    """Named exports of new definitions; base's other exports stay unchanged."""
    for part, found in _all(script):
        fresh = [name for name in found.names if name not in exported]
        if not fresh:
            continue
        if found.form == "names":
            yield f"export {{ {', '.join(_listed(script, part, fresh))} }}"
        elif found.form == "from" and known.isdisjoint(fresh):
            source = f"{{ {', '.join(_listed(script, part, fresh))} }} from {found.module!r}"
            yield f"export {source}"
        elif found.form == "member":
            yield script.source(part)
        elif found.form == "object":
            yield from _members(script, part, fresh)


def _listed(script: Script, part: Statement, names: list[str]) -> Iterator[str]:
    for at in range(part.start, part.end):
        if script.word(at) in names and script.word(at + 1) in {",", "}"}:
            before = script.tokens[at - 2].text if script.word(at - 1) == "as" else ""
            yield f"{before} as {script.word(at)}" if before else script.word(at)


def _members(script: Script, part: Statement, names: list[str]) -> Iterator[str]:
    """New names of `module.exports = { a, b: c }`, each as a separate export."""
    at = next(at for at in range(part.start, part.end) if script.word(at) == "{")
    for inner in script.level(at + 1, script.partners[at]):
        name = script.tokens[inner].text
        if name not in names or script.word(inner - 1) not in {"{", ","}:
            continue
        if script.word(inner + 1) in {",", "}"}:
            yield f"module.exports.{name} = {name}"
        elif script.word(inner + 1) == ":":
            end = next(
                (i for i in script.level(inner + 2, script.partners[at]) if script.word(i) == ","),
                script.partners[at],
            )
            yield f"module.exports[{name!r}] = {script.source(Statement(inner + 2, end))}"


def _imports(script: Script, known: set[str], wanted: set[str]) -> Iterator[str]:
    for part, found in _all(script):
        fresh = [name for name in found.names if name in wanted and name not in known]
        if found.form != "import" or not fresh:
            continue
        if known.isdisjoint(found.names):
            yield script.source(part)
            continue
        names = ", ".join(fresh)
        if not set(fresh) <= set(_plainly_listed(script, part)):
            raise UnreadableError
        if script.word(part.start) == "import":
            yield f"import {{ {names} }} from {found.module!r}"
        else:
            yield f"const {{ {names} }} = require({found.module!r})"


def _plainly_listed(script: Script, part: Statement) -> Iterator[str]:
    """Names in the braces of an import that are not renamed."""
    at = next((at for at in range(part.start, part.end) if script.word(at) == "{"), None)
    for inner in script.level(at + 1, script.partners[at]) if at is not None else ():
        if script.word(inner - 1) in {"{", ","} and script.word(inner + 1) in {",", "}"}:
            yield script.word(inner)


def _words(script: Script, added: list[str]) -> set[str]:
    every = {token.text for token in script.tokens if token.kind is TokenKind.NAME}
    return {
        token.text
        for source in added
        for token in read_script(source).tokens
        if token.kind is TokenKind.NAME and token.text in every
    }
