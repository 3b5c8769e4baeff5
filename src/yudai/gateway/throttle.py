"""Limits concurrent calls of each model in this process."""

import asyncio
from collections import defaultdict
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from functools import partial

from yudai.gateway.domain.models import Model, Provider
from yudai.gateway.port import Call, Completion, Gateway

_NEVER_SENT = "cancelled before the call was made"


class ThrottledGateway:
    """At most `limit` calls of one model under way, the others in order of arrival; 0: no limit.

    Below the metering, which names the model as its provider does.
    """

    def __init__(self, gateway: Gateway, limit: int) -> None:
        self._gateway = gateway
        self._limit = limit
        self._places: defaultdict[tuple[Provider, str], asyncio.Semaphore] = defaultdict(
            partial(asyncio.Semaphore, limit)
        )

    def check(self, model: Model) -> None:
        self._gateway.check(model)

    async def complete(self, call: Call) -> Completion:
        if self._limit <= 0:
            return await self._gateway.complete(call)
        async with _place(self._places[call.provider, call.model]):
            return await self._gateway.complete(call)


def was_sent(error: BaseException) -> bool:
    """Whether the cancelled call may have reached its provider."""
    return error.args != (_NEVER_SENT,)


@asynccontextmanager
async def _place(places: asyncio.Semaphore) -> AsyncGenerator[None]:
    try:
        await places.acquire()
    except asyncio.CancelledError:
        # CancelledError itself, because asyncio's timeouts handle no subclass.
        raise asyncio.CancelledError(_NEVER_SENT) from None
    try:
        yield
    finally:
        places.release()
