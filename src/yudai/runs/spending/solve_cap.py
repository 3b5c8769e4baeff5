"""A solve's spending cap, counted in the database: it holds over workers and restarts."""

import asyncio
from collections.abc import AsyncGenerator, Coroutine
from contextlib import asynccontextmanager, suppress
from enum import Enum, auto
from functools import partial
from itertools import repeat
from typing import Any, NamedTuple
from weakref import WeakValueDictionary

import structlog
from sqlalchemy.ext.asyncio import AsyncSession

from yudai.kit.clock import Clock
from yudai.kit.errors import ClaimLostError
from yudai.kit.ids import RunId, SolveId, WorkerId
from yudai.kit.retry import retry
from yudai.runs.spending import holds
from yudai.runs.spending.holds import Account
from yudai.runs.spending.run_cap import Hold, Quote, grant, used_up
from yudai.runs.tables import HoldRow
from yudai.store.outages import StoreAwayError, retry_while_away
from yudai.store.store import Store

log: structlog.stdlib.BoundLogger = structlog.get_logger()

POLL_S = 0.2
"""How often a waiting call checks for settlements of other processes."""
SETTLING_S = 5.0
"""How long beyond the store's patience a call waits until its cost is written."""
CANCELLED_S = 1.0
"""The same for a cancelled call; writing continues in the background."""
_RETRY_S = 0.5


class SpendQueue:
    """One call reserves at a time, in order of arrival."""

    def __init__(self) -> None:
        self.turn = asyncio.Lock()
        self.dearest: dict[str, int] = {}
        """Cost of the most expensive call so far, by model."""
        self._settled = asyncio.Event()

    def clear(self) -> None:
        self._settled.clear()

    def notify(self) -> None:
        """Wake the waiting call after a settlement."""
        self._settled.set()

    async def wait(self, at_most_s: float) -> None:
        """Wait for a settlement of this process since `clear`."""
        with suppress(TimeoutError):
            async with asyncio.timeout(at_most_s):
                await self._settled.wait()


