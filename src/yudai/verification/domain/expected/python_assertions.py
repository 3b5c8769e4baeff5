"""Finds the assertions of a Python test and replaces their expected values by marks."""

import ast
import re
from collections.abc import Collection, Mapping
from copy import deepcopy
from types import MappingProxyType
from typing import NamedTuple

from yudai.verification.domain.expected.change import Rule
from yudai.verification.domain.expected.python_values import (
    Slot,
    expected_side,
    is_computed,
    is_literal,
    is_value,
)
from yudai.verification.domain.expected.strictness import is_bound, is_type

# `is None` is as strict as `== 3`, so these may replace each other.
_EXACT = frozenset({"assertEqual", "assertEquals", "assertIs", "assertIsNone"})
_EQUAL = _EXACT | {
    *("assertListEqual", "assertTupleEqual", "assertSetEqual", "assertDictEqual"),
    *("assertSequenceEqual", "assertMultiLineEqual", "assertCountEqual", "assertAlmostEqual"),
    *("assertHTMLEqual", "assertJSONEqual", "assertXMLEqual", "assertQuerySetEqual"),
    *("assert_equal", "assert_array_equal", "assert_allclose", "assert_almost_equal"),
    *("assert_array_almost_equal", "assert_frame_equal", "assert_series_equal"),
}
# Assertions whose second argument is the text or pattern to search for.
_SECOND = {
    "assertRegex": Rule.PATTERN,
    "assertRaisesRegex": Rule.PATTERN,
    "assertWarnsRegex": Rule.PATTERN,
    "assertRaisesMessage": Rule.TEXT,
    "assertWarnsMessage": Rule.TEXT,
}
_CALLED = frozenset(
    {
        *("assert_called_with", "assert_called_once_with", "assert_any_call"),
        *("assert_awaited_with", "assert_awaited_once_with", "assert_any_await"),
    }
)
_AFFIXES = frozenset({"startswith", "endswith"})
_RAISES = frozenset({"raises", "warns"})
# Assertions that expect a class as the first argument, or as the second.
_TYPED_FIRST = frozenset(
    {"raises", "warns", "assertRaises", "assertWarns", "assertRaisesRegex", "assertWarnsRegex"}
)
_TYPED_SECOND = frozenset({"assertIsInstance"})
_BOUNDS = {
    **dict.fromkeys(("assertGreater", "assertGreaterEqual"), Rule.LEAST),
    **dict.fromkeys(("assertLess", "assertLessEqual"), Rule.MOST),
}
_ORDERS: tuple[tuple[type[ast.cmpop], Rule, Rule], ...] = (
    (ast.Gt, Rule.LEAST, Rule.MOST),
    (ast.GtE, Rule.LEAST, Rule.MOST),
    (ast.Lt, Rule.MOST, Rule.LEAST),
    (ast.LtE, Rule.MOST, Rule.LEAST),
)
# These hold for few values, and their opposite holds for nearly all.
_COMPARES = re.compile(
    r"equal|same|close|instance|subclass|match|like|subset|superset|disjoint|almost|approx|near"
    r"|_in$|eq$|^(?:all|any|bool|callable|hasattr|compare\w*|contains?)$",
    re.IGNORECASE,
)


class Use(NamedTuple):
    """A name used as an expected value."""

    name: str
    rule: Rule
    about: ast.AST | None


class Bound(NamedTuple):
    """A place where a name is bound to an expected value."""

    name: str
    rule: Rule
    row: Mapping[str, ast.expr] = MappingProxyType({})


Helpers = Mapping[str, Collection[int]]
"""By function name: the positions of arguments that the function only compares with."""


