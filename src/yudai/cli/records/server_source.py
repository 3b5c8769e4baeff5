"""A watched solve over HTTP: polls `GET /api/solves/{id}/updates`, also after a break."""

import asyncio
from dataclasses import KW_ONLY, dataclass, field

from rich.console import Console
from rich.text import Text

from yudai.cli import console as consoles
from yudai.cli.http.client import AwayError, Remote
from yudai.cli.records.source import KnownSolve, Look
from yudai.kit.errors import YudaiError
from yudai.kit.ids import SolveId, short
from yudai.solves.domain.states import RESTING
from yudai.views.updates import UpdatesView

_FIRST_WAIT_S = 2.0
_LONGEST_WAIT_S = 30.0
_PATIENCE_S = 600.0
# The server's own pace, but a person waits here: what is queued may start at any moment.
_SHORTEST_POLL_S = 0.2
_LONGEST_POLL_S = 2.0


@dataclass
class UpdatesSource:
    remote: Remote
    solve_id: SolveId
    console: Console
    _: KW_ONLY
    first_wait_s: float = _FIRST_WAIT_S
    patience_s: float = _PATIENCE_S
    _known: KnownSolve = field(init=False)

    def __post_init__(self) -> None:
        self._known = KnownSolve(self.remote.url)

    async def look(self) -> Look:
        updates = await self._ask()
        seen = self._known.update(updates)
        return Look(
            seen=seen,
            is_last=seen.solve.state in RESTING and not updates.more,
            wait_s=0 if updates.more else _pace(updates.poll_ms / 1000),
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
        known = self._known
        if known.issue is None:
            known.issue = str((await self.remote.get(path))["solve"]["issue"])
        params = {"cursor": known.cursor} if known.cursor else {}
        return await self.remote.read(UpdatesView, f"{path}/updates", **params)

    def _say(self, text: str) -> None:
        self.console.print(Text(text, style="yellow"), soft_wrap=True)

    def _gave_up(self, error: AwayError) -> str:
        again = f"`{consoles.program()} watch {short(self.solve_id)}`"
        return f"{error}; the solve goes on when the server is back: {again} follows it."


def _pace(poll_s: float) -> float:
    return min(max(poll_s, _SHORTEST_POLL_S), _LONGEST_POLL_S)
