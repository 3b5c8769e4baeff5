"""A watched solve for the display, assembled from updates."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

from yudai.artifacts.context import Context
from yudai.kit.errors import YudaiError
from yudai.kit.ids import RunId, SolveId
from yudai.solves.domain.states import RESTING
from yudai.views.documents import find_solve
from yudai.views.live_runs import LaneView, WatchedSolve
from yudai.views.solves import EventView
from yudai.views.updates import Ask, UpdatesView, poll_once

_POLL_S = 0.2


class Watched(NamedTuple):
    """Times are by the clock of the database or server. All text of runs is untrusted."""

    issue: str
    solve: WatchedSolve
    runs: tuple[LaneView, ...]
    at: float
    events: tuple[EventView, ...]
    """What has changed since the last poll."""

    def elapsed_s(self, now: float) -> float:
        started_at = self.solve.started_at
        return 0.0 if started_at is None else (self.solve.finished_at or now) - started_at


class PolledSolve(NamedTuple):
    seen: Watched
    is_last: bool
    wait_s: float
    """Seconds until the next poll."""


class Source(Protocol):
    """Polls a watched solve."""

    async def poll(self) -> PolledSolve: ...


@dataclass
class KnownSolve:
    """Accumulated updates; each holds only what changed since its cursor."""

    origin: str
    issue: str | None = None
    cursor: str = ""
    solve: WatchedSolve | None = None
    _event: int = 0
    _runs: dict[RunId, LaneView] = field(default_factory=dict[RunId, LaneView])

    def update(self, updates: UpdatesView) -> Watched:
        if updates.reset:
            self._runs.clear()
        self.cursor = updates.cursor
        self.solve = updates.solve or self.solve
        self._runs |= {run.id: run for run in updates.lanes}
        if self.solve is None:
            raise YudaiError(f"{self.origin} sent an update without its solve")
        # After a reset all of them come again.
        events = tuple(event for event in updates.events if event.id > self._event)
        self._event = max((event.id for event in events), default=self._event)
        runs = tuple(self._runs.values())
        return Watched(self.issue or "", self.solve, runs, updates.server_time, events)


@dataclass
class DatabaseSource:
    """Polls our own database until the solve has ended or awaits review."""

    context: Context
    solve_id: SolveId
    is_over: Callable[[], Awaitable[bool]]
    _known: KnownSolve = field(default_factory=lambda: KnownSolve("the database"), init=False)
    _ask: Ask | None = field(default=None, init=False)

    async def poll(self) -> PolledSolve:
        # Asked before the poll, so that the last poll shows the end.
        known = self._known
        over = await self.is_over() or (known.solve is not None and known.solve.state in RESTING)
        if self._ask is None:
            row = await find_solve(self.context, self.solve_id)
            self._known.issue, self._ask = row.issue_title, Ask(self.solve_id, row.user_id)
        updates = await poll_once(self.context, self._ask._replace(cursor=known.cursor))
        seen = known.update(updates)
        is_quick = over or updates.more or seen.solve.state in RESTING
        return PolledSolve(
            seen=seen,
            is_last=over and not updates.more and not seen.events,
            wait_s=0 if is_quick else _POLL_S,
        )
