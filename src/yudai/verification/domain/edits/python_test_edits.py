"""Finds a patch's edits to the tests of a Python file.

Syntax trees are compared, so the layout may change.
"""

import ast
from collections.abc import Iterable, Iterator, Mapping
from copy import deepcopy
from typing import NamedTuple

from yudai.kit.syntax import UnreadableError
from yudai.verification.domain.edits.python_growth import has_grown, without_additions
from yudai.verification.domain.edits.python_test_tree import (
    Function,
    Kind,
    Piece,
    dotted,
    is_skip,
    pieces,
    used_names,
)
from yudai.verification.domain.expectations import Expectation, expectation
from yudai.verification.domain.expected.change import Change
from yudai.verification.domain.expected.python_tables import (
    is_expected_by,
    is_single,
    other_values,
)
from yudai.verification.domain.expected.python_tests import changed_values, helper_places

Pieces = Mapping[str, Piece]

# Kinds of pieces that must not change, and their names in a finding.
_WHOLE = {
    Kind.FIXTURE: "the fixture ",
    Kind.AUTOUSE: "the autouse fixture ",
    Kind.SETUP: "the set-up ",
    Kind.HOOK: "",
}


class Edit(NamedTuple):
    reason: str
    is_runner: bool = False
    """Whether it changes how tests are run, and not only one test."""
    expectation: Expectation | None = None
    """Set if the edit only changes a test's expected value."""

    @classmethod
    def of(cls, change: Change) -> "Edit":
        changed = expectation(change)
        return cls(changed.reason, expectation=changed)


def edits(base: str, patched: str, *, is_conftest: bool) -> list[Edit]:
    """Edits that weaken existing tests; new tests do not. A new file's base is ""."""
    before, after = pieces(base), pieces(patched)
    try:
        old = [edit for piece in before.values() for edit in _changed(piece, before, after)]
        return old + _additions(before, after, is_conftest=is_conftest)
    except RecursionError as error:
        raise UnreadableError from error


def _changed(piece: Piece, before: Pieces, after: Pieces) -> Iterator[Edit]:
    now = after.get(piece.name)
    if _parent(piece) in before and _parent(piece) not in after:
        return
    if piece.kind is Kind.TEST:
        yield from _changed_test(piece, now, before, after)
    elif piece.kind is Kind.CLASS:
        yield from _changed_class(piece, now, before)
    elif piece.kind in _WHOLE and not _same(piece, now) and not _is_grown(piece, now):
        yield Edit(f"changes {_WHOLE[piece.kind]}{piece.name}", is_runner=piece.kind is Kind.HOOK)
    elif piece.kind in {Kind.VALUE, Kind.IMPORT, Kind.MARKER}:
        yield from _changed_support(piece, now, before)


def _changed_test(piece: Piece, now: Piece | None, before: Pieces, after: Pieces) -> Iterator[Edit]:
    if now is None:
        fresh = [p for name, p in after.items() if name not in before and p.kind is Kind.TEST]
        twin = next((p.name for p in fresh if _core(p) == _core(piece)), "")
        yield Edit(
            f"renames the existing test {piece.name} to {twin}"
            if twin
            else f"removes the existing test {piece.name}"
        )
    elif not isinstance(now.node, Function):
        yield Edit(f"replaces the existing test {piece.name}")
    elif _is_newly_skipped(piece, now):
        yield Edit(f"skips the existing test {piece.name}")
    elif not _same(piece, kept := _without_additions(piece, now)):
        changes = _changed_values(piece, kept, before)
        yield from map(Edit.of, changes)
        if not changes:
            yield Edit(f"edits the existing test {piece.name}")


def _without_additions(piece: Piece, now: Piece) -> Piece:
    if not isinstance(piece.node, Function) or not isinstance(now.node, Function):
        return now
    return now._replace(node=without_additions(piece.node, now.node))


