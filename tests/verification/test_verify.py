import pytest

from tests.support.verified_repo import Files, Ground
from yudai.kit.errors import SandboxError
from yudai.projects.domain.project import Project
from yudai.sandboxes.port import BaseRef
from yudai.testing.domain.runners import TestRunner
from yudai.verification.case import Prepared
from yudai.verification.domain.verdict import Verdict, VerdictStatus
from yudai.verification.verify import BaselineRun, Verification, Verifier

PROJECT = Project(test_timeout_s=60.0)
BASE: Files = {
    "pyproject.toml": """
        [project]
        name = "calc"

        [tool.pytest.ini_options]
        testpaths = ["tests"]
    """,
    "calc.py": """
        def add(a, b):
            return a - b

        def mul(a, b):
            return a * b
    """,
    "tests/test_calc.py": """
        from calc import mul

        def test_mul():
            assert mul(2, 3) == 6

        def test_mul_by_zero():
            assert mul(2, 0) == 0
    """,
}
RIGHT = """
    def add(a, b):
        return a + b

    def mul(a, b):
        return a * b
"""
NEW_TEST = """
    from calc import add

    def test_add():
        assert add(2, 3) == 5
"""


_MEASURED: dict[str, BaselineRun] = {}


async def measured(
    ground: Ground, files: Files = BASE, project: Project = PROJECT
) -> tuple[BaseRef, BaselineRun]:
    """Equal repositories have equal baselines: each is measured once."""
    base, key = await ground.base(files, node=project.node), repr((files, project))
    if key not in _MEASURED:
        verifier = Verifier(ground.backend)
        _MEASURED[key] = await verifier.baseline(base, project=project, owner="test")
    return base, _MEASURED[key]


def prepared_of(base: BaseRef, found: BaselineRun) -> Prepared:
    return Prepared(base=base, plan=found.plan, baseline=found.baseline, project=PROJECT)


async def verified(
    ground: Ground, change: Files, files: Files = BASE, project: Project = PROJECT
) -> Verification:
    base, found = await measured(ground, files, project)
    prepared = Prepared(base=base, plan=found.plan, baseline=found.baseline, project=project)
    return await Verifier(ground.backend).verify(
        prepared, ground.patch(files, change), owner="test"
    )


async def verdict(
    ground: Ground, change: Files, files: Files = BASE, project: Project = PROJECT
) -> Verdict:
    return (await verified(ground, change, files, project)).verdict


async def test_the_baseline(ground: Ground):
    _, found = await measured(ground)
    assert found.plan is not None
    assert found.plan.runner is TestRunner.PYTEST
    assert found.baseline.command == "python -m pytest"
    assert found.baseline.passing == {
        "tests/test_calc.py::test_mul",
        "tests/test_calc.py::test_mul_by_zero",
    }
    assert found.baseline.flaky == frozenset()
    assert found.log.count("2 passed") == 2


async def test_a_repository_without_tests(ground: Ground):
    files: Files = {"calc.py": BASE["calc.py"]}
    base, found = await measured(ground, files)
    assert found.plan is not None
    assert found.baseline.command == "python -m pytest"
    assert found.baseline.known == frozenset()
    verifier = Verifier(ground.backend)
    patch = ground.patch(files, {"calc.py": RIGHT})
    plain = await verifier.verify(prepared_of(base, found), patch, owner="t")
    assert plain.verdict.status is VerdictStatus.UNVERIFIED
    assert (plain.files_changed, plain.lines_changed) == (1, 2)
    hijack = ground.patch(files, {"sitecustomize.py": ""})
    found_out = await verifier.verify(prepared_of(base, found), hijack, owner="t")
    assert found_out.verdict.status is VerdictStatus.FAILED


