import asyncio
from collections.abc import Mapping, Sequence

import pytest

from tests.support.verified_repo import Files, Ground
from yudai.kit.ids import RunId
from yudai.projects.domain.project import Project
from yudai.sandboxes.port import Backend, BaseRef, Phase
from yudai.verification.baseline import Prepared
from yudai.verification.cross_examination import Entry, cross_examine
from yudai.verification.domain.judge import apply_cross
from yudai.verification.domain.verdict import Evidence, Verdict, VerdictStatus
from yudai.verification.verify import BaselineRun, Verifier

PROJECT = Project(test_timeout_s=60.0)
BASE: Files = {
    "pytest.ini": "[pytest]\n",
    "calc.py": "def add(a, b):\n    return a - b\n",
    "tests/test_calc.py": "import calc\n\ndef test_there():\n    assert calc.add\n",
}
RIGHT = "def add(a, b):\n    return a + b\n"
SPECIAL = "def add(a, b):\n    return 5 if (a, b) == (2, 3) else a - b\n"
EXAMPLE = "import calc\n\ndef test_example():\n    assert calc.add(2, 3) == 5\n"
CAREFUL = "import calc\n\ndef test_careful():\n    assert calc.add(-1, 1) == 0\n"


class Counting:
    """A backend that counts what it spawned."""

    def __init__(self, backend: Backend) -> None:
        self.backend = backend
        self.spawned = 0

    async def spawn(self, base: BaseRef, n: int, *, owner: str, phase: Phase = Phase.AGENT):
        self.spawned += n
        return await self.backend.spawn(base, n, owner=owner, phase=phase)


pytestmark = pytest.mark.xdist_group("crossing")

_MEASURED: list[BaselineRun] = []
_VERIFIED: dict[str, tuple[str, Verdict]] = {}
"""Equal changes have equal patches and verdicts before anybody is cross-examined."""


async def measured(ground: Ground) -> tuple[BaseRef, BaselineRun]:
    base = await ground.base(BASE)
    if not _MEASURED:
        verifier = Verifier(ground.backend)
        _MEASURED.append(await verifier.baseline(base, project=PROJECT, owner="test"))
    return base, _MEASURED[0]


class Contest:
    def __init__(self, ground: Ground, changes: Mapping[str, Files]) -> None:
        self.ground = ground
        self.changes = changes
        self.spawned = 0

    async def hold(self, parallel: int = 2) -> dict[str, Verdict]:
        """Verify every contestant, cross-examine them, and return all verdicts by handle."""
        verifier = Verifier(self.ground.backend)
        base, found = await measured(self.ground)
        prepared = Prepared(
            base=base, plan=found.plan, baseline=found.baseline, project=Project(test_timeout_s=60)
        )
        entries: list[Entry] = []
        for handle, change in self.changes.items():
            key = repr(change)
            if key not in _VERIFIED:
                patch = self.ground.patch(BASE, change)
                done = await verifier.verify(
                    base, found.plan, found.baseline, patch, project=PROJECT, owner="test"
                )
                _VERIFIED[key] = patch, done.verdict
            entries.append(Entry(RunId(f"run-{handle}"), handle, *_VERIFIED[key]))
        counting = Counting(self.ground.backend)
        crossed = await cross_examine(
            counting,  # pyright: ignore[reportArgumentType] - all that is used of a backend
            prepared,
            entries,
            owner="test",
            lanes=asyncio.Semaphore(parallel),
        )
        self.spawned = counting.spawned
        return {e.handle: crossed.get(e.run_id, e.verdict) for e in entries}


async def statuses(ground: Ground, changes: Mapping[str, Files]) -> dict[str, str]:
    verdicts = await Contest(ground, changes).hold()
    return {handle: str(verdict.status) for handle, verdict in verdicts.items()}


async def test_anothers_valid_test_fails_the_wrong_and_proves_the_silent(ground: Ground):
    contest = Contest(
        ground,
        {
            "careful": {"calc.py": RIGHT, "tests/test_careful.py": CAREFUL},
            "special": {"calc.py": SPECIAL, "tests/test_example.py": EXAMPLE},
            "silent": {"calc.py": RIGHT},
            "idle": {"README.md": "nothing\n"},
        },
    )
    found = await contest.hold()
    assert {handle: str(verdict.status) for handle, verdict in found.items()} == {
        "careful": "passed",
        "special": "failed",
        "silent": "passed",
        "idle": "failed",
    }
    careful = "careful::tests/test_careful.py::test_careful"
    example = "special::tests/test_example.py::test_example"
    assert found["special"].evidence.cross_failed == (careful,)
    assert found["special"].summary == f"fails {careful}, written by another contestant"
    assert found["silent"].evidence.proved_by == (careful, example)
    assert found["careful"].evidence.cross_passed == (example,)
    # One execution each, and what failed once more, alone.
    assert contest.spawned == 4 + 3


