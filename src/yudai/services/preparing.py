"""Before anything is spent: the prepared base, and what its own tests say about it, twice."""

from dataclasses import dataclass

from yudai.domain.ids import SolveId
from yudai.domain.testreport import Baseline
from yudai.domain.value import Value
from yudai.ports.artifacts import ArtifactKind, Artifacts
from yudai.ports.clock import Clock
from yudai.ports.sandbox import Backend, BaseRef
from yudai.services.testing import TestPlan
from yudai.services.verifying import Verifier
from yudai.store import artifacts as artifact_rows
from yudai.store import events, solves
from yudai.store.store import Store


class Prepared(Value):
    base: BaseRef
    plan: TestPlan | None
    baseline: Baseline
    test_timeout_s: float

    @property
    def test_command(self) -> str:
        return self.baseline.command


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
        timeout_s = solve.budget.test_timeout_s
        measured = await self.verifier.baseline(base, owner=solve_id, timeout_s=timeout_s)
        ref = await self.artifacts.put(ArtifactKind.BASELINE_LOG, measured.log.encode())
        baseline = measured.baseline
        now = self.clock.now()
        async with self.store.change() as db:
            await artifact_rows.add(db, solve_id, None, ref, at=now)
            await solves.change(db, solve_id, baseline=baseline, test_command=baseline.command)
            await events.append(
                db,
                solve_id,
                kind="baseline.measured",
                at=now,
                data={
                    "passing": len(baseline.passing),
                    "failing": len(baseline.failing),
                    "flaky": len(baseline.flaky),
                },
            )
        return Prepared(base=base, plan=measured.plan, baseline=baseline, test_timeout_s=timeout_s)

    async def _note(self, solve_id: SolveId, kind: str, data: dict[str, object]) -> None:
        async with self.store.change() as db:
            await events.append(db, solve_id, kind=kind, at=self.clock.now(), data=data)
