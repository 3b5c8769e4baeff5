"""Queries for live updates: first which runs changed, then details of only those."""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from sqlalchemy import (
    ColumnElement,
    Connection,
    String,
    Text,
    bindparam,
    case,
    func,
    select,
    type_coerce,
)

from yudai.kit.ids import RunId, SolveId
from yudai.kit.value import Value
from yudai.runs.domain.states import RunState
from yudai.runs.tables import MessageRow, RunRow
from yudai.solves.tables import EventRow, SolveRow
from yudai.store.rows import Base
from yudai.testing.domain.report import Baseline
from yudai.views.live_runs import Facts, LaneView, WatchedSolve
from yudai.views.solve_queries import Tally

# The newest turn of the model is among the last few messages: its commands' output follows it.
_NEWEST = 12

_SOLVE_ID = bindparam("solve_id", type_=String)
_NEWEST_EVENT = (
    select(func.max(EventRow.id)).where(EventRow.solve_id == _SOLVE_ID).scalar_subquery()
)
_VERSION = (
    select(
        SolveRow.user_id,
        SolveRow.rev,
        type_coerce(SolveRow.state, String),
        SolveRow.created_at,
        _NEWEST_EVENT,
        RunRow.id,
        RunRow.position,
        RunRow.attempt,
        RunRow.rev,
    )
    .outerjoin(RunRow, RunRow.solve_id == SolveRow.id)
    .where(SolveRow.id == _SOLVE_ID)
    .order_by(RunRow.position)
)
_LAST_TURN = (
    select(MessageRow.body)
    .where(
        MessageRow.run_id == RunRow.id,
        MessageRow.attempt == RunRow.attempt,
        MessageRow.seq >= RunRow.message_count - _NEWEST,
        MessageRow.role == "assistant",
    )
    .order_by(MessageRow.seq.desc())
    .limit(1)
    .scalar_subquery()
)


def _columns(row: type[Base], view: type[Value], *others: str) -> list[ColumnElement[Any]]:
    """Columns that the view shows, and those that it computes from."""
    names = {*view.model_fields, *others}
    return [column for column in row.__table__.columns if column.name in names]


_RUNS = select(
    *_columns(
        RunRow,
        LaneView,
        "message_count",
        "input_tokens",
        "output_tokens",
        "cost_micros",
        "earlier_cost_micros",
    ),
    # The model's newest stored message, while the run is active.
    case((RunRow.state == RunState.RUNNING, _LAST_TURN)).label("last_turn"),
).where(RunRow.id.in_(bindparam("run_ids", expanding=True)))
_SOLVE = select(
    *_columns(SolveRow, WatchedSolve, "issue_title", "champion_run_id", "error", "budget")
).where(SolveRow.id == _SOLVE_ID)
_PROGRESS = (
    select(
        RunRow.state,
        func.count(),
        func.sum(RunRow.cost_micros + RunRow.earlier_cost_micros),
    )
    .where(RunRow.solve_id == _SOLVE_ID)
    .group_by(RunRow.state)
)
_EVENTS = (
    select(
        EventRow.id,
        EventRow.kind,
        EventRow.at,
        EventRow.run_id,
        type_coerce(EventRow.data, Text),
    )
    .where(EventRow.solve_id == _SOLVE_ID, EventRow.id > bindparam("after"))
    .order_by(EventRow.id)
    .limit(bindparam("most"))
)
_BASELINE = select(SolveRow.baseline).where(SolveRow.id == _SOLVE_ID)


class RunVersion(NamedTuple):
    """The columns that show whether a run has changed."""

    id: RunId
    position: int
    attempt: int
    rev: int


class SolveVersion(NamedTuple):
    user_id: str
    rev: int
    state: str
    created_at: float
    event: int
    """Id of the newest event; 0: none."""
    runs: tuple[RunVersion, ...]


class EventFacts(NamedTuple):
    id: int
    kind: str
    at: float
    run_id: RunId | None
    data: str
    """JSON text, as stored."""


def solve_version(db: Connection, solve_id: SolveId) -> SolveVersion | None:
    """Read the solve and its runs in one statement; None if there is no such solve."""
    rows = db.execute(_VERSION, {"solve_id": solve_id}).all()
    if not rows:
        return None
    user_id, rev, state, created_at, event, *_ = rows[0]
    # A solve without runs is one row with nothing in their place.
    runs = tuple(RunVersion._make(row[5:]) for row in rows if row[5])
    return SolveVersion(user_id, rev, state, created_at, event or 0, runs)


def runs(db: Connection, run_ids: Sequence[RunId]) -> dict[RunId, Facts]:
    """The details that `lane_view` shows."""
    return {row.id: row for row in db.execute(_RUNS, {"run_ids": list(run_ids)})}


def solve(db: Connection, solve_id: SolveId) -> Facts:
    return db.execute(_SOLVE, {"solve_id": solve_id}).one()


def progress(db: Connection, solve_id: SolveId) -> Tally:
    """Number of runs per state and their cost."""
    rows = db.execute(_PROGRESS, {"solve_id": solve_id}).all()
    # PostgreSQL's sum of large integers is a decimal.
    cost = sum(int(cost) for _, _, cost in rows)
    return Tally(Counter({state: runs for state, runs, _ in rows}), cost)


def events(db: Connection, solve_id: SolveId, *, after: int, limit: int) -> list[EventFacts]:
    found = db.execute(_EVENTS, {"solve_id": solve_id, "after": after, "most": limit})
    return list(map(EventFacts._make, found))


def baseline(db: Connection, solve_id: SolveId, runs: Iterable[Facts]) -> Baseline | None:
    """The baseline. It is long, so it is read only if there are verdicts."""
    if all(run.verdict is None for run in runs):
        return None
    return db.execute(_BASELINE, {"solve_id": solve_id}).scalar_one()
