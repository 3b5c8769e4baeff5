"""Spending caps: a call's maximum cost is reserved before the call and settled after it."""

import asyncio
from collections import deque
from collections.abc import AsyncGenerator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

from yudai.gateway.domain.models import TOKENS_PER_PRICE, Price, Usage
from yudai.kit.causes import Cause
from yudai.kit.errors import GatewayError
from yudai.kit.money import usd

USEFUL_OUTPUT_TOKENS = 1024
"""Near the cap a reply is limited to this, never below: that would only waste its input."""


class Quote(NamedTuple):
    """The most that one call can cost."""

    input_tokens: int
    output_tokens: int
    price: Price
    dearest_micros: int = 0
    """The model's most expensive call so far: some replies cost more than our prices say."""

    @property
    def micros(self) -> int:
        return max(self._cost(self.output_tokens), self.dearest_micros)

    def within(self, left_micros: int) -> "Quote":
        """The same call, with a shorter reply if the full one could cost more than is left."""
        if not self.price.output_micros or self.micros <= left_micros:
            return self
        for_output = left_micros - self._cost(0)
        affordable = for_output * TOKENS_PER_PRICE // self.price.output_micros
        output = min(self.output_tokens, max(USEFUL_OUTPUT_TOKENS, affordable))
        return self._replace(output_tokens=output)

    def _cost(self, output_tokens: int) -> int:
        # Providers may charge a quarter more for input that they write to their cache.
        dear_input = -(-self.input_tokens * 5 // 4)
        return self.price.cost(Usage(input_tokens=dear_input, output_tokens=output_tokens))


@dataclass
class Hold:
    """Money reserved for one call, and the call's cost."""

    quote: Quote
    cost_micros: int = 0
    uncertain_micros: int = 0


class SpendingCap(Protocol):
    """A cap on the cost of model calls."""

    @property
    def dearest(self) -> dict[str, int]:
        """Cost of the most expensive call so far, by model."""
        ...

    def hold(self, quote: Quote) -> AbstractAsyncContextManager[Hold]:
        """Reserve a call's maximum cost until its real cost is known.

        Calls that fit under the cap together run together. A call that does not fit waits for
        the others and then runs alone, so that at most one call can exceed the cap.
        GatewayError when the cap is used up. Free calls neither wait nor fail.
        """
        ...


def grant(quote: Quote, *, left_micros: int, held_micros: int) -> Quote | None:
    """The call as it may be made now, maybe with a shorter reply; None: wait for other calls."""
    granted = quote.within(left_micros)
    if held_micros and held_micros + granted.micros > left_micros:
        return None
    return granted


def used_up(owner: str, cap_micros: int) -> GatewayError:
    return GatewayError(
        f"the {owner}'s cost cap of ${usd(cap_micros):g} is used up", cause=Cause.OUT_OF_BUDGET
    )


class _Waiter(NamedTuple):
    quote: Quote
    granted: asyncio.Future[Quote]


@dataclass
class RunCap:
    """A cap counted in memory, for callers on one event loop."""

    cap_micros: int
    owner: str = "solve"
    spent_micros: int = 0
    uncertain_micros: int = field(default=0, init=False)
    """Calls that failed but may have been billed: they count against the cap, not as cost."""
    reserved_micros: int = field(default=0, init=False)
    dearest: dict[str, int] = field(default_factory=dict[str, int], init=False)
    """Cost of the most expensive call so far, by model."""
    _waiting: deque[_Waiter] = field(default_factory=deque[_Waiter], init=False, repr=False)

    @property
    def left_micros(self) -> int:
        return self.cap_micros - self.spent_micros - self.uncertain_micros

    @asynccontextmanager
    async def hold(self, quote: Quote) -> AsyncGenerator[Hold]:
        """As `SpendingCap`, in order of arrival."""
        hold = Hold(await self._reserve(quote) if quote.micros else quote)
        try:
            yield hold
        finally:
            self.reserved_micros -= hold.quote.micros
            self.spent_micros += hold.cost_micros
            self.uncertain_micros += hold.uncertain_micros
            self._grant_waiting()

    async def _reserve(self, quote: Quote) -> Quote:
        waiter = _Waiter(quote, asyncio.get_running_loop().create_future())
        self._waiting.append(waiter)
        self._grant_waiting()
        try:
            return await waiter.granted
        except asyncio.CancelledError:
            self._leave(waiter)
            raise

    def _grant_waiting(self) -> None:
        """Grant from the head of the queue, without an await, so that the order holds."""
        while self._waiting:
            waiter = self._waiting[0]
            if not waiter.granted.done() and not self._answer(waiter):
                return
            self._waiting.popleft()

    def _answer(self, waiter: _Waiter) -> bool:
        """Grant or refuse; False: wait for running calls."""
        left = self.left_micros
        if left <= 0:
            waiter.granted.set_exception(used_up(self.owner, self.cap_micros))
            return True
        quote = grant(waiter.quote, left_micros=left, held_micros=self.reserved_micros)
        if quote is None:
            return False
        self.reserved_micros += quote.micros
        waiter.granted.set_result(quote)
        return True

    def _leave(self, waiter: _Waiter) -> None:
        """Release the reservation if it was granted at the moment of the cancellation."""
        if not waiter.granted.cancelled() and waiter.granted.exception() is None:
            self.reserved_micros -= waiter.granted.result().micros
        self._grant_waiting()
