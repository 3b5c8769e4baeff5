"""Recognises additions to a Python test that cannot weaken its old statements."""

import ast
from collections.abc import Iterator, Mapping, Sequence
from copy import deepcopy
from typing import cast

from yudai.verification.domain.edits.python_test_tree import Function, dotted
from yudai.verification.domain.expected.alignment import aligned
from yudai.verification.domain.expected.python_assertions import Masker

_TABLES = ast.List | ast.Set | ast.Tuple
_BODIES = ("body", "orelse", "finalbody")
_HARMLESS = (
    ast.Assert
    | ast.Expr
    | ast.With
    | ast.AsyncWith
    | ast.For
    | ast.AsyncFor
    | ast.If
    | ast.Assign
    | ast.AnnAssign
    | ast.Import
    | ast.ImportFrom
    | Function
)
_NEVER = ast.Return | ast.Raise | ast.Yield | ast.YieldFrom | ast.Global | ast.Nonlocal | ast.Delete
_STOPS = frozenset(
    {"skip", "skipTest", "importorskip", "exit", "_exit", "SkipTest", "xfail", "exec", "eval"}
)
# Such a call before an assertion can make the assertion easier to pass.
_CHANGES = frozenset(
    {"setattr", "delattr", "setitem", "delitem", "patch", "object", "multiple", "__setattr__"}
)


def without_additions(old: Function, new: Function) -> Function:
    """The new test without its additions; unchanged if they may weaken an old statement."""
    names = {node.id for node in ast.walk(old) if isinstance(node, ast.Name)}
    names |= {argument.arg for argument in ast.walk(old) if isinstance(argument, ast.arg)}
    body = _Growth(names).kept(old.body, new.body, is_tail=True)
    if body is None or len(body) == 0:
        return new
    kept = deepcopy(new)
    kept.body = body
    return new if ast.dump(kept) == ast.dump(new) else kept


class _Growth:
    def __init__(self, names: set[str]) -> None:
        self._names = names

    def kept(
        self, old: Sequence[ast.stmt], new: Sequence[ast.stmt], *, is_tail: bool
    ) -> list[ast.stmt] | None:
        chosen = aligned(list(map(_keys, old)), list(map(_keys, new)))
        if chosen is None:
            return None
        last = max(chosen, default=-1)
        for at, statement in enumerate(new):
            is_behind = is_tail and at > last
            if at not in chosen and not self._is_harmless(statement, is_behind=is_behind):
                return None
        pairs = zip(old, (new[at] for at in chosen), strict=True)
        return [self._inside(*pair) for pair in pairs]

    def _inside(self, old: ast.stmt, new: ast.stmt) -> ast.stmt:
        bodies = [f for f in _BODIES if isinstance(getattr(new, f, None), list)]
        if isinstance(old, ast.expr) or type(old) is not type(new) or not bodies:
            return new
        made = deepcopy(new)
        for field in bodies:
            kept = self.kept(getattr(old, field), getattr(new, field), is_tail=False)
            if kept is None:
                return new
            setattr(made, field, kept)
        return made

    def _is_harmless(self, statement: ast.stmt, *, is_behind: bool) -> bool:
        if not isinstance(statement, _HARMLESS):
            return False
        forbidden = _STOPS if is_behind else _STOPS | _CHANGES
        inner = list(_outside_functions(statement))
        calls = (node for node in inner if isinstance(node, ast.Call))
        if any(not forbidden.isdisjoint(dotted(call)) for call in calls):
            return False
        if any(isinstance(node, _NEVER) for node in inner):
            return False
        # After the last old statement no other value can make an assertion easier to pass.
        return is_behind or not any(map(self._takes, inner))

    def _takes(self, node: ast.AST) -> bool:
        """Whether this assigns to a name or object that the old test uses."""
        if isinstance(node, ast.Attribute | ast.Subscript):
            return not isinstance(node.ctx, ast.Load)
        if isinstance(node, ast.Name):
            return not isinstance(node.ctx, ast.Load) and node.id in self._names
        if isinstance(node, ast.alias):
            return (node.asname or node.name.partition(".")[0]) in {*self._names, "*"}
        return isinstance(node, Function) and node.name in self._names


def _outside_functions(statement: ast.stmt) -> Iterator[ast.AST]:
    """All nodes except function bodies, which only run when they are called."""
    waiting: list[ast.AST] = [statement]
    while waiting:
        node = waiting.pop()
        yield node
        if not isinstance(node, Function | ast.Lambda):
            waiting.extend(ast.iter_child_nodes(node))


def _keys(statement: ast.stmt) -> tuple[str, ...]:
    """The whole statement; without expected values; without literals and nested statements."""
    masked = Masker(()).visit(deepcopy(statement))
    loose = _Loose().visit(deepcopy(statement))
    for field in _BODIES:
        if isinstance(getattr(loose, field, None), list):
            setattr(loose, field, [])
    return (ast.dump(statement), ast.dump(masked), ast.dump(loose))


class _Loose(ast.NodeTransformer):
    def visit_Constant(self, node: ast.Constant) -> ast.expr:
        return ast.Name(f"<{type(node.value).__name__}>")


def has_grown(old: ast.AST, new: ast.AST) -> bool:
    """Whether two pieces differ only in additions to tables and objects."""
    if isinstance(old, ast.Dict) and isinstance(new, ast.Dict):
        return _has_more_keys(old, new)
    if isinstance(old, _TABLES) and isinstance(new, _TABLES) and type(old) is type(new):
        return _has_more_rows(old.elts, new.elts, is_row=isinstance(old, ast.Tuple))
    if type(old) is not type(new):
        return False
    before, after = dict(ast.iter_fields(old)), dict(ast.iter_fields(new))
    return all(_has_grown_field(before[name], after.get(name)) for name in before)


def _has_more_rows(old: list[ast.expr], new: list[ast.expr], *, is_row: bool) -> bool:
    is_table = all(isinstance(element, _TABLES) for element in old)
    if is_row and not is_table and len(old) != len(new):
        return False
    left = iter(new)
    return all(any(has_grown(one, other) for other in left) for one in old)


def _has_grown_field(old: object, new: object) -> bool:
    if isinstance(old, ast.AST) and isinstance(new, ast.AST):
        return has_grown(old, new)
    if isinstance(old, list) and isinstance(new, list):
        one, two = cast("list[object]", old), cast("list[object]", new)
        return len(one) == len(two) and all(map(_has_grown_field, one, two))
    return not isinstance(new, list | ast.AST) and _is_same(cast("object", old), new)


def _is_same(old: object, new: object) -> bool:
    """Whether two constants are equal and of one type: `True` is not `1`."""
    return type(old) is type(new) and old == new


def _has_more_keys(old: ast.Dict, new: ast.Dict) -> bool:
    if any(key is None for key in (*old.keys, *new.keys)):
        return ast.dump(old) == ast.dump(new)
    values: Mapping[str, ast.expr] = {
        ast.dump(key): value for key, value in zip(new.keys, new.values, strict=True) if key
    }
    pairs = [(ast.dump(key), value) for key, value in zip(old.keys, old.values, strict=True) if key]
    return len(values) == len(new.keys) and all(
        key in values and has_grown(value, values[key]) for key, value in pairs
    )
