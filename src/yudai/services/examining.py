"""Runs a patch's tests in three clean boxes: base's own on it, its own on it, its own on base."""

from collections.abc import Iterable
from typing import NamedTuple

from yudai.domain.judging import OwnTests
from yudai.domain.patch import Patch, readable
from yudai.domain.testfiles import TEST_NAMES, name_of
from yudai.domain.testreport import Baseline, Outcome, TestPlan, TestRunner
from yudai.services.boxes import Boxes
from yudai.services.testing import TestRun, run_tests
from yudai.services.together import together


class Case(NamedTuple):
    """Everything that stays the same while one patch is examined."""

    boxes: Boxes
    plan: TestPlan
    baseline: Baseline
    timeout_s: float

    def enough(self, usual_s: float) -> float:
        """A patch that hangs need not be waited for as long as the limit allows."""
        return min(self.timeout_s, 60 + 10 * usual_s)


class Parts(NamedTuple):
    """A patch as verification takes it: what is judged, and the tests that it brought."""

    source: Patch
    tests: Patch


class Stage(NamedTuple):
    title: str
    run: TestRun
    rewritten: tuple[str, ...] = ()
    """Base's test files that were changed while the tests ran."""


class Stages(NamedTuple):
    on_patch: Stage
    own: tuple[Stage, ...] = ()
    """The patch's own tests: on the patch, then those that passed there on base."""

    @property
    def own_tests(self) -> OwnTests:
        return OwnTests(*(stage.run.report for stage in self.own))


def split(patch: Patch, withheld: Iterable[str]) -> Parts:
    """Leave out what changes how tests are run (as `readable` paths), and part the rest."""
    left_out = frozenset(withheld)
    kept = patch.only(lambda change: readable(change.path) not in left_out)
    return Parts(kept.source, kept.tests)


def paths_with_tests(tests: Patch, known: Iterable[str] = ()) -> list[str]:
    """Files that hold tests: by their name, or because tests of that file are known."""
    files = {test.partition("::")[0] for test in known}
    return sorted(
        change.path
        for change in tests.files
        if change.new_mode.startswith("100")
        and change.path.endswith(".py")
        and (TEST_NAMES.fullmatch(name_of(change.path)) or change.path in files)
    )


async def examine(case: Case, parts: Parts) -> Stages:
    [on_patch], own = await together([_by_base(case, parts), _by_itself(case, parts)])
    return Stages(on_patch, own)


async def _by_base(case: Case, parts: Parts) -> tuple[Stage, ...]:
    usual = max(case.baseline.first.duration_s, case.baseline.second.duration_s)
    async with case.boxes.open(parts.source) as box:
        run = await run_tests(box, case.plan, timeout_s=case.enough(usual))
        changed = (await box.tree()).changed
    rewritten = tuple(path for path in changed if _is_base_test(path, case))
    title = "the patch without its tests, judged by base's own"
    return (Stage(title, run, tuple(p for p in rewritten if p not in parts.source.paths)),)


async def _by_itself(case: Case, parts: Parts) -> tuple[Stage, ...]:
    paths = paths_with_tests(parts.tests, case.baseline.known)
    if not paths:
        return ()
    usual = max(case.baseline.first.duration_s, case.baseline.second.duration_s)
    async with case.boxes.open(parts.source, parts.tests) as box:
        run = await run_tests(box, case.plan, timeout_s=case.enough(usual), paths=paths)
    on_patch = Stage("the patch with its own tests", run)
    new = OwnTests(run.report).new(case.baseline)
    green = [test for test in new if run.report.outcomes[test] is Outcome.PASSED]
    if not green:
        return (on_patch,)
    enough = case.enough(run.report.duration_s)
    async with case.boxes.open(parts.tests) as box:
        again = await run_tests(box, case.plan, timeout_s=enough, ids=green, paths=paths)
    return (on_patch, Stage("base with the patch's tests only", again))


def _is_base_test(path: str, case: Case) -> bool:
    if not path.endswith(".py"):
        return False
    if case.plan.runner is TestRunner.PYTEST:
        return any(test.startswith(f"{path}::") for test in case.baseline.known)
    modules = {test.rsplit(".", 2)[0] for test in case.baseline.known}
    starts = ["" if start == "." else f"{start}/" for start in case.plan.args[1:]]
    return any(_module(path, start) in modules for start in starts)


def _module(path: str, start: str) -> str:
    inside = path.startswith(start)
    return path.removeprefix(start).removesuffix(".py").replace("/", ".") if inside else ""
