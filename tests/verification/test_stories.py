"""Honest solves, each told from the issue to the champion or the question."""

import pytest

from tests.support.verified_repo import Files, Ground
from tests.verification.contest import Contest, Judged

pytestmark = pytest.mark.xdist_group("stories")

BASE: Files = {
    "pytest.ini": "[pytest]\n",
    "durations.py": "def human(seconds):\n    return f'{seconds}s'\n",
    "tests/test_durations.py": """
        from durations import human

        def test_seconds():
            assert human(5) == "5s"
        """,
}
ISSUE = "human() does not know hours\n\n`human(3600)` says `3600s`; I expected `1h`."
RIGHT = """
    def human(seconds):
        if seconds and seconds % 3600 == 0:
            return f'{seconds // 3600}h'
        return f'{seconds}s'
    """
STUB = """
    def human(seconds):
        if seconds == 3600:
            return '1h'
        return f'{seconds}s'
    """
TEST = """
    from durations import human

    def test_hours():
        assert human(3600) == "1h"
        assert human(7200) == "2h"
    """
WRONG_TEST = """
    from durations import human

    def test_hours():
        assert human(3600) == "1 hour"
    """
WRONG = RIGHT.replace("}h'", "} hour'")


async def judged(ground: Ground, answers: dict[str, Files], issue: str = ISSUE, **more) -> Judged:
    return await Contest(ground, BASE, issue, answers, **more).judge()


async def test_one_contestant_right_with_a_test_is_champion(ground: Ground):
    found = await judged(ground, {"right": {"durations.py": RIGHT, "tests/test_hours.py": TEST}})
    assert found.champion == "right", found.logs
    verdict = found.verdict("right")
    assert (str(verdict.proof), verdict.tied) == ("behaviour", True)


async def test_the_impostor_is_a_question_and_never_champion(ground: Ground):
    impostor: Files = {
        "durations.py": str(BASE["durations.py"]) + "\n\ndef hours_are_known():\n    return True\n",
        "tests/test_hours.py": """
            from durations import hours_are_known

            def test_hours():
                assert hours_are_known()
            """,
    }
    found = await judged(ground, {"impostor": impostor})
    assert (found.champion, found.asked) == ("", ["interface"])
    both = await judged(ground, {"impostor": impostor, "silent": {"durations.py": RIGHT}})
    assert both.champion == ""
    right: Files = {"durations.py": RIGHT, "tests/test_right.py": TEST}
    three = await judged(ground, {"impostor": impostor, "right": right})
    assert three.champion == "right"
    assert three.status("impostor") == "failed"


async def test_a_stub_fails_the_test_of_the_right_one(ground: Ground):
    example = TEST.replace('    assert human(7200) == "2h"\n', "")
    answers: dict[str, Files] = {
        "stub": {"durations.py": STUB, "tests/test_example.py": example},
        "right": {"durations.py": RIGHT, "tests/test_hours.py": TEST},
    }
    found = await judged(ground, answers)
    assert found.champion == "right"
    assert found.verdict("stub").convicted_by == ("right::tests/test_hours.py::test_hours",)


async def test_more_support_wins_and_equal_support_asks(ground: Ground):
    answers: dict[str, Files] = {
        "right": {"durations.py": RIGHT, "tests/test_hours.py": TEST},
        "wrong": {"durations.py": WRONG, "tests/test_wrong.py": WRONG_TEST},
    }
    found = await judged(ground, answers)
    assert (found.champion, found.asked) == ("", ["support"])
    assert str(found.answered(support="right").champion) == "right"
    with_silent = await judged(ground, {**answers, "silent": {"durations.py": RIGHT + "\n\n"}})
    assert with_silent.champion in {"right", "silent"}
    assert with_silent.status("wrong") == "failed"


async def test_a_changed_expectation_by_one_contestant_is_a_question(ground: Ground):
    issue = "human() should leave a space before the unit"
    spaced: Files = {
        "durations.py": "def human(seconds):\n    return f'{seconds} s'\n",
        "tests/test_durations.py": str(BASE["tests/test_durations.py"]).replace('"5s"', '"5 s"'),
    }
    found = await judged(ground, {"one": spaced}, issue=issue)
    assert (found.champion, found.asked) == ("", ["expectation"]), found.verdict("one")
    assert found.answered(expectation="accept").champion == "one"
    given = await judged(ground, {"one": spaced}, issue=f"{issue}: `'5 s'`")
    assert given.champion == "one"


async def test_a_new_function_that_calls_old_code_in_a_new_way_shows_no_behaviour(ground: Ground):
    """With its other changes taken back it raises in its own lines, not in base's."""
    impostor: Files = {
        "durations.py": """
            def human(seconds, trick=False):
                return f'{seconds}s'


            def hours(seconds):
                return human(seconds, trick=True)
            """,
        "tests/test_hours.py": """
            from durations import hours

            def test_hours():
                assert hours(3600)
            """,
    }
    found = await judged(ground, {"impostor": impostor})
    assert (found.champion, found.asked) == ("", ["interface"])
