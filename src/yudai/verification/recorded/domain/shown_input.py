"""An input for a person: names of short literals are replaced by the literals."""

import ast
from collections.abc import Sequence
from typing import NamedTuple

from yudai.kit.syntax import UnreadableError, parse_python, unparse_python
from yudai.verification.recorded.domain.probe import Language, Probe
from yudai.verification.recorded.domain.python_cases import Inliner, Names, literal_nodes

_MOST_INLINED = 80
_MOST_SHOWN = 120
_MOST_WHOLE = 3_000


class ShownInput(NamedTuple):
    short: str
    """The input in one line."""
    whole: str
    """The input with the statements before it; empty if the line is complete."""


def shown_input(probe: Probe) -> ShownInput:
    code, expression = list(probe.code), probe.expression
    if probe.language is Language.PYTHON:
        code, expression = _inlined(code, expression)
    else:
        call = "await attempt("
        is_call = expression.startswith(call)
        expression = expression[len(call) : -1] if is_call else expression
    short = " ".join(expression.split())
    is_cut = len(short) > _MOST_SHOWN
    whole = "\n".join([*code, expression]) if code or is_cut else ""
    cut = f"{short[:_MOST_SHOWN]}..." if is_cut else short
    return ShownInput(cut, whole[:_MOST_WHOLE])


def _inlined(code: Sequence[str], expression: str) -> tuple[list[str], str]:
    try:
        lines = [statement for text in code for statement in parse_python(text).body]
        names = Names.of(lines)
        short = {
            name: node
            for name, node in names.values.items()
            if literal_nodes(node) and len(unparse_python(node)) <= _MOST_INLINED
        }
        inliner = Inliner(short)
        shown = unparse_python(inliner.visit(parse_python(expression)))
        kept = [unparse_python(inliner.visit(s)) for s in lines if not _gives(s, short)]
    except (UnreadableError, RecursionError):
        return list(code), expression
    return kept, shown


def _gives(statement: ast.stmt, names: dict[str, ast.expr]) -> bool:
    if not isinstance(statement, ast.Assign):
        return False
    target = statement.targets[0]
    return isinstance(target, ast.Name) and target.id in names
