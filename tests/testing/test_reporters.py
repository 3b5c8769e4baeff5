"""Reporters of Node's runners against stand-ins that replay what the real ones told."""

from pathlib import Path

import pytest

from tests.support.verified_repo import Files, Ground
from yudai.testing.domain.report import FailureKind, TestPlan
from yudai.testing.domain.runners import TestRunner
from yudai.testing.run import TestRun, run_tests

RUNNERS = Path(__file__).parents[1] / "fixtures" / "runners"
OUTCOMES = {
    TestRunner.JEST: {
        "src/a.test.js::good": "passed",
        "src/a.test.js::bad": "failed",
        "src/a.test.js::skipped": "skipped",
        "src/a.test.js::later": "skipped",
        "src/a.test.js::expected": "passed",
        "src/a.test.js::suite > one": "passed",
        "src/a.test.js::suite > inner > deep 1": "passed",
        "src/a.test.js::suite > inner > deep 2": "passed",
        "src/a.test.js::hooked > behind": "failed",
        "src/a.test.js::after > fine": "passed",
        "src/a.test.js::same": "failed",
        "src/a.test.js::snap": "failed",
        "src/a.test.js::key": "passed",
        "src/a.test.js": "error",
        "src/__tests__/y.js::y": "passed",
    },
    TestRunner.VITEST: {
        "src/a.test.ts::good": "passed",
        "src/a.test.ts::bad": "failed",
        "src/a.test.ts::skipped": "skipped",
        "src/a.test.ts::later": "skipped",
        "src/a.test.ts::expected": "passed",
        "src/a.test.ts::skip inside": "skipped",
        "src/a.test.ts::suite > one": "passed",
        "src/a.test.ts::suite > inner > deep 1": "passed",
        "src/a.test.ts::suite > inner > deep 2": "passed",
        "src/a.test.ts::hooked": "error",
        "src/a.test.ts::hooked > behind": "error",
        "src/a.test.ts::hooked > behind skipped": "error",
        "src/a.test.ts::each > behind": "failed",
        "src/a.test.ts::after": "error",
        "src/a.test.ts::after > fine": "passed",
        "src/a.test.ts::retried": "passed",
        "src/late.test.ts::x": "passed",
        "src/late.test.ts::y": "passed",
        "an error outside of any test": "error",
    },
    TestRunner.MOCHA: {
        "test/a.js::top": "passed",
        "test/a.js::async": "failed",
        "test/f.mjs::esm": "passed",
        "test/a.js::suite > good": "passed",
        "test/a.js::suite > bad": "failed",
        "test/a.js::suite > skipped": "skipped",
        "test/a.js::suite > later": "skipped",
        "test/a.js::suite > skip inside": "skipped",
        "test/a.js::hooked > behind": "error",
        "test/a.js::hooked > inner > deep": "error",
        "test/a.js::each > one": "error",
        "test/a.js::each > two": "error",
        "test/a.js::after > fine": "passed",
        'test/a.js::after > "after all" hook for "fine"': "error",
        "test/a.js::aftereach > fine": "passed",
        'test/a.js::aftereach > "after each" hook for "fine"': "error",
        "test/a.js::aftereach > not run": "skipped",
        "test/a.js::retry > third time": "passed",
    },
}
UNCOLLECTED = {
    TestRunner.JEST: ("src/b.test.js", "src/empty.test.js"),
    TestRunner.VITEST: ("src/b.test.ts",),
    TestRunner.MOCHA: (),
}
EVERY = pytest.mark.parametrize("runner", list(OUTCOMES))


def repository(runner: TestRunner) -> Files:
    folder = RUNNERS / runner.value
    return {
        f"node_modules/{file.relative_to(RUNNERS)}": file.read_bytes()
        for file in sorted(folder.rglob("*"))
        if file.is_file()
    }


def plan(runner: TestRunner, *args: str, **env: str) -> TestPlan:
    return TestPlan(
        runner=runner, python="node", args=args, env=tuple(env.items()), command="npm test"
    )


async def run(ground: Ground, plan: TestPlan, more: Files | None = None, **options: object):
    files = {**repository(plan.runner), **(more or {})}
    async with ground.sandbox(files, node=True) as sandbox:
        return await run_tests(sandbox, plan, **{"timeout_s": 60.0, **options})  # pyright: ignore[reportArgumentType] - options of a test


