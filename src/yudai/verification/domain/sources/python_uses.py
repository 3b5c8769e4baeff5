"""Finds the names that one Python test mentions, in itself and in the code that it needs."""

import ast
import re
import sys
import textwrap
from collections.abc import Iterable, Iterator

from yudai.kit.syntax import UnreadableError
from yudai.verification.domain.edits.python_test_tree import Function, dotted
from yudai.verification.domain.sources.names import Texts, Uses, merged, spellings, words, words_of
from yudai.verification.domain.sources.python.operations import operation
from yudai.verification.domain.sources.python_closure import (
    Part,
    PythonTest,
    fixture_of,
    python_test,
)
from yudai.verification.domain.sources.python_definitions import (
    documentation,
    read_python,
    stored,
    string_of,
)

_FIXTURES = words(
    """tmp_path tmpdir tmp_path_factory capsys capfd caplog monkeypatch mocker recwarn"""
)
# Their results are never objects of the product.
_PLAIN_MODULES = words(
    """json re os pathlib subprocess io tempfile time datetime math random string textwrap shutil
    csv decimal uuid hashlib base64 struct platform"""
)
_PLAIN_CALLS = words("str int float bytes bytearray dict list set tuple frozenset open")
_DISPLAYS = ast.Constant | ast.JoinedStr | ast.List | ast.Dict | ast.Set | ast.ListComp
_BY_NAME = words(
    """getattr hasattr setattr delattr attrgetter methodcaller import_module __import__ eval exec
    find_spec getattr_static __getattribute__ getfixturevalue"""
)
_LISTINGS = words("dir vars getmembers signature getfullargspec globals iter_modules")
_WHOLE = words("fields loads load run_module run_path")
# Other libraries also have functions with these names.
_ONLY_FROM = {
    "fields": "dataclasses",
    "loads": "pickle marshal dill cloudpickle",
    "load": "pickle marshal dill cloudpickle",
    "run_module": "runpy",
    "run_path": "runpy",
    "resolve_name": "pkgutil",
    "locate": "pydoc",
}
_PROGRAMS = words("run check_output check_call call Popen")
_INSIDES = words(
    """__dict__ __kwdefaults__ __defaults__ __annotations__ __code__ __slots__ __subclasses__
    __all__ __dataclass_fields__"""
)
_MOST_ARGUMENTS = 12
_CODE = re.compile(r"\bimport\b|\w\(|\w\.\w")


def python_uses(path: str, text: str, test: str, files: Texts, *, loads: bool = True) -> Uses:
    """The test's uses; `loads`: also those that its file needs to load."""
    found = python_test(path, text, test, files)
    parts = (*found.own, *found.helpers, *(found.loaded if loads else ()))
    own = _own_attributes(found)
    fixtures = _FIXTURES - {
        fixture_of(part.node) for part in found.helpers if isinstance(part.node, Function)
    }
    whole = merged(_uses(part, _Foreign(part, own, fixtures)) for part in parts)
    if not loads:
        return whole
    headers = merged(_uses(part, _Foreign(part, own, fixtures)) for part in found.headers)
    # Another test's parameters are only values, but its names have to exist.
    return merged([whole, headers._replace(strings=frozenset(), keywords=frozenset())])


def _uses(part: Part, foreign: "_Foreign") -> Uses:
    tree = part.node
    docs = documentation(tree)
    own = set(part.module.defined) - set(part.module.imported)
    if isinstance(tree, Function):
        own |= _locals(tree) - set(part.module.imported)
    names: set[str] = set()
    attributes: set[str] = set()
    keywords: set[tuple[str, str]] = set()
    strings: set[str] = set()
    modules: set[str] = set()
    inner: list[Uses] = []
    for node in ast.walk(tree):
        attributes.update(operation(node))
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and node.id not in own:
            names.add(node.id)
            modules.update(_origins(node.id, part))
        elif isinstance(node, ast.Attribute) and not foreign.gives(node):
            attributes.add(node.attr)
            modules.update(_chain(node, part))
        elif isinstance(node, ast.Call):
            keywords.update(() if foreign.takes(node) else _keywords(node))
        elif isinstance(node, ast.Import | ast.ImportFrom):
            names.update(alias.name for alias in node.names)
            modules.update(_modules(node, part.module.path))
        elif (text := string_of(node)) is not None and id(node) not in docs:
            strings.update(spellings(text))
            inner.extend(_code_in(text, part.module.path))
    names.update(
        module.rpartition(".")[2] for module in modules & set(part.module.imported.values())
    )
    return merged(
        [
            Uses(
                frozenset(names),
                frozenset(attributes),
                frozenset(keywords),
                frozenset(strings),
                frozenset(modules),
                frozenset(names | attributes | strings),
                anything=any(map(_Dynamic(part).looks_up, ast.walk(tree))),
            ),
            *inner,
        ]
    )


def _locals(function: ast.FunctionDef | ast.AsyncFunctionDef) -> set[str]:
    names = {node.arg for node in ast.walk(function) if isinstance(node, ast.arg)}
    outer = {n for node in ast.walk(function) if isinstance(node, ast.Global) for n in node.names}
    return (names | set(stored(function))) - outer  # pyright: ignore[reportArgumentType] - it walks any tree


