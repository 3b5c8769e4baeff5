"""Finds a Python test, the argument values of its case, and names bound to literals."""

import ast
import operator
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple, cast

from yudai.kit.syntax import UnreadableError, parse_python, python_literal, unparse_python
from yudai.verification.domain.edits.python_test_tree import Function, dotted
from yudai.verification.domain.expected.literals import Literal, literal_of
from yudai.verification.domain.sources.python_closure import names_of_test

_MOST_ROWS = 500
_MOST_NODES = 3_000
_MOST_SUMMED = 50
_MOST_NUMBER = 1e15
_LITERALS = (
    ast.Constant | ast.List | ast.Tuple | ast.Dict | ast.Set | ast.UnaryOp | ast.BinOp
    | ast.operator | ast.unaryop | ast.expr_context
)  # fmt: skip


class Case(NamedTuple):
    """One case of a parametrized test: its arguments by name."""

    values: Mapping[str, ast.expr]


_Place = tuple[Function | None, ast.ClassDef | None]


def own_place(tree: ast.Module, test: str) -> _Place:
    """The test's function and class; of two with one name the later one counts."""
    names = names_of_test(test)
    if not names or len(names) > 2:
        return None, None
    class_ = None
    body: Sequence[ast.stmt] = tree.body
    if len(names) == 2:
        found = [s for s in body if isinstance(s, ast.ClassDef) and s.name == names[0]]
        if not found:
            return None, None
        class_, body = found[-1], found[-1].body
    functions = [s for s in body if isinstance(s, Function) and s.name == names[-1]]
    return (functions[-1] if functions else None), class_


def cases(function: Function, test: str, *, in_class: bool) -> Case | str:
    """The case that the id names, or why it is not known."""
    arguments = function.args
    if arguments.vararg or arguments.kwarg or arguments.kwonlyargs or arguments.posonlyargs:
        return "its arguments cannot be read"
    names = [one.arg for one in arguments.args][int(in_class) :]
    given: list[tuple[list[str], list[list[ast.expr]]]] = []
    for decorator in function.decorator_list:
        table = _table(decorator)
        if isinstance(table, str):
            return table
        given.append(table)
    known = [name for columns, _ in given for name in columns]
    if sorted(known) != sorted(names):
        return "it uses fixtures"
    return _chosen(given, test.partition("[")[2].removesuffix("]")) if given else Case({})


_Table = tuple[list[str], list[list[ast.expr]]]


def _table(decorator: ast.expr) -> _Table | str:
    if not isinstance(decorator, ast.Call) or dotted(decorator.func)[-1:] != ["parametrize"]:
        return "it has a decorator"
    if len(decorator.args) != 2 or decorator.keywords:
        return "its cases have names of their own"
    columns = _columns(decorator.args[0])
    rows = decorator.args[1]
    if not columns or not isinstance(rows, ast.List | ast.Tuple) or len(rows.elts) > _MOST_ROWS:
        return "its cases cannot be read"
    table: list[list[ast.expr]] = []
    is_single = len(columns) == 1 and not isinstance(decorator.args[0], ast.Tuple | ast.List)
    for row in rows.elts:
        cells = [row] if is_single else list(row.elts) if isinstance(row, ast.Tuple) else []
        if len(cells) != len(columns) or any(dotted(c)[-1:] == ["param"] for c in cells):
            return "its cases cannot be read"
        table.append(cells)
    return columns, table


def _columns(node: ast.expr) -> list[str]:
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return [name.strip() for name in node.value.split(",") if name.strip()]
    if isinstance(node, ast.Tuple | ast.List):
        return [
            e.value for e in node.elts if isinstance(e, ast.Constant) and isinstance(e.value, str)
        ]
    return []


