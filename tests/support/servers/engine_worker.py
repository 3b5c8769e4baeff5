"""A flow that only writes down what it is asked to do, and a worker of it in its own process."""

import asyncio
import os
import signal
import subprocess
import sys
import time
from collections.abc import AsyncGenerator, Callable, Generator
from contextlib import AsyncExitStack, ExitStack, asynccontextmanager, contextmanager
from pathlib import Path

from tests.support.servers.preforked import Warm
from yudai.engine.adapters.dbos.engine import DbosEngine, EngineConfig
from yudai.engine.adapters.dbos.worker import DbosWorker
from yudai.engine.adapters.host_processes import host_name, is_gone
from yudai.engine.leases import Lease, LeaseTimings, TakeoverWatcher
from yudai.engine.port import RunBatch
from yudai.kit.clock import SystemClock
from yudai.kit.ids import MessageId, RunId, SolveId, WorkerId
from yudai.kit.value import Value
from yudai.sandboxes.backends.local.processes import look
from yudai.store.holders import Holder
from yudai.store.store import Store

SHORT = LeaseTimings(beat_s=0.3, lost_s=3.0, dead_s=4.0)
POLL_S = 0.05
PATIENCE_S = 40.0


class Part(Value):
    """Of a worker's process."""

    name: str
    engine: EngineConfig
    store_url: str | None = None
    """None: the only process, which needs no lease."""
    diary: Path
    is_heir: bool = True


class Diary:
    """One file that several processes write; each line whole. Runs end when its gate is open."""

    def __init__(self, file: Path) -> None:
        self.file = file
        self.gate = file.with_suffix(".gate")
        file.touch()

    def note(self, *words: str) -> None:
        with self.file.open("a") as lines:
            lines.write(" ".join((*words, f"{time.time():.2f}")) + "\n")

    @property
    def lines(self) -> list[str]:
        return self.file.read_text().splitlines()

    def told(self, start: str) -> list[str]:
        return [line for line in self.lines if line.startswith(start)]

    async def wait(self, is_so: Callable[[], bool], what: str) -> None:
        deadline = time.monotonic() + PATIENCE_S
        while not is_so():
            assert time.monotonic() < deadline, f"not so: {what}\n" + "\n".join(self.lines)
            await asyncio.sleep(0.02)


async def freeze(pid: int) -> None:
    """Stop a process; on a busy machine its threads go on for a while after the signal was sent."""
    os.kill(pid, signal.SIGSTOP)
    async with asyncio.timeout(PATIENCE_S):
        while not all(map(_stands, Path(f"/proc/{pid}/task").iterdir())):  # noqa: ASYNC110 - the kernel tells nobody
            await asyncio.sleep(0)


def _stands(thread: Path) -> bool:
    seen = look(int(thread.name))
    return seen is None or seen.state == "T"


def solve_of(name: str, runs: int, parallel: int) -> SolveId:
    """How large its field is stands in its id: any process of any age knows it."""
    return SolveId(f"{name}.{runs}.{parallel}")


class DiaryFlow:
    """Looks at the diary first, as a real one looks at the database."""

    def __init__(self, diary: Diary, worker: str) -> None:
        self.diary = diary
        self.worker = worker

    async def prepare(self, solve_id: SolveId) -> RunBatch:
        self.diary.note("prepare", solve_id, self.worker)
        _, runs, parallel = solve_id.split(".")
        ids = tuple(RunId(f"{solve_id}.{number}") for number in range(int(runs)))
        return RunBatch(runs=ids, parallel=int(parallel))

    async def run(self, run_id: RunId) -> None:
        if self.diary.told(f"ended {run_id} "):
            return
        self.diary.note("begun", run_id, self.worker)
        while not self.diary.gate.exists():  # noqa: ASYNC110 - another process opens it
            await asyncio.sleep(0.02)
        self.diary.note("ended", run_id, self.worker)

    async def conclude(self, solve_id: SolveId) -> None:
        if not self.diary.told(f"concluded {solve_id} "):
            self.diary.note("concluded", solve_id, self.worker)

    async def answer(self, message_id: MessageId) -> None:
        self.diary.note("answered", str(message_id), self.worker)


@asynccontextmanager
async def working(*parts: Part) -> AsyncGenerator[list[subprocess.Popen[bytes]]]:
    """Processes that are up; killed at the end, if they are still there."""
    with ExitStack() as stack:
        processes = [stack.enter_context(_process(part)) for part in parts]
        for part in parts:
            diary, start = Diary(part.diary), f"up {part.name} "
            await diary.wait(lambda diary=diary, start=start: bool(diary.told(start)), start)
        yield processes


@contextmanager
def _process(part: Part) -> Generator[subprocess.Popen[bytes]]:
    process = Warm([__file__], stdin=subprocess.PIPE, env=os.environ)
    assert process.stdin is not None
    try:
        with process.stdin as asked:
            asked.write(part.model_dump_json().encode())
        yield process
    finally:
        process.kill()
        process.wait()


async def main(part: Part) -> None:
    stopping = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, stopping.set)
    turn = 0
    while not stopping.is_set():
        turn += 1
        await _work(part, WorkerId(f"{part.name}-{turn}-{os.getpid()}"), stopping)
    Diary(part.diary).note("stopped", part.name)


async def _work(part: Part, worker_id: WorkerId, stopping: asyncio.Event) -> None:
    diary = Diary(part.diary)
    flow = DiaryFlow(diary, worker_id)
    if part.store_url is None:
        async with DbosWorker(part.engine, flow):
            diary.note("up", part.name, worker_id)
            await stopping.wait()
        return
    config = part.engine.model_copy(update={"executor_id": worker_id})
    holder = Holder(worker_id, host_name(), os.getpid(), durable=True)
    async with AsyncExitStack() as stack:
        store = await stack.enter_async_context(await Store.open(part.store_url))
        engine = await stack.enter_async_context(DbosEngine.opened(config))
        lease = await stack.enter_async_context(Lease(store, SystemClock(), holder, timings=SHORT))
        watcher = TakeoverWatcher(
            store, SystemClock(), worker_id, engine.adopt, is_gone, engine.executors, SHORT
        )
        if part.is_heir:
            await stack.enter_async_context(watcher.watching())
        await stack.enter_async_context(DbosWorker(config, flow))
        diary.note("up", part.name, worker_id)
        waiting = [asyncio.create_task(event.wait()) for event in (stopping, lease.lost)]
        await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
        for task in waiting:
            task.cancel()
        if lease.lost.is_set():
            diary.note("lost", part.name, worker_id)


if __name__ == "__main__":
    asyncio.run(main(Part.model_validate_json(sys.stdin.buffer.read())))
