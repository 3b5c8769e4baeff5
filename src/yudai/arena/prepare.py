"""Prepares a solve's base and runs its tests twice, before any agent starts."""

from dataclasses import dataclass

import structlog
from sqlalchemy.ext.asyncio import AsyncSession

from yudai.arena.fetch import Fetcher
from yudai.artifacts import queries as artifact_rows
from yudai.artifacts.context import Context
from yudai.artifacts.port import ArtifactError, ArtifactKind
from yudai.artifacts.source_archives import Sources
from yudai.kit.errors import RefusedError, SetupError
from yudai.kit.ids import SolveId
from yudai.projects.domain.project import Project
from yudai.sandboxes.port import Backend, BaseRef
from yudai.solves import queries as solves
from yudai.solves import timeline as events
from yudai.solves.claims import Claim
from yudai.solves.tables import SolveRow
from yudai.testing.domain.report import Baseline
from yudai.testing.domain.shortfall import shortfall, why_unverifiable
from yudai.verification.case import Measured, Prepared
from yudai.verification.verify import Verifier

logger: structlog.stdlib.BoundLogger = structlog.get_logger()

PREPARED = "base.prepared"
PARTIAL = "baseline.partial"
_WAY_OUT = (
    "name a command with --test or a set-up with --setup, or accept unproved patches"
    " (--accept-unproved)"
)


class UnverifiableError(RefusedError):
    """No patch could prove anything here, so that no model is called."""


@dataclass(frozen=True)
class Preparer:
    context: Context
    backend: Backend
    verifier: Verifier
    sources: Sources
    fetcher: Fetcher | None = None
    """None: repositories at a forge are not supported."""

    async def prepare(self, solve: SolveRow, claim: Claim) -> None:
        """Prepare base and baseline, once per solve: a second call reads the stored ones."""
        if solve.base is None and self.fetcher is not None:
            solve = await self.fetcher.fetch(solve, claim)
        base = await self._base(solve)
        await self._note(solve.id, PREPARED, {"key": base.key})
        baseline = solve.baseline or await self._measure(solve, base, claim)
        await self._set_deadline(solve, claim)
        await self._note(
            solve.id,
            "baseline.measured",
            {
                "passing": len(baseline.passing),
                "failing": len(baseline.failing),
                "flaky": len(baseline.flaky),
            },
        )
        if lack := shortfall(baseline):
            await self._note(solve.id, PARTIAL, {"reason": self.context.store.redact(lack)})
        check_verifiable(baseline, require_proof=solve.require_proof)

    async def find(self, solve: SolveRow) -> Prepared:
        """The prepared base, built again if it is not on this machine."""
        async with self.context.store.read() as db:
            solve = await solves.get(db, solve.id)
        if solve.baseline is None:
            raise RefusedError(f"the base of solve {solve.id} was never measured")
        return Prepared(
            base=await self._base(solve),
            plan=solve.test_plan,
            baseline=solve.baseline,
            project=solve.project,
        )

    async def _base(self, solve: SolveRow) -> BaseRef:
        if solve.base is None:
            raise RefusedError(
                f"{solve.repo_url} cannot be fetched here: give a folder (repo_path) instead"
            )
        async with self.context.store.read() as db:
            kept = await artifact_rows.of_solve(db, solve.id)
        base = await self.sources.fetch(solve.base, kept.get(ArtifactKind.SOURCE))
        try:
            ref = await self.backend.prepare(base, owner=solve.id)
        except SetupError as error:
            await self._keep_log(solve.id, error.log)
            raise
        if base.setup and ArtifactKind.SETUP_LOG not in kept:
            await self._keep_log(solve.id, await self.backend.setup_log(ref))
        return ref

    async def _keep_log(self, solve_id: SolveId, log: bytes) -> None:
        """Store the set-up's output; b"" when the base was prepared before logs were kept."""
        if not log:
            return
        try:
            # Keep undecodable bytes.
            text = self.context.store.redact(log.decode("utf-8", "surrogateescape"))
            kept = text.encode("utf-8", "surrogateescape")
            ref = await self.context.artifacts.put(ArtifactKind.SETUP_LOG, kept)
        except ArtifactError as error:
            # A log that cannot be stored must not fail the set-up.
            logger.warning("setup_log.not_kept", solve_id=solve_id, error=str(error))
            return
        async with self.context.store.change() as db:
            await artifact_rows.add(db, solve_id, None, ref, at=self.context.clock.now())

    async def measure(self, base: BaseRef, project: Project, *, owner: str) -> Measured:
        """Find out how the base is tested, and run its tests twice."""
        found = await self.verifier.baseline(base, project=project, owner=owner)
        text = self.context.store.redact(found.log)
        log = await self.context.artifacts.put(ArtifactKind.BASELINE_LOG, text.encode())
        return Measured(plan=found.plan, baseline=found.baseline, log=log)

    async def _measure(self, solve: SolveRow, base: BaseRef, claim: Claim) -> Baseline:
        measured = await self.measure(base, solve.project, owner=solve.id)
        async with self.context.store.change() as db:
            claim.check(await solves.hold(db, solve.id))
            await keep_measured(db, solve.id, measured, at=self.context.clock.now())
        return measured.baseline

    async def _set_deadline(self, solve: SolveRow, claim: Claim) -> None:
        """Start the contestants' time now, so that a slow set-up does not use it up."""
        async with self.context.store.change() as db:
            row = await solves.hold(db, solve.id)
            claim.check(row)
            if row.deadline_at is None:
                deadline = self.context.clock.now() + row.budget.time_budget_s
                await solves.change(db, solve.id, deadline_at=deadline)

    async def _note(self, solve_id: SolveId, kind: str, data: dict[str, object]) -> None:
        async with self.context.store.change() as db:
            if not await events.has(db, solve_id, kind):
                await events.append(db, solve_id, kind=kind, at=self.context.clock.now(), data=data)


def check_verifiable(baseline: Baseline, *, require_proof: bool) -> None:
    """UnverifiableError before anything is spent for a champion that there cannot be."""
    why = why_unverifiable(baseline)
    if why and require_proof:
        raise UnverifiableError(f"{why}: {_WAY_OUT}")


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
