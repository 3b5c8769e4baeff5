"""Collects one Python test with its fixtures, helpers, set-ups, values and base classes."""

import ast
import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import NamedTuple

from yudai.kit.syntax import UnreadableError
from yudai.verification.domain.edits.python_test_tree import (
    SETUPS,
    Function,
    dotted,
)
from yudai.verification.domain.sources.names import Texts
from yudai.verification.domain.sources.python_definitions import (
    bound_names,
    flat,
    read_python,
    string_of,
)

_MOST_PARTS = 2000
_DOTTED_ID = re.compile(r"[\w.]*\.([\w]+)\.([\w]+)")


class Module(NamedTuple):
    """A test file, by the names that it binds."""

    path: str
    tree: ast.Module
    defined: dict[str, list[ast.stmt]]
    """Functions, classes and values, not imports."""
    imported: dict[str, str]
    """By local name: the dotted source, with leading dots if relative."""


class Part(NamedTuple):
    node: ast.AST
    module: Module


class PythonTest(NamedTuple):
    module: Module
    function: ast.FunctionDef | ast.AsyncFunctionDef | None
    """None if the file does not define the test; then the whole file counts."""
    own: tuple[Part, ...]
    helpers: tuple[Part, ...]
    """The parts that the test refers to, transitively."""
    loaded: tuple[Part, ...]
    """The parts that run when its file is loaded."""
    headers: tuple[Part, ...]
    """Decorators, defaults and base classes of other definitions."""
    modules: tuple[Module, ...]
    """Its file, and the conftest files and helper modules that are loaded with it."""


def python_test(path: str, text: str, test: str, files: Texts) -> PythonTest:
    module = _module(path, text)
    closure = _Closure(module, files)
    names = names_of_test(test)
    chain, function = _find(module, names, closure)
    if function is None:
        whole = Part(module.tree, module)
        return PythonTest(module, None, (whole,), (), (), (), tuple(closure.modules.values()))
    closure.add(function, module)
    for node in chain:
        closure.add_class(node, module)
    closure.run()
    helpers = closure.parts[1:]
    loaded, headers = closure.loaded()
    # A call at load time runs the called function.
    for part in loaded:
        for node in ast.walk(part.node):
            if isinstance(node, ast.Call):
                closure.refer(dotted(node)[:1], part.module)
    closure.run()
    behind = closure.parts[1 + len(helpers) :]
    return PythonTest(
        module,
        function,
        (Part(function, module),),
        tuple(helpers),
        (*loaded, *behind),
        tuple(headers),
        tuple(closure.modules.values()),
    )


def names_of_test(test: str) -> list[str]:
    """`tests/test_x.py::TestC::test_y[1]` and `tests.test_x.TestC.test_y`: TestC, test_y."""
    _, sign, rest = test.partition("::")
    if sign:
        return rest.partition("[")[0].split("::")
    match = _DOTTED_ID.fullmatch(test.rpartition("/")[2].partition(" ")[0])
    return [match[1], match[2]] if match else []


def _find(
    module: Module, names: list[str], closure: "_Closure"
) -> tuple[list[ast.ClassDef], ast.FunctionDef | ast.AsyncFunctionDef | None]:
    body: Iterable[ast.stmt] = module.tree.body
    chain: list[ast.ClassDef] = []
    for name in names[:-1]:
        found = [s for s in flat(body) if isinstance(s, ast.ClassDef) and s.name == name]
        if not found:
            return chain, None
        chain.append(found[-1])
        body = found[-1].body
    if not names:
        return chain, None
    functions = [s for s in flat(body) if isinstance(s, Function) and s.name == names[-1]]
    if not functions and chain:
        functions = [m for m in closure.members_of(chain[-1], module) if m.name == names[-1]]
    return chain, functions[-1] if functions else None


