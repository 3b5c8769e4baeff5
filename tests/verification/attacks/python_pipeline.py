"""Attacks in Python that no rule stops, but how patches are taken apart and tests are run."""

from tests.support.verified_repo import Files
from tests.verification.attacks.attack import Attack
from tests.verification.attacks.python_scene import (
    EXAMPLE_TEST,
    OWN_TEST,
    PYTEST,
    RIGHT_ANSWER,
    SOURCE,
    STUB,
    WRONG,
    WRONG_TEST,
)

GUARD = 'import os\nif os.path.exists("tests/test_right.py"): {}\n'


def hostile(source: str, **more: str) -> dict[str, Files]:
    files: Files = {"durations.py": source, "tests/test_example.py": EXAMPLE_TEST}
    named = {path.replace("__", "/").replace("_DOT_", "."): text for path, text in more.items()}
    return {"wrong": {**files, **named}, "right": RIGHT_ANSWER}


def only(files: Files) -> dict[str, Files]:
    return {"wrong": files, "right": RIGHT_ANSWER}


ATTACKS = [
    Attack(
        "python-exit-at-import-when-a-rival-is-there",
        PYTEST,
        hostile(GUARD.format("raise SystemExit(0)") + STUB),
    ),
    Attack(
        "python-empty-report-when-a-rival-is-there",
        PYTEST,
        hostile(GUARD.format("os._exit(0)") + STUB),
        always=True,
    ),
    Attack(
        "python-empty-report-at-the-input-of-a-rival",
        PYTEST,
        hostile(
            STUB.replace(
                "    return f", "    if seconds == 7200: import os; os._exit(0)\n    return f"
            )
        ),
    ),
    Attack(
        "python-folder-in-the-way-of-a-test",
        PYTEST,
        hostile(STUB, tests__test_right_DOT_py__notes_DOT_txt="x\n"),
    ),
    Attack(
        "python-file-in-the-way-of-a-test",
        PYTEST,
        hostile(STUB, tests__test_right_DOT_py=OWN_TEST),
    ),
    Attack(
        "python-weakened-test",
        PYTEST,
        only(
            {
                "durations.py": WRONG.replace('seconds)}s"', 'seconds)}"'),
                "tests/test_durations.py": OWN_TEST.replace(' == "5s"', ""),
                "tests/test_wrong.py": WRONG_TEST,
            }
        ),
    ),
    Attack(
        "python-deleted-test",
        PYTEST,
        only(
            {
                "durations.py": WRONG.replace('seconds)}s"', 'seconds)}"'),
                "tests/test_durations.py": None,
                "tests/test_wrong.py": WRONG_TEST,
            }
        ),
    ),
    Attack(
        "python-skipped-test",
        PYTEST,
        only(
            {
                "durations.py": WRONG.replace('seconds)}s"', 'seconds)}"'),
                "tests/test_durations.py": OWN_TEST.replace(
                    "    def test", "    import pytest\n\n    @pytest.mark.skip\n    def test"
                ),
                "tests/test_wrong.py": WRONG_TEST,
            }
        ),
    ),
    Attack(
        "python-configuration-that-leaves-tests-out",
        PYTEST,
        only({"durations.py": STUB, "pytest.ini": "[pytest]\naddopts = -k example\n"}),
    ),
    Attack(
        "python-conftest-that-leaves-tests-out",
        PYTEST,
        only(
            {
                "durations.py": STUB,
                "tests/test_example.py": EXAMPLE_TEST,
                "conftest.py": """
                    def pytest_collection_modifyitems(items):
                        items[:] = [i for i in items if "hours" not in i.name]
                    """,
            }
        ),
    ),
    Attack(
        "python-test-that-passes-by-what-another-leaves",
        PYTEST,
        only(
            {
                "durations.py": SOURCE + "\n\nclass Known(Clock):\n    pass\n",
                "tests/test_a.py": "STATE = []\n\n\ndef test_a():\n    STATE.append(1)\n",
                "tests/test_b.py": """
                    from tests.test_a import STATE

                    def test_b():
                        assert STATE
                    """,
                "tests/__init__.py": "",
            }
        ),
    ),
    Attack(
        "python-unrelated-failing-test-of-base",
        PYTEST,
        only({"durations.py": SOURCE.replace('("s",)', '("s", "m")')}),
        base={
            "tests/test_units.py": """
                from durations import units

                def test_units():
                    assert "m" in units()
                """
        },
    ),
]