def _chosen(given: Sequence[_Table], wanted: str) -> Case | str:
    """The case with this id, built as pytest does it; the lowest decorator comes first."""
    found: list[tuple[str, dict[str, ast.expr]]] = [("", {})]
    for columns, rows in reversed(given):
        if len(found) * len(rows) > _MOST_ROWS:
            return "it has too many cases"
        parts = [
            ("-".join(_id(cell, name, at) for cell, name in zip(row, columns, strict=True)), row)
            for at, row in enumerate(rows)
        ]
        found = [
            (f"{before}-{part}" if before else part, {**values, **dict(zip(columns, row))})  # noqa: B905 - rows are as long as columns
            for before, values in found
            for part, row in parts
        ]
    fitting = [values for made, values in found if made == wanted]
    return Case(fitting[0]) if len(fitting) == 1 else "its case cannot be told from others"


def _id(cell: ast.expr, name: str, at: int) -> str:
    try:
        value = python_literal(unparse_python(cell))
    except UnreadableError:
        return f"{name}{at}"
    if isinstance(value, str):
        escaped = value.encode("unicode_escape").decode("ascii")
        return escaped.replace("\\\\", "\\") if "\\" in value else escaped
    if value is None or isinstance(value, bool | int | float | complex):
        return str(value)
    return f"{name}{at}"


class Names(NamedTuple):
    """Names that are assigned once, as candidates for literals."""

    values: Mapping[str, ast.expr]

    @classmethod
    def of(cls, statements: Sequence[ast.stmt]) -> "Names":
        stored = Counter(
            node.id
            for statement in statements
            for node in ast.walk(statement)
            if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load)
        )
        values = {
            target.id: statement.value
            for statement in statements
            if isinstance(statement, ast.Assign) and len(statement.targets) == 1
            for target in statement.targets
            if isinstance(target, ast.Name) and stored[target.id] == 1
        }
        return cls(values)

    def literal(self, node: ast.expr) -> Literal | None:
        """The node's value, if it consists of literals only."""
        try:
            inlined = Inliner(self.values).visit(_copy(node))
            nodes = list(ast.walk(inlined))
        except (RecursionError, UnreadableError):
            return None
        if len(nodes) > _MOST_NODES or not literal_nodes(inlined):
            return None
        folded = _sum(inlined) if isinstance(inlined, ast.BinOp) else inlined
        return None if folded is None else literal_of(unparse_python(folded))


def literal_nodes(node: ast.AST) -> bool:
    """Whether this node consists of literals only."""
    return all(isinstance(one, _LITERALS) for one in ast.walk(node))


def _copy(node: ast.expr) -> ast.expr:
    """A copy for the visitor, which changes its tree."""
    return cast("ast.Expr", parse_python(f"({unparse_python(node)})").body[0]).value


class Inliner(ast.NodeTransformer):
    def __init__(self, values: Mapping[str, ast.expr], depth: int = 0) -> None:
        self._values = values
        self._depth = depth

    def visit_Name(self, node: ast.Name) -> ast.AST:
        value = self._values.get(node.id)
        if value is None or self._depth > 3:
            return node
        return Inliner(self._values, self._depth + 1).visit(_copy(value))


def _sum(node: ast.AST) -> ast.Constant | None:
    """The result of a sum, difference or product of numbers, as tests write them."""
    number = _number(node, 0)
    return None if number is None else ast.Constant(number)


def _number(node: ast.AST, depth: int) -> int | float | None:
    if isinstance(node, ast.Constant):
        is_number = isinstance(node.value, int | float) and not isinstance(node.value, bool)
        return cast("int | float", node.value) if is_number else None
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        inner = _number(node.operand, depth)
        return None if inner is None else -inner
    if not isinstance(node, ast.BinOp) or depth > _MOST_SUMMED:
        return None
    left, right = _number(node.left, depth + 1), _number(node.right, depth + 1)
    if left is None or right is None or max(abs(left), abs(right)) > _MOST_NUMBER:
        return None
    operation = _OPERATIONS.get(type(node.op))
    return operation(left, right) if operation else None


_OPERATIONS: Mapping[type[ast.operator], Callable[[float, float], int | float]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
}
