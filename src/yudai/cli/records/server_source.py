"""A race over HTTP: `GET /api/solves/{id}/updates` again and again, also after a break."""

import asyncio
from typing import Any

from pydantic import BaseModel
from rich.console import Console
from rich.text import Text

from yudai.cli import console as consoles
from yudai.cli.http.client import AwayError, Remote, read_as
from yudai.cli.records.source import Lane, Look, Moment, Scene, note_of
from yudai.kit.causes import Cause
from yudai.kit.errors import YudaiError
from yudai.kit.ids import RunId, SolveId, short
from yudai.kit.money import MICROS_PER_USD
from yudai.runs.domain.states import FINAL, RunState
from yudai.solves.domain.states import RESTING, SolveState
from yudai.verification.domain.verdict import VerdictStatus

_FIRST_WAIT_S = 2.0
_LONGEST_WAIT_S = 30.0
_PATIENCE_S = 600.0
# The server's own pace, but a person waits here: what is queued may start at any moment.
_SHORTEST_POLL_S = 0.2
_LONGEST_POLL_S = 2.0


class _Solve(BaseModel):
    state: SolveState
    created_at: float
    started_at: float | None
    finished_at: float | None


class _Lane(BaseModel):
    id: RunId
    handle: str
    state: RunState
    cause: Cause | None
    steps: int
    edits: int
    cost_usd: float
    started_at: float | None
    elapsed_ms: int
    last_action: str
    verdict: VerdictStatus | None

    @property
    def lane(self) -> Lane:
        started = self.started_at
        ended = None if started is None else started + self.elapsed_ms / 1000
        return Lane(
            id=self.id,
            handle=self.handle,
            state=self.state,
            steps=self.steps,
            edits=self.edits,
            cost_micros=round(self.cost_usd * MICROS_PER_USD),
            started_at=started,
            finished_at=ended if self.state in FINAL else None,
            note=note_of(self.verdict or "", self.cause),
            doing=self.last_action if self.state is RunState.RUNNING else "",
        )


class _Event(BaseModel):
    id: int
    at: float
    kind: str
    run_id: RunId | None
    data: dict[str, Any]


class _Updates(BaseModel):
    cursor: str
    server_time: float
    poll_ms: int
    reset: bool
    more: bool
    solve: _Solve | None
    lanes: tuple[_Lane, ...]
    events: tuple[_Event, ...]


class UpdatesSource:
    """Only what has changed comes over the line: lanes are kept here and replaced one by one."""

    def __init__(
        self,
        remote: Remote,
        solve_id: SolveId,
        console: Console,
        *,
        first_wait_s: float = _FIRST_WAIT_S,
        patience_s: float = _PATIENCE_S,
    ) -> None:
        self._remote = remote
        self._solve_id = solve_id
        self._console = console
        self._first_wait_s = first_wait_s
        self._patience_s = patience_s
        self._issue: str | None = None
        self._cursor = ""
        self._event = 0
        self._solve: _Solve | None = None
        self._lanes: dict[RunId, Lane] = {}

    async def look(self) -> Look:
        updates = await self._ask()
        if updates.reset:
            self._lanes.clear()
        self._cursor = updates.cursor
        self._solve = updates.solve or self._solve
        self._lanes |= {lane.id: lane.lane for lane in updates.lanes}
        scene = self._scene(updates)
        self._event = max((event.id for event in updates.events), default=self._event)
        is_at_rest = scene.state in RESTING
        return Look(
            scene=scene,
            is_last=is_at_rest and not updates.more,
            wait_s=0 if updates.more else _pace(updates.poll_ms / 1000),
        )

    def _scene(self, updates: _Updates) -> Scene:
        if self._solve is None:
            raise YudaiError(f"{self._remote.url} sent an update without its solve")
        return Scene(
            issue=self._issue or "",
            state=self._solve.state,
            created_at=self._solve.created_at,
            started_at=self._solve.started_at,
            finished_at=self._solve.finished_at,
            lanes=tuple(self._lanes.values()),
            # After a reset all of them come again.
            moments=tuple(
                Moment(event.at, event.kind, event.run_id, event.data)
                for event in updates.events
                if event.id > self._event
            ),
            at=updates.server_time,
        )

    async def _ask(self) -> _Updates:
        """Once; while the server is away, again and again with growing breaks."""
        loop = asyncio.get_running_loop()
        gone_at, wait_s = loop.time(), self._first_wait_s
        has_said = False
        while True:
            try:
                updates = await self._ask_once()
            except AwayError as error:
                if loop.time() - gone_at + wait_s > self._patience_s:
                    raise YudaiError(self._gave_up(error)) from None
                self._say(f"{error}; asking again in {wait_s:g} s")
                has_said = True
                await asyncio.sleep(wait_s)
                wait_s = min(wait_s * 2, _LONGEST_WAIT_S)
                continue
            if has_said:
                self._say(f"the server {self._remote.url} answers again")
            return updates

    async def _ask_once(self) -> _Updates:
        path = f"/api/solves/{self._solve_id}"
        if self._issue is None:
            self._issue = str((await self._remote.get(path))["solve"]["issue"])
        params = {"cursor": self._cursor} if self._cursor else {}
        found = await self._remote.get(f"{path}/updates", **params)
        return read_as(_Updates, found, self._remote.url)

    def _say(self, text: str) -> None:
        self._console.print(Text(text, style="yellow"), soft_wrap=True)

    def _gave_up(self, error: AwayError) -> str:
        again = f"`{consoles.program()} watch {short(self._solve_id)}`"
        return f"{error}; the solve goes on when the server is back: {again} follows it."


def _pace(poll_s: float) -> float:
    return min(max(poll_s, _SHORTEST_POLL_S), _LONGEST_POLL_S)
