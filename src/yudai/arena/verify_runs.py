"""Verifies each patch in a clean sandbox, then cross-examines all patches."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from yudai.artifacts import queries as artifact_rows
from yudai.artifacts.context import Context
from yudai.artifacts.port import ArtifactKind, ArtifactRef
from yudai.kit.ids import RunId, SolveId
from yudai.runs import queries as runs
from yudai.runs.domain.states import RunEvent
from yudai.solves import queries as solves
from yudai.solves import timeline as events
from yudai.solves.claims import Claim
from yudai.solves.domain.matrix import author_of
from yudai.verification.case import Prepared
from yudai.verification.cross_examination import Entry
from yudai.verification.domain.decide import decide
from yudai.verification.domain.facts import Candidate, Examination
from yudai.verification.join_tests import TestJoiner
from yudai.verification.verify import Verifier

_EXAMINED = "runs.cross_examined"


class _Joined(NamedTuple):
    examination: Examination
    patches: Mapping[RunId, ArtifactRef]
    """With another contestant's test, where one could be joined."""


@dataclass(frozen=True)
class RunVerifier:
    context: Context
    verifier: Verifier
    slots: asyncio.Semaphore
    """Limits concurrent cross-examinations."""

    async def verify_run(self, run_id: RunId, prepared: Prepared, claim: Claim) -> None:
        patch = await self._patch(run_id)
        async with self.context.store.read() as db:
            solve = await solves.get(db, (await runs.get(db, run_id)).solve_id)
        found = await self.verifier.verify(
            prepared, patch, owner=run_id, issue=f"{solve.issue_title}\n{solve.issue_body}"
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
            await runs.keep_examined(db, run_id, found.examined)
            await artifact_rows.add(db, run.solve_id, run_id, ref, at=now)

    async def cross_examine_runs(self, solve_id: SolveId, prepared: Prepared, claim: Claim) -> None:
        """Once: what was found is kept, and verdicts are decided from it."""
        if await self.has_cross_examined(solve_id):
            return
        async with self.context.store.read() as db:
            found = await runs.examined_runs(db, solve_id)
            solve = await solves.get(db, solve_id)
        entries = [
            Entry(run.id, run.handle, await self._patch(run.id), examined)
            for run, examined in found
        ]
        examination = await self.verifier.cross_examine(
            prepared,
            entries,
            owner=solve_id,
            lanes=self.slots,
            issue=f"{solve.issue_title}\n{solve.issue_body}",
        )
        joined = await self._join_tests(solve_id, prepared, entries, examination)
        now = self.context.clock.now()
        async with self.context.store.change() as db:
            claim.check(await solves.hold(db, solve_id))
            for run_id, ref in joined.patches.items():
                await artifact_rows.add(db, solve_id, run_id, ref, at=now)
            await runs.keep_examination(db, solve_id, joined.examination)
            await events.append(db, solve_id, kind=_EXAMINED, at=now, data={"runs": len(entries)})

    async def _join_tests(
        self,
        solve_id: SolveId,
        prepared: Prepared,
        entries: Sequence[Entry],
        examination: Examination,
    ) -> _Joined:
        """Where there is somewhere to publish: an answer without a proof of its own gets one."""
        async with self.context.store.read() as db:
            solve = await solves.get(db, solve_id)
            rows = {run.id: run for run, _ in await runs.examined_runs(db, solve_id)}
        if not solve.repo_url:
            return _Joined(examination, {})
        candidates = [
            Candidate(e.run_id, e.handle, author_of(rows[e.run_id].contestant), e.examined)
            for e in entries
        ]
        verdicts = decide(candidates, examination, rules=self.verifier.rules).verdicts
        issue = f"{solve.issue_title}\n{solve.issue_body}"
        joiner = TestJoiner(self.verifier, prepared, issue, self.slots)
        found = await joiner.join(entries, verdicts)
        patches = {
            one.test.run_id: await self.context.artifacts.put(
                ArtifactKind.JOINED_PATCH, one.patch.encode("utf-8", "surrogateescape")
            )
            for one in found
        }
        tests = tuple(one.test for one in found)
        return _Joined(examination.model_copy(update={"joined": tests}), patches)

    async def has_cross_examined(self, solve_id: SolveId) -> bool:
        async with self.context.store.read() as db:
            return await events.has(db, solve_id, _EXAMINED)

    async def _patch(self, run_id: RunId) -> str:
        async with self.context.store.read() as db:
            refs = await artifact_rows.of_run(db, run_id)
        blob = await self.context.artifacts.get(refs[ArtifactKind.PATCH])
        return blob.decode("utf-8", "surrogateescape")
