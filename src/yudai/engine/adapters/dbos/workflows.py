"""A flow as workflows of DBOS: thin, because they are replayed when somebody takes them up."""

from collections import Counter, deque
from collections.abc import Awaitable, Callable, Generator
from contextlib import contextmanager
from typing import Any, TypeVar

from dbos import DBOS, WorkflowHandleAsync

from yudai.engine.adapters.dbos.contract import ANSWER, CONCLUDE, PREPARE, RUN, SOLVE, run_options
from yudai.engine.adapters.dbos.dbos_parts import Parts
from yudai.engine.port import Field, Flow
from yudai.kit.ids import MessageId, RunId, SolveId

Result = TypeVar("Result")


class Workflows:
    def __init__(self, flow: Flow, parts: Parts, *, poll_s: float) -> None:
        self._flow = flow
        self._parts = parts
        self._poll_s = poll_s
        self._active: Counter[str] = Counter()

    @property
    def active(self) -> set[str]:
        """Ids of those that are executed in this process."""
        return set(self._active)

    def register(self) -> None:
        """As workflows that are never given up for having been taken up often.

        A flow counts that itself, and ends a run that kills its workers; one that DBOS gave up
        would leave its solve open.
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

        DBOS.workflow(name=SOLVE, max_recovery_attempts=None)(solve)
        DBOS.workflow(name=RUN, max_recovery_attempts=None)(run)
        DBOS.workflow(name=ANSWER, max_recovery_attempts=None)(answer)

    async def _solve(self, solve_id: SolveId) -> None:
        async def prepare() -> dict[str, Any]:
            return (await self._flow.prepare(solve_id)).model_dump(mode="json")

        stored = await self._step(PREPARE, prepare)
        field = Field(runs=stored["runs"], parallel=stored["parallel"])
        await self._run_all(solve_id, field)
        await self._step(CONCLUDE, lambda: self._flow.conclude(solve_id))

    async def _run_all(self, solve_id: SolveId, field: Field) -> None:
        """So many at once; which one ended first is stored, so that a replay does the same.

        One that ended in an error has ended, too: what became of it is in our database.
        """
        waiting = deque(field.runs)
        going: dict[str, WorkflowHandleAsync[Any]] = {}
        while waiting or going:
            while waiting and len(going) < field.parallel:
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
            return await self._parts.do(name, part)

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
