"""Compares two runs by their tests."""

from collections.abc import Iterable
from typing import NamedTuple

from pydantic import Field

from yudai.kit.ids import SolveId
from yudai.kit.value import Value
from yudai.patches.patch import touched
from yudai.testing.domain.report import Baseline
from yudai.verification.domain.verdict import Verdict
from yudai.views.domain.document import RunEntry


class Side(RunEntry):
    """One side of a comparison."""

    solve_id: SolveId
    model: str
    base_key: str
    base: str
    """For a person: the repository and its commit."""
    baseline: Baseline | None = Field(exclude=True)
    patch: str


class Tests(Value):
    """Test ids; those that a contestant wrote read `handle::test id`."""

    __test__ = False

    only_first: tuple[str, ...]
    """The first passes them, the second fails them."""
    only_second: tuple[str, ...]
    both: tuple[str, ...]
    """Both pass what was red on base."""
    neither: tuple[str, ...]
    untried_by_second: tuple[str, ...]
    """The first passes them; they were not run on the second."""
    untried_by_first: tuple[str, ...]


class Files(Value):
    both: tuple[str, ...]
    only_first: tuple[str, ...]
    only_second: tuple[str, ...]


class Comparison(Value):
    first: Side
    second: Side
    same_base: bool
    tests: Tests
    files: Files


def compare(first: Side, second: Side) -> Comparison:
    same_solve = first.solve_id == second.solve_id
    return Comparison(
        first=first,
        second=second,
        same_base=first.base_key == second.base_key,
        tests=_tests(_outcomes(first), _outcomes(second), same_solve=same_solve),
        files=_files(first.patch, second.patch),
    )


class _Outcomes(NamedTuple):
    """Whether each test is green with a patch, as far as verification knows."""

    base: dict[str, bool]
    """The base's own tests."""
    written: dict[str, bool]
    """By contestants of its solve, the run's own ones included."""
    steady: frozenset[str]
    """Green on base, so listed only if a patch breaks them."""


def _outcomes(side: Side) -> _Outcomes:
    verdict, evidence = side.verdict, side.verdict.evidence
    own = {f"{side.handle}::{t}": t not in evidence.own_failed for t in evidence.own_tests}
    crossed = dict.fromkeys(evidence.cross_passed, True)
    crossed |= dict.fromkeys(evidence.cross_failed, False)
    steady = side.baseline.passing if side.baseline else frozenset[str]()
    return _Outcomes(_of_base(side.baseline, verdict), own | crossed, steady)


def _of_base(baseline: Baseline | None, verdict: Verdict) -> dict[str, bool]:
    """Nothing is known of the base's tests when none was executed."""
    if not verdict.evidence.executed:
        return {}
    known: dict[str, bool] = {}
    if baseline is not None:
        known = dict.fromkeys(baseline.passing, True) | dict.fromkeys(baseline.failing, False)
    known |= dict.fromkeys(verdict.fixed, True)
    return known | dict.fromkeys((*verdict.broken, *verdict.missing), False)


def _tests(one: _Outcomes, two: _Outcomes, *, same_solve: bool) -> Tests:
    shared = one.base.keys() & two.base.keys()
    # Handles are unique in one solve only: in two, the same name is another contestant's test.
    if same_solve:
        shared |= one.written.keys() & two.written.keys()
    first, second = _green(one), _green(two)
    telling = (first | second) - one.steady - two.steady
    return Tests(
        only_first=_sorted(shared & first - second),
        only_second=_sorted(shared & second - first),
        both=_sorted(telling & shared & first & second),
        neither=_sorted(shared - first - second),
        untried_by_second=_sorted((telling & first) - shared),
        untried_by_first=_sorted((telling & second) - shared),
    )


def _green(outcomes: _Outcomes) -> frozenset[str]:
    return frozenset(t for t, passed in (outcomes.base | outcomes.written).items() if passed)


def _sorted(tests: Iterable[str]) -> tuple[str, ...]:
    return tuple(sorted(tests))


def _files(first: str, second: str) -> Files:
    mine = {change.path for change in touched(first)}
    theirs = {change.path for change in touched(second)}
    return Files(
        both=_sorted(mine & theirs),
        only_first=_sorted(mine - theirs),
        only_second=_sorted(theirs - mine),
    )
