"""Examines one patch: base's tests on it, its own tests on both, and every failure again, alone."""

from typing import NamedTuple

from yudai.kit.concurrency import gather
from yudai.patches.patch import readable
from yudai.testing.domain.runners import TestRunner
from yudai.verification.case import Parts, Texts, VerificationCase
from yudai.verification.confirm import confirm
from yudai.verification.domain.examined import Confirmation, Reports, Shown, examined_of
from yudai.verification.domain.expected_tests import match_expectations
from yudai.verification.domain.facts import Examined
from yudai.verification.domain.intent import size_of, without_proof
from yudai.verification.look import Looked, read_existing
from yudai.verification.own_tests import weigh_fixed, weigh_own_tests
from yudai.verification.stages import Stage, examine, titled

_MOST_FIXED = 20


class Found(NamedTuple):
    examined: Examined
    log: str


async def examine_patch(case: VerificationCase, parts: Parts, looked: Looked) -> Found:
    edited = match_expectations(looked.suspicion.expectations, sorted(case.baseline.known))
    results = await examine(case, parts, edited)
    reports = Reports(case.baseline, results.on_patch.run.report, results.own_tests)
    both = (parts.source, parts.tests)
    base, own = await gather(
        [
            confirm(case, (parts.source,), reports.suspects, on_base=True),
            confirm(case, both, reports.own_suspects, on_base=False),
        ]
    )
    weighed = await weigh_own_tests(case, parts, looked.readings, results)
    fixed = reports.comparison.fixed
    shown = Shown(
        weighed.tests,
        weigh_fixed(case, looked.readings, fixed, await _texts_of(case, fixed)),
    )
    unsteady = (*base.unsteady, *own.unsteady, *weighed.unsteady)
    suspicion = looked.suspicion
    rewritten = _rewritten(results.on_patch)
    examined = examined_of(
        reports,
        Confirmation(frozenset(base.failed), own.failed, unsteady),
        shown,
        suspicion=suspicion._replace(tampered=(*suspicion.tampered, *rewritten)),
        edited=edited,
        issue=case.issue,
    )
    facts = {
        "size": size_of(parts.source),
        "is_asked_without_proof": without_proof(case.issue.partition("\n")[0], parts.source),
    }
    return Found(examined.model_copy(update=facts), titled(results.all))


async def _texts_of(case: VerificationCase, fixed: tuple[str, ...]) -> Texts:
    """Of base's files with tests that were red: whether they are about the issue."""
    files = {test.partition("::")[0] for test in fixed[:_MOST_FIXED] if "::" in test}
    if not files or case.plan.runner is TestRunner.COMMAND:
        return {}
    async with case.executions.sandboxes.open() as sandbox:
        return await read_existing(sandbox, sorted(files))


def _rewritten(on_patch: Stage) -> list[str]:
    return [f"{readable(path)}: was changed while the tests ran" for path in on_patch.rewritten]
