"""Types and bounds that an assertion expects, and whether new ones accept more."""

import ast
import builtins

# Nearly every object is an instance of one of these.
_BROAD = frozenset({"Exception", "BaseException", "object", "Any", "Warning", "Error", "Object"})


def is_type(node: ast.expr) -> bool:
    """Whether this names a class or several."""
    if isinstance(node, ast.Tuple):
        return bool(node.elts) and all(map(is_type, node.elts))
    return isinstance(node, ast.Name) or (
        isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name | ast.Attribute)
    )


def is_as_narrow(old: ast.expr, new: ast.expr) -> bool:
    """Whether the new types accept no more classes, as far as that can be known."""
    before, after = _types(old), _types(new)
    if len(after) > len(before):
        return False
    fresh = [name for name in after if name not in before]
    return not any(name in _BROAD or _takes_in(name, before) for name in fresh)


def is_bound(node: ast.expr) -> bool:
    return _number(node) is not None


def is_other_bound(old: ast.expr, new: ast.expr, *, is_least: bool) -> bool:
    """Whether the new lower (or upper) bound accepts no more values."""
    before, after = _number(old), _number(new)
    if before is None or after is None:
        return False
    return after >= before if is_least else after <= before


def _types(node: ast.expr) -> list[str]:
    nodes = node.elts if isinstance(node, ast.Tuple) else [node]
    return [n.attr if isinstance(n, ast.Attribute) else getattr(n, "id", "") for n in nodes]


def _takes_in(name: str, others: list[str]) -> bool:
    """Whether a built-in class is a base of one that was expected."""
    broad = getattr(builtins, name, None)
    classes = (getattr(builtins, other, None) for other in others)
    return isinstance(broad, type) and any(
        isinstance(narrow, type) and issubclass(narrow, broad) for narrow in classes
    )


def _number(node: ast.expr) -> float | None:
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        inner = _number(node.operand)
        return None if inner is None else -inner
    if not isinstance(node, ast.Constant) or isinstance(node.value, bool):
        return None
    return node.value if isinstance(node.value, int | float) else None
