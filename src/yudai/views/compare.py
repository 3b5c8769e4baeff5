"""Two runs, of one solve or of two, beside each other."""

from contextlib import suppress

from yudai.artifacts.port import ArtifactKind
from yudai.kit.errors import NotFoundError, RefusedError
from yudai.kit.ids import RunId, short
from yudai.runs.tables import RunRow
from yudai.views.documents import Reader, entry
from yudai.views.domain.comparison import Comparison, Side, compare
from yudai.views.domain.document import SolveDocument


async def compare_runs(
    reader: Reader, first: str = "", second: str = "", *, solve: str = ""
) -> Comparison:
    """Runs by id, its end, or handle in the named solve (else the newest).

    Without a second, a run is compared with its solve's champion; without a first, or with a
    solve in its place, the champion with the first alternate.
    """
    one, two = await _pair(reader, first, second, solve)
    if one.id == two.id:
        raise RefusedError(f"{one.handle} is compared with itself: name two runs")
    return compare(await _side(reader, one), await _side(reader, two))


async def _pair(reader: Reader, first: str, second: str, solve: str) -> tuple[RunRow, RunRow]:
    if first and second:
        return await _run(reader, first, solve), await _run(reader, second, solve)
    named = first or second
    if not named:
        return await _best_two(reader, await reader.document(solve))
    with suppress(NotFoundError):
        return await _best_two(reader, await reader.document(named))
    run = await _run(reader, named, solve)
    document = await reader.document(run.solve_id)
    rival = next((id_ for id_ in _best_first(document) if id_ != run.id), None)
    if rival is None:
        raise NotFoundError(f"{run.handle} has no rival in its solve: name a second run")
    return run, await _run(reader, rival, solve)


async def _best_two(reader: Reader, document: SolveDocument) -> tuple[RunRow, RunRow]:
    best = _best_first(document)
    if len(best) < 2:
        solve = short(document.solve.id)
        raise NotFoundError(f"solve {solve} has fewer than two runs: name two runs")
    return await _run(reader, best[0]), await _run(reader, best[1])


async def _run(reader: Reader, ending: str, solve: str = "") -> RunRow:
    return await reader.run(ending, solve=solve)


async def _side(reader: Reader, run: RunRow) -> Side:
    solve = await reader.solve(run.solve_id)
    at = f" at {solve.base_commit[:10]}" if solve.base_commit else ""
    return entry(
        Side,
        run,
        model=run.contestant.model,
        base_key="" if solve.base is None else solve.base.key,
        base=f"{solve.repo}{at}",
        baseline=solve.baseline,
        patch=await _patch(reader, RunId(run.id)),
    )


async def _patch(reader: Reader, run_id: RunId) -> str:
    with suppress(NotFoundError):
        patch = await reader.artifact(run_id, ArtifactKind.PATCH)
        return patch.decode("utf-8", "surrogateescape")
    return ""


def _best_first(document: SolveDocument) -> list[RunId]:
    """The champion, then the others in their order."""
    champion = document.solve.champion
    ranked = [place.run_id for place in document.ranking]
    return sorted(ranked, key=lambda run_id: run_id != champion)
