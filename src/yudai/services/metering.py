"""One purse per solve: every model call is authorised before it is made and settled after."""

from dataclasses import dataclass, field

from yudai.domain.budget import usd
from yudai.domain.errors import GatewayError
from yudai.domain.failure import Cause
from yudai.domain.models import Model
from yudai.ports.gateway import Call, Completion, Gateway


@dataclass
class Purse:
    cap_micros: int
    spent_micros: int = field(default=0)

    def authorise(self) -> None:
        # Free calls never touch the cap, so a cap of 0 still lets a scripted contestant run.
        if self.spent_micros and self.spent_micros >= self.cap_micros:
            raise GatewayError(
                f"the solve's cost cap of ${usd(self.cap_micros):g} is used up",
                cause=Cause.OUT_OF_BUDGET,
            )

    def settle(self, cost_micros: int) -> None:
        self.spent_micros += cost_micros


@dataclass(frozen=True)
class MeteredGateway:
    gateway: Gateway
    purse: Purse

    def check(self, model: Model) -> None:
        self.gateway.check(model)

    async def complete(self, call: Call) -> Completion:
        self.purse.authorise()
        completion = await self.gateway.complete(call)
        self.purse.settle(completion.usage.cost_micros)
        return completion
