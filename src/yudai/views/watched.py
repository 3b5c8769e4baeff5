"""A solve and its runs as they stand now, for a live view in a terminal."""

from collections.abc import Mapping
from typing import NamedTuple

from sqlalchemy import Connection

from yudai.artifacts.context import Context
from yudai.kit.errors import NotFoundError
from yudai.kit.ids import RunId, SolveId
from yudai.kit.value import from_attributes
from yudai.solves import timeline as events
from yudai.views import update_queries as facts
from yudai.views.live_runs import LaneView, WatchedSolve, lane_view
from yudai.views.solves import EventView
from yudai.views.updates import watched_solve


class Watched(NamedTuple):
    """Times are by the clock of who keeps the solve; all text of runs is hostile."""

    issue: str
    solve: WatchedSolve
    lanes: tuple[LaneView, ...]
    verdicts: Mapping[RunId, str]
    """A few words on each lane's verdict; empty while there is none."""
    at: float
    events: tuple[EventView, ...] = ()
    """What has happened since the last look."""

    def elapsed_s(self, now: float) -> float:
        started_at = self.solve.started_at
        return 0.0 if started_at is None else (self.solve.finished_at or now) - started_at


async def watched(context: Context, solve_id: SolveId, *, after_event: int = 0) -> Watched:
    now = context.clock.now()
    async with context.store.read() as db:
        seen = await db.run_sync(lambda sync: _read(sync.connection(), solve_id, now))
        # After the state: what led to it is among them.
        told = await events.after(db, solve_id, after_event)
    return seen._replace(events=tuple(from_attributes(EventView, event) for event in told))


def _read(db: Connection, solve_id: SolveId, now: float) -> Watched:
    seen = facts.glance(db, solve_id)
    if seen is None:
        raise NotFoundError(f"there is no solve {solve_id!a}")
    solve = facts.solve(db, solve_id)
    found = facts.lanes(db, [lane.id for lane in seen.lanes])
    baseline = facts.baseline(db, solve_id, found.values())
    runs = [found[lane.id] for lane in seen.lanes]
    limit = solve.budget.max_steps
    return Watched(
        issue=solve.issue_title,
        solve=watched_solve(db, solve_id, solve),
        lanes=tuple(lane_view(run, step_limit=limit, baseline=baseline, now=now) for run in runs),
        verdicts={run.id: "" if run.verdict is None else run.verdict.summary for run in runs},
        at=now,
    )
