"""Source text that anybody may have written, as trees of Python and back."""

import ast
import warnings
from collections.abc import Generator
from contextlib import contextmanager
from threading import RLock

# Before 3.11.8 Python counts the depth of all threads' trees in one place, and what `warnings`
# ignores is every thread's, too.
_ONE_AT_A_TIME = RLock()


class UnreadableError(Exception):
    """Not the language that it should be, or none that can be read here."""


def parse_python(text: str) -> ast.Module:
    with _unreadable():
        return ast.parse(text)


def python_literal(text: str) -> object:
    with _unreadable():
        return ast.literal_eval(text)


def unparse_python(tree: ast.AST) -> str:
    """Some strings in f-strings cannot be written by every Python."""
    with _unreadable():
        return ast.unparse(tree)


def compiles(text: str) -> bool:
    try:
        with _unreadable():
            compile(text, "<text>", "exec", dont_inherit=True)
    except UnreadableError:
        return False
    return True


@contextmanager
def _unreadable() -> Generator[None]:
    """Python says in many ways that a text is too deep, too long or not Python."""
    try:
        with _ONE_AT_A_TIME, warnings.catch_warnings(action="ignore"):
            yield
    except (
        SyntaxError,
        ValueError,
        TypeError,
        RecursionError,
        MemoryError,
        SystemError,
    ) as error:
        raise UnreadableError from error
