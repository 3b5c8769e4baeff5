"""Resolves a Python test's expressions to files, without executing them."""

import ast
import sys
from collections.abc import Iterator

from yudai.verification.domain.edits.python_test_tree import Function, dotted
from yudai.verification.domain.sources.facts import FRAMEWORK
from yudai.verification.domain.sources.names import words
from yudai.verification.domain.sources.places import Place, Root
from yudai.verification.domain.sources.python_closure import Part, PythonTest, fixture_of
from yudai.verification.domain.sources.python_definitions import stored, string_of, targets

TEMPORARY = words(
    """tmp_path tmpdir tmp_path_factory tempfile mkdtemp mkstemp TemporaryDirectory mktemp
    NamedTemporaryFile isolated_filesystem"""
)
_ROOTS = words(
    """rootdir rootpath root_dir root_path repo_root project_root project_dir rootpath repo_dir
    base_dir basedir"""
)
_SAME = words(
    """Path PurePath PosixPath str fspath realpath abspath normpath resolve absolute expanduser
    as_posix sorted list tuple set iter reversed next str strpath items values splitlines open
    read_text load loads"""
)
_LISTS = words("glob rglob iglob iterdir listdir scandir walk")
_JOINS = frozenset({"join", "joinpath", "files"})
# These follow a dot but are not methods of a path.
_FUNCTIONS = frozenset({"Path", "PurePath", "load", "loads", "open"})
_FOLDERS = frozenset({"os", "glob", "io", "posixpath"})
_STRANGE = FRAMEWORK | sys.stdlib_module_names
_MOST_DEEP = 25
_MOST_PLACES = 16
_MOST_STEPS = 500
_UNKNOWN = Place(Root.UNKNOWN)


