"""A cap is never overshot by more than one call, however many runs share it."""

import asyncio
from contextlib import suppress
from typing import NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from yudai.gateway.domain.models import FREE, Price
from yudai.kit.causes import Cause
from yudai.kit.errors import GatewayError
from yudai.runs.spending.run_cap import USEFUL_OUTPUT_TOKENS, Quote, RunCap

# One micro-dollar per output token, and nothing else, makes the sums readable.
UNIT = Price(input_micros=0, output_micros=1_000_000)


def quote(micros: int) -> Quote:
    """A call that can cost this much; below the useful length it cannot be cut any shorter."""
    return Quote(input_tokens=0, output_tokens=micros, price=UNIT)


async def spend(run_cap: RunCap, cost: int, *, bound: int | None = None) -> int:
    """One call; returns what it was allowed to cost."""
    async with run_cap.hold(quote(bound or cost)) as hold:
        hold.cost_micros = cost
        return hold.quote.micros


class Running:
    """A call that is under way until it is told to end."""

    def __init__(self, run_cap: RunCap, bound: int) -> None:
        self.begun = asyncio.Event()
        self.end = asyncio.Event()
        self.cost = 0
        self.task = asyncio.create_task(self._run(run_cap, bound))

    async def _run(self, run_cap: RunCap, bound: int) -> None:
        async with run_cap.hold(quote(bound)) as hold:
            self.begun.set()
            await self.end.wait()
            hold.cost_micros = self.cost

    async def finish(self, cost: int) -> None:
        self.cost = cost
        self.end.set()
        await self.task


async def settled() -> None:
    """Let every task that can go on go on."""
    for _ in range(5):
        await asyncio.sleep(0)


async def test_calls_that_fit_together_run_together():
    run_cap = RunCap(1000)
    runs = [Running(run_cap, 300) for _ in range(4)]
    await settled()
    assert [run.begun.is_set() for run in runs] == [True, True, True, False]
    assert run_cap.reserved_micros == 900
    await runs[0].finish(10)
    await settled()
    assert runs[3].begun.is_set()
    for run in runs[1:]:
        await run.finish(10)
    assert (run_cap.spent_micros, run_cap.reserved_micros, run_cap.left_micros) == (
        40,
        0,
        960,
    )


async def test_a_call_that_does_not_fit_runs_alone_and_may_overshoot_alone():
    run_cap = RunCap(100)
    first, large = Running(run_cap, 60), Running(run_cap, 500)
    small = Running(run_cap, 1)
    await settled()
    assert not large.begun.is_set()
    assert not small.begun.is_set(), "nobody overtakes who came first"
    await first.finish(60)
    await settled()
    assert (large.begun.is_set(), small.begun.is_set()) == (True, False)
    await large.finish(500)
    with pytest.raises(GatewayError, match=r"solve's cost cap of \$0.0001 is used up") as refused:
        await small.task
    assert refused.value.cause is Cause.OUT_OF_BUDGET
    assert run_cap.spent_micros == 560
    assert run_cap.reserved_micros == 0


async def test_a_used_up_cap_refuses_at_once_also_while_others_run():
    run_cap = RunCap(100)
    running = Running(run_cap, 50)
    await settled()
    await spend(run_cap, 100, bound=50)
    with pytest.raises(GatewayError):
        await spend(run_cap, 1)
    await running.finish(0)


async def test_free_calls_neither_wait_nor_fail():
    run_cap = RunCap(0)
    free = Quote(input_tokens=10**6, output_tokens=10**6, price=FREE)
    for _ in range(3):
        async with run_cap.hold(free) as hold:
            assert hold.quote == free
    with pytest.raises(GatewayError):
        await spend(run_cap, 1)
    busy = RunCap(100)
    await spend(busy, 100)
    async with busy.hold(free):
        pass


async def test_what_may_have_been_billed_counts_against_the_cap_but_is_no_cost():
    run_cap = RunCap(100)
    async with run_cap.hold(quote(100)) as hold:
        hold.uncertain_micros = 100
    assert (run_cap.spent_micros, run_cap.uncertain_micros, run_cap.left_micros) == (
        0,
        100,
        0,
    )
    with pytest.raises(GatewayError):
        await spend(run_cap, 1)


async def test_an_error_gives_everything_back():
    run_cap = RunCap(100)
    with pytest.raises(ZeroDivisionError):
        async with run_cap.hold(quote(100)):
            raise ZeroDivisionError
    assert (run_cap.spent_micros, run_cap.reserved_micros) == (0, 0)


async def test_one_who_stops_waiting_lets_the_next_ones_in():
    run_cap = RunCap(100)
    running, large, small = Running(run_cap, 60), Running(run_cap, 80), Running(run_cap, 10)
    await settled()
    assert not small.begun.is_set()
    large.task.cancel()
    await settled()
    assert small.begun.is_set()
    await running.finish(1)
    await small.finish(1)
    assert (run_cap.spent_micros, run_cap.reserved_micros) == (2, 0)