class _Closure:
    def __init__(self, module: Module, files: Texts) -> None:
        self.parts: list[Part] = []
        self._seen: set[int] = set()
        self._done = 0
        self._members: dict[str, list[Part]] = {}
        self._files = files
        self._main = module
        self.modules: dict[str, Module] = {module.path: module}
        for path in sorted(files):
            if path.endswith("conftest.py") and module.path.startswith(path[: -len("conftest.py")]):
                self._load(path)
        self._resolve_all()

    def add(self, node: ast.stmt, module: Module) -> None:
        if id(node) not in self._seen and len(self.parts) < _MOST_PARTS:
            self._seen.add(id(node))
            self.parts.append(Part(node, module))

    def add_class(self, node: ast.ClassDef, module: Module, depth: int = 0) -> None:
        """Add what every test of the class runs; other methods only if they are mentioned."""
        if depth > 20:
            return
        for expression in (*node.bases, *(word.value for word in node.keywords)):
            for base, where in self._classes(expression, module):
                self.add_class(base, where, depth + 1)
        for decorator in node.decorator_list:
            self.add(ast.Expr(decorator), module)
        for statement in node.body:
            if (
                not isinstance(statement, Function)
                or SETUPS.fullmatch(statement.name)
                or is_autouse(statement)
            ):
                self.add(statement, module)
            else:
                self._members.setdefault(statement.name, []).append(Part(statement, module))

    def members_of(
        self, node: ast.ClassDef, module: Module, depth: int = 0
    ) -> list[ast.FunctionDef | ast.AsyncFunctionDef]:
        inherited = [
            member
            for expression in node.bases
            for base, where in self._classes(expression, module)
            if depth < 20
            for member in self.members_of(base, where, depth + 1)
        ]
        return [*inherited, *(s for s in flat(node.body) if isinstance(s, Function))]

    def run(self) -> None:
        """Follow all mentioned names until nothing new is found."""
        if not self._done:
            for module in self.modules.values():
                for statement in flat(module.tree.body):
                    if isinstance(statement, Function) and _runs_always(statement):
                        self.add(statement, module)
            for statement in self._main.defined.get("pytestmark", ()):
                self.add(statement, self._main)
        while self._done < len(self.parts):
            part = self.parts[self._done]
            self._done += 1
            for node in ast.walk(part.node):
                self._follow(node, part.module)

    def refer(self, names: Iterable[str], module: Module) -> None:
        for name in names:
            for statement, where in self._lookup(name, module):
                self.add(statement, where)

    def loaded(self) -> tuple[list[Part], list[Part]]:
        loaded: list[Part] = []
        headers: list[Part] = []
        for module in self.modules.values():
            for node, is_header in _loaded(module.tree.body):
                (headers if is_header else loaded).append(Part(node, module))
        return loaded, headers

    def _follow(self, node: ast.AST, module: Module) -> None:
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            self.refer([node.id], module)
        elif isinstance(node, ast.Attribute):
            for part in self._members.get(node.attr, ()):
                self.add(part.node, part.module)  # pyright: ignore[reportArgumentType] - members are functions
            self._follow_attribute(node, module)
        elif isinstance(node, ast.arg):
            self._fixtures(node.arg, module)
        elif (text := string_of(node)) is not None and text.isidentifier():
            self._fixtures(text, module)

    def _follow_attribute(self, node: ast.Attribute, module: Module) -> None:
        words = dotted(node)
        target = module.imported.get(words[0]) if words else None
        if target is not None:
            for helper in self._resolve(".".join([target, *words[1:-1]]), module):
                self.refer([words[-1]], helper)

    def _fixtures(self, name: str, module: Module) -> None:
        """Fixtures requested by a parameter's name or by a string, from any of these files."""
        for where in self.modules.values():
            for statement in where.defined.get(name, ()):
                if isinstance(statement, Function) and fixture_of(statement) is not None:
                    self.add(statement, where)
            for statement in where.tree.body:
                if isinstance(statement, Function) and fixture_of(statement) == name:
                    self.add(statement, where)
        for part in self._members.get(name, ()):
            if isinstance(part.node, Function) and fixture_of(part.node) is not None:
                self.add(part.node, module)

    def _lookup(self, name: str, module: Module) -> Iterator[tuple[ast.stmt, Module]]:
        for statement in module.defined.get(name, ()):
            yield statement, module
        target = module.imported.get(name)
        if target is not None:
            head, _, last = target.rpartition(".")
            for helper in self._resolve(head or target, module):
                if helper is not module:
                    yield from ((s, helper) for s in helper.defined.get(last, ()))

    def _classes(self, node: ast.expr, module: Module) -> Iterator[tuple[ast.ClassDef, Module]]:
        names = dotted(node)
        for statement, where in self._lookup(names[0], module) if names else ():
            if isinstance(statement, ast.ClassDef):
                yield statement, where
        target = module.imported.get(names[0]) if len(names) > 1 else None
        for helper in self._resolve(target, module) if target else ():
            for statement in helper.defined.get(names[-1], ()):
                if isinstance(statement, ast.ClassDef):
                    yield statement, helper

    def _resolve_all(self) -> None:
        """Load all imported helper modules, and the helper modules that they import."""
        done = 0
        while done < len(self.modules):
            module = list(self.modules.values())[done]
            done += 1
            for target in module.imported.values():
                for name in (target, target.rpartition(".")[0]):
                    for path in self._paths(name, module):
                        self._load(path)

    def _resolve(self, name: str, module: Module) -> list[Module]:
        return [self.modules[path] for path in self._paths(name, module) if path in self.modules]

    def _paths(self, name: str, module: Module) -> list[str]:
        bare = name.lstrip(".")
        tail = bare.replace(".", "/")
        if not tail or not (self._files.keys() or self.modules.keys()):
            return []
        folder = module.path.rpartition("/")[0]
        ends = {f"{tail}.py", f"{tail}/__init__.py"}
        exact = {f"{folder}/{end}" if folder else end for end in ends} | ends
        return [path for path in self._files if path in exact]

    def _load(self, path: str) -> None:
        text = self._files.get(path)
        if text is not None and path not in self.modules and len(self.modules) < 50:
            try:
                self.modules[path] = _module(path, text)
            except UnreadableError:
                return


