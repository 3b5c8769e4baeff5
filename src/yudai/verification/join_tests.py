"""Adds another contestant's test to an answer that has no proof of its own.

The published patch then contains the test that shows that it solves the issue.
"""

import asyncio
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import structlog

from yudai.kit.concurrency import gather
from yudai.kit.errors import InfrastructureError
from yudai.kit.ids import RunId
from yudai.patches.patch import Patch, parse_patch
from yudai.verification.case import Prepared
from yudai.verification.cross_examination import Entry
from yudai.verification.domain.facts import JoinedTest
from yudai.verification.domain.verdict import Verdict, VerdictStatus
from yudai.verification.own_tests import file_of
from yudai.verification.stages import paths_with_tests
from yudai.verification.verify import Verifier

log = structlog.get_logger()

Verdicts = Mapping[RunId, Verdict]

_MOST_ANSWERS = 4
_MOST_TRIES = 3


class Joined(NamedTuple):
    test: JoinedTest
    patch: str
    """The answer's patch with the added test."""


class _Part(NamedTuple):
    """The part of an author's test files that one test needs to run."""

    author: str
    test: str
    files: Patch


@dataclass(frozen=True)
class TestJoiner:
    __test__ = False

    verifier: Verifier
    prepared: Prepared
    issue: str
    lanes: asyncio.Semaphore

    async def join(self, entries: Sequence[Entry], verdicts: Verdicts) -> list[Joined]:
        """For each answer that only other answers' tests prove: the test to add, if one fits."""
        silent = [entry for entry in entries if _needs_test(verdicts[entry.run_id])]
        found = await gather(
            self._join(entry, _parts(self.prepared, entries, verdicts[entry.run_id]))
            for entry in silent[:_MOST_ANSWERS]
        )
        same = {entry.examined.answer: one for entry, one in zip(silent, found, strict=False)}
        return [
            one._replace(test=one.test.model_copy(update={"run_id": entry.run_id}))
            for entry in entries
            if (one := same.get(entry.examined.answer)) is not None
        ]

    async def _join(self, entry: Entry, parts: Iterable[_Part]) -> Joined | None:
        """Try the smallest part first, and verify the answer together with it."""
        patch = parse_patch(entry.patch)
        fitting = [part for part in parts if not patch.paths & part.files.paths]
        for part in fitting[:_MOST_TRIES]:
            files = sorted((*patch.files, *part.files.files), key=lambda change: change.path)
            text = Patch(files=tuple(files)).text
            if await self._is_proved(entry, text, part.test):
                test = JoinedTest(run_id=entry.run_id, author=part.author, test=part.test)
                return Joined(test, text)
        return None

    async def _is_proved(self, entry: Entry, patch: str, test: str) -> bool:
        try:
            async with self.lanes:
                found = await self.verifier.verify(
                    self.prepared, patch, owner=entry.run_id, issue=self.issue
                )
        except InfrastructureError as error:
            # The answer is unchanged without the test, so the solve can continue.
            log.warning("test.not_joined", run_id=entry.run_id, error=str(error))
            return False
        verdict = found.verdict
        return verdict.status is not VerdictStatus.FAILED and test in verdict.evidence.valid_tests


def _needs_test(verdict: Verdict) -> bool:
    """Whether only other answers' tests prove it, and none in base or in its own patch."""
    proved_by, others = verdict.evidence.proved_by, set(verdict.evidence.cross_passed)
    is_first = not verdict.same_as
    return (
        is_first
        and verdict.status is VerdictStatus.PASSED
        and bool(proved_by)
        and others.issuperset(proved_by)
    )


def _parts(prepared: Prepared, entries: Sequence[Entry], verdict: Verdict) -> list[_Part]:
    """The parts, smallest first, in a stable order."""
    proofs = set(verdict.evidence.proved_by)
    found = [
        part
        for entry in entries
        for test in entry.examined.own
        if f"{entry.handle}::{test.id}" in proofs
        for part in _parts_of(prepared, entry, test.id)
    ]
    found.sort(key=lambda part: (part.files.lines_changed, part.author, part.test))
    smallest: dict[str, _Part] = {}
    for part in found:
        smallest.setdefault(part.files.text, part)
    return list(smallest.values())


def _parts_of(prepared: Prepared, author: Entry, test: str) -> Iterator[_Part]:
    """The test's file, alone and together with the author's test files that define no tests."""
    if prepared.plan is None:
        return
    tests = parse_patch(author.patch).tests
    own = file_of(test, prepared.plan, tests.paths)
    others = set(paths_with_tests(prepared.plan, tests)) - {own}
    if own in tests.paths:
        alone = tests.only(lambda change: change.path == own)
        yield _Part(author.handle, test, alone)
    yield _Part(author.handle, test, tests.only(lambda change: change.path not in others))
