"""What `--json` prints: one solve with its ranking, in stable words."""

from collections.abc import Iterable

from yudai.kit.causes import Cause
from yudai.kit.ids import RunId, SolveId
from yudai.kit.money import usd
from yudai.kit.value import Value, from_attributes
from yudai.ranking.domain.scorecard import Place
from yudai.runs.domain.states import RunState
from yudai.solves.domain.blocked import BlockedEntry
from yudai.solves.domain.states import SolveState
from yudai.verification.domain.verdict import Verdict


class SolveEntry(Value):
    id: SolveId
    state: SolveState
    repo: str
    issue: str
    cost_usd: float
    elapsed_s: float
    champion: RunId | None
    folder: str | None = None
    """The repository on this machine that the champion's patch can go back to."""


class PlaceEntry(Value):
    rank: int
    handle: str
    run_id: RunId
    state: RunState
    cause: Cause | None
    verdict: Verdict
    files_changed: int
    lines_changed: int
    cost_usd: float
    latency_ms: int
    why: str


class SolveDocument(Value):
    solve: SolveEntry
    ranking: tuple[PlaceEntry, ...]
    not_started: tuple[str, ...]
    """Handles of contestants above the cap on their number."""
    reason: str
    budget_ended: str | None = None
    """Which limit of the whole solve was used up, if one was."""
    blocked: tuple[BlockedEntry, ...] = ()


def entries(places: Iterable[Place]) -> tuple[PlaceEntry, ...]:
    return tuple(
        from_attributes(
            PlaceEntry,
            place.scorecard,
            rank=place.rank,
            handle=place.scorecard.contestant.handle,
            cost_usd=usd(place.scorecard.cost_micros),
            why=place.why,
        )
        for place in places
    )
