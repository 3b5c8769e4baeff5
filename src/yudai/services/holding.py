"""Whether the process that holds something is still alive."""

from collections.abc import Callable
from dataclasses import dataclass

from yudai.store.sandboxes import DEAD_S, Holder

IsGone = Callable[[str, int], bool]
"""Whether the process (host, pid) is known to be dead; False when that cannot be known."""


def never_known(_host: str, _pid: int) -> bool:
    return False


@dataclass(frozen=True)
class Living:
    is_gone: IsGone = never_known
    dead_s: float = DEAD_S
    """Silent for so long, it is taken for dead."""

    def __call__(self, holder: Holder, silent_s: float) -> bool:
        return silent_s < self.dead_s and not self.is_gone(holder.host, holder.pid)
