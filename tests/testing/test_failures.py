"""How tests fail in Python, as the reporters tell it."""

from tests.support.verified_repo import Files, Ground
from yudai.testing.domain.report import Failure, TestPlan
from yudai.testing.domain.runners import TestRunner
from yudai.testing.run import TestRun, run_tests

PYTEST = TestPlan(runner=TestRunner.PYTEST, python="python", command="python -m pytest")
UNITTEST = TestPlan(
    runner=TestRunner.UNITTEST, python="python", args=("test*.py", "."), command="x"
)
SHOP = """
    import sys

    def price(basket):
        return basket.total

    def leave():
        sys.exit(2)

    def check(flag):
        assert flag, "not the flag"

    def deep(n):
        return deep(n - 1) if n else 1 / 0
"""


async def run(ground: Ground, plan: TestPlan, files: Files) -> TestRun:
    async with ground.sandbox(files) as sandbox:
        return await run_tests(sandbox, plan, timeout_s=60.0)


def told(failure: Failure | None) -> tuple[str, str, list[str]]:
    assert failure is not None
    lines = [f"{frame.path}:{frame.line} {frame.function}" for frame in failure.frames]
    return str(failure.kind), failure.type, lines


def short(run: TestRun) -> dict[str, tuple[str, str, str]]:
    """By test: kind, type and the innermost frame."""
    facts = {test.rpartition("::")[2]: told(f) for test, f in run.report.failures.items()}
    return {test: (kind, name, (lines or [""])[-1]) for test, (kind, name, lines) in facts.items()}


async def test_how_tests_fail_under_pytest(ground: Ground):
    found = await run(
        ground,
        PYTEST,
        {
            "shop.py": SHOP,
            "tests/test_a.py": """
                import shop, pytest, unittest

                def test_assertion(): assert shop.__name__ == "x"
                def test_no_raise():
                    with pytest.raises(ValueError): pass
                def test_said(): pytest.fail("so")
                def test_product(): shop.price(None)
                def test_product_assertion(): shop.check(False)
                def test_exit(): shop.leave()
                def test_chain():
                    try: shop.price(None)
                    except AttributeError as error: raise KeyError("b") from error
                def test_group():
                    try: shop.price(None)
                    except AttributeError as error:
                        raise ExceptionGroup("all", [ExceptionGroup("in", [error])])
                @pytest.fixture
                def broken(): shop.price(None)
                def test_fixture(broken): pass
                @pytest.fixture
                def untidy():
                    yield
                    assert 0
                def test_teardown(untidy): pass
                def test_first_of_two(untidy): shop.price(None)
                def test_fine(): pass
                @pytest.mark.xfail
                def test_expected(): assert 0
                class Case(unittest.TestCase):
                    def setUp(self): self.assertNotIn("set_up", self.id())
                    def test_set_up(self): pass
                    def test_case(self): self.assertEqual(1, 2)
            """,
        },
    )
    assert short(found) == {
        "test_assertion": ("assertion", "AssertionError", "tests/test_a.py:3 test_assertion"),
        "test_no_raise": ("assertion", "Failed", "tests/test_a.py:5 test_no_raise"),
        "test_said": ("assertion", "Failed", "tests/test_a.py:6 test_said"),
        "test_product": ("exception", "AttributeError", "shop.py:4 price"),
        "test_product_assertion": ("assertion", "AssertionError", "shop.py:10 check"),
        "test_exit": ("exit", "SystemExit", "shop.py:7 leave"),
        "test_chain": ("exception", "KeyError", "tests/test_a.py:12 test_chain"),
        "test_group": ("exception", "AttributeError", "shop.py:4 price"),
        "test_fixture": ("set_up", "AttributeError", "shop.py:4 price"),
        "test_teardown": ("set_up", "AssertionError", "tests/test_a.py:23 untidy"),
        "test_first_of_two": ("exception", "AttributeError", "shop.py:4 price"),
        "test_set_up": ("set_up", "AssertionError", "tests/test_a.py:30 setUp"),
        "test_case": ("assertion", "AssertionError", "tests/test_a.py:32 test_case"),
    }
    product = found.report.failures["tests/test_a.py::test_product"]
    assert product.message == "'NoneType' object has no attribute 'total'"
    assert told(product)[2] == ["tests/test_a.py:7 test_product", "shop.py:4 price"]
    assert found.report.durations.keys() == found.report.outcomes.keys()
    assert found.report.finished


