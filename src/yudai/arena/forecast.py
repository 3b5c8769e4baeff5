"""Previews a solve before anything is spent: its contestants, price and duration."""

from collections import defaultdict
from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Protocol

from pydantic import Field

from yudai.arena.submit import Submitter
from yudai.forge.ports.folder import Forge, Snapshot
from yudai.gateway.domain.models import Model
from yudai.kit.errors import RefusedError
from yudai.kit.text import clean
from yudai.kit.value import Value, from_attributes
from yudai.projects.domain.project import Project
from yudai.runs import queries as runs
from yudai.solves.domain.budget import estimate_duration, known_spans
from yudai.solves.domain.equivalent_command import command_line
from yudai.solves.domain.matrix import Contestant
from yudai.solves.domain.request import SolveAsk

MAX_CONTESTANTS = 100
REMEMBERED = 20
"""Number of newest solves from whose runs durations are estimated."""
_STILL_TYPING = "the issue has no text yet"


class Span(Value):
    low: float
    high: float


class FolderFacts(Value):
    """The folder as it was found."""

    repo: str
    root: str
    folder: str
    branch: str
    commit: str
    dirty: bool
    setup: tuple[str, ...]
    setup_from: str
    test: str = Field(description="The test command; empty: it will be detected.")
    notes: tuple[str, ...]


class Forecast(Value):
    total: int = Field(description="Contestants in the matrix.")
    starting: int
    not_started: int = Field(description="Contestants above the limit, which do not start.")
    contestants: tuple[Contestant, ...] = Field(description="The first 100 that start.")
    max_parallel: int
    free: bool
    cost_usd: Span
    ceiling_usd: float = Field(description="The most that can be spent.")
    seconds: Span = Field(
        description="Until the last contestant has ended; a rough guess: the middle half of what "
        "these models took in the newest solves, else 10 quick to 36 slow steps each, within the "
        "limits. The base's set-up comes before."
    )
    folder: FolderFacts | None = Field(description="null if the repository is not on this machine.")
    command: str = Field(
        description="The same on the command line; empty where that cannot do it: "
        "patches are files there."
    )
    ask: SolveAsk = Field(description="The same as a body of POST /api/solves.")
    lacks: tuple[str, ...] = Field(description="What prevents the start, such as a missing key.")


class PreviewForge(Protocol):
    def __call__(self, *, dirty: bool) -> AbstractContextManager[Forge]:
        """A forge that reads a folder and stores nothing."""
        ...


@dataclass(frozen=True)
class Forecaster:
    """Checks a request as a submission does, without starting anything."""

    submitter: Submitter
    open_forge: PreviewForge

    async def forecast(self, ask: SolveAsk, *, user_id: str) -> Forecast:
        """An issue without text is allowed: it is still being typed."""
        worded = ask if ask.issue_text.strip() else _worded(ask)
        with self.open_forge(dirty=ask.dirty) as forge:
            # A missing key hides nothing else there is to know: `lacks` names it.
            request = await self.submitter.request(
                worded, user_id=user_id, forge=forge, needs_keys=False
            )
        _, lineup, models, budget, _ = request.entrants
        pricing = request.entrants.pricing
        known = known_spans(await self._known_seconds(user_id))
        low_s, high_s = estimate_duration(lineup, budget, known)
        starting, left_out = lineup
        return Forecast(
            total=len(starting) + len(left_out),
            starting=len(starting),
            not_started=len(left_out),
            contestants=starting[:MAX_CONTESTANTS],
            max_parallel=budget.max_parallel,
            free=pricing.is_free,
            cost_usd=Span(low=pricing.low_usd, high=pricing.high_usd),
            ceiling_usd=pricing.ceiling_usd,
            seconds=Span(low=round(low_s, 1), high=round(high_s, 1)),
            folder=request.snapshot and _facts(request.snapshot, request.project),
            command=command_line(ask),
            ask=_placed(ask, request.repo_url),
            lacks=self._lacks(models),
        )

    def _lacks(self, models: Sequence[Model]) -> tuple[str, ...]:
        found: list[str] = []
        for model in models:
            try:
                self.submitter.solves.gateway.check(model)
            except RefusedError as error:
                found.append(error.over_http())
        return tuple(dict.fromkeys(found))

    async def _known_seconds(self, user_id: str) -> dict[str, list[float]]:
        """Seconds of earlier runs, by the model's name."""
        took: dict[str, list[float]] = defaultdict(list)
        async with self.submitter.store.read() as db:
            for contestant, seconds in await runs.durations(db, user_id, newest=REMEMBERED):
                took[contestant.model].append(seconds)
        return took


def _worded(ask: SolveAsk) -> SolveAsk:
    return ask.model_copy(update={"issue_text": _STILL_TYPING})


def _placed(ask: SolveAsk, repo_url: str) -> SolveAsk:
    """The request with its repository as the forge spells it, or its folder normalised."""
    return ask.model_copy(update={"repo_url": repo_url}) if repo_url else ask.placed


def _facts(snapshot: Snapshot, project: Project) -> FolderFacts:
    return from_attributes(
        FolderFacts,
        snapshot,
        root=str(snapshot.root),
        folder=project.folder,
        setup=tuple(map(clean, project.setup)),
        setup_from=project.setup_from,
        test=clean(project.test),
        notes=tuple(map(clean, (*snapshot.notes, *project.notes))),
    )