def _origins(name: str, part: Part) -> set[str]:
    """Imported names under their original names, and their modules."""
    target = part.module.imported.get(name, "")
    return {target, target.rpartition(".")[0]} - {""}


def _chain(node: ast.Attribute, part: Part) -> Iterator[str]:
    """`package.module.x` loads what it names when `package` is imported."""
    words = dotted(node)
    if words and (target := part.module.imported.get(words[0])) is not None:
        yield ".".join([target, *words[1:]])


def _keywords(call: ast.Call) -> Iterator[tuple[str, str]]:
    callee = (dotted(call.func) or [""])[-1]
    is_open = any(isinstance(argument, ast.Starred) for argument in call.args)
    for at in range(1, (_MOST_ARGUMENTS if is_open else len(call.args)) + 1):
        yield callee, f"#{at}"
    if call.keywords:
        yield callee, "**"
    for word in call.keywords:
        if word.arg is not None:
            yield callee, word.arg
    if callee in {"partial", "partialmethod"}:
        yield from (("", word.arg) for word in call.keywords if word.arg)


def _modules(node: ast.Import | ast.ImportFrom, path: str) -> Iterator[str]:
    if isinstance(node, ast.Import):
        for alias in node.names:
            if "." in alias.name or alias.name not in sys.stdlib_module_names:
                yield alias.name
        return
    folders = path.split("/")[: -node.level] if node.level else []
    module = ".".join([*folders, *filter(None, [node.module])])
    if module in sys.stdlib_module_names:
        return
    if module:
        yield module
    for alias in node.names:
        yield f"{module}.{alias.name}".lstrip(".")


def _code_in(text: str, path: str) -> Iterator[Uses]:
    """Code in a string that is passed to `python -c` or `exec`."""
    if len(text) > 20_000 or not _CODE.search(text):
        return
    try:
        tree = read_python(textwrap.dedent(text))
    except UnreadableError:
        return
    if any(isinstance(node, ast.Import | ast.ImportFrom | ast.Call) for node in ast.walk(tree)):
        words = words_of(text)
        modules = {
            module
            for node in ast.walk(tree)
            if isinstance(node, ast.Import | ast.ImportFrom)
            for module in _modules(node, path)
        }
        keywords = {
            word
            for node in ast.walk(tree)
            if isinstance(node, ast.Call)
            for word in _keywords(node)
        }
        yield Uses(words, words, frozenset(keywords), words, frozenset(modules), words)


class _Foreign:
    """Knows objects that are not the product's: text, numbers, standard library, fixtures."""

    def __init__(self, part: Part, own: frozenset[str], fixtures: frozenset[str]) -> None:
        self._imported = part.module.imported
        self._values: dict[str, list[ast.expr]] = {}
        self._fixtures = fixtures
        self._own = own
        for node in ast.walk(part.node):
            if isinstance(node, ast.Assign):
                for target in node.targets:
                    self._bind(target, node.value)
            elif isinstance(node, ast.For | ast.comprehension):
                # Its result is not known.
                self._bind(node.target, ast.Name("", ast.Load()))
            elif isinstance(node, ast.withitem) and node.optional_vars is not None:
                self._bind(node.optional_vars, node.context_expr)
            elif isinstance(node, ast.NamedExpr | ast.AugAssign | ast.AnnAssign) and node.value:
                self._bind(node.target, node.value)

    def gives(self, node: ast.Attribute) -> bool:
        root = node.value
        if isinstance(root, ast.Name) and root.id in {"self", "cls"}:
            return node.attr in self._own or node.attr.startswith("assert")
        return self._is_foreign(root, 0)

    def takes(self, call: ast.Call) -> bool:
        """Whether the callee is known not to be the product's; its keywords then do not count."""
        if isinstance(call.func, ast.Name):
            name = call.func.id
            is_plain = name in _PLAIN_CALLS and name not in self._imported
            return name not in self._own and (is_plain or self._is_foreign_name(name, 0))
        return isinstance(call.func, ast.Attribute) and self._is_foreign(call.func.value, 0)

    def _bind(self, target: ast.expr, value: ast.expr) -> None:
        for name in stored(target):
            is_plain = isinstance(target, ast.Name)
            self._values.setdefault(name, []).append(
                value if is_plain else ast.Name("", ast.Load())
            )

    def _is_foreign(self, node: ast.expr, depth: int) -> bool:
        if depth > 20:
            return False
        if isinstance(node, ast.Name):
            return self._is_foreign_name(node.id, depth)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            return node.func.id in _PLAIN_CALLS
        inner = _inside(node)
        return isinstance(node, _DISPLAYS) if inner is None else self._is_foreign(inner, depth + 1)

    def _is_foreign_name(self, name: str, depth: int) -> bool:
        values = self._values.get(name)
        if values is not None:
            return all(self._is_foreign(value, depth + 1) for value in values)
        if name in self._fixtures:
            return True
        return self._imported.get(name, "").partition(".")[0] in _PLAIN_MODULES


