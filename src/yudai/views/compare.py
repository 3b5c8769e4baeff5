"""Compares two runs, of one solve or of two."""

from contextlib import suppress

from yudai.artifacts.context import Context
from yudai.artifacts.port import ArtifactKind
from yudai.artifacts.queries import artifact_of
from yudai.kit.errors import NotFoundError, RefusedError
from yudai.kit.ids import RunId, short
from yudai.runs.tables import RunRow
from yudai.views import documents
from yudai.views.documents import entry, find_run, find_solve
from yudai.views.domain.comparison import Comparison, Side, compare
from yudai.views.domain.document import SolveDocument


async def compare_runs(
    context: Context, first: str = "", second: str = "", *, solve: str = ""
) -> Comparison:
    """Runs by id, its end, or handle in the named solve (else the newest).

    Without a second, a run is compared with its solve's champion; without a first, or with a
    solve in its place, the champion with the first alternate.
    """
    one, two = await _pair(context, first, second, solve)
    if one.id == two.id:
        raise RefusedError(f"{one.handle} is compared with itself: name two runs")
    return compare(await _side(context, one), await _side(context, two))


async def _pair(context: Context, first: str, second: str, solve: str) -> tuple[RunRow, RunRow]:
    if first and second:
        return await find_run(context, first, solve=solve), await find_run(
            context, second, solve=solve
        )
    named = first or second
    if not named:
        return await _best_two(context, await documents.document(context, solve))
    with suppress(NotFoundError):
        return await _best_two(context, await documents.document(context, named))
    run = await find_run(context, named, solve=solve)
    document = await documents.document(context, run.solve_id)
    rival = next((id_ for id_ in _best_first(document) if id_ != run.id), None)
    if rival is None:
        raise NotFoundError(f"{run.handle} is the only run of its solve: name a second run")
    return run, await find_run(context, rival, solve=solve)


async def _best_two(context: Context, document: SolveDocument) -> tuple[RunRow, RunRow]:
    best = _best_first(document)
    if len(best) < 2:
        solve = short(document.solve.id)
        raise NotFoundError(f"solve {solve} has fewer than two runs: name two runs")
    return await find_run(context, best[0]), await find_run(context, best[1])


async def _side(context: Context, run: RunRow) -> Side:
    solve = await find_solve(context, run.solve_id)
    at = f" at {solve.base_commit[:10]}" if solve.base_commit else ""
    return entry(
        Side,
        run,
        model=run.contestant.model,
        base_key="" if solve.base is None else solve.base.key,
        base=f"{solve.repo}{at}",
        baseline=solve.baseline,
        patch=await _patch(context, RunId(run.id)),
    )


async def _patch(context: Context, run_id: RunId) -> str:
    with suppress(NotFoundError):
        patch = await artifact_of(context, run_id, ArtifactKind.PATCH)
        return patch.decode("utf-8", "surrogateescape")
    return ""


def _best_first(document: SolveDocument) -> list[RunId]:
    """The champion, then the others in their order."""
    champion = document.solve.champion
    ranked = [place.run_id for place in document.ranking]
    return sorted(ranked, key=lambda run_id: run_id != champion)
