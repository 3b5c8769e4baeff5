"""What a patch is worth: found out in clean sandboxes that the agent never touched."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from yudai.kit.concurrency import gather
from yudai.kit.errors import RefusedError
from yudai.patches.patch import Patch, forbidden, parse_patch, readable
from yudai.projects.domain.project import Project
from yudai.sandboxes.port import Backend, BaseRef
from yudai.testing.detect import detect
from yudai.testing.domain.report import NO_REPORT, Baseline, TestPlan
from yudai.testing.domain.runners import TestRunner
from yudai.testing.run import TestRun, run_tests
from yudai.verification.clean_sandboxes import CleanSandboxes, apply_patch, read_texts
from yudai.verification.domain.judge import Suspicion, judge, judge_unseen
from yudai.verification.domain.tampering import hijacking, needs_reading, tampering
from yudai.verification.domain.verdict import NOTHING, Verdict, refused
from yudai.verification.stages import Parts, StageResults, VerificationCase, examine, split

_REGULAR = "100"
_COMMAND_NOT_FOUND = 127


class BaselineRun(NamedTuple):
    plan: TestPlan | None
    baseline: Baseline
    log: str


class Verification(NamedTuple):
    verdict: Verdict
    log: str
    files_changed: int = 0
    lines_changed: int = 0
    """Both without test files."""
    valid_tests: tuple[str, ...] = ()
    test_part: str = ""


@dataclass(frozen=True)
class Verifier:
    backend: Backend

    async def baseline(self, base: BaseRef, *, project: Project, owner: str) -> BaselineRun:
        """Find out how base's tests are run, and run them twice: what differs is flaky.

        RefusedError when the test command that was given does not exist.
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
        log = _titled({"base, first time": first, "base, second time": second})
        return BaselineRun(plan, baseline, log)

    async def verify(
        self,
        base: BaseRef,
        plan: TestPlan | None,
        baseline: Baseline,
        patch_text: str,
        *,
        project: Project,
        owner: str,
    ) -> Verification:
        """Judge one patch; whatever is wrong with it is a verdict, never an error."""
        sandboxes = CleanSandboxes(self.backend, base, owner)
        try:
            patch = parse_patch(patch_text)
            if not patch.files:
                return Verification(NOTHING, "")
            suspicion = await _inspect(sandboxes, patch, project.protected)
            parts = split(patch, suspicion.withheld)
            if plan is None:
                return _verification(judge_unseen(suspicion), parts, None)
            case = VerificationCase(sandboxes, plan, baseline, project.test_timeout_s)
            stages = await examine(case, parts)
            verdict = _judged(case, stages, suspicion)
            return _verification(verdict, parts, stages)
        except RefusedError as error:
            return Verification(refused(str(error)), f"{error}\n")


async def _inspect(
    sandboxes: CleanSandboxes, patch: Patch, protected: Collection[str]
) -> Suspicion:
    """Look at the files before anything of the patch is run."""
    if reasons := forbidden(patch, protected=protected):
        raise RefusedError("; ".join(reasons))
    seen = [change for change in patch.files if needs_reading(change.path)]
    old = [c.path for c in seen if c.old_mode.startswith(_REGULAR)]
    new = [c.path for c in seen if c.new_mode.startswith(_REGULAR)]
    async with sandboxes.open() as sandbox:
        before = await read_texts(sandbox, old)
        await apply_patch(sandbox, patch)
        after = await read_texts(sandbox, new)
    found = (*hijacking(patch), *tampering(before, after))
    return Suspicion(
        tampered=tuple(dict.fromkeys(finding.line for finding in found)),
        withheld=tuple(sorted({readable(finding.path) for finding in found if finding.is_runner})),
        expectations=tuple(f.expectation for f in found if f.expectation is not None),
    )


def _check_command(plan: TestPlan, run: TestRun) -> None:
    """A shell says so itself when there is no such program further inside."""
    if plan.runner is TestRunner.COMMAND and run.report.exit_code == _COMMAND_NOT_FOUND:
        last = next(iter(reversed(run.log.splitlines()[:-1])), "")
        raise RefusedError(f"the test command `{plan.args[0]}` does not exist: {last.strip()}")


def _judged(case: VerificationCase, stages: StageResults, suspicion: Suspicion) -> Verdict:
    changed = (f"{readable(p)}: was changed while the tests ran" for p in stages.on_patch.rewritten)
    suspicion = suspicion._replace(tampered=(*suspicion.tampered, *changed))
    report = stages.on_patch.run.report
    return judge(case.baseline, report, own=stages.own_tests, suspicion=suspicion)


def _verification(verdict: Verdict, parts: Parts, stages: StageResults | None) -> Verification:
    runs = () if stages is None else (stages.on_patch, *stages.own)
    return Verification(
        verdict=verdict,
        log=_titled({stage.title: stage.run for stage in runs}) + f"{verdict.summary}\n",
        files_changed=parts.source.files_changed,
        lines_changed=parts.source.lines_changed,
        valid_tests=verdict.evidence.valid_tests,
        test_part=parts.tests.text,
    )


def _titled(runs: Mapping[str, TestRun]) -> str:
    return "".join(f"== {title} ==\n{run.log}\n" for title, run in runs.items())
