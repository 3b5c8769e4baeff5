"""Measures tests on base and patch alternately, if the issue is about performance."""

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from yudai.patches.patch import Patch
from yudai.testing.domain.report import Outcome, TestReport
from yudai.testing.domain.runners import TestRunner
from yudai.verification.case import Parts, Readings, Texts, VerificationCase
from yudai.verification.domain.proof import ROUNDS, Faster, Pair, Subject, faster, waits_by_itself
from yudai.verification.domain.symbols import introduced
from yudai.verification.domain.tie import is_tied
from yudai.verification.executions import Execution
from yudai.verification.own_tests import file_of, read_test, subjects_of
from yudai.verification.stages import StageResults, own_paths

_MOST = 5
_FIRST_ROUND = 100


class _Sides(NamedTuple):
    """The two executions of the same tests."""

    base: tuple[Patch, ...]
    patch: tuple[Patch, ...]
    paths: tuple[str, ...] = ()


async def measure_own(
    case: VerificationCase, parts: Parts, readings: Readings, results: StageResults
) -> tuple[Faster, ...]:
    """Measure the patch's own tests that use nothing that it introduced."""
    if len(results.own) < 2 or case.plan.runner is TestRunner.COMMAND:
        return ()
    on_patch, on_base = (stage.run.report for stage in results.own[:2])
    symbols = introduced(readings.sources_before, readings.sources_after)
    tests = _promising(results.own_tests.new(case.baseline), on_base, on_patch)
    read = [read_test(case.plan, readings, symbols, test) for test in tests]
    files = readings.tests_after
    tied = {
        one.id: is_tied(one.path, one.text, one.id, issue=case.issue, files=files)
        for one in read
        if not one.symbols
        and not waits_by_itself(one.text)
        and _is_only_late(subjects_of(case, readings, one), on_base.outcomes.get(one.id))
    }
    sides = _Sides((parts.tests,), (parts.source, parts.tests), own_paths(case, parts))
    return await _measured(case, sides, tied)


def _is_only_late(subjects: tuple[Subject, ...], on_base: Outcome | None) -> bool:
    """Whether it passes on base, or fails there only by an assertion about time."""
    return subjects == (Subject.TIMING,) or (on_base is Outcome.PASSED and not subjects)


def base_candidates(case: VerificationCase, parts: Parts, on_patch: TestReport) -> list[str]:
    """Base's own tests that may be faster with the patch; the caller has to read their files."""
    if case.plan.runner is TestRunner.COMMAND:
        return []
    first = case.baseline.first
    found = _promising(sorted(case.baseline.passing), first, on_patch)
    return [test for test in found if test.partition("::")[0] not in parts.tests.paths]


async def measure_base(
    case: VerificationCase, parts: Parts, tests: Iterable[str], texts: Texts
) -> tuple[Faster, ...]:
    """Measure those of base's own tests that are about the issue."""
    files = {test: file_of(test, case.plan, texts) for test in tests}
    tied = {
        test: True
        for test, path in files.items()
        if is_tied(path, texts.get(path) or "", test, issue=case.issue, files=texts)
    }
    return await _measured(case, _Sides((), (parts.source,)), tied)


def _promising(tests: Iterable[str], base: TestReport, patch: TestReport) -> list[str]:
    """Tests that earlier runs show to be faster, the slowest on base first."""
    found = {
        test: Pair(base.durations[test], patch.durations[test])
        for test in tests
        if patch.outcomes.get(test) is Outcome.PASSED
        and test in base.durations
        and test in patch.durations
    }
    slow = [test for test, pair in found.items() if pair.is_faster]
    return sorted(slow, key=lambda test: -found[test].base_s)[:_MOST]


async def _measured(
    case: VerificationCase, sides: _Sides, tied: Mapping[str, bool]
) -> tuple[Faster, ...]:
    """Run both sides alternately, so that other load on the machine affects both."""
    pairs: dict[str, list[Pair]] = {test: [] for test in tied}
    for turn in range(ROUNDS):
        if not pairs:
            break
        ids = frozenset(pairs)
        base = await _round(case, sides.base, sides.paths, ids, turn)
        patch = await _round(case, sides.patch, sides.paths, ids, turn)
        for test in ids:
            pair = Pair(base.durations.get(test, 0.0), patch.durations.get(test, 0.0))
            pairs[test].append(pair)
            if patch.outcomes.get(test) is not Outcome.PASSED or not pair.is_faster:
                del pairs[test]
    found = (faster(test, of_test, tied=tied[test]) for test, of_test in sorted(pairs.items()))
    return tuple(one for one in found if one is not None)


async def _round(
    case: VerificationCase,
    patches: tuple[Patch, ...],
    paths: tuple[str, ...],
    ids: frozenset[str],
    turn: int,
) -> TestReport:
    execution = Execution(
        patches=patches,
        ids=ids,
        paths=paths,
        limit_s=case.enough(case.usual_s),
        round=_FIRST_ROUND + turn,
    )
    return (await case.executions.run(execution)).run.report
