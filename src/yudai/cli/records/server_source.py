"""A watched solve over HTTP: polls `GET /api/solves/{id}/updates`, also after a break."""

import asyncio
from dataclasses import KW_ONLY, dataclass, field

from rich.console import Console
from rich.text import Text

from yudai.cli import console as consoles
from yudai.cli.http.client import AwayError, Remote
from yudai.cli.records.source import Look
from yudai.kit.errors import YudaiError
from yudai.kit.ids import RunId, SolveId, short
from yudai.solves.domain.states import RESTING
from yudai.views.live_runs import LaneView, WatchedSolve
from yudai.views.updates import UpdatesView
from yudai.views.watched import Watched

_FIRST_WAIT_S = 2.0
_LONGEST_WAIT_S = 30.0
_PATIENCE_S = 600.0
# The server's own pace, but a person waits here: what is queued may start at any moment.
_SHORTEST_POLL_S = 0.2
_LONGEST_POLL_S = 2.0


@dataclass
class UpdatesSource:
    """Only what has changed comes over the line: lanes are kept here and replaced one by one."""

    remote: Remote
    solve_id: SolveId
    console: Console
    _: KW_ONLY
    first_wait_s: float = _FIRST_WAIT_S
    patience_s: float = _PATIENCE_S
    _issue: str | None = field(default=None, init=False)
    _cursor: str = field(default="", init=False)
    _event: int = field(default=0, init=False)
    _solve: WatchedSolve | None = field(default=None, init=False)
    _lanes: dict[RunId, LaneView] = field(default_factory=dict[RunId, LaneView], init=False)

    async def look(self) -> Look:
        updates = await self._ask()
        if updates.reset:
            self._lanes.clear()
        self._cursor = updates.cursor
        self._solve = updates.solve or self._solve
        self._lanes |= {lane.id: lane for lane in updates.lanes}
        seen = self._read(updates)
        self._event = max((event.id for event in updates.events), default=self._event)
        return Look(
            seen=seen,
            is_last=seen.solve.state in RESTING and not updates.more,
            wait_s=0 if updates.more else _pace(updates.poll_ms / 1000),
        )

    def _read(self, updates: UpdatesView) -> Watched:
        if self._solve is None:
            raise YudaiError(f"{self.remote.url} sent an update without its solve")
        return Watched(
            issue=self._issue or "",
            solve=self._solve,
            lanes=tuple(self._lanes.values()),
            verdicts={lane.id: lane.verdict or "" for lane in self._lanes.values()},
            at=updates.server_time,
            # After a reset all of them come again.
            events=tuple(event for event in updates.events if event.id > self._event),
        )

    async def _ask(self) -> UpdatesView:
        """Once; while the server is away, again and again with growing breaks."""
        loop = asyncio.get_running_loop()
        gone_at, wait_s = loop.time(), self.first_wait_s
        has_said = False
        while True:
            try:
                updates = await self._ask_once()
            except AwayError as error:
                if loop.time() - gone_at + wait_s > self.patience_s:
                    raise YudaiError(self._gave_up(error)) from None
                self._say(f"{error}; asking again in {wait_s:g} s")
                has_said = True
                await asyncio.sleep(wait_s)
                wait_s = min(wait_s * 2, _LONGEST_WAIT_S)
                continue
            if has_said:
                self._say(f"the server {self.remote.url} answers again")
            return updates

    async def _ask_once(self) -> UpdatesView:
        path = f"/api/solves/{self.solve_id}"
        if self._issue is None:
            self._issue = str((await self.remote.get(path))["solve"]["issue"])
        params = {"cursor": self._cursor} if self._cursor else {}
        return await self.remote.read(UpdatesView, f"{path}/updates", **params)

    def _say(self, text: str) -> None:
        self.console.print(Text(text, style="yellow"), soft_wrap=True)

    def _gave_up(self, error: AwayError) -> str:
        again = f"`{consoles.program()} watch {short(self.solve_id)}`"
        return f"{error}; the solve goes on when the server is back: {again} follows it."


def _pace(poll_s: float) -> float:
    return min(max(poll_s, _SHORTEST_POLL_S), _LONGEST_POLL_S)
