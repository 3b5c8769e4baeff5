"""Work that is stopped when it is not ours any more, and goes on while it is."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.support.solve_rows import Ring, run_id
from yudai.artifacts.adapters.object_store import make_artifacts
from yudai.artifacts.context import Context
from yudai.engine.guard import WorkGuard
from yudai.kit.clock import SystemClock
from yudai.kit.ids import SolveId, WorkerId
from yudai.runs import queries as runs
from yudai.solves import queries as solves
from yudai.solves.claims import Claim, claim_of
from yudai.solves.domain.states import SolveEvent, SolveState
from yudai.store.store import Store

ME = WorkerId("me")


class Work:
    def __init__(self) -> None:
        self.is_going_on = asyncio.Event()
        self.was_cancelled = False

    async def __call__(self) -> None:
        self.is_going_on.set()
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            self.was_cancelled = True
            raise


@pytest.fixture
async def ring(database_url: str, tmp_path: Path) -> AsyncIterator[Ring]:
    async with await Store.open(database_url) as store:
        artifacts = make_artifacts(None, home=tmp_path)
        yield Ring(Context(store=store, artifacts=artifacts, clock=SystemClock()))


async def claimed(ring: Ring) -> tuple[SolveId, Claim]:
    solve_id = await ring.solve(
        None, state=SolveState.RUNNING, finished_at=None, worker_id=ME, attempt=1
    )
    async with ring.store.change() as db:
        row = await runs.change(db, run_id(0), worker_id=ME)
    return solve_id, claim_of(row)


async def test_a_cancelled_run_is_stopped_and_its_caller_goes_on(ring: Ring):
    solve_id, claim = await claimed(ring)
    work_guard, work = WorkGuard(ring.store), Work()
    async with work_guard.watching(every_s=0.02):
        caller = asyncio.create_task(work_guard.run(claim, work()))
        await work.is_going_on.wait()
        async with ring.store.change() as db:
            await solves.advance(db, solve_id, SolveEvent.CANCELLED, at=1.0)
        assert await work_guard.cancel_lost() == 0, "the run itself is still open"
        async with ring.store.change() as db:
            await runs.change(db, run_id(0), worker_id=WorkerId("somebody else"))
        assert await caller is False
    assert work.was_cancelled


async def test_what_is_ours_is_left_alone(ring: Ring):
    _, claim = await claimed(ring)
    work_guard, work = WorkGuard(ring.store), Work()
    caller = asyncio.create_task(work_guard.run(claim, work()))
    await work.is_going_on.wait()
    assert await work_guard.cancel_lost() == 0
    assert not caller.done()
    caller.cancel()
    await asyncio.wait([caller])
    assert caller.cancelled()
    assert work.was_cancelled


async def test_a_caller_that_is_cancelled_stays_cancelled_although_its_work_was_revoked(ring: Ring):
    _, claim = await claimed(ring)
    work_guard, work = WorkGuard(ring.store), Work()
    caller = asyncio.create_task(work_guard.run(claim, work()))
    await work.is_going_on.wait()
    async with ring.store.change() as db:
        await runs.change(db, run_id(0), worker_id=WorkerId("somebody else"))
    assert await work_guard.cancel_lost() == 1
    caller.cancel()
    await asyncio.wait([caller])
    assert caller.cancelled()


async def test_an_error_of_the_work_reaches_its_caller(ring: Ring):
    _, claim = await claimed(ring)

    async def fail() -> None:
        raise LookupError

    with pytest.raises(LookupError):
        await WorkGuard(ring.store).run(claim, fail())


async def test_a_new_claim_on_the_same_run_is_not_the_old_one(ring: Ring):
    """The guard may have looked while one attempt ended and the next one began."""
    _, claim = await claimed(ring)
    work_guard, work = WorkGuard(ring.store), Work()
    async with ring.store.change() as db:
        await runs.change(db, run_id(0), attempt=2)
    caller = asyncio.create_task(work_guard.run(claim._replace(attempt=2), work()))
    await work.is_going_on.wait()
    assert not work_guard._revoke(claim)
    assert await work_guard.cancel_lost() == 0
    caller.cancel()
    await asyncio.wait([caller])
