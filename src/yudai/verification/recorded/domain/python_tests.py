"""Takes Python tests apart into assertions, each with the statements before it."""

import ast
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import NamedTuple

from yudai.kit.syntax import UnreadableError, parse_python, unparse_python
from yudai.verification.domain.edits.python_test_tree import SETUPS, Function, dotted
from yudai.verification.recorded.domain.probe import Language, Probe, TakenApart
from yudai.verification.recorded.domain.python_cases import Case, Names, cases, own_place
from yudai.verification.recorded.domain.python_expected import (
    Asserted,
    asserted,
    raises,
    truths,
    without_assertions,
)

_MOST_PROBES = 20
_MOST_STATEMENTS = 300
# A test that uses these cannot be repeated by its statements alone.
_NOT_REPEATED = frozenset(
    {"mock", "freezegun", "random", "socket", "subprocess", "threading", "time", "time_machine"}
)
_RUNNERS = frozenset({"pytest", "unittest"})
_NOW = frozenset({"now", "today", "utcnow"})
_FIXTURES = frozenset({"fixture", "yield_fixture"})


class _File(NamedTuple):
    imports: tuple[tuple[str, ast.stmt], ...]
    """Each import with the name that it binds."""
    modules: Mapping[str, str]
    """By name: the top-level module that it comes from."""
    others: tuple[ast.stmt, ...]
    binding: Mapping[str, Sequence[int]]
    """By name: indexes of the statements in `others` that bind it."""
    loose: tuple[int, ...]
    """Indexes of the statements that bind nothing."""
    reason: str


def take_apart(path: str, text: str, test: str, *, around: Sequence[str] = ()) -> TakenApart:
    """Split the test into probes; `around`: texts of the conftest files that apply to it."""
    try:
        return _TestReader(path, parse_python(text), test).taken(around)
    except (UnreadableError, RecursionError, MemoryError):
        return TakenApart(reason="its file cannot be read")


class _TestReader:
    def __init__(self, path: str, tree: ast.Module, test: str) -> None:
        self._path = path
        self._test = test
        self._tree = tree
        self._file = _read_file(tree)

    def taken(self, around: Sequence[str]) -> TakenApart:
        function, class_ = own_place(self._tree, self._test)
        if function is None:
            return TakenApart(reason="it does not stand in its file")
        reason = self._file.reason or _shared(around) or _around(function, class_)
        if reason:
            return TakenApart(reason=reason)
        case = cases(function, self._test, in_class=class_ is not None)
        if isinstance(case, str):
            return TakenApart(reason=case)
        return self._probes(function, case)

    def _probes(self, function: Function, case: Case) -> TakenApart:
        prelude = [ast.Assign([ast.Name(n, ast.Store())], v) for n, v in case.values.items()]
        lines: list[ast.stmt] = list(prelude)
        probes: list[Probe] = []
        names = Names.of([*self._file.others, *prelude, *function.body])
        for statement in function.body[:_MOST_STATEMENTS]:
            for one in islice(_assertions(statement, names), _MOST_PROBES + 1 - len(probes)):
                probe = self._probe([*lines, *one.lead], one)
                if isinstance(probe, str):
                    return TakenApart(tuple(probes), probe)
                probes.append(probe)
            if len(probes) >= _MOST_PROBES:
                return TakenApart(tuple(probes[:_MOST_PROBES]), "it asserts too much")
            lines += without_assertions(statement)
        return TakenApart(tuple(probes), "" if probes else "it asserts nothing that can be read")

    def _probe(self, lines: Sequence[ast.stmt], one: Asserted) -> Probe | str:
        needed = _needed(self._file, [*lines, ast.Expr(one.expression)])
        loaded = _loaded([*needed, *lines, ast.Expr(one.expression)])
        lines = [line for line in lines if not _is_unused(line, loaded)]
        used = _used([*needed, *lines, ast.Expr(one.expression)])
        reason = _unrepeatable(self._file, used, [*needed, *lines, ast.Expr(one.expression)])
        if reason:
            return reason
        imports = [unparse_python(node) for name, node in self._file.imports if name in used]
        return Probe(
            test=self._test,
            path=self._path,
            language=Language.PYTHON,
            imports=tuple(dict.fromkeys(imports)),
            code=tuple(unparse_python(ast.fix_missing_locations(s)) for s in [*needed, *lines]),
            expression=unparse_python(ast.fix_missing_locations(one.expression)),
            expected=one.expected,
        )


def _assertions(statement: ast.stmt, names: Names) -> Iterator[Asserted]:
    if isinstance(statement, ast.Assert):
        lead: list[ast.stmt] = []
        for test in truths(statement.test):
            yield asserted(test, names)._replace(lead=tuple(lead))
            lead.append(ast.Expr(test))
    elif isinstance(statement, ast.With) and (found := raises(statement)):
        yield found
    elif isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call):
        call = statement.value
        if dotted(call.func)[:1] == ["self"]:
            yield asserted(call, names)


def _read_file(tree: ast.Module) -> _File:
    imports: list[tuple[str, ast.stmt]] = []
    modules: dict[str, str] = {}
    others: list[ast.stmt] = []
    reason = ""
    for statement in tree.body:
        if isinstance(statement, ast.Import | ast.ImportFrom):
            singles = list(_single_imports(statement))
            imports += [(name, one) for name, _, one in singles]
            modules |= {name: module for name, module, _ in singles}
        elif "pytestmark" in _bound([statement]):
            reason = "its file is marked"
        elif isinstance(statement, Function) and _is_around(statement):
            reason = "its file has fixtures for every test"
        elif not _is_test(statement):
            others.append(statement)
    names = [_bound([statement]) for statement in others]
    binding: dict[str, list[int]] = {}
    for name, at in ((name, at) for at, found in enumerate(names) for name in found):
        binding.setdefault(name, []).append(at)
    loose = tuple(at for at, found in enumerate(names) if not found)
    return _File(tuple(imports), modules, tuple(others), binding, loose, reason)


