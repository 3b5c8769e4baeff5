import ast
import gc
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from yudai.kit.syntax import (
    UnreadableError,
    compiles,
    parse_python,
    python_literal,
    unparse_python,
)

DEEP = "f" + "(1)" * 300
UNREADABLE = {
    "no Python": "def",
    "a NUL": "x\0",
    "a lone surrogate": "'\ud800'",
    "too deep for a tree": "-" * 20_000 + "1",
    "too deep for the parser": "(" * 20_000,
}


@pytest.fixture
def collected_often() -> Iterator[None]:
    """While Python makes a tree, its garbage is collected, and something runs."""
    before, every = gc.get_threshold(), sys.getswitchinterval()
    run = lambda *_: sum(range(300))  # noqa: E731 - it is removed again
    gc.callbacks.append(run)
    gc.set_threshold(50)
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(every)
    gc.set_threshold(*before)
    gc.callbacks.remove(run)


@pytest.mark.parametrize("text", UNREADABLE.values(), ids=UNREADABLE)
@pytest.mark.parametrize("read", [parse_python, python_literal])
def test_what_cannot_be_read_is_unreadable(read: Callable[[str], object], text: str):
    with pytest.raises(UnreadableError):
        read(text)
    assert not compiles(text)


@pytest.mark.parametrize("text", ["1 + x", "{[]: 1}", "f()"])
def test_what_is_no_literal_is_unreadable(text: str):
    with pytest.raises(UnreadableError):
        python_literal(text)


def test_what_can_be_read():
    assert unparse_python(parse_python("x  =  1")) == "x = 1"
    assert python_literal("{'a': [1]}") == {"a": [1]}
    assert compiles("x = 1")


def test_what_a_text_warns_of_is_left_out():
    """Warnings are errors in tests."""
    assert compiles("x = '\\d' is 1")
    assert parse_python("x = '\\d' is 1").body


def test_a_tree_that_cannot_be_written_is_unreadable():
    with pytest.raises(UnreadableError):
        unparse_python(ast.Constant(10**5_000))


@pytest.mark.usefixtures("collected_often")
def test_threads_that_read_at_once_disturb_none():
    """Python before 3.11.8 counts the depth of all trees that are being made in one place."""

    def read(_: int) -> bool:
        return bool(parse_python(DEEP).body)

    with ThreadPoolExecutor(4) as pool:
        assert all(pool.map(read, range(400)))


@pytest.mark.usefixtures("collected_often")
def test_a_parser_that_another_one_disturbed_raises_no_other_error():
    """Somebody else's parser, a traceback's for instance, does not wait for ours."""

    def disturb(*_: object) -> None:
        ast.parse("x")

    gc.callbacks.append(disturb)
    try:
        causes = {_cause() for _ in range(20)}
    finally:
        gc.callbacks.remove(disturb)
    assert causes <= {SystemError, type(None)}


def _cause() -> type:
    try:
        parse_python(DEEP)
    except UnreadableError as error:
        return type(error.__cause__)
    return type(None)
