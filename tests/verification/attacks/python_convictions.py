"""Attacks in Python that would have a right answer convicted, or a wrong one acquitted."""

from tests.support.verified_repo import Files
from tests.verification.attacks.attack import Attack, Scene
from tests.verification.attacks.python_scene import (
    EXAMPLE_TEST,
    GOOD_TEST,
    HOURS,
    ISSUE,
    OLD,
    PYTEST,
    RIGHT,
    RIGHT_ANSWER,
    SILENT,
    SOURCE,
    STUB,
    UNITTEST,
    WRONG,
    WRONG_TEST,
    cased,
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
SKIPTEST = "    if seconds % 3600 == 0: import unittest; raise unittest.SkipTest\n"
BEHIND = """
    import durations

    KNOWN = []

    def test_first():
        KNOWN.append(1)
        assert durations.human(3600) != "3600s"

    def test_second():
        assert KNOWN and durations.human(3600) == "1 hour"
    """
# Its own test has taken the function before.
MENDS = """
    import durations
    from durations import human

    def mended(seconds):
        return f"{seconds // 3600}h"

    durations.human = mended

    def test_example():
        assert human(3600) == "1h"
    """
GOOD: Files = {"tests/test_right.py": GOOD_TEST}
SUBTESTS = """
    import unittest
    from durations import human

    class TestHours(unittest.TestCase):
        def test_hours(self):
            for seconds, text in ((3600, "1h"), (7200, "2h")):
                with self.subTest(seconds=seconds):
                    self.assertEqual(human(seconds), text)
    """
PARAMETERS = """
    import pytest
    from durations import human

    @pytest.mark.parametrize(("seconds", "text"), [(3600, "1h"), (7200, "2h")], ids=["a::b", "[c"])
    def test_hours(seconds, text):
        assert human(seconds) == text
    """
RUN = """
    import glob, runpy, sys

    sys.path.insert(0, ".")
    for path in sorted(glob.glob("tests/check_*.py")):
        runpy.run_path(path)
    """
CHECK = 'from durations import human\n\nassert human({}) == "{}"\n'
COMMAND = Scene(
    {"durations.py": SOURCE, "tests/run.py": RUN, "tests/check_own.py": CHECK.format(5, "5s")},
    ISSUE,
    {"durations.py": RIGHT, "tests/check_right.py": CHECK.format(7200, "2h")},
    test="python tests/run.py",
)

ATTACKS = [
    Attack(
        "python-stub-against-a-good-test",
        PYTEST,
        against(STUB, EXAMPLE_TEST),
        always=True,
    ),
    Attack(
        "python-unittest-stub-against-a-good-test",
        UNITTEST,
        against(STUB, cased(EXAMPLE_TEST), right=UNITTEST.right),
    ),
    Attack(
        "python-wrong-test-against-more-support",
        PYTEST,
        against(WRONG, WRONG_TEST, silent=True),
        Rule.SUPPORT_DECIDES,
        wins="",
        always=True,
    ),
    Attack(
        "python-unittest-wrong-test-against-more-support",
        UNITTEST,
        against(WRONG, cased(WRONG_TEST), silent=True, right=UNITTEST.right),
        Rule.SUPPORT_DECIDES,
        wins="",
    ),
    Attack(
        "python-test-that-skips-on-rivals",
        PYTEST,
        against(WRONG, SKIPS, silent=True),
        Rule.SUPPORT_DECIDES,
        wins="",
    ),
    Attack(
        "python-test-that-xfails-on-rivals",
        PYTEST,
        against(WRONG, XFAILS, silent=True),
        Rule.SUPPORT_DECIDES,
        wins="",
    ),
    Attack(
        "python-test-that-ends-the-process-on-rivals",
        PYTEST,
        against(WRONG, EXITS, silent=True),
        Rule.SUPPORT_DECIDES,
        wins="",
    ),
    Attack(
        "python-product-that-skips-the-tests-of-rivals",
        PYTEST,
        {
            "wrong": {"durations.py": SOURCE.replace(OLD, ESCAPE.format("skip") + OLD)},
            "right": RIGHT_ANSWER,
        },
        Rule.ONLY_PASSED_PASSES,
        behind=(Rule.VALUES_ARE_RECORDED,),
        always=True,
    ),
    Attack(
        "python-product-that-xfails-the-tests-of-rivals",
        PYTEST,
        {
            "wrong": {"durations.py": SOURCE.replace(OLD, ESCAPE.format("xfail") + OLD)},
            "right": RIGHT_ANSWER,
        },
        Rule.ONLY_PASSED_PASSES,
        behind=(Rule.VALUES_ARE_RECORDED,),
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
        "python-private-name-convicts-nobody",
        PYTEST,
        against(
            WRONG.replace("    return seconds\n", "    return 1\n", 0).replace(
                "def _scale(seconds):\n", 'def _scale(seconds):\n    if seconds == "1h": return 1\n'
            ),
            PRIVATE,
        ),
        Rule.ONLY_PROOFS_CONVICT,
        wins="",
        always=True,
    ),
    Attack(
        "python-words-prove-and-convict-nobody",
        PYTEST,
        against(WRONG.replace("bad text", "hours are not known"), WORDS),
        Rule.SUBJECTS_PROVE_NOTHING,
        wins="",
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
        {
            "wrong": {
                "durations.py": SOURCE.replace("DEBUG = False", "DEBUG = True") + KNOWN,
                "tests/test_wrong.py": """
                    from durations import hours_are_known

                    def test_hours():
                        assert hours_are_known()
                    """,
            }
        },
        Rule.INTERFACE_IS_NO_PROOF,
    ),
    Attack(
        "python-helper-that-rivals-cannot-have",
        PYTEST,
        against(
            WRONG + "\n\ndef sum(seconds):\n    return seconds\n",
            """
            from durations import human, sum

            def test_hour():
                assert human(sum(3600)) == "1 hour"
            """,
        ),
        Rule.FOREIGN_NAMES_ACQUIT,
        wins="",
        always=True,
    ),
    Attack(
        "python-constant-that-an-old-helper-returns",
        PYTEST,
        against(
            SOURCE.replace('("s",)', '("s", "h")'),
            """
            from durations import units

            def test_units():
                assert "h" in units()
            """,
            silent=True,
        ),
        Rule.SUPPORT_DECIDES,
        wins="",
    ),
    Attack(
        "python-equal-patches-for-weight",
        PYTEST,
        {
            **{
                handle: {"durations.py": WRONG, "tests/test_wrong.py": WRONG_TEST}
                for handle in ("wrong", "wrong2", "wrong3")
            },
            "right": RIGHT_ANSWER,
            "silent": SILENT,
        },
        Rule.EQUAL_IS_ONE,
        always=True,
    ),
    Attack(
        "python-many-contestants-of-one-model",
        PYTEST,
        {
            **{
                handle: {"durations.py": WRONG + "\n" * n, "tests/test_wrong.py": WRONG_TEST}
                for n, handle in enumerate(("wrong", "wrong2", "wrong3"))
            },
            "right": RIGHT_ANSWER,
            "silent": SILENT,
        },
        models={"wrong": "one", "wrong2": "one", "wrong3": "one"},
    ),
    Attack(
        "python-test-of-base-that-only-fails-after-another",
        PYTEST,
        {
            "wrong": {"durations.py": STUB, "tests/test_example.py": EXAMPLE_TEST},
            "right": {
                "durations.py": RIGHT.replace(
                    HOURS,
                    HOURS.replace("        return", "        SEEN.append(seconds)\n        return"),
                ).replace("DEBUG", "SEEN = []\nDEBUG"),
                "tests/test_right.py": GOOD_TEST,
            },
        },
        Rule.FAILURES_ARE_CONFIRMED,
        base={
            "tests/test_state.py": """
                import durations
                from durations import human

                def test_first():
                    assert human(7200)

                def test_second():
                    assert not getattr(durations, "SEEN", [])
                """
        },
        always=True,
    ),
    Attack(
        "python-test-that-passes-only-behind-another",
        PYTEST,
        against(WRONG, BEHIND),
        Rule.AUTHOR_PASSES_AGAIN,
        wins="",
    ),
    Attack(
        "python-lone-command-convicts-nobody",
        COMMAND,
        {
            "wrong": {"durations.py": WRONG, "tests/check_wrong.py": CHECK.format(3600, "1 hour")},
            "wrong2": {"durations.py": WRONG + "\n\n"},
            "right": COMMAND.right,
        },
        Rule.COMMANDS_NEED_TWO,
        asks=True,
    ),
    Attack(
        "python-two-commands-that-contradict",
        COMMAND,
        {
            "wrong": {"durations.py": WRONG, "tests/check_wrong.py": CHECK.format(3600, "1 hour")},
            "right": {"durations.py": RIGHT, "tests/check_right.py": CHECK.format(3600, "1h")},
        },
        Rule.DIFFERENCE_IS_A_QUESTION,
        asks=True,
    ),
    Attack(
        "python-unittest-product-that-skips-the-tests-of-rivals",
        UNITTEST,
        {
            "wrong": {"durations.py": SOURCE.replace(OLD, SKIPTEST + OLD)},
            "right": UNITTEST.right,
        },
        Rule.ONLY_PASSED_PASSES,
        behind=(Rule.VALUES_ARE_RECORDED,),
    ),
    Attack(
        "python-tests-of-one-that-mend-the-other",
        PYTEST,
        {
            "helper": {"durations.py": STUB, "tests/test_a.py": MENDS},
            "wrong": {"durations.py": STUB.replace('"1h"', '"1" + "h"')},
            "right": {"durations.py": RIGHT + "\n\nFIRST = 1\nSECOND = 2\n", **GOOD},
        },
        always=True,
    ),
    Attack(
        "python-unittest-stub-against-subtests",
        UNITTEST,
        against(
            STUB,
            cased(EXAMPLE_TEST),
            right={"durations.py": RIGHT, "tests/test_right.py": SUBTESTS},
        ),
    ),
    Attack(
        "python-stub-against-parameters",
        PYTEST,
        against(
            STUB, EXAMPLE_TEST, right={"durations.py": RIGHT, "tests/test_right.py": PARAMETERS}
        ),
    ),
]
