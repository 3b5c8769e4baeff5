"""A race as the display needs it, whether it comes from the database or over HTTP."""

from collections.abc import Awaitable, Callable, Mapping
from typing import NamedTuple, Protocol

from yudai.kit.causes import POLICIES, Cause
from yudai.kit.ids import RunId, SolveId
from yudai.runs.domain.states import RunState
from yudai.runs.tables import RunRow
from yudai.solves.domain.states import RESTING, SolveState
from yudai.views.documents import Race, Reader

_POLL_S = 0.2


class Lane(NamedTuple):
    """One run; `note` and `doing` are hostile text."""

    id: RunId
    handle: str
    state: RunState
    steps: int = 0
    edits: int = 0
    cost_micros: int = 0
    started_at: float | None = None
    finished_at: float | None = None
    note: str = ""
    """What is known of it so far, in a few words."""
    doing: str = ""
    """Its newest command."""


class Moment(NamedTuple):
    """An event of the timeline."""

    at: float
    kind: str
    run_id: RunId | None
    facts: Mapping[str, object]


class Scene(NamedTuple):
    """A solve as it stood at one moment; times are by the clock of who keeps it."""

    issue: str
    state: SolveState
    created_at: float
    started_at: float | None
    finished_at: float | None
    lanes: tuple[Lane, ...]
    moments: tuple[Moment, ...]
    """What has happened since the last look."""
    at: float

    def elapsed_s(self, now: float) -> float:
        return 0.0 if self.started_at is None else (self.finished_at or now) - self.started_at


class Look(NamedTuple):
    scene: Scene
    is_last: bool
    wait_s: float
    """Until the next look is worth it."""


class Source(Protocol):
    """Where a race is looked at, again and again."""

    async def look(self) -> Look: ...


class DatabaseSource:
    """Our own database, until the solve has come to rest or is over otherwise."""

    def __init__(
        self, reader: Reader, solve_id: SolveId, is_over: Callable[[], Awaitable[bool]]
    ) -> None:
        self._reader = reader
        self._solve_id = solve_id
        self._is_over = is_over
        self._cursor = 0

    async def look(self) -> Look:
        # Asked before the look, so that the last look shows the end.
        over = await self._is_over()
        race = await self._reader.race(self._solve_id, after_event=self._cursor)
        self._cursor = max((event.id for event in race.events), default=self._cursor)
        over = over or race.solve.state in RESTING
        return Look(
            scene=scene_of(race, at=self._reader.clock.now()),
            is_last=over and not race.events,
            wait_s=0 if over else _POLL_S,
        )


def scene_of(race: Race, *, at: float) -> Scene:
    solve = race.solve
    return Scene(
        issue=solve.issue_title,
        state=solve.state,
        created_at=solve.created_at,
        started_at=solve.started_at,
        finished_at=solve.finished_at,
        lanes=tuple(_lane(run, race.doing.get(run.id, "")) for run in race.runs),
        moments=tuple(Moment(e.at, e.kind, e.run_id, e.data) for e in race.events),
        at=at,
    )


def _lane(run: RunRow, doing: str) -> Lane:
    summary = "" if run.verdict is None else run.verdict.summary
    return Lane(
        id=run.id,
        handle=run.handle,
        state=run.state,
        steps=run.steps,
        edits=run.edits,
        cost_micros=run.cost_micros,
        started_at=run.started_at,
        finished_at=run.finished_at,
        note=note_of(summary, run.cause),
        doing=doing,
    )


def note_of(summary: str, cause: Cause | None) -> str:
    return summary or ("" if cause is None else POLICIES[cause].message)
