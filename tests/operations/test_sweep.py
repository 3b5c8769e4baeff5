"""Solves without a flow: started, adopted, or said to be given up."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import pytest
from sqlalchemy.exc import OperationalError
from structlog.testing import capture_logs

from tests.support.solve_rows import SOLVE, Ring
from yudai.arena.cancel import Stopper
from yudai.artifacts.adapters.object_store import make_artifacts
from yudai.artifacts.context import Context
from yudai.engine.port import FlowStatus
from yudai.kit.clock import SystemClock
from yudai.kit.ids import MessageId, SolveId, WorkerId
from yudai.operations.sweep import Sweeper, rounds
from yudai.solves import queries as solves
from yudai.solves import timeline as events
from yudai.solves.domain.states import SolveState
from yudai.solves.tables import SolveRow
from yudai.store.store import Store


class RecordingEngine:
    def __init__(self) -> None:
        self.started: list[tuple[SolveId, str]] = []
        self.concluded: list[tuple[SolveId, int]] = []
        self.flows: dict[SolveId | tuple[SolveId, int], FlowStatus] = {}

    async def start(self, solve_id: SolveId, *, user_id: str) -> None:
        self.started.append((solve_id, user_id))
        self.flows.setdefault(solve_id, FlowStatus.QUEUED)

    async def answer(self, message_id: MessageId) -> None:
        raise AssertionError(message_id)

    async def conclude(self, solve_id: SolveId, *, turn: int) -> None:
        self.concluded.append((solve_id, turn))

    async def status(self, solve_id: SolveId, *, turn: int = 0) -> FlowStatus:
        return self.flows.get((solve_id, turn) if turn else solve_id, FlowStatus.UNKNOWN)


class Yard:
    def __init__(self, store: Store, home: Path) -> None:
        self.clock = SystemClock()
        artifacts = make_artifacts(None, home=home)
        self.ring = Ring(Context(store=store, artifacts=artifacts, clock=self.clock))
        self.engine = RecordingEngine()
        self.chores: list[str] = []
        self.sweeper = Sweeper(
            store=store,
            clock=self.clock,
            engine=self.engine,
            stopper=Stopper(store, self.clock),
            chores=(self._note,),
        )

    async def open(self, **changes: object) -> None:
        columns = {"state": SolveState.RUNNING, "finished_at": None, "durable": True}
        await self.ring.solve(None, **(columns | changes))

    async def row(self) -> SolveRow:
        async with self.ring.store.read() as db:
            return await solves.get(db, SOLVE)

    async def _note(self) -> None:
        self.chores.append("done")


@pytest.fixture
async def yard(database_url: str, tmp_path: Path) -> AsyncIterator[Yard]:
    async with await Store.open(database_url) as store:
        yield Yard(store, tmp_path)


async def test_a_solve_that_was_never_started_is_started(yard: Yard):
    await yard.open(state=SolveState.QUEUED, user_id="somebody")
    await yard.sweeper.sweep()
    assert yard.engine.started == [(SOLVE, "somebody")]
    assert yard.chores == ["done"]


async def test_one_that_was_just_opened_is_left_to_who_opened_it(yard: Yard):
    await yard.open(state=SolveState.QUEUED, created_at=yard.clock.now())
    await yard.sweeper.sweep()
    assert yard.engine.started == []


@pytest.mark.parametrize("status", [FlowStatus.QUEUED, FlowStatus.RUNNING])
async def test_one_whose_flow_goes_on_is_left_alone(yard: Yard, status: FlowStatus):
    await yard.open()
    yard.engine.flows[SOLVE] = status
    await yard.sweeper.sweep()
    assert yard.engine.started == []
    assert (await yard.row()).state is SolveState.RUNNING


async def test_one_that_the_engine_gave_up_is_failed_with_the_reason(yard: Yard):
    await yard.open()
    yard.engine.flows[SOLVE] = FlowStatus.ENDED
    await yard.sweeper.sweep()
    row = await yard.row()
    assert (row.state, row.error) == (
        SolveState.FAILED,
        "the engine gave up on it: see the workers' log",
    )


async def answered(yard: Yard, **changes: object) -> None:
    """A crash came between the answer and what follows it."""
    await yard.open(**changes)
    async with yard.ring.store.change() as db:
        await events.append(db, SOLVE, kind=events.ANSWERED, at=2.0)
    # Its first flow ended when it asked.
    yard.engine.flows[SOLVE] = FlowStatus.ENDED


async def test_an_answered_one_is_concluded_not_given_up(yard: Yard):
    await answered(yard)
    await yard.sweeper.sweep()
    assert yard.engine.concluded == [(SOLVE, 1)]
    assert yard.engine.started == []
    assert (await yard.row()).state is SolveState.RUNNING


async def test_one_that_is_being_concluded_is_left_alone(yard: Yard):
    await answered(yard)
    yard.engine.flows[SOLVE, 1] = FlowStatus.RUNNING
    await yard.sweeper.sweep()
    assert yard.engine.concluded == []
    assert (await yard.row()).state is SolveState.RUNNING


async def test_one_whose_conclusion_was_given_up_is_failed(yard: Yard):
    await answered(yard)
    yard.engine.flows[SOLVE, 1] = FlowStatus.ENDED
    await yard.sweeper.sweep()
    assert (await yard.row()).state is SolveState.FAILED


async def test_one_that_was_answered_during_the_sweep_is_not_given_up(
    yard: Yard, monkeypatch: pytest.MonkeyPatch
):
    """The engine says that the flow has ended, and meanwhile a person has answered."""

    async def status(solve_id: SolveId, *, turn: int = 0) -> FlowStatus:
        del turn
        async with yard.ring.store.change() as db:
            await solves.change(db, solve_id, attempt=1)
        return FlowStatus.ENDED

    monkeypatch.setattr(yard.engine, "status", status)
    await yard.open()
    await yard.sweeper.sweep()
    assert (await yard.row()).state is SolveState.RUNNING


async def test_one_at_rest_is_never_touched(yard: Yard):
    await yard.open(state=SolveState.AWAITING_REVIEW)
    yard.engine.flows[SOLVE] = FlowStatus.ENDED
    await yard.sweeper.sweep()
    assert (await yard.row()).state is SolveState.AWAITING_REVIEW


async def test_what_a_dead_process_ran_by_itself_is_failed_not_gone_on_with(yard: Yard):
    """It had its own keys and its own sandbox, and a person who may have meant to end it."""
    await yard.open(durable=False, worker_id=WorkerId("gone"))
    await yard.sweeper.sweep()
    row = await yard.row()
    assert (row.state, row.durable) == (SolveState.FAILED, False)
    assert "start it again" in row.error
    assert yard.engine.started == []


async def test_a_sweep_that_fails_is_followed_by_the_next(yard: Yard):
    turns = 0
    came_again = asyncio.Event()

    async def fail_first() -> None:
        nonlocal turns
        turns += 1
        if turns == 1:
            raise OperationalError("SELECT 1", None, Exception("away"))
        came_again.set()

    sweeper = Sweeper(
        store=yard.ring.store,
        clock=yard.clock,
        engine=yard.engine,
        stopper=yard.sweeper.stopper,
        chores=(fail_first,),
    )
    async with rounds("sweeper", sweeper.sweep, every_s=0.01):
        await came_again.wait()


async def test_a_chore_that_fails_keeps_no_other(yard: Yard):
    async def fail() -> None:
        raise PermissionError(1, "Operation not permitted")

    sweeper = replace(yard.sweeper, chores=(fail, *yard.sweeper.chores))
    with capture_logs() as logs:
        await sweeper.sweep()
    assert yard.chores == ["done"]
    assert [line["event"] for line in logs] == ["chore.failed"]
