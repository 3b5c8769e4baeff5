"""Finds the definitions of a Python file: top-level names, attributes, parameters, options."""

import ast
from collections.abc import Collection, Iterable, Iterator
from functools import lru_cache

from yudai.kit.syntax import UnreadableError, parse_python
from yudai.verification.domain.edits.python_test_tree import Function, dotted
from yudai.verification.domain.sources.names import (
    MOST_CHARACTERS,
    OPTION,
    Definition,
    SymbolKind,
    options_in,
    stem_of,
    words,
)

_SETTINGS = words("kwargs opts options config cfg settings params environ")
_COMMANDS = frozenset({"command", "add_parser", "add_command", "group", "add_typer"})
_OWN = frozenset({"self", "cls"})
_SELVES = (["self"], ["cls"])
_FILES = frozenset({"open", "exists", "isfile", "Path"})
_LOOKUPS = frozenset({"get", "pop", "setdefault", "getenv"})


def read_python(text: str) -> ast.Module:
    """The syntax tree. It is shared, so callers must not change it."""
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
    functions = {part.name for part in tree.body if isinstance(part, Function)}
    for node in ast.walk(tree):
        found.update(dict.fromkeys((*_inside(node), *_on_function(node, functions))))
    found.update(dict.fromkeys(_options(tree)))
    return tuple(found)