def _inside(node: ast.expr) -> ast.expr | None:
    """The inner expression: the callee, the object, or the left operand."""
    if isinstance(node, ast.Call):
        return node.func
    if isinstance(node, ast.Attribute):
        return node.value
    return node.left if isinstance(node, ast.BinOp) else None


def _own_attributes(test: PythonTest) -> frozenset[str]:
    """Attributes that the test's own classes define."""
    return frozenset(
        node.attr
        for part in (*test.own, *test.helpers)
        for node in ast.walk(part.node)
        if isinstance(node, ast.Attribute)
        and isinstance(node.ctx, ast.Store)
        and dotted(node)[:1] in (["self"], ["cls"])
    ) | frozenset(p.node.name for p in test.helpers if isinstance(p.node, Function))


class _Dynamic:
    """Lookups of names that are not constants, which can mean any name."""

    def __init__(self, part: Part) -> None:
        self._known: set[str] = set()
        self._imported = part.module.imported
        self._called: set[int] = set()
        self._made: set[str] = set()
        for node in ast.walk(part.node):
            if isinstance(node, ast.Assign | ast.For | ast.comprehension):
                value = node.iter if not isinstance(node, ast.Assign) else node.value
                targets = node.targets if isinstance(node, ast.Assign) else [node.target]
                found = self._known if _is_constant(value) else self._made
                if found is self._known or _is_made_up(value):
                    found.update(name for target in targets for name in stored(target))
            elif isinstance(node, ast.Call):
                self._called.update(map(id, [node.func, *_handed_on(node)]))
                if dotted(node)[-1:] == ["parametrize"]:
                    self._known.update(_parametrized(node))

    def looks_up(self, node: ast.AST) -> bool:
        if isinstance(node, ast.Attribute):
            return node.attr in _INSIDES
        if isinstance(node, ast.Name):
            # Under another name, its arguments cannot be seen.
            return self._meant(node) in _BY_NAME and id(node) not in self._called
        return isinstance(node, ast.Call) and self._calls(node)

    def _calls(self, node: ast.Call) -> bool:
        names = dotted(node.func)
        is_plain = isinstance(node.func, ast.Name)
        name = self._meant(node.func) if isinstance(node.func, ast.Name) else (names or [""])[-1]
        root = self._imported.get(names[0], names[0]).partition(".")[0] if names else ""
        if name in _LISTINGS:
            return is_plain or root in {"inspect", "pkgutil"}
        if name in _ONLY_FROM:
            return root in _ONLY_FROM[name].split() and not self._is_harmless(node, name)
        if name in _PROGRAMS:
            return self._is_made_up_program(node)
        if name not in _BY_NAME or (name in {"eval", "exec"} and not is_plain):
            return False
        return not self._is_harmless(node, name)

    def _is_harmless(self, call: ast.Call, name: str) -> bool:
        """Whether it looks up readable names, or only runs a program."""
        if name in _WHOLE:
            return any(word.arg == "run_name" for word in call.keywords)
        return all(map(self._is_known, _looked_for(call, name)))

    def _meant(self, node: ast.Name) -> str:
        return self._imported.get(node.id, node.id).rpartition(".")[2]

    def _is_made_up_program(self, call: ast.Call) -> bool:
        """Whether it runs `python -c` with a text that is built at run time."""
        texts = [e for a in call.args if isinstance(a, ast.List | ast.Tuple) for e in a.elts]
        return any(string_of(text) == "-c" for text in texts) and any(
            _is_made_up(text) or (isinstance(text, ast.Name) and text.id in self._made)
            for text in texts
        )

    def _is_known(self, node: ast.expr) -> bool:
        return _is_constant(node) or (isinstance(node, ast.Name) and node.id in self._known)


def _handed_on(call: ast.Call) -> Iterator[ast.expr]:
    """The call in `raises(AttributeError, getattr, book, "total")`."""
    for at, argument in enumerate(call.args[:-2]):
        if isinstance(argument, ast.Name) and string_of(call.args[at + 2]) is not None:
            yield argument


def _looked_for(call: ast.Call, name: str) -> list[ast.expr]:
    """The argument that holds the name."""
    if name.endswith("attr") and string_of(call.args[0] if call.args else None) is None:
        return call.args[1:2]
    return call.args[:1]


def _is_made_up(node: ast.AST) -> bool:
    return any(
        (isinstance(part, ast.BinOp) and isinstance(part.op, ast.Mod))
        or (isinstance(part, ast.Attribute) and part.attr in {"join", "format", "replace"})
        for part in ast.walk(node)
    )


def _is_constant(node: ast.expr) -> bool:
    return all(
        isinstance(
            part, ast.Constant | ast.List | ast.Tuple | ast.Set | ast.Dict | ast.expr_context
        )
        or string_of(part) is not None
        or isinstance(part, ast.Add)
        for part in ast.walk(node)
    )


def _parametrized(call: ast.Call) -> Iterable[str]:
    if len(call.args) < 2:
        return []
    names = string_of(call.args[0]) or ""
    return words_of(names) if _is_constant(call.args[1]) else []
