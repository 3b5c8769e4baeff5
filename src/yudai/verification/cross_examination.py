"""Cross-examination: each valid new test is run against every other contestant's patch."""

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

import structlog

from yudai.kit.concurrency import gather
from yudai.kit.errors import RefusedError, SandboxError
from yudai.kit.ids import RunId
from yudai.patches.patch import Patch, parse_patch
from yudai.patches.test_paths import name_of
from yudai.sandboxes.port import Backend
from yudai.testing.domain.report import NO_REPORT, RED, Outcome, TestPlan, TestReport
from yudai.testing.run import run_tests
from yudai.verification.baseline import Prepared
from yudai.verification.clean_sandboxes import CleanSandboxes
from yudai.verification.domain.judge import apply_cross
from yudai.verification.domain.verdict import Verdict, VerdictStatus
from yudai.verification.stages import paths_with_tests, split

log = structlog.get_logger()

_EXAMINED = frozenset({VerdictStatus.PASSED, VerdictStatus.UNPROVED})
_SHARED_NAMES = frozenset({"conftest.py", "__init__.py"})


class Entry(NamedTuple):
    run_id: RunId
    handle: str
    patch: str
    verdict: Verdict


class Answer(StrEnum):
    PASSED = "passed"
    FAILED = "failed"
    UNCOLLECTED = "uncollected"
    """The test's file could not be loaded: it may name things that only its author has."""
    UNKNOWN = "unknown"


class _Author(NamedTuple):
    run_id: RunId
    handle: str
    tests: Patch
    valid: tuple[str, ...]


class _Target(NamedTuple):
    entry: Entry
    source: Patch


Answers = Mapping[tuple[RunId, str], Answer]
"""By author and test."""


async def cross_examine(
    backend: Backend,
    prepared: Prepared,
    entries: Sequence[Entry],
    *,
    owner: str,
    lanes: asyncio.Semaphore,
) -> dict[RunId, Verdict]:
    """New verdicts of the runs that had not failed; an author need only have a valid test.

    A test that a patch cannot even load counts against it only when a third patch can load it:
    otherwise it speaks about names that only its author chose.
    """
    plan = prepared.plan
    if plan is None:
        return {}
    authors = [_author(entry) for entry in entries if entry.verdict.evidence.valid_tests]
    targets = [_target(entry) for entry in entries if entry.verdict.status in _EXAMINED]
    sandboxes = CleanSandboxes(backend, prepared.base, owner)
    examination = _CrossExamination(sandboxes, plan, prepared.test_timeout_s, lanes)
    found = await gather(examination.run_tests_of(target, authors) for target in targets)
    answers = {target.entry.run_id: found for target, found in zip(targets, found, strict=True)}
    handles = {author.run_id: author.handle for author in authors}
    return {
        target.entry.run_id: _crossed(target.entry, answers, handles)
        for target in targets
        if answers[target.entry.run_id]
    }


@dataclass(frozen=True)
class _CrossExamination:
    sandboxes: CleanSandboxes
    plan: TestPlan
    timeout_s: float
    lanes: asyncio.Semaphore

    async def run_tests_of(self, target: _Target, authors: Sequence[_Author]) -> Answers:
        """All others' tests on one patch, in as few executions as their files allow."""
        others = [author for author in authors if author.run_id != target.entry.run_id]
        found = await gather(self._run_group(target, group) for group in _groups(others))
        return {key: answer for answers in found for key, answer in answers.items()}

    async def _run_group(self, target: _Target, group: Sequence[_Author]) -> Answers:
        """Tests that do not pass are run again alone: they can disturb each other, or be flaky."""
        answers = await self._execute(target, group)
        doubtful = [
            author
            for author in group
            if any(answers[author.run_id, t] is not Answer.PASSED for t in author.valid)
        ]
        alone = await gather(self._execute(target, [author]) for author in doubtful)
        again = {key: answer for found in alone for key, answer in found.items()}
        return {
            key: answer if answer is Answer.PASSED else again.get(key, answer)
            for key, answer in answers.items()
        }

    async def _execute(self, target: _Target, group: Sequence[_Author]) -> Answers:
        tests = _union(author.tests for author in group)
        ids = {test for author in group for test in author.valid}
        paths = paths_with_tests(self.plan, tests, ids)
        report = NO_REPORT
        try:
            async with self.lanes, self.sandboxes.open(target.source, tests) as sandbox:
                run = await run_tests(
                    sandbox, self.plan, ids=ids, paths=paths, timeout_s=self.timeout_s
                )
                report = run.report
        except (RefusedError, SandboxError) as error:
            # One pair that cannot be examined must not end the solve for the others.
            log.warning("pair.not_examined", run_id=target.entry.run_id, error=str(error))
        return {
            (author.run_id, test): _answer(report, test)
            for author in group
            for test in author.valid
        }


def _author(entry: Entry) -> _Author:
    evidence = entry.verdict.evidence
    tests = split(parse_patch(entry.patch), evidence.withheld).tests
    return _Author(entry.run_id, entry.handle, tests, evidence.valid_tests)


def _target(entry: Entry) -> _Target:
    return _Target(entry, split(parse_patch(entry.patch), entry.verdict.evidence.withheld).source)


def _answer(report: TestReport, test: str) -> Answer:
    outcome = report.outcomes.get(test)
    if outcome is Outcome.PASSED:
        return Answer.PASSED
    if outcome in RED:
        return Answer.FAILED
    return Answer.UNCOLLECTED if report.hides(test) else Answer.UNKNOWN


def _crossed(
    entry: Entry, answers: Mapping[RunId, Answers], handles: Mapping[RunId, str]
) -> Verdict:
    mine = answers[entry.run_id]
    loaded = {
        key
        for found in answers.values()
        for key, answer in found.items()
        if answer in {Answer.PASSED, Answer.FAILED}
    }
    failed = [
        key
        for key, answer in mine.items()
        if answer is Answer.FAILED or (answer is Answer.UNCOLLECTED and key in loaded)
    ]
    passed = [key for key, answer in mine.items() if answer is Answer.PASSED]

    def named(keys: Iterable[tuple[RunId, str]]) -> list[str]:
        return [f"{handles[author]}::{test}" for author, test in keys]

    return apply_cross(entry.verdict, passed=named(passed), failed=named(failed))


def _groups(authors: Iterable[_Author]) -> list[list[_Author]]:
    """Authors whose test files do not collide share an execution: first fit, in order."""
    groups: list[list[_Author]] = []
    for author in authors:
        for group in groups:
            if not any(_collide(author.tests, other.tests) for other in group):
                group.append(author)
                break
        else:
            groups.append([author])
    return groups


def _collide(one: Patch, two: Patch) -> bool:
    """The same file with different contents, or two modules that Python would mix up."""
    texts = {change.path: change.text for change in one.files}
    modules = (path for path in texts if path.endswith(".py"))
    names = {name_of(path): path for path in modules if name_of(path) not in _SHARED_NAMES}
    return any(
        texts.get(change.path, change.text) != change.text
        or names.get(name_of(change.path), change.path) != change.path
        for change in two.files
    )


def _union(patches: Iterable[Patch]) -> Patch:
    """Equal sections are applied once."""
    changes = {change.text: change for patch in patches for change in patch.files}
    return Patch(files=tuple(changes.values()))
