"""The solve's cap holds whoever makes the calls, and wherever."""

import asyncio
import os
import random
import sqlite3
from collections.abc import AsyncGenerator, Generator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from subprocess import PIPE

import pytest
import pytest_asyncio
from sqlalchemy import event

from tests.support.fakes import AnsweringGateway
from tests.support.servers.databases import postgresql_only_url
from tests.support.servers.preforked import Warm
from yudai.gateway.domain.models import FREE, Model, Price, Provider, Usage
from yudai.gateway.port import Call, Completion
from yudai.kit.causes import Cause
from yudai.kit.clock import SystemClock
from yudai.kit.errors import ClaimLostError, GatewayError
from yudai.kit.ids import RunId, SolveId, WorkerId
from yudai.runs import queries as runs
from yudai.runs.spending import holds, solve_cap
from yudai.runs.spending.holds import Account
from yudai.runs.spending.metered_gateway import MeteredGateway
from yudai.runs.spending.run_cap import Quote
from yudai.runs.spending.solve_cap import SolveCap, spend_queues_of
from yudai.runs.tables import RunRow
from yudai.solves import queries as solves
from yudai.solves.domain.budget import Budget
from yudai.solves.domain.matrix import Contestant, Matrix
from yudai.solves.domain.strategies import Strategy
from yudai.solves.tables import SolveRow
from yudai.store import sqlite
from yudai.store.store import Store
from yudai.store.urls import sqlite_url

__all__ = ["postgresql_only_url"]

SOLVE = SolveId("0190a000-0000-7000-8000-00000000aaaa")
OURS, OTHER = WorkerId("ours"), WorkerId("other")
UNIT = Price(input_micros=0, output_micros=1_000_000)


def quote(micros: int) -> Quote:
    return Quote(input_tokens=0, output_tokens=micros, price=UNIT)


async def open_solve(store: Store, workers: dict[str, WorkerId]) -> None:
    """A solve with a run for each name, which that worker runs."""
    async with store.change() as db:
        solve = SolveRow(
            id=SOLVE,
            repo="toy",
            issue_title="",
            issue_body="",
            matrix=Matrix(models=("m",)),
            budget=Budget(),
            reducer="simple",
            sandbox_backend="process",
            created_at=1.0,
        )
        await solves.add(db, solve)
        rows = [
            RunRow(
                id=RunId(name),
                solve_id=SOLVE,
                position=position,
                handle=name,
                contestant=_contestant(name),
                queued_at=1.0,
                worker_id=worker,
            )
            for position, (name, worker) in enumerate(workers.items())
        ]
        await runs.add_all(db, rows)


def _contestant(handle: str) -> Contestant:
    return Contestant(
        agent="a", model="m", temperature=0, max_edits=1, strategy=Strategy.BALANCED, handle=handle
    )


def solve_cap_of(
    store: Store, cap: int, *, run_id: str = "a", worker_id: WorkerId = OURS
) -> SolveCap:
    return SolveCap(
        store,
        SystemClock(),
        solve_id=SOLVE,
        run_id=RunId(run_id),
        worker_id=worker_id,
        cap_micros=cap,
    )


async def account_of(store: Store) -> Account:
    async with store.database.transaction() as db:
        return await holds.account(db, SOLVE)


async def spend(solve_cap: SolveCap, cost: int, *, bound: int | None = None) -> int:
    async with solve_cap.hold(quote(bound or cost)) as hold:
        hold.cost_micros = cost
        return hold.quote.micros


class Running:
    """A call that is under way until it is told to end."""

    def __init__(self, solve_cap: SolveCap, bound: int) -> None:
        self.begun = asyncio.Event()
        self.end = asyncio.Event()
        self.cost = 0
        self.task = asyncio.create_task(self._run(solve_cap, bound))

    async def _run(self, solve_cap: SolveCap, bound: int) -> None:
        async with solve_cap.hold(quote(bound)) as hold:
            self.begun.set()
            await self.end.wait()
            hold.cost_micros = self.cost

    async def has_begun(self) -> "Running":
        await asyncio.wait_for(self.begun.wait(), 10)
        return self

    async def finish(self, cost: int) -> None:
        self.cost = cost
        self.end.set()
        await self.task