class SpendQueues:
    def __init__(self) -> None:
        self._queues: WeakValueDictionary[SolveId, SpendQueue] = WeakValueDictionary()
        self._tasks: set[asyncio.Task[None]] = set()

    def of(self, solve_id: SolveId) -> SpendQueue:
        """The queue of a solve, shared while it is in use."""
        queue = self._queues.get(solve_id)
        if queue is None:
            queue = self._queues[solve_id] = SpendQueue()
        return queue

    def start(self, settling: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        """Start a settlement that continues also without its caller."""
        task = asyncio.create_task(settling, name="settling")
        self._tasks.add(task)
        task.add_done_callback(self._ended)
        return task

    async def flush(self) -> None:
        """Nothing to do, because a settlement has its own transaction."""

    async def close(self) -> None:
        """Cancel open settlements; they are written off with this worker."""
        tasks = list(self._tasks)
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks)

    def _ended(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (error := task.exception()):
            log.error("money.not_settled", error=repr(error))


def spend_queues_of(store: Store) -> SpendQueues:
    return store.part(SpendQueues, SpendQueues)


class AttemptCap(NamedTuple):
    """Cap of a run whose calls any process may make: counted together with the solve's."""

    cap_micros: int
    attempt: int


class _Wait(Enum):
    FOR_SOLVE = auto()
    FOR_RUN = auto()


class SolveCap:
    """Reserves a call's maximum cost against the solve's cap and settles it afterwards.

    Calls of one solve queue in order within this process.
    """

    def __init__(
        self,
        store: Store,
        clock: Clock,
        *,
        solve_id: SolveId,
        run_id: RunId,
        worker_id: WorkerId,
        cap_micros: int,
    ) -> None:
        self.attempt_cap: AttemptCap | None = None
        """None: the caller counts the run's own cost."""
        self._store = store
        self._clock = clock
        self._solve_id = solve_id
        self._run_id = run_id
        self._worker_id = worker_id
        self._cap_micros = cap_micros
        self._queue = spend_queues_of(store).of(solve_id)
        self._turn = asyncio.Lock()

    @property
    def dearest(self) -> dict[str, int]:
        return self._queue.dearest

    @asynccontextmanager
    async def hold(self, quote: Quote) -> AsyncGenerator[Hold]:
        """As `SpendingCap`, in order of arrival within this process.

        ClaimLostError when another worker has claimed the run; StoreAwayError when the database
        stays unavailable. A call is always settled, also when its task is cancelled.
        """
        hold_id = self._clock.new_id() if quote.micros else ""
        hold = Hold(await self._reserve(hold_id, quote) if hold_id else quote)
        try:
            yield hold
        finally:
            if hold_id or hold.cost_micros or hold.uncertain_micros:
                await self._settle(hold_id, hold)

    async def _reserve(self, hold_id: str, quote: Quote) -> Quote:
        try:
            async with self._turn:
                while True:
                    async with self._queue.turn:
                        granted = await self._granted(hold_id, quote)
                    if isinstance(granted, Quote):
                        return granted
                    # It waits for calls of its run. Meanwhile other runs may proceed.
                    await self._queue.wait(POLL_S)
        except BaseException:
            # It may have been reserved at the moment of the cancellation or outage.
            await self._settle(hold_id, Hold(quote), within_s=CANCELLED_S)
            raise

    async def _granted(self, hold_id: str, quote: Quote) -> Quote | _Wait:
        """Wait until the solve's cap has room for it."""
        while True:
            self._queue.clear()
            granted = await retry_while_away(
                partial(self._ask, hold_id, quote), self._store.database.patience_s
            )
            if granted is not _Wait.FOR_SOLVE:
                return granted
            await self._queue.wait(POLL_S)

    async def _ask(self, hold_id: str, quote: Quote) -> Quote | _Wait:
        """Try to reserve, in one transaction that may be repeated."""
        async with self._store.database.transaction() as db:
            account = await self._account(db, hold_id)
            left = self._cap_micros - account.used_micros
            if left <= 0:
                raise used_up("solve", self._cap_micros)
            own = await self._of_run(db, account, quote)
            if own is None:
                return _Wait.FOR_RUN
            granted = grant(own, left_micros=left, held_micros=account.held_micros)
            if granted is None:
                return _Wait.FOR_SOLVE
            row = HoldRow(
                id=hold_id,
                solve_id=self._solve_id,
                run_id=self._run_id,
                worker_id=self._worker_id,
                micros=granted.micros,
                at=self._clock.now(),
            )
            await holds.add(db, row)
            return granted

    async def _of_run(self, db: AsyncSession, account: Account, quote: Quote) -> Quote | None:
        """Limit the call to the run's own cap; None: wait for the run's other calls."""
        if self.attempt_cap is None:
            return quote
        cap = self.attempt_cap.cap_micros
        left = cap - await holds.run_used_micros(db, self._run_id)
        if left <= 0:
            raise used_up("run", cap)
        held = sum(held.micros for held in account.held if held.run_id == self._run_id)
        return grant(quote, left_micros=left, held_micros=held)

    async def _account(self, db: AsyncSession, hold_id: str) -> Account:
        """The account, after writing off leftovers of this run's earlier calls."""
        account = await holds.account(db, self._solve_id)
        if await holds.worker_of(db, self._run_id) not in (self._worker_id, None):
            raise ClaimLostError(f"run {self._run_id} was taken over by another worker")
        of_run = [held for held in account.held if held.run_id == self._run_id]
        lost = [held for held in of_run if held.worker_id != self._worker_id]
        is_repeated = any(held.id == hold_id for held in of_run)
        if not lost and not is_repeated:
            return account
        await holds.write_off_all(db, self._solve_id, lost, at=self._clock.now())
        await holds.remove(db, hold_id)
        return await holds.account(db, self._solve_id)

    async def _settle(self, hold_id: str, hold: Hold, *, within_s: float | None = None) -> None:
        """Write the cost, also when cancelled; in the background during a database outage."""
        loop = asyncio.get_running_loop()
        settling = spend_queues_of(self._store).start(self._settle_with_retries(hold_id, hold))
        deadline = loop.time() + (self._settling_s() if within_s is None else within_s)
        cancelled: asyncio.CancelledError | None = None
        while not settling.done() and (left_s := deadline - loop.time()) > 0:
            try:
                await asyncio.wait([settling], timeout=left_s)
            except asyncio.CancelledError as error:
                cancelled = error
                deadline = min(deadline, loop.time() + CANCELLED_S)
        if cancelled:
            raise cancelled
        if settling.done():
            settling.result()

    def _settling_s(self) -> float:
        task = asyncio.current_task()
        is_cancelled = task is not None and task.cancelling()
        return CANCELLED_S if is_cancelled else self._store.database.patience_s + SETTLING_S

    async def _settle_with_retries(self, hold_id: str, hold: Hold) -> None:
        def tell(error: StoreAwayError, _: float) -> None:
            log.warning("money.not_settled_yet", run_id=self._run_id, error=str(error))

        write = partial(self._write, hold_id, hold)
        await retry(write, repeat(_RETRY_S), on=StoreAwayError, tell=tell)
        self._queue.notify()

    async def _write(self, hold_id: str, hold: Hold) -> None:
        bought = {"cost_micros": hold.cost_micros, "uncertain_micros": hold.uncertain_micros}
        async with self._store.database.transaction() as db:
            if not hold_id:
                await holds.charge(db, self._solve_id, **bought)
            elif not await holds.settle(db, self._solve_id, hold_id, **bought):
                return
            if self.attempt_cap is not None:
                await holds.charge_run(db, self._run_id, self.attempt_cap.attempt, **bought)
