"""Fetches a repository's code once per solve, which pins its commit."""

from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple, Protocol

from yudai.artifacts import queries as artifacts
from yudai.artifacts.context import Context
from yudai.artifacts.port import ArtifactRef
from yudai.artifacts.source_archives import Sources
from yudai.forge.domain.change import Change
from yudai.forge.domain.repository import RepoRef, parse_target
from yudai.forge.ports.folder import Snapshot
from yudai.forge.ports.remote import Credential, Credentials
from yudai.projects.domain.project import Project
from yudai.projects.find import Given, SnapshotFiles, base_of, find_project, given_of
from yudai.sandboxes.port import BaseSpec
from yudai.solves import queries as solves
from yudai.solves import timeline as events
from yudai.solves.claims import Claim
from yudai.solves.tables import SolveRow
from yudai.solves.timeline import FETCHED


class SnapshotMirrors(SnapshotFiles, Protocol):
    """The part of `Mirrors` that fetches code."""

    async def fetch(self, repo: RepoRef, base: str, *, by: Credential) -> Snapshot: ...

    async def change(
        self, repo: RepoRef, snapshot: Snapshot, change: Change, *, by: Credential
    ) -> bytes: ...


class Branch(NamedTuple):
    repo_url: str
    name: str
    user_id: str
    """In whose name it is fetched."""


class Fetched(NamedTuple):
    snapshot: Snapshot
    project: Project
    base: BaseSpec


@dataclass(frozen=True)
class Fetcher:
    context: Context
    mirrors: SnapshotMirrors
    credentials: Credentials
    forge_url: str
    own_env: Path | None = None
    """Our own Python environment with pytest, for repositories that need nothing else."""
    sources: Sources | None = None
    """Stores archives for workers on other machines."""

    async def fetch(self, solve: SolveRow, claim: Claim) -> SolveRow:
        """The solve with its base, which is fetched only the first time."""
        async with self.context.store.read() as db:
            solve = await solves.get(db, solve.id)
        if solve.base is not None:
            return solve
        branch = Branch(solve.repo_url, solve.base_branch, solve.user_id)
        found = await self.look(branch, given_of(solve.project))
        kept = None if self.sources is None else await self.sources.keep(found.base)
        return await self._note(solve, claim, found, kept)

    async def look(self, branch: Branch, given: Given) -> Fetched:
        """Fetch the branch as it is now, and find out how its code is set up and tested."""
        repo = parse_target(branch.repo_url, forge=self.forge_url).repo
        by = await self.credentials.reading(repo, user_id=branch.user_id)
        snapshot = await self.mirrors.fetch(repo, branch.name, by=by)
        project = await find_project(self.mirrors, snapshot, given)
        base = base_of(snapshot, project, None if project.setup else self.own_env)
        return Fetched(snapshot, project, base)

    async def _note(
        self, solve: SolveRow, claim: Claim, found: Fetched, kept: ArtifactRef | None
    ) -> SolveRow:
        now, snapshot = self.context.clock.now(), found.snapshot
        async with self.context.store.change() as db:
            row = await solves.hold(db, solve.id)
            claim.check(row)
            if row.base is not None:
                return row
            if kept is not None:
                await artifacts.add(db, solve.id, None, kept, at=now)
            facts: dict[str, object] = {"commit": snapshot.commit, "branch": snapshot.branch}
            await events.append(db, solve.id, kind=FETCHED, at=now, data=facts)
            return await solves.change(
                db,
                solve.id,
                base=found.base,
                project=found.project,
                base_commit=snapshot.commit,
                base_branch=snapshot.branch,
            )
