"""Verifies one patch in clean sandboxes that the agent never touched."""

import asyncio
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from yudai.kit.concurrency import gather
from yudai.kit.errors import RefusedError
from yudai.patches.patch import Patch, forbidden, parse_patch
from yudai.projects.domain.project import Project
from yudai.sandboxes.port import Backend, BaseRef
from yudai.testing.detect import detect
from yudai.testing.domain.report import NO_REPORT, Baseline, TestPlan
from yudai.testing.domain.runners import TestRunner
from yudai.testing.run import TestRun, run_tests
from yudai.verification.case import Parts, Prepared, VerificationCase
from yudai.verification.clean_sandboxes import CleanSandboxes
from yudai.verification.cross_examination import Entry, cross_examine
from yudai.verification.domain.decide import verdict_alone
from yudai.verification.domain.examined import unseen
from yudai.verification.domain.facts import NOT_EXAMINED, Candidate, Examination, Examined
from yudai.verification.domain.rules import RULES, Rules
from yudai.verification.domain.verdict import NOTHING, Verdict, refused
from yudai.verification.examine import Found, examine_patch
from yudai.verification.executions import Executions, Results
from yudai.verification.look import Looked, look
from yudai.verification.recorded.examine import with_values
from yudai.verification.same_answer import digest
from yudai.verification.stages import split

_COMMAND_NOT_FOUND = 127


class BaselineRun(NamedTuple):
    plan: TestPlan | None
    baseline: Baseline
    log: str


class Verification(NamedTuple):
    verdict: Verdict
    """The verdict on the patch alone, before other answers' tests run on it."""
    log: str
    examined: Examined = Examined()
    files_changed: int = 0
    lines_changed: int = 0
    """Changed lines and files, without test files."""
    test_part: str = ""


@dataclass(frozen=True)
class Verifier:
    backend: Backend
    results: Results = field(default_factory=Results)
    rules: Rules = RULES

    async def baseline(self, base: BaseRef, *, project: Project, owner: str) -> BaselineRun:
        """Detect how base's tests are run, and run them twice; tests that differ are flaky.

        Raises RefusedError if the given test command does not exist.
        """
        sandboxes = CleanSandboxes(self.backend, base, owner)
        async with sandboxes.open() as sandbox:
            plan = await detect(sandbox, project)
        if plan is None:
            nothing = Baseline(first=NO_REPORT, second=NO_REPORT, command="")
            return BaselineRun(None, nothing, "no tests were found that can be run\n")
        limit = project.test_timeout_s
        async with sandboxes.open_many(2) as alike:
            runs = (run_tests(sandbox, plan, timeout_s=limit) for sandbox in alike)
            first, second = await gather(runs)
        if project.test:
            _check_command(plan, first)
        baseline = Baseline(first=first.report, second=second.report, command=plan.command)
        log = f"== base, first time ==\n{first.log}\n== base, second time ==\n{second.log}\n"
        return BaselineRun(plan, baseline, log)

    async def verify(
        self, prepared: Prepared, patch_text: str, *, owner: str, issue: str = ""
    ) -> Verification:
        """Judge one patch; a fault of the patch gives a verdict, never an error."""
        sandboxes = CleanSandboxes(self.backend, prepared.base, owner)
        try:
            patch = parse_patch(patch_text)
            if not patch.files:
                return Verification(NOTHING, "")
            check_harmless(patch, prepared.project.protected)
            files = prepared.test_files
            looked = await look(sandboxes, patch, files)
            parts = split(patch, looked.suspicion.withheld, files)
            if prepared.plan is None:
                return self._judged(looked, parts, Found(unseen(looked.suspicion), ""))
            case = VerificationCase.of(
                Executions(sandboxes, prepared.plan, self.results), prepared, issue, self.rules
            )
            return self._judged(looked, parts, await examine_patch(case, parts, looked))
        except RefusedError as error:
            return Verification(refused(str(error)), f"{error}\n", Examined(refused=str(error)))

    async def cross_examine(
        self,
        prepared: Prepared,
        entries: Sequence[Entry],
        *,
        owner: str,
        lanes: asyncio.Semaphore,
        issue: str = "",
    ) -> Examination:
        """Run the tests of each answer on all others; empty if no tests can be run."""
        if prepared.plan is None:
            return NOT_EXAMINED
        sandboxes = CleanSandboxes(self.backend, prepared.base, owner)
        executions = Executions(sandboxes, prepared.plan, self.results)
        examination = await cross_examine(
            executions, prepared, entries, lanes=lanes, issue=issue, rules=self.rules
        )
        case = VerificationCase.of(executions, prepared, issue, self.rules)
        answers = [(Candidate(e.run_id, e.handle, e.run_id, e.examined), e.patch) for e in entries]
        return await with_values(case, answers, examination, lanes)

    def _judged(self, looked: Looked, parts: Parts, found: Found) -> Verification:
        after = {**looked.readings.sources_after, **looked.readings.tests_after}
        answer = "".join(digest(part, after) for part in parts)
        examined = found.examined.model_copy(update={"answer": answer})
        verdict = verdict_alone(examined, self.rules)
        return Verification(
            verdict=verdict,
            log=f"{found.log}{verdict.summary}\n",
            examined=examined,
            files_changed=parts.source.files_changed,
            lines_changed=parts.source.lines_changed,
            test_part=parts.tests.text,
        )


def check_harmless(patch: Patch, protected: Collection[str]) -> None:
    """Raises RefusedError if the patch must not be applied."""
    if reasons := forbidden(patch, protected=protected):
        raise RefusedError("; ".join(reasons))


def _check_command(plan: TestPlan, run: TestRun) -> None:
    """Refuse a test command that the shell cannot find."""
    if plan.runner is TestRunner.COMMAND and run.report.exit_code == _COMMAND_NOT_FOUND:
        last = next(iter(reversed(run.log.splitlines()[:-1])), "")
        raise RefusedError(f"the test command `{plan.args[0]}` does not exist: {last.strip()}")