@pytest.mark.parametrize("cost", [0, 100])
async def test_cancelled_in_the_moment_of_the_answer_leaves_nothing_reserved(cost: int):
    run_cap = RunCap(100)
    async with run_cap.hold(quote(100)) as hold:
        waiting = Running(run_cap, 100)
        await settled()
        hold.cost_micros = cost
    # It was granted or refused on the way out of the block, but could not run since.
    waiting.task.cancel()
    await settled()
    assert waiting.task.cancelled()
    assert not waiting.begun.is_set()
    assert (run_cap.reserved_micros, run_cap.spent_micros) == (0, cost)


async def test_near_the_cap_replies_get_shorter_but_stay_useful():
    run_cap = RunCap(10_000)
    await spend(run_cap, 5_000)
    assert await spend(run_cap, 2_000, bound=16_384) == 5_000
    assert await spend(run_cap, 2_900, bound=16_384) == 3_000
    assert await spend(run_cap, 0, bound=16_384) == USEFUL_OUTPUT_TOKENS
    assert await spend(run_cap, 0, bound=500) == 500


def test_a_shorter_reply_fits_to_the_micro_dollar():
    price = Price(input_micros=3_000_000, output_micros=15_000_000)
    whole = Quote(input_tokens=1001, output_tokens=16_384, price=price)
    for left in (40_000, 50_001, 100_007):
        short = whole.within(left)
        assert short.micros <= left < short._replace(output_tokens=short.output_tokens + 1).micros
    assert whole.within(10**9) == whole


def test_a_bound_covers_writing_to_a_cache_and_the_dearest_call_so_far():
    price = Price(input_micros=4_000_000, output_micros=0)
    assert Quote(1000, 10, price).micros == 5000
    assert Quote(1000, 10, FREE, dearest_micros=7).micros == 7
    assert Quote(1000, 10, price, dearest_micros=7).micros == 5000


class Turn(NamedTuple):
    """One call of one contestant."""

    bound: int
    cost: int
    takes: int


TURNS = st.tuples(st.integers(1, 400), st.floats(0, 1), st.integers(0, 6)).map(
    lambda drawn: Turn(drawn[0], int(drawn[0] * drawn[1]), drawn[2])
)


class Callers:
    """Contestants that call until they have had their turns, are refused, or are cancelled."""

    def __init__(self, cap: int) -> None:
        self.run_cap = RunCap(cap)
        self.charges = [0]

    async def contestant(self, turns: list[Turn]) -> None:
        for turn in turns:
            try:
                async with self.run_cap.hold(quote(turn.bound)) as hold:
                    assert self.run_cap.left_micros > 0, "a call was made on a used-up cap"
                    for _ in range(turn.takes):
                        await asyncio.sleep(0)
                    hold.cost_micros = turn.cost
                    self.charges.append(turn.cost)
            except GatewayError:
                assert self.run_cap.left_micros <= 0, "refused, although there was money"
                return

    async def run(self, lots: list[list[Turn]], cancelled: dict[int, int]) -> None:
        async with asyncio.timeout(30):
            tasks = [asyncio.create_task(self.contestant(turns)) for turns in lots]
            for number, after in cancelled.items():
                for _ in range(after):
                    await asyncio.sleep(0)
                tasks[number % len(tasks)].cancel()
            for task in tasks:
                with suppress(asyncio.CancelledError):
                    await task


def spend_together(cap: int, lots: list[list[Turn]], cancelled: dict[int, int]) -> None:
    """No deadlock, nothing left reserved, and an overshoot of less than one call."""
    run = Callers(cap)
    asyncio.run(run.run(lots, cancelled))
    assert run.run_cap.reserved_micros == 0
    assert run.run_cap.spent_micros == sum(run.charges)
    assert run.run_cap.spent_micros < cap + max(run.charges, default=0) or cap == 0
    if not cancelled and all(turn.bound <= cap for turns in lots for turn in turns):
        whole = sum(turn.cost for turns in lots for turn in turns)
        assert run.run_cap.spent_micros == whole or run.run_cap.left_micros <= 0


LOTS = st.lists(TURNS, min_size=1, max_size=8)
CANCELLED = st.dictionaries(st.integers(0, 99), st.integers(0, 5), max_size=12)


@settings(deadline=None, max_examples=60)
@given(
    cap=st.integers(0, 5_000),
    lots=st.lists(LOTS, min_size=20, max_size=20),
    cancelled=CANCELLED,
)
def test_twenty_contestants_share_a_cap(
    cap: int, lots: list[list[Turn]], cancelled: dict[int, int]
):
    spend_together(cap, lots, cancelled)


@settings(deadline=None, max_examples=25)
@given(
    cap=st.integers(0, 20_000),
    turns=st.lists(LOTS, min_size=5, max_size=5),
    cancelled=CANCELLED,
)
def test_a_hundred_contestants_share_a_cap(
    cap: int, turns: list[list[Turn]], cancelled: dict[int, int]
):
    spend_together(cap, turns * 20, cancelled)
