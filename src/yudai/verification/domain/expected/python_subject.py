"""The subject of an assertion in a Python test: what it calls, with which literals."""

import ast
import builtins
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from yudai.kit.syntax import UnreadableError, unparse_python
from yudai.verification.domain.expected.subject import Subject

Values = Mapping[str, ast.expr]
"""Expressions by the names that are bound to them once."""
_BUILTINS = frozenset(dir(builtins))
_DEPTH = 5


def python_subject(node: ast.AST | None, values: Values) -> Subject:
    if node is None:
        return Subject()
    reader = _Reader(values)
    try:
        reader.read(node, _DEPTH)
        inputs = [unparse_python(literal) for literal in reader.inputs]
    except (UnreadableError, RecursionError, MemoryError, ValueError):
        return Subject()
    return Subject(tuple(dict.fromkeys(reader.names)), tuple(inputs), reader.is_clear)


class _Reader:
    def __init__(self, values: Values) -> None:
        self.names: list[str] = []
        self.inputs: list[ast.expr] = []
        self.is_clear = True
        self._values = values

    def read(self, node: ast.AST, depth: int) -> None:
        if isinstance(node, ast.Call):
            self._callee(node.func, depth)
            for inner in (*node.args, *(word.value for word in node.keywords)):
                self.read(inner, depth)
        elif isinstance(node, ast.Attribute):
            self._callee(node, depth)
        elif isinstance(node, ast.Constant):
            self.inputs.append(node)
        elif isinstance(node, ast.Name):
            self._name(node, depth)
        else:
            for inner in _inner(node):
                self.read(inner, depth)

    def _callee(self, node: ast.expr, depth: int) -> None:
        if isinstance(node, ast.Attribute):
            self.names.append(node.attr)
            if not isinstance(node.value, ast.Name):
                self.read(node.value, depth)
            elif node.value.id in self._values:
                self._name(node.value, depth)
        elif isinstance(node, ast.Name):
            if node.id not in _BUILTINS:
                self.names.append(node.id)
        else:
            self.read(node, depth)

    def _name(self, node: ast.Name, depth: int) -> None:
        value = self._values.get(node.id)
        if value is None or not depth:
            self.is_clear = False
        else:
            self.read(value, depth - 1)


def _inner(node: ast.AST) -> Iterator[ast.AST]:
    return (n for n in ast.iter_child_nodes(node) if not isinstance(n, ast.expr_context))


def bound_values(body: Sequence[ast.stmt]) -> dict[str, ast.expr]:
    """By name: its expression, if the name is bound once."""
    nodes = [node for statement in body for node in ast.walk(statement)]
    stores = Counter(
        n.id for n in nodes if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)
    )
    assigned = (node for node in nodes if isinstance(node, ast.Assign) and len(node.targets) == 1)
    return {
        target.id: node.value
        for node in assigned
        if isinstance(target := node.targets[0], ast.Name) and stores[target.id] == 1
    }
