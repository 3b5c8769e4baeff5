"""Ending one run for whoever asked; its worker's guard then stops the work itself."""

from dataclasses import dataclass

from yudai.kit.clock import Clock
from yudai.kit.errors import ConflictError
from yudai.kit.ids import RunId, short
from yudai.runs import queries as runs
from yudai.runs.domain.states import FINAL, RunEvent
from yudai.store.store import Store


@dataclass(frozen=True)
class RunCanceller:
    store: Store
    clock: Clock

    async def cancel(self, run_id: RunId) -> None:
        """ConflictError when it has ended already: it stays what it is."""
        now = self.clock.now()
        async with self.store.change() as db:
            run = await runs.hold(db, run_id)
            if run.state in FINAL:
                raise ConflictError(
                    f"run {short(run_id)} is {run.state}: there is nothing to cancel",
                    state=run.state,
                )
            latency_ms = int((now - (run.started_at or now)) * 1000)
            await runs.advance(db, run_id, RunEvent.CANCELLED, at=now, latency_ms=latency_ms)
