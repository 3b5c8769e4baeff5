"""The gateway of a run: bounds before the call, the real cost after it."""

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from tests.support.fakes import AnsweringGateway, HangingGateway
from yudai.gateway.domain.models import FREE, Model, Price, Provider, Usage, scripted
from yudai.gateway.port import Call, Completion
from yudai.kit.causes import Cause
from yudai.kit.errors import GatewayError
from yudai.runs.spending.metered_gateway import MeteredGateway
from yudai.runs.spending.run_cap import RunCap

PRICE = Price(input_micros=3_000_000, output_micros=15_000_000, cached_micros=300_000)
DOLLAR = 1_000_000


def model(price: Price | None = PRICE) -> Model:
    return Model(name="ours", provider=Provider.LOCAL, model_id="theirs", price=price)


def call(*texts: str, max_output_tokens: int = 1000) -> Call:
    return Call(
        model="ours",
        temperature=0.2,
        messages=[{"role": "user", "content": text} for text in texts],
        tools=[],
        turn=0,
        max_output_tokens=max_output_tokens,
    )


def reply(cost: int | None = None, **usage: int) -> Completion:
    return Completion(
        content="",
        tool_calls=(),
        finish_reason="stop",
        usage=Usage(**usage, cost_micros=cost or 0),
        has_cost=cost is not None,
    )


class Stage:
    """One run of one model, with a cap of its own unless it shares one."""

    def __init__(
        self,
        answer: Completion | Callable[[Call], Completion],
        *,
        price: Price | None = PRICE,
        solve_cap: RunCap | None = None,
        run_cap: int = DOLLAR,
    ) -> None:
        self.solve_cap = solve_cap or RunCap(DOLLAR)
        self.asked = AnsweringGateway(answer if callable(answer) else lambda _: answer)
        self.gateway = MeteredGateway(
            self.asked, self.solve_cap, {"ours": model(price)}, run_cap_micros=run_cap
        )
        self.reserved: list[int] = []

    async def say(self, *texts: str, **more: Any) -> Completion:
        return await self.gateway.complete(call(*texts, **more))


def reserving(answer: Completion) -> tuple[Stage, list[int]]:
    """A stage that notes what is set aside while each call is under way."""
    noted: list[int] = []

    def note(_: Call) -> Completion:
        noted.append(stage.solve_cap.reserved_micros)
        return answer

    stage = Stage(note)
    return stage, noted


async def test_the_model_is_called_by_its_providers_name():
    stage = Stage(reply(input_tokens=1))
    await stage.say("hello")
    [sent] = stage.asked.calls
    assert (sent.model, sent.provider, sent.max_output_tokens) == ("theirs", "local", 1000)
    assert (sent.temperature, sent.turn) == (0.2, 0)


async def test_what_was_charged_is_the_price_of_the_tokens_with_cached_ones_cheaper():
    stage = Stage(reply(input_tokens=10_000, cached_tokens=8_000, output_tokens=100))
    charged = (await stage.say("hello")).usage.cost_micros
    assert charged == 6_000 + 2_400 + 1_500
    assert stage.solve_cap.spent_micros == stage.gateway.run_cap.spent_micros == charged


@pytest.mark.parametrize("cost", [0, 77, 10**9])
async def test_the_replys_own_cost_counts_when_it_names_one(cost: int):
    stage = Stage(reply(cost, input_tokens=10_000))
    assert (await stage.say("hello")).usage.cost_micros == cost
    assert stage.solve_cap.spent_micros == cost


async def test_a_call_sets_aside_more_than_it_can_cost():
    stage, reserved = reserving(reply(input_tokens=100, output_tokens=1000))
    await stage.say("x" * 400)
    bytes_of_input = len('{"role": "user", "content": ""}') + 400
    assert reserved[0] >= bytes_of_input * 3 + 1000 * 15
    assert stage.solve_cap.reserved_micros == 0


async def test_a_later_call_knows_how_long_the_conversation_really_is():
    stage, reserved = reserving(reply(input_tokens=1_000, output_tokens=10))
    await stage.say("x" * 8_000)
    for _ in range(2):
        await stage.say("x" * 8_000, "yes", max_output_tokens=0)
    first, second, again = reserved
    assert second < first / 4
    assert 1_010 * 3 <= again <= second <= (1_010 + 40) * 4


