"""Each call goes to the gateway of its provider."""

from pathlib import Path

import pytest

from yudai.gateway.adapters.by_provider import Providers
from yudai.gateway.adapters.scripted import ScriptedGateway
from yudai.gateway.domain.models import Model, Provider, Usage
from yudai.gateway.port import Call, Completion
from yudai.kit.errors import RefusedError

CALL = Call(model="m", temperature=0.0, messages=[], tools=[], turn=0)


class Named:
    """Says its own name."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.checked: list[Model] = []
        self.closed = 0

    def check(self, model: Model) -> None:
        self.checked.append(model)

    async def complete(self, call: Call) -> Completion:
        del call
        return Completion(content=self.name, tool_calls=(), finish_reason="stop", usage=Usage())

    async def close(self) -> None:
        self.closed += 1


class Making:
    """Notes which gateways were made."""

    def __init__(self) -> None:
        self.made: list[Named] = []
        providers = (Provider.LOCAL, Provider.OPENROUTER)
        self.providers = Providers({name: self._factory(name) for name in providers})

    def _factory(self, name: str):
        def make() -> Named:
            self.made.append(Named(name))
            return self.made[-1]

        return make


def model(provider: Provider) -> Model:
    return Model(name="m", provider=provider, model_id="m")


async def test_calls_and_checks_go_to_the_provider_named():
    making = Making()
    for provider in (Provider.OPENROUTER, Provider.LOCAL, Provider.OPENROUTER):
        got = await making.providers.complete(CALL.model_copy(update={"provider": provider}))
        assert got.content == provider
    making.providers.check(model(Provider.LOCAL))
    assert [gateway.name for gateway in making.made] == ["openrouter", "local"]
    assert making.made[1].checked == [model(Provider.LOCAL)]


async def test_a_gateway_is_made_only_when_it_is_needed_and_closed_once():
    making = Making()
    assert not making.made
    making.providers.check(model(Provider.LOCAL))
    await making.providers.close()
    await making.providers.close()
    assert [(gateway.name, gateway.closed) for gateway in making.made] == [("local", 1)]


async def test_a_gateway_without_anything_to_close(tmp_path: Path):
    providers = Providers({Provider.SCRIPTED: lambda: ScriptedGateway((tmp_path,))})
    (tmp_path / "it.yaml").write_text("replies: [{say: hi}]")
    scripted = Model(name="it", provider=Provider.SCRIPTED, model_id="scripted/it")
    providers.check(scripted)
    call = CALL.model_copy(update={"model": "scripted/it"})
    assert (await providers.complete(call)).content == "hi"
    await providers.close()


async def test_a_provider_that_is_not_there_is_refused():
    making = Making()
    with pytest.raises(
        RefusedError, match="no calls can go to scripted: only to local, openrouter"
    ):
        making.providers.check(model(Provider.SCRIPTED))
    with pytest.raises(RefusedError, match="no calls can go to scripted"):
        await making.providers.complete(CALL)
