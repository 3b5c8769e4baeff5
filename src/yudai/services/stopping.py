"""Ending a solve that did not come to its own end: cancelled, broken, or left by a dead process."""

from dataclasses import dataclass

from yudai.domain.ids import SolveId
from yudai.domain.run_state import FINAL, RunEvent
from yudai.domain.solve_state import RESTING, SolveEvent, SolveState
from yudai.ports.clock import Clock
from yudai.ports.engine import Engine, FlowStatus
from yudai.store import runs, solves
from yudai.store.store import Store

# Younger ones may be just about to start in another process.
_GRACE_S = 10.0


@dataclass(frozen=True)
class Stopper:
    store: Store
    clock: Clock

    async def stop(self, solve_id: SolveId, event: SolveEvent, message: str) -> bool:
        """End the solve and each of its runs that is open; False when it had come to rest."""
        now = self.clock.now()
        async with self.store.change() as db:
            if (await solves.hold(db, solve_id)).state in RESTING:
                return False
            for run in await runs.of_solve(db, solve_id):
                if run.state not in FINAL:
                    latency_ms = int((now - (run.started_at or now)) * 1000)
                    await runs.advance(
                        db, run.id, RunEvent.CANCELLED, at=now, latency_ms=latency_ms
                    )
            error = message if event is SolveEvent.BROKE else ""
            await solves.advance(db, solve_id, event, at=now, reason=message, error=error)
        return True

    async def is_dead(self, solve_id: SolveId, engine: Engine) -> bool:
        """Whether it has not come to rest, and no process runs it any more."""
        # In this order: a flow that ends between the two has come to rest by the second.
        status = await engine.status(solve_id)
        async with self.store.read() as db:
            solve = await solves.get(db, solve_id)
        if status is FlowStatus.RUNNING or solve.state in RESTING:
            return False
        is_young = solve.created_at >= self.clock.now() - _GRACE_S
        return solve.state is SolveState.RUNNING or not is_young

    async def bury_dead(self, engine: Engine) -> int:
        """Fail what a process that died was running; returns how many."""
        async with self.store.read() as db:
            rows = await solves.in_states(db, (SolveState.QUEUED, SolveState.RUNNING))
        old = [row.id for row in rows if row.created_at < self.clock.now() - _GRACE_S]
        dead = [i for i in old if await engine.status(i) is FlowStatus.UNKNOWN]
        words = "the process that ran it died: start it again"
        return sum([await self.stop(solve_id, SolveEvent.BROKE, words) for solve_id in dead])
