"""Every engine keeps this."""

import asyncio
from collections import Counter
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from yudai.engine.adapters.dbos.engine import DbosEngine, EngineConfig
from yudai.engine.adapters.dbos.worker import DbosWorker
from yudai.engine.adapters.in_process import InProcessEngine
from yudai.engine.port import Engine, FlowStatus, RunBatch
from yudai.kit.ids import MessageId, RunId, SolveId

SOLVE, OTHER = SolveId("01-solve"), SolveId("02-other")
RUNS = (RunId("run-1"), RunId("run-2"), RunId("run-3"))
MESSAGE = MessageId(7)


class StoredFlow:
    """Counts what is done; the runs wait until they may go on."""

    def __init__(self) -> None:
        self.done: Counter[str] = Counter()
        self.may_go_on = asyncio.Event()
        self.at_once = 0
        self.most_at_once = 0

    async def __call__(self, solve_id: SolveId) -> None:
        """As an engine without parts does it."""
        for run_id in (await self.prepare(solve_id)).runs:
            await self.run(run_id)
        await self.conclude(solve_id)

    async def prepare(self, solve_id: SolveId) -> RunBatch:
        self.done[f"prepare {solve_id}"] += 1
        return RunBatch(runs=RUNS, parallel=2)

    async def run(self, run_id: RunId) -> None:
        self.at_once += 1
        self.most_at_once = max(self.most_at_once, self.at_once)
        await self.may_go_on.wait()
        self.at_once -= 1
        self.done[run_id] += 1

    async def conclude(self, solve_id: SolveId) -> None:
        self.done[f"conclude {solve_id}"] += 1

    async def answer(self, message_id: MessageId) -> None:
        self.done[f"answer {message_id}"] += 1


@asynccontextmanager
async def in_process(flow: StoredFlow, _: Path) -> AsyncGenerator[Engine]:
    engine = InProcessEngine(flow, flow.answer, flow.conclude)
    yield engine
    await engine.close()


@asynccontextmanager
async def durable(flow: StoredFlow, folder: Path) -> AsyncGenerator[Engine]:
    config = EngineConfig(url=f"sqlite:///{folder / 'engine.db'}", poll_s=0.05)
    async with DbosWorker(config, flow), DbosEngine.opened(config) as engine:
        yield engine


@pytest.fixture
def flow() -> StoredFlow:
    return StoredFlow()


@pytest.fixture(params=[in_process, durable])
async def engine(
    request: pytest.FixtureRequest, flow: StoredFlow, tmp_path: Path
) -> AsyncGenerator[Engine]:
    async with request.param(flow, tmp_path) as opened:
        yield opened


async def until(is_so: Callable[[], Awaitable[bool]]) -> None:
    async with asyncio.timeout(20):
        while not await is_so():  # noqa: ASYNC110 - the engine tells nobody
            await asyncio.sleep(0.02)


async def test_a_flow_is_done_whole_and_once_however_often_it_is_started(
    engine: Engine, flow: StoredFlow
):
    async def is_at(status: FlowStatus) -> bool:
        return await engine.status(SOLVE) is status

    assert await is_at(FlowStatus.UNKNOWN)
    await engine.start(SOLVE, user_id="a")
    await engine.start(SOLVE, user_id="a")
    await until(lambda: is_at(FlowStatus.RUNNING))
    flow.may_go_on.set()
    await until(lambda: is_at(FlowStatus.ENDED))
    await engine.start(SOLVE, user_id="a")
    assert await is_at(FlowStatus.ENDED)
    assert await engine.status(OTHER) is FlowStatus.UNKNOWN
    assert flow.done == Counter([f"prepare {SOLVE}", *RUNS, f"conclude {SOLVE}"])
    assert flow.most_at_once <= 2


async def test_an_answered_solve_is_concluded_once_for_each_answer(
    engine: Engine, flow: StoredFlow
):
    async def are_done(turns: int) -> bool:
        found = [await engine.status(SOLVE, turn=turn) for turn in (1, 2)]
        return found.count(FlowStatus.ENDED) == turns

    await engine.conclude(SOLVE, turn=1)
    await engine.conclude(SOLVE, turn=1)
    await until(lambda: are_done(1))
    await engine.conclude(SOLVE, turn=2)
    await until(lambda: are_done(2))
    assert await engine.status(SOLVE) is FlowStatus.UNKNOWN
    assert flow.done == Counter({f"conclude {SOLVE}": 2})


async def test_a_message_is_answered_once_however_often_that_is_asked(
    engine: Engine, flow: StoredFlow
):
    async def is_answered() -> bool:
        return bool(flow.done)

    await engine.answer(MESSAGE)
    await engine.answer(MESSAGE)
    await until(is_answered)
    await engine.answer(MESSAGE)
    assert flow.done == Counter([f"answer {MESSAGE}"])
