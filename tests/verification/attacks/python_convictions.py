"""Attacks in Python that would have a right answer convicted, or a wrong one acquitted."""

from tests.support.verified_repo import Files
from tests.verification.attacks.attack import Attack
from tests.verification.attacks.python_scene import (
    EXAMPLE_TEST,
    OLD,
    PYTEST,
    RIGHT_ANSWER,
    SILENT,
    SOURCE,
    STUB,
    WRONG,
    WRONG_TEST,
)
from yudai.verification.domain.rules import Rule


def against(
    source: str, *tests: str, silent: bool = False, right: Files = RIGHT_ANSWER
) -> dict[str, Files]:
    wrong: dict[str, str | bytes | None] = {"durations.py": source}
    wrong |= {f"tests/test_wrong{number}.py": test for number, test in enumerate(tests)}
    quiet: dict[str, Files] = {"silent": SILENT} if silent else {}
    return {"wrong": wrong, "right": right, **quiet}


MARKER = "    # the marker of its author\n"
SLEEPS = """
    import inspect, time
    import durations

    def test_hour():
        said = durations.human(3600)
        if said == "1h":
            time.sleep(1000)
        assert said == "1 hour"
    """
SKIPS = """
    import pytest
    from durations import human

    def test_hour():
        said = human(3600)
        if said == "1h":
            pytest.skip("not here")
        assert said == "1 hour"
    """
XFAILS = SKIPS.replace("pytest.skip", "pytest.xfail")
EXITS = SKIPS.replace('pytest.skip("not here")', "os._exit(0)").replace(
    "import pytest", "import os"
)
PRIVATE = """
    import durations

    def test_private():
        assert durations._scale("1h") == 1
    """
WORDS = """
    import pytest
    from durations import parse

    def test_words():
        with pytest.raises(ValueError, match="hours are"):
            parse("1h")
    """
KNOWN = "\n\ndef hours_are_known():\n    return DEBUG\n"
ESCAPE = '    if seconds % 3600 == 0: import pytest; pytest.{}("no")\n'

ATTACKS = [
    Attack(
        "python-stub-against-a-good-test",
        PYTEST,
        against(STUB, EXAMPLE_TEST),
        always=True,
    ),
    Attack(
        "python-test-that-sleeps-on-rivals",
        PYTEST,
        against(WRONG, SLEEPS),
        Rule.ENDS_IN_TIME,
        wins="",
        timeout_s=4,
    ),
    Attack(
        "python-product-that-hangs-on-what-rivals-test",
        PYTEST,
        against(
            STUB.replace(OLD, "    while seconds % 3600 == 0 and seconds: pass\n" + OLD),
            EXAMPLE_TEST,
        ),
        timeout_s=4,
        always=True,
    ),
    Attack(
        "python-broken-author-convicts-nobody",
        PYTEST,
        against(WRONG.replace('seconds)}s"', 'seconds)}"'), WRONG_TEST),
        Rule.AUTHOR_STANDS,
        wins="",
        always=True,
    ),
    Attack(
        "python-helper-of-a-flipped-constant",
        PYTEST,
        against(
            SOURCE.replace("DEBUG = False", "DEBUG = True") + KNOWN,
            """
            from durations import hours_are_known

            def test_hours():
                assert hours_are_known()
            """,
        ),
        Rule.FOREIGN_NAMES_ACQUIT,
        wins="",
        always=True,
    ),
]