async def test_texts_and_frames_have_an_end(ground: Ground):
    files: Files = {
        "shop.py": SHOP,
        "test_a.py": """
            import shop

            class Odd(Exception):
                def __str__(self): raise SystemExit

            def test_deep(): shop.deep(100)
            def test_long(): raise ValueError("\\udcff" + "x" * 100_000)
            def test_odd(): raise Odd
        """,
    }
    found = await run(ground, PYTEST, files)
    deep, long, odd = (
        found.report.failures[f"test_a.py::test_{n}"] for n in ("deep", "long", "odd")
    )
    assert [frame.function for frame in deep.frames] == ["deep"] * 20
    assert long.message.startswith("\\udcffxxx")
    assert len(long.message) == 500
    assert (str(odd.kind), odd.type, odd.message) == ("unknown", "Odd", "")
    assert found.report.finished


async def test_files_that_pytest_cannot_load(ground: Ground):
    files: Files = {
        "shop.py": "import nothing_like_it\n",
        "parsed.py": "def (:\n",
        "tests/test_a.py": "import shop\ndef test_a(): pass\n",
        "tests/test_b.py": "import parsed\ndef test_b(): pass\n",
        "tests/test_c.py": "1 / 0\n",
        "tests/test_d.py": "def test_d(): pass\n",
    }
    found = await run(ground, PYTEST, files)
    failures = {file: told(failure) for file, failure in found.report.failures.items()}
    assert failures == {
        "tests/test_a.py": (
            "import",
            "ModuleNotFoundError",
            ["tests/test_a.py:1 <module>", "shop.py:1 <module>"],
        ),
        "tests/test_b.py": (
            "import",
            "SyntaxError",
            ["tests/test_b.py:1 <module>", "parsed.py:1 "],
        ),
        "tests/test_c.py": ("import", "ZeroDivisionError", ["tests/test_c.py:1 <module>"]),
    }
    assert (
        found.report.failure_of("tests/test_a.py::test_a")
        == found.report.failures["tests/test_a.py"]
    )


async def test_frames_of_a_folder_start_at_the_workspace(ground: Ground):
    files: Files = {
        "lib/shop.py": SHOP,
        "packages/api/test_a.py": """
            import os, sys
            sys.path.insert(0, "../../lib")
            import shop
            def test_a(): os.chdir("/"); shop.price(None)
        """,
    }
    found = await run(ground, PYTEST.model_copy(update={"folder": "packages/api"}), files)
    failure = found.report.failures["packages/api/test_a.py::test_a"]
    assert told(failure)[2] == ["packages/api/test_a.py:4 test_a", "lib/shop.py:4 price"]


async def test_how_tests_fail_under_unittest(ground: Ground):
    found = await run(
        ground,
        UNITTEST,
        {
            "shop.py": SHOP,
            "test_a.py": """
                import shop, unittest

                class A(unittest.TestCase):
                    def setUp(self): self.assertNotIn("set_up", self.id())
                    def test_set_up(self): pass
                    def test_assertion(self): self.fail("so")
                    def test_product(self): shop.price(None)
                    def test_exit(self): shop.leave()
                    def test_parts(self):
                        with self.subTest(n=1): self.assertEqual(1, 2)
                    def test_fine(self): pass

                class Own(unittest.TestCase):
                    failureException = KeyError
                    def test_own(self): {}["a"]

                class Before(unittest.TestCase):
                    @classmethod
                    def setUpClass(cls): shop.price(None)
                    def test_behind(self): pass

                class After(unittest.TestCase):
                    @classmethod
                    def tearDownClass(cls): shop.price(None)
                    def test_before(self): pass
            """,
            "test_b.py": "import nothing_like_it\n",
            "test_c.py": "import shop\nshop.leave()\n",
            "test_d.py": "def (:\n",
        },
    )
    facts = short(found)
    assert facts == {
        "test_a.A.test_assertion": ("assertion", "AssertionError", "test_a.py:6 test_assertion"),
        "test_a.A.test_exit": ("exit", "SystemExit", "shop.py:7 leave"),
        "test_a.A.test_parts": ("assertion", "AssertionError", "test_a.py:10 test_parts"),
        "test_a.A.test_product": ("exception", "AttributeError", "shop.py:4 price"),
        "test_a.A.test_set_up": ("set_up", "AssertionError", "test_a.py:4 setUp"),
        "test_a.Own.test_own": ("assertion", "KeyError", "test_a.py:15 test_own"),
        "test_a.Before.test_behind": ("set_up", "AttributeError", "shop.py:4 price"),
        "tearDownClass (test_a.After)": ("set_up", "AttributeError", "shop.py:4 price"),
        "test_b": ("import", "ModuleNotFoundError", "test_b.py:1 <module>"),
        "test_c": ("exit", "SystemExit", "shop.py:7 leave"),
        "test_d": ("import", "SyntaxError", "test_d.py:1 "),
    }
    assert "test_a.A.test_fine" in found.report.durations
    assert found.report.finished
