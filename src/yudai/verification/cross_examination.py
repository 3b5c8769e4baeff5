"""Cross-examination: runs the tests that would prove each answer on every other answer."""

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import structlog

from yudai.kit.concurrency import SingleFlight, gather
from yudai.kit.errors import RefusedError, SandboxError
from yudai.kit.ids import RunId
from yudai.patches.patch import Patch, parse_patch
from yudai.testing.domain.report import Failure, FailureKind, Outcome, TestReport
from yudai.verification.additions import NOTHING_LAID, Laid, additions, is_in_laid
from yudai.verification.case import Parts, Prepared, Readings, VerificationCase
from yudai.verification.domain.facts import (
    NO_TESTS,
    Answered,
    Crossing,
    Examination,
    Examined,
    OpenExpectation,
)
from yudai.verification.domain.judge import judge_alone, shows
from yudai.verification.domain.proof import OwnTest
from yudai.verification.domain.rules import RULES, Rule, Rules
from yudai.verification.executions import Execution, Executions
from yudai.verification.look import look
from yudai.verification.own_tests import failure_of, file_of
from yudai.verification.stages import paths_with_tests, split

log = structlog.get_logger()

# A test is stopped when it takes this many times longer than on its author's patch.
_PATIENCE = 10.0
_LEAST_S = 30.0
_LEAST_SLOW_S = 5.0
_TRIES = 3
"""Retries after a sandbox failure; they do not count towards the solve's time budget."""


class Entry(NamedTuple):
    run_id: RunId
    handle: str
    patch: str
    examined: Examined


class _Answer(NamedTuple):
    """The first of several equal patches; its results apply to all."""

    run_id: RunId
    handle: str
    parts: Parts
    examined: Examined
    tests: Mapping[str, OwnTest]
    """Its tests that may convict other answers."""
    patch: Patch

    @property
    def usual_s(self) -> float:
        return sum(test.seconds for test in self.tests.values())


async def cross_examine(
    executions: Executions,
    prepared: Prepared,
    entries: Sequence[Entry],
    *,
    lanes: asyncio.Semaphore,
    issue: str = "",
    rules: Rules = RULES,
) -> Examination:
    """Run each test that may convict on every other sound answer, then again on its author's."""
    case = VerificationCase.of(executions, prepared, issue, rules)
    return await _CrossExamination(case, lanes).run(_answers(entries, case))


def _answers(entries: Sequence[Entry], case: VerificationCase) -> list[_Answer]:
    """One entry per distinct answer: equal patches run once, as the first of them."""
    first: dict[str, Entry] = {}
    for entry in entries:
        one = Rule.EQUAL_IS_ONE in case.rules and entry.examined.answer
        first.setdefault(one or entry.run_id, entry)
    return [_answer(entry, case) for entry in first.values()]


def _answer(entry: Entry, case: VerificationCase) -> _Answer:
    examined, rules = entry.examined, case.rules
    speaks = _is_sound(examined, frozenset()) or Rule.AUTHOR_STANDS not in rules
    all_speak = Rule.ONLY_PROOFS_CONVICT not in rules
    tests = {t.id: t for t in examined.own if speaks and (all_speak or shows(t, rules))}
    patch = parse_patch(entry.patch)
    parts = split(patch, examined.withheld, case.files)
    return _Answer(entry.run_id, entry.handle, parts, examined, tests, patch)


def _is_sound(examined: Examined, excused: frozenset[str]) -> bool:
    """Whether it has no fault besides changed expectations.

    An answer for which no test ran is included, because other answers' tests can run on it.
    """
    left = examined.model_copy(
        update={
            "broken": tuple(t for t in examined.broken if t not in excused),
            "expectations": (),
            "doubt": "" if examined.doubt == NO_TESTS else examined.doubt,
        }
    )
    own = {one.test for one in examined.expectations}
    left = left.model_copy(update={"broken": tuple(t for t in left.broken if t not in own)})
    alone = judge_alone(left, RULES)
    return not (alone.complaint or alone.doubt)


