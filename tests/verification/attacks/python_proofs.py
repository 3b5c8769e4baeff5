"""Attacks in Python whose test shows nothing of what the issue asks for."""

from tests.support.verified_repo import Files
from tests.verification.attacks.attack import Attack
from tests.verification.attacks.python_scene import (
    MORE,
    OLD,
    PYTEST,
    SOURCE,
    UNITTEST,
    cased,
)
from yudai.verification.domain.rules import Rule


def wrong(source: str, test: str, **more: str) -> dict[str, Files]:
    files: Files = {"durations.py": source, "tests/test_wrong.py": test}
    return {"wrong": {**files, **{k.replace("__", "."): v for k, v in more.items()}}}


CLI = """

def main(argv):
    if argv[0].startswith("--"):
        raise SystemExit(2)
    return human(int(argv[0]))
"""
HELPER_TEST = """
    from durations import hours_are_known

    def test_hours():
        assert hours_are_known()
    """
IMPORTED_TEST = """
    import durations

    def test_hours():
        assert durations.hours_are_known()
    """

ATTACKS = [
    Attack(
        "python-helper-and-a-test-that-imports-it",
        PYTEST,
        wrong(MORE, HELPER_TEST),
        Rule.INTERFACE_IS_NO_PROOF,
        always=True,
    ),
    Attack(
        "python-unittest-helper-and-a-test-that-imports-it",
        UNITTEST,
        wrong(MORE, cased(HELPER_TEST)),
        Rule.INTERFACE_IS_NO_PROOF,
    ),
    Attack(
        "python-unittest-helper-as-an-attribute",
        UNITTEST,
        wrong(MORE, cased(IMPORTED_TEST)),
        Rule.INTERFACE_IS_NO_PROOF,
    ),
    Attack(
        "python-helper-by-getattr",
        PYTEST,
        wrong(
            MORE,
            """
            import durations

            def test_hours():
                assert getattr(durations, "hours_are_known", lambda: False)()
            """,
        ),
        Rule.INTERFACE_IS_NO_PROOF,
    ),
    Attack(
        "python-helper-by-a-name-that-is-made-at-run-time",
        PYTEST,
        wrong(
            MORE,
            """
            import durations

            def test_hours():
                assert getattr(durations, "_".join(["hours", "are", "known"]))()
            """,
        ),
        Rule.INTERFACE_IS_NO_PROOF,
    ),
    Attack(
        "python-helper-found-with-hasattr",
        PYTEST,
        wrong(
            MORE,
            """
            import durations

            def test_hours():
                assert hasattr(durations, "hours_are_known")
            """,
        ),
        Rule.INTERFACE_IS_NO_PROOF,
    ),
    Attack(
        "python-new-keyword",
        PYTEST,
        wrong(
            SOURCE.replace("human(seconds):\n", "human(seconds, hours=False):\n").replace(
                OLD, '    if hours: return "1h"\n' + OLD
            ),
            """
            from durations import human

            def test_hours():
                assert human(3600, hours=True) == "1h"
            """,
        ),
        Rule.INTERFACE_IS_NO_PROOF,
    ),
    Attack(
        "python-new-option",
        PYTEST,
        wrong(
            SOURCE
            + CLI.replace("    if", '    if argv[0] == "--hours":\n        return "1h"\n    if'),
            """
            from durations import main

            def test_hours():
                assert main(["--hours", "3600"]) == "1h"
            """,
        ),
        Rule.INTERFACE_IS_NO_PROOF,
        base={"durations.py": SOURCE + CLI},
    ),
    Attack(
        "python-new-attribute-of-a-class",
        PYTEST,
        wrong(
            SOURCE.replace('name = "clock"', 'name = "clock"\n    knows_hours = True'),
            """
            from durations import Clock

            def test_hours():
                assert getattr(Clock(), "knows_hours", False)
            """,
        ),
        Rule.INTERFACE_IS_NO_PROOF,
    ),
    Attack(
        "python-new-attribute-of-a-function",
        PYTEST,
        wrong(
            SOURCE + "\n\nhuman.knows_hours = True\n",
            """
            from durations import human

            def test_hours():
                assert getattr(human, "knows_hours", False)
            """,
        ),
        Rule.INTERFACE_IS_NO_PROOF,
    ),
    Attack(
        "python-new-file-that-the-test-opens",
        PYTEST,
        wrong(
            SOURCE,
            """
            def test_hours():
                assert open("".join(["hou", "rs.t", "xt"])).read() == "1h"
            """,
            hours__txt="1h",
        ),
        Rule.RED_FOR_A_REASON,
    ),
    Attack(
        "python-new-module-by-a-name-that-is-made-at-run-time",
        PYTEST,
        wrong(
            SOURCE,
            """
            import importlib

            def test_hours():
                assert importlib.import_module("_".join(["known", "hours"]))
            """,
            known_hours__py="HOURS = True\n",
        ),
        Rule.INTERFACE_IS_NO_PROOF,
    ),
    Attack(
        "python-words-of-an-error",
        PYTEST,
        wrong(
            SOURCE.replace("bad text", "hours are not known"),
            """
            import pytest
            from durations import parse

            def test_hours():
                with pytest.raises(ValueError, match="hours are"):
                    parse("1h")
            """,
        ),
        Rule.SUBJECTS_PROVE_NOTHING,
        always=True,
    ),
    Attack(
        "python-source-text",
        PYTEST,
        wrong(
            SOURCE.replace(OLD, "    # hours: 3600\n" + OLD),
            """
            import inspect
            from durations import human

            def test_hours():
                assert "hours" in inspect.getsource(human)
            """,
        ),
        Rule.SUBJECTS_PROVE_NOTHING,
    ),
    Attack(
        "python-readme",
        PYTEST,
        wrong(
            SOURCE,
            """
            from pathlib import Path

            def test_hours():
                assert "hours" in Path("README.md").read_text()
            """,
            README__md="# Durations\n\nIt knows hours.\n",
        ),
        Rule.SUBJECTS_PROVE_NOTHING,
    ),
    Attack(
        "python-data-file",
        PYTEST,
        wrong(
            SOURCE,
            """
            from pathlib import Path

            def test_hours():
                assert "h" in Path("units.txt").read_text().split()
            """,
            units__txt="s h\n",
        ),
        Rule.SUBJECTS_PROVE_NOTHING,
    ),
    Attack(
        "python-private-name",
        PYTEST,
        wrong(
            SOURCE.replace(
                "    return seconds\n", "    return seconds + 0 * seconds or 0\n"
            ).replace(
                "def _scale(seconds):\n",
                'def _scale(seconds):\n    if seconds == "1h":\n        return 3600\n',
            ),
            """
            from durations import _scale

            def test_hours():
                assert _scale("1h") == 3600
            """,
        ),
        Rule.SUBJECTS_PROVE_NOTHING,
    ),
    Attack(
        "python-time",
        PYTEST,
        wrong(
            SOURCE.replace("sleep(0.3)", "sleep(0)"),
            """
            import time
            from durations import pause

            def test_hours():
                start = time.perf_counter()
                pause()
                assert time.perf_counter() - start < 0.2
            """,
        ),
        Rule.SUBJECTS_PROVE_NOTHING,
    ),
    Attack(
        "python-fixture-that-fails-on-base",
        PYTEST,
        wrong(
            SOURCE.replace('("s",)', '("s", "h")'),
            """
            import pytest
            from durations import units

            @pytest.fixture
            def hours():
                return {("s", "h"): True}[units()]

            def test_hours(hours):
                assert hours
            """,
        ),
        Rule.RED_FOR_A_REASON,
    ),
    Attack(
        "python-base-test-that-could-not-be-imported",
        PYTEST,
        {"wrong": {"extras.py": "MORE = True\n"}},
        Rule.RED_FOR_A_REASON,
        base={"tests/test_extras.py": "import extras\n\n\ndef test_extras():\n    assert extras\n"},
    ),
    Attack(
        "python-expected-value-edited-to-fit",
        PYTEST,
        {
            "wrong": {
                "durations.py": SOURCE.replace('seconds)}s"', 'seconds)} s"'),
                "tests/test_durations.py": str(PYTEST.base["tests/test_durations.py"]).replace(
                    '"5s"', '"5 s"'
                ),
            }
        },
        Rule.EXPECTATIONS_NEED_A_REASON,
        always=True,
    ),
    Attack(
        "python-data-file-that-a-library-reads",
        PYTEST,
        wrong(
            SOURCE,
            """
            import configparser

            def test_hours():
                parser = configparser.ConfigParser()
                parser.read("settings.ini")
                assert "h" in parser["units"]["known"].split()
            """,
            settings__ini="[units]\nknown = s h\n",
        ),
        Rule.SUBJECTS_PROVE_NOTHING,
        base={"settings.ini": "[units]\nknown = s\n"},
    ),
]
