"""Processes that hold a row by renewing it, and when they count as dead."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

from sqlalchemy import Delete, Update, literal
from sqlalchemy.ext.asyncio import AsyncSession

from yudai.kit.ids import WorkerId

DEAD_S = 60.0
"""A process without a heartbeat for this long counts as dead, and its sandboxes as leaked."""
AS_IT_IS = {"synchronize_session": False}
"""Execution option: rows that the session has loaded stay unchanged."""

IsGone = Callable[[str, int], bool]
"""Whether the process (host, pid) is known to be dead; False when that cannot be known."""

IsThere = Callable[[str, int, float], bool]
"""Whether the process (host, pid) of that moment is known to be alive, if only suspended."""


class Holder(NamedTuple):
    """A process; its id is new at each start."""

    id: WorkerId
    host: str
    pid: int
    durable: bool = False
    """Another process can continue what it holds."""


class Seen(NamedTuple):
    """A holder, as read. Ages use the clock that wrote the row's times."""

    holder: Holder
    beat_at: float
    silent_s: float


def never_known(_host: str, _pid: int) -> bool:
    return False


def never_seen(_host: str, _pid: int, _at: float) -> bool:
    return False


@dataclass(frozen=True)
class Liveness:
    is_gone: IsGone = never_known
    dead_s: float = DEAD_S
    """Whether a silent process counts as dead; not if it is visible on this machine."""
    is_there: IsThere = never_seen

    def __call__(self, seen: Seen) -> bool:
        """Silence alone proves little: machines sleep, clocks are set, processes are suspended."""
        host, pid = seen.holder.host, seen.holder.pid
        if seen.silent_s < self.dead_s and not self.is_gone(host, pid):
            return True
        return self.is_there(host, pid, seen.beat_at)


async def has_changed(db: AsyncSession, statement: Update | Delete) -> bool:
    """Whether the row was as the statement expects it."""
    changed = await db.scalars(statement.returning(literal(1)), execution_options=AS_IT_IS)
    return bool(changed.all())