def grown_tests(base: str, patched: str) -> list[str]:
    """Existing tests that gained statements, whether or not something else changed in them."""
    before, after = pieces(base), pieces(patched)
    try:
        tests = [(p, after[p.name]) for p in before.values() if p.name in after and _is_test(p)]
        return [p.name for p, now in tests if _without_additions(p, now).node is not now.node]
    except RecursionError as error:
        raise UnreadableError from error


def _is_test(piece: Piece) -> bool:
    return piece.kind is Kind.TEST


def _changed_values(piece: Piece, now: Piece, before: Pieces) -> list[Change]:
    """The changed expected values of this test, if nothing else changed in it."""
    old, new = _lasting(piece.node), _lasting(now.node)
    if piece.context != now.context or len(old) != len(new):
        return []
    if not isinstance(piece.node, Function) or not isinstance(now.node, Function):
        return []
    differ = [pair for pair in zip(old, new, strict=True) if not _has_only_grown(*pair)]
    return changed_values(piece.name, piece.node, now.node, differ, _helpers(before)) or []


def _helpers(before: Pieces) -> dict[str, list[int]]:
    """Functions of the file that assert something about their arguments."""
    functions = [(p, p.node) for p in before.values() if p.kind is Kind.VALUE]
    found = {
        piece.name.rpartition("::")[2]: helper_places(node)
        for piece, node in functions
        if isinstance(node, Function)
    }
    return {name: places for name, places in found.items() if places}


def _changed_class(piece: Piece, now: Piece | None, before: Pieces) -> Iterator[Edit]:
    prefix = f"{piece.name}::"
    if not any(p.kind is Kind.TEST for name, p in before.items() if name.startswith(prefix)):
        yield from _changed_support(piece, now, before)
    elif now is None or not isinstance(now.node, ast.ClassDef):
        yield Edit(f"removes the test class {piece.name}")
    elif _is_newly_skipped(piece, now):
        yield Edit(f"skips the test class {piece.name}")
    elif not _same(piece, now):
        yield Edit(f"changes the test class {piece.name}")


def _changed_support(piece: Piece, now: Piece | None, before: Pieces) -> Iterator[Edit]:
    """Report changed values, imports and helpers if existing tests use them."""
    if (
        _same(piece, now)
        or _is_grown(piece, now)
        or (now is None and piece.kind in {Kind.MARKER, Kind.IMPORT})
    ):
        return
    name = piece.name.rpartition("::")[2]
    if piece.kind is Kind.MARKER:
        yield Edit(f"changes {piece.name}")
    elif name in used_names(p for p in before.values() if p.name != piece.name):
        reason = f"changes {piece.name}, which existing tests use"
        found = _other_values(piece, now, before)
        yield from (Edit(reason, expectation=expectation(change)) for change in found)
        if not found:
            yield Edit(reason)


def _other_values(piece: Piece, now: Piece | None, before: Pieces) -> list[Change]:
    """The new values of a constant or table, for each test that uses it."""
    if now is None or piece.kind is not Kind.VALUE or piece.context != now.context:
        return []
    values = other_values(piece.node, now.node)
    name = piece.name.rpartition("::")[2]
    place = piece.name.removesuffix(name)
    near = [p for p in before.values() if p.kind is Kind.TEST and p.name.startswith(place)]
    tests = [p for p in near if name in used_names([p])]
    if values is None:
        return []
    if is_single(piece.node) and not all(is_expected_by(deepcopy(p.node), name) for p in tests):
        return []
    return [Change(test.name, values.before, values.now) for test in tests]


def _additions(before: Pieces, after: Pieces, *, is_conftest: bool) -> list[Edit]:
    fresh = [p for name, p in after.items() if name not in before]
    found = [edit for piece in fresh for edit in _added(piece, before, is_conftest=is_conftest)]
    return list(dict.fromkeys(found))


