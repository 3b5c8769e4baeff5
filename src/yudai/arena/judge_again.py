"""The patches of an earlier solve, as the contestants of a new one under today's rules."""

from collections.abc import Iterable, Mapping

from yudai.arena.given_patches import GivenPatch
from yudai.arena.open import SolveRequest
from yudai.artifacts import queries as artifact_rows
from yudai.artifacts.port import ArtifactKind, ArtifactRef
from yudai.artifacts.source_archives import Sources
from yudai.kit.errors import RefusedError
from yudai.kit.ids import RunId, SolveId, short
from yudai.ranking.domain.reducer import check_reducer
from yudai.runs import queries as runs
from yudai.runs.tables import RunRow
from yudai.sandboxes.port import BaseSpec
from yudai.solves import queries as solves
from yudai.solves.domain.again import AgainAsk
from yudai.solves.domain.budget import Budget, Entrants, enter
from yudai.solves.domain.matrix import Matrix, author_of, patch_contestant
from yudai.solves.domain.origin import PublishMode
from yudai.solves.queries import issue_of
from yudai.solves.tables import SolveRow
from yudai.store.store import Store

Refs = Mapping[ArtifactKind, ArtifactRef]


async def request_again(
    store: Store, sources: Sources | None, solve_id: SolveId, ask: AgainAsk
) -> SolveRequest:
    """The same base, issue and project; RefusedError when no patch of it is stored."""
    check_reducer(ask.reducer)
    async with store.read() as db:
        solve = await solves.get(db, solve_id)
        kept = await artifact_rows.of_solve(db, solve_id)
        refs = {
            run.id: (run, await artifact_rows.of_run(db, RunId(run.id)))
            for run in await runs.of_solve(db, solve_id)
        }
    patches = {run.handle: (run, ref) for run, ref in _with_patch(refs.values())}
    if not patches:
        raise RefusedError(f"solve {short(solve_id)} has no stored patch: there is none to judge")
    return SolveRequest(
        entrants=_entrants(solve, [run for run, _ in patches.values()], ask),
        reducer=ask.reducer,
        require_proof=ask.require_proof,
        sandbox_backend=solve.sandbox_backend,
        patches=tuple(GivenPatch(ref=ref) for _, ref in patches.values()),
        project=solve.project,
        repo=solve.repo,
        repo_url=solve.repo_url,
        issue=issue_of(solve),
        issue_facts=solve.issue_facts,
        base=await _base(solve, kept, sources),
        base_branch=solve.base_branch,
        base_commit=solve.base_commit,
        snapshot=solve.snapshot,
        publish=PublishMode.ASK if solve.repo_url else None,
    )


def _with_patch(found: Iterable[tuple[RunRow, Refs]]) -> Iterable[tuple[RunRow, ArtifactRef]]:
    return ((run, refs[ArtifactKind.PATCH]) for run, refs in found if ArtifactKind.PATCH in refs)


def _entrants(solve: SolveRow, rows: Iterable[RunRow], ask: AgainAsk) -> Entrants:
    """Handles stay the same, and so does which answers are independent."""
    contestants = [patch_contestant(run.handle, author_of(run.contestant)) for run in rows]
    parallel = ask.max_parallel or solve.budget.max_parallel
    budget: Budget = solve.budget.model_copy(update={"max_parallel": parallel})
    return enter(Matrix(), (), budget, patches=contestants)


async def _base(solve: SolveRow, kept: Refs, sources: Sources | None) -> BaseSpec:
    if solve.base is None:
        raise RefusedError(
            f"solve {short(solve.id)} ended before its repository was fetched: start a new solve"
        )
    base = solve.base
    if sources is not None:
        base = await sources.fetch(base, kept.get(ArtifactKind.SOURCE))
    if not base.source.exists():
        raise RefusedError(
            f"the base of solve {short(solve.id)} is no longer stored: give its patches as files"
        )
    return base