def words(run: TestRun) -> dict[str, str]:
    return {test: str(outcome) for test, outcome in run.report.outcomes.items()}


@EVERY
async def test_outcomes(ground: Ground, runner: TestRunner):
    found = await run(ground, plan(runner))
    assert words(found) == OUTCOMES[runner], found.log
    assert found.report.collection_errors == UNCOLLECTED[runner]
    assert found.report.finished


IN_SHOP = "TypeError"
FAILURES = {
    TestRunner.JEST: {
        "src/a.test.js::matcher": ("assertion", "Error", "src/a.test.js:4"),
        "src/a.test.js::node": ("assertion", "", "src/a.test.js:5"),
        "src/a.test.js::product": ("exception", IN_SHOP, "src/shop.js:1"),
        "src/a.test.js::in quotes": ("assertion", "Error", "src/a.test.js:7"),
        "src/a.test.js::slow": ("timeout", "Error", "src/a.test.js:8"),
        "src/a.test.js::hooked > behind": ("set_up", IN_SHOP, "src/shop.js:1"),
        "src/a.test.js::patient > behind": ("set_up", "Error", "src/a.test.js:10"),
        "src/a.test.js": ("set_up", IN_SHOP, "src/shop.js:1"),
        "src/b.test.js": ("import", "Error", "src/b.test.js:1"),
        "src/c.test.js": ("import", IN_SHOP, "src/shop.js:1"),
    },
    TestRunner.VITEST: {
        "src/a.test.ts::matcher": ("assertion", "AssertionError", "src/a.test.ts:5"),
        "src/a.test.ts::node": ("assertion", "AssertionError", "src/a.test.ts:6"),
        "src/a.test.ts::product": ("exception", IN_SHOP, "src/shop.ts:4"),
        "src/a.test.ts::later": ("exception", IN_SHOP, "src/shop.ts:4"),
        "src/a.test.ts::snap": ("assertion", "Error", "src/a.test.ts:9"),
        "src/a.test.ts::slow": ("timeout", "Error", "src/a.test.ts:10"),
        "src/a.test.ts::exit": ("exit", "Error", "src/a.test.ts:11"),
        "src/a.test.ts::hooked": ("set_up", IN_SHOP, "src/shop.ts:4"),
        "src/a.test.ts::hooked > behind": ("set_up", IN_SHOP, "src/shop.ts:4"),
        "src/a.test.ts::each > behind": ("set_up", IN_SHOP, "src/shop.ts:4"),
        "src/a.test.ts::after": ("set_up", IN_SHOP, "src/shop.ts:4"),
        "src/b.test.ts": ("import", "Error", "src/b.test.ts:1"),
        "src/c.test.ts": ("import", IN_SHOP, "src/shop.ts:4"),
    },
    TestRunner.MOCHA: {
        "test/a.js::matcher": ("assertion", "AssertionError", "test/a.js:5"),
        "test/a.js::node": ("assertion", "AssertionError", "test/a.js:6"),
        "test/a.js::product": ("exception", IN_SHOP, "shop.js:1"),
        "test/a.js::slow": ("timeout", "Error", ""),
        "test/a.js::hooked > behind": ("set_up", IN_SHOP, "shop.js:1"),
        'test/a.js::after > "after all" hook for "fine"': ("set_up", IN_SHOP, "shop.js:1"),
    },
}


@EVERY
async def test_how_tests_fail(ground: Ground, runner: TestRunner):
    """What the real ones told when a product, its tests and their hooks went wrong."""
    found = await run(ground, plan(runner, STAND_IN_FAILS="1"))
    facts = {
        test: (
            str(failure.kind),
            failure.type,
            next((f"{f.path}:{f.line}" for f in reversed(failure.frames)), ""),
        )
        for test, failure in found.report.failures.items()
    }
    assert facts == FAILURES[runner], found.log
    outcomes = found.report.outcomes
    passed = {test for test, outcome in outcomes.items() if outcome == "passed"}
    assert passed <= found.report.durations.keys() <= outcomes.keys()
    assert found.report.finished


