"""Builds base's version of a Python file plus a patch's new top-level definitions."""

import ast
from collections.abc import Collection, Iterable

from yudai.kit.syntax import compiles, unparse_python
from yudai.verification.domain.edits.python_test_tree import Function
from yudai.verification.domain.sources.python_definitions import (
    bound_names,
    flat,
    read_python,
    targets,
)

_COMPOUND = ast.If | ast.Try | ast.TryStar | ast.With


def kept_python(
    base: str, text: str, path: str, without: Collection[str] = frozenset()
) -> str | None:
    """The text; None if it would not be valid Python. Names in `without` are not added."""
    old = read_python(base)
    known = {name for statement in flat(old.body) for name in bound_names(statement)}
    known.update(without)
    added = _added(read_python(text), known, path)
    if not added:
        return base
    future = [part for part in added if _is_future(part)]
    rest = "\n\n".join(unparse_python(part) for part in added if not _is_future(part))
    kept = _with_future(base, old, future) + f"\n\n{rest}\n"
    return kept if compiles(kept) else None


def _added(tree: ast.Module, known: set[str], path: str) -> list[ast.stmt]:
    definitions = [part for part in tree.body if _is_new_definition(part, known)]
    wanted = _words(definitions)
    offers = path.endswith("__init__.py")
    added: list[ast.stmt] = []
    for part in tree.body:
        if part in definitions:
            added.append(part)
        elif isinstance(part, ast.Import | ast.ImportFrom):
            aliases = [
                alias
                for alias in part.names
                if (name := alias.asname or alias.name.partition(".")[0]) not in known
                and (offers or name in wanted or (alias.name == "annotations" and definitions))
            ]
            if aliases:
                added.append(_import(part, aliases))
        elif isinstance(part, _COMPOUND) and _binds_only(part, wanted - known):
            added.append(part)
    return added


def _is_new_definition(part: ast.stmt, known: set[str]) -> bool:
    if isinstance(part, Function | ast.ClassDef):
        return part.name not in known
    if not isinstance(part, ast.Assign | ast.AnnAssign):
        return False
    names = set(bound_names(part))
    is_plain = all(isinstance(target, ast.Name | ast.Tuple | ast.List) for target in targets(part))
    return is_plain and bool(names) and not names & known


def _binds_only(part: ast.stmt, wanted: set[str]) -> bool:
    """Whether a statement such as `try: import x` only binds the needed names."""
    inner = list(flat([part]))
    names = {name for statement in inner for name in bound_names(statement)}
    kinds = (*_COMPOUND.__args__, ast.Import, ast.ImportFrom, ast.Assign, ast.Pass)
    return bool(names) and names <= wanted and all(isinstance(s, kinds) for s in inner)


def _words(parts: Iterable[ast.stmt]) -> set[str]:
    nodes = [node for part in parts for node in ast.walk(part)]
    words = {node.id for node in nodes if isinstance(node, ast.Name)}
    texts = (n.value for n in nodes if isinstance(n, ast.Constant) and isinstance(n.value, str))
    # Annotations may be strings.
    return words | {word for text in texts if len(text) < 200 for word in _identifiers(text)}


def _identifiers(text: str) -> list[str]:
    return "".join(char if char.isalnum() or char == "_" else " " for char in text).split()


def _import(part: ast.Import | ast.ImportFrom, aliases: list[ast.alias]) -> ast.stmt:
    if isinstance(part, ast.ImportFrom):
        return ast.ImportFrom(part.module, aliases, part.level)
    return ast.Import(aliases)


def _is_future(part: ast.stmt) -> bool:
    return isinstance(part, ast.ImportFrom) and part.module == "__future__"


def _with_future(base: str, tree: ast.Module, future: list[ast.stmt]) -> str:
    """Put `__future__` imports first, after the module's docstring."""
    if not future:
        return base
    first = tree.body[0] if tree.body else None
    is_text = isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant)
    lines = base.split("\n")
    at = (first.end_lineno or 0) if first and is_text else 0
    return "\n".join([*lines[:at], *map(unparse_python, future), *lines[at:]])