@pytest_asyncio.fixture
async def store(database_url: str) -> AsyncGenerator[Store]:
    async with await Store.open(database_url) as opened:
        await open_solve(opened, {"a": OURS, "b": OURS, "c": OTHER, "d": OTHER})
        yield opened


@pytest_asyncio.fixture
async def other(database_url: str, store: Store) -> AsyncGenerator[Store]:
    """Another worker's, as far as the database can tell."""
    async with await Store.open(database_url) as opened:
        yield opened


async def test_calls_of_two_workers_that_fit_together_run_together(store: Store, other: Store):
    here, there = solve_cap_of(store, 1000), solve_cap_of(other, 1000, run_id="c", worker_id=OTHER)
    calls = [await Running(solve_cap, 300).has_begun() for solve_cap in (here, there, here)]
    fourth = Running(there, 300)
    assert (await account_of(store)).held_micros == 900
    assert not fourth.begun.is_set()
    await calls[0].finish(10)
    await fourth.has_begun()
    for call in (*calls[1:], fourth):
        await call.finish(10)
    account = await account_of(store)
    assert (account.spent_micros, account.held) == (40, ())


async def test_one_that_does_not_fit_waits_for_the_other_worker_and_runs_alone(
    store: Store, other: Store
):
    here, there = solve_cap_of(store, 100), solve_cap_of(other, 100, run_id="c", worker_id=OTHER)
    first = await Running(there, 60).has_begun()
    large, small = Running(here, 500), Running(solve_cap_of(store, 100, run_id="b"), 1)
    await asyncio.sleep(0.3)
    assert not large.begun.is_set()
    assert not small.begun.is_set(), "nobody of the same worker overtakes who came first"
    await first.finish(60)
    await large.has_begun()
    assert not small.begun.is_set()
    await large.finish(500)
    with pytest.raises(GatewayError, match=r"solve's cost cap of \$0.0001 is used up") as refused:
        await small.task
    assert refused.value.cause is Cause.OUT_OF_BUDGET
    account = await account_of(store)
    assert (account.spent_micros, account.held) == (560, ())