async def test_a_conversation_that_got_shorter_is_measured_again():
    stage, reserved = reserving(reply(input_tokens=10, output_tokens=0))
    await stage.say("a", "b", "c")
    await stage.say("x" * 50_000, max_output_tokens=0)
    assert reserved[1] >= 50_000 * 3


async def test_a_server_that_counts_nothing_is_measured_by_bytes():
    silent = reply(output_tokens=1).model_copy(update={"has_usage": False})
    stage, reserved = reserving(silent)
    await stage.say("x" * 10_000, max_output_tokens=0)
    await stage.say("x" * 10_000, "y", max_output_tokens=0)
    assert reserved[1] > reserved[0] >= 10_000 * 3


async def test_letters_of_any_kind_are_measured_in_bytes():
    stage, reserved = reserving(reply())
    await stage.say("\u6f22" * 1_000, "\ud800", max_output_tokens=0)
    assert reserved[0] >= 3_000 * 3


async def test_the_call_after_the_solves_cap_is_never_made():
    solve_cap = RunCap(1_000)
    one, two = (Stage(reply(400), solve_cap=solve_cap) for _ in range(2))
    for stage in (one, two, one):
        await stage.say("hello")
    with pytest.raises(GatewayError, match="solve's cost cap") as refused:
        await two.say("hello")
    assert refused.value.cause is Cause.OUT_OF_BUDGET
    assert (len(two.asked.calls), solve_cap.spent_micros) == (1, 1_200)
    assert two.gateway.run_cap.reserved_micros == 0


async def test_the_call_after_the_runs_cap_is_never_made():
    solve_cap = RunCap(DOLLAR)
    poor, rich = (
        Stage(reply(400), solve_cap=solve_cap, run_cap=500),
        Stage(reply(400), solve_cap=solve_cap),
    )
    await poor.say("hello")
    await poor.say("hello")
    with pytest.raises(GatewayError, match="run's cost cap") as refused:
        await poor.say("hello")
    assert refused.value.cause is Cause.OUT_OF_BUDGET
    assert (solve_cap.spent_micros, solve_cap.reserved_micros) == (800, 0)
    await rich.say("hello")


@pytest.mark.parametrize(("solve_cap_micros", "run_cap"), [(60_000, DOLLAR), (DOLLAR, 60_000)])
async def test_near_either_cap_the_reply_is_asked_to_be_shorter(
    solve_cap_micros: int, run_cap: int
):
    stage = Stage(reply(0), solve_cap=RunCap(solve_cap_micros), run_cap=run_cap)
    await stage.say("hello", max_output_tokens=16_384)
    [sent] = stage.asked.calls
    assert 1_024 < sent.max_output_tokens < 4_000


async def test_a_lost_answer_counts_for_the_caps_but_is_no_cost():
    def lose(_: Call) -> Completion:
        raise GatewayError("the connection broke", lost_attempts=2)

    stage = Stage(lose)
    with pytest.raises(GatewayError, match="broke"):
        await stage.say("hello", max_output_tokens=1_000)
    for solve_cap in (stage.solve_cap, stage.gateway.run_cap):
        assert (solve_cap.spent_micros, solve_cap.reserved_micros) == (0, 0)
        assert solve_cap.uncertain_micros >= 2 * 1_000 * 15


async def test_a_refused_call_costs_nothing():
    def refuse(_: Call) -> Completion:
        raise GatewayError("no such model", cause=Cause.MODEL_REFUSED)

    stage = Stage(refuse)
    with pytest.raises(GatewayError, match="no such model"):
        await stage.say("hello")
    assert stage.solve_cap.left_micros == stage.solve_cap.cap_micros


async def test_attempts_before_the_answer_count_as_uncertain():
    answer = reply(500).model_copy(update={"lost_attempts": 1})
    stage = Stage(answer)
    assert (await stage.say("hello", max_output_tokens=100)).usage.cost_micros == 500
    assert stage.solve_cap.spent_micros == 500
    assert stage.solve_cap.uncertain_micros >= 1_500


async def test_a_cancelled_call_may_have_been_billed():
    hanging, solve_cap = HangingGateway(), RunCap(DOLLAR)
    gateway = MeteredGateway(hanging, solve_cap, {"ours": model()}, run_cap_micros=DOLLAR)
    task = asyncio.create_task(gateway.complete(call("hello")))
    await hanging.asked.wait()
    assert solve_cap.reserved_micros > 0
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert (solve_cap.spent_micros, solve_cap.reserved_micros) == (0, 0)
    assert solve_cap.uncertain_micros > 0


