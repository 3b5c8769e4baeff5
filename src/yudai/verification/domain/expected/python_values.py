"""Compares expected Python values: literals may change, all other parts must stay."""

import ast
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import chain
from types import MappingProxyType
from typing import NamedTuple

from yudai.verification.domain.expected.change import Row, Rule, is_other_pattern, is_other_text
from yudai.verification.domain.expected.strictness import is_as_narrow, is_other_bound

# Calls that only construct a value, by the last part of their name.
_VALUES = frozenset(
    {
        *("set", "frozenset", "dict", "list", "tuple", "bytes", "bytearray", "complex", "float"),
        *("int", "str", "Decimal", "Fraction", "date", "datetime", "time", "timedelta", "UUID"),
        *("Path", "PurePath", "PurePosixPath", "PosixPath", "OrderedDict", "Counter", "deque"),
        *("dedent", "array", "snapshot"),
    }
)
_MODULES = frozenset(
    {
        *("collections", "datetime", "dt", "decimal", "fractions", "np", "numpy", "pathlib"),
        *("pytest", "textwrap", "uuid"),
    }
)
_TEXT_METHODS = frozenset({"join", "strip", "lstrip", "rstrip", "format", "encode"})
_TOLERANT = "approx"
_CLASS = re.compile(r"[A-Z]\w*[a-z]\w*")
# Objects that are equal to many values.
_MATCHER = re.compile(
    r"(Is|Any|Has|Have|Re|Not|All|One|Every|Like|Same|Some|String)([A-Z_]\w*)?"
    r"|(Contain|Match|Regex|Partial|Approx|Instance|Ignor|Fuzzy|Subset|Superset|Close|Almost|Equal)"
    r"\w*"
    r"|\w*(Matcher|Matching|Containing|Like|Comparator|Any|Wildcard)"
)
_EXPECTED = re.compile(r"[A-Z][A-Z0-9_]*|.*(expect|want|correct|golden|reference).*")
_TABLES = ast.List | ast.Tuple | ast.Set


class Slot(NamedTuple):
    """An expected value in an assertion."""

    node: ast.expr
    rule: Rule
    form: str = ""
    """How the value is compared; with a literal, `is` and `==` are equally strict."""
    about: ast.AST | None = None
    """The expression that has to have this value."""
    name: str = ""
    """The name under which the value is compared."""
    row: Mapping[str, ast.expr] = MappingProxyType({})
    """The other cells of its table row."""
    place: Row | None = None


class _Part(NamedTuple):
    """A part of an expected value that is not a literal."""

    text: str
    is_call: bool = False
    """Whether it is a constructor: its number may change, but no new constructor may be added."""


def is_value(node: ast.expr) -> bool:
    """Whether this is a written value, not a computed one."""
    return _rank(node) < _COMPUTED


def is_computed(node: ast.expr) -> bool:
    """Whether any part of it is computed."""
    return _rank(node) >= _MIXED


def is_literal(node: ast.expr) -> bool:
    return _rank(node) == 0


def expected_side(one: ast.expr, two: ast.expr) -> ast.expr | None:
    """The expected side of a comparison, if that is clear."""
    first, second = _rank(one), _rank(two)
    if first == second or _says_expected(one) or _says_expected(two):
        return None
    return one if first < second else two


_COMPUTED = 3
_MIXED = 2


def _says_expected(node: ast.expr) -> bool:
    """Whether the name says that it holds the expected value; the other side is then computed."""
    name = node.attr if isinstance(node, ast.Attribute) else ""
    name = node.id if isinstance(node, ast.Name) else name
    return _EXPECTED.fullmatch(name) is not None


def _rank(node: ast.expr) -> int:
    """0 for a literal, 1 with constructors, 2 with computed parts, 3 if wholly computed."""
    parts = list(_parts(node))
    if any(not part.is_call for part in parts):
        return _COMPUTED if parts == [_Part(ast.dump(node))] else _MIXED
    return 1 if parts else 0


def is_as_strict(old: Slot, new: Slot) -> bool:
    """Whether only literals differ, and the new assertion accepts no more results."""
    if old.rule is not new.rule:
        return False
    return _NARROWER.get(old.rule, _is_value_as_strict)(old, new)


def _is_value_as_strict(old: Slot, new: Slot) -> bool:
    if not _has_same_parts(old.node, new.node):
        return False
    if old.form != new.form:
        return not _may_be_equal(old.node, new.node)
    if old.rule is Rule.CHOICE:
        return _is_choice(old.node, new.node)
    texts = _text(old.node), _text(new.node)
    if old.rule is Rule.EXACT or (old.rule is Rule.MEMBER and texts == (None, None)):
        return True
    check = is_other_pattern if old.rule is Rule.PATTERN else is_other_text
    return None not in texts and (texts[0] == texts[1] or check(texts[0] or "", texts[1] or ""))


