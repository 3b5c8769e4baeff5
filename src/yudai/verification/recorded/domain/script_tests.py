"""Takes tests of node:test apart into assertions, each with the statements before it."""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from yudai.kit.syntax import UnreadableError
from yudai.verification.domain.expected.literals import Literal, literal_of
from yudai.verification.domain.sources.names import words
from yudai.verification.domain.sources.script_closure import ScriptTest, script_test
from yudai.verification.domain.sources.script_tokens import (
    Script,
    Statement,
    TokenKind,
    statements,
)
from yudai.verification.recorded.domain.probe import (
    OPEN,
    Expected,
    Language,
    Probe,
    Relation,
    TakenApart,
)
from yudai.verification.recorded.domain.script_imports import Imports, read_imports

_MOST_PROBES = 20
_RELATIONS: Mapping[str, Relation] = {
    **dict.fromkeys(("equal", "strictEqual", "deepEqual", "deepStrictEqual"), Relation.EQUAL),
    **dict.fromkeys(("notEqual", "notStrictEqual"), Relation.DIFFERENT),
    **dict.fromkeys(("notDeepEqual", "notDeepStrictEqual"), Relation.DIFFERENT),
    **dict.fromkeys(("ok", ""), Relation.TRUE),
    **dict.fromkeys(("throws", "rejects"), Relation.RAISES),
    "match": Relation.OPEN,
}
_HOOKS = words("before after beforeEach afterEach beforeAll afterAll setup teardown")
# A test that uses these cannot be repeated by its statements alone.
_NOT_REPEATED = words(
    """setTimeout setInterval setImmediate performance mock __dirname __filename import this
    arguments"""
)
_OF_NOW = {("Date", "now"), ("Math", "random"), ("process", "env"), ("process", "argv")}


class _Assertion(NamedTuple):
    part: Statement
    """The whole statement. It has no method if it is not an assertion."""
    method: str | None = None
    given: tuple[Statement, ...] = ()


def take_apart(path: str, text: str, test: str) -> TakenApart:
    if not path.endswith((".js", ".mjs", ".cjs")):
        return TakenApart(reason="it is no plain JavaScript")
    try:
        found = script_test(path, text, test, {})
        if found.title is None:
            return TakenApart(reason="it does not stand in its file")
        return _TestReader(found, test).taken()
    except (UnreadableError, RecursionError, MemoryError):
        return TakenApart(reason="its file cannot be read")


class _TestReader:
    def __init__(self, found: ScriptTest, test: str) -> None:
        self._found = found
        self._script = found.script
        self._test = test

    def taken(self) -> TakenApart:
        script, own = self._script, self._found.own.part
        pieces = sorted({p.part for p in (*self._found.helpers, *self._found.loaded)})
        header = [p for p in pieces if not (own.start <= p.start and p.end <= own.end)]
        if any(script.word(part.start) in _HOOKS for part in header):
            return TakenApart(reason="its file has a set-up")
        imports = read_imports(script, header)
        body = _body(script, self._found.title or own, own.end)
        if isinstance(body, str):
            return TakenApart(reason=body)
        lines = [f"{script.source(part)};" for part in imports.others]
        reason = _unrepeatable(script, imports.others) or _uses_tools(script, imports)
        return TakenApart(reason=reason) if reason else self._probes(imports, lines, body)

    def _probes(self, imports: Imports, lines: Sequence[str], body: Statement) -> TakenApart:
        probes: list[Probe] = []
        code = list(lines)
        for one in _assertions(self._script, body, imports):
            if reason := _unrepeatable(self._script, [one.part], imports.tools, one):
                return TakenApart(tuple(probes), reason)
            if one.method is None:
                code.append(f"{self._script.source(one.part)};")
                continue
            if len(probes) >= _MOST_PROBES:
                return TakenApart(tuple(probes), "it asserts too much")
            expression, expected = self._asserted(one)
            probes.append(
                Probe(
                    test=self._test,
                    path=self._found.path,
                    language=Language.NODE,
                    imports=imports.lines,
                    code=tuple(code),
                    expression=expression,
                    expected=expected,
                )
            )
            is_raise = expected.relation is Relation.RAISES
            code.append(f"try {{ {expression}; }} catch {{}}" if is_raise else f"({expression});")
        return TakenApart(tuple(probes), "" if probes else "it asserts nothing that can be read")

    def _asserted(self, one: _Assertion) -> tuple[str, Expected]:
        relation = _RELATIONS[one.method or ""]
        sources = [self._script.source(part) for part in one.given]
        if relation is Relation.RAISES:
            error = self._class_name(one.given[1]) if len(one.given) > 1 else ""
            return f"await attempt({sources[0]})", Expected(relation, error=error)
        if relation in {Relation.TRUE, Relation.OPEN} or len(sources) < 2:
            return sources[0], Expected(relation)
        values = [_literal(source) for source in sources[:2]]
        if values[1] is not None:
            return sources[0], Expected(relation, values[1])
        if values[0] is not None:
            return sources[1], Expected(relation, values[0])
        return sources[0], OPEN

    def _class_name(self, part: Statement) -> str:
        is_name = part.end == part.start + 1 and self._script.is_name(part.start)
        return self._script.word(part.start) if is_name else ""


