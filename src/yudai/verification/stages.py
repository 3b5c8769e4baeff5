"""Runs base's tests on the patch, and the patch's own tests on the patch and on base."""

from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

from yudai.kit.concurrency import gather
from yudai.patches.patch import Patch, readable
from yudai.testing.domain.report import NO_REPORT, Outcome, TestPlan
from yudai.testing.domain.runners import TestRunner
from yudai.testing.run import TestRun, place_of
from yudai.verification.case import Parts, VerificationCase
from yudai.verification.domain.expectations import Expectation, test_file_of
from yudai.verification.domain.expected_tests import renamed_tests
from yudai.verification.domain.judge import OwnTests
from yudai.verification.executions import Executed, Execution
from yudai.verification.test_files import TestFiles, is_found, known_files


class Stage(NamedTuple):
    title: str
    run: TestRun
    rewritten: tuple[str, ...] = ()
    """Base's test files that changed while the tests ran."""


class Edited(NamedTuple):
    """Tests of base that the patch edits, by their ids in base; they also run as its own tests."""

    expectations: Mapping[str, Sequence[Expectation]] = MappingProxyType({})
    grown: frozenset[str] = frozenset()


class StageResults(NamedTuple):
    on_patch: Stage
    own: tuple[Stage, ...] = ()
    """In order: own tests on the patch, those that passed on base, then both again."""
    edited: Edited = Edited()
    renamed: Mapping[str, str] = MappingProxyType({})

    @property
    def own_tests(self) -> OwnTests:
        reports = [stage.run.report for stage in self.own[:2]]
        on_patch, on_base = (*reports, None, None)[:2]
        return OwnTests(on_patch, on_base, self.edited.grown, frozenset(self.renamed.values()))

    @property
    def all(self) -> tuple[Stage, ...]:
        return (self.on_patch, *self.own)


def split(patch: Patch, withheld: Iterable[str], files: TestFiles) -> Parts:
    """Split the patch into sources and tests, without withheld files.

    Files that change how tests are run are withheld; `readable` holds their paths.
    """
    left_out = frozenset(withheld)
    kept = patch.only(lambda change: readable(change.path) not in left_out)
    return Parts(kept.only(lambda change: not files.holds(change)), kept.only(files.holds))


def paths_with_tests(plan: TestPlan, tests: Patch, known: Iterable[str] = ()) -> tuple[str, ...]:
    """Files that hold tests by their name, or in which the runner has found tests."""
    in_base = known_files(plan, known)
    regular = {change.path for change in tests.files if change.new_mode.startswith("100")}
    named = {path for path in regular if _is_test_of(plan, path)}
    # The tests of a snapshot file are in the test file that it belongs to.
    owners = {test_file_of(path) for path in regular} & in_base
    return tuple(sorted(path for path in named | owners if path.startswith(place_of(plan))))


def own_paths(case: VerificationCase, parts: Parts) -> tuple[str, ...]:
    if case.plan.runner is TestRunner.COMMAND and not case.baseline.passing:
        # A command that already fails on base shows nothing about a patch's own tests.
        return ()
    return paths_with_tests(case.plan, parts.tests, case.baseline.known)


async def examine(case: VerificationCase, parts: Parts, edited: Edited) -> StageResults:
    paths = own_paths(case, parts)
    limit = case.enough(case.usual_s)
    by_base = Execution(patches=(parts.source,), limit_s=limit)
    by_itself = Execution(patches=(parts.source, parts.tests), paths=paths, limit_s=limit)
    executed = await case.executions.run_all([by_base, by_itself] if paths else [by_base])
    on_patch = await _on_patch(case, parts, by_base, executed[0])
    if not paths:
        return StageResults(on_patch, edited=edited)
    own = Stage("the patch with its own tests", executed[1].run)
    report, before = own.run.report, list(case.baseline.first.outcomes)
    renamed = renamed_tests(edited.expectations, before, list(report.outcomes))
    found = StageResults(on_patch, (own,), edited, renamed)
    return found._replace(own=(own, *await _on_base(case, parts, found.own_tests)))


async def _on_patch(
    case: VerificationCase, parts: Parts, execution: Execution, first: Executed
) -> Stage:
    """Run base's tests on the patch; retry once if they do not finish."""
    executed = first
    if not first.run.report.finished and case.baseline.first.finished:
        executed = await case.executions.run(execution._replace(round=1))
    rewritten = (path for path in executed.changed if path in case.files.known)
    return Stage(
        "the patch without its tests, judged by base's own",
        executed.run,
        tuple(path for path in rewritten if path not in parts.source.paths),
    )


async def _on_base(case: VerificationCase, parts: Parts, tests: OwnTests) -> list[Stage]:
    """Run on base the tests that pass on the patch, then repeat possible proofs on both."""
    own = tests.on_patch or NO_REPORT
    passed = (test for test, outcome in own.outcomes.items() if outcome is Outcome.PASSED)
    green = frozenset(passed) & frozenset(tests.new(case.baseline))
    if not green:
        return []
    paths, limit = own_paths(case, parts), case.enough(own.duration_s)
    on_base = Execution(patches=(parts.tests,), ids=green, paths=paths, limit_s=limit)
    first = (await case.executions.run(on_base)).run
    red = frozenset(test for test in green if first.report.is_red(test) or first.report.timed_out)
    stages = [Stage("base with the patch's tests only", first)]
    if red and case.plan.runner is not TestRunner.COMMAND:
        again = on_base._replace(ids=red, round=1)
        both = [again, again._replace(patches=(parts.source, parts.tests))]
        done = await gather(map(case.executions.run, both))
        titles = ("the same on base again", "the same on the patch again")
        stages += [Stage(t, one.run) for t, one in zip(titles, done, strict=True)]
    return stages


def steady_proofs(results: StageResults) -> tuple[list[str], list[str]]:
    """Own tests that fail on base and pass on the patch every time, and those that vary."""
    own, *rest = (stage.run.report for stage in results.own) if results.own else (NO_REPORT,)
    if not rest:
        return [], []
    red = [t for t, o in own.outcomes.items() if o is Outcome.PASSED and rest[0].is_red(t)]
    if len(rest) == 1:
        return red, []
    on_base, on_patch = rest[1:]
    steady = [
        test
        for test in red
        if on_base.is_red(test) and on_patch.outcomes.get(test) is Outcome.PASSED
    ]
    return steady, [test for test in red if test not in steady]


def _is_test_of(plan: TestPlan, path: str) -> bool:
    """Whether the runner takes tests from this file: by its name, or by its folder.

    A plain command may read any file.
    """
    return plan.runner is TestRunner.COMMAND or is_found(plan, path)


def titled(stages: Sequence[Stage]) -> str:
    return "".join(f"== {stage.title} ==\n{stage.run.log}\n" for stage in stages)
