"""The story of a solve: prepare, run, verify, cross-examine, rank, offer."""

import asyncio
import traceback
from dataclasses import dataclass

import structlog

from yudai.domain.errors import RefusedError, WorldError
from yudai.domain.failure import Cause
from yudai.domain.ids import RunId, SolveId
from yudai.domain.run_state import RunEvent
from yudai.domain.scorecard import Ranking
from yudai.domain.solve_state import SolveEvent
from yudai.ports.clock import Clock
from yudai.ports.gateway import Gateway
from yudai.services.metering import MeteredGateway
from yudai.services.preparing import Prepared, Preparer
from yudai.services.proving import Prover
from yudai.services.purse import Purse
from yudai.services.ranking import Ranker, stopped_by
from yudai.services.running import RunBrokeError, Runner, Start
from yudai.services.stopping import Stopper
from yudai.store import runs, solves
from yudai.store.store import Store
from yudai.store.tables import SolveRow

log = structlog.get_logger()

_MAX_TRACE = 20_000


@dataclass(frozen=True)
class SolveFlow:
    store: Store
    clock: Clock
    gateway: Gateway
    preparer: Preparer
    runner: Runner
    prover: Prover
    ranker: Ranker
    stopper: Stopper

    async def __call__(self, solve_id: SolveId) -> None:
        structlog.contextvars.bind_contextvars(solve_id=solve_id)
        try:
            solve = await self._start(solve_id)
            prepared = await self.preparer.prepare(solve_id)
            await self._race(solve, prepared)
            await self.prover.cross_examine_runs(solve_id, prepared)
            ranking = await self.ranker.rank_runs(solve_id)
            await self._offer(solve_id, ranking)
        except asyncio.CancelledError:
            await self.stopper.stop(solve_id, SolveEvent.CANCELLED, "cancelled")
            raise
        except (WorldError, RefusedError) as error:
            await self.stopper.stop(solve_id, SolveEvent.BROKE, str(error))
        except Exception as error:
            await self.stopper.stop(solve_id, SolveEvent.BROKE, f"Yudai failed: {error!r}")
            raise

    async def _start(self, solve_id: SolveId) -> SolveRow:
        now = self.clock.now()
        async with self.store.change() as db:
            return await solves.advance(db, solve_id, SolveEvent.STARTED, at=now)

    async def _race(self, solve: SolveRow, prepared: Prepared) -> None:
        """All contestants, at most `max_parallel` at once, each verified as soon as it submits."""
        purse = Purse(solve.budget.cost_cap_micros)
        models = {model.name: model for model in solve.models}
        start = Start(
            base=prepared.base,
            test_command=prepared.test_command,
            deadline=(solve.started_at or 0.0) + solve.budget.time_budget_s,
        )
        lanes = asyncio.Semaphore(solve.budget.max_parallel)
        async with self.store.read() as db:
            queued = [RunId(run.id) for run in await runs.of_solve(db, SolveId(solve.id))]

        async def lane(run_id: RunId) -> None:
            async with lanes:
                gateway = MeteredGateway(
                    self.gateway, purse, models, run_cap_micros=solve.budget.run_cost_cap_micros
                )
                await self._run(run_id, start, gateway, prepared)

        async with asyncio.TaskGroup() as group:
            for run_id in queued:
                group.create_task(lane(run_id))

    async def _run(self, run_id: RunId, start: Start, gateway: Gateway, prepared: Prepared) -> None:
        """One run up to its verdict; whatever breaks it stays with it."""
        try:
            await self.runner.run_contestant(run_id, start, gateway)
            await self.prover.verify_run(run_id, prepared)
        except (RunBrokeError, WorldError) as error:
            await self._broke(run_id, error.cause, str(error))
        except RefusedError as error:
            # It was checked when the solve opened: its model has gone since.
            await self._broke(run_id, Cause.MODEL_FAILED, str(error))
        except Exception as error:
            log.exception("run.failed_unexpectedly", run_id=run_id)
            trace = "".join(traceback.format_exception(error))[-_MAX_TRACE:]
            await self._broke(run_id, Cause.INTERNAL, repr(error), traceback=trace)

    async def _broke(self, run_id: RunId, cause: Cause, message: str, **facts: str) -> None:
        now = self.clock.now()
        async with self.store.change() as db:
            await runs.advance(
                db,
                run_id,
                RunEvent.BROKE,
                at=now,
                data={"cause": cause},
                cause=cause,
                error=message,
                diagnostics=facts,
            )

    async def _offer(self, solve_id: SolveId, ranking: Ranking) -> None:
        """Offer the champion, or say honestly that there is none."""
        event = SolveEvent.ABSTAINED if ranking.champion is None else SolveEvent.OFFERED
        now = self.clock.now()
        async with self.store.change() as db:
            solve = await solves.get(db, solve_id)
            rows = await runs.of_solve(db, solve_id)
            limit = stopped_by(solve, rows, now=now)
            stopped = f" (stopped by {limit})" if limit and ranking.champion is None else ""
            await solves.advance(
                db,
                solve_id,
                event,
                at=now,
                champion_run_id=ranking.champion,
                reason=ranking.reason + stopped,
            )
