"""Reads the calls, inputs and expected values of a Python test, to find them in an issue."""

import ast
import builtins
from collections.abc import Iterable, Iterator

from yudai.kit.syntax import unparse_python
from yudai.verification.domain.edits.python_test_tree import Function, dotted
from yudai.verification.domain.sources.facts import FRAMEWORK, Facts, facts_of
from yudai.verification.domain.sources.names import Texts
from yudai.verification.domain.sources.python_closure import Part, PythonTest, python_test
from yudai.verification.domain.sources.python_definitions import documentation, string_of

_BUILTIN = frozenset(dir(builtins))
_COLLECTION = ast.List | ast.Dict | ast.Set | ast.Tuple
_LONGEST = 400


def python_facts(path: str, text: str, test: str, files: Texts) -> Facts:
    found = python_test(path, text, test, files)
    parts = (*found.own, *found.helpers)
    return facts_of(
        names=(name for part in parts for name in _called(part, found)),
        strings=(text for part in parts for text in _strings(part)),
        numbers=(number for part in parts for number in _numbers(part)),
        code=(text for part in parts for text in _code(part)),
        without=_packages(found.module.imported.values()),
    )


def _packages(imported: Iterable[str]) -> set[str]:
    """Names of imported packages, unless an import has the same name (`from page import page`)."""
    targets = [target.lstrip(".").split(".") for target in imported]
    return {first for first, *_ in targets} - {rest[-1] for _, *rest in targets if rest}


def _called(part: Part, test: PythonTest) -> Iterator[str]:
    imported = part.module.imported
    own = {helper.node.name for helper in test.helpers if isinstance(helper.node, Function)}
    for node in ast.walk(part.node):
        if isinstance(node, ast.Name) and (target := imported.get(node.id)):
            yield from _imported(target)
        elif isinstance(node, ast.Attribute):
            root = imported.get((dotted(node) or [""])[0], "").partition(".")[0]
            if root not in FRAMEWORK:
                yield node.attr
        elif isinstance(node, ast.Call):
            name = (dotted(node.func) or [""])[-1]
            if isinstance(node.func, ast.Name) and name not in _BUILTIN | own:
                yield name
            yield from _command(node)


def _imported(target: str) -> Iterator[str]:
    first, *rest = target.lstrip(".").split(".")
    if first not in FRAMEWORK:
        yield from rest or [first]


def _command(call: ast.Call) -> Iterator[str]:
    """Words of a command line: `main(["import", path])`, `run("tool import")`."""
    for argument in call.args[:2]:
        if isinstance(argument, ast.List | ast.Tuple):
            yield from filter(None, map(string_of, argument.elts))
        elif (text := string_of(argument)) and (dotted(call) or [""])[-1] in {"run", "invoke"}:
            yield from text.split()


def _strings(part: Part) -> Iterator[str]:
    docs = documentation(part.node)
    for node in ast.walk(part.node):
        if (text := string_of(node)) is not None and id(node) not in docs:
            yield text
        elif isinstance(node, ast.Constant) and isinstance(node.value, bytes):
            yield node.value.decode("utf-8", "replace")
        elif isinstance(node, ast.Call) and dotted(node)[-1:] in (["date"], ["datetime"]):
            parts = [part.value for part in node.args[:3] if isinstance(part, ast.Constant)]
            if len(parts) == 3 and all(type(part) is int for part in parts):
                yield "-".join(str(part).zfill(2) for part in parts)


def _numbers(part: Part) -> Iterator[str]:
    for node in ast.walk(part.node):
        if isinstance(node, ast.Constant) and type(node.value) in {int, float}:
            yield _written(node.value)


def _written(value: object) -> str:
    try:
        return str(value)
    except ValueError:
        # The number has more digits than Python prints.
        return ""


def _code(part: Part) -> Iterator[str]:
    """Collections and calls, as an issue would write them."""
    for node in ast.walk(part.node):
        is_call = isinstance(node, ast.Call) and bool(node.args) and bool(dotted(node.func))
        is_whole = isinstance(node, _COLLECTION) and isinstance(
            getattr(node, "ctx", None), ast.Load | None
        )
        if not is_call and not is_whole:
            continue
        if sum(1 for _ in ast.walk(node)) > _LONGEST:
            continue
        text = unparse_python(node)
        if isinstance(node, ast.Call):
            name = dotted(node.func)[-1]
            if name in _BUILTIN or name.startswith("assert"):
                continue
            text = name + text[len(unparse_python(node.func)) :]
        yield text
