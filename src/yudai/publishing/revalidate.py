"""Verifies a patch again when its base branch has changed the same files."""

from dataclasses import dataclass
from pathlib import Path

import structlog

from yudai.artifacts import queries as artifact_rows
from yudai.artifacts.context import Context
from yudai.artifacts.port import ArtifactKind
from yudai.forge.domain.repository import parse_target
from yudai.forge.ports.remote import Credentials, Mirrors
from yudai.kit.errors import ConflictError
from yudai.kit.ids import RunId, SolveId
from yudai.projects.find import base_of, find_project, given_of
from yudai.sandboxes.port import Backend
from yudai.solves import queries as solves
from yudai.solves import timeline as events
from yudai.solves.tables import SolveRow
from yudai.store.rows import Data
from yudai.verification.case import Prepared
from yudai.verification.domain.verdict import VerdictStatus
from yudai.verification.verify import Verifier

log: structlog.stdlib.BoundLogger = structlog.get_logger()

REVALIDATED = "champion.revalidated"


@dataclass(frozen=True)
class Revalidator:
    """Measures the present base branch, then verifies the merged change on it."""

    context: Context
    mirrors: Mirrors
    credentials: Credentials
    backend: Backend
    forge_url: str
    own_env: Path | None = None

    async def __call__(self, solve_id: SolveId, run_id: RunId, commit: str) -> bool:
        async with self.context.store.read() as db:
            solve = await solves.get(db, solve_id)
        repo = parse_target(solve.repo_url, forge=self.forge_url).repo
        by = await self.credentials.reading(repo, user_id=solve.user_id)
        try:
            rebased = await self.mirrors.rebased(repo, solve.base_branch, commit, by=by)
        except ConflictError:
            return False
        project = await find_project(self.mirrors, rebased.snapshot, given_of(solve.project))
        spec = base_of(rebased.snapshot, project, None if project.setup else self.own_env)
        base, verifier = await self.backend.prepare(spec), Verifier(self.backend)
        measured = await verifier.baseline(base, project=project, owner=solve_id)
        prepared = Prepared(
            base=base, plan=measured.plan, baseline=measured.baseline, project=project
        )
        found = await verifier.verify(
            prepared,
            rebased.patch.decode("utf-8", "surrogateescape"),
            owner=solve_id,
            issue=f"{solve.issue_title}\n{solve.issue_body}",
        )
        results: Data = {
            "base_commit": rebased.snapshot.commit,
            "status": found.verdict.status,
            "summary": found.verdict.summary,
        }
        await self._note(solve, run_id, results, found.log)
        wanted = (VerdictStatus.PASSED,)
        if not solve.require_proof:
            wanted = (VerdictStatus.PASSED, VerdictStatus.UNPROVED)
        return found.verdict.status in wanted

    async def _note(self, solve: SolveRow, run_id: RunId, results: Data, text: str) -> None:
        now = self.context.clock.now()
        content = self.context.store.redact(text).encode()
        ref = await self.context.artifacts.put(ArtifactKind.REVALIDATION_LOG, content)
        async with self.context.store.change() as db:
            await artifact_rows.add(db, solve.id, run_id, ref, at=now)
            await events.append(db, solve.id, kind=REVALIDATED, at=now, run_id=run_id, data=results)
