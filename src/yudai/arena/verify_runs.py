"""Verifies each patch in a clean sandbox, then cross-examines all patches."""

import asyncio
from dataclasses import dataclass

from yudai.artifacts import queries as artifact_rows
from yudai.artifacts.context import Context
from yudai.artifacts.port import ArtifactKind
from yudai.kit.ids import RunId, SolveId
from yudai.runs import queries as runs
from yudai.runs.domain.states import RunEvent, RunState
from yudai.solves import queries as solves
from yudai.solves import timeline as events
from yudai.solves.claims import Claim
from yudai.verification.baseline import Prepared
from yudai.verification.cross_examination import Entry, cross_examine
from yudai.verification.verify import Verifier

_EXAMINED = "runs.cross_examined"


@dataclass(frozen=True)
class RunVerifier:
    context: Context
    verifier: Verifier
    slots: asyncio.Semaphore
    """Limits concurrent cross-examinations."""

    async def verify_run(self, run_id: RunId, prepared: Prepared, claim: Claim) -> None:
        patch = await self._patch(run_id)
        found = await self.verifier.verify(
            prepared.base,
            prepared.plan,
            prepared.baseline,
            patch,
            owner=run_id,
            project=prepared.project,
        )
        log = self.context.store.redact(found.log)
        ref = await self.context.artifacts.put(ArtifactKind.TEST_LOG, log.encode())
        now = self.context.clock.now()
        async with self.context.store.change() as db:
            run = await runs.advance(
                db,
                run_id,
                RunEvent.JUDGED,
                at=now,
                data={"status": found.verdict.status},
                claim=claim,
                verdict=found.verdict,
            )
            await artifact_rows.add(db, run.solve_id, run_id, ref, at=now)

    async def cross_examine_runs(self, solve_id: SolveId, prepared: Prepared, claim: Claim) -> None:
        """Cross-examine once: the changed verdicts must not be examined again."""
        if await self.has_cross_examined(solve_id):
            return
        async with self.context.store.read() as db:
            rows = [r for r in await runs.of_solve(db, solve_id) if r.state == RunState.COMPLETED]
        entries = [
            Entry(
                run_id=RunId(run.id),
                handle=run.handle,
                patch=await self._patch(RunId(run.id)),
                verdict=run.verdict,
            )
            for run in rows
            if run.verdict is not None
        ]
        verdicts = await cross_examine(
            self.verifier.backend,
            prepared,
            entries,
            owner=solve_id,
            lanes=self.slots,
        )
        now = self.context.clock.now()
        async with self.context.store.change() as db:
            claim.check(await solves.hold(db, solve_id))
            for run_id, verdict in verdicts.items():
                await runs.change(db, run_id, verdict=verdict)
            await events.append(db, solve_id, kind=_EXAMINED, at=now, data={"runs": len(verdicts)})

    async def has_cross_examined(self, solve_id: SolveId) -> bool:
        async with self.context.store.read() as db:
            return await events.has(db, solve_id, _EXAMINED)

    async def _patch(self, run_id: RunId) -> str:
        async with self.context.store.read() as db:
            refs = await artifact_rows.of_run(db, run_id)
        blob = await self.context.artifacts.get(refs[ArtifactKind.PATCH])
        return blob.decode("utf-8", "surrogateescape")
