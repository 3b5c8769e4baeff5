"""What a watcher of a solve is sent."""

from yudai.kit.ids import RunId
from yudai.kit.value import Value
from yudai.solves.domain.states import SolveState
from yudai.views.live_runs import LaneView, MessageView
from yudai.views.solves import EventView, Progress


class WatchedSolve(Value):
    state: SolveState
    champion: RunId | None
    cost_usd: float
    cost_cap_usd: float
    created_at: float
    started_at: float | None
    finished_at: float | None
    deadline_at: float | None
    reason: str
    """Why this champion, why none, or what went wrong."""
    progress: Progress


class UpdatesView(Value):
    """Merge lanes by `id`, events by `id`, messages by (run, `attempt`, `seq`)."""

    cursor: str
    """For the next request."""
    epoch: str
    """Of the solve; another one means another database."""
    server_time: float
    poll_ms: int
    """When to ask again; 0: never, the solve has ended."""
    terminal: bool
    """Nothing will follow."""
    reset: bool
    """The cursor was of no use: forget everything, this is the beginning of a snapshot."""
    more: bool
    """There was not room for all: ask again at once."""
    solve: WatchedSolve | None
    """None: as it was."""
    lanes: tuple[LaneView, ...]
    """Those that have changed."""
    events: tuple[EventView, ...]
    messages: dict[RunId, tuple[MessageView, ...]]
    """Of the open lanes, each in the order of `seq`."""
    resets: tuple[RunId, ...]
    """Lanes whose messages are to be forgotten before these are added."""
    unknown: tuple[str, ...]
    """What was to be opened and is no run of this solve."""