def flat(body: Iterable[ast.stmt]) -> Iterator[ast.stmt]:
    """Statements of a body, including those in if, try, with and loops, which share its names."""
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
    """Names that one statement of a body binds, without its nested blocks."""
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
    """A constant string, also if it is a sum of several."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        left, right = string_of(node.left), string_of(node.right)
        return left + right if left is not None and right is not None else None
    return None


def documentation(tree: ast.AST) -> set[int]:
    """The constants that are docstrings, by identity."""
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
        if any(alias.name == "*" for alias in statement.names):
            yield Definition(SymbolKind.VALUE, "*")
        for name in bound_names(statement):
            if path.endswith("__init__.py") and _is_own(statement, path):
                yield Definition(SymbolKind.VALUE, name)
            elif name != "*":
                yield Definition(SymbolKind.ATTRIBUTE, name, stem_of(path))
    else:
        yield from _assigned(statement)


def _on_function(node: ast.AST, functions: Collection[str]) -> Iterator[Definition]:
    """Attributes read from a function of the file: `human.hours`, `getattr(human, "hours")`."""
    if isinstance(node, ast.Attribute):
        names = dotted(node)
        if len(names) == 2 and names[0] in functions and not names[1].startswith("__"):
            yield Definition(SymbolKind.ATTRIBUTE, names[1], names[0])
    elif isinstance(node, ast.Call) and dotted(node.func) in (["getattr"], ["hasattr"]):
        owner = dotted(node.args[0]) if node.args else []
        if len(owner) == 1 and owner[0] in functions:
            for name in filter(None, map(string_of, node.args[1:2])):
                yield Definition(SymbolKind.ATTRIBUTE, name, owner[0])


def _assigned(statement: ast.stmt) -> Iterator[Definition]:
    for name in bound_names(statement):
        yield Definition(SymbolKind.VALUE, name)
    for target in targets(statement):
        if isinstance(target, ast.Attribute) and (names := dotted(target)):
            yield Definition(SymbolKind.ATTRIBUTE, names[-1], names[0])


def _is_own(statement: ast.Import | ast.ImportFrom, path: str) -> bool:
    """Whether a package imports from itself, to export the names again."""
    if not isinstance(statement, ast.ImportFrom):
        return False
    first = (statement.module or "").partition(".")[0]
    return statement.level > 0 or first in path.split("/")


def _inside(node: ast.AST) -> Iterator[Definition]:
    if isinstance(node, Function):
        yield from _parameters(node, node.name)
        yield from _given_back(node)
        yield from _routes(node)
    elif isinstance(node, ast.ClassDef):
        yield from _members(node)
    else:
        yield from _made(node)


def _given_back(function: ast.FunctionDef | ast.AsyncFunctionDef) -> Iterator[Definition]:
    """The keys of a result: `return {"key": ...}`."""
    for node in ast.walk(function):
        if isinstance(node, ast.Return) and isinstance(node.value, ast.Dict):
            for name in filter(None, map(string_of, _keys([node.value]))):
                yield Definition(SymbolKind.ATTRIBUTE, name, function.name)


def _routes(function: ast.FunctionDef | ast.AsyncFunctionDef) -> Iterator[Definition]:
    """`@app.get("/path")`."""
    for decorator in function.decorator_list:
        given = decorator.args[:1] if isinstance(decorator, ast.Call) else []
        for path in filter(None, map(string_of, given)):
            if path.startswith("/"):
                yield Definition(SymbolKind.OPTION, path)


def _made(node: ast.AST) -> Iterator[Definition]:
    """Names that are created or looked up at run time: `setattr`, `globals()`, `__dict__`."""
    if isinstance(node, ast.Call) and dotted(node.func) == ["setattr"] and len(node.args) > 1:
        owner = (dotted(node.args[0]) or [""])[-1]
        if name := string_of(node.args[1]):
            yield Definition(SymbolKind.ATTRIBUTE, name, owner)
    for name in _in_namespace(node):
        yield Definition(SymbolKind.ATTRIBUTE, name)


def _in_namespace(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.Subscript) and _is_namespace(node.value):
        yield from filter(None, [string_of(node.slice)])
    elif isinstance(node, ast.Compare) and any(map(_is_namespace, node.comparators)):
        yield from filter(None, [string_of(node.left)])
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        if node.func.attr in _LOOKUPS and _is_namespace(node.func.value):
            yield from filter(None, map(string_of, node.args[:1]))
        elif node.func.attr == "update" and _is_namespace(node.func.value):
            yield from (word.arg for word in node.keywords if word.arg)
            yield from filter(None, map(string_of, _keys(node.args)))


def _keys(nodes: Iterable[ast.expr]) -> Iterator[ast.expr]:
    for node in nodes:
        if isinstance(node, ast.Dict):
            yield from filter(None, node.keys)


def _is_namespace(node: ast.expr) -> bool:
    if isinstance(node, ast.Call):
        return dotted(node.func) in (["globals"], ["vars"])
    return dotted(node)[-1:] in (["__dict__"], ["environ"])


def _parameters(
    function: ast.FunctionDef | ast.AsyncFunctionDef, owner: str
) -> Iterator[Definition]:
    arguments = function.args
    listed = [a for a in (*arguments.posonlyargs, *arguments.args) if a.arg not in _OWN]
    for at, argument in enumerate(listed, 1):
        yield Definition(SymbolKind.PARAMETER, argument.arg, owner, f"#{at}")
    for argument in arguments.kwonlyargs:
        yield Definition(SymbolKind.PARAMETER, argument.arg, owner)
    if arguments.vararg:
        name = f"*{arguments.vararg.arg}"
        yield Definition(SymbolKind.PARAMETER, name, owner, f"*#{len(listed) + 1}")
    settings = _SETTINGS
    if arguments.kwarg:
        yield Definition(SymbolKind.PARAMETER, f"**{arguments.kwarg.arg}", owner, "**")
        settings |= {arguments.kwarg.arg}
    for node in ast.walk(function):
        name = _looked_up(node, settings)
        if name is not None and name.isidentifier():
            yield Definition(SymbolKind.PARAMETER, name, owner)


def _members(node: ast.ClassDef) -> Iterator[Definition]:
    fields = 0
    for statement in flat(node.body):
        fields += isinstance(statement, ast.AnnAssign)
        for name in bound_names(statement):
            yield Definition(SymbolKind.ATTRIBUTE, name, node.name)
            if isinstance(statement, ast.AnnAssign):
                yield Definition(SymbolKind.PARAMETER, name, node.name, f"#{fields}")
        if isinstance(statement, Function) and statement.name in {"__init__", "__new__"}:
            yield from _parameters(statement, node.name)
    for inner in ast.walk(node):
        is_set = isinstance(inner, ast.Attribute) and isinstance(inner.ctx, ast.Store)
        if isinstance(inner, ast.Attribute) and is_set and dotted(inner)[:-1] in _SELVES:
            yield Definition(SymbolKind.ATTRIBUTE, inner.attr, node.name)


def _options(tree: ast.Module) -> Iterator[Definition]:
    """Command-line options, subcommands and environment variables."""
    plain = documentation(tree)
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in plain:
            for option in options_in(node.value):
                yield Definition(SymbolKind.OPTION, option)
        elif isinstance(node, ast.Call):
            yield from _commands(node)
            yield from _files(node)
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


def _files(call: ast.Call) -> Iterator[Definition]:
    """Files that it looks up by name."""
    if not _FILES.isdisjoint(dotted(call.func)[-1:]):
        for name in filter(None, map(string_of, call.args[:1])):
            if any(map(str.isalnum, name)):
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
