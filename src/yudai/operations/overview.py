"""Lists and counts remote sandboxes for administrators."""

from collections import Counter
from dataclasses import dataclass, field
from typing import NamedTuple

from pydantic import Field

from yudai.kit.clock import Clock
from yudai.kit.value import Value, from_attributes
from yudai.operations import queries as counts
from yudai.runs.domain.states import RunState
from yudai.sandboxes import queries as sandboxes
from yudai.sandboxes.port import Tags
from yudai.sandboxes.queries import Kept
from yudai.solves.domain.states import SolveState
from yudai.store.holders import Liveness
from yudai.store.store import Store


class SandboxView(Value):
    id: str
    backend: str
    external: str = Field(description='What its provider calls it; "" while it is being made.')
    owner: str
    tags: Tags = Field(description="Its owner, as the provider shows it.")
    base: str = Field(description='The prepared base that it stands on; "": none.')
    age_s: float
    held: bool = Field(description="Whether the process that requested it is alive and uses it.")


class SandboxList(Value):
    sandboxes: tuple[SandboxView, ...] = Field(description="Oldest first.")


class Numbers(NamedTuple):
    solves: dict[SolveState, int]
    runs: dict[RunState, int]
    reaped: dict[str, int]
    held: dict[str, int]
    leaked: dict[str, int]
    """Open sandboxes whose process died or could not remove them; the next sweep removes them."""


@dataclass(frozen=True)
class SandboxOverview:
    store: Store
    clock: Clock
    is_alive: Liveness = field(default_factory=Liveness)

    async def list(self) -> SandboxList:
        async with self.store.read() as db:
            found = await sandboxes.open_sandboxes(db, now=self.clock.now())
        return SandboxList(sandboxes=tuple(map(self._view, found)))

    async def count(self) -> Numbers:
        async with self.store.read() as db:
            counted = await counts.count(db)
            found = await sandboxes.open_sandboxes(db, now=self.clock.now())
        held = Counter(kept.row.backend for kept in found if self.is_alive(kept.seen))
        leaked = Counter(kept.row.backend for kept in found if not self.is_alive(kept.seen))
        return Numbers(*counted, held=held, leaked=leaked)

    def _view(self, kept: Kept) -> SandboxView:
        held = self.is_alive(kept.seen)
        return from_attributes(SandboxView, kept.row, age_s=kept.age_s, held=held)
