"""Compares constants and tables beside the tests of a Python file: only values may differ."""

import ast
from collections.abc import Iterator
from typing import NamedTuple

from yudai.kit.syntax import UnreadableError, unparse_python
from yudai.verification.domain.expected.python_assertions import Masker
from yudai.verification.domain.expected.python_values import is_literal

_TABLES = ast.List | ast.Tuple | ast.Set


class Values(NamedTuple):
    before: str
    now: str


class _OtherShapeError(Exception):
    pass


def other_values(old: ast.stmt, new: ast.stmt) -> Values | None:
    """The changed literals, if nothing else changed; each changed row keeps one of its cells.

    None if something else changed or the statement assigns no literal.
    """
    before, after = _assigned(old), _assigned(new)
    if before is None or after is None or not (is_literal(before) and is_literal(after)):
        return None
    try:
        pairs = list(_differing(before, after))
        sides = [[unparse_python(pair[n]) for pair in pairs] for n in (0, 1)]
    except (_OtherShapeError, UnreadableError, RecursionError, MemoryError, ValueError):
        return None
    return Values(*(", ".join(side) for side in sides)) if pairs else None


def is_expected_by(test: ast.AST, name: str) -> bool:
    """Whether a test uses this name only as an expected value."""
    loads = sum(_is_load(node, name) for node in ast.walk(test))
    masker = Masker({name})
    masker.visit(test)
    return 0 < len(masker.uses) == loads


def is_single(statement: ast.stmt) -> bool:
    return not isinstance(_assigned(statement), _TABLES | ast.Dict)


def _is_load(node: ast.AST, name: str) -> bool:
    if isinstance(node, ast.Name):
        return node.id == name and isinstance(node.ctx, ast.Load)
    return isinstance(node, ast.Attribute) and node.attr == name


def _assigned(statement: ast.stmt) -> ast.expr | None:
    if isinstance(statement, ast.Assign | ast.AnnAssign):
        return statement.value
    return None


def _differing(old: ast.expr, new: ast.expr) -> Iterator[tuple[ast.expr, ast.expr]]:
    if isinstance(old, ast.Dict) and isinstance(new, ast.Dict):
        kept = {ast.dump(k): v for k, v in zip(new.keys, new.values, strict=True) if k}
        for key, value in zip(old.keys, old.values, strict=True):
            if key is None or ast.dump(key) not in kept:
                raise _OtherShapeError
            yield from _differing(value, kept[ast.dump(key)])
    elif isinstance(old, _TABLES) and isinstance(new, _TABLES):
        yield from _in_rows(old.elts, new.elts)
    elif ast.dump(old) != ast.dump(new):
        yield old, new


def _in_rows(old: list[ast.expr], new: list[ast.expr]) -> Iterator[tuple[ast.expr, ast.expr]]:
    """A table may gain rows at its end; each row keeps its length and at least one cell."""
    if len(new) < len(old):
        raise _OtherShapeError
    pairs = list(zip(old, new, strict=False))
    for one, other in pairs:
        if isinstance(one, _TABLES) and isinstance(other, _TABLES):
            is_same_row = len(one.elts) == len(other.elts) and any(
                ast.dump(a) == ast.dump(b) for a, b in zip(one.elts, other.elts, strict=True)
            )
            if not is_same_row:
                raise _OtherShapeError
        yield from _differing(one, other)
