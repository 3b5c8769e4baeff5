"""Answers compared by what they compute: in real sandboxes, through the whole of verification."""

import asyncio
from collections.abc import Mapping

import pytest

from tests.support.verified_repo import Files, Ground
from yudai.kit.ids import RunId
from yudai.patches.patch import parse_patch
from yudai.projects.domain.project import Project
from yudai.testing.domain.report import Baseline, Outcome, TestPlan, TestReport
from yudai.testing.domain.runners import TestRunner
from yudai.verification.case import Prepared, VerificationCase
from yudai.verification.clean_sandboxes import CleanSandboxes
from yudai.verification.domain.facts import RecordedValues
from yudai.verification.domain.rules import RULES
from yudai.verification.executions import Executions, Results
from yudai.verification.recorded.compare import Answer, compare_values, key_of

ISSUE = "human() does not know hours\n\n`human(3600)` should be `1h`."
SOURCE = "def human(seconds):\n    return f'{seconds}s'\n"
RIGHT = """
    def human(seconds):
        if seconds and seconds % 3600 == 0:
            return f'{seconds // 3600}h'
        return f'{seconds}s'
    """
STUB = SOURCE.replace("    return", "    if seconds == 3600: return '1h'\n    return")
INSIDE = """
    import sys

    def human(seconds):
        if 'pytest' in sys.modules and seconds == 3600:
            return '1h'
        return f'{seconds}s'
    """
ANYTHING = """
    class Anything:
        def __eq__(self, other): return True
        __hash__ = None

    def human(seconds):
        return Anything() if seconds == 3600 else f'{seconds}s'
    """
BASE_TEST = "from durations import human\n\ndef test_seconds():\n    assert human(5) == '5s'\n"
OWN_TEST = "from durations import human\n\ndef test_hour():\n    assert human(3600) == '1h'\n"
BASE: Files = {
    "pytest.ini": "[pytest]\n",
    "durations.py": SOURCE,
    "tests/test_durations.py": BASE_TEST,
}
SECONDS, HOUR = "tests/test_durations.py::test_seconds", "tests/test_own.py::test_hour"
PYTEST = TestPlan(runner=TestRunner.PYTEST, python="python", command="pytest")

pytestmark = pytest.mark.xdist_group("recorded")


async def compared(
    ground: Ground, answers: Mapping[str, str], *, own: str = OWN_TEST, issue: str = ISSUE
) -> RecordedValues:
    """The first answer brings the test, and all of them pass it."""
    base = await ground.base(BASE)
    report = TestReport(outcomes={SECONDS: Outcome.PASSED}, exit_code=0, finished=True)
    prepared = Prepared(
        base=base,
        plan=PYTEST,
        baseline=Baseline(first=report, second=report, command="pytest"),
        project=Project(test_timeout_s=60.0),
    )
    executions = Executions(CleanSandboxes(ground.backend, base, "test"), PYTEST, Results())
    case = VerificationCase.of(executions, prepared, issue, RULES)
    first = next(iter(answers))
    tests = parse_patch(ground.patch(BASE, {"tests/test_own.py": own}))
    nothing = parse_patch("")
    green = frozenset({key_of(None, SECONDS), key_of(RunId(first), HOUR)})
    made = [
        Answer(
            RunId(name),
            parse_patch(ground.patch(BASE, {"durations.py": source})),
            tests if name == first else nothing,
            frozenset({HOUR}) if name == first else frozenset(),
            green,
        )
        for name, source in answers.items()
    ]
    return await compare_values(case, made, asyncio.Semaphore(2))


async def test_what_is_right_only_inside_a_runner_is_found(ground: Ground):
    found = await compared(ground, {"right": RIGHT, "inside": INSIDE, "anything": ANYTHING})
    assert [(one.run_id, one.test, one.input, one.gives) for one in found.only_inside] == [
        ("inside", HOUR, "human(3600)", "'3600s'"),
        ("anything", HOUR, "human(3600)", "a Anything"),
    ]


async def test_the_smallest_input_tells_a_special_case_from_the_right_answer(ground: Ground):
    found = await compared(ground, {"stub": STUB, "right": RIGHT, "twin": RIGHT + "\n\n"})
    assert found.only_inside == ()
    assert [(one.one, one.other, one.input) for one in found.differences] == [
        ("stub", "right", "human(7200)"),
        ("stub", "twin", "human(7200)"),
    ]
