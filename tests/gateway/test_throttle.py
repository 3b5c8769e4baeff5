"""At most so many calls of one model at once."""

import asyncio

import pytest

from yudai.gateway.domain.models import Model, Price, Provider, Usage
from yudai.gateway.port import Call, Completion
from yudai.gateway.throttle import ThrottledGateway
from yudai.kit.errors import GatewayError, RefusedError
from yudai.runs.spending.metered_gateway import MeteredGateway
from yudai.runs.spending.run_cap import RunCap

DOLLAR = 1_000_000
DONE = Completion(content="", tool_calls=(), finish_reason="stop", usage=Usage())


class Scene:
    """Answers a call when it is told to, and fails it when it is told so."""

    def __init__(self) -> None:
        self.begun: list[str] = []
        self._answers: dict[str, asyncio.Future[Completion]] = {}

    def check(self, model: Model) -> None:
        raise RefusedError(f"no key for {model.name}")

    async def complete(self, call: Call) -> Completion:
        name = str(call.messages[0]["content"])
        self.begun.append(name)
        self._answers[name] = asyncio.get_running_loop().create_future()
        return await self._answers[name]

    def answer(self, name: str) -> None:
        self._answers[name].set_result(DONE)

    def fail(self, name: str) -> None:
        self._answers[name].set_exception(GatewayError("it broke"))


class Stage:
    def __init__(self, limit: int) -> None:
        self.scene = Scene()
        self.gateway = ThrottledGateway(self.scene, limit)

    def ask(
        self, name: str, *, model: str = "m", provider: Provider = Provider.LOCAL
    ) -> asyncio.Task[Completion]:
        call = Call(
            model=model,
            provider=provider,
            temperature=0.0,
            messages=[{"role": "user", "content": name}],
            tools=[],
            turn=0,
        )
        return asyncio.create_task(self.gateway.complete(call))


async def settled() -> None:
    for _ in range(5):
        await asyncio.sleep(0)


async def test_calls_over_the_limit_wait_in_order_of_arrival():
    stage = Stage(2)
    tasks = {name: stage.ask(name) for name in "abcde"}
    await settled()
    assert stage.scene.begun == ["a", "b"]
    stage.scene.answer("b")
    await settled()
    assert stage.scene.begun == ["a", "b", "c"]
    stage.scene.fail("a")
    await settled()
    assert stage.scene.begun == ["a", "b", "c", "d"]
    for name in "cde":
        stage.scene.answer(name)
        await settled()
    assert {name: task.exception() is None for name, task in tasks.items()} == {
        "a": False,
        **dict.fromkeys("bcde", True),
    }


async def test_models_and_providers_do_not_wait_for_each_other():
    stage = Stage(1)
    tasks = [
        stage.ask("a"),
        stage.ask("b", model="other"),
        stage.ask("c", provider=Provider.OPENROUTER),
        stage.ask("d"),
    ]
    await settled()
    assert stage.scene.begun == ["a", "b", "c"]
    for name in "abcd":
        stage.scene.answer(name)
        await settled()
    await asyncio.wait(tasks)


async def test_zero_is_no_limit():
    stage = Stage(0)
    tasks = [stage.ask(str(number)) for number in range(50)]
    await settled()
    assert len(stage.scene.begun) == 50
    for task in tasks:
        task.cancel()
    await asyncio.wait(tasks)


async def test_a_cancelled_task_gives_up_the_place_it_waits_for_or_has():
    stage = Stage(1)
    running, waiting, next_one = (stage.ask(name) for name in "abc")
    await settled()
    waiting.cancel()
    await settled()
    assert waiting.cancelled()
    running.cancel()
    await settled()
    assert stage.scene.begun == ["a", "c"]
    stage.scene.answer("c")
    await next_one


async def test_a_timeout_while_it_waits_is_a_timeout():
    stage = Stage(1)
    running = stage.ask("a")
    await settled()
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.01):
            await stage.gateway.complete(
                Call(
                    model="m",
                    provider=Provider.LOCAL,
                    temperature=0.0,
                    messages=[{"content": "b"}],
                    tools=[],
                    turn=0,
                )
            )
    assert stage.scene.begun == ["a"]
    stage.scene.answer("a")
    await running


async def test_a_call_that_was_cancelled_before_it_was_made_costs_nothing():
    stage, solve_cap = Stage(1), RunCap(DOLLAR)
    price = Price(input_micros=1_000_000, output_micros=1_000_000)
    models = {"ours": Model(name="ours", provider=Provider.LOCAL, model_id="m", price=price)}

    def ask(name: str) -> asyncio.Task[Completion]:
        gateway = MeteredGateway(stage.gateway, solve_cap, models, run_cap_micros=DOLLAR)
        call = Call(
            model="ours",
            temperature=0.0,
            messages=[{"content": name}],
            tools=[],
            turn=0,
            max_output_tokens=100,
        )
        return asyncio.create_task(gateway.complete(call))

    made, unmade = ask("a"), ask("b")
    await settled()
    assert solve_cap.reserved_micros > 0
    unmade.cancel()
    await settled()
    assert (stage.scene.begun, solve_cap.uncertain_micros) == (["a"], 0)
    made.cancel()
    await settled()
    assert solve_cap.uncertain_micros > 0
    assert solve_cap.reserved_micros == 0


def test_what_can_be_called_is_the_gateways_to_say():
    with pytest.raises(RefusedError, match="no key for ours"):
        Stage(1).gateway.check(Model(name="ours", provider=Provider.LOCAL, model_id="m"))