def _added(piece: Piece, before: Pieces, *, is_conftest: bool) -> Iterator[Edit]:
    shared = is_conftest or bool(before)
    touches_old = shared and (not _parent(piece) or _parent(piece) in before)
    if piece.kind is Kind.RUNNER:
        yield Edit(
            f"reaches into the test runner ({piece.name.replace('::', '.')})", is_runner=True
        )
    elif is_conftest and piece.kind in {Kind.HOOK, Kind.STAR}:
        what = "the hook " if isinstance(piece.node, Function) else ""
        yield Edit(f"adds {what}{piece.name}", is_runner=True)
    elif not touches_old:
        return
    elif piece.kind is Kind.STOP:
        yield Edit(f"stops or skips the whole file: {piece.name}", is_runner=is_conftest)
    elif piece.kind in {Kind.MARKER, Kind.HOOK}:
        yield Edit(f"adds {piece.name}", is_runner=is_conftest)
    elif piece.kind in {Kind.AUTOUSE, Kind.SETUP}:
        yield Edit(f"adds the {piece.kind} {piece.name}", is_runner=is_conftest)


def _parent(piece: Piece) -> str:
    return piece.name.rpartition("::")[0]


def _same(piece: Piece, now: Piece | None) -> bool:
    if now is None or piece.context != now.context or _core(piece) != _core(now):
        return False
    old, new = _lasting(piece.node), _lasting(now.node)
    return len(old) == len(new) and all(map(_has_only_grown, old, new))


def _is_grown(piece: Piece, now: Piece | None) -> bool:
    """Whether its objects and tables only gained entries."""
    if now is None or piece.kind is Kind.HOOK or piece.context != now.context:
        return False
    return has_grown(piece.node, now.node)


def _core(piece: Piece) -> str:
    """The piece without name, documentation and decorators; for a class only its header."""
    node = piece.node
    if isinstance(node, Function):
        parts: Iterable[ast.AST] = (node.args, *_undocumented(node.body))
    elif isinstance(node, ast.ClassDef):
        parts = (*node.bases, *node.keywords)
    else:
        parts = (node,)
    return type(node).__name__ + ";".join(map(ast.dump, parts))


def _undocumented(body: list[ast.stmt]) -> list[ast.stmt]:
    first = body[0].value if isinstance(body[0], ast.Expr) else None
    is_text = isinstance(first, ast.Constant) and isinstance(first.value, str)
    return body[1:] if is_text else body


def _decorators(node: ast.stmt) -> list[ast.expr]:
    return node.decorator_list if isinstance(node, Function | ast.ClassDef) else []


def _lasting(node: ast.stmt) -> list[ast.expr]:
    """Decorators that must stay. An existing skip may go, because that makes a test stricter."""
    return [decorator for decorator in _decorators(node) if not is_skip(decorator)]


def _is_newly_skipped(piece: Piece, now: Piece) -> bool:
    known = {ast.dump(decorator) for decorator in _decorators(piece.node)}
    return any(is_skip(d) and ast.dump(d) not in known for d in _decorators(now.node))


def _has_only_grown(old: ast.AST, new: ast.AST) -> bool:
    """Whether both are equal, or a parametrize that kept all its cases."""
    if ast.dump(old) == ast.dump(new):
        return True
    if not isinstance(old, ast.Call) or not isinstance(new, ast.Call):
        return False
    if dotted(old)[-1:] != ["parametrize"] or ast.dump(old.func) != ast.dump(new.func):
        return False
    before = [*old.args, *(word.value for word in old.keywords)]
    after = [*new.args, *(word.value for word in new.keywords)]
    words = [word.arg for word in old.keywords] == [word.arg for word in new.keywords]
    return words and len(before) == len(after) and all(map(_keeps_elements, before, after))


def _keeps_elements(old: ast.expr, new: ast.expr) -> bool:
    if not isinstance(old, ast.List | ast.Tuple) or not isinstance(new, ast.List | ast.Tuple):
        return ast.dump(old) == ast.dump(new)
    left = iter([ast.dump(element) for element in new.elts])
    return all(ast.dump(element) in left for element in old.elts)