_NARROWER: Mapping[Rule, Callable[[Slot, Slot], bool]] = {
    Rule.TYPE: lambda old, new: is_as_narrow(old.node, new.node),
    Rule.LEAST: lambda old, new: is_other_bound(old.node, new.node, is_least=True),
    Rule.MOST: lambda old, new: is_other_bound(old.node, new.node, is_least=False),
}


def _has_same_parts(old: ast.expr, new: ast.expr) -> bool:
    before, after = list(_parts(old)), list(_parts(new))
    if [p for p in before if not p.is_call] != [p for p in after if not p.is_call]:
        return False
    return {p for p in after if p.is_call} <= {p for p in before if p.is_call}


def _may_be_equal(old: ast.expr, new: ast.expr) -> bool:
    """Whether the values may be equal: `is True` must not become `== 1`."""
    try:
        return bool(ast.literal_eval(old) == ast.literal_eval(new))
    except (ValueError, TypeError, SyntaxError, MemoryError):
        return True


def _is_choice(old: ast.expr, new: ast.expr) -> bool:
    if not isinstance(old, _TABLES) or not isinstance(new, _TABLES):
        return False
    return 0 < len(new.elts) <= len(old.elts)


def _text(node: ast.expr) -> str | None:
    if isinstance(node, ast.Constant) and isinstance(node.value, str | bytes):
        return node.value if isinstance(node.value, str) else node.value.decode("latin-1")
    if isinstance(node, ast.JoinedStr):
        return "".join(_text(value) or "\0" for value in node.values)
    return None


def _parts(node: ast.expr) -> Iterator[_Part]:
    """The parts of an expected value that are not literals, in order."""
    if isinstance(node, ast.Constant) and node.value is not ...:
        return
    inner = _inside(node)
    if inner is None:
        yield _Part(ast.dump(node))
        return
    if isinstance(node, ast.Call):
        yield _Part(_signature(node), is_call=True)
    yield from chain.from_iterable(map(_parts, inner))


def _inside(node: ast.expr) -> Sequence[ast.expr] | None:
    """The values inside this one; None if it is computed."""
    if isinstance(node, _TABLES):
        return node.elts
    if isinstance(node, ast.Dict):
        keys = [key for key in node.keys if key is not None]
        # A None key unpacks another dictionary.
        return [*keys, *node.values] if len(keys) == len(node.keys) else None
    if isinstance(node, ast.JoinedStr):
        return node.values
    if isinstance(node, ast.UnaryOp | ast.BinOp):
        parts = [node.operand] if isinstance(node, ast.UnaryOp) else [node.left, node.right]
        return parts if all(map(_is_arithmetic, parts)) else None
    return _arguments(node) if isinstance(node, ast.Call) else None


def _is_arithmetic(node: ast.expr) -> bool:
    while isinstance(node, ast.UnaryOp):
        node = node.operand
    if isinstance(node, ast.BinOp):
        return _is_arithmetic(node.left) and _is_arithmetic(node.right)
    return isinstance(node, ast.Constant) and node.value is not ...


def _arguments(call: ast.Call) -> Sequence[ast.expr] | None:
    if isinstance(call.func, ast.Attribute) and isinstance(call.func.value, ast.Constant):
        text = [call.func.value, *call.args]
        return text if call.func.attr in _TEXT_METHODS and not call.keywords else None
    name = _last_name(call.func)
    if name == _TOLERANT:
        return call.args[:1] or None
    if name == "snapshot" and not call.args:
        return None
    if name not in _VALUES and (_CLASS.fullmatch(name) is None or _MATCHER.fullmatch(name)):
        return None
    return [*call.args, *(word.value for word in call.keywords)]


def _signature(call: ast.Call) -> str:
    """The parts of a call that must stay: its name and, for a class, the shape of its arguments."""
    name = _last_name(call.func)
    if not name and isinstance(call.func, ast.Attribute):
        return call.func.attr
    start = ast.dump(call.func)
    if name == _TOLERANT:
        return start + "".join(map(ast.dump, [*call.args[1:], *call.keywords]))
    return start if name in _VALUES else start + _layout(call)


def _layout(node: ast.AST) -> str:
    if isinstance(node, ast.Constant):
        return "_"
    if isinstance(node, ast.Dict):
        keys = ",".join("**" if key is None else ast.dump(key) for key in node.keys)
        return f"{{{keys}:{','.join(map(_layout, node.values))}}}"
    inner = ",".join(map(_layout, ast.iter_child_nodes(node)))
    name = node.arg if isinstance(node, ast.keyword) else ""
    return f"{type(node).__name__}:{name or ''}({inner})"


def _last_name(node: ast.expr) -> str:
    if isinstance(node, ast.Name):
        return node.id
    if not isinstance(node, ast.Attribute) or not isinstance(node.value, ast.Name):
        return ""
    # `x.date()` computes; `datetime.date(...)` and `shapes.Point(...)` construct a value.
    is_known = node.value.id in _MODULES or _CLASS.fullmatch(node.attr)
    return node.attr if is_known else ""
