"""Decides whether two versions of a Python test differ only in expected values."""

import ast
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from copy import deepcopy
from types import MappingProxyType
from typing import NamedTuple

from yudai.kit.syntax import UnreadableError, unparse_python
from yudai.verification.domain.expected.change import Change, Row, Rule
from yudai.verification.domain.expected.python_assertions import Bound, Helpers, Masker
from yudai.verification.domain.expected.python_subject import bound_values, python_subject
from yudai.verification.domain.expected.python_values import Slot, is_as_strict, is_value

Function = ast.FunctionDef | ast.AsyncFunctionDef
Names = Mapping[str, Rule]
NO_HELPERS: Helpers = MappingProxyType({})
Decorators = Iterable[tuple[ast.expr, ast.expr]]


class _Masked(NamedTuple):
    text: str
    """The test without its name, decorators and expected values."""
    slots: tuple[Slot, ...]
    names: Names
    """Arguments that are only used as expected values, and how they are compared."""
    abouts: Mapping[str, ast.AST | None]
    """By such a name: the expression that has to have its value."""


class _Row(NamedTuple):
    text: str
    slots: tuple[Slot, ...]


class _Table(NamedTuple):
    """A parametrize decorator: its text without rows, and the rows."""

    text: str
    ids: list[str]
    rows: list[_Row]


class _NotOnlyValuesError(Exception):
    pass


def changed_values(
    test: str, old: Function, new: Function, decorators: Decorators, helpers: Helpers = NO_HELPERS
) -> list[Change] | None:
    """The changed expected values; None if something else may have changed.

    `decorators` holds the pairs that are not equal.
    """
    try:
        pairs = [*_in_body(old, new, helpers), *_in_decorators(old, decorators)]
        if not all(is_as_strict(*pair) for pair in pairs):
            return None
        values = bound_values(old.body)
        found = [_change(test, *pair, values) for pair in pairs]
    except (_NotOnlyValuesError, UnreadableError, RecursionError, MemoryError, ValueError):
        return None
    return [change for change in found if change.before != change.now] or None


def _change(test: str, old: Slot, new: Slot, values: Mapping[str, ast.expr]) -> Change:
    before, now = unparse_python(old.node), unparse_python(new.node)
    return Change(test, before, now, python_subject(old.about, {**values, **old.row}), old.place)


def helper_places(helper: Function) -> list[int]:
    """Positions of the arguments that a function only compares with."""
    names = [argument.arg for argument in helper.args.args]
    names = names[1:] if names[:1] == ["self"] else names
    expected = _expected_names(ast.Module(deepcopy(helper.body), []), names)
    return [at for at, name in enumerate(names) if expected.get(name) is Rule.EXACT]


def _in_body(old: Function, new: Function, helpers: Helpers) -> list[tuple[Slot, Slot]]:
    if type(old) is not type(new):
        raise _NotOnlyValuesError
    before, after = _masked(old, helpers), _masked(new, helpers)
    if before.text != after.text or before.names != after.names:
        raise _NotOnlyValuesError
    return list(zip(before.slots, after.slots, strict=True))


def _in_decorators(test: Function, decorators: Decorators) -> Iterator[tuple[Slot, Slot]]:
    masked = _masked(test)
    for one, two in decorators:
        before, after = _table(one, masked), _table(two, masked)
        if before is None or after is None or before.text != after.text:
            raise _NotOnlyValuesError
        left = iter(after.ids)
        if not all(text in left for text in before.ids):
            raise _NotOnlyValuesError
        yield from _in_rows(before.rows, after.rows)


def _in_rows(before: list[_Row], after: list[_Row]) -> Iterator[tuple[Slot, Slot]]:
    """Pairs of cells. All old rows must remain in order; new rows may come between them."""
    left = iter(enumerate(after))
    for at, row in enumerate(before):
        now, twin = next(((n, other) for n, other in left if other.text == row.text), (0, None))
        if twin is None:
            raise _NotOnlyValuesError
        place = Row(at, len(before), now, len(after))
        olds = (slot._replace(place=place) for slot in row.slots)
        yield from zip(olds, twin.slots, strict=True)


def _table(decorator: ast.expr, test: _Masked) -> _Table | None:
    columns = _column_names(decorator)
    if not columns or not isinstance(decorator, ast.Call):
        return None
    words = {word.arg: word.value for word in decorator.keywords}
    rows = decorator.args[1] if len(decorator.args) > 1 else words.pop("argvalues", None)
    ids = words.pop("ids", None)
    # With `indirect`, a fixture can change the value.
    if not isinstance(rows, ast.List | ast.Tuple) or "indirect" in words:
        return None
    rest = [decorator.func, decorator.args[0], *decorator.args[2:], *words.values()]
    is_listed = isinstance(ids, ast.List | ast.Tuple)
    return _Table(
        text=f"{list(words)} {bool(ids)} {list(map(ast.dump, rest))}",
        ids=[ast.dump(e) for e in (ids.elts if is_listed else [ids] if ids else [])],
        rows=[_row(row, columns, test) for row in rows.elts],
    )


def _row(row: ast.expr, columns: list[str], test: _Masked) -> _Row:
    names = test.names
    cells, rest = _cells(row)
    if len(columns) == 1 or len(cells) != len(columns):
        return _Row(ast.dump(row), ())
    slots: list[Slot] = []
    text = rest
    for name, cell in zip(columns, cells, strict=True):
        if name in names:
            row_values = dict(zip(columns, cells, strict=True))
            slots.append(Slot(cell, names[name], about=test.abouts.get(name), row=row_values))
        text += "," + ("_" if name in names else ast.dump(cell))
    return _Row(text, tuple(slots))


