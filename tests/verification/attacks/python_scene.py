"""A Python repository whose issue most attacks pretend to solve."""

from tests.support.verified_repo import Files
from tests.verification.attacks.attack import Scene

SOURCE = """import time

UNITS = ("s",)
DEBUG = False


class Clock:
    name = "clock"


def units():
    return UNITS


def _scale(seconds):
    return seconds


def pause():
    time.sleep(0.3)


def parse(text):
    if not text.endswith("s"):
        raise ValueError("bad text")
    return int(text[:-1])


def human(seconds):
    return f"{_scale(seconds)}s"
"""
OLD = '    return f"{_scale(seconds)}s"\n'
HOURS = """    if seconds and seconds % 3600 == 0:
        return f"{seconds // 3600}h"
"""
RIGHT = SOURCE.replace(OLD, HOURS + OLD)
STUB = SOURCE.replace(OLD, '    if seconds == 3600: return "1h"\n' + OLD)
WRONG = RIGHT.replace("}h", "} hour")
MORE = SOURCE + "\n\ndef hours_are_known():\n    return True\n"
GOOD_TEST = """
    from durations import human

    def test_hours():
        assert human(3600) == "1h"
        assert human(7200) == "2h"
    """
EXAMPLE_TEST = """
    from durations import human

    def test_example():
        assert human(3600) == "1h"
    """
WRONG_TEST = """
    from durations import human

    def test_hour():
        assert human(3600) == "1 hour"
    """
OWN_TEST = """
    from durations import human

    def test_seconds():
        assert human(5) == "5s"
    """
ISSUE = "human() does not know hours\n\n`human(3600)` says `3600s`; I expected `1h`."
BASE: Files = {
    "pytest.ini": "[pytest]\n",
    "durations.py": SOURCE,
    "README.md": "# Durations\n",
    "units.txt": "s\n",
    "tests/test_durations.py": OWN_TEST,
}
RIGHT_ANSWER: Files = {"durations.py": RIGHT, "tests/test_right.py": GOOD_TEST}
SILENT: Files = {"durations.py": RIGHT + "\n\n"}
PYTEST = Scene(BASE, ISSUE, RIGHT_ANSWER)


def cased(test: str) -> str:
    """A test function as unittest knows it."""
    body = test.replace(
        "\n    def test", "\n    class TestAgain(unittest.TestCase):\n        def test"
    )
    lines = body.split("\n")
    start = next(n for n, line in enumerate(lines) if "def test" in line)
    inner = [f"    {line}" if line.strip() else line for line in lines[start + 1 :]]
    head = [line.replace("()", "(self)") for line in lines[start : start + 1]]
    return "\n".join(["", "    import unittest", *lines[1:start], *head, *inner])


UNITTEST = Scene(
    {
        "durations.py": SOURCE,
        "tests/__init__.py": "",
        "tests/test_durations.py": cased(OWN_TEST),
    },
    ISSUE,
    {"durations.py": RIGHT, "tests/test_right.py": cased(GOOD_TEST)},
    test="python -m unittest discover",
)
