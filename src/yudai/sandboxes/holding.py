"""Whether the process that holds something is still alive."""

from collections.abc import Callable
from dataclasses import dataclass

from yudai.sandboxes.queries import DEAD_S, Holder

IsGone = Callable[[str, int], bool]
"""Whether the process (host, pid) is known to be dead; False when that cannot be known."""

IsThere = Callable[[str, int, float], bool]
"""Whether the process (host, pid) of that moment is known to be alive, if only suspended."""


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

    def __call__(self, holder: Holder, silent_s: float, beat_at: float) -> bool:
        """Silence proves little: machines sleep, clocks are set, processes are suspended."""
        if silent_s < self.dead_s and not self.is_gone(holder.host, holder.pid):
            return True
        return self.is_there(holder.host, holder.pid, beat_at)
