"""What a Python file defines: names at its top, attributes, parameters, options."""

import ast
from collections.abc import Iterable, Iterator
from functools import lru_cache

from yudai.kit.syntax import UnreadableError, parse_python
from yudai.verification.domain.edits.python_test_tree import Function, dotted
from yudai.verification.domain.sources.names import (
    MOST_CHARACTERS,
    OPTION,
    Definition,
    SymbolKind,
    options_in,
    words,
)

_SETTINGS = words("kwargs opts options config cfg settings params environ")
_COMMANDS = frozenset({"command", "add_parser", "add_command", "group", "add_typer"})
_SELVES = (["self"], ["cls"])
_LOOKUPS = frozenset({"get", "pop", "setdefault", "getenv"})


def read_python(text: str) -> ast.Module:
    """The tree; it is shared, so nobody may change it."""
    tree = _read(text)
    if tree is None:
        raise UnreadableError
    return tree


@lru_cache(maxsize=128)
def _read(text: str) -> ast.Module | None:
    if len(text) > MOST_CHARACTERS:
        return None
    try:
        return parse_python(text)
    except UnreadableError:
        return None


@lru_cache(maxsize=128)
def python_definitions(text: str, path: str) -> tuple[Definition, ...]:
    tree = read_python(text)
    found: dict[Definition, None] = {}
    for statement in flat(tree.body):
        found.update(dict.fromkeys(_at_top(statement, path)))
    for node in ast.walk(tree):
        found.update(dict.fromkeys(_inside(node)))
    found.update(dict.fromkeys(_options(tree)))
    return tuple(found)


def flat(body: Iterable[ast.stmt]) -> Iterator[ast.stmt]:
    """Statements of a body, and those below if, try, with and loops, which share its names."""
    for statement in body:
        yield statement
        if not isinstance(statement, Function | ast.ClassDef):
            yield from flat(_blocks(statement))


def _blocks(statement: ast.stmt) -> Iterator[ast.stmt]:
    for field in ("body", "orelse", "finalbody"):
        yield from getattr(statement, field, [])
    for part in (*getattr(statement, "handlers", ()), *getattr(statement, "cases", ())):
        yield from part.body


def bound_names(statement: ast.stmt) -> Iterator[str]:
    """What one statement of a body binds, its blocks left out."""
    if isinstance(statement, Function | ast.ClassDef):
        yield statement.name
    elif isinstance(statement, ast.Import | ast.ImportFrom):
        for alias in statement.names:
            yield alias.asname or alias.name.partition(".")[0]
    else:
        for target in targets(statement):
            yield from stored(target)


def targets(statement: ast.stmt) -> list[ast.expr]:
    if isinstance(statement, ast.Assign):
        return statement.targets
    if isinstance(statement, ast.AnnAssign | ast.AugAssign | ast.For | ast.AsyncFor):
        return [statement.target]
    if isinstance(statement, ast.With | ast.AsyncWith):
        return [item.optional_vars for item in statement.items if item.optional_vars]
    return []


def stored(target: ast.expr) -> Iterator[str]:
    for node in ast.walk(target):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id


