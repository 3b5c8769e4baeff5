"""A gateway before a server of ours; the clock stands, and waits are only noted."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import pytest
from pydantic import SecretStr

from tests.support.servers.openai_server import Brain, OpenAIServer
from yudai.gateway.adapters.openai.endpoint import Endpoint
from yudai.gateway.adapters.openai.errors import Patience
from yudai.gateway.adapters.openai.gateway import OpenAIGateway
from yudai.gateway.domain.models import Provider
from yudai.gateway.port import Call, Completion
from yudai.kit.errors import GatewayError

KEY = "sk-test-0123456789abcdef"
NOW = 1_700_000_000.0
QUICK = Patience(attempt_s=20.0, connect_s=5.0, max_bytes=1 << 20)
CALL = Call(
    model="m",
    provider=Provider.LOCAL,
    temperature=0.3,
    messages=[{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Hello"}],
    tools=[{"type": "function", "function": {"name": "bash", "parameters": {}}}],
    turn=0,
)


@dataclass
class Asking:
    server: OpenAIServer
    gateway: OpenAIGateway
    waits: list[float] = field(default_factory=list)

    async def ask(self, **changes: Any) -> Completion:
        return await self.gateway.complete(CALL.model_copy(update=changes))

    async def fail(self, **changes: Any) -> GatewayError:
        with pytest.raises(GatewayError) as caught:
            await self.ask(**changes)
        return caught.value


@asynccontextmanager
async def asking(
    brain: Brain, *, patience: Patience = QUICK, key: str | None = KEY, **endpoint: Any
) -> AsyncGenerator[Asking]:
    waits: list[float] = []

    async def sleep(seconds: float) -> None:
        waits.append(seconds)

    with OpenAIServer(brain) as server:
        place = Endpoint(
            base_url=server.url,
            api_key=None if key is None else SecretStr(key),
            key_variable="THE_KEY",
            **endpoint,
        )
        gateway = OpenAIGateway(
            place, patience=patience, sleep=sleep, now=lambda: NOW, dice=lambda: 0.0
        )
        try:
            yield Asking(server, gateway, waits)
        finally:
            await gateway.close()