class Places:
    """The values of names in a test and its helpers, as far as their source shows them."""

    def __init__(self, test: PythonTest) -> None:
        self._values: dict[str, list[tuple[ast.expr, str]]] = {}
        self._returns: dict[str, list[tuple[ast.expr, str]]] = {}
        self._steps = 0
        parts = (*test.own, *test.helpers)
        for part in parts:
            for node in ast.walk(part.node):
                self._bind(node, part.module.path)
        self._bind_arguments(parts)

    def of(self, node: ast.expr, path: str) -> list[Place]:
        self._steps = 0
        return list(dict.fromkeys(self._of(node, path, 0)))[:_MOST_PLACES]

    def strings(self, node: ast.expr) -> Iterator[str]:
        """Constants in an expression, including those of its names."""
        for inner in ast.walk(node):
            text = string_of(inner)
            if text is not None:
                yield text
            elif isinstance(inner, ast.Name):
                for value, _ in self._values.get(inner.id, ())[:_MOST_PLACES]:
                    if not any(isinstance(part, ast.Call) for part in ast.walk(value)):
                        yield from filter(None, map(string_of, ast.walk(value)))

    def _bind(self, node: ast.AST, path: str) -> None:
        if isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None:
            for target in targets(node):
                self._put(target, node.value, path)
        elif isinstance(node, ast.For | ast.comprehension):
            self._put(node.target, node.iter, path)
        elif isinstance(node, ast.withitem) and node.optional_vars is not None:
            self._put(node.optional_vars, node.context_expr, path)
        elif isinstance(node, ast.NamedExpr):
            self._put(node.target, node.value, path)
        elif isinstance(node, ast.Call) and dotted(node)[-1:] == ["parametrize"]:
            self._bind_parameters(node, path)
        elif isinstance(node, Function):
            self._bind_function(node, path)

    def _put(self, target: ast.expr, value: ast.expr, path: str) -> None:
        for name in stored(target):
            self._values.setdefault(name, []).append((value, path))

    def _bind_parameters(self, call: ast.Call, path: str) -> None:
        names = string_of(call.args[0]) if len(call.args) > 1 else None
        for name in (names or "").replace(",", " ").split():
            self._values.setdefault(name, []).append((call.args[1], path))

    def _bind_function(self, function: ast.FunctionDef | ast.AsyncFunctionDef, path: str) -> None:
        for node in ast.walk(function):
            if isinstance(node, ast.Return | ast.Yield) and node.value is not None:
                self._returns.setdefault(function.name, []).append((node.value, path))
                if name := fixture_of(function):
                    self._values.setdefault(name, []).append((node.value, path))

    def _bind_arguments(self, parts: tuple[Part, ...]) -> None:
        """Bind a helper's parameters to the arguments of its calls."""
        helpers = {p.node.name: p.node for p in parts if isinstance(p.node, Function)}
        for part in parts:
            for node in ast.walk(part.node):
                function = (
                    helpers.get((dotted(node) or [""])[-1]) if isinstance(node, ast.Call) else None
                )
                if isinstance(node, ast.Call) and function is not None:
                    names = [a.arg for a in function.args.args if a.arg not in {"self", "cls"}]
                    given = [*zip(names, node.args, strict=False)]
                    given += [(word.arg, word.value) for word in node.keywords if word.arg]
                    for name, value in given:
                        self._values.setdefault(name, []).append((value, part.module.path))

    def _of(self, node: ast.expr, path: str, depth: int) -> Iterator[Place]:
        self._steps += 1
        if depth > _MOST_DEEP or self._steps > _MOST_STEPS:
            return
        text = string_of(node)
        if text is not None:
            yield Place(Root.REPOSITORY).joined(text) if len(text) < 300 else _UNKNOWN
        elif isinstance(node, ast.Name):
            yield from self._of_name(node.id, path, depth)
        elif isinstance(node, ast.Attribute):
            yield from self._of_attribute(node, path, depth)
        elif isinstance(node, ast.Call):
            yield from self._of_call(node, path, depth)
        elif isinstance(node, ast.BinOp):
            join = self._joined if isinstance(node.op, ast.Div) else self._added
            yield from join([node.left, node.right], path, depth)
        elif isinstance(node, ast.JoinedStr):
            yield from self._added(node.values, path, depth)
        else:
            yield from self._of_other(node, path, depth)

    def _of_other(self, node: ast.expr, path: str, depth: int) -> Iterator[Place]:
        if isinstance(node, ast.FormattedValue | ast.Starred | ast.Await):
            yield from self._of(node.value, path, depth + 1)
        elif isinstance(node, ast.Subscript):
            yield from self._of_subscript(node, path, depth)
        elif isinstance(node, ast.List | ast.Tuple | ast.Set):
            for element in node.elts[:_MOST_PLACES]:
                yield from self._of(element, path, depth + 1)
        elif isinstance(node, ast.ListComp | ast.GeneratorExp | ast.SetComp):
            yield from self._of(node.elt, path, depth + 1)
        elif isinstance(node, ast.IfExp):
            yield from self._of(node.body, path, depth + 1)
            yield from self._of(node.orelse, path, depth + 1)
        else:
            yield _UNKNOWN

    def _of_name(self, name: str, path: str, depth: int) -> Iterator[Place]:
        if name == "__file__":
            yield Place(Root.REPOSITORY, tuple(path.split("/")))
        elif name in TEMPORARY:
            yield Place(Root.TEMPORARY)
        elif values := self._values.get(name):
            for value, where in values[:4]:
                yield from self._of(value, where, depth + 4)
        elif name.lower() in _ROOTS or name in {"ROOT", "REPO", "PROJECT"}:
            yield Place(Root.REPOSITORY)
        else:
            yield _UNKNOWN

    def _of_attribute(self, node: ast.Attribute, path: str, depth: int) -> Iterator[Place]:
        if node.attr in {"__file__", "__path__"}:
            is_strange = not _STRANGE.isdisjoint(dotted(node)[:1])
            yield _UNKNOWN if is_strange else Place(Root.PRODUCT, ("*.py",))
        elif node.attr in _ROOTS:
            yield Place(Root.REPOSITORY)
        elif node.attr == "parent":
            yield from (place.up() for place in self._of(node.value, path, depth + 1))
        elif node.attr in {"name", "stem", "suffix"}:
            yield _UNKNOWN
        elif dotted(node)[:1] in (["self"], ["cls"]):
            yield from self._of_name(node.attr, path, depth + 1)
        else:
            yield from self._of(node.value, path, depth + 1)

    def _of_subscript(self, node: ast.Subscript, path: str, depth: int) -> Iterator[Place]:
        value, at = node.value, node.slice
        if isinstance(value, ast.Attribute) and value.attr == "parents":
            levels = (
                at.value + 1 if isinstance(at, ast.Constant) and isinstance(at.value, int) else 1
            )
            yield from (place.up(levels) for place in self._of(value.value, path, depth + 1))
        else:
            yield from self._of(value, path, depth + 1)

    def _of_call(self, node: ast.Call, path: str, depth: int) -> Iterator[Place]:
        names = dotted(node.func)
        last = names[-1] if names else _last(node.func)
        if set(names) & TEMPORARY:
            yield Place(Root.TEMPORARY)
        elif last in {"getcwd", "cwd"}:
            yield Place(Root.REPOSITORY)
        elif last in self._returns:
            for value, where in self._returns[last][:4]:
                yield from self._of(value, where, depth + 4)
        elif last == "dirname":
            for argument in node.args[:1]:
                yield from (place.up() for place in self._of(argument, path, depth + 1))
        else:
            yield from self._of_method(node, last, path, depth)

    def _of_method(self, node: ast.Call, last: str, path: str, depth: int) -> Iterator[Place]:
        names = dotted(node.func)
        object_of = node.func.value if isinstance(node.func, ast.Attribute) else None
        if last in {"with_name", "with_suffix"} and object_of is not None:
            for place in self._of(object_of, path, depth + 1):
                yield place.up().joined(string_of(node.args[0]) or "*" if node.args else "*")
        elif last in _SAME | _LISTS | _JOINS:
            is_function = last in _FUNCTIONS or (names and names[0] in _FOLDERS)
            first = [] if object_of is None or is_function else [object_of]
            yield from self._joined([*first, *node.args], path, depth)
        else:
            yield _UNKNOWN

    def _joined(self, nodes: list[ast.expr], path: str, depth: int) -> Iterator[Place]:
        if not nodes:
            yield _UNKNOWN
            return
        places = list(self._of(nodes[0], path, depth + 1))[:_MOST_PLACES]
        for node in nodes[1:]:
            texts = [text.lstrip("/") for text in self._ends(node, path, depth)][:_MOST_PLACES]
            places = [p.joined(t or "*") for p in places for t in texts or ["*"]][:_MOST_PLACES]
        yield from places

    def _added(self, nodes: list[ast.expr], path: str, depth: int) -> Iterator[Place]:
        """The places of concatenated texts; only the first text gives the root."""
        if not nodes:
            yield _UNKNOWN
            return
        ends = [next(self._ends(node, path, depth), "*") for node in nodes[1:]]
        first = string_of(nodes[0])
        if first is not None:
            yield Place(Root.REPOSITORY).joined("".join([first, *ends])[:300])
            return
        for place in list(self._of(nodes[0], path, depth + 1))[:_MOST_PLACES]:
            text = "/".join(place.parts) or ("" if place.root is Root.REPOSITORY else "*")
            yield Place(place.root).joined("".join([text, *ends])[:300].lstrip("/"))

    def _ends(self, node: ast.expr, path: str, depth: int) -> Iterator[str]:
        text = string_of(node)
        if text is not None:
            yield text[:300]
            return
        for end in self._of(node, path, depth + 1):
            yield "/".join(end.parts) if end.root is Root.REPOSITORY else "*"


def _last(node: ast.expr) -> str:
    return node.attr if isinstance(node, ast.Attribute) else ""
