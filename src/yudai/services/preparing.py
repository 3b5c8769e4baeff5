"""Before anything is spent: the prepared base, and what its own tests say about it, twice."""

from dataclasses import dataclass

from sqlalchemy.ext.asyncio import AsyncSession

from yudai.domain.ids import SolveId
from yudai.domain.project import Project
from yudai.domain.testreport import Baseline, TestPlan
from yudai.domain.value import Value
from yudai.ports.artifacts import ArtifactKind, ArtifactRef, Artifacts
from yudai.ports.clock import Clock
from yudai.ports.sandbox import Backend, BaseRef
from yudai.services.verifying import Verifier
from yudai.store import artifacts as artifact_rows
from yudai.store import events, solves
from yudai.store.store import Store
from yudai.store.tables import SolveRow


class Measured(Value):
    """What the base's own tests say about it, executed twice."""

    plan: TestPlan | None
    baseline: Baseline
    log: ArtifactRef


class Prepared(Value):
    base: BaseRef
    plan: TestPlan | None
    baseline: Baseline
    project: Project

    @property
    def test_command(self) -> str:
        return self.baseline.command

    @property
    def test_timeout_s(self) -> float:
        return self.project.test_timeout_s


@dataclass(frozen=True)
class Preparer:
    store: Store
    backend: Backend
    verifier: Verifier
    artifacts: Artifacts
    clock: Clock

    async def prepare(self, solve_id: SolveId) -> Prepared:
        async with self.store.read() as db:
            solve = await solves.get(db, solve_id)
        base = await self.backend.prepare(solve.base)
        await self._note(solve_id, "base.prepared", {"key": base.key})
        plan, baseline = solve.test_plan, solve.baseline
        if baseline is None:
            measured = await self._measure(solve, base)
            plan, baseline = measured.plan, measured.baseline
        await self._note(
            solve_id,
            "baseline.measured",
            {
                "passing": len(baseline.passing),
                "failing": len(baseline.failing),
                "flaky": len(baseline.flaky),
            },
        )
        return Prepared(base=base, plan=plan, baseline=baseline, project=solve.project)

    async def measure(self, base: BaseRef, project: Project, *, owner: str) -> Measured:
        """Find out how the base is tested, and run its tests twice."""
        found = await self.verifier.baseline(base, project=project, owner=owner)
        log = await self.artifacts.put(ArtifactKind.BASELINE_LOG, found.log.encode())
        return Measured(plan=found.plan, baseline=found.baseline, log=log)

    async def _measure(self, solve: SolveRow, base: BaseRef) -> Measured:
        measured = await self.measure(base, solve.project, owner=solve.id)
        async with self.store.change() as db:
            await keep_measured(db, SolveId(solve.id), measured, at=self.clock.now())
        return measured

    async def _note(self, solve_id: SolveId, kind: str, data: dict[str, object]) -> None:
        async with self.store.change() as db:
            await events.append(db, solve_id, kind=kind, at=self.clock.now(), data=data)


async def keep_measured(
    db: AsyncSession, solve_id: SolveId, measured: Measured, *, at: float
) -> None:
    await artifact_rows.add(db, solve_id, None, measured.log, at=at)
    await solves.change(
        db,
        solve_id,
        test_plan=measured.plan,
        baseline=measured.baseline,
        test_command=measured.baseline.command,
    )
