"""Finds the literals of a Python statement that can be inputs."""

import ast

from yudai.kit.syntax import UnreadableError, parse_python
from yudai.verification.domain.edits.python_test_tree import Function
from yudai.verification.recorded.domain.spots import Spot

_MOST_SPOTS = 60
_LEFT_OUT = (Function, ast.ClassDef, ast.Lambda, ast.JoinedStr, ast.AnnAssign)
_BRACKETS = {ast.List: (b"[", b"]"), ast.Tuple: (b"(", b")"), ast.Set: (b"{", b"}")}


def python_spots(text: str) -> list[Spot]:
    """The literals outside functions, classes and formatted strings, in source order."""
    try:
        tree = parse_python(text)
    except UnreadableError:
        return []
    return _Finder(text).found(tree)


class _Finder:
    def __init__(self, text: str) -> None:
        encoded = text.encode("utf-8", "surrogatepass")
        self._bytes = encoded
        self._starts = [0]
        for line in encoded.split(b"\n"):
            self._starts.append(self._starts[-1] + len(line) + 1)
        self._spots: list[Spot] = []

    def found(self, tree: ast.AST) -> list[Spot]:
        waiting: list[ast.AST] = [tree]
        while waiting and len(self._spots) < _MOST_SPOTS:
            node = waiting.pop()
            if isinstance(node, _LEFT_OUT):
                continue
            inner = list(ast.iter_child_nodes(node))
            if isinstance(node, ast.expr) and (spot := self._spot(node)) is not None:
                self._spots.append(spot)
                if isinstance(node, ast.UnaryOp):
                    inner = []
            waiting += reversed(inner)
        return self._spots

    def _spot(self, node: ast.expr) -> Spot | None:
        start, end = self._place(node)
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
            inner = node.operand.value if isinstance(node.operand, ast.Constant) else None
            if isinstance(inner, int | float) and not isinstance(inner, bool):
                return Spot(start, end, -inner)
            return None
        if isinstance(node, ast.Constant) and isinstance(node.value, str | int | float):
            return Spot(start, end, node.value)
        if isinstance(node, ast.Dict):
            pairs = zip(node.keys, node.values, strict=True)
            places = [(self._place(k)[0], self._place(v)[1]) for k, v in pairs if k is not None]
            items = tuple(self._bytes[a:b] for a, b in places)
            is_whole = bool(items) and None not in node.keys
            return Spot(start, end, None, items, (b"{", b"}")) if is_whole else None
        return self._sequence(node, start, end)

    def _sequence(self, node: ast.expr, start: int, end: int) -> Spot | None:
        if not isinstance(node, ast.List | ast.Tuple | ast.Set) or not node.elts:
            return None
        if not isinstance(getattr(node, "ctx", ast.Load()), ast.Load):
            return None
        places = [self._place(item) for item in node.elts]
        items = tuple(self._bytes[a:b] for a, b in places)
        is_tuple = isinstance(node, ast.Tuple)
        if isinstance(node, ast.Set) and len(items) < 2:
            return None
        return Spot(start, end, None, items, _BRACKETS[type(node)], is_tuple)

    def _place(self, node: ast.expr) -> tuple[int, int]:
        last, column = node.end_lineno or node.lineno, node.end_col_offset or 0
        return self._starts[node.lineno - 1] + node.col_offset, self._starts[last - 1] + column
