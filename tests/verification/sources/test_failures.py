"""What an exception in a test's own lines says about base."""

import pytest

from yudai.testing.domain.report import Failure, FailureKind, Frame
from yudai.verification.domain.facts import is_of_base

OWN = (Frame(path="tests/test_a.py", line=3, function="test_a"),)


def raised(said: str, frames: tuple[Frame, ...] = OWN) -> Failure:
    name, _, message = said.partition(": ")
    return Failure(kind=FailureKind.EXCEPTION, type=name, message=message, frames=frames)


@pytest.mark.parametrize(
    "said",
    [
        "AttributeError: 'NoneType' object has no attribute 'name'",
        "TypeError: 'NoneType' object is not subscriptable",
        "TypeError: cannot unpack non-iterable NoneType object",
        """TypeError: can only concatenate str (not "int") to str""",
        "KeyError: 'hours'",
        "IndexError: list index out of range",
        "TimeoutError: ",
        "TimeoutExpired: Command 'x' timed out after 2 seconds",
        "TypeError: Cannot read properties of undefined (reading 'name')",
        "TypeError: Cannot destructure property 'name' of 'find(...)' as it is undefined.",
        "TypeError: undefined is not iterable",
    ],
)
def test_base_returned_something_else_or_never_did(said: str):
    assert is_of_base(raised(said))


@pytest.mark.parametrize(
    "said",
    [
        "NameError: name 'humna' is not defined",
        "ReferenceError: humna is not defined",
        "FileNotFoundError: [Errno 2] No such file or directory: 'x'",
        "AttributeError: module 'durations' has no attribute 'hours'",
        "AttributeError: type object 'Clock' has no attribute 'hours'",
        "AttributeError: 'Clock' object has no attribute 'hours'",
        "AttributeError: 'function' object has no attribute 'hours'",
        "TypeError: human() takes 1 positional argument but 2 were given",
        "TypeError: human() got an unexpected keyword argument 'unit'",
        "TypeError: object of type 'Clock' has no len()",
        "TypeError: cannot unpack non-iterable Clock object",
        "TypeError: 'NoneType' object is not callable",
        "TypeError: durations.hours is not a function",
        "ValueError: bad",
    ],
)
def test_the_test_itself_or_a_missing_name_is_why(said: str):
    assert not is_of_base(raised(said))


def test_only_exceptions_with_a_known_place_count():
    said = "AttributeError: 'NoneType' object has no attribute 'name'"
    assert not is_of_base(raised(said, frames=()))
    assert not is_of_base(None)
    assert not is_of_base(raised(said).model_copy(update={"kind": FailureKind.SET_UP}))
