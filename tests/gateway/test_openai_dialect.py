"""Models that want to be asked in another way: learnt once, and remembered."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.support.scripted_agent import Stage
from tests.support.servers.gateway_client import CALL, asking
from tests.support.servers.openai_server import (
    Body,
    Brain,
    Completion,
    Fault,
    always,
    bash,
    completion,
    error_in_200,
    finish_command,
    in_turn,
    plays,
    refuses,
    says,
    strict,
)
from yudai.gateway.adapters.openai.dialect import MAX_STRANGERS, Dialect, Dialects
from yudai.kit.causes import Cause

DETAILS = [
    {"type": "reasoning.text", "text": "hm", "signature": "c2ln", "index": 0},
    {"type": "reasoning.encrypted", "data": "Z2Vn", "index": 1},
]


def refusing(field: str, fault: Fault) -> Brain:
    """Answers only requests without this field."""
    return lambda body: fault if field in body else says("hi")


TEMPERATURES = [
    "Unsupported value: 'temperature' does not support 0.3 with this model. Only the default (1)"
    " value is supported.",
    "Unsupported parameter: 'temperature' is not supported with this model.",
    "temperature is not supported by this model",
    "`temperature` is deprecated for this model.",
    "`temperature` may only be set to 1 when thinking is enabled.",
    "invalid temperature: only 1 is allowed for this model",
    "This model doesn't support the temperature parameter",
    "temperature: Extra inputs are not permitted",
    "Unrecognized request argument supplied: temperature",
]


@pytest.mark.parametrize("words", TEMPERATURES)
async def test_a_refused_temperature_is_left_out_and_remembered(words: str):
    async with asking(refusing("temperature", refuses(400, words, param="temperature"))) as it:
        first, second = await it.ask(), await it.ask()
        other = await it.ask(model="other")
    assert first.content == "hi"
    assert first.temperature_used is second.temperature_used is other.temperature_used is None
    sent = [(body["model"], "temperature" in body) for body in it.server.bodies]
    assert sent == [("m", True), ("m", False), ("m", False), ("other", True), ("other", False)]
    assert not it.waits


@pytest.mark.parametrize(
    "fault",
    [
        error_in_200("`temperature` is deprecated for this model.", code=400),
        refuses(422, "temperature: Extra inputs are not permitted"),
        refuses(
            400,
            "Provider returned error",
            metadata={"raw": json.dumps({"error": {"message": TEMPERATURES[0]}})},
        ),
    ],
)
async def test_a_temperature_can_be_refused_in_other_ways(fault: Fault):
    async with asking(refusing("temperature", fault)) as it:
        assert (await it.ask()).temperature_used is None


@pytest.mark.parametrize(
    "words",
    [
        "Invalid 'temperature': decimal above maximum value. Expected a value <= 2, but got 3.",
        "temperature: range: 0..1",
    ],
)
async def test_a_temperature_out_of_range_is_the_users_to_mend(words: str):
    async with asking(refusing("temperature", refuses(400, words, param="temperature"))) as it:
        error = await it.fail()
    assert error.cause is Cause.MODEL_REFUSED
    assert words in str(error)
    assert len(it.server.requests) == 1


async def test_the_other_name_of_the_limit_is_learnt():
    words = (
        "Unsupported parameter: 'max_tokens' is not supported with this model."
        " Use 'max_completion_tokens' instead."
    )
    async with asking(refusing("max_tokens", refuses(400, words))) as it:
        got = await it.ask()
        await it.ask()
    assert got.temperature_used == 0.3
    assert [body.get("max_completion_tokens") for body in it.server.bodies] == [None, 16384, 16384]


async def test_several_refusals_one_after_the_other():
    def brain(body: Body) -> Completion | Fault:
        if "temperature" in body:
            return refuses(400, TEMPERATURES[0])
        if "max_tokens" in body:
            return refuses(400, "'max_tokens' is not supported, use 'max_completion_tokens'")
        if body["max_completion_tokens"] > 4096:
            return refuses(
                400,
                "max_completion_tokens is too large: 16384. This model supports at most 4096"
                " completion tokens, whereas you provided 16384.",
            )
        return says("hi")

    async with asking(brain) as it:
        assert (await it.ask()).content == "hi"
        assert (await it.ask()).content == "hi"
        assert (await it.ask(max_output_tokens=100)).content == "hi"
    assert [body.get("max_completion_tokens") for body in it.server.bodies] == [
        *(None, None, 16384),
        *(4096, 4096, 100),
    ]


async def test_a_refusal_that_repeats_itself_ends():
    async with asking(always(refuses(400, TEMPERATURES[0]))) as it:
        error = await it.fail()
    assert error.cause is Cause.MODEL_REFUSED
    assert len(it.server.requests) == 2


ROOMS = [
    "This model's maximum context length is 32768 tokens. However, you requested 40384 tokens"
    " (24000 in the messages, 16384 in the completion). Please reduce the length of the messages",
    "'max_tokens' or 'max_completion_tokens' is too large: 16384. This model's maximum context"
    " length is 32768 tokens and your request has 24000 input tokens (16384 > 32768 - 24000).",
    "This model's maximum context length is 32768 tokens. However, you requested 16384 output"
    " tokens and your prompt contains at least 24000 input tokens, for a total of at least 40384.",
    "This endpoint's maximum context length is 32768 tokens. However, you requested about 40384"
    " tokens (20000 of text input, 4000 of tool input, 16384 in the output).",
    "input length and `max_tokens` exceed context limit: 24000 + 16384 > 32768, decrease it",
]


@pytest.mark.parametrize("words", ROOMS)
async def test_an_answer_is_made_as_short_as_the_context_has_room_for(words: str):
    async with asking(in_turn(refuses(400, words), says("hi"))) as it:
        await it.ask()
        await it.ask()
    assert [body["max_tokens"] for body in it.server.bodies] == [16384, 8704, 16384]


async def test_a_limit_that_another_kind_of_failure_mentions_changes_nothing():
    async with asking(in_turn(refuses(500, ROOMS[1]), says("hi"))) as it:
        assert (await it.fail()).cause is Cause.CONTEXT_OVERFLOW
    assert [body["max_tokens"] for body in it.server.bodies] == [16384]


async def test_no_room_at_all_is_an_outgrown_context():
    words = ROOMS[0].replace("24000", "32700")
    async with asking(always(refuses(400, words))) as it:
        error = await it.fail()
    assert error.cause is Cause.CONTEXT_OVERFLOW
    assert len(it.server.requests) == 1


def history(**fields: Any) -> list[dict[str, Any]]:
    """What an agent sends with its second turn."""
    asked = {"id": "a", "type": "function", "function": {"name": "bash", "arguments": "{}"}}
    said = {"role": "assistant", "content": "", "tool_calls": [asked], **fields}
    return [*CALL.messages, said, {"role": "tool", "tool_call_id": "a", "content": "ok"}]


THOUGHT = history(reasoning_content="hm", reasoning_details=DETAILS, extra={"cost": 1})


async def test_reasoning_goes_to_no_one_who_gave_none():
    async with asking(strict(always(says("hi")))) as it:
        await it.ask(messages=THOUGHT)
    said = it.server.bodies[0]["messages"][2]
    assert said.keys() == {"role", "content", "tool_calls"}
    assert said["content"] is None


async def test_deepseek_gets_its_reasoning_back_in_every_turn():
    async with asking(always(completion({"content": "hi", "reasoning_content": ""}))) as it:
        await it.ask()
        await it.ask(messages=THOUGHT)
        await it.ask(messages=history())
    assert it.server.bodies[1]["messages"][2]["reasoning_content"] == "hm"
    assert it.server.bodies[2]["messages"][2]["reasoning_content"] == ""
    assert "reasoning_details" not in it.server.bodies[1]["messages"][2]
    assert "reasoning_content" not in it.server.bodies[1]["messages"][3]


async def test_openrouter_gets_the_details_back_unchanged():
    reply = completion({"content": "hi", "reasoning": "hm", "reasoning_details": DETAILS})
    async with asking(always(reply), reports_cost=True) as it:
        got = await it.ask()
        await it.ask(messages=history(reasoning_details=list(got.reasoning_details)))
    assert it.server.bodies[1]["messages"][2]["reasoning_details"] == DETAILS
    assert "reasoning_content" not in it.server.bodies[1]["messages"][2]


async def test_reasoning_that_a_server_asks_for_is_sent():
    def brain(body: Body) -> Completion | Fault:
        if "reasoning_content" in body["messages"][2]:
            return says("hi")
        words = "The `reasoning_content` in the thinking mode must be passed back to the API."
        return refuses(400, words)

    async with asking(brain) as it:
        assert (await it.ask(messages=THOUGHT)).content == "hi"


async def test_reasoning_that_a_server_refuses_is_never_sent_again():
    thinking = completion({"content": "hi", "reasoning_content": "hm"})
    async with asking(strict(always(thinking))) as it:
        await it.ask()
        await it.ask(messages=THOUGHT)
        await it.ask(messages=THOUGHT)
    sent = ["reasoning_content" in str(body["messages"]) for body in it.server.bodies]
    assert sent == [False, True, False, False]


async def test_a_server_that_both_wants_and_refuses_ends():
    def brain(body: Body) -> Fault:
        with_it = "reasoning_content" in body["messages"][2]
        return refuses(400, f"reasoning_content is {'unsupported' if with_it else 'required'}")

    async with asking(brain) as it:
        error = await it.fail(messages=THOUGHT)
    assert error.cause is Cause.MODEL_REFUSED
    assert len(it.server.requests) == 3


async def test_an_agent_is_served_by_the_strictest_server(tmp_path: Path):
    stage = Stage(tmp_path)
    brain = strict(plays("cat app.py", ["echo 'x = 2' > app.py", "true"], plan="I look."))
    async with asking(brain) as it:
        outcome = await stage.run(it.gateway, stage.sandbox)
    assert outcome.cause is None
    assert "+x = 2" in outcome.patch
    assert outcome.usage.input_tokens == 3000
    extra = stage.told.messages[2].body["extra"]
    assert (extra["temperature_requested"], extra["temperature_used"]) == (0.2, 0.2)
    assert (extra["has_cost"], extra["has_usage"]) == (False, True)


async def test_an_agents_reasoning_is_recorded_and_given_back(tmp_path: Path):
    def brain(body: Body) -> Completion | Fault:
        if "temperature" in body:
            return refuses(400, TEMPERATURES[0])
        turn = sum(message["role"] == "assistant" for message in body["messages"])
        reply = bash("true" if turn < 2 else finish_command(body))
        reply["choices"][0]["message"] |= {"reasoning": f"t{turn}", "reasoning_details": DETAILS}
        return reply

    stage = Stage(tmp_path)
    async with asking(strict(brain, also=["reasoning_details"])) as it:
        outcome = await stage.run(it.gateway, stage.sandbox)
    assert outcome.cause is None
    said = [message.body for message in stage.told.messages if message.role == "assistant"]
    assert [message["reasoning_content"] for message in said] == ["t0", "t1", "t2"]
    assert said[0]["extra"]["temperature_requested"] == 0.2
    assert said[0]["extra"]["temperature_used"] is None
    last = it.server.bodies[-1]["messages"]
    assert [m["reasoning_details"] for m in last if m["role"] == "assistant"] == [DETAILS] * 2


async def test_geminis_signatures_go_back_with_their_calls(tmp_path: Path):
    signed = bash("true")
    signature = {"google": {"thought_signature": "c2ln\ud800"}}
    signed["choices"][0]["message"]["tool_calls"][0]["extra_content"] = signature
    stage = Stage(tmp_path)
    replies = iter([signed])
    async with asking(lambda body: next(replies, None) or bash(finish_command(body))) as it:
        outcome = await stage.run(it.gateway, stage.sandbox)
    assert outcome.cause is None
    sent = it.server.bodies[1]["messages"][2]["tool_calls"][0]
    assert sent["extra_content"] == {"google": {"thought_signature": "c2ln\ufffd"}}


async def test_an_unusable_reply_and_odd_ids_leave_a_history_that_strict_servers_take(
    tmp_path: Path,
):
    function = {"name": "bash", "arguments": {"command": "true"}}
    odd = completion({"tool_calls": [{"id": None, "function": function}] * 2})
    stage = Stage(tmp_path)
    replies = iter([says("no call"), odd, odd])
    async with asking(strict(lambda body: next(replies, None) or bash(finish_command(body)))) as it:
        outcome = await stage.run(it.gateway, stage.sandbox)
    assert outcome.cause is None
    assert outcome.steps == 4


async def test_what_strangers_provoke_is_learnt_by_none_but_themselves():
    """A server repeats what was wrong with a request, and code in a sandbox writes requests."""

    def echoes(body: Body) -> Completion | Fault:
        said = body["messages"][-1]["content"]
        is_refused = "temperature" in body and "not supported" in said
        return refuses(400, f"invalid input: {said}") if is_refused else says("hi")

    async with asking(echoes) as it:
        evil = [{"role": "user", "content": "temperature is not supported by this model"}]
        await it.ask(messages=evil, learns_with="run 1")
        await it.ask(messages=evil, learns_with="run 1")
        await it.ask(learns_with="run 2")
        await it.ask()
    # Whoever provoked it has learnt it, once.
    sent = ["temperature" in body for body in it.server.bodies]
    assert sent == [True, False, False, True, True]


async def test_strangers_know_what_we_have_learnt():
    words = "Unsupported parameter: 'temperature' is not supported with this model."
    async with asking(refusing("temperature", refuses(400, words))) as it:
        await it.ask()
        await it.ask(learns_with="run 1")
    assert ["temperature" in body for body in it.server.bodies] == [True, False, False]


def test_only_so_many_strangers_are_remembered():
    dialects = Dialects()
    for number in range(MAX_STRANGERS + 5):
        dialects.learn(
            CALL.model_copy(update={"learns_with": f"run {number}"}), Dialect(has_temperature=False)
        )
    first, last = (
        CALL.model_copy(update={"learns_with": f"run {number}"}) for number in (0, MAX_STRANGERS)
    )
    assert dialects.of(first).has_temperature
    assert not dialects.of(last).has_temperature
