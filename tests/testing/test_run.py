import sys
from pathlib import Path

import pytest

from tests.support.verified_repo import Files, Ground
from yudai.testing.domain.report import FailureKind, TestPlan
from yudai.testing.domain.runners import TestRunner
from yudai.testing.run import TestRun, run_tests

PYTEST = TestPlan(runner=TestRunner.PYTEST, python="python", command="python -m pytest")
UNITTEST = TestPlan(
    runner=TestRunner.UNITTEST,
    python="python",
    args=("test*.py", "."),
    command="python -m unittest",
)


async def run(ground: Ground, plan: TestPlan, files: Files, **options: object) -> TestRun:
    async with ground.sandbox(files) as sandbox:
        return await run_tests(sandbox, plan, **{"timeout_s": 60.0, **options})  # pyright: ignore[reportArgumentType] - options of a test


def words(run: TestRun) -> dict[str, str]:
    return {test: str(outcome) for test, outcome in run.report.outcomes.items()}


async def test_pytest_outcomes(ground: Ground):
    found = await run(
        ground,
        PYTEST,
        {
            "tests/test_a.py": """
                import pytest

                def test_good(): pass
                def test_bad(): assert 0
                @pytest.mark.skip
                def test_skipped(): pass
                @pytest.mark.xfail
                def test_expected(): assert 0
                @pytest.mark.xfail
                def test_surprise(): pass
                @pytest.mark.xfail(strict=True)
                def test_strict_surprise(): pass
                @pytest.mark.xfail(run=False)
                def test_not_run(): pass
                @pytest.fixture
                def broken(): raise RuntimeError
                def test_setup(broken): pass
                @pytest.fixture
                def untidy():
                    yield
                    raise RuntimeError
                def test_teardown(untidy): pass
                def test_skip_inside(): pytest.skip("now")
            """
        },
    )
    assert words(found) == {
        "tests/test_a.py::test_good": "passed",
        "tests/test_a.py::test_bad": "failed",
        "tests/test_a.py::test_skipped": "skipped",
        "tests/test_a.py::test_expected": "xfailed",
        "tests/test_a.py::test_surprise": "xpassed",
        "tests/test_a.py::test_strict_surprise": "xpassed",
        "tests/test_a.py::test_not_run": "xfailed",
        "tests/test_a.py::test_setup": "error",
        "tests/test_a.py::test_teardown": "error",
        "tests/test_a.py::test_skip_inside": "skipped",
    }
    assert found.report.finished
    assert found.report.exit_code == 1
    assert "$ python -m pytest\n" in found.log
    assert "assert 0" in found.log


async def test_odd_parameters_and_names(ground: Ground):
    odd = "/workspace/../x y'\\\"$(id)`[]::-é\\n\\x00\\udcff"
    files: Files = {
        "tests/test_a b.py": f"""
            import pytest

            @pytest.mark.parametrize("x", ["{odd}", "", 1.5, None, object(), b"\\xff"])
            def test_x(x): pass
        """,
        "tests/-k.py": "",
        "test_é.py": "def test_é(): pass\n",
    }
    found = await run(ground, PYTEST, files)
    assert found.report.finished
    assert len(found.report.outcomes) == 7
    some = sorted(found.report.outcomes)[:3]
    again = await run(ground, PYTEST, files, ids=some)
    assert sorted(again.report.outcomes) == some


async def test_ids_and_paths_choose(ground: Ground):
    files: Files = {
        "tests/test_a.py": "def test_1(): pass\ndef test_2(): pass\n",
        "tests/test_b.py": "def test_3(): pass\n",
    }
    one = await run(ground, PYTEST, files, ids=["tests/test_a.py::test_2"])
    assert words(one) == {"tests/test_a.py::test_2": "passed"}
    assert one.report.finished
    file = await run(ground, PYTEST, files, paths=["tests/test_b.py"])
    assert list(words(file)) == ["tests/test_b.py::test_3"]
    none = await run(ground, PYTEST, files, ids=[])
    assert (words(none), none.report.finished) == ({}, True)