@dataclass(frozen=True)
class _CrossExamination:
    case: VerificationCase
    lanes: asyncio.Semaphore
    readings: SingleFlight[Readings] = field(default_factory=SingleFlight[Readings])
    read: dict[RunId, Readings] = field(default_factory=dict[RunId, Readings])

    async def run(self, answers: Sequence[_Answer]) -> Examination:
        edited = frozenset(e.test for a in answers for e in a.examined.expectations)
        patches = [answer for answer in answers if not answer.examined.tests_only]
        targets = [answer for answer in patches if _is_sound(answer.examined, edited)]
        authors = [answer for answer in answers if answer.tests]
        excused = await gather(self._excused(target, answers) for target in targets)
        found = await gather(self._on(target, authors) for target in targets)
        crossings = tuple(crossing for some in found for crossing in some)
        return Examination(
            crossings=crossings,
            author_failed=await self._again(authors, crossings),
            expectations=tuple(one for some in excused for one in some),
        )

    async def _excused(
        self, target: _Answer, answers: Sequence[_Answer]
    ) -> list[tuple[RunId, OpenExpectation]]:
        """Base tests that this answer breaks but passes in another answer's version."""
        own = {one.test for one in target.examined.expectations}
        broken = set(target.examined.broken) - own
        found: list[tuple[RunId, OpenExpectation]] = []
        for author in answers:
            wanted = [one for one in author.examined.expectations if one.test in broken]
            if not wanted or author.run_id == target.run_id:
                continue
            ids = frozenset(one.as_test or one.test for one in wanted)
            reports = await self._execute(
                _Pair(target, author, NOTHING_LAID), ids, usual_s=self.case.usual_s
            )
            found += [
                (target.run_id, one.model_copy(update={"own": False}))
                for one in wanted
                if reports is not None
                and reports.outcomes.get(one.as_test or one.test) is Outcome.PASSED
            ]
        return found

    async def _on(self, target: _Answer, authors: Sequence[_Answer]) -> list[Crossing]:
        """Run each author's tests in a separate process, so that they cannot affect each other."""
        others = [author for author in authors if author.run_id != target.run_id]
        found = await gather(self._by(target, author) for author in others)
        return [crossing for some in found for crossing in some]

    async def _laid(self, target: _Answer, author: _Answer) -> Laid:
        """The definitions of the author's patch that its tests need to run on the target."""
        if not any(test.symbols or test.loads for test in author.tests.values()):
            return NOTHING_LAID
        mine, other = await self._readings(author), await self._readings(target)
        files = {test: file_of(test, self.case.plan, mine.tests_after) for test in author.tests}
        return additions(mine, other, files, self.case.issue)

    async def _readings(self, answer: _Answer) -> Readings:
        if answer.run_id not in self.read:
            self.read[answer.run_id] = await self.readings.join(
                answer.run_id, lambda: self._look(answer)
            )
        return self.read[answer.run_id]

    async def _look(self, answer: _Answer) -> Readings:
        async with self.lanes:
            return (
                await look(self.case.executions.sandboxes, answer.patch, self.case.files)
            ).readings

    async def _by(self, target: _Answer, author: _Answer) -> list[Crossing]:
        """Run the tests, and rerun those that fail: they can affect each other or be flaky."""
        pair = _Pair(target, author, await self._laid(target, author))
        first = await self._execute(pair, frozenset(author.tests))
        doubtful = {c.test: c for c in await self._doubtful(pair, _not_passed(author, first))}
        return [doubtful.get(test, _passed(author, test, target)) for test in author.tests]

    async def _doubtful(self, pair: "_Pair", tests: Iterable[str]) -> list[Crossing]:
        """Rerun alone, twice; a test that passes once counts as passed."""
        left = frozenset(tests)
        crossings: list[Crossing] = []
        for turn in (1, 2):
            if left:
                crossings = await self._alone(pair, left, turn)
                left = frozenset(c.test for c in crossings if c.answered is not Answered.PASSED)
        return [crossing for crossing in crossings if crossing.test in left]

    async def _alone(self, pair: "_Pair", tests: frozenset[str], turn: int) -> list[Crossing]:
        """If a test hangs, rerun without it the tests that it kept from running."""
        crossings: list[Crossing] = []
        left = tests
        while left:
            report = await self._execute(pair, left, turn=turn)
            hidden = frozenset(t for t in left if _is_hidden(report, t))
            if len(hidden) == len(left):
                hidden = frozenset[str]()
            crossings += [self._crossed(pair, test, report) for test in left - hidden]
            left = hidden
        return crossings

    def _crossed(self, pair: "_Pair", test: str, report: TestReport | None) -> Crossing:
        author = pair.author
        failure = None if report is None else report.failures.get(test)
        outcome = None if report is None else report.outcomes.get(test)
        return Crossing(
            author=author.run_id,
            test=test,
            target=pair.target.run_id,
            answered=_answered(report, author.tests[test]),
            is_behaviour=self.case.is_behaviour(failure, author.parts.tests)
            and not is_in_laid(failure, pair.laid),
            is_wording=self.case.is_wording(failure, author.parts.tests),
            says="" if outcome is None else str(outcome),
            message="" if failure is None else failure.line,
        )

    async def _execute(
        self, pair: "_Pair", ids: frozenset[str], *, turn: int = 0, usual_s: float = 0.0
    ) -> TestReport | None:
        """None if no sandbox could run it; if the patches conflict, a report without results."""
        tests = pair.author.parts.tests
        execution = Execution(
            patches=(pair.target.parts.source, tests),
            additions=pair.laid.texts,
            ids=ids,
            paths=paths_with_tests(self.case.plan, tests, ids),
            limit_s=min(
                self.case.timeout_s, _LEAST_S + _PATIENCE * (usual_s or pair.author.usual_s)
            ),
            round=turn,
        )
        for _ in range(_TRIES):
            try:
                async with self.lanes:
                    return (await self.case.executions.run(execution)).run.report
            except RefusedError as error:
                log.info("cross_examination.refused", run_id=pair.target.run_id, error=str(error))
                return TestReport(outcomes={}, exit_code=1, finished=True)
            except SandboxError as error:
                log.warning("pair.not_examined", run_id=pair.target.run_id, error=str(error))
        return None

    async def _again(
        self, authors: Sequence[_Answer], crossings: Iterable[Crossing]
    ) -> tuple[tuple[RunId, str], ...]:
        """Rerun each author's convicting tests on its own patch; return those that fail."""
        against: dict[RunId, set[str]] = {}
        for crossing in crossings:
            if crossing.answered is not Answered.PASSED:
                against.setdefault(crossing.author, set()).add(crossing.test)
        found = await gather(
            self._on_author(author, frozenset(against[author.run_id]))
            for author in authors
            # An answer that holds only tests has no patch to run them on.
            if author.run_id in against and not author.examined.tests_only
        )
        return tuple(pair for some in found for pair in some)

    async def _on_author(self, author: _Answer, tests: frozenset[str]) -> list[tuple[RunId, str]]:
        turn = len(author.tests) + 10
        report = await self._execute(_Pair(author, author, NOTHING_LAID), tests, turn=turn)
        passed = {} if report is None else report.outcomes
        return [
            (author.run_id, test)
            for test in sorted(tests)
            if passed.get(test) is not Outcome.PASSED
        ]


