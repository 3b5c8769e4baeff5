"""A solve's runs as somebody watches them: what has changed first, the rest only of those."""

from collections.abc import Sequence
from typing import NamedTuple

from sqlalchemy import Connection, String, Text, bindparam, case, func, select, type_coerce

from yudai.kit.causes import Cause
from yudai.kit.ids import RunId, SolveId
from yudai.runs.domain.marks import Marks
from yudai.runs.domain.states import RunState
from yudai.runs.tables import MessageRow, RunRow
from yudai.solves.domain.budget import Budget
from yudai.solves.domain.states import SolveState
from yudai.solves.tables import EventRow, SolveRow
from yudai.testing.domain.report import Baseline
from yudai.verification.domain.verdict import Verdict

# The newest turn of the model is among the last few messages: its commands' output follows it.
_NEWEST = 12

_SOLVE_ID = bindparam("solve_id", type_=String)
_NEWEST_EVENT = (
    select(func.max(EventRow.id)).where(EventRow.solve_id == _SOLVE_ID).scalar_subquery()
)
_GLANCE = (
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
_LANES = select(
    RunRow.id,
    RunRow.handle,
    RunRow.state,
    RunRow.cause,
    RunRow.error,
    RunRow.attempt,
    RunRow.rev,
    RunRow.steps,
    RunRow.edits,
    RunRow.message_count,
    RunRow.input_tokens,
    RunRow.cached_tokens,
    RunRow.output_tokens,
    RunRow.cost_micros,
    RunRow.earlier_cost_micros,
    RunRow.started_at,
    RunRow.submitted_at,
    RunRow.finished_at,
    RunRow.files_changed,
    RunRow.lines_changed,
    RunRow.verdict,
    RunRow.rank,
    RunRow.marks,
    case((RunRow.state == RunState.RUNNING, _LAST_TURN)),
).where(RunRow.id.in_(bindparam("run_ids", expanding=True)))
_SOLVE = select(
    SolveRow.state,
    SolveRow.champion_run_id,
    SolveRow.reason,
    SolveRow.error,
    SolveRow.budget,
    SolveRow.created_at,
    SolveRow.started_at,
    SolveRow.finished_at,
    SolveRow.deadline_at,
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


class Lane(NamedTuple):
    """A run as far as one has to look to know whether it has changed."""

    id: RunId
    position: int
    attempt: int
    rev: int


class Glance(NamedTuple):
    user_id: str
    rev: int
    state: str
    created_at: float
    event: int
    """The newest of the timeline; 0: none."""
    lanes: tuple[Lane, ...]


class LaneFacts(NamedTuple):
    id: RunId
    handle: str
    state: RunState
    cause: Cause | None
    error: str
    attempt: int
    rev: int
    steps: int
    edits: int
    message_count: int
    input_tokens: int
    cached_tokens: int
    output_tokens: int
    cost_micros: int
    earlier_cost_micros: int
    started_at: float | None
    submitted_at: float | None
    finished_at: float | None
    files_changed: int
    lines_changed: int
    verdict: Verdict | None
    rank: int | None
    marks: Marks | None
    last_turn: str | None
    """The newest message of the model, as it is stored, while the run goes on."""


class SolveFacts(NamedTuple):
    state: SolveState
    champion: RunId | None
    reason: str
    error: str
    budget: Budget
    created_at: float
    started_at: float | None
    finished_at: float | None
    deadline_at: float | None


class StateFacts(NamedTuple):
    """The runs in one state together."""

    state: RunState
    runs: int
    cost_micros: int


class EventFacts(NamedTuple):
    id: int
    kind: str
    at: float
    run_id: RunId | None
    data: str
    """JSON text as it is stored."""


def glance(db: Connection, solve_id: SolveId) -> Glance | None:
    """One statement, however many lanes there are; None when there is no such solve."""
    rows = db.execute(_GLANCE, {"solve_id": solve_id}).all()
    if not rows:
        return None
    user_id, rev, state, created_at, event, *_ = rows[0]
    # A solve without runs is one row with nothing in their place.
    lanes = tuple(Lane._make(row[5:]) for row in rows if row[5])
    return Glance(user_id, rev, state, created_at, event or 0, lanes)


def lanes(db: Connection, run_ids: Sequence[RunId]) -> dict[RunId, LaneFacts]:
    rows = map(LaneFacts._make, db.execute(_LANES, {"run_ids": list(run_ids)}))
    return {row.id: row for row in rows}


def solve(db: Connection, solve_id: SolveId) -> SolveFacts:
    return SolveFacts._make(db.execute(_SOLVE, {"solve_id": solve_id}).one())


def progress(db: Connection, solve_id: SolveId) -> list[StateFacts]:
    """How many runs are in each state, and what they cost."""
    rows = db.execute(_PROGRESS, {"solve_id": solve_id})
    # PostgreSQL's sum of large integers is a decimal.
    return [StateFacts(state, runs, int(cost)) for state, runs, cost in rows]


def events(db: Connection, solve_id: SolveId, *, after: int, limit: int) -> list[EventFacts]:
    found = db.execute(_EVENTS, {"solve_id": solve_id, "after": after, "most": limit})
    return list(map(EventFacts._make, found))


def baseline(db: Connection, solve_id: SolveId) -> Baseline | None:
    return db.execute(_BASELINE, {"solve_id": solve_id}).scalar_one()