async def test_a_settlement_of_the_same_worker_is_heard_without_asking(
    store: Store, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(solve_cap, "POLL_S", 3600)
    first = await Running(solve_cap_of(store, 100), 60).has_begun()
    second = Running(solve_cap_of(store, 100, run_id="b"), 60)
    await asyncio.sleep(0.1)
    assert not second.begun.is_set()
    await first.finish(1)
    await (await second.has_begun()).finish(1)


async def test_what_was_spent_outlives_the_process(database_url: str, store: Store, other: Store):
    await spend(solve_cap_of(store, 100), 70)
    assert await spend(solve_cap_of(other, 100, run_id="c", worker_id=OTHER), 30) == 30
    await store.close()
    async with await Store.open(database_url) as later:
        with pytest.raises(GatewayError, match="used up"):
            await spend(solve_cap_of(later, 100), 1)


async def test_near_the_cap_the_reply_is_cut(store: Store):
    solve_cap = solve_cap_of(store, 5000)
    async with solve_cap.hold(quote(9000)) as hold:
        assert hold.quote.output_tokens == 5000
        hold.cost_micros = 100
    assert (await account_of(store)).used_micros == 100


async def test_free_calls_touch_no_database_and_a_surprising_cost_is_counted(store: Store):
    statements: list[str] = []
    engine = store.database.engine.sync_engine
    event.listen(engine, "before_cursor_execute", lambda *seen: statements.append(seen[2]))
    solve_cap, free = solve_cap_of(store, 0), Quote(10**6, 10**6, FREE)
    async with solve_cap.hold(free) as hold:
        assert hold.quote == free
    assert statements == []
    async with solve_cap.hold(free) as hold:
        hold.cost_micros = 33
    account = await account_of(store)
    assert (account.spent_micros, account.held) == (33, ())


async def test_a_failed_call_is_settled_with_what_may_have_been_billed(store: Store):
    async def fail() -> None:
        async with solve_cap_of(store, 1000).hold(quote(100)) as hold:
            hold.uncertain_micros = 100
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        await fail()
    account = await account_of(store)
    assert (account.spent_micros, account.uncertain_micros, account.held) == (0, 100, ())


async def test_a_cancelled_call_is_settled_however_often_it_is_cancelled(store: Store):
    solve_cap = solve_cap_of(store, 1000)
    begun = asyncio.Event()

    async def call() -> None:
        async with solve_cap.hold(quote(100)) as hold:
            begun.set()
            hold.uncertain_micros = 100
            await asyncio.Event().wait()

    task = asyncio.create_task(call())
    await begun.wait()
    while not task.done():
        task.cancel()
        await asyncio.sleep(0)
    assert task.cancelled()
    if spend_queues_of(store)._tasks:
        await asyncio.wait(spend_queues_of(store)._tasks)
    account = await account_of(store)
    assert (account.uncertain_micros, account.held) == (100, ())


async def test_cancelling_a_waiting_call_at_any_moment_keeps_nothing(store: Store):
    for turns in range(0, 60, 3):
        waiting = asyncio.create_task(spend(solve_cap_of(store, 1000), 1))
        for _ in range(turns):
            await asyncio.sleep(0)
        waiting.cancel()
        await asyncio.wait([waiting])
        assert (await account_of(store)).held == ()


async def test_asking_again_after_an_unknown_commit_sets_aside_once(store: Store):
    solve_cap = solve_cap_of(store, 1000)
    await solve_cap._ask("one", quote(300))
    granted = await solve_cap._ask("one", quote(300))
    assert granted == quote(300)
    assert [held.micros for held in (await account_of(store)).held] == [300]


async def test_a_worker_that_lost_its_run_spends_nothing(store: Store):
    frozen = solve_cap_of(store, 1000)
    await frozen._ask("frozen", quote(600))
    async with store.change() as db:
        await runs.change(db, RunId("a"), worker_id=OTHER, attempt=2)
    with pytest.raises(ClaimLostError):
        await spend(frozen, 1)
    assert await spend(solve_cap_of(store, 1000, worker_id=OTHER), 300) == 300
    account = await account_of(store)
    assert (account.uncertain_micros, account.spent_micros, account.held) == (600, 300, ())


async def test_an_outage_while_it_is_settled_loses_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    """The one who settles goes on when it is told, the settlement when it can."""
    monkeypatch.setitem(sqlite.OPTIONS["connect_args"], "timeout", 0.02)
    monkeypatch.setattr(solve_cap, "SETTLING_S", 0.1)
    file = tmp_path / "yudai.db"
    async with await Store.open(sqlite_url(file)) as store:
        await open_solve(store, {"a": OURS})
        call = await Running(solve_cap_of(store, 100), 60).has_begun()
        with closing(sqlite3.connect(file, isolation_level=None)) as elsewhere:
            elsewhere.execute("BEGIN IMMEDIATE")
            await call.finish(50)
            elsewhere.execute("ROLLBACK")
        assert await asyncio.wait_for(spend(solve_cap_of(store, 100), 50, bound=90), 10) == 90
        account = await account_of(store)
        assert (account.spent_micros, account.held) == (100, ())


async def test_patience_helps_to_set_aside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(sqlite.OPTIONS["connect_args"], "timeout", 0.02)
    file = tmp_path / "yudai.db"
    async with await Store.open(sqlite_url(file), patience_s=30) as store:
        await open_solve(store, {"a": OURS})
        with closing(sqlite3.connect(file, isolation_level=None)) as elsewhere:
            elsewhere.execute("BEGIN IMMEDIATE")
            call = Running(solve_cap_of(store, 100), 60)
            await asyncio.sleep(0.1)
            assert not call.begun.is_set()
            elsewhere.execute("ROLLBACK")
        await (await call.has_begun()).finish(1)


_KILLED = """
import asyncio, sys
from yudai.kit.clock import SystemClock
from yudai.gateway.domain.models import Price
from yudai.runs.spending.run_cap import Quote
from yudai.runs.spending.solve_cap import SolveCap
from yudai.store.store import Store

async def main(url, solve_id):
    store = await Store.open(url)
    solve_cap = SolveCap(store, SystemClock(), solve_id=solve_id, run_id="c", worker_id="other",
                        cap_micros=1000)
    price = Price(input_micros=0, output_micros=1_000_000)
    async with solve_cap.hold(Quote(0, 400, price)):
        print("held", flush=True)
        await asyncio.sleep(3600)

asyncio.run(main(*sys.argv[1:]))
"""


@contextmanager
def _killed(folder: Path, text: str, url: str) -> Generator[Warm]:
    """A process that is killed at the end."""
    program = folder / "program.py"
    program.write_text(text)
    with Warm([program, url, SOLVE], env=os.environ, stdout=PIPE, bufsize=0) as process:
        try:
            yield process
        finally:
            process.kill()


async def _said(process: Warm) -> bytes:
    assert process.stdout is not None
    return await asyncio.to_thread(process.stdout.readline)


async def test_the_call_of_a_killed_worker_holds_its_money_until_it_is_written_off(
    database_url: str, store: Store, tmp_path: Path
):
    with _killed(tmp_path, _KILLED, database_url) as other:
        assert await _said(other) == b"held\n"
    assert await spend(solve_cap_of(store, 1000), 100) == 100
    large = Running(solve_cap_of(store, 1000), 900)
    await asyncio.sleep(0.3)
    assert not large.begun.is_set()
    async with store.change() as db:
        assert await holds.write_off(db, OTHER, at=9.0) == 1
    await (await large.has_begun()).finish(900)
    account = await account_of(store)
    assert (account.spent_micros, account.uncertain_micros) == (1000, 400)
    with pytest.raises(GatewayError, match="used up"):
        await spend(solve_cap_of(store, 1000), 1)


class CapLoad:
    """Callers of two workers, some of which are cancelled."""

    def __init__(self, cap: int, seed: int) -> None:
        self.cap = cap
        self.dice = random.Random(seed)  # noqa: S311 - the same load every time
        self.under_way: dict[str, int] = {}
        self.spent = 0
        self.dearest = 0

    async def call(self, solve_cap: SolveCap, name: str) -> None:
        bound = self.dice.randint(1, self.cap // 3)
        async with solve_cap.hold(quote(bound)) as hold:
            self.under_way[name] = bound
            # A cancelled one may have been billed in full.
            hold.uncertain_micros = bound
            fits = self.spent + sum(self.under_way.values()) <= self.cap
            assert fits or len(self.under_way) == 1, "two calls could overshoot together"
            await asyncio.sleep(self.dice.random() * 0.01)
            cost = self.dice.randint(0, bound)
            self.end(name, cost)
            hold.cost_micros, hold.uncertain_micros = cost, 0

    def end(self, name: str, cost: int) -> None:
        self.under_way.pop(name, None)
        self.spent += cost
        self.dearest = max(self.dearest, cost)

    async def caller(self, solve_cap: SolveCap, name: str) -> None:
        try:
            while True:
                await self.call(solve_cap, name)
        except GatewayError:
            return
        except asyncio.CancelledError:
            self.end(name, self.under_way.get(name, 0))
            raise


@pytest.mark.parametrize("seed", range(4))
async def test_only_a_single_call_can_ever_overshoot(postgresql_only_url: str, seed: int):
    load = CapLoad(1000, seed)
    workers = {f"{n}": OURS if n % 2 else OTHER for n in range(8)}
    async with (
        asyncio.timeout(60),
        await Store.open(postgresql_only_url) as here,
        await Store.open(postgresql_only_url) as there,
    ):
        await open_solve(here, workers)
        callers: list[asyncio.Task[None]] = []
        for name, worker in workers.items():
            place = here if worker == OURS else there
            solve_cap = solve_cap_of(place, load.cap, run_id=name, worker_id=worker)
            callers.append(asyncio.create_task(load.caller(solve_cap, name)))
        for unlucky in callers[:2]:
            await asyncio.sleep(load.dice.random() * 0.1)
            unlucky.cancel()
        for task in callers:
            with suppress(asyncio.CancelledError):
                await task
        account = await account_of(here)
    assert account.held == ()
    assert account.used_micros == load.spent
    assert load.cap <= load.spent < load.cap + load.dearest


_RACING = """
import asyncio, sys
from random import Random
from yudai.kit.clock import SystemClock
from yudai.gateway.domain.models import Price
from yudai.runs.spending.run_cap import Quote
from yudai.runs.spending.solve_cap import SolveCap
from yudai.store.store import Store

PRICE = Price(input_micros=0, output_micros=1_000_000)

async def call_for_ever(store, solve_id, run_id):
    dice = Random(run_id)
    solve_cap = SolveCap(store, SystemClock(), solve_id=solve_id, run_id=run_id,
                        worker_id="other", cap_micros=800)
    while True:
        async with solve_cap.hold(Quote(0, dice.randint(1, 50), PRICE)) as hold:
            print("call", flush=True)
            await asyncio.sleep(dice.random() * 0.02)
            hold.cost_micros = hold.quote.micros

async def main(url, solve_id):
    store = await Store.open(url)
    async with asyncio.TaskGroup() as group:
        for run_id in "4567":
            group.create_task(call_for_ever(store, solve_id, run_id))

asyncio.run(main(*sys.argv[1:]))
"""


async def test_the_cap_holds_when_a_worker_is_killed_in_the_middle(
    postgresql_only_url: str, tmp_path: Path
):
    load = CapLoad(800, 1)
    async with asyncio.timeout(60), await Store.open(postgresql_only_url) as store:
        await open_solve(store, {f"{n}": OURS if n < 4 else OTHER for n in range(8)})
        with _killed(tmp_path, _RACING, postgresql_only_url) as other:
            await _said(other)
            callers = [
                asyncio.create_task(_call_for_ever(load, solve_cap_of(store, 800, run_id=f"{n}")))
                for n in range(4)
            ]
            for _ in range(8):
                await _said(other)
        async with store.change() as db:
            lost = await holds.write_off(db, OTHER, at=9.0)
        await asyncio.wait(callers)
        account = await account_of(store)
    assert lost
    assert account.held == ()
    assert account.spent_micros
    assert account.uncertain_micros
    assert 800 <= account.used_micros < 800 + 50


async def _call_for_ever(load: CapLoad, solve_cap: SolveCap) -> None:
    with suppress(GatewayError):
        while True:
            async with solve_cap.hold(quote(load.dice.randint(1, 50))) as hold:
                await asyncio.sleep(load.dice.random() * 0.02)
                hold.cost_micros = hold.quote.micros


async def test_a_run_under_both_caps_goes_on_where_its_earlier_attempt_ended(store: Store):
    def answer(_: Call) -> Completion:
        usage = Usage(input_tokens=1, output_tokens=1, cost_micros=400)
        return Completion(
            content="", tool_calls=(), finish_reason="stop", usage=usage, has_cost=True
        )

    asked = AnsweringGateway(answer)
    models = {"m": Model(name="m", provider=Provider.LOCAL, model_id="m", price=UNIT)}
    gateway = MeteredGateway(
        asked, solve_cap_of(store, 10_000), models, run_cap_micros=1_000, spent_micros=500
    )
    call = Call(model="m", temperature=0, messages=[{"content": "x"}], tools=[], turn=0)
    await gateway.complete(call)
    await gateway.complete(call)
    with pytest.raises(GatewayError, match="run's cost cap"):
        await gateway.complete(call)
    assert len(asked.calls) == 2
    assert (await account_of(store)).spent_micros == 800