def string_of(node: ast.AST | None) -> str | None:
    """A constant string, also one that is added up of several."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        left, right = string_of(node.left), string_of(node.right)
        return left + right if left is not None and right is not None else None
    return None


def documentation(tree: ast.AST) -> set[int]:
    """Which constants are docstrings, by identity."""
    return {
        id(node.value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    }


def _at_top(statement: ast.stmt, path: str) -> Iterator[Definition]:
    if isinstance(statement, Function):
        yield Definition(SymbolKind.FUNCTION, statement.name)
    elif isinstance(statement, ast.ClassDef):
        yield Definition(SymbolKind.CLASS, statement.name)
    elif isinstance(statement, ast.Import | ast.ImportFrom):
        if path.endswith("__init__.py") and _is_own(statement, path):
            for name in bound_names(statement):
                yield Definition(SymbolKind.VALUE, name)
    else:
        yield from _assigned(statement)


def _assigned(statement: ast.stmt) -> Iterator[Definition]:
    for name in bound_names(statement):
        yield Definition(SymbolKind.VALUE, name)
    for target in targets(statement):
        if isinstance(target, ast.Attribute) and (names := dotted(target)):
            yield Definition(SymbolKind.ATTRIBUTE, names[-1], names[0])


def _is_own(statement: ast.Import | ast.ImportFrom, path: str) -> bool:
    """What a package takes from itself to offer it."""
    if not isinstance(statement, ast.ImportFrom):
        return False
    first = (statement.module or "").partition(".")[0]
    return statement.level > 0 or first in path.split("/")


def _inside(node: ast.AST) -> Iterator[Definition]:
    if isinstance(node, Function):
        yield from _parameters(node, node.name)
    elif isinstance(node, ast.ClassDef):
        yield from _members(node)


def _parameters(
    function: ast.FunctionDef | ast.AsyncFunctionDef, owner: str
) -> Iterator[Definition]:
    for argument in (*function.args.args, *function.args.kwonlyargs):
        if argument.arg not in {"self", "cls"}:
            yield Definition(SymbolKind.PARAMETER, argument.arg, owner)
    for node in ast.walk(function):
        name = _looked_up(node, _SETTINGS)
        if name is not None and name.isidentifier():
            yield Definition(SymbolKind.PARAMETER, name, owner)


def _members(node: ast.ClassDef) -> Iterator[Definition]:
    for statement in flat(node.body):
        for name in bound_names(statement):
            yield Definition(SymbolKind.ATTRIBUTE, name, node.name)
            if isinstance(statement, ast.AnnAssign):
                yield Definition(SymbolKind.PARAMETER, name, node.name)
        if isinstance(statement, Function) and statement.name in {"__init__", "__new__"}:
            yield from _parameters(statement, node.name)
    for inner in ast.walk(node):
        is_set = isinstance(inner, ast.Attribute) and isinstance(inner.ctx, ast.Store)
        if isinstance(inner, ast.Attribute) and is_set and dotted(inner)[:-1] in _SELVES:
            yield Definition(SymbolKind.ATTRIBUTE, inner.attr, node.name)


def _options(tree: ast.Module) -> Iterator[Definition]:
    """Options of command lines, subcommands, and variables of the environment."""
    plain = documentation(tree)
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in plain:
            for option in options_in(node.value):
                yield Definition(SymbolKind.OPTION, option)
        elif isinstance(node, ast.Call):
            yield from _commands(node)
        if (variable := _looked_up(node, frozenset({"environ", "getenv", "os"}))) is not None:
            yield Definition(SymbolKind.OPTION, variable)
    for word in (ast.get_docstring(tree) or "").split()[:2000]:
        # A docopt program's usage is its documentation.
        if OPTION.fullmatch(word):
            yield Definition(SymbolKind.OPTION, word)


def _commands(call: ast.Call) -> Iterator[Definition]:
    if not _COMMANDS.isdisjoint(dotted(call)[-1:]):
        for name in filter(None, map(string_of, [*call.args[:1], *_named(call, "name")])):
            yield Definition(SymbolKind.OPTION, name)


def _named(call: ast.Call, name: str) -> list[ast.expr]:
    return [word.value for word in call.keywords if word.arg == name]


def _looked_up(node: ast.AST, roots: frozenset[str]) -> str | None:
    """The key in `kwargs.get("key")` and `os.environ["key"]`."""
    if isinstance(node, ast.Subscript):
        return string_of(node.slice) if roots & set(dotted(node.value)[-1:]) else None
    if not isinstance(node, ast.Call) or not node.args:
        return None
    names = dotted(node.func)
    is_lookup = names[-1:] and names[-1] in _LOOKUPS and roots & set(names[-2:])
    return string_of(node.args[0]) if is_lookup else None