class _Pair(NamedTuple):
    target: _Answer
    author: _Answer
    laid: Laid


def _not_passed(author: _Answer, report: TestReport | None) -> list[str]:
    outcomes = {} if report is None else report.outcomes
    return [test for test in author.tests if outcomes.get(test) is not Outcome.PASSED]


def _answered(report: TestReport | None, test: OwnTest) -> Answered:
    """Failed, unless it passed, timed out or could not be run."""
    if report is None:
        return Answered.UNKNOWN
    outcome = report.outcomes.get(test.id)
    if outcome is Outcome.PASSED:
        return Answered.PASSED
    hung = _is_hang(failure_of(report, test.id)) or (report.timed_out and outcome is None)
    enough_s = _LEAST_SLOW_S + _PATIENCE * test.seconds
    is_slow = hung or report.durations.get(test.id, 0.0) > enough_s
    return Answered.SLOW if is_slow and not _is_hang(test.red) else Answered.FAILED


def _is_hang(failure: Failure | None) -> bool:
    return failure is not None and failure.kind is FailureKind.TIMEOUT


def _is_hidden(report: TestReport | None, test: str) -> bool:
    """Whether another test hung before this one could run."""
    return report is not None and report.timed_out and test not in report.outcomes


def _passed(author: _Answer, test: str, target: _Answer) -> Crossing:
    return Crossing(
        author=author.run_id,
        test=test,
        target=target.run_id,
        answered=Answered.PASSED,
        is_behaviour=False,
        says=str(Outcome.PASSED),
    )
