"""A flow as DBOS workflows. They are thin, because DBOS replays them on recovery."""

import asyncio
import contextvars
from collections import Counter, deque
from collections.abc import Awaitable, Callable, Generator, Sequence
from contextlib import contextmanager
from typing import Any, TypeVar

import structlog
from dbos import DBOS, WorkflowHandleAsync

from yudai.engine.adapters.dbos.contract import (
    ANSWER,
    CONCLUDE,
    CONCLUSION,
    PREPARE,
    RUN,
    SOLVE,
    run_options,
)
from yudai.engine.port import Flow, RunBatch
from yudai.kit.ids import MessageId, RunId, SolveId
from yudai.kit.retry import retry

log: structlog.stdlib.BoundLogger = structlog.get_logger()


Result = TypeVar("Result")

RETRY_DELAYS_S = (0.5, 1.0, 2.0, 4.0, 5.0, 5.0, 5.0)
"""Delays between tries of a part that raised, for example when the database is unavailable."""


class PartRunner:
    """Runs parts on our event loop; called from DBOS's loop."""

    def __init__(self, retry_delays_s: Sequence[float] = RETRY_DELAYS_S) -> None:
        self._loop = asyncio.get_running_loop()
        self._retry_delays_s = retry_delays_s
        self._tasks: set[asyncio.Task[Any]] = set()
        self._is_cancelled = False

    async def run(self, name: str, part: Callable[[], Awaitable[Result]]) -> Result:
        """Run a part to its end on our event loop."""
        # In a new context: in DBOS's, workflows started by a part would become its children.
        doing = contextvars.Context().run(
            asyncio.run_coroutine_threadsafe, self._do(name, part), self._loop
        )
        return await asyncio.wrap_future(doing)

    def cancel(self) -> None:
        """Cancel all parts; the workflows stay unfinished for another worker."""
        self._is_cancelled = True
        for task in self._tasks:
            task.cancel()

    async def wait(self) -> None:
        while self._tasks:
            await asyncio.wait(self._tasks)

    async def _do(self, name: str, part: Callable[[], Awaitable[Result]]) -> Result:
        if self._is_cancelled:
            raise asyncio.CancelledError
        task = asyncio.create_task(self._try(name, part), name=name)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        # DBOS cancels its side at shutdown; a second cancellation would disturb our clean-up.
        return await asyncio.shield(task)

    async def _try(self, name: str, part: Callable[[], Awaitable[Result]]) -> Result:
        def tell(error: Exception, delay_s: float) -> None:
            log.warning("flow.part_repeated", part=name, error=repr(error), in_s=delay_s)

        try:
            # Any error may be transient.
            return await retry(part, self._retry_delays_s, on=Exception, tell=tell)
        except Exception:
            log.exception("flow.part_given_up", part=name)
            raise


class Workflows:
    def __init__(self, flow: Flow, part_runner: PartRunner, *, poll_s: float) -> None:
        self._flow = flow
        self._part_runner = part_runner
        self._poll_s = poll_s
        self._active: Counter[str] = Counter()

    @property
    def active(self) -> set[str]:
        """Ids of workflows that this process executes."""
        return set(self._active)

    def register(self) -> None:
        """Register the workflows, without a limit on recoveries.

        The flow counts them itself and ends a run that kills its workers. A workflow that DBOS
        gave up would leave its solve open.
        """

        async def solve(solve_id: str) -> None:
            with self._noted():
                await self._solve(SolveId(solve_id))

        async def run(run_id: str) -> None:
            with self._noted():
                await self._step(RUN, lambda: self._flow.run(RunId(run_id)))

        async def answer(message_id: int) -> None:
            with self._noted():
                await self._step(ANSWER, lambda: self._flow.answer(MessageId(message_id)))

        async def conclusion(solve_id: str) -> None:
            with self._noted():
                await self._step(CONCLUSION, lambda: self._flow.conclude(SolveId(solve_id)))

        DBOS.workflow(name=SOLVE, max_recovery_attempts=None)(solve)
        DBOS.workflow(name=RUN, max_recovery_attempts=None)(run)
        DBOS.workflow(name=ANSWER, max_recovery_attempts=None)(answer)
        DBOS.workflow(name=CONCLUSION, max_recovery_attempts=None)(conclusion)

    async def _solve(self, solve_id: SolveId) -> None:
        async def prepare() -> dict[str, Any]:
            return (await self._flow.prepare(solve_id)).model_dump(mode="json")

        stored = await self._step(PREPARE, prepare)
        batch = RunBatch(runs=stored["runs"], parallel=stored["parallel"])
        await self._run_all(solve_id, batch)
        await self._step(CONCLUDE, lambda: self._flow.conclude(solve_id))

    async def _run_all(self, solve_id: SolveId, batch: RunBatch) -> None:
        """Run at most `parallel` runs at once. DBOS stores which one ended first, for replays.

        A run whose workflow failed has ended, too: its outcome is in our database.
        """
        waiting = deque(batch.runs)
        going: dict[str, WorkflowHandleAsync[Any]] = {}
        while waiting or going:
            while waiting and len(going) < batch.parallel:
                run_id = waiting.popleft()
                options = run_options(run_id, solve_id)
                handle = await DBOS.enqueue_workflow_with_options_async(options, run_id)
                going[handle.get_workflow_id()] = handle
            ended = await DBOS.wait_first_async(
                list(going.values()), polling_interval_sec=self._poll_s
            )
            del going[ended.get_workflow_id()]

    async def _step(self, name: str, part: Callable[[], Awaitable[Result]]) -> Result:
        async def step() -> Result:
            return await self._part_runner.run(name, part)

        return await DBOS.run_step_async({"name": name}, step)

    @contextmanager
    def _noted(self) -> Generator[None]:
        key = str(DBOS.workflow_id)
        self._active[key] += 1
        try:
            yield
        finally:
            self._active[key] -= 1
            if not self._active[key]:
                del self._active[key]