async def test_a_right_fix_with_a_test_passes(ground: Ground):
    found = await verified(ground, {"calc.py": RIGHT, "tests/test_add.py": NEW_TEST})
    assert found.verdict.status is VerdictStatus.PASSED
    assert found.verdict.evidence.proved_by == ("tests/test_add.py::test_add",)
    assert found.verdict.evidence.valid_tests == ("tests/test_add.py::test_add",)
    assert (found.files_changed, found.lines_changed) == (1, 2)
    assert "tests/test_add.py" in found.test_part
    assert "calc.py" not in found.test_part.replace("from calc", "")
    for title in ("judged by base's own", "with its own tests", "base with the patch's tests only"):
        assert title in found.log


@pytest.mark.real
async def test_a_new_test_in_an_existing_file_is_valid_too(ground: Ground):
    tests = str(BASE["tests/test_calc.py"]).replace("import mul", "import add, mul")
    tests += "\n        def test_add():\n            assert add(2, 3) == 5\n"
    found = await verdict(ground, {"calc.py": RIGHT, "tests/test_calc.py": tests})
    assert found.status is VerdictStatus.PASSED
    assert found.evidence.own_tests == ("tests/test_calc.py::test_add",)


async def test_a_right_fix_without_a_test_is_unproved(ground: Ground):
    found = await verdict(ground, {"calc.py": RIGHT})
    assert found.status is VerdictStatus.UNPROVED
    assert found.evidence.executed == found.evidence.baseline_executed == 2


@pytest.mark.real
async def test_a_test_that_also_passes_on_base_proves_nothing(ground: Ground):
    test = "from calc import mul\ndef test_more(): assert mul(1, 1) == 1\n"
    found = await verdict(ground, {"calc.py": RIGHT, "tests/test_more.py": test})
    assert found.status is VerdictStatus.UNPROVED
    assert found.evidence.own_tests == ("tests/test_more.py::test_more",)
    assert found.evidence.valid_tests == ()


async def test_a_test_that_needs_new_names_is_red_on_base(ground: Ground):
    code = str(BASE["calc.py"]) + "\n        def sub(a, b):\n            return a - b\n"
    test = "from calc import sub\ndef test_sub(): assert sub(3, 1) == 2\n"
    found = await verdict(ground, {"calc.py": code, "tests/test_sub.py": test})
    [test] = found.evidence.weighed
    assert (test.test, test.kind) == ("tests/test_sub.py::test_sub", "interface")
    assert test.symbols == ("sub",)
    assert (found.status, found.evidence.valid_tests) == (VerdictStatus.UNPROVED, ())


async def test_a_test_that_takes_base_down_shows_no_behaviour(ground: Ground):
    files: Files = {
        **BASE,
        "calc.py": "def add(a, b):\n    import os\n    os._exit(0)\nmul = int.__mul__\n",
    }
    found = await verdict(ground, {"calc.py": RIGHT, "tests/test_add.py": NEW_TEST}, files)
    assert found.status is VerdictStatus.UNPROVED
    [test] = found.evidence.weighed
    assert (test.test, test.kind) == ("tests/test_add.py::test_add", "none")


@pytest.mark.real
async def test_a_base_test_that_turns_green_proves(ground: Ground):
    files: Files = {**BASE, "tests/test_add.py": NEW_TEST}
    found = await verdict(ground, {"calc.py": RIGHT}, files)
    assert found.status is VerdictStatus.PASSED
    assert found.fixed == ("tests/test_add.py::test_add",)


async def test_breaking_a_test_fails(ground: Ground):
    broken = str(RIGHT).replace("a * b", "a + b")
    found = await verdict(ground, {"calc.py": broken, "tests/test_add.py": NEW_TEST})
    assert found.status is VerdictStatus.FAILED
    assert found.broken == (
        "tests/test_calc.py::test_mul",
        "tests/test_calc.py::test_mul_by_zero",
    )
    assert found.evidence.valid_tests == ("tests/test_add.py::test_add",)


async def test_an_edited_expectation_waits_for_a_person_and_base_keeps_its_own(ground: Ground):
    broken = str(RIGHT).replace("a * b", "a + b")
    edited = str(BASE["tests/test_calc.py"]).replace("== 6", "== 5").replace("== 0", "== 2")
    found = await verdict(ground, {"calc.py": broken, "tests/test_calc.py": edited})
    assert (found.status, found.tampered) == (VerdictStatus.UNPROVED, ())
    changed = [
        (one.test, one.before, one.now, one.accepted) for one in found.evidence.changed_expectations
    ]
    assert changed == [
        ("tests/test_calc.py::test_mul", "6", "5", False),
        ("tests/test_calc.py::test_mul_by_zero", "0", "2", False),
    ]
    assert len(found.broken) == 2


