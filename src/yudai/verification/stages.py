"""Runs tests in clean sandboxes: the base's on the patch, the patch's on itself and on the base."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from yudai.kit.concurrency import gather
from yudai.patches.patch import Patch, readable
from yudai.patches.test_paths import TEST_NAMES
from yudai.sandboxes.port import Sandbox
from yudai.testing.domain.report import Baseline, Outcome, TestPlan
from yudai.testing.domain.runners import PYTHON_RUNNERS, RUNNERS, TestRunner
from yudai.testing.run import TestRun, place_of, run_tests
from yudai.verification.clean_sandboxes import CleanSandboxes, apply_patch
from yudai.verification.domain.judge import OwnTests
from yudai.verification.domain.script_test_edits import SCRIPTS


class VerificationCase(NamedTuple):
    """Everything that stays the same while one patch is examined."""

    sandboxes: CleanSandboxes
    plan: TestPlan
    baseline: Baseline
    timeout_s: float

    @property
    def usual_s(self) -> float:
        return max(self.baseline.first.duration_s, self.baseline.second.duration_s)

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


class StageResults(NamedTuple):
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


def paths_with_tests(plan: TestPlan, tests: Patch, known: Iterable[str] = ()) -> list[str]:
    """Files that the runner can take tests from: by their name, or because it is known to."""
    files = {test.partition("::")[0] for test in known}
    return sorted(
        change.path
        for change in tests.files
        if change.new_mode.startswith("100")
        and change.path.startswith(place_of(plan))
        and (_is_test_of(plan, change.path) or change.path in files)
    )


def _is_test_of(plan: TestPlan, path: str) -> bool:
    """A command's tests can be anything; other runners go by names, some by folders as well."""
    *folders, name = path.split("/")
    if plan.runner in PYTHON_RUNNERS:
        return name.endswith(".py") and TEST_NAMES.fullmatch(name) is not None
    if plan.runner is TestRunner.COMMAND:
        return True
    in_folder = not RUNNERS[plan.runner].folders.isdisjoint(folders)
    is_named = TEST_NAMES.fullmatch(name) is not None or in_folder
    return is_named and SCRIPTS.fullmatch(name) is not None


async def examine(case: VerificationCase, parts: Parts) -> StageResults:
    paths = _own_paths(case, parts)
    async with case.sandboxes.open_many(2 if paths else 1) as [first, *second]:
        work = [_by_base(case, parts, first)]
        work += [_by_itself(case, parts, paths, sandbox) for sandbox in second]
        [on_patch], *own = await gather(work)
    return StageResults(on_patch, *own)


async def _by_base(case: VerificationCase, parts: Parts, sandbox: Sandbox) -> tuple[Stage, ...]:
    await apply_patch(sandbox, parts.source)
    run = await run_tests(sandbox, case.plan, timeout_s=case.enough(case.usual_s))
    changed = (await sandbox.tree()).changed
    await sandbox.destroy()
    rewritten = tuple(path for path in changed if _is_base_test(path, case))
    title = "the patch without its tests, judged by base's own"
    return (Stage(title, run, tuple(p for p in rewritten if p not in parts.source.paths)),)


async def _by_itself(
    case: VerificationCase, parts: Parts, paths: Sequence[str], sandbox: Sandbox
) -> tuple[Stage, ...]:
    for patch in (parts.source, parts.tests):
        await apply_patch(sandbox, patch)
    run = await run_tests(sandbox, case.plan, timeout_s=case.enough(case.usual_s), paths=paths)
    await sandbox.destroy()
    on_patch = Stage("the patch with its own tests", run)
    new = OwnTests(run.report).new(case.baseline)
    green = [test for test in new if run.report.outcomes[test] is Outcome.PASSED]
    if not green:
        return (on_patch,)
    enough = case.enough(run.report.duration_s)
    async with case.sandboxes.open(parts.tests) as clean:
        again = await run_tests(clean, case.plan, timeout_s=enough, ids=green, paths=paths)
    return (on_patch, Stage("base with the patch's tests only", again))


def _own_paths(case: VerificationCase, parts: Parts) -> list[str]:
    if case.plan.runner is TestRunner.COMMAND and not case.baseline.passing:
        # A command that already fails on the base says nothing about a patch's own tests.
        return []
    return paths_with_tests(case.plan, parts.tests, case.baseline.known)


def _is_base_test(path: str, case: VerificationCase) -> bool:
    if case.plan.runner is not TestRunner.UNITTEST:
        return any(test.startswith(f"{path}::") for test in case.baseline.known)
    inside = place_of(case.plan)
    if not path.endswith(".py") or not path.startswith(inside):
        return False
    path = path.removeprefix(inside)
    modules = {test.removeprefix(inside).rsplit(".", 2)[0] for test in case.baseline.known}
    starts = ["" if start == "." else f"{start}/" for start in case.plan.args[1:]]
    return any(_module(path, start) in modules for start in starts)


def _module(path: str, start: str) -> str:
    inside = path.startswith(start)
    return path.removeprefix(start).removesuffix(".py").replace("/", ".") if inside else ""
