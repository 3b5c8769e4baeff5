"""One gateway for all models: each call goes to the gateway of its provider."""

from collections.abc import Callable, Mapping
from typing import Protocol, runtime_checkable

from yudai.gateway.domain.models import Model, Provider
from yudai.gateway.port import Call, Completion, Gateway
from yudai.kit.errors import RefusedError


@runtime_checkable
class _Closing(Protocol):
    async def close(self) -> None: ...


class Providers:
    """A provider's gateway is created when it is first used."""

    def __init__(self, factories: Mapping[Provider, Callable[[], Gateway]]) -> None:
        self._factories = dict(factories)
        self._made: dict[Provider, Gateway] = {}

    def check(self, model: Model) -> None:
        self._gateway(model.provider).check(model)

    async def complete(self, call: Call) -> Completion:
        return await self._gateway(call.provider).complete(call)

    async def close(self) -> None:
        while self._made:
            _, gateway = self._made.popitem()
            if isinstance(gateway, _Closing):
                await gateway.close()

    def _gateway(self, provider: Provider) -> Gateway:
        if provider not in self._made:
            if provider not in self._factories:
                known = ", ".join(self._factories)
                raise RefusedError(f"no calls can go to {provider}: only to {known}")
            self._made[provider] = self._factories[provider]()
        return self._made[provider]