def _single_imports(
    statement: ast.Import | ast.ImportFrom,
) -> Iterator[tuple[str, str, ast.stmt]]:
    for alias in statement.names:
        if isinstance(statement, ast.Import):
            top = alias.name.partition(".")[0]
            yield alias.asname or top, top, ast.Import([alias])
        else:
            module = "." * statement.level + (statement.module or "")
            top = module if statement.level else module.partition(".")[0]
            if (module, alias.name) == ("unittest", "mock"):
                top = "mock"
            one = ast.ImportFrom(statement.module, [alias], statement.level)
            yield alias.asname or alias.name, top, one


def _is_test(statement: ast.stmt) -> bool:
    name = statement.name if isinstance(statement, Function | ast.ClassDef) else ""
    is_docstring = isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)
    bases = statement.bases if isinstance(statement, ast.ClassDef) else []
    is_case = name.startswith("Test") or any(dotted(b)[-1:] == ["TestCase"] for b in bases)
    return is_docstring or name.startswith("test") or is_case


def _is_around(function: Function) -> bool:
    if SETUPS.fullmatch(function.name):
        return True
    return any(
        isinstance(decorator, ast.Call)
        and dotted(decorator.func)[-1] in _FIXTURES
        and any(word.arg == "autouse" for word in decorator.keywords)
        for decorator in function.decorator_list
        if dotted(decorator)
    )


def _shared(around: Sequence[str]) -> str:
    """The reason if a conftest file affects every test; else empty."""
    for text in around:
        body = parse_python(text).body
        for statement in body:
            if isinstance(statement, Function):
                if _is_around(statement) or statement.name.startswith("pytest_"):
                    return "a conftest file speaks about every test"
            elif not isinstance(statement, ast.Import | ast.ImportFrom | ast.Expr | ast.ClassDef):
                return "a conftest file speaks about every test"
    return ""


def _around(function: Function, class_: ast.ClassDef | None) -> str:
    if isinstance(function, ast.AsyncFunctionDef):
        return "it is asynchronous"
    members = [] if class_ is None else class_.body
    has_set_up = any(isinstance(m, Function) and _is_around(m) for m in members)
    if has_set_up or (class_ is not None and class_.decorator_list):
        return "its class has a set-up"
    return ""


def _needed(file: _File, statements: Sequence[ast.stmt]) -> list[ast.stmt]:
    """The file's statements that these need, and those that bind nothing."""
    kept = set(file.loose)
    waiting = [*(file.others[at] for at in kept), *statements]
    while waiting:
        for name in _used([waiting.pop()]):
            more = [at for at in file.binding.get(name, ()) if at not in kept]
            kept.update(more)
            waiting += [file.others[at] for at in more]
    return [file.others[at] for at in sorted(kept)]


def _is_unused(line: ast.stmt, loaded: set[str]) -> bool:
    """Whether this assigns a value that no remaining statement reads."""
    calls = any(isinstance(node, ast.Call) for node in ast.walk(line))
    return isinstance(line, ast.Assign) and not calls and _bound([line]).isdisjoint(loaded)


def _used(statements: Sequence[ast.AST]) -> set[str]:
    return {node.id for part in statements for node in ast.walk(part) if isinstance(node, ast.Name)}


def _loaded(statements: Sequence[ast.AST]) -> set[str]:
    nodes = (node for part in statements for node in ast.walk(part))
    return {n.id for n in nodes if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)}


def _bound(statements: Sequence[ast.stmt]) -> set[str]:
    """Names that these statements bind in any branch."""
    found: set[str] = set()
    for part in statements:
        if isinstance(part, Function | ast.ClassDef):
            found.add(part.name)
            continue
        for node in ast.walk(part):
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                found.add(node.id)
            elif isinstance(node, Function | ast.ClassDef):
                found.add(node.name)
    return found


def _unrepeatable(file: _File, used: set[str], statements: Sequence[ast.AST]) -> str:
    found = (_not_repeated(name, file.modules[name]) for name in sorted(used & file.modules.keys()))
    outside = {"self", "__file__"} & used
    nodes = [node for part in statements for node in ast.walk(part)]
    asks = any(isinstance(node, ast.Attribute) and node.attr in _NOW for node in nodes)
    waits = any(isinstance(node, ast.Await | ast.Yield | ast.YieldFrom) for node in nodes)
    asserts = any(isinstance(node, ast.Assert) for node in nodes)
    reasons = (
        next(filter(None, found), ""),
        "it asks for the time" if asks else "",
        "it is asynchronous" if waits else "",
        f"it uses {min(outside)}" if outside else "",
        "it asserts in a branch, a loop or a helper" if asserts else "",
    )
    return next(filter(None, reasons), "")


def _not_repeated(name: str, module: str) -> str:
    if module in _NOT_REPEATED:
        return f"it uses {module}"
    if module in _RUNNERS:
        return f"it uses {name} beside its assertions"
    return "it imports its neighbours" if module.startswith(".") else ""
