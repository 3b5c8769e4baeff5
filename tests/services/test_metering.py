"""The purse of a solve."""

import pytest

from yudai.domain.errors import GatewayError
from yudai.domain.failure import Cause
from yudai.domain.usage import Usage
from yudai.ports.gateway import Call, Completion
from yudai.services.metering import MeteredGateway, Purse

CALL = Call(model="m", temperature=0.0, messages=[], tools=[], turn=0)


class Priced:
    def __init__(self, micros: int) -> None:
        self.calls = 0
        self._micros = micros

    def check(self, model: str) -> None:
        assert model == CALL.model

    async def complete(self, call: Call) -> Completion:
        assert call is CALL
        self.calls += 1
        usage = Usage(cost_micros=self._micros)
        return Completion(content="", tool_calls=(), finish_reason="stop", usage=usage)


async def test_calls_are_settled_and_the_one_after_the_cap_is_never_made():
    priced = Priced(400)
    purse = Purse(cap_micros=1000)
    one, two = MeteredGateway(priced, purse), MeteredGateway(priced, purse)
    for gateway in (one, two, one):
        await gateway.complete(CALL)
    with pytest.raises(GatewayError, match="cost cap") as refused:
        await two.complete(CALL)
    assert refused.value.cause is Cause.OUT_OF_BUDGET
    assert (priced.calls, purse.spent_micros) == (3, 1200)


async def test_a_cap_of_zero_lets_free_calls_through():
    gateway = MeteredGateway(Priced(0), Purse(cap_micros=0))
    for _ in range(3):
        await gateway.complete(CALL)
