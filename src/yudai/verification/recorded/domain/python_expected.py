"""Splits an assertion of a Python test into the computed expression and its expected value."""

import ast
from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import NamedTuple

from yudai.verification.domain.edits.python_test_tree import dotted
from yudai.verification.recorded.domain.probe import OPEN, Expected, Relation
from yudai.verification.recorded.domain.python_cases import Names

_RAISES = frozenset({"raises", "assertRaises", "assertRaisesRegex"})
_EQUAL = frozenset(
    {"assertEqual", "assertEquals", "assertIs", "assertListEqual", "assertTupleEqual"}
    | {"assertDictEqual", "assertSetEqual", "assertSequenceEqual", "assertMultiLineEqual"}
)
_METHODS: Mapping[str, Relation] = MappingProxyType(
    {
        **dict.fromkeys(_EQUAL, Relation.EQUAL),
        "assertNotEqual": Relation.DIFFERENT,
        "assertTrue": Relation.TRUE,
        "assertFalse": Relation.FALSE,
    }
)
_COMPARES: Mapping[type[ast.cmpop], Relation] = MappingProxyType(
    {
        ast.Eq: Relation.EQUAL,
        ast.Is: Relation.EQUAL,
        ast.NotEq: Relation.DIFFERENT,
        ast.IsNot: Relation.DIFFERENT,
    }
)
_NONE = ast.Constant(None)


class Asserted(NamedTuple):
    expression: ast.expr
    expected: Expected = OPEN
    lead: tuple[ast.stmt, ...] = ()
    """Statements of the assertion that come before the expression."""


def truths(test: ast.expr) -> Iterator[ast.expr]:
    """The parts of a conjunction: `a and b` is two assertions."""
    if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And):
        for value in test.values:
            yield from truths(value)
    else:
        yield test


def asserted(test: ast.expr, names: Names) -> Asserted:
    if isinstance(test, ast.Call) and dotted(test.func)[:1] == ["self"]:
        return _method(test, names)
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        return Asserted(test.operand, Expected(Relation.FALSE))
    if isinstance(test, ast.Compare) and len(test.ops) == 1:
        return _compared(test, test.left, test.ops[0], test.comparators[0], names)
    return Asserted(test, Expected(Relation.TRUE))


def _compared(
    test: ast.expr, left: ast.expr, op: ast.cmpop, right: ast.expr, names: Names
) -> Asserted:
    if relation := _COMPARES.get(type(op)):
        return _related(relation, left, right, names)
    if isinstance(op, ast.In):
        if (value := names.literal(right)) is not None:
            return Asserted(left, Expected(Relation.MEMBER, value))
        if (value := names.literal(left)) is not None:
            return Asserted(right, Expected(Relation.CONTAINS, value))
    return Asserted(test, Expected(Relation.TRUE))


def _related(relation: Relation, left: ast.expr, right: ast.expr, names: Names) -> Asserted:
    """The assertion with its literal side as the expected value."""
    if (value := names.literal(right)) is not None:
        return Asserted(left, Expected(relation, value))
    if (value := names.literal(left)) is not None:
        return Asserted(right, Expected(relation, value))
    return Asserted(left)


def _method(call: ast.Call, names: Names) -> Asserted:
    name, given = dotted(call.func)[-1], call.args
    if name in {"assertIsNone", "assertIsNotNone"} and given:
        is_none = name == "assertIsNone"
        relation = Relation.EQUAL if is_none else Relation.DIFFERENT
        return Asserted(given[0], Expected(relation, ("none", None)))
    if name == "assertIn" and len(given) >= 2:
        return _compared(call, given[0], ast.In(), given[1], names)
    if name in _RAISES and len(given) >= 2:
        called = ast.Call(given[1], given[2:], call.keywords)
        return Asserted(called, Expected(Relation.RAISES, error=_class_name(given[0])))
    relation = _METHODS.get(name)
    if relation and relation in {Relation.TRUE, Relation.FALSE} and given:
        return Asserted(given[0], Expected(relation))
    if relation is not None and len(given) >= 2:
        return _related(relation, given[0], given[1], names)
    # The caller refuses it, because it uses `self`.
    return Asserted(call)


def raises(statement: ast.With) -> Asserted | None:
    """The assertion in `with pytest.raises(ValueError): ...`."""
    if len(statement.items) != 1:
        return None
    call = statement.items[0].context_expr
    if not isinstance(call, ast.Call) or dotted(call.func)[-1:] not in [[r] for r in _RAISES]:
        return None
    *lead, last = statement.body
    error = _class_name(call.args[0]) if call.args else ""
    expected = Expected(Relation.RAISES, error=error)
    if isinstance(last, ast.Expr):
        return Asserted(last.value, expected, tuple(lead))
    return Asserted(_NONE, expected, (*lead, last))


def _class_name(node: ast.expr) -> str:
    """The class's name; empty for several classes or an unreadable one."""
    return dotted(node)[-1] if dotted(node) and not isinstance(node, ast.Call) else ""


def without_assertions(statement: ast.stmt) -> list[ast.stmt]:
    """The statements of an assertion without the comparison, for the assertions after it."""
    if isinstance(statement, ast.Assert):
        return [ast.Expr(part) for test in truths(statement.test) for part in _sides(test)]
    if isinstance(statement, ast.With) and raises(statement) is not None:
        handler = ast.ExceptHandler(ast.Name("Exception", ast.Load()), None, [ast.Pass()])
        return [ast.Try(statement.body, [handler], [], [])]
    if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call):
        if dotted(statement.value.func)[:1] == ["self"]:
            return _computed(statement.value)
        return [statement]
    is_docstring = isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)
    return [] if is_docstring or isinstance(statement, ast.Pass) else [statement]


def _sides(test: ast.expr) -> list[ast.expr]:
    """The computed sides of a comparison, without objects built only for it."""
    if not isinstance(test, ast.Compare):
        return [test]
    return [side for side in (test.left, *test.comparators) if not _is_made(side)]


def _is_made(side: ast.expr) -> bool:
    name = dotted(side.func)[-1:] if isinstance(side, ast.Call) else []
    return not isinstance(side, ast.Call) or any(part[:1].isupper() for part in name)


def _computed(call: ast.Call) -> list[ast.stmt]:
    if dotted(call.func)[-1] in _RAISES:
        called = ast.Expr(ast.Call(call.args[1], call.args[2:], [])) if len(call.args) > 1 else None
        handler = ast.ExceptHandler(ast.Name("Exception", ast.Load()), None, [ast.Pass()])
        return [ast.Try([called], [handler], [], [])] if called else []
    return [ast.Expr(argument) for argument in call.args]
