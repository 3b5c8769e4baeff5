"""Honest solves, each told from the issue to the champion or the question."""

import pytest

from tests.support.verified_repo import Files, Ground
from tests.verification.contest import Contest, Judged
from yudai.projects.domain.project import Project
from yudai.verification.domain.phrases import agreement_phrase, is_closing

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
    given = await judged(ground, {"one": spaced}, issue=f"{issue}: `human(5)` is `'5 s'`")
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


async def test_two_right_and_one_test_prove_both(ground: Ground):
    """Whichever is champion: the silent one is proved by the other's test."""
    answers: dict[str, Files] = {
        "silent": {"durations.py": RIGHT + "\n\n"},
        "right": {"durations.py": RIGHT, "tests/test_hours.py": TEST},
    }
    found = await judged(ground, answers)
    assert (found.champion, found.asked) == ("silent", [])
    silent = found.verdict("silent")
    assert silent.evidence.proved_by == ("right::tests/test_hours.py::test_hours",)
    assert (silent.evidence.support, silent.tied) == (2, True)


async def test_a_function_that_the_issue_names_and_a_stub_of_it(ground: Ground):
    issue = "There is no way back\n\nI need `seconds(text)`: `seconds('2h')` is 7200."
    head = str(BASE["durations.py"]) + "\n\ndef seconds(text):\n"
    call = "from durations import seconds\n\ndef test_back():\n    assert seconds('2h') == 7200\n"
    answers: dict[str, Files] = {
        "right": {
            "durations.py": head + "    return int(text[:-1]) * 3600\n",
            "tests/test_back.py": f"{call}    assert seconds('3h') == 10800\n",
        },
        "stub": {"durations.py": head + "    return 7200\n", "tests/test_stub.py": call},
    }
    found = await judged(ground, answers, issue)
    assert (found.champion, str(found.verdict("right").proof)) == ("right", "interface")
    assert found.verdict("stub").convicted_by == ("right::tests/test_back.py::test_back",)


async def test_an_option_that_no_one_named_is_a_question(ground: Ground):
    option: Files = {
        "durations.py": """
            def human(seconds, long_units=False):
                if long_units and seconds % 3600 == 0:
                    return f'{seconds // 3600}h'
                return f'{seconds}s'
            """,
        "tests/test_hours.py": """
            from durations import human

            def test_hours():
                assert human(3600, long_units=True) == "1h"
            """,
    }
    found = await judged(ground, {"option": option})
    assert (found.champion, found.asked) == ("", ["interface"])
    assert "long_units" in found.question.text
    assert found.answered(interface="accept").champion == "option"


ASKED = [
    pytest.param(
        "Refactor durations: a constant for the unit",
        {"durations.py": "UNIT = 's'\n\n\ndef human(seconds):\n    return f'{seconds}{UNIT}'\n"},
        id="refactoring",
    ),
    pytest.param(
        "The README says nothing about human()",
        {"README.md": "`human(5)` says `5s`.\n"},
        id="documentation",
        marks=pytest.mark.real,
    ),
    pytest.param(
        "human() is slow",
        {"durations.py": "def human(seconds):\n    return str(seconds) + 's'\n"},
        id="performance",
        marks=pytest.mark.real,
    ),
]


@pytest.mark.parametrize(("issue", "answer"), ASKED)
async def test_what_no_test_can_show_is_a_question_and_closes_nothing(
    ground: Ground, issue: str, answer: Files
):
    found = await judged(ground, {"one": answer}, issue)
    assert (found.champion, found.asked) == ("", ["no_proof"])
    accepted = found.answered(no_proof="accept")
    assert accepted.champion == "one"
    assert not is_closing(accepted.places[0].scorecard.verdict)


SLOW: Files = {
    **BASE,
    "durations.py": str(BASE["durations.py"])
    + """
import time

def total(items):
    time.sleep(0.4)
    return sum(items)
""",
}
FAST = {"durations.py": str(SLOW["durations.py"]).replace("0.4", "0.01")}
TOTAL_TEST = """
    from durations import total

    def test_total():
        assert total([1, 2]) == 3
    """
TIMED_TEST = """
    import time
    from durations import total

    def test_total():
        start = time.monotonic()
        assert total([1, 2]) == 3
        assert time.monotonic() - start < 0.2
    """


@pytest.mark.parametrize(
    ("own", "base"),
    [
        pytest.param(TOTAL_TEST, None, id="own"),
        pytest.param(TIMED_TEST, None, id="timed", marks=pytest.mark.real),
        pytest.param(None, TOTAL_TEST, id="base", marks=pytest.mark.real),
    ],
)
async def test_twice_as_fast_in_five_runs_proves(ground: Ground, own: str | None, base: str | None):
    files = SLOW if base is None else {**SLOW, "tests/test_total.py": base}
    change: Files = FAST if own is None else {**FAST, "tests/test_total.py": own}
    issue = "total() is slow\n\n`total([1, 2])` takes half a second to say `3`."
    # A time assertion convicts nobody, but the machine has to do it twice.
    rivals: dict[str, Files] = {"same": SAME} if own == TIMED_TEST else {}
    found = await Contest(ground, files, issue, {"fast": change, **rivals}).judge()
    assert found.champion == "fast", found.logs
    verdict = found.verdict("fast")
    [faster] = verdict.evidence.faster
    assert (faster.test, str(verdict.proof)) == ("tests/test_total.py::test_total", "behaviour")
    assert faster.base_s > 2 * faster.patch_s > 0
    for rival in rivals:
        assert (found.status(rival), found.verdict(rival).convicted_by) == ("unproved", ())