async def test_many_ids_fit(ground: Ground):
    files: Files = {
        "test_a.py": """
            import pytest
            @pytest.mark.parametrize("x", range(2000), ids=lambda n: "x" * 100 + str(n))
            def test_x(x): pass
        """
    }
    ids = [f"test_a.py::test_x[{'x' * 100}{n}]" for n in range(1, 2000)]
    found = await run(ground, PYTEST, files, ids=ids)
    assert len(found.report.outcomes) == 1999


async def test_a_file_that_cannot_be_collected(ground: Ground):
    found = await run(
        ground,
        PYTEST,
        {
            "tests/test_a.py": "import nothing_like_it\ndef test_a(): pass\n",
            "tests/test_b.py": "def test_b(): pass\n",
            "tests/test_c.py": "def test_c(:\n",
        },
    )
    assert words(found) == {"tests/test_b.py::test_b": "passed"}
    assert found.report.collection_errors == ("tests/test_a.py", "tests/test_c.py")
    assert found.report.finished


async def test_options_of_the_repository_are_kept_but_cannot_hide_tests(ground: Ground):
    ground.env = Path(sys.prefix)  # it has the plugins that these options are about
    found = await run(
        ground,
        PYTEST,
        {
            "pyproject.toml": """
                [tool.pytest.ini_options]
                addopts = "-x -n auto --dist loadgroup -p no:cacheprovider -q -m 'not slow'"
                markers = ["slow"]
            """,
            "test_a.py": """
                import pytest
                def test_1(): assert 0
                def test_2(): pass
                @pytest.mark.slow
                def test_3(): pass
            """,
        },
    )
    assert words(found) == {"test_a.py::test_1": "failed", "test_a.py::test_2": "passed"}
    assert found.report.finished


@pytest.mark.parametrize(
    "death",
    [
        "import os; os._exit(0)",
        "import ctypes; ctypes.string_at(0)",
        "import pytest; pytest.exit('enough', returncode=0)",
        "raise KeyboardInterrupt",
    ],
)
async def test_a_session_that_dies_is_not_finished(ground: Ground, death: str):
    code = f"def test_1(): pass\ndef test_2():\n    {death}\ndef test_3(): pass\n"
    found = await run(ground, PYTEST, {"test_a.py": code}, paths=["test_a.py"])
    assert not found.report.finished
    assert words(found) == {"test_a.py::test_1": "passed", "test_a.py::test_2": "error"}
    assert found.report.failures["test_a.py::test_2"].kind is FailureKind.EXIT


@pytest.mark.parametrize(("where", "named"), [("test_a.py", ("test_a.py",)), ("conftest.py", ())])
async def test_an_exit_at_import_is_not_finished(
    ground: Ground, where: str, named: tuple[str, ...]
):
    code = {"test_a.py": "def test_1(): pass\n", "test_b.py": "def test_2(): pass\n"}
    found = await run(ground, PYTEST, {**code, where: "import sys; sys.exit(0)\n"})
    assert not found.report.finished
    assert found.report.outcomes == {}
    assert found.report.collection_errors == named
    assert [f.kind for f in found.report.failures.values()] == [FailureKind.EXIT] * len(named)


async def test_a_test_that_hangs_leaves_partial_results(ground: Ground):
    code = "import time\ndef test_1(): pass\ndef test_2(): time.sleep(600)\ndef test_3(): pass\n"
    found = await run(ground, PYTEST, {"test_a.py": code}, timeout_s=6.0)
    assert found.report.timed_out
    assert not found.report.finished
    assert words(found) == {"test_a.py::test_1": "passed", "test_a.py::test_2": "error"}
    assert found.report.failures["test_a.py::test_2"].kind is FailureKind.TIMEOUT
    assert "out of time" in found.log


async def test_a_forged_report_is_not_believed(ground: Ground):
    code = """
        import glob, json, os
        for path in glob.glob("/tmp/yudai-*/report"):
            with open(path, "a") as file:
                for line in (
                    {"event": "result", "id": "test_a.py::test_a", "outcome": "passed"},
                    {"event": "finished", "collected": 1, "seal": "0" * 64},
                ):
                    file.write(json.dumps(line) + chr(10))
        os._exit(0)
        def test_a(): assert 0
    """
    found = await run(ground, PYTEST, {"test_a.py": code})
    assert not found.report.finished


