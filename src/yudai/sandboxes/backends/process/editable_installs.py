"""Editable installs that resolve to the workspace of the sandbox that imports them."""

import re
from pathlib import Path

VARIABLE = "YUDAI_WORKSPACE"

_PLACES = ("lib/python3*/site-packages/*.pth", "lib/python3*/site-packages/*.py")


def follow_workspace(env: Path, tree: Path) -> None:
    """Rewrite what names the base's own tree, so that it names the workspace of each sandbox."""
    for file in [file for place in _PLACES for file in env.glob(place)]:
        lines = before = file.read_text(errors="surrogateescape").split("\n")
        for name in {str(tree), str(tree.resolve())}:
            lines = [_rewritten(line, name) for line in lines]
        if lines != before:
            file.write_text("\n".join(lines), errors="surrogateescape")


def _rewritten(line: str, tree: str) -> str:
    """A folder's name in a `.pth` file becomes code; in code, as of an import hook, a literal."""
    if line == tree or line.startswith(f"{tree}/"):
        return f"import sys; sys.path.append({_place(tree, line.removeprefix(tree))})"
    literal = re.compile(rf"(['\"]){re.escape(tree)}((?:/[^'\"]*)?)\1")
    return literal.sub(lambda m: _place(tree, m[2]), line)


def _place(tree: str, rest: str) -> str:
    return f"(__import__('os').environ.get('{VARIABLE}', {tree!r}) + {rest!r})"
