"""Methods that a Python test calls by an operator, a statement or a built-in function."""

import ast
from collections.abc import Iterator

_BY_FUNCTION = {
    "len": "__len__",
    "iter": "__iter__",
    "list": "__iter__",
    "tuple": "__iter__",
    "set": "__iter__",
    "sorted": "__iter__",
    "sum": "__iter__",
    "next": "__next__",
    "reversed": "__reversed__",
    "int": "__int__",
    "float": "__float__",
    "complex": "__complex__",
    "abs": "__abs__",
    "round": "__round__",
    "divmod": "__divmod__",
    "bytes": "__bytes__",
    "fspath": "__fspath__",
    "index": "__index__",
    "anext": "__anext__",
    "aiter": "__aiter__",
}
_BY_OPERATOR: dict[type[ast.AST], str] = {
    ast.Add: "__add__",
    ast.Sub: "__sub__",
    ast.Mult: "__mul__",
    ast.MatMult: "__matmul__",
    ast.Div: "__truediv__",
    ast.FloorDiv: "__floordiv__",
    ast.Mod: "__mod__",
    ast.Pow: "__pow__",
    ast.LShift: "__lshift__",
    ast.RShift: "__rshift__",
    ast.BitAnd: "__and__",
    ast.BitOr: "__or__",
    ast.BitXor: "__xor__",
    ast.UAdd: "__pos__",
    ast.USub: "__neg__",
    ast.Invert: "__invert__",
    ast.In: "__contains__",
    ast.NotIn: "__contains__",
    ast.For: "__iter__",
    ast.comprehension: "__iter__",
    ast.Starred: "__iter__",
    ast.AsyncFor: "__aiter__",
    ast.With: "__enter__",
    ast.AsyncWith: "__aenter__",
    ast.Await: "__await__",
}
_BY_USE: dict[type[ast.AST], str] = {
    ast.Load: "__getitem__",
    ast.Store: "__setitem__",
    ast.Del: "__delitem__",
}
OPERATIONS = frozenset({*_BY_FUNCTION.values(), *_BY_OPERATOR.values(), *_BY_USE.values()}) | {
    "__call__"
}
"""Methods that an object has only if its class defines them, unlike `__eq__`."""


def operation(node: ast.AST) -> Iterator[str]:
    """The method that this node calls."""
    if (name := _BY_OPERATOR.get(type(node))) is not None:
        yield name
    elif isinstance(node, ast.Subscript):
        yield _BY_USE[type(node.ctx)]
    elif isinstance(node, ast.Call):
        if isinstance(node.func, ast.Name) and node.func.id in _BY_FUNCTION:
            yield _BY_FUNCTION[node.func.id]
        elif isinstance(node.func, ast.Call):
            yield "__call__"