ENDS = {
    TestRunner.JEST: ("src/z.test.js::before", "src/z.test.js::last"),
    TestRunner.VITEST: ("src/a.test.ts::good", "src/a.test.ts::product"),
    TestRunner.MOCHA: ("test/a.js::good", "test/a.js::last"),
}


@EVERY
@pytest.mark.parametrize("how", ["exit", "hang"])
@pytest.mark.real_except("exit-jest", "exit-mocha", "exit-vitest", "hang-jest")
async def test_what_ran_before_a_death_is_known(ground: Ground, runner: TestRunner, how: str):
    limit = 8.0 if how == "hang" else 60.0
    found = await run(ground, plan(runner, STAND_IN_ENDS=how), timeout_s=limit)
    before, during = ENDS[runner]
    assert words(found)[before] == "passed"
    assert words(found)[during] == "error"
    kind = FailureKind.TIMEOUT if how == "hang" else FailureKind.EXIT
    assert found.report.failures[during].kind is kind
    assert not found.report.finished


async def test_what_failed_once_in_jest_may_still_pass(ground: Ground):
    """Of a file that never ended it is known how, not whether."""
    found = await run(ground, plan(TestRunner.JEST, STAND_IN_ENDS="exit"))
    assert words(found)["src/z.test.js::red"] == "error"
    assert found.report.failures["src/z.test.js::red"].kind is FailureKind.ASSERTION


@EVERY
async def test_only_wanted_tests_are_reported(ground: Ground, runner: TestRunner):
    wanted = next(test for test, outcome in OUTCOMES[runner].items() if outcome == "passed")
    found = await run(ground, plan(runner), ids=[wanted])
    assert words(found) == {wanted: "passed"}
    assert found.report.finished


@EVERY
async def test_a_runner_that_dies_is_not_finished(ground: Ground, runner: TestRunner):
    found = await run(ground, plan(runner, STAND_IN_DIES="1"))
    assert found.report.exit_code == 0
    assert not found.report.finished


@EVERY
async def test_a_runner_that_stops_early_is_not_finished(ground: Ground, runner: TestRunner):
    found = await run(ground, plan(runner, STAND_IN_STOPS="1"))
    assert not found.report.finished


async def test_how_jest_is_started(ground: Ground):
    given = plan(TestRunner.JEST, "--watch", "--reporters", "dot", "-t", "x", "--coverage")
    found = await run(ground, given, paths=["src/a.test.js"])
    [argv] = [line for line in found.log.splitlines() if line.startswith("argv ")]
    assert argv.startswith('argv ["-t","x","--ci","--watchAll=false","--coverage=false","--bail=0"')
    assert argv.endswith('"--reporters=default","--runTestsByPath","./src/a.test.js"]')


async def test_how_vitest_is_started(ground: Ground):
    given = plan(TestRunner.VITEST, "src")
    found = await run(ground, given)
    assert 'start ["test",["src"],{"run":true,"watch":false,"bail":0,"retry":0' in found.log
    found = await run(ground, given, paths=["src/a.test.ts"])
    assert 'start ["test",["/workspace/src/a.test.ts"],' in found.log


async def test_flags_of_node_in_mochas_options(ground: Ground):
    more: Files = {"first.mjs": "console.log('loaded first')\n"}
    found = await run(ground, plan(TestRunner.MOCHA, "--import=./first.mjs", "--bail"), more)
    assert "loaded first" in found.log
    assert 'flags ["--import=./first.mjs"]' in found.log
    assert '"--bail"' not in found.log
    assert found.report.finished


async def test_a_file_that_mocha_cannot_load_stops_no_other(ground: Ground):
    more: Files = {"test/b.js": "require('nothing-like-it')\n", "test/c.js": "\n"}
    found = await run(ground, plan(TestRunner.MOCHA), more, paths=["test/b.js", "test/c.js"])
    assert found.report.collection_errors == ("test/b.js",)
    assert found.report.failures["test/b.js"].kind is FailureKind.IMPORT
    assert "nothing-like-it" in found.log
    assert found.report.finished


@EVERY
async def test_a_runner_that_is_not_installed_never_starts(ground: Ground, runner: TestRunner):
    async with ground.sandbox({"package.json": "{}"}, node=True) as sandbox:
        found = await run_tests(sandbox, plan(runner), timeout_s=60.0)
    assert f"{runner} is not installed" in found.log
    assert not found.report.finished