@pytest.mark.parametrize("plan", [PYTEST, UNITTEST])
async def test_a_report_that_was_touched_up_is_not_believed(ground: Ground, plan: TestPlan):
    code = """
        import atexit, glob, unittest

        def touch_up():
            for path in glob.glob("/tmp/yudai-*/report"):
                with open(path) as file:
                    text = file.read()
                with open(path, "w") as file:
                    file.write(text.replace("failed", "passed"))

        atexit.register(touch_up)

        class A(unittest.TestCase):
            def test_a(self): self.fail()
    """
    found = await run(ground, plan, {"test_a.py": code})
    assert list(words(found).values()) == ["passed"]
    assert not found.report.finished


async def test_the_key_is_gone_before_any_test_is_loaded(ground: Ground):
    code = "import glob\nFOUND = glob.glob('/tmp/yudai-*/key')\ndef test_a(): assert not FOUND\n"
    found = await run(ground, PYTEST, {"test_a.py": code})
    assert words(found) == {"test_a.py::test_a": "passed"}


async def test_a_report_that_was_taken_away_does_not_count(ground: Ground):
    code = """
        import glob, os
        def test_a():
            for path in glob.glob("/tmp/yudai-*/report"):
                os.remove(path)
                os.mkfifo(path)
    """
    found = await run(ground, PYTEST, {"test_a.py": code}, timeout_s=20.0)
    assert not found.report.finished


async def test_subtests_under_pytest(ground: Ground):
    found = await run(
        ground,
        PYTEST,
        {
            "test_a.py": """
                import unittest
                class A(unittest.TestCase):
                    def test_bad(self):
                        for n in range(3):
                            with self.subTest(n=n):
                                self.assertNotEqual(n, 1)
                    def test_good(self):
                        with self.subTest(n=1):
                            pass
                        with self.subTest(n=2):
                            self.skipTest("this one")
                    @unittest.expectedFailure
                    def test_surprise(self): pass
                    @unittest.expectedFailure
                    def test_expected(self): assert 0
            """
        },
    )
    assert words(found) == {
        "test_a.py::A::test_bad": "failed",
        "test_a.py::A::test_good": "passed",
        "test_a.py::A::test_surprise": "xpassed",
        "test_a.py::A::test_expected": "xfailed",
    }


UNITTESTS = """
    import unittest

    class Good(unittest.TestCase):
        def test_good(self): pass
        def test_bad(self): self.fail()
        def test_error(self): raise RuntimeError
        def test_exit(self): raise SystemExit(0)
        @unittest.skip("later")
        def test_skipped(self): pass
        def test_skip_inside(self): self.skipTest("now")
        @unittest.expectedFailure
        def test_expected(self): self.fail()
        @unittest.expectedFailure
        def test_surprise(self): pass
        def test_subtests(self):
            for n in range(3):
                with self.subTest(n=n):
                    self.assertNotEqual(n, 1)
        def test_skipped_subtest(self):
            with self.subTest(n=1):
                self.skipTest("this one")
            with self.subTest(n=2):
                pass

    class NoSetUp(unittest.TestCase):
        @classmethod
        def setUpClass(cls): raise RuntimeError
        def test_1(self): pass
        def test_2(self): pass

    class SkippedSetUp(unittest.TestCase):
        @classmethod
        def setUpClass(cls): raise unittest.SkipTest("no")
        def test_1(self): pass

    class Untidy(unittest.TestCase):
        @classmethod
        def tearDownClass(cls): raise RuntimeError
        def test_1(self): pass

    class Twice(unittest.TestCase):
        def test_1(self): pass
        def tearDown(self): raise RuntimeError
"""


