"""Splits a Python test file into named pieces: tests, fixtures, classes, and what they use."""

import ast
import re
from collections.abc import Iterable, Iterator
from enum import StrEnum
from typing import NamedTuple

from yudai.kit.syntax import UnreadableError, parse_python, unparse_python

SKIPS = frozenset({"skip", "skipif", "skipIf", "skipUnless", "xfail", "expectedFailure"})
MARKERS = frozenset(
    {"pytestmark", "__test__", "collect_ignore", "collect_ignore_glob", "__unittest_skip__"}
)
SETUPS = re.compile(
    r"(setUp|tearDown)(Class|Module)?|async(SetUp|TearDown)|load_tests|runTest"
    r"|(setup|teardown)_(method|class|module|function)"
)
_STOPS = frozenset({"skip", "importorskip", "exit", "_exit", "SkipTest"})

_COMPOUND = (
    ast.If
    | ast.For
    | ast.AsyncFor
    | ast.While
    | ast.With
    | ast.AsyncWith
    | ast.Try
    | ast.TryStar
    | ast.Match
)

Function = ast.FunctionDef | ast.AsyncFunctionDef


class Kind(StrEnum):
    TEST = "test"
    FIXTURE = "fixture"
    AUTOUSE = "autouse fixture"
    SETUP = "set-up"
    CLASS = "class"
    HOOK = "hook"
    RUNNER = "runner"
    """Uses the test runner's internals."""
    MARKER = "marker"
    VALUE = "value"
    IMPORT = "import"
    STAR = "star import"
    STOP = "stop"


class Piece(NamedTuple):
    name: str
    """The name as pytest writes it: `TestX::test_y`."""
    kind: Kind
    node: ast.stmt
    context: str = ""
    """The compound statements around it: a test moved under `if False` is another test."""


def pieces(text: str) -> dict[str, Piece]:
    """Pieces by name; of two with one name the later one counts, as in Python."""
    try:
        tree = parse_python(text)
        return {piece.name: piece for piece in _walk(tree.body, "", "")}
    except (RecursionError, MemoryError) as error:
        raise UnreadableError from error


def is_python(text: str) -> bool:
    try:
        pieces(text)
    except UnreadableError:
        return False
    return True


def used_names(parts: Iterable[Piece]) -> frozenset[str]:
    """All names that the code of these pieces mentions."""
    found: set[str] = set()
    for piece in parts:
        for node in ast.walk(piece.node):
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
                found.add(node.id)
            elif isinstance(node, ast.Attribute):
                found.add(node.attr)
            elif isinstance(node, ast.arg):
                found.add(node.arg)
    return frozenset(found)


def dotted(node: ast.expr) -> list[str]:
    """`pytest.mark.skip(...)` as ["pytest", "mark", "skip"]."""
    if isinstance(node, ast.Call):
        return dotted(node.func)
    if isinstance(node, ast.Attribute):
        return [*dotted(node.value), node.attr]
    return [node.id] if isinstance(node, ast.Name) else []


def is_skip(decorator: ast.expr) -> bool:
    return not SKIPS.isdisjoint(dotted(decorator)[-1:])


def _walk(body: Iterable[ast.stmt], prefix: str, context: str) -> Iterator[Piece]:
    for statement in body:
        if isinstance(statement, Function):
            name = statement.name
            yield Piece(prefix + name, _kind_of_function(statement), statement, context)
        elif isinstance(statement, ast.ClassDef):
            yield Piece(prefix + statement.name, Kind.CLASS, statement, context)
            yield from _walk(statement.body, f"{prefix}{statement.name}::", context)
        elif inner := list(_compound(statement)):
            for header, lines in inner:
                yield from _walk(lines, prefix, f"{context}{header};")
        else:
            for piece in _simple(statement):
                yield piece._replace(name=prefix + piece.name, context=context)


def _kind_of_function(function: Function) -> Kind:
    fixtures = [d for d in function.decorator_list if dotted(d)[-1:] == ["fixture"]]
    if fixtures:
        return Kind.AUTOUSE if any(_is_autouse(d) for d in fixtures) else Kind.FIXTURE
    if function.name.startswith("test"):
        return Kind.TEST
    if SETUPS.fullmatch(function.name):
        return Kind.SETUP
    return Kind.HOOK if function.name.startswith("pytest_") else Kind.VALUE


def _is_autouse(decorator: ast.expr) -> bool:
    return isinstance(decorator, ast.Call) and any(
        word.arg in {"autouse", None}
        and not (isinstance(word.value, ast.Constant) and word.value.value is False)
        for word in decorator.keywords
    )


def _compound(statement: ast.stmt) -> Iterator[tuple[str, list[ast.stmt]]]:
    """Bodies of if, for, while, with, try and match, each with what decides whether it runs."""
    if not isinstance(statement, _COMPOUND):
        return
    opened = ast.dump(ast.Expr(statement.test)) if isinstance(statement, ast.If) else ""
    label = f"{type(statement).__name__} {opened}"
    for field in ("body", "orelse", "finalbody"):
        yield f"{label}.{field}", getattr(statement, field, [])
    for part in (*getattr(statement, "handlers", ()), *getattr(statement, "cases", ())):
        yield f"{label}.{ast.dump(part)}", part.body


def _simple(statement: ast.stmt) -> Iterator[Piece]:
    """The pieces of a simple statement: what it binds, or how it stops the file."""
    if isinstance(statement, ast.Import | ast.ImportFrom):
        for alias in statement.names:
            yield from _imported(statement, alias)
    elif isinstance(statement, ast.Raise) or _stops(statement):
        yield Piece(unparse_python(statement), Kind.STOP, statement)
    for target in _targets(statement):
        for name, kind in _bound(target):
            yield Piece(name, kind, statement)


def _targets(statement: ast.stmt) -> list[ast.expr]:
    if isinstance(statement, ast.Assign | ast.Delete):
        return statement.targets
    return [statement.target] if isinstance(statement, ast.AnnAssign | ast.AugAssign) else []


def _imported(statement: ast.Import | ast.ImportFrom, alias: ast.alias) -> Iterator[Piece]:
    """One piece for each name, so that a longer list of names changes nothing for the others."""
    if isinstance(statement, ast.ImportFrom):
        module = statement.module or ""
        node = ast.ImportFrom(statement.module, [alias], statement.level)
    else:
        module, node = alias.name, ast.Import([alias])
    name = alias.asname or alias.name.partition(".")[0]
    if module.partition(".")[0] == "_pytest":
        yield Piece("_pytest", Kind.RUNNER, node)
    elif name == "*":
        yield Piece(f"everything of {module}", Kind.STAR, node)
    else:
        yield Piece(name, Kind.HOOK if name.startswith("pytest_") else Kind.IMPORT, node)


def _bound(target: ast.expr) -> Iterator[tuple[str, Kind]]:
    if isinstance(target, ast.Tuple | ast.List):
        for element in target.elts:
            yield from _bound(element)
    elif names := dotted(target):
        yield "::".join(names), _kind_of_target(names)


def _kind_of_target(names: list[str]) -> Kind:
    if names[0] in {"pytest", "_pytest", "unittest"} and len(names) > 1:
        return Kind.RUNNER
    if names[0].startswith("pytest_"):
        return Kind.HOOK
    return Kind.MARKER if names[-1] in MARKERS else Kind.VALUE


def _stops(statement: ast.stmt) -> bool:
    call = statement.value if isinstance(statement, ast.Expr) else None
    return isinstance(call, ast.Call) and not _STOPS.isdisjoint(dotted(call)[-1:])
