"""Adds to a cross-examination the values that answers compute without a test runner."""

import asyncio
from collections.abc import Sequence

from yudai.kit.ids import RunId
from yudai.patches.patch import parse_patch
from yudai.verification.case import VerificationCase
from yudai.verification.domain.answers import AnswerSet
from yudai.verification.domain.facts import Candidate, Examination
from yudai.verification.domain.rules import Rule
from yudai.verification.recorded.compare import Answer, compare_values, key_of
from yudai.verification.stages import split


async def with_values(
    case: VerificationCase,
    answers: Sequence[tuple[Candidate, str]],
    examination: Examination,
    lanes: asyncio.Semaphore,
) -> Examination:
    """Add the values of sound, unconvicted answers; `answers`: candidates with their patches."""
    if Rule.VALUES_ARE_RECORDED not in case.rules:
        return examination
    found = AnswerSet([candidate for candidate, _ in answers], examination, case.rules, {})
    patches = {candidate.run_id: patch for candidate, patch in answers}
    made = [
        _answer(case, found, run_id, patches[run_id])
        for run_id in found.answers
        if run_id in found.sound
        and run_id not in found.settlement.convicted
        and not found.is_review(run_id)
    ]
    values = await compare_values(case, made, lanes)
    return examination.model_copy(update={"values": values})


def _answer(case: VerificationCase, found: AnswerSet, run_id: RunId, patch: str) -> Answer:
    examined = found.answers[run_id].examined
    parts = split(parse_patch(patch), examined.withheld, case.files)
    own = frozenset(test for author, test in found.tests if author == run_id)
    red = {*examined.broken, *examined.missing, *examined.flaky, *examined.unsteady}
    green = {key_of(None, test) for test in case.baseline.passing - red}
    green |= {key_of(run_id, test) for test in own}
    green |= {
        key_of(crossing.author, crossing.test)
        for crossing in found.crossings
        if crossing.target == run_id and found.passes(crossing)
    }
    return Answer(run_id, parts.source, parts.tests, own, frozenset(green))