async def test_a_failed_run_is_still_an_author(ground: Ground):
    tampering = "import calc\n\ndef test_there():\n    assert True\n"
    found = await Contest(
        ground,
        {
            "tamperer": {
                "calc.py": RIGHT,
                "tests/test_careful.py": CAREFUL,
                "tests/test_calc.py": tampering,
            },
            "special": {"calc.py": SPECIAL},
        },
    ).hold()
    assert found["tamperer"].status is VerdictStatus.FAILED
    assert found["tamperer"].evidence.cross_passed == ()
    assert found["special"].evidence.cross_failed == (
        "tamperer::tests/test_careful.py::test_careful",
    )


async def test_authors_of_the_same_file_are_heard_apart(ground: Ground):
    contest = Contest(
        ground,
        {
            "careful": {"calc.py": RIGHT, "tests/test_add.py": CAREFUL},
            "special": {"calc.py": SPECIAL, "tests/test_add.py": EXAMPLE},
            "twin": {"calc.py": RIGHT, "tests/test_add.py": CAREFUL},
            "elsewhere": {"calc.py": RIGHT, "tests/more/test_add.py": CAREFUL},
            "silent": {"calc.py": RIGHT},
        },
    )
    found = await contest.hold()
    assert {handle: str(verdict.status) for handle, verdict in found.items()} == {
        "careful": "passed",
        "special": "failed",
        "twin": "passed",
        "elsewhere": "passed",
        "silent": "passed",
    }
    assert found["silent"].evidence.cross_passed == (
        "careful::tests/test_add.py::test_careful",
        "elsewhere::tests/more/test_add.py::test_careful",
        "special::tests/test_add.py::test_example",
        "twin::tests/test_add.py::test_careful",
    )


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


async def test_a_test_of_its_authors_own_names_says_nothing_about_others(ground: Ground):
    own_name = RIGHT + "\ndef _plus(a, b):\n    return a + b\n"
    private = "from calc import _plus\n\ndef test_plus():\n    assert _plus(1, 1) == 2\n"
    changes: dict[str, Files] = {
        "inventor": {"calc.py": own_name, "tests/test_plus.py": private},
        "careful": {"calc.py": RIGHT, "tests/test_careful.py": CAREFUL},
    }
    assert await statuses(ground, changes) == {"inventor": "passed", "careful": "passed"}
    changes["third"] = {"calc.py": own_name}
    assert await statuses(ground, changes) == {
        "inventor": "passed",
        "careful": "failed",
        "third": "passed",
    }


async def test_withheld_files_stay_withheld(ground: Ground):
    conftest = "def pytest_collection_modifyitems(items):\n    items.clear()\n"
    found = await Contest(
        ground,
        {
            "hider": {
                "calc.py": RIGHT,
                "tests/test_careful.py": CAREFUL,
                "tests/conftest.py": conftest,
            },
            "special": {"calc.py": SPECIAL},
        },
    ).hold()
    assert found["special"].evidence.cross_failed == ("hider::tests/test_careful.py::test_careful",)


async def test_without_a_plan_or_authors_nothing_happens(ground: Ground):
    backend = Counting(ground.backend)
    base, done = await measured(ground)
    verdict = Verdict(status=VerdictStatus.UNPROVED)
    valid = verdict.model_copy(update={"evidence": Evidence(valid_tests=("x",))})

    async def crossed(entries: Sequence[Entry], *, has_plan: bool):
        plan = done.plan if has_plan else None
        prepared = Prepared(
            base=base, plan=plan, baseline=done.baseline, project=Project(test_timeout_s=60)
        )
        return await cross_examine(
            backend,  # pyright: ignore[reportArgumentType] - all that is used of a backend
            prepared,
            entries,
            owner="t",
            lanes=asyncio.Semaphore(1),
        )

    lonely = Entry(RunId("a"), "a", "", valid)
    silent = Entry(RunId("b"), "b", "", verdict)
    assert await crossed([lonely, silent], has_plan=False) == {}
    assert await crossed([silent, Entry(RunId("c"), "c", "", verdict)], has_plan=True) == {}
    assert await crossed([lonely], has_plan=True) == {}
    assert backend.spawned == 0
    assert await crossed([lonely, silent], has_plan=True) == {
        "b": apply_cross(verdict, passed=[], failed=[])
    }


async def test_a_patch_that_stands_in_the_way_of_anothers_test_ends_nobodys_solve(ground: Ground):
    contest = Contest(
        ground,
        {
            "careful": {"calc.py": RIGHT, "checks/test_careful.py": CAREFUL},
            "blocker": {"calc.py": RIGHT, "checks": "in the way\n"},
        },
    )
    found = await contest.hold()
    assert found["careful"].status == "passed"
    assert found["blocker"].status == "unproved"
    assert found["blocker"].evidence.cross_failed == ()