def _literal(source: str) -> Literal | None:
    """The literal's value in JavaScript, where Python's keywords are names."""
    if source in {"None", "True", "False"} or source.startswith(("(", "b'", 'b"', "r'", "f'")):
        return None
    return literal_of(source)


def _body(script: Script, title: Statement, end: int) -> Statement | str:
    """The body of the function after a title, or why it cannot be used."""
    if script.word(title.end) != ",":
        return "it has no function"
    at = title.end + 1
    if script.word(at) == "async":
        at += 1
    if script.word(at) == "function":
        at += 1 + script.is_name(at + 1)
    if script.word(at) != "(":
        return "it has options"
    if script.partners[at] != at + 1:
        return "it uses what its runner gives it"
    at += 2
    if script.word(at) == "=>":
        at += 1
    if script.word(at) != "{" or script.partners[at] >= end:
        return "its function cannot be read"
    return Statement(at + 1, script.partners[at])


def _assertions(script: Script, body: Statement, imports: Imports) -> Iterator[_Assertion]:
    for part in statements(script, body.start, body.end):
        start = part.start + (script.word(part.start) == "await")
        name, opener = script.word(start), start + 1
        method = None
        if name in imports.asserts:
            method = ""
            if script.word(opener) == "." and script.word(start + 2) == "strict":
                opener += 2
            if script.word(opener) == ".":
                method, opener = script.word(opener + 1), opener + 2
        elif name in imports.functions:
            method = imports.functions[name]
        is_whole = script.word(opener) == "(" and script.partners[opener] == part.end - 1
        if method in _RELATIONS and is_whole and part.end - 1 > opener + 1:
            yield _Assertion(part, method, tuple(_arguments(script, opener)))
        else:
            yield _Assertion(part)


def _arguments(script: Script, opener: int) -> Iterator[Statement]:
    end = script.partners[opener]
    start = opener + 1
    for at in script.level(opener + 1, end):
        if script.word(at) == ",":
            yield Statement(start, at)
            start = at + 1
    if start < end:
        yield Statement(start, end)


def _uses_tools(script: Script, imports: Imports) -> str:
    uses = any(
        script.is_name(at) and script.word(at) in imports.tools and script.word(at - 1) != "."
        for part in imports.others
        for at in range(part.start, part.end)
    )
    return "its file asserts in a helper" if uses else ""


def _unrepeatable(
    script: Script,
    parts: Sequence[Statement],
    tools: frozenset[str] = frozenset(),
    assertion: _Assertion | None = None,
) -> str:
    """Why these parts cannot be repeated; empty if they can.

    `tools`: names of the runner and of assertion modules; only the assertion may use them.
    """
    own = 0 if assertion is None or assertion.method is None else assertion.given[0].start
    for part in parts:
        for at in range(max(part.start, own), part.end):
            word = script.word(at)
            if script.tokens[at].kind is not TokenKind.NAME or script.word(at - 1) in {".", "?."}:
                continue
            if word in tools:
                return "it asserts in a branch, a loop or a helper"
            if word in _NOT_REPEATED and script.word(at + 1) != ":":
                return f"it uses {word}"
            if (word, script.word(at + 2)) in _OF_NOW:
                return f"it uses {word}.{script.word(at + 2)}"
    return ""
