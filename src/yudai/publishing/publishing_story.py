"""From the rows of a solve to what a forge is told of it."""

from collections.abc import Sequence

from yudai.kit.ids import RunId
from yudai.patches.inspection import Inspection
from yudai.patches.patch import Patch
from yudai.publishing.domain.summary import Story, file_deltas
from yudai.ranking.rank import places_of
from yudai.runs.tables import RunRow
from yudai.solves.domain.states import SolveState
from yudai.solves.tables import SolveRow
from yudai.verification.domain.tally import tally

# What broke may name files and machines of ours, and the forge is public.
_BROKE = "It broke before there was an answer: whoever runs Yudai can see why."


def story_of(
    solve: SolveRow, rows: Sequence[RunRow], *, run_id: RunId | None, page: str = ""
) -> Story:
    """`run_id` is whose patch is published; None: there is none."""
    places = places_of(rows)
    champion = next((p for p in places if p.scorecard.run_id == run_id), None)
    verdict = None if champion is None else champion.scorecard.verdict
    return Story(
        solve_id=solve.id,
        issue_number=solve.issue_number,
        issue_title=solve.issue_title,
        base_branch=solve.base_branch,
        base_commit=solve.base_commit,
        command=solve.test_command or ("" if solve.baseline is None else solve.baseline.command),
        champion=champion,
        tests=None if verdict is None else tally(verdict, solve.baseline),
        others=tuple(place for place in places if place is not champion),
        not_started=len(solve.not_started),
        cost_micros=sum(run.total_cost_micros for run in rows),
        reason=_BROKE if solve.state is SolveState.FAILED else solve.reason,
        page_url=f"{page}/solves/{solve.id}" if page else "",
    )


def with_patch(story: Story, patch: Patch, inspection: Inspection) -> Story:
    flags = tuple(dict.fromkeys(reason.text for reason in inspection.flags))
    return story.model_copy(update={"files": file_deltas(patch), "flags": flags})


def page_of(frontend_url: str | None, backend_url: str | None, domain: str | None = None) -> str:
    """Where people see solves, without a slash at its end; "" where nobody said."""
    backend = (backend_url or "").rstrip("/").removesuffix("/api")
    return (frontend_url or "").rstrip("/") or backend or (f"https://{domain}" if domain else "")