@pytest.mark.real
async def test_an_edited_expectation_that_the_patch_does_not_need_is_tampering(ground: Ground):
    edited = str(BASE["tests/test_calc.py"]).replace("== 6", "== 5")
    found = await verdict(ground, {"calc.py": RIGHT, "tests/test_calc.py": edited})
    assert found.status is VerdictStatus.FAILED
    assert found.tampered == ("tests/test_calc.py: changes what test_mul expects: 6 -> 5",)


@pytest.mark.real
async def test_deleting_tests_fails(ground: Ground):
    found = await verdict(ground, {"calc.py": RIGHT, "tests/test_calc.py": None})
    assert found.tampered == ("tests/test_calc.py: deletes this test file",)
    assert found.missing == ()


async def test_configuration_that_hides_tests_fails_and_is_not_in_force(ground: Ground):
    config = str(BASE["pyproject.toml"]).replace('["tests"]', '["none"]')
    found = await verdict(ground, {"calc.py": RIGHT, "pyproject.toml": config})
    assert found.status is VerdictStatus.FAILED
    assert found.tampered == ("pyproject.toml: changes how tests run (tool.pytest)",)
    assert found.evidence.withheld == ("pyproject.toml",)
    assert found.evidence.executed == 2


async def test_other_configuration_is_applied(ground: Ground):
    config = str(BASE["pyproject.toml"]).replace('"calc"', '"calculator"')
    check = "def test_x(): assert 'calculator' in open('pyproject.toml').read()\n"
    found = await verdict(
        ground, {"calc.py": RIGHT, "pyproject.toml": config, "tests/test_x.py": check}
    )
    [test] = found.evidence.weighed
    assert (test.test, test.subjects) == ("tests/test_x.py::test_x", ("a data file",))


async def test_a_conftest_that_turns_everything_green_is_withheld(ground: Ground):
    conftest = """
        import pytest

        @pytest.hookimpl(hookwrapper=True)
        def pytest_runtest_makereport(item, call):
            made = yield
            made.get_result().outcome = "passed"
    """
    lie = "def test_lie(): assert 0\n"
    found = await verdict(
        ground, {"calc.py": RIGHT, "tests/conftest.py": conftest, "tests/test_lie.py": lie}
    )
    assert found.status is VerdictStatus.FAILED
    assert found.evidence.withheld == ("tests/conftest.py",)
    assert found.evidence.own_failed == ("tests/test_lie.py::test_lie",)


@pytest.mark.parametrize(
    "trick", ["import os\nos._exit(0)\n", "import sys\nsys.exit(0)\n", "raise SystemExit\n"]
)
@pytest.mark.real_on("import sys\nsys.exit(0)\n", "raise SystemExit\n")
async def test_ending_the_run_early_is_never_a_pass(ground: Ground, trick: str):
    found = await verdict(ground, {"calc.py": trick})
    assert found.status is VerdictStatus.FAILED
    assert not found.fixed
    assert found.missing


async def test_rewriting_tests_while_they_run_is_seen(ground: Ground):
    trick = """
        from pathlib import Path
        Path("tests/test_calc.py").write_text("def test_mul(): pass\\n")
        add = mul = None
    """
    found = await verdict(ground, {"calc.py": trick})
    assert "tests/test_calc.py: was changed while the tests ran" in found.tampered


@pytest.mark.real
async def test_own_tests_that_fail_are_a_failure(ground: Ground):
    found = await verdict(ground, {"tests/test_add.py": NEW_TEST})
    assert found.status is VerdictStatus.FAILED
    assert found.summary == "fails its own test tests/test_add.py::test_add"


