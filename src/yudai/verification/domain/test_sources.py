"""Reads the source of one test by its id, and normalises it to find equal proofs."""

import ast
import hashlib
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from yudai.kit.syntax import UnreadableError, parse_python, unparse_python
from yudai.verification.domain.edits.python_test_tree import Function
from yudai.verification.domain.edits.script_test_edits import SCRIPTS
from yudai.verification.domain.sources.names import Texts
from yudai.verification.domain.sources.python_closure import Part, python_test
from yudai.verification.domain.sources.python_definitions import stored
from yudai.verification.domain.sources.script_closure import (
    Piece,
    resolved,
    script_test,
    without_ending,
)
from yudai.verification.domain.sources.script_definitions import pattern_names
from yudai.verification.domain.sources.script_tokens import Script, TokenKind, read_script

_VALUES = frozenset({"const", "let", "var"})


class TestSource(NamedTuple):
    """A test and the parts of its own files that it refers to."""

    path: str
    own: str
    """The function or the call of `it`, as written; Python without comments and layout."""
    helpers: tuple[str, ...]
    imports: Mapping[str, str]
    """By name: where an imported name comes from."""
    title: str = ""
    """The title of a script's test, as written in `own`."""


TestSource.__test__ = False  # pyright: ignore[reportAttributeAccessIssue] - for pytest, it is no test


def source_of(path: str, text: str, test: str, files: Texts | None = None) -> TestSource | None:
    """The test's source; None if the file has no such test or cannot be read."""
    try:
        if path.endswith(".py"):
            return _of_python(path, text, test, files or {})
        if SCRIPTS.fullmatch(path):
            return _of_script(path, text, test, files or {})
    except (UnreadableError, RecursionError, MemoryError):
        pass
    return None


def normalised(source: TestSource) -> str:
    """A text that is equal for equal tests: layout and local names do not count."""
    try:
        read = _plain_python if source.path.endswith(".py") else _plain_script
        own = read(source, source.own, is_test=True)
        helpers = sorted(read(source, text, is_test=False) for text in source.helpers)
    except (UnreadableError, RecursionError, MemoryError):
        own, helpers = " ".join(source.own.split()), []
    if not helpers:
        return own
    digest = hashlib.sha256("\0".join(helpers).encode("utf-8", "surrogatepass"))
    return f"{own}\nhelpers {digest.hexdigest()}"


def _of_python(path: str, text: str, test: str, files: Texts) -> TestSource | None:
    found = python_test(path, text, test, files)
    if found.function is None:
        return None
    helpers = tuple(dict.fromkeys(_unparsed(part) for part in found.helpers))
    imports = {name: _absolute(target, path) for name, target in found.module.imported.items()}
    return TestSource(path, unparse_python(found.function), helpers, imports)


def _unparsed(part: Part) -> str:
    return unparse_python(part.node)


def _absolute(target: str, path: str) -> str:
    """A relative import as an absolute path, so that it is the same from every file."""
    bare = target.lstrip(".")
    level = len(target) - len(bare)
    return ".".join([*path.split("/")[:-level], bare]) if level else target


def _of_script(path: str, text: str, test: str, files: Texts) -> TestSource | None:
    found = script_test(path, text, test, files)
    if found.title is None:
        return None
    helpers = tuple(dict.fromkeys(piece.script.source(piece.part) for piece in found.helpers))
    imports = {
        name: f"{without_ending(resolved(path, module))}#{name}"
        for name, module in found.imports.items()
    }
    return TestSource(path, _source(found.own), helpers, imports, found.script.source(found.title))


def _source(piece: Piece) -> str:
    return piece.script.source(piece.part)


def _plain_python(source: TestSource, text: str, *, is_test: bool) -> str:
    # A copy, because the tree is changed.
    tree = parse_python(text) if text else ast.Module([], [])
    names: dict[str, str] = {}
    for node in ast.walk(tree):
        if isinstance(node, Function):
            for name in stored(node):  # pyright: ignore[reportArgumentType] - it walks any tree
                names.setdefault(name, f"local{len(names)}")
    if is_test and tree.body and isinstance(function := tree.body[0], Function):
        function.name = "test"
    _Plain({**source.imports, **names}).visit(tree)
    return unparse_python(ast.fix_missing_locations(tree))


class _Plain(ast.NodeTransformer):
    def __init__(self, names: Mapping[str, str]) -> None:
        self._names = names

    def visit_Name(self, node: ast.Name) -> ast.Name:
        return ast.Name(self._names.get(node.id, node.id), node.ctx)

    def visit_Expr(self, node: ast.Expr) -> ast.stmt:
        if isinstance(node.value, ast.Constant):
            return ast.Pass()
        self.generic_visit(node)
        return node

    def generic_visit(self, node: ast.AST) -> ast.AST:
        super().generic_visit(node)
        body = getattr(node, "body", None)
        if isinstance(body, list) and len(body) > 1:  # pyright: ignore[reportUnknownArgumentType] - ast knows no types of lists
            node.body = [part for part in body if not isinstance(part, ast.Pass)] or [ast.Pass()]  # pyright: ignore[reportAttributeAccessIssue, reportUnknownVariableType] - as above
        if isinstance(node, Function):
            node.returns = None
        return node


def _plain_script(source: TestSource, text: str, *, is_test: bool) -> str:
    script = read_script(text)
    names = {**source.imports, **_locals(script)}
    words = list(_words(script, names))
    if is_test and source.title:
        title = read_script(source.title)
        words = _without(words, list(_words(title, names)))
    return " ".join(words)


def _without(words: list[str], title: list[str]) -> list[str]:
    """The test's source without its title, which does not affect its behaviour."""
    for at in range(len(words)):
        if words[at : at + len(title)] == title:
            return words[:at] + words[at + len(title) :]
    return words


def _locals(script: Script) -> dict[str, str]:
    names: dict[str, str] = {}
    for at in range(len(script.tokens)):
        for name in _declared(script, at):
            names.setdefault(name, f"local{len(names)}")
    return names


def _declared(script: Script, at: int) -> Iterable[str]:
    word, before = script.word(at), script.word(at - 1)
    if before in _VALUES:
        if word in {"{", "["}:
            return [name for name in pattern_names(script, at) if script.word(at + 1) != ":"]
        return [word] if script.is_name(at) else []
    return []


def _words(script: Script, names: Mapping[str, str]) -> Iterator[str]:
    """Tokens without layout: semicolons, commas before brackets, kinds of quotes."""
    for at, token in enumerate(script.tokens):
        if token.kind in {TokenKind.STRING, TokenKind.TEMPLATE}:
            yield repr(token.text)
        elif token.kind is TokenKind.NAME and script.word(at - 1) not in {".", "?."}:
            yield token.text if script.word(at + 1) == ":" else names.get(token.text, token.text)
        elif token.text != ";" and not (
            token.text == "," and script.word(at + 1) in {")", "]", "}"}
        ):
            yield token.text
