"""Processes that hold what a row stands for while they renew it, and how the others see them."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

from sqlalchemy import Delete, Update, literal
from sqlalchemy.ext.asyncio import AsyncSession

from yudai.kit.ids import WorkerId

DEAD_S = 60.0
"""Without a beat for so long, a process is taken for dead, and its sandboxes for left behind."""
AS_IT_IS = {"synchronize_session": False}
"""Rows that the session has loaded stay as they were read."""

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
    """Another one can go on with what it holds."""


class Seen(NamedTuple):
    """A holder, as its row was read; ages are by the clock that the row's times are of."""

    holder: Holder
    beat_at: float
    silent_s: float


def never_known(_host: str, _pid: int) -> bool:
    return False


def never_seen(_host: str, _pid: int, _at: float) -> bool:
    return False


@dataclass(frozen=True)
class Living:
    is_gone: IsGone = never_known
    dead_s: float = DEAD_S
    """Silent for so long, it is taken for dead, unless it can be seen."""
    is_there: IsThere = never_seen

    def __call__(self, seen: Seen) -> bool:
        """Silence proves little: machines sleep, clocks are set, processes are suspended."""
        host, pid = seen.holder.host, seen.holder.pid
        if seen.silent_s < self.dead_s and not self.is_gone(host, pid):
            return True
        return self.is_there(host, pid, seen.beat_at)


async def has_changed(db: AsyncSession, statement: Update | Delete) -> bool:
    """Whether the row was as the statement expects it."""
    changed = await db.scalars(statement.returning(literal(1)), execution_options=AS_IT_IS)
    return bool(changed.all())