async def test_flaky_tests_are_left_out(ground: Ground):
    moody = """
        import uuid
        import pytest

        @pytest.mark.parametrize("name", [uuid.uuid4().hex])
        def test_moody(name): pass
    """
    files: Files = {**BASE, "tests/test_moody.py": moody}
    base, found = await measured(ground, files)
    assert len(found.baseline.flaky) == 2
    patch = ground.patch(files, {"calc.py": RIGHT})
    verifier = Verifier(ground.backend)
    done = await verifier.verify(prepared_of(base, found), patch, owner="t")
    assert done.verdict.status is VerdictStatus.UNPROVED
    assert done.verdict.flaky == tuple(sorted(found.baseline.flaky))
    assert done.verdict.missing == ()


async def test_a_backend_that_cannot_start_a_box_is_no_verdict():
    class Broken:
        async def spawn(self, _base: BaseRef, n: int, **_owner: str):
            return [SandboxError("no room")] * n

    verifier = Verifier(Broken())  # pyright: ignore[reportArgumentType] - all that is used of it
    with pytest.raises(SandboxError, match="no room"):
        await verifier.baseline(BaseRef(key="x"), project=PROJECT, owner="test")


async def test_an_empty_patch_is_nothing(ground: Ground):
    found = await verdict(ground, {})
    assert found.status is VerdictStatus.NONE


async def test_a_patch_that_does_not_apply(ground: Ground):
    base, found = await measured(ground)
    other = {"calc.py": "entirely\ndifferent\n"}
    patch = ground.patch(other, {"calc.py": "entirely\nother\n"})
    done = await Verifier(ground.backend).verify(prepared_of(base, found), patch, owner="t")
    assert done.verdict.status is VerdictStatus.FAILED
    assert done.verdict.summary.startswith("the patch does not apply: ")


@pytest.mark.parametrize("text", ["garbage\n", "diff --git a/../x b/../x\nnew file mode 100644\n"])
async def test_a_patch_that_is_refused(ground: Ground, text: str):
    base, found = await measured(ground)
    done = await Verifier(ground.backend).verify(prepared_of(base, found), text, owner="t")
    assert done.verdict.status is VerdictStatus.FAILED
    assert "not a git patch" in done.log or "leads outside" in done.log


async def test_odd_files_survive(ground: Ground):
    change: Files = {
        "calc.py": RIGHT,
        'data/sp ace "q" é.bin': bytes(range(256)),
        "data/latin.txt": b"caf\xe9\n",
        "data/crlf.txt": b"a\r\nb\r\n",
        "data/empty": "",
        "tests/test_odd é.py": b"# coding: latin-1\ndef test_caf\xe9(): assert 1\n",
    }
    found = await verdict(ground, change)
    assert found.status is VerdictStatus.UNPROVED
    assert len(found.evidence.own_tests) == 1


async def test_unittest_repositories(ground: Ground):
    files: Files = {
        "calc.py": BASE["calc.py"],
        "tests/test_calc.py": """
            import unittest
            from calc import mul

            class Mul(unittest.TestCase):
                def test_mul(self):
                    self.assertEqual(mul(2, 3), 6)
        """,
    }
    test = """
        import unittest
        from calc import add

        class Add(unittest.TestCase):
            def test_add(self):
                self.assertEqual(add(2, 3), 5)
    """
    found = await verified(ground, {"calc.py": RIGHT, "tests/test_add.py": test}, files)
    assert found.verdict.status is VerdictStatus.PASSED
    assert found.verdict.evidence.valid_tests == ("test_add.Add.test_add",)
    assert "python -m unittest discover -s tests" in found.log


@pytest.mark.real
async def test_unittest_files_that_are_rewritten_are_seen(ground: Ground):
    case = "import unittest, calc\nclass A(unittest.TestCase):\n    def test_1(self): pass\n"
    files: Files = {"calc.py": "", "tests/test_a.py": case}
    trick = "open('tests/test_a.py', 'a').write('# more')\n"
    found = await verdict(ground, {"calc.py": trick}, files)
    assert found.tampered == ("tests/test_a.py: was changed while the tests ran",)