async def test_cancelled_while_waiting_nothing_was_called_and_nothing_is_kept():
    hanging, solve_cap = HangingGateway(), RunCap(20_000)
    models = {"ours": model()}
    first = MeteredGateway(hanging, solve_cap, models, run_cap_micros=DOLLAR)
    running = asyncio.create_task(first.complete(call("hello")))
    await hanging.asked.wait()
    second = Stage(reply(1), solve_cap=solve_cap)
    waiting = asyncio.create_task(second.say("hello"))
    await asyncio.sleep(0)
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    assert second.asked.calls == []
    assert second.gateway.run_cap.uncertain_micros == 0
    assert second.gateway.run_cap.reserved_micros == 0
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    assert solve_cap.reserved_micros == 0


@pytest.mark.parametrize("unpriced", [model(None), None])
async def test_a_model_without_a_price_is_never_called(unpriced: Model | None):
    asked = AnsweringGateway(lambda _: reply(1))
    known = {} if unpriced is None else {"ours": unpriced}
    gateway = MeteredGateway(asked, RunCap(DOLLAR), known, run_cap_micros=DOLLAR)
    with pytest.raises(GatewayError, match="no price") as refused:
        await gateway.complete(call("hello"))
    assert refused.value.cause is Cause.MODEL_REFUSED
    assert asked.calls == []


async def test_free_models_work_under_a_cap_of_nothing_and_a_used_up_one():
    used_up = RunCap(100)
    await Stage(reply(200), solve_cap=used_up).say("hello")
    used_up.dearest.clear()  # that was another model
    for solve_cap in (RunCap(0), used_up):
        stage = Stage(reply(0), price=FREE, solve_cap=solve_cap, run_cap=0)
        for _ in range(3):
            assert (await stage.say("hello")).usage.cost_micros == 0


async def test_a_script_that_names_a_cost_is_held_to_the_cap():
    solve_cap = RunCap(DOLLAR)
    asked = AnsweringGateway(lambda _: reply(600_000))
    models = {"scripted/dear": scripted("scripted/dear")}
    gateway = MeteredGateway(asked, solve_cap, models, run_cap_micros=5 * DOLLAR)
    dear = call("hello").model_copy(update={"model": "scripted/dear"})
    await gateway.complete(dear)
    await gateway.complete(dear)
    with pytest.raises(GatewayError, match="cost cap"):
        await gateway.complete(dear)
    assert solve_cap.spent_micros == 1_200_000


@pytest.mark.parametrize("contestants", [20, 100])
async def test_many_runs_share_one_cap_and_at_most_one_call_overshoots(contestants: int):
    """Whole conversations whose replies cost as much as they possibly can."""
    cap, dearest = 300_000, 0

    async def answer(sent: Call) -> Completion:
        nonlocal dearest
        for _ in range(sent.turn % 3):
            await asyncio.sleep(0)
        size = sum(len(str(message)) for message in sent.messages)
        completion = reply(input_tokens=size // 3, output_tokens=sent.max_output_tokens)
        dearest = max(dearest, PRICE.cost(completion.usage))
        return completion

    class Slow(AnsweringGateway):
        async def complete(self, call: Call) -> Completion:
            self.calls.append(call)
            return await answer(call)

    solve_cap, asked = RunCap(cap), Slow(lambda _: reply())

    async def contest(number: int) -> None:
        gateway = MeteredGateway(asked, solve_cap, {"ours": model()}, run_cap_micros=DOLLAR)
        texts = ["the issue " * 20]
        for turn in range(30):
            asking = call(*texts, max_output_tokens=300 + 10 * number)
            try:
                await gateway.complete(asking.model_copy(update={"turn": turn}))
            except GatewayError as error:
                assert error.cause is Cause.OUT_OF_BUDGET  # noqa: PT017 - it ends the run
                return
            texts += ["ls", "a file\n" * (number + turn)]
        raise AssertionError("the cap never ended it")

    async with asyncio.timeout(60), asyncio.TaskGroup() as group:
        for number in range(contestants):
            group.create_task(contest(number))
    assert cap <= solve_cap.spent_micros < cap + dearest
    assert (solve_cap.reserved_micros, solve_cap.uncertain_micros) == (0, 0)
