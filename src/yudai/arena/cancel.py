"""Ends solves that were cancelled, broken, or left by a dead process."""

from collections.abc import Callable
from dataclasses import dataclass

from sqlalchemy.ext.asyncio import AsyncSession

from yudai.engine import queries as workers
from yudai.engine.queries import DEAD_S
from yudai.kit.clock import Clock
from yudai.kit.errors import ConflictError
from yudai.kit.ids import RunId, SolveId, WorkerId, short
from yudai.runs import queries as runs
from yudai.runs.domain.states import FINAL, RunEvent
from yudai.runs.tables import RunRow
from yudai.solves import queries as solves
from yudai.solves.domain.states import RESTING, SolveEvent, SolveState
from yudai.solves.tables import SolveRow
from yudai.store.holders import Seen
from yudai.store.store import Store

_WORDS = "the process that ran it died: start it again"


@dataclass(frozen=True)
class Stopper:
    """Ends solves in the database; the worker's guard then cancels their work."""

    store: Store
    clock: Clock
    is_gone: Callable[[str, int], bool] = lambda _host, _pid: False
    """Whether the process (host, pid) is known to be dead before its lease has run out."""
    is_there: Callable[[str, int, float], bool] = lambda _host, _pid, _at: False
    """Whether the process (host, pid) of that moment is known to be alive, maybe suspended."""

    async def cancel(self, solve_id: SolveId) -> None:
        """Cancel a solve; ConflictError when it is no longer open."""
        if not await self.stop(solve_id, SolveEvent.CANCELLED, "cancelled"):
            async with self.store.read() as db:
                state = (await solves.get(db, solve_id)).state
            raise ConflictError(
                f"solve {short(solve_id)} is {state}: there is nothing to cancel", state=state
            )

    async def stop(
        self, solve_id: SolveId, event: SolveEvent, message: str, *, attempt: int | None = None
    ) -> bool:
        """End the solve and its open runs; False when it was no longer open.

        With `attempt`, also when it was claimed or answered since.
        """
        now = self.clock.now()
        async with self.store.change() as db:
            solve = await solves.hold(db, solve_id)
            if solve.state in RESTING or attempt not in (None, solve.attempt):
                return False
            for run in await runs.of_solve(db, solve_id):
                if run.state not in FINAL:
                    await _cancel(db, run, now)
            error = message if event is SolveEvent.BROKE else ""
            await solves.advance(db, solve_id, event, at=now, reason=message, error=error)
        return True

    async def is_dead(self, solve_id: SolveId) -> bool:
        """Whether it is open and no process will continue it."""
        async with self.store.read() as db:
            alive = await self._alive(db)
            return _is_dead(await solves.get(db, solve_id), alive)

    async def dead(self) -> list[SolveId]:
        """Open solves of dead processes, whose flows cannot be taken over."""
        async with self.store.read() as db:
            alive = await self._alive(db)
            rows = await solves.in_states(db, (SolveState.QUEUED, SolveState.RUNNING))
        return [row.id for row in rows if _is_dead(row, alive)]

    async def _alive(self, db: AsyncSession) -> set[WorkerId]:
        found = await workers.peers(db, WorkerId(""), now=self.clock.now())
        return {peer.holder.id for peer in found if self._is_alive(peer)}

    def _is_alive(self, peer: Seen) -> bool:
        place = (peer.holder.host, peer.holder.pid)
        if self.is_gone(*place):
            return False
        return peer.silent_s < DEAD_S or self.is_there(*place, peer.beat_at)

    async def fail_dead(self) -> int:
        """Fail the solves of dead processes; return how many."""
        return sum(
            [await self.stop(solve_id, SolveEvent.BROKE, _WORDS) for solve_id in await self.dead()]
        )


def _is_dead(solve: SolveRow, alive: set[WorkerId]) -> bool:
    return not solve.durable and solve.state not in RESTING and solve.worker_id not in alive


async def cancel_run(store: Store, run_id: RunId, *, now: float) -> None:
    """Cancel a run; ConflictError when it has already ended."""
    async with store.change() as db:
        run = await runs.hold(db, run_id)
        if run.state in FINAL:
            raise ConflictError(
                f"run {short(run_id)} is {run.state}: there is nothing to cancel",
                state=run.state,
            )
        await _cancel(db, run, now)


async def _cancel(db: AsyncSession, run: RunRow, now: float) -> None:
    latency_ms = int((now - (run.started_at or now)) * 1000)
    await runs.advance(db, run.id, RunEvent.CANCELLED, at=now, latency_ms=latency_ms)
