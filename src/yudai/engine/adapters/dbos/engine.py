"""The durable engine, a DBOS client: usable from any process, also from one without a worker."""

import asyncio
import signal
import subprocess
import sys
import time
from collections.abc import AsyncGenerator, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from functools import partial
from typing import Any, Self, TypeVar

from dbos import DBOS, DBOSClient, EnqueueOptions, WorkflowStatus, WorkflowStatusString

from yudai.engine.adapters.dbos.configuration import (
    EngineConfig,
    EngineLimits,
    dbos_settings,
    forward_log,
    list_workflows,
    migrate_database,
    open_client,
)
from yudai.engine.adapters.dbos.contract import (
    VERSION,
    answer_options,
    conclusion_options,
    solve_key,
    solve_options,
)
from yudai.engine.port import FlowStatus
from yudai.kit.ids import MessageId, SolveId, WorkerId

__all__ = ["DbosEngine", "EngineConfig", "EngineLimits"]

Found = TypeVar("Found")

TIMEOUT_S = 60
"""For a take-over."""
_POLL_S = 0.05
_POOL = 2
_THREADS = 4
_STATUS = {
    WorkflowStatusString.DELAYED.value: FlowStatus.QUEUED,
    WorkflowStatusString.ENQUEUED.value: FlowStatus.QUEUED,
    WorkflowStatusString.PENDING.value: FlowStatus.RUNNING,
}


class DbosEngine:
    """Calls DBOS in its own threads, so that a slow database blocks no other work."""

    def __init__(self, config: EngineConfig, client: DBOSClient) -> None:
        self._config = config
        self._client = client
        self._threads = ThreadPoolExecutor(_THREADS, "engine")

    @classmethod
    @asynccontextmanager
    async def opened(cls, config: EngineConfig) -> AsyncGenerator[Self]:
        await asyncio.to_thread(migrate_database, config)
        engine = cls(config, open_client(config))
        try:
            yield engine
        finally:
            await engine.close()

    async def start(self, solve_id: SolveId, *, user_id: str) -> None:
        await self._enqueue(solve_options(solve_id, user_id), solve_id)

    async def answer(self, message_id: MessageId) -> None:
        await self._enqueue(answer_options(message_id), message_id)

    async def conclude(self, solve_id: SolveId, *, turn: int) -> None:
        await self._enqueue(conclusion_options(solve_id, turn), solve_id)

    async def status(self, solve_id: SolveId, *, turn: int = 0) -> FlowStatus:
        found = await self._list(workflow_ids=[solve_key(solve_id, turn)])
        return _STATUS.get(found[0].status, FlowStatus.ENDED) if found else FlowStatus.UNKNOWN

    async def executors(self) -> set[WorkerId]:
        """Executor ids with pending workflows, alive or dead."""
        found = await self._list(status=WorkflowStatusString.PENDING.value, app_version=VERSION)
        return {WorkerId(row.executor_id) for row in found if row.executor_id}

    async def adopt(self, dead: WorkerId) -> None:
        """Requeue the workflows of a dead worker. Idempotent."""
        if dead in await self.executors():
            await adopt(self._config, dead)

    async def close(self) -> None:
        await self._ask(self._client.destroy)
        self._threads.shutdown(wait=False, cancel_futures=True)

    async def _list(self, **query: Any) -> list[WorkflowStatus]:
        return await self._ask(partial(list_workflows, self._client, **query))

    async def _enqueue(self, options: EnqueueOptions, argument: str | int) -> None:
        """We choose the workflow's id, so an existing workflow stays as it is."""
        await self._ask(partial(self._client.enqueue, options, argument))

    async def _ask(self, question: Callable[[], Found]) -> Found:
        return await asyncio.get_running_loop().run_in_executor(self._threads, question)


async def adopt(config: EngineConfig, dead: WorkerId, *, timeout_s: float = TIMEOUT_S) -> None:
    """Queue the workflows of a dead worker again, in a separate process. Idempotent.

    DBOS is a singleton per process. On launch it recovers the unfinished workflows of its executor
    id. So it is launched under the dead worker's id, without listening to any queue, until no
    workflow is pending under that id.
    """
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-P", "-m", __name__),
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    asked = config.model_copy(update={"executor_id": dead})
    try:
        async with asyncio.timeout(timeout_s):
            # Not as an argument: the configuration has the password, and arguments are public.
            _, words = await process.communicate(asked.model_dump_json().encode())
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    if process.returncode:
        why = words.decode(errors="replace").strip().rpartition("\n")[2]
        raise RuntimeError(f"adopting {dead} ended with {process.returncode}: {why}")


def main() -> None:
    # The parent process may die before it can end this one.
    signal.alarm(TIMEOUT_S)
    config = EngineConfig.model_validate_json(sys.stdin.buffer.read())
    forward_log()
    _queue_again(config)


def _queue_again(config: EngineConfig) -> None:
    DBOS(config=dbos_settings(config, pool_size=_POOL))
    DBOS.listen_queues([])
    DBOS.launch()
    while DBOS.list_workflows(
        status="PENDING",
        executor_id=config.executor_id,
        app_version=VERSION,
        load_input=False,
        load_output=False,
    ):
        time.sleep(_POLL_S)
    DBOS.destroy()


if __name__ == "__main__":
    main()
