"""A watched solve as the display needs it, from the database or over HTTP."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from yudai.artifacts.context import Context
from yudai.kit.ids import SolveId
from yudai.solves.domain.states import RESTING
from yudai.views.watched import Watched, watched

_POLL_S = 0.2


class Look(NamedTuple):
    seen: Watched
    is_last: bool
    wait_s: float
    """Until the next look is worth it."""


class Source(Protocol):
    """Reads a watched solve, again and again."""

    async def look(self) -> Look: ...


@dataclass
class DatabaseSource:
    """Our own database, until the solve has come to rest or is over otherwise."""

    context: Context
    solve_id: SolveId
    is_over: Callable[[], Awaitable[bool]]
    _cursor: int = 0

    async def look(self) -> Look:
        # Asked before the look, so that the last look shows the end.
        over = await self.is_over()
        seen = await watched(self.context, self.solve_id, after_event=self._cursor)
        self._cursor = max((event.id for event in seen.events), default=self._cursor)
        over = over or seen.solve.state in RESTING
        return Look(
            seen=seen,
            is_last=over and not seen.events,
            wait_s=0 if over else _POLL_S,
        )