class Masker(ast.NodeTransformer):
    """Replaces every expected value by a mark, and keeps the values in order.

    Names in `candidates` count as expected values where they are used as such. `bindings` holds,
    by node id, the places where such names are bound to their values.
    """

    def __init__(
        self,
        candidates: Collection[str],
        bindings: Mapping[int, Bound] = MappingProxyType({}),
        helpers: Helpers = MappingProxyType({}),
    ) -> None:
        self.slots: list[Slot] = []
        self.uses: list[Use] = []
        self._block: ast.AST | None = None
        self._candidates = candidates
        self._bindings = bindings
        self._helpers = helpers

    def visit(self, node: ast.AST) -> ast.AST:
        bound = self._bindings.get(id(node))
        if bound is not None and isinstance(node, ast.expr) and is_value(node):
            self.slots.append(Slot(node, bound.rule, name=bound.name, row=bound.row))
            return ast.Name(f"<{bound.rule}>")
        return super().visit(node)

    def visit_With(self, node: ast.With) -> ast.AST:
        outer, self._block = self._block, ast.Module(deepcopy(node.body), [])
        visited = self.generic_visit(node)
        self._block = outer
        return visited

    def visit_Assert(self, node: ast.Assert) -> ast.AST:
        test = self._condition(node.test)
        return self.generic_visit(ast.Assert(test, _without_value(node.msg)))

    def visit_Call(self, node: ast.Call) -> ast.AST:
        name = _last_name(node.func)
        node = self._typed(name, node)
        if name in self._helpers:
            node = self._helped(node, self._helpers[name])
        elif name in _CALLED:
            node = self._called(node)
        elif name in _RAISES:
            about = self._block if len(node.args) < 2 else _called_by(node)
            words = [self._word(w, "match", Rule.PATTERN, about) for w in node.keywords]
            node = ast.Call(node.func, node.args, words)
        elif name.startswith("assert") and node.args:
            words = [w for w in node.keywords if w.arg != "msg" or not is_value(w.value)]
            node = self._asserted(name, ast.Call(node.func, node.args, words))
        return self.generic_visit(node)

    def _helped(self, call: ast.Call, places: Collection[int]) -> ast.Call:
        """Mark `"5s"` in `check(5, "5s")`, if the helper compares with its second argument."""
        given = [a for n, a in enumerate(call.args) if n not in places]
        about = ast.Call(call.func, given, [])
        arguments = [
            self._found(a, Rule.EXACT, about) if n in places else a for n, a in enumerate(call.args)
        ]
        return ast.Call(call.func, arguments, call.keywords)

    def _typed(self, name: str, call: ast.Call) -> ast.Call:
        """Mark the expected class or bound, if there is one."""
        if name in _BOUNDS and len(call.args) > 1 and is_bound(call.args[1]):
            first, second, *rest = call.args
            mark = self._mark(second, _BOUNDS[name], first)
            return ast.Call(call.func, [first, mark, *rest], call.keywords)
        at = 0 if name in _TYPED_FIRST else 1
        if name not in _TYPED_FIRST | _TYPED_SECOND or len(call.args) <= at:
            return call
        if not is_type(call.args[at]):
            return call
        about = call.args[0] if at else self._block
        if not at and len(call.args) > 1 and name in {"raises", "assertRaises", "warns"}:
            about = _called_by(call)
        arguments = list(call.args)
        arguments[at] = self._mark(arguments[at], Rule.TYPE, about)
        return ast.Call(call.func, arguments, call.keywords)

    def _asserted(self, name: str, call: ast.Call) -> ast.Call:
        first, *rest = call.args
        if name in {"assertTrue", "assertFalse"}:
            return self._truth(call, first, rest, is_true=name == "assertTrue")
        if name == "assertIn" and rest:
            return ast.Call(call.func, [*self._member(first, rest[0]), *rest[1:]], call.keywords)
        if name in _SECOND and rest:
            raised = self._block if len(rest) < 2 else ast.Call(rest[1], rest[2:], [])
            about = first if name == "assertRegex" else raised
            second = self._found(rest[0], _SECOND[name], about)
            return ast.Call(call.func, [first, second, *rest[1:]], call.keywords)
        if name == "assertIsNone":
            return self._equal(call, [first, ast.Constant(None), *rest], form="is")
        if name in _EQUAL and rest:
            form = "is" if name == "assertIs" else ""
            return self._equal(call, call.args, form=form)
        return call

    def _equal(self, call: ast.Call, arguments: list[ast.expr], *, form: str) -> ast.Call:
        one, two, *rest = arguments
        expected = self._side(one, two)
        if expected is None or (form and not _is_singleton(expected)):
            return call
        subject = two if expected is one else one
        func = call.func
        if _last_name(func) in _EXACT:
            func = _marked_name("equal", func)
            rest = [] if len(rest) == 1 and is_value(rest[0]) else rest
        mark = self._mark(expected, Rule.EXACT, subject, form)
        return ast.Call(func, [subject, mark, *rest], call.keywords)

    def _truth(
        self, call: ast.Call, first: ast.expr, rest: list[ast.expr], *, is_true: bool
    ) -> ast.Call:
        if _is_predicate(first):
            mark = self._mark(ast.Constant(is_true), Rule.EXACT, first)
            return ast.Call(_marked_name("truth", call.func), [first, mark], call.keywords)
        return ast.Call(call.func, [self._condition(first), *rest], call.keywords)

    def _called(self, call: ast.Call) -> ast.Call:
        arguments = [self._found(argument, Rule.EXACT) for argument in call.args]
        words = [self._word(word, word.arg, Rule.EXACT) for word in call.keywords]
        return ast.Call(call.func, arguments, words)

    def _word(
        self, word: ast.keyword, name: str | None, rule: Rule, about: ast.AST | None = None
    ) -> ast.keyword:
        is_meant = name is not None and word.arg == name
        return ast.keyword(word.arg, self._found(word.value, rule, about)) if is_meant else word

    def _condition(self, test: ast.expr) -> ast.expr:
        if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And):
            return ast.BoolOp(test.op, [self._condition(value) for value in test.values])
        if isinstance(test, ast.Compare) and len(test.ops) == 1:
            return self._comparison(test, test.left, test.comparators[0])
        is_negated = isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not)
        inner = test.operand if isinstance(test, ast.UnaryOp) and is_negated else test
        if _is_predicate(inner):
            mark = self._mark(ast.Constant(not is_negated), Rule.EXACT, inner)
            return ast.Call(ast.Name("<truth>"), [inner, mark], [])
        if isinstance(test, ast.Call) and _last_name(test.func) == "isinstance":
            subject, *classes = test.args
            marks = [self._mark(c, Rule.TYPE, subject) if is_type(c) else c for c in classes]
            return ast.Call(test.func, [subject, *marks], test.keywords)
        if isinstance(test, ast.Call) and _last_name(test.func) in _AFFIXES and test.args:
            first, *rest = test.args
            about = test.func.value if isinstance(test.func, ast.Attribute) else None
            found = self._found(first, Rule.TEXT, about)
            return ast.Call(test.func, [found, *rest], test.keywords)
        return test

    def _comparison(self, test: ast.Compare, left: ast.expr, right: ast.expr) -> ast.expr:
        if isinstance(test.ops[0], ast.In):
            return ast.Call(ast.Name("<in>"), self._member(left, right), [])
        if not isinstance(test.ops[0], ast.Eq | ast.Is):
            return self._ordered(test, left, right)
        form = "is" if isinstance(test.ops[0], ast.Is) else ""
        expected = self._side(left, right)
        if expected is None or (form and not _is_singleton(expected)):
            return test
        subject = right if expected is left else left
        mark = self._mark(expected, Rule.EXACT, subject, form)
        return ast.Call(ast.Name("<equal>"), [subject, mark], [])

    def _ordered(self, test: ast.Compare, left: ast.expr, right: ast.expr) -> ast.expr:
        rules = next(((a, b) for op, a, b in _ORDERS if isinstance(test.ops[0], op)), None)
        if rules is None or is_bound(left) == is_bound(right):
            return test
        if is_bound(right):
            return ast.Compare(left, test.ops, [self._mark(right, rules[0], left)])
        return ast.Compare(self._mark(left, rules[1], right), test.ops, [right])

    def _member(self, element: ast.expr, container: ast.expr) -> list[ast.expr]:
        if is_computed(container) and not self._is_candidate(container):
            return [self._found(element, Rule.MEMBER, container), container]
        if is_computed(element) and not self._is_candidate(element):
            return [element, self._found(container, Rule.CHOICE, element)]
        return [element, container]

    def _found(self, node: ast.expr, rule: Rule, about: ast.AST | None = None) -> ast.expr:
        """Mark this node if it is a value."""
        if isinstance(node, ast.Call) and _last_name(node.func) == "escape" and node.args:
            inner = self._found(node.args[0], Rule.TEXT, about)
            return ast.Call(node.func, [inner, *node.args[1:]], node.keywords)
        is_known = is_value(node) or self._is_candidate(node)
        return self._mark(node, rule, about) if is_known else node

    def _side(self, one: ast.expr, two: ast.expr) -> ast.expr | None:
        """The expected side of a comparison; the other side has to be computed."""
        for node, other in ((one, two), (two, one)):
            if self._is_candidate(node):
                is_clear = not is_literal(other) and not self._is_candidate(other)
                return node if is_clear else None
        return expected_side(one, two)

    def _is_candidate(self, node: ast.expr) -> bool:
        return _candidate_name(node) in self._candidates

    def _mark(self, node: ast.expr, rule: Rule, about: ast.AST | None, form: str = "") -> ast.expr:
        about = deepcopy(about)
        if self._is_candidate(node):
            self.uses.append(Use(_candidate_name(node), rule, about))
            return node
        self.slots.append(Slot(node, rule, form, about))
        return ast.Name(f"<{rule}>")


def _candidate_name(node: ast.expr) -> str:
    """A name, or an attribute of the test's own class."""
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
        return node.attr if node.value.id in {"self", "cls"} else ""
    return node.id if isinstance(node, ast.Name) else ""


def _called_by(call: ast.Call) -> ast.expr:
    """`raises(E, f, 1)` calls `f(1)`."""
    return ast.Call(call.args[1], call.args[2:], [])


def _without_value(message: ast.expr | None) -> ast.expr | None:
    return None if message is None or is_value(message) else message


def _marked_name(name: str, func: ast.expr) -> ast.expr:
    """Give assertions that are as strict as each other one common name."""
    if isinstance(func, ast.Attribute):
        return ast.Attribute(func.value, f"<{name}>")
    return ast.Name(f"<{name}>")


def _is_singleton(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and (node.value is None or isinstance(node.value, bool))


def _is_predicate(node: ast.expr) -> bool:
    """Whether this is a yes-or-no question; its opposite is then as strict."""
    if isinstance(node, ast.Await):
        return _is_predicate(node.value)
    name = _last_name(node.func if isinstance(node, ast.Call) else node)
    return bool(name) and name not in _AFFIXES and _COMPARES.search(name) is None


def _last_name(node: ast.expr) -> str:
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""