@lru_cache(maxsize=64)
def _module(path: str, text: str) -> Module:
    tree = read_python(text)
    defined: dict[str, list[ast.stmt]] = {}
    for statement in flat(tree.body):
        if not isinstance(statement, ast.Import | ast.ImportFrom):
            for name in bound_names(statement):
                defined.setdefault(name, []).append(statement)
    imported: dict[str, str] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import | ast.ImportFrom):
            imported.update(_imported(node))
    return Module(path, tree, defined, imported)


def _imported(node: ast.Import | ast.ImportFrom) -> Iterator[tuple[str, str]]:
    for alias in node.names:
        if isinstance(node, ast.Import):
            plain = alias.name.partition(".")[0]
            yield alias.asname or plain, alias.name if alias.asname else plain
        else:
            module = "." * node.level + (node.module or "")
            joint = "" if module.endswith(".") or not module else "."
            yield alias.asname or alias.name, f"{module}{joint}{alias.name}"


def _loaded(body: Iterable[ast.stmt]) -> Iterator[tuple[ast.AST, bool]]:
    """The parts that run on import, and whether each is only the header of a definition."""
    for statement in body:
        if isinstance(statement, Function | ast.ClassDef):
            yield from ((node, True) for node in _header(statement))
        elif not _is_main(statement):
            inner = list(flat([statement]))[1:]
            if any(isinstance(part, Function | ast.ClassDef) for part in inner):
                yield from _loaded(inner)
            else:
                yield statement, False


def _header(node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) -> Iterator[ast.AST]:
    yield from node.decorator_list
    if isinstance(node, ast.ClassDef):
        yield from (*node.bases, *node.keywords)
        yield from (inner for inner, _ in _loaded(node.body))
    else:
        yield from filter(None, (node.args, node.returns))


def _is_main(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.If) and "__main__" in ast.dump(statement.test)


def fixture_of(function: ast.FunctionDef | ast.AsyncFunctionDef) -> str | None:
    """The name under which a fixture is requested; None if this is not a fixture."""
    for decorator in function.decorator_list:
        if dotted(decorator)[-1:] and dotted(decorator)[-1].endswith("fixture"):
            words = decorator.keywords if isinstance(decorator, ast.Call) else []
            names = [string_of(word.value) for word in words if word.arg == "name"]
            return next(filter(None, names), function.name)
    return None


def _runs_always(function: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    return is_autouse(function) or SETUPS.fullmatch(function.name) is not None


def is_autouse(function: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    return any(
        isinstance(decorator, ast.Call)
        and dotted(decorator)[-1:] == ["fixture"]
        and any(word.arg == "autouse" for word in decorator.keywords)
        for decorator in function.decorator_list
    )
