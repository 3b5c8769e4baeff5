"""A gateway that reserves each model call's maximum cost before the call and settles it after."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from yudai.gateway.domain.models import Model, Price
from yudai.gateway.port import Call, Completion, Gateway
from yudai.gateway.throttle import was_sent
from yudai.kit.causes import Cause
from yudai.kit.errors import GatewayError, RefusedError
from yudai.runs.spending.run_cap import Hold, Quote, RunCap, SpendingCap

# Tokens that providers add to the prompt when there are tools.
_HIDDEN_TOKENS = 512


class MeteredGateway:
    """The gateway of one run: under the solve's cap and its own.

    `spent_micros` is what earlier attempts of the run have cost.
    """

    def __init__(
        self,
        gateway: Gateway,
        solve_cap: SpendingCap,
        models: Mapping[str, Model],
        *,
        run_cap_micros: int,
        spent_micros: int = 0,
    ) -> None:
        self.run_cap = RunCap(run_cap_micros, owner="run", spent_micros=spent_micros)
        self._gateway = gateway
        self._solve_cap = solve_cap
        self._models = models
        self._context = _Context()

    def check(self, model: Model) -> None:
        self._gateway.check(model)

    async def complete(self, call: Call) -> Completion:
        """Make the call once the caps allow it; its usage has the charged cost."""
        model = self._models.get(call.model)
        if model is None or model.price is None:
            raise GatewayError(
                f"{call.model} has no price in this solve, so it is not called",
                cause=Cause.MODEL_REFUSED,
            )
        tokens = self._context.most_tokens(call)
        quote = Quote(
            tokens, call.max_output_tokens, model.price, self._solve_cap.dearest.get(model.name, 0)
        )
        async with self.run_cap.hold(quote) as own, self._solve_cap.hold(own.quote) as shared:
            completion = await self._made(call, model, own, shared)
            charged = charge(completion, model.price)
            own.cost_micros = shared.cost_micros = charged
            lost = completion.lost_attempts * shared.quote.micros
            own.uncertain_micros = shared.uncertain_micros = lost
        dearest = self._solve_cap.dearest
        dearest[model.name] = max(dearest.get(model.name, 0), charged)
        self._context.learn(call, completion, tokens)
        usage = completion.usage.model_copy(update={"cost_micros": charged})
        return completion.model_copy(update={"usage": usage})

    async def _made(self, call: Call, model: Model, own: Hold, shared: Hold) -> Completion:
        changes = {
            "model": model.model_id,
            "provider": model.provider,
            "max_output_tokens": shared.quote.output_tokens,
        }
        try:
            return await self._gateway.complete(call.model_copy(update=changes))
        except BaseException as error:
            lost = _lost_attempts(error) * shared.quote.micros
            own.uncertain_micros = shared.uncertain_micros = lost
            raise


@dataclass
class _Context:
    """Size of a conversation: tokens the provider counted, plus bytes of newer messages."""

    messages: int = 0
    tokens: int = 0

    def most_tokens(self, call: Call) -> int:
        """Upper bound: no tokenizer makes more tokens than there are bytes."""
        if 0 < self.messages <= len(call.messages):
            return self.tokens + _size(call.messages[self.messages :])
        return _HIDDEN_TOKENS + _size(call.tools) + _size(call.messages)

    def learn(self, call: Call, completion: Completion, most_tokens: int) -> None:
        self.messages = len(call.messages)
        # Some servers report no usage; then only the bound is known.
        sent = completion.usage.input_tokens if completion.has_usage else 0
        self.tokens = (sent or most_tokens) + completion.usage.output_tokens


def _size(messages: list[dict[str, Any]]) -> int:
    """Bytes as JSON; its punctuation exceeds what a chat template adds to a message."""
    return sum(
        len(json.dumps(message, ensure_ascii=False).encode("utf-8", "surrogatepass"))
        for message in messages
    )


def charge(completion: Completion, price: Price) -> int:
    """A reply's cost in micro-dollars: as reported, else from its tokens."""
    if completion.has_cost:
        return max(0, completion.usage.cost_micros)
    return price.cost(completion.usage)


def _lost_attempts(error: BaseException) -> int:
    """How many replies may have been billed without arriving."""
    if isinstance(error, GatewayError):
        return error.lost_attempts
    if isinstance(error, RefusedError):
        # A key or an address is missing: nothing was sent.
        return 0
    # A call that is cancelled here continues at the provider.
    return int(was_sent(error))
