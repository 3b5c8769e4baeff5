"""What commands look at: the database of this home, or a server's API with the same answers."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from yudai.arena.cancel import Stopper
from yudai.artifacts.port import ArtifactKind
from yudai.cli.http.home_lock import is_owned
from yudai.cli.records.source import DatabaseSource, Source
from yudai.decisions.choose import Chooser
from yudai.kit.causes import Cause
from yudai.kit.ids import LOCAL_USER, RunId, SolveId
from yudai.kit.money import usd
from yudai.kit.value import Value
from yudai.publishing.views import OutcomeList, OutcomeViewer
from yudai.runs.domain.states import RunState
from yudai.runs.domain.trajectory.steps import Step
from yudai.runs.domain.trajectory.trajectory import TrajectoryMessage
from yudai.runs.tables import RunRow
from yudai.settings import Settings
from yudai.solves.domain.states import RESTING
from yudai.verification.domain.verdict import Verdict
from yudai.views.documents import Reader
from yudai.views.domain.document import SolveDocument
from yudai.wiring import is_shared, make_stopper


class RunFacts(Value):
    """A run as `show --json` prints it."""

    id: RunId
    solve_id: SolveId
    handle: str
    state: RunState
    cause: Cause | None
    error: str
    exit_status: str
    sandbox_id: str
    steps: int
    edits: int
    edits_capped: bool
    input_tokens: int
    output_tokens: int
    cost_usd: float
    latency_ms: int
    rank: int | None
    why: str
    verdict: Verdict | None


class Records(Protocol):
    """Solves and runs by id or its unique end; "" means the newest solve."""

    @property
    def server(self) -> str:
        """Its URL, when it is no database of ours."""
        ...

    async def document(self, ending: str) -> SolveDocument: ...

    async def recent(self, limit: int) -> Sequence[SolveDocument]: ...

    async def find(self, ending: str) -> SolveId:
        """Unless named the newest that goes on, else the newest of all."""
        ...

    async def run(self, ending: str) -> RunFacts:
        """Also by its handle in the newest solve."""
        ...

    async def messages(self, run_id: RunId) -> Sequence[TrajectoryMessage]: ...

    async def step(self, run_id: RunId, number: int) -> Step: ...

    async def trajectory(self, run_id: RunId) -> dict[str, Any]: ...

    async def artifact(self, run_id: RunId, kind: ArtifactKind) -> bytes: ...

    async def cancel(self, solve_id: SolveId) -> None:
        """ConflictError when it has come to rest already."""
        ...

    async def dismiss(self, solve_id: SolveId, reason: str) -> None:
        """ConflictError unless it awaits review."""
        ...

    async def outcomes(self, solve_id: SolveId) -> OutcomeList | None:
        """What became of its pull request; None: nobody there knows."""
        ...

    async def remark(self, solve_id: SolveId) -> str:
        """What a person who waits for it should know, if anything."""
        ...

    def race(self, solve_id: SolveId) -> Source: ...


@dataclass(frozen=True)
class OwnRecords:
    """The database itself."""

    settings: Settings
    reader: Reader
    server: str = ""

    async def document(self, ending: str) -> SolveDocument:
        return await self.reader.document(ending)

    async def recent(self, limit: int) -> Sequence[SolveDocument]:
        return await self.reader.recent(limit)

    async def find(self, ending: str) -> SolveId:
        return SolveId((await self.reader.solve(ending)).id)

    async def run(self, ending: str) -> RunFacts:
        return facts_of(await self.reader.run(ending))

    async def messages(self, run_id: RunId) -> Sequence[TrajectoryMessage]:
        return await self.reader.messages(run_id)

    async def step(self, run_id: RunId, number: int) -> Step:
        return await self.reader.step(run_id, number)

    async def trajectory(self, run_id: RunId) -> dict[str, Any]:
        return await self.reader.trajectory(await self.reader.run(run_id))

    async def artifact(self, run_id: RunId, kind: ArtifactKind) -> bytes:
        return await self.reader.artifact(run_id, kind)

    async def cancel(self, solve_id: SolveId) -> None:
        await self._stopper.cancel(solve_id)

    async def dismiss(self, solve_id: SolveId, reason: str) -> None:
        chooser = Chooser(self.reader.store, self.reader.clock)
        await chooser.dismiss(solve_id, reason, user_id=LOCAL_USER)

    async def outcomes(self, solve_id: SolveId) -> OutcomeList | None:
        return await OutcomeViewer(self.reader.store).of_solve(solve_id)

    async def remark(self, solve_id: SolveId) -> str:
        solve = await self.reader.solve(solve_id)
        waits = solve.durable and solve.state not in RESTING
        if not waits or is_shared(self.settings) or is_owned(self.settings.home):
            return ""
        return "No server runs here now: the solve goes on when `yudai serve` is started again."

    def race(self, solve_id: SolveId) -> Source:
        async def is_dead() -> bool:
            return await self._stopper.is_dead(solve_id)

        return DatabaseSource(self.reader, solve_id, is_dead)

    @property
    def _stopper(self) -> Stopper:
        return make_stopper(self.reader)


def facts_of(run: RunRow) -> RunFacts:
    return RunFacts(
        id=run.id,
        solve_id=run.solve_id,
        handle=run.handle,
        state=run.state,
        cause=run.cause,
        error=run.error,
        exit_status=run.exit_status,
        sandbox_id=run.sandbox_id,
        steps=run.steps,
        edits=run.edits,
        edits_capped=run.edits_capped,
        input_tokens=run.input_tokens,
        output_tokens=run.output_tokens,
        cost_usd=usd(run.total_cost_micros),
        latency_ms=run.latency_ms,
        rank=run.rank,
        why=run.why,
        verdict=run.verdict,
    )
