"""One process asks, the process that runs the flow ends it; a dead one is ended by who asks."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from sqlalchemy.exc import OperationalError

from yudai.adapters.clock import SystemClock
from yudai.adapters.engines.in_process import InProcessEngine
from yudai.domain.budget import Budget
from yudai.domain.errors import ConflictError, YudaiError
from yudai.domain.ids import RunId, SolveId
from yudai.domain.matrix import Contestant, Matrix, Strategy
from yudai.domain.run_state import RunEvent
from yudai.domain.solve_state import SolveEvent
from yudai.ports.engine import FlowStatus
from yudai.ports.sandbox import BaseSpec
from yudai.services.cancelling import Canceller, CancelWatcher
from yudai.services.stopping import Stopper
from yudai.store import events, runs, solves
from yudai.store.store import Store
from yudai.store.tables import RunRow, SolveRow

SOLVE = SolveId("0190a000-0000-7000-8000-00000000aaaa")
RUN = RunId("0190a000-0000-7000-8000-00000000bbbb")


class Process:
    """What a process has: its own connections, its own engine, the shared folder of locks."""

    def __init__(self, store: Store, locks: Path) -> None:
        self.store = store
        self.clock = SystemClock()
        self.stopper = Stopper(store, self.clock)
        self.engine = InProcessEngine(self._flow, locks)
        self.watcher = CancelWatcher(store, self.engine)
        self.canceller = Canceller(store, self.engine, self.clock, self.stopper)
        self.running = asyncio.Event()

    async def open(self, *, age_s: float = 0.0) -> None:
        at = self.clock.now() - age_s
        async with self.store.change() as db:
            await solves.add(db, _solve(at))
            await runs.add_all(db, [_run(at)])

    async def state(self) -> tuple[str, str, str]:
        async with self.store.read() as db:
            solve, run = await solves.get(db, SOLVE), await runs.get(db, RUN)
            return solve.state, run.state, solve.reason

    async def _flow(self, solve_id: SolveId) -> None:
        now = self.clock.now()
        async with self.store.change() as db:
            await solves.advance(db, solve_id, SolveEvent.STARTED, at=now)
            await runs.advance(db, RUN, RunEvent.STARTED, at=now)
        self.running.set()
        try:
            await asyncio.Event().wait()
        finally:
            await self.stopper.stop(solve_id, SolveEvent.CANCELLED, "cancelled")


def _solve(at: float) -> SolveRow:
    return SolveRow(
        id=SOLVE,
        repo="sample",
        issue_title="Sums are wrong",
        issue_body="",
        matrix=Matrix(models=("m",)),
        budget=Budget(),
        reducer="simple",
        sandbox_backend="bubblewrap",
        base=BaseSpec(key="base", source=Path("source.tar")),
        created_at=at,
    )


def _run(at: float) -> RunRow:
    contestant = Contestant(
        agent="mini-swe-agent",
        model="m",
        temperature=0.2,
        max_edits=5,
        strategy=Strategy.BALANCED,
        handle="it",
    )
    return RunRow(
        id=RUN, solve_id=SOLVE, position=0, handle="it", contestant=contestant, queued_at=at
    )


@pytest.fixture
async def processes(tmp_path: Path, database_url: str) -> AsyncIterator[tuple[Process, Process]]:
    async with await Store.open(database_url) as one, await Store.open(database_url) as two:
        here, there = Process(one, tmp_path / "flows"), Process(two, tmp_path / "flows")
        yield here, there
        await there.engine.close()


async def started(process: Process) -> None:
    await process.open()
    await process.engine.start(SOLVE)
    await process.running.wait()


async def test_the_process_that_runs_it_ends_it(processes: tuple[Process, Process]):
    here, there = processes
    await started(there)
    async with there.watcher.watching(every_s=0.01):
        await here.canceller.request(SOLVE)
        assert await here.canceller.settle(SOLVE) == "cancelled"
    assert await here.state() == ("cancelled", "cancelled", "cancelled")
    assert await there.engine.status(SOLVE) is FlowStatus.ENDED
    async with here.store.read() as db:
        kinds = [event.kind for event in await events.after(db, SOLVE)]
    assert kinds == [
        "solve.started", "run.started", "solve.cancel_requested", "run.cancelled",
        "solve.cancelled",
    ]  # fmt: skip


async def test_asking_twice_is_the_same_as_once(processes: tuple[Process, Process]):
    here, there = processes
    await started(there)
    await here.canceller.request(SOLVE)
    async with here.store.read() as db:
        asked_at = (await solves.get(db, SOLVE)).cancel_requested_at
    await here.canceller.request(SOLVE)
    async with here.store.read() as db:
        assert (await solves.get(db, SOLVE)).cancel_requested_at == asked_at
    assert await there.watcher.look() == 1
    assert await there.watcher.look() == 0


async def test_a_process_leaves_flows_of_others_alone(processes: tuple[Process, Process]):
    here, there = processes
    await started(there)
    await here.canceller.request(SOLVE)
    assert await here.watcher.look() == 0
    assert (await here.state())[0] == "running"


async def test_what_nobody_asked_for_goes_on(processes: tuple[Process, Process]):
    _, there = processes
    await started(there)
    assert await there.watcher.look() == 0
    assert await there.engine.status(SOLVE) is FlowStatus.RUNNING


async def test_a_solve_whose_process_died_is_ended_by_who_asks(
    processes: tuple[Process, Process],
):
    here, there = processes
    await there.open()
    async with there.store.change() as db:
        await solves.advance(db, SOLVE, SolveEvent.STARTED, at=there.clock.now())
    assert await here.stopper.is_dead(SOLVE, here.engine)
    await here.canceller.request(SOLVE)
    assert await here.canceller.settle(SOLVE) == "cancelled"
    assert await here.state() == ("cancelled", "cancelled", "cancelled")


async def test_one_that_was_never_started_is_dead_only_after_a_while(
    processes: tuple[Process, Process],
):
    here, there = processes
    await there.open()
    assert not await here.stopper.is_dead(SOLVE, here.engine)
    async with there.store.change() as db:
        await solves.change(db, SOLVE, created_at=here.clock.now() - 3600)
    assert await here.stopper.is_dead(SOLVE, here.engine)
    await here.canceller.request(SOLVE)
    assert await here.canceller.settle(SOLVE) == "cancelled"


async def test_a_solve_that_is_alive_is_not_dead(processes: tuple[Process, Process]):
    here, there = processes
    await started(there)
    assert not await here.stopper.is_dead(SOLVE, here.engine)
    await there.engine.cancel(SOLVE)
    assert not await here.stopper.is_dead(SOLVE, here.engine)


async def test_what_has_ended_cannot_be_cancelled(processes: tuple[Process, Process]):
    here, there = processes
    await started(there)
    await there.engine.cancel(SOLVE)
    with pytest.raises(ConflictError, match="is cancelled: there is nothing to cancel"):
        await here.canceller.request(SOLVE)


async def test_waiting_for_one_that_does_not_end_has_an_end(processes: tuple[Process, Process]):
    here, there = processes
    await started(there)
    await here.canceller.request(SOLVE)
    with pytest.raises(YudaiError, match="has not after"):
        await here.canceller.settle(SOLVE, patience_s=0.01)


async def test_a_database_that_fails_for_a_moment_does_not_end_the_watch(
    processes: tuple[Process, Process], monkeypatch
):
    here, there = processes
    await started(there)
    failed = asyncio.Event()
    look = solves.to_cancel

    async def fail_once(db: object) -> list[SolveId]:
        if failed.is_set():
            return await look(db)  # type: ignore[arg-type]  the session that was handed to us
        failed.set()
        raise OperationalError("SELECT", {}, Exception("database is locked"))

    monkeypatch.setattr(solves, "to_cancel", fail_once)
    async with there.watcher.watching(every_s=0.01):
        await failed.wait()
        await here.canceller.request(SOLVE)
        assert await here.canceller.settle(SOLVE) == "cancelled"
