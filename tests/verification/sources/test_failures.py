"""What an exception in a test's own lines says about base."""

import pytest

from yudai.testing.domain.report import Failure, FailureKind, Frame
from yudai.verification.domain.facts import compares_message, is_of_base

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


@pytest.mark.parametrize(
    ("said", "is_wording"),
    [
        ("Regex pattern did not match.\n  Expected regex: 'x'\n  Actual message: 'abc'", True),
        ("DID NOT RAISE ValueError", False),
        ('"x" does not match "abc"', True),
        ("ValueError not raised by <lambda>", False),
        ("DID NOT WARN. No warnings of type (<class 'UserWarning'>,) matching the regex were "
         "emitted.\n Regex: x\n Emitted warnings: [UserWarning('abc')].", True),
        ("DID NOT WARN. No warnings of type (<class 'UserWarning'>,) matching the regex were "
         "emitted.\n Regex: x\n Emitted warnings: [].", False),
        ("The input did not match the regular expression /x/. Input:\n\n'Error: abc'\n", True),
        ("Missing expected exception.", False),
        ("Expected values to be strictly deep-equal:\n+ actual - expected\n\n  Comparison {\n"
         "+   message: 'abc'\n-   message: 'x'\n  }", True),
        ("Expected values to be strictly deep-equal:\n+ actual - expected\n\n  Comparison {\n"
         "+   message: 'abc',\n+   name: 'Error'\n-   message: 'x',\n-   name: 'TypeError'\n  }",
         False),
        ('expect(received).toThrow(expected)\n\nExpected substring: "x"\nReceived message:   "abc"',
         True),
        ('expect(received).toThrow(expected)\n\nExpected substring: "x"\n\n'
         "Received function did not throw", False),
        ("expected [Function] to throw error matching /x/ but got 'abc'", True),
        ("expected [Function f] to throw an error", False),
        ('expect(received).rejects.toMatchObject(expected)\n\n- Expected  - 1\n+ Received  + 1\n\n'
         '  Object {\n-   "message": "x",\n+   "message": "abc",\n  }', True),
        ("assert '1s' == '1h'\n\n- 1h\n+ 1s", False),
    ],
)  # fmt: skip
def test_only_the_words_of_what_was_raised_are_wording(said: str, is_wording: object):
    failure = Failure(kind=FailureKind.ASSERTION, message=said, frames=OWN)
    assert compares_message(failure) is is_wording
    assert not compares_message(failure.model_copy(update={"kind": FailureKind.EXCEPTION}))