async def test_unittest_outcomes(ground: Ground):
    files: Files = {"tests/__init__.py": "", "tests/test_a.py": UNITTESTS}
    found = await run(ground, UNITTEST, files)
    assert words(found) == {
        "tests.test_a.Good.test_good": "passed",
        "tests.test_a.Good.test_bad": "failed",
        "tests.test_a.Good.test_error": "error",
        "tests.test_a.Good.test_exit": "error",
        "tests.test_a.Good.test_skipped": "skipped",
        "tests.test_a.Good.test_skip_inside": "skipped",
        "tests.test_a.Good.test_expected": "xfailed",
        "tests.test_a.Good.test_surprise": "xpassed",
        "tests.test_a.Good.test_subtests": "failed",
        "tests.test_a.Good.test_skipped_subtest": "passed",
        "tests.test_a.NoSetUp.test_1": "error",
        "tests.test_a.NoSetUp.test_2": "error",
        "tests.test_a.SkippedSetUp.test_1": "skipped",
        "tests.test_a.Untidy.test_1": "passed",
        "tearDownClass (tests.test_a.Untidy)": "error",
        "tests.test_a.Twice.test_1": "error",
    }
    assert found.report.finished


async def test_unittest_files_and_modules(ground: Ground):
    files: Files = {
        "tests/__init__.py": "",
        "tests/test_a.py": """
            import unittest
            def setUpModule(): raise RuntimeError
            class A(unittest.TestCase):
                def test_1(self): pass
        """,
        "tests/test_b.py": "import nothing_like_it\n",
        "tests/test_c.py": "import sys; sys.exit(0)\n",
        "tests/test_d.py": """
            import unittest
            class D(unittest.TestCase):
                def test_1(self): pass
                def test_2(self): pass
        """,
        "elsewhere/test_e.py": """
            import unittest
            class E(unittest.TestCase):
                def test_1(self): pass
        """,
    }
    found = await run(ground, UNITTEST, files)
    assert words(found) == {
        "tests.test_a.A.test_1": "error",
        "tests.test_d.D.test_1": "passed",
        "tests.test_d.D.test_2": "passed",
    }
    assert found.report.collection_errors == ("tests.test_b", "tests.test_c")
    assert found.report.finished
    one = await run(ground, UNITTEST, files, ids=["tests.test_d.D.test_2"])
    assert words(one) == {"tests.test_d.D.test_2": "passed"}
    both = await run(ground, UNITTEST, files, paths=["tests/test_d.py", "elsewhere/test_e.py"])
    assert list(words(both)) == [
        "tests.test_d.D.test_1",
        "tests.test_d.D.test_2",
        "test_e.E.test_1",
    ]
    lost = await run(ground, UNITTEST, files, paths=["gone/test_x.py"])
    assert lost.report.collection_errors == ("./gone/test_x.py",)


@pytest.mark.parametrize(
    "death", ["import os; os._exit(0)", "import time; time.sleep(600)", "raise KeyboardInterrupt"]
)
async def test_a_unittest_run_that_dies_is_not_finished(ground: Ground, death: str):
    code = (
        "import unittest\nclass A(unittest.TestCase):\n    def test_1(self): pass\n"
        f"    def test_2(self):\n        {death}\n    def test_3(self): pass\n"
    )
    found = await run(ground, UNITTEST, {"test_a.py": code}, timeout_s=5.0)
    assert not found.report.finished
    assert words(found) == {"test_a.A.test_1": "passed", "test_a.A.test_2": "error"}
    kind = FailureKind.TIMEOUT if "sleep" in death else FailureKind.EXIT
    assert found.report.failures["test_a.A.test_2"].kind is kind


async def test_what_could_not_be_loaded_is_reported_by_a_session_that_dies_later(ground: Ground):
    files: Files = {
        "test_a.py": "import nothing_like_it\n",
        "test_b.py": "import os\ndef test_1(): pass\ndef test_2(): os._exit(1)\n",
    }
    found = await run(ground, PYTEST, files)
    assert not found.report.finished
    assert found.report.collection_errors == ("test_a.py",)
    assert words(found) == {"test_b.py::test_1": "passed", "test_b.py::test_2": "error"}


async def test_a_long_log_keeps_its_ends(ground: Ground):
    code = "def test_a():\n    print('first'); print('x' * 300_000); print('last')\n    assert 0\n"
    found = await run(ground, PYTEST, {"test_a.py": code})
    assert len(found.log) < 210_000
    assert "characters left out" in found.log
    assert found.log.startswith("$ python -m pytest\n")
    assert "1 failed" in found.log