def _cells(row: ast.expr) -> tuple[list[ast.expr], str]:
    """The cells of a row, and the text of the rest: `pytest.param(1, 2, id="x")`."""
    if isinstance(row, ast.Tuple | ast.List):
        return row.elts, ""
    if isinstance(row, ast.Call) and isinstance(row.func, ast.Attribute):
        is_param = row.func.attr == "param"
        rest = ast.dump(row.func) + "".join(map(ast.dump, row.keywords))
        return (row.args, rest) if is_param else ([], "")
    return [], ""


def _masked(function: Function, helpers: Helpers = NO_HELPERS) -> _Masked:
    """The test with marks for expected values; raises RecursionError if it is nested too deeply."""
    tree = ast.Module(_undocumented(deepcopy(function.body)), [])
    columns = _columns(function)
    bound = _bound(tree) | dict.fromkeys(columns, ())
    names = _expected_names(deepcopy(tree), bound.keys())
    rows = _loop_rows(tree)
    places = {
        id(node): Bound(name, rule, rows.get(id(node), {}))
        for name, rule in names.items()
        for node in bound[name]
    }
    masker = Masker(names, places, helpers)
    tree = masker.visit(tree)
    text = ast.dump(function.args) + ast.dump(tree)
    abouts = {use.name: use.about for use in masker.uses}
    slots = (s._replace(about=abouts.get(s.name)) if s.name else s for s in masker.slots)
    of_columns = {name: rule for name, rule in names.items() if name in columns}
    return _Masked(text, tuple(slots), of_columns, abouts)


def _undocumented(body: list[ast.stmt]) -> list[ast.stmt]:
    first = body[0].value if isinstance(body[0], ast.Expr) else None
    is_text = isinstance(first, ast.Constant) and isinstance(first.value, str)
    return body[1:] if is_text else body


def _column_names(decorator: ast.expr) -> list[str]:
    """The names of the arguments that a parametrize sets."""
    if not isinstance(decorator, ast.Call) or not isinstance(decorator.func, ast.Attribute):
        return []
    if decorator.func.attr != "parametrize" or not decorator.args:
        return []
    first = decorator.args[0]
    if isinstance(first, ast.Constant):
        return [name.strip() for name in str(first.value).split(",") if name.strip()]
    if isinstance(first, ast.List | ast.Tuple):
        return [str(e.value) if isinstance(e, ast.Constant) else "" for e in first.elts]
    return []


def _columns(function: Function) -> list[str]:
    stores = _stores(ast.Module(function.body, []))
    found = [n for decorator in function.decorator_list for n in _column_names(decorator)]
    counted = Counter(found)
    return [name for name in counted if counted[name] == 1 and name not in stores]


def _bound(tree: ast.Module) -> dict[str, tuple[ast.expr, ...]]:
    """Names that are bound once, with the nodes of their values."""
    stores = _stores(tree)
    found: dict[str, tuple[ast.expr, ...]] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign) and len(node.targets) == 1:
            target = node.targets[0]
            if isinstance(target, ast.Name) and is_value(node.value):
                found[target.id] = (node.value,)
        elif isinstance(node, ast.For):
            found |= _loop_columns(node)
    return {name: nodes for name, nodes in found.items() if stores[name] == 1}


def _loop_columns(loop: ast.For) -> dict[str, tuple[ast.expr, ...]]:
    """The columns of `for given, expected in [(1, 2), (3, 4)]`, by name."""
    if not isinstance(loop.target, ast.Tuple) or not isinstance(loop.iter, ast.List | ast.Tuple):
        return {}
    names = [e.id if isinstance(e, ast.Name) else "" for e in loop.target.elts]
    rows = [row.elts for row in loop.iter.elts if isinstance(row, ast.List | ast.Tuple)]
    if len(rows) != len(loop.iter.elts) or any(len(row) != len(names) for row in rows):
        return {}
    return {name: tuple(row[at] for row in rows) for at, name in enumerate(names) if name}


def _loop_rows(tree: ast.Module) -> dict[int, dict[str, ast.expr]]:
    """By a cell's node id: its row, by column name."""
    found: dict[int, dict[str, ast.expr]] = {}
    for loop in ast.walk(tree):
        if isinstance(loop, ast.For):
            columns = _loop_columns(loop)
            for row in zip(*columns.values(), strict=True):
                cells = dict(zip(columns, row, strict=True))
                found |= {id(cell): cells for cell in row}
    return found


def _stores(tree: ast.AST) -> Counter[str]:
    found: Counter[str] = Counter()
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            found[node.id] += 1
        elif isinstance(node, ast.arg):
            found[node.arg] += 1
        elif isinstance(node, ast.Global | ast.Nonlocal):
            found.update(2 * node.names)
    return found


def _expected_names(tree: ast.Module, candidates: Collection[str]) -> Names:
    """Names that are only used as expected values, always under the same rule."""
    loads = Counter(
        node.id
        for node in ast.walk(tree)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)
    )
    masker = Masker(candidates)
    masker.visit(tree)
    rules: dict[str, list[Rule]] = {}
    for use in masker.uses:
        rules.setdefault(use.name, []).append(use.rule)
    return {
        name: found[0]
        for name, found in rules.items()
        if len(found) == loads[name] and len(set(found)) == 1
    }
