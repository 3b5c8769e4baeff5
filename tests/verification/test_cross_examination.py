"""The tests of each answer on every other one: who is convicted, and who is acquitted."""

from collections.abc import Mapping

import pytest

from tests.support.verified_repo import Files, Ground
from tests.verification.contest import Contest, Judged

ISSUE = "add() subtracts\n\n`calc.add(2, 3)` should be `5`, and `calc.add(-1, 1)` should be `0`."
BASE: Files = {
    "pytest.ini": "[pytest]\n",
    "calc.py": "def add(a, b):\n    return a - b\n",
    "tests/test_calc.py": "import calc\n\ndef test_there():\n    assert calc.add\n",
}
RIGHT = "def add(a, b):\n    return a + b\n"
SPECIAL = "def add(a, b):\n    return 5 if (a, b) == (2, 3) else a - b\n"
EXAMPLE = "import calc\n\ndef test_example():\n    assert calc.add(2, 3) == 5\n"
CAREFUL = "import calc\n\ndef test_careful():\n    assert calc.add(-1, 1) == 0\n"


pytestmark = pytest.mark.xdist_group("crossing")


async def judged(ground: Ground, changes: Mapping[str, Files]) -> Judged:
    return await Contest(ground, BASE, ISSUE, changes).judge()


async def statuses(ground: Ground, changes: Mapping[str, Files]) -> dict[str, str]:
    found = await judged(ground, changes)
    return {handle: str(found.status(handle)) for handle in changes}


async def test_anothers_valid_test_fails_the_wrong_and_proves_the_silent(ground: Ground):
    found = await judged(
        ground,
        {
            "careful": {"calc.py": RIGHT, "tests/test_careful.py": CAREFUL},
            "special": {"calc.py": SPECIAL, "tests/test_example.py": EXAMPLE},
            "silent": {"calc.py": RIGHT},
            "idle": {"README.md": "nothing\n"},
        },
    )
    assert {str(c.run_id): str(found.status(c.handle)) for c in found.candidates} == {
        "careful": "passed",
        "special": "failed",
        "silent": "passed",
        "idle": "failed",
    }
    careful = "careful::tests/test_careful.py::test_careful"
    example = "special::tests/test_example.py::test_example"
    assert found.verdict("special").evidence.cross_failed == (careful,)
    assert found.verdict("special").summary == f"fails {careful}, written by another contestant"
    # Who has failed is no witness: what its test says of others is noted, and proves nothing.
    assert found.verdict("silent").evidence.proved_by == (careful,)
    assert found.verdict("silent").evidence.cross_passed == (careful, example)
    assert found.verdict("careful").evidence.cross_passed == (example,)


@pytest.mark.real
async def test_the_test_of_a_failed_run_convicts_nobody(ground: Ground):
    tampering = "import calc\n\ndef test_there():\n    assert True\n"
    found = await judged(
        ground,
        {
            "tamperer": {
                "calc.py": RIGHT,
                "tests/test_careful.py": CAREFUL,
                "tests/test_calc.py": tampering,
            },
            "special": {"calc.py": SPECIAL, "tests/test_example.py": EXAMPLE},
        },
    )
    assert found.status("tamperer") == "failed"
    assert found.status("special") == "passed"
    assert found.examination.crossings == ()


async def test_authors_of_the_same_file_are_heard_apart(ground: Ground):
    found = await judged(
        ground,
        {
            "careful": {"calc.py": RIGHT, "tests/test_add.py": CAREFUL},
            "special": {"calc.py": SPECIAL, "tests/test_add.py": EXAMPLE},
            "twin": {"calc.py": RIGHT, "tests/test_add.py": CAREFUL},
            "elsewhere": {"calc.py": RIGHT, "tests/more/test_add.py": CAREFUL},
            "silent": {"calc.py": RIGHT},
        },
    )
    assert {str(c.run_id): str(found.status(c.handle)) for c in found.candidates} == {
        "careful": "passed",
        "special": "failed",
        "twin": "passed",
        "elsewhere": "passed",
        "silent": "passed",
    }
    assert found.verdict("silent").evidence.cross_passed == (
        "careful::tests/test_add.py::test_careful",
        "elsewhere::tests/more/test_add.py::test_careful",
        "special::tests/test_add.py::test_example",
    )
    twin = found.verdict("twin")
    assert (twin.same_as, twin.agreement) == ("careful", 2)


async def test_tests_that_disturb_each_other_are_asked_again_alone(ground: Ground):
    rude = EXAMPLE + "\ncalc.add = lambda a, b: 5\n"
    fatal = "import calc, os\n\ndef test_fatal():\n    assert calc.add(1, 1) == 2 or os._exit(0)\n"
    found = await statuses(
        ground,
        {
            "careful": {"calc.py": RIGHT, "tests/test_careful.py": CAREFUL},
            "rude": {"calc.py": RIGHT, "tests/test_a_rude.py": rude},
            "fatal": {"calc.py": RIGHT, "tests/test_fatal.py": fatal},
            "silent": {"calc.py": RIGHT},
        },
    )
    assert found == {"careful": "passed", "rude": "passed", "fatal": "passed", "silent": "passed"}


@pytest.mark.real
async def test_a_test_of_its_authors_own_names_says_nothing_about_others(ground: Ground):
    own_name = RIGHT + "\ndef _plus(a, b):\n    return a + b\n"
    private = "from calc import _plus\n\ndef test_plus():\n    assert _plus(1, 1) == 2\n"
    changes: dict[str, Files] = {
        "inventor": {"calc.py": own_name, "tests/test_plus.py": private},
        "careful": {"calc.py": RIGHT, "tests/test_careful.py": CAREFUL},
    }
    changes["third"] = {"calc.py": own_name}
    found = await judged(ground, changes)
    assert {str(found.status(handle)) for handle in changes} == {"passed"}
    assert found.verdict("inventor").evidence.valid_tests == ()
    assert found.champion == "careful"


@pytest.mark.real
async def test_a_patch_that_leaves_no_room_for_anothers_test_does_not_pass_it(ground: Ground):
    found = await judged(
        ground,
        {
            "careful": {"calc.py": RIGHT, "checks/test_careful.py": CAREFUL},
            "blocker": {"calc.py": RIGHT, "checks": "in the way\n"},
        },
    )
    assert found.status("careful") == "passed"
    assert found.status("blocker") == "failed"
    assert found.verdict("blocker").convicted_by == (
        "careful::checks/test_careful.py::test_careful",
    )