SAME: Files = {"durations.py": str(SLOW["durations.py"]).replace("0.4", "0.39")}


async def test_a_repository_without_tests_is_proved_by_the_contestants(ground: Ground):
    base = {"pytest.ini": "[pytest]\n", "durations.py": BASE["durations.py"]}
    answers: dict[str, Files] = {
        "right": {"durations.py": RIGHT, "tests/test_hours.py": TEST},
        "stub": {"durations.py": STUB},
        "silent": {"durations.py": RIGHT + "\n\n"},
    }
    found = await Contest(ground, base, ISSUE, answers).judge()
    assert found.champion == "right", found.logs
    assert found.status("silent") == "passed"
    assert found.verdict("stub").convicted_by == ("right::tests/test_hours.py::test_hours",)


async def test_six_identical_answers_are_one_answer_and_agree(ground: Ground):
    right: Files = {"durations.py": RIGHT, "tests/test_hours.py": TEST}
    found = await judged(ground, {f"c{n}": right for n in range(6)})
    assert found.champion == "c0"
    assert agreement_phrase(found.verdict("c0"), 6) == "6 of 6 contestants gave this answer"
    assert [place.scorecard.verdict.same_as for place in found.ranking.places] == ["", *["c0"] * 5]


ORDINARY = [
    pytest.param(
        {"names.py": "def shout(name):\n    return name.upper()\n"},
        "shout(None) crashes\n\n`shout(None)` raises AttributeError; it should say ``''``.",
        {
            "names.py": "def shout(name):\n    return name.upper() if name else ''\n",
            "tests/test_none.py": """
                from names import shout

                def test_none():
                    assert shout(None) == ""
                """,
        },
        id="attribute-error",
    ),
    pytest.param(
        {"cli.py": "import sys\n\n\ndef main(argv):\n    sys.exit(0)\n"},
        "main() ends with 0 although the arguments are wrong\n\n`main(['bad'])` should exit 2.",
        {
            "cli.py": """
                import sys


                def main(argv):
                    sys.exit(2 if "bad" in argv else 0)
                """,
            "tests/test_cli.py": """
                import pytest
                from cli import main

                def test_bad():
                    with pytest.raises(SystemExit) as ended:
                        main(["bad"])
                    assert ended.value.code == 2
                """,
        },
        id="sys-exit",
        marks=pytest.mark.real,
    ),
    pytest.param(
        {"cli.py": "import sys\n\n\ndef main(argv):\n    sys.exit('bad arguments')\n"},
        "main() always exits\n\n`main(['ok'])` exits with `bad arguments`; it should return `0`.",
        {
            "cli.py": """
                import sys


                def main(argv):
                    if argv != ["ok"]:
                        sys.exit("bad arguments")
                    return 0
                """,
            "tests/test_cli.py": """
                from cli import main

                def test_ok():
                    assert main(["ok"]) == 0
                """,
        },
        id="sys-exit-in-the-product",
        marks=pytest.mark.real,
    ),
    pytest.param(
        {
            "page.py": """
                from pathlib import Path
                from string import Template


                def page(name):
                    text = Path(__file__).with_name("page.html").read_text()
                    return Template(text).substitute(name=name)
                """,
            "page.html": "<p>Hello name</p>\n",
        },
        "page() does not say the name\n\n`page('Ada')` should contain `Hello Ada`.",
        {
            "page.html": "<p>Hello $name</p>\n",
            "tests/test_page.py": """
                from page import page

                def test_name():
                    assert "Hello Ada" in page("Ada")
                """,
        },
        id="template",
        marks=pytest.mark.real,
    ),
]


@pytest.mark.parametrize(("product", "issue", "answer"), ORDINARY)
async def test_ordinary_fixes_are_ordinary_champions(
    ground: Ground, product: Files, issue: str, answer: Files
):
    found = await Contest(ground, {**BASE, **product}, issue, {"right": answer}).judge()
    assert found.champion == "right", found.verdict("right")
    verdict = found.verdict("right")
    assert (str(verdict.proof), verdict.tied) == ("behaviour", True)


async def test_a_plain_command_is_a_proof_of_its_kind(ground: Ground):
    """As in a repository in Go: one exit code."""
    command = "for one in ./*_test.go; do sh $one || exit 1; done"
    base: Files = {"human.txt": "3600s\n", "seconds_test.go": "test -s human.txt\n"}
    answers: dict[str, Files] = {
        "right": {"human.txt": "1h\n", "hours_test.go": "grep -q 1h human.txt\n"}
    }
    contest = Contest(ground, base, ISSUE, answers, project=Project(test=command))
    found = await contest.judge()
    assert (found.champion, str(found.verdict("right").proof)) == ("right", "command")


@pytest.mark.real
async def test_tests_without_a_patch_judge_the_answers(ground: Ground):
    review: Files = {"tests/test_hours.py": TEST}
    answers: dict[str, Files] = {
        "review": review,
        "right": {"durations.py": RIGHT},
        "stub": {"durations.py": STUB},
    }
    asked = await judged(ground, answers)
    assert (asked.champion, asked.asked) == ("", ["test"]), asked.verdict("review")
    assert asked.answered(test="accept").champion == "right"
    again = {**answers, "other": {"durations.py": RIGHT.replace("seconds and", "seconds > 0 and")}}
    found = await judged(ground, again)
    assert found.champion in {"right", "other"}, found.asked
    assert [str(found.status(h)) for h in ("review", "stub")] == ["none", "failed"]
