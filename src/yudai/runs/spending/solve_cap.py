"""The solve's money, counted in the database: its cap holds over workers and restarts."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from enum import Enum, auto
from functools import partial
from itertools import repeat
from typing import NamedTuple

import structlog
from sqlalchemy.ext.asyncio import AsyncSession

from yudai.kit.clock import Clock
from yudai.kit.errors import TakenError
from yudai.kit.ids import RunId, SolveId, WorkerId
from yudai.kit.retry import retry
from yudai.runs.spending import holds
from yudai.runs.spending.holds import Account
from yudai.runs.spending.run_cap import Hold, Quote, grant, used_up
from yudai.runs.spending.wait_queue import lines_of
from yudai.runs.tables import HoldRow
from yudai.store.outages import StoreAwayError, patiently
from yudai.store.store import Store

log: structlog.stdlib.BoundLogger = structlog.get_logger()

POLL_S = 0.2
"""How often one who waits looks whether another process has settled."""
SETTLING_S = 5.0
"""How long, beyond the store's patience, a call waits for its cost to be written."""
CANCELLED_S = 1.0
"""The same when it was cancelled; the writing goes on without it."""
_RETRY_S = 0.5


class RunCap(NamedTuple):
    """Of a run whose calls any process may make: it is counted with the solve's."""

    cap_micros: int
    attempt: int


class _Wait(Enum):
    FOR_SOLVE = auto()
    FOR_RUN = auto()


class SharedPurse:
    """A run's way to its solve's money; those of one solve queue together in this process."""

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
        self.run_cap: RunCap | None = None
        """None: whoever makes the run's calls counts what they cost it."""
        self._store = store
        self._clock = clock
        self._solve_id = solve_id
        self._run_id = run_id
        self._worker_id = worker_id
        self._cap_micros = cap_micros
        self._line = lines_of(store).of(solve_id)
        self._turn = asyncio.Lock()

    @property
    def dearest(self) -> dict[str, int]:
        return self._line.dearest

    @asynccontextmanager
    async def hold(self, quote: Quote) -> AsyncGenerator[Hold]:
        """As `Capped`, in order of arrival within this process.

        TakenError when another worker has taken the run up; StoreAwayError when the database
        stays away. However the call ends, it is settled, also when its task is cancelled.
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
                    async with self._line.turn:
                        granted = await self._granted(hold_id, quote)
                    if isinstance(granted, Quote):
                        return granted
                    # For calls of its own run: meanwhile other runs have their turn.
                    await self._line.wait(POLL_S)
        except BaseException:
            # It may have been set aside in the moment of the cancellation or of the outage.
            await self._settle(hold_id, Hold(quote), within_s=CANCELLED_S)
            raise

    async def _granted(self, hold_id: str, quote: Quote) -> Quote | _Wait:
        """In its turn at the solve's money, which it waits for."""
        while True:
            self._line.forget_news()
            granted = await patiently(
                partial(self._ask, hold_id, quote), self._store.database.patience_s
            )
            if granted is not _Wait.FOR_SOLVE:
                return granted
            await self._line.wait(POLL_S)

    async def _ask(self, hold_id: str, quote: Quote) -> Quote | _Wait:
        """One transaction, which may be repeated."""
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
        """As far as the run's own cap goes; None: wait for its calls that are under way."""
        if self.run_cap is None:
            return quote
        cap = self.run_cap.cap_micros
        left = cap - await holds.run_used_micros(db, self._run_id)
        if left <= 0:
            raise used_up("run", cap)
        held = sum(held.micros for held in account.held if held.run_id == self._run_id)
        return grant(quote, left_micros=left, held_micros=held)

    async def _account(self, db: AsyncSession, hold_id: str) -> Account:
        """As it is now, without what is left of this run's earlier calls."""
        account = await holds.account(db, self._solve_id)
        if await holds.worker_of(db, self._run_id) not in (self._worker_id, None):
            raise TakenError(f"run {self._run_id} was taken up by another worker")
        of_run = [held for held in account.held if held.run_id == self._run_id]
        lost = [held for held in of_run if held.worker_id != self._worker_id]
        is_repeated = any(held.id == hold_id for held in of_run)
        if not lost and not is_repeated:
            return account
        await holds.write_off_all(db, self._solve_id, lost, at=self._clock.now())
        await holds.remove(db, hold_id)
        return await holds.account(db, self._solve_id)

    async def _settle(self, hold_id: str, hold: Hold, *, within_s: float | None = None) -> None:
        """Written to its end, also when we are cancelled; later, when the database stays away."""
        loop = asyncio.get_running_loop()
        settling = lines_of(self._store).begin(self._settle_at_last(hold_id, hold))
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

    async def _settle_at_last(self, hold_id: str, hold: Hold) -> None:
        def tell(error: StoreAwayError, _: float) -> None:
            log.warning("money.not_settled_yet", run_id=self._run_id, error=str(error))

        write = partial(self._write, hold_id, hold)
        await retry(write, repeat(_RETRY_S), on=StoreAwayError, tell=tell)
        self._line.tell()

    async def _write(self, hold_id: str, hold: Hold) -> None:
        bought = {"cost_micros": hold.cost_micros, "uncertain_micros": hold.uncertain_micros}
        async with self._store.database.transaction() as db:
            if not hold_id:
                await holds.charge(db, self._solve_id, **bought)
            elif not await holds.settle(db, self._solve_id, hold_id, **bought):
                return
            if self.run_cap is not None:
                await holds.charge_run(db, self._run_id, self.run_cap.attempt, **bought)
