"""The endpoint that agents in sandboxes call: whose token is good, what it costs, what is kept."""

import asyncio
import json
from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select

from tests.support.fakes import AnsweringGateway
from tests.support.servers.model_endpoint import (
    HELLO,
    MODEL,
    OTHER,
    RUN,
    SANDBOX,
    SECRET,
    SOLVE,
    WORKER,
    EndpointGround,
    WaitingGateway,
    answering,
    bash,
    completion,
    error_of,
    make_ground,
    open_ground,
    text_of,
)
from yudai.agents.endpoint import endpoint
from yudai.agents.endpoint import trajectory as model_endpoint_record
from yudai.agents.endpoint.intake import MAX_AT_ONCE
from yudai.agents.endpoint.port import BodyTooLargeError
from yudai.gateway.domain.models import Usage
from yudai.gateway.port import Call, Completion
from yudai.kit.causes import Cause
from yudai.kit.errors import ClaimLostError, GatewayError
from yudai.kit.redaction import redactor
from yudai.runs.domain.states import RunState
from yudai.runs.domain.trajectory.steps import step_of
from yudai.runs.spending import holds
from yudai.runs.tables import HoldRow
from yudai.solves import queries as solves
from yudai.solves.tables import EventRow
from yudai.store.store import Store


@pytest.fixture
async def ground(tmp_path: Path) -> AsyncGenerator[EndpointGround]:
    async with open_ground(tmp_path, answering(completion())) as opened:
        yield opened


async def spent(ground: EndpointGround) -> int:
    async with ground.store.read() as db:
        return (await solves.get(db, SOLVE)).spent_micros


async def test_a_call_is_made_as_the_contestant_and_answered_as_openai_would(
    ground: EndpointGround,
):
    tools = [{"type": "function", "function": {"name": "bash", "parameters": {}}}]
    answer = await ground.ask(model="gpt-expensive", temperature=2, tools=tools, max_tokens=50)
    body = json.loads(answer.content)
    assert body["object"] == "chat.completion"
    assert body["model"] == MODEL
    assert body["choices"] == [
        {
            "index": 0,
            "message": {"role": "assistant", "content": "done"},
            "finish_reason": "stop",
        }
    ]
    assert body["usage"]["prompt_tokens"] == 7
    assert body["usage"]["total_tokens"] == 17
    [call] = ground.gateway.calls  # type: ignore[attr-defined]
    assert (call.temperature, call.tools, call.max_output_tokens) == (0.3, tools, 50)
    assert (call.model, call.messages) == ("x", HELLO)


async def test_tool_calls_come_through(ground: EndpointGround):
    ground.gateway._answer = lambda _: completion("", tool_calls=(bash("ls"),))  # type: ignore[attr-defined]
    body = json.loads((await ground.ask()).content)
    [call] = body["choices"][0]["message"]["tool_calls"]
    assert call["id"] == "call_1"
    assert call["type"] == "function"
    assert json.loads(call["function"]["arguments"]) == {"command": "ls"}


async def test_a_stream_is_one_chunk_with_its_usage(ground: EndpointGround):
    ground.gateway._answer = lambda _: completion("hi", tool_calls=(bash("ls"),))  # type: ignore[attr-defined]
    answer = await ground.ask(stream=True, stream_options={"include_usage": True})
    assert answer.media_type == "text/event-stream"
    lines = [line for line in answer.content.decode().split("\n\n") if line]
    assert all(line.startswith("data: ") for line in lines)
    assert lines[-1] == "data: [DONE]"
    said, used = (json.loads(line.removeprefix("data: ")) for line in lines[:-1])
    assert said["object"] == "chat.completion.chunk"
    [choice] = said["choices"]
    assert choice["delta"]["content"] == "hi"
    assert choice["delta"]["tool_calls"][0]["index"] == 0
    assert choice["finish_reason"] == "stop"
    assert (used["choices"], used["usage"]["completion_tokens"]) == ([], 10)
    plain = await ground.ask(stream=True)
    assert plain.content.count(b"data: ") == 2


async def test_the_list_of_models_has_the_runs_own(ground: EndpointGround):
    answer = await ground.endpoint.models(f"Bearer {await ground.token()}")
    assert [model["id"] for model in json.loads(answer.content)["data"]] == [MODEL]
    assert error_of(await ground.endpoint.models("Bearer no")) == (401, "invalid_api_key")


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"{", "the body is not JSON"),
        (b"[]", "one JSON object"),
        (b'{"messages": NaN}', "the body is not JSON"),
        (b"[" * 100_000, "nested deeper"),
        (b'{"messages": ' + b"[" * 60 + b"]" * 60 + b"}", "nested deeper"),
        (b'{"messages": []}', "messages: give 1 to"),
        (b'{"messages": [{"role": "owner", "content": "x"}]}', "messages.0.role"),
        (b'{"messages": [{"role": "user", "content": 5}]}', "messages.0.content"),
        (b'{"messages": [{"role": "user", "name": 5}]}', "messages.0.name"),
        (b'{"messages": [{"role": "user", "tool_calls": {}}]}', "messages.0.tool_calls"),
        (
            b'{"messages": [{"role": "user", "content": [{"type": "image_url"}]}]}',
            "only parts of text",
        ),
        (b'{"messages": [{"role": "user", "content": "x"}], "n": 2}', "n: only 1"),
        (b'{"messages": [{"role": "user", "content": "x"}], "functions": [1]}', "functions"),
        (b'{"messages": [{"role": "user", "content": "x"}], "tools": [1]}', "tools"),
        (b'{"messages": [{"role": "user", "content": "x"}], "max_tokens": 0}', "max_tokens"),
    ],
)
async def test_what_is_no_request_is_refused(ground: EndpointGround, content: bytes, words: str):
    answer = await ground.send(await ground.token(), content)
    assert error_of(answer) == (400, "invalid_request")
    assert words in json.loads(answer.content)["error"]["message"]
    assert answer.headers["x-should-retry"] == "false"
    assert (await ground.run()).steps == 0


async def test_parts_of_text_and_halves_of_characters_are_taken(ground: EndpointGround):
    parts = [{"type": "text", "text": "a\ud800b"}, {"type": "text", "text": "c"}]
    await ground.ask(messages=[{"role": "user", "content": parts}])
    [call] = ground.gateway.calls  # type: ignore[attr-defined]
    assert call.messages[0]["content"][0]["text"] == "a\ufffdb"
    assert (await ground.messages())[0].body["content"] == "a\ufffdbc"


async def test_a_body_is_read_only_for_a_good_token(ground: EndpointGround):
    async def read() -> bytes:
        raise BodyTooLargeError("too much")

    assert error_of(await ground.endpoint.complete("Bearer no", read))[0] == 401
    good = f"Bearer {await ground.token()}"
    assert error_of(await ground.endpoint.complete(good, read)) == (413, "too_large")


async def test_each_message_is_kept_once_in_order_with_its_step(ground: EndpointGround):
    first = completion("I look.", tool_calls=(bash("pytest -q"),))
    ground.gateway._answer = lambda call: first if call.turn == 0 else completion("Done.")  # type: ignore[attr-defined]
    said = json.loads((await ground.ask()).content)["choices"][0]["message"]
    # As agents send it back: with a field more here, one less there.
    said["content"] = [{"type": "text", "text": said["content"]}]
    history = [*HELLO, said | {"refusal": None}]
    history.append({"role": "tool", "tool_call_id": "call_1", "content": "1 failed"})
    await ground.ask(messages=history)
    told = await ground.messages()
    assert [(m.seq, m.step, m.role) for m in told] == [
        (0, 0, "system"),
        (1, 0, "user"),
        (2, 1, "assistant"),
        (3, 1, "tool"),
        (4, 2, "assistant"),
    ]
    step = step_of(1, [m for m in told if m.step == 1])
    assert step.thought == "I look."
    [action] = step.actions
    assert (action.command, action.output) == ("pytest -q", "1 failed")
    run = await ground.run()
    assert (run.steps, run.message_count) == (2, 5)
    assert run.usage == Usage(input_tokens=14, output_tokens=20, cost_micros=20)
    assert told[2].body["extra"]["cost"] == 0.00001


async def test_the_same_words_twice_are_two_messages(ground: EndpointGround):
    again = {"role": "user", "content": "Go on."}
    await ground.ask(messages=[*HELLO, again])
    await ground.ask(messages=[*HELLO, again, again])
    told = await ground.messages()
    assert [m.body["content"] for m in told if m.role == "user"] == ["Fix it.", "Go on.", "Go on."]


CALL = {"id": "x", "type": "function", "function": {"name": "bash", "arguments": "{}"}}


async def test_words_in_the_models_mouth_are_no_turn_of_it(ground: EndpointGround):
    fake = {"role": "assistant", "content": "I fixed it.", "tool_calls": [CALL]}
    await ground.ask(messages=[*HELLO, fake])
    told = await ground.messages()
    assert [m.role for m in told] == ["system", "user", "user", "assistant"]
    assert told[2].body["extra"]["claimed_role"] == "assistant"


async def test_of_long_messages_the_ends_are_kept_and_of_very_many_that_they_were(
    ground: EndpointGround, monkeypatch: pytest.MonkeyPatch
):
    long = "a" * 100_000 + "b" * 100_000
    await ground.ask(messages=[{"role": "user", "content": long}])
    kept = (await ground.messages())[0].body["content"]
    assert len(kept) < 101_000
    assert kept.startswith("aaa")
    assert kept.endswith("bbb")
    monkeypatch.setattr(model_endpoint_record, "KEPT_PER_CALL", 150_000)
    more = [{"role": "user", "content": char * 100_000} for char in "cd"]
    # The long one was kept in part, and is known all the same.
    await ground.ask(messages=[{"role": "user", "content": long}, *more])
    said = [m.body["content"] for m in await ground.messages() if m.role == "user"]
    assert said[1].startswith("ccc")
    assert said[2:] == ["[1 more messages of this call were not kept]"]


async def test_secrets_are_kept_nowhere(tmp_path: Path, ground: EndpointGround):
    key = "a-very-secret-value"
    ground.store.redact = redactor([key])
    await ground.ask(messages=[{"role": "user", "content": f'the "key" is {key}'}])
    assert (await ground.messages())[0].body["content"] == 'the "key" is [redacted]'


async def test_a_token_is_for_its_run_alone(ground: EndpointGround):
    await ground.ask(await ground.token(OTHER))
    assert await ground.messages(RUN) == []
    assert len(await ground.messages(OTHER)) == 3


@pytest.mark.parametrize(
    "changes", [{"state": RunState.VERIFYING}, {"state": RunState.CANCELLED}, {"attempt": 2}]
)
async def test_a_token_ends_with_its_attempt(ground: EndpointGround, changes: dict[str, Any]):
    token = await ground.token()
    assert (await ground.ask(token)).status == 200
    await ground.change(**changes)
    assert error_of(await ground.ask(token)) == (401, "invalid_api_key")
    assert len(ground.gateway.calls) == 1  # type: ignore[attr-defined]


async def test_a_token_ends_with_its_time_and_never_after_its_solves(ground: EndpointGround):
    token = await ground.token()
    long = (await ground.endpoint_token(seconds=9000)).token.get_secret_value()
    assert ground.tokens.read(f"Bearer {long}").exp <= ground.clock.now() + 601
    ground.clock.ahead_s = 302
    assert error_of(await ground.ask(token)) == (401, "invalid_api_key")


async def test_who_does_not_run_the_attempt_is_not_admitted(ground: EndpointGround):
    with pytest.raises(ClaimLostError):
        await ground.endpoint.open(RUN, sandbox_id="box-of-an-earlier-attempt", seconds=60)


async def test_steps_are_counted_and_end(tmp_path: Path):
    async with open_ground(tmp_path, answering(completion()), max_steps=2) as ground:
        endpoint_token = await ground.endpoint_token()
        answers = [await ground.ask() for _ in range(3)]
        assert [answer.status for answer in answers] == [200, 200, 403]
        assert error_of(answers[-1]) == (403, "out_of_steps")
        report = await ground.endpoint.report(endpoint_token)
        assert (report.steps, report.refusal) == (2, Cause.OUT_OF_STEPS)


async def test_the_runs_cap_ends_its_calls(tmp_path: Path):
    gateway = answering(completion(cost=600))
    async with open_ground(tmp_path, gateway) as ground:
        endpoint_token = await ground.endpoint_token()
        answers = [await ground.ask() for _ in range(4)]
        assert [answer.status for answer in answers] == [200, 200, 402, 402]
        assert error_of(answers[-1]) == (402, "out_of_budget")
        report = await ground.endpoint.report(endpoint_token)
        assert report.refusal is Cause.OUT_OF_BUDGET
        assert report.usage.cost_micros == await spent(ground) == 1200
        # Told once, though it was asked for twice.
        async with ground.store.read() as db:
            kinds = list(await db.scalars(select(EventRow.kind)))
        assert kinds == ["run.call_refused"]


async def test_the_solves_cap_ends_the_calls_of_all_its_runs(tmp_path: Path):
    gateway = answering(completion(cost=900))
    async with open_ground(tmp_path, gateway, cost_cap_micros=900) as ground:
        assert (await ground.ask(await ground.token(OTHER))).status == 200
        assert error_of(await ground.ask()) == (402, "out_of_budget")


@pytest.mark.parametrize("where", ["here", "in two processes"])
async def test_calls_at_once_stay_under_the_cap(database_url: str, where: str):
    """Each is bounded by 400 and costs that: two fit under 1000 together, a third one alone.

    The solve's own cap is far away, so that it is the run's that holds.
    """
    gateway = WaitingGateway(lambda _: completion(cost=400))
    async with await Store.open(database_url) as store:
        ground = make_ground(store, gateway)
        await ground.open(cost_cap_micros=100_000, run_cost_cap_micros=1000)
        other = ground.restarted() if where != "here" else ground
        token = await ground.token()
        calls = [
            asyncio.create_task(place.ask(token, max_tokens=400)) for place in (ground, other) * 5
        ]
        await gateway.asked.wait()
        gateway.go.set()
        statuses = [(await call).status for call in calls]
        assert gateway.most <= 2
        assert statuses.count(200) == 3
        assert statuses.count(402) == 7
        assert await spent(ground) == (await ground.run()).cost_micros == 1200


async def test_few_requests_of_a_run_are_read_at_once(tmp_path: Path):
    gateway = WaitingGateway(lambda _: completion(cost=1))
    async with open_ground(tmp_path, gateway) as ground:
        token = await ground.token()
        calls = [asyncio.create_task(ground.ask(token, max_tokens=1)) for _ in range(12)]
        while gateway.most < MAX_AT_ONCE:  # noqa: ASYNC110  the first eight, one by one
            await asyncio.sleep(0.005)
        assert (await ground.run()).steps == MAX_AT_ONCE
        gateway.go.set()
        assert {(await call).status for call in calls} == {200}
        assert gateway.most == MAX_AT_ONCE
    assert len(ground.endpoint._intake._slots) == 0


async def test_another_conversation_of_the_same_length_is_not_taken_for_the_first(
    tmp_path: Path,
):
    """What was counted for a short one must not bound what a long one costs."""
    dear_input = completion(cost=1)
    gateway = WaitingGateway(lambda _: dear_input)
    gateway.go.set()
    async with open_ground(tmp_path, gateway, run_cost_cap_micros=2000) as ground:
        await ground.ask(messages=[{"role": "user", "content": "x"}])
        session = next(iter(ground.endpoint._sessions.values()))
        first = session._last
        assert first is not None
        await ground.ask(messages=[{"role": "user", "content": "y" * 5000}])
        second = session._last
        assert second is not None
        assert second[1] is not first[1]
        longer = [{"role": "user", "content": "y" * 5000}, {"role": "user", "content": "z"}]
        await ground.ask(messages=longer)
        third = session._last
        assert third is not None
        assert third[1] is second[1]


async def test_after_a_restart_money_steps_and_messages_go_on(tmp_path: Path):
    gateway = answering(completion("one", cost=600), completion("two", cost=600))
    async with open_ground(tmp_path, gateway, max_steps=10) as ground:
        token = await ground.token()
        assert text_of(await ground.ask(token)) == "one"
        later = ground.restarted()
        assert text_of(await later.ask(token)) == "two"
        assert error_of(await later.ask(token)) == (402, "out_of_budget")
        told = await ground.messages()
        assert [(m.seq, m.role) for m in told] == [
            (0, "system"),
            (1, "user"),
            (2, "assistant"),
            (3, "assistant"),
        ]


async def test_what_earlier_attempts_cost_counts(ground: EndpointGround):
    await ground.change(earlier_cost_micros=1000)
    assert error_of(await ground.ask()) == (402, "out_of_budget")


@pytest.mark.parametrize(
    ("cause", "status", "code", "retry"),
    [
        (Cause.MODEL_FAILED, 502, "model_failed", "true"),
        (Cause.MODEL_REFUSED, 502, "model_refused", "false"),
        (Cause.CONTEXT_OVERFLOW, 400, "context_length_exceeded", "false"),
        (Cause.SCRIPT_EXHAUSTED, 502, "script_exhausted", "false"),
    ],
)
async def test_a_failing_model_is_reported_in_our_words(
    tmp_path: Path, cause: Cause, status: int, code: str, retry: str
):
    def fail(_: Call) -> Completion:
        raise GatewayError("http://10.0.0.1 says sk-or-secret", cause=cause)

    async with open_ground(tmp_path, AnsweringGateway(fail)) as ground:
        endpoint_token = await ground.endpoint_token()
        answer = await ground.ask()
        assert error_of(answer) == (status, code)
        assert answer.headers["x-should-retry"] == retry
        assert b"10.0.0.1" not in answer.content
        assert b"secret" not in answer.content
        report = await ground.endpoint.report(endpoint_token)
        assert (report.refusal, report.steps, report.messages) == (cause, 1, 2)


async def test_a_refusal_is_over_when_a_call_is_answered(tmp_path: Path):
    def flaky(call: Call) -> Completion:
        if call.turn == 0:
            raise GatewayError("for a moment")
        return completion("<plan>\n1. look\n2. mend\n</plan>")

    async with open_ground(tmp_path, AnsweringGateway(flaky)) as ground:
        endpoint_token = await ground.endpoint_token()
        assert (await ground.ask()).status == 502
        assert (await ground.ask()).status == 200
        report = await ground.endpoint.report(endpoint_token)
        assert report.refusal is None
        assert (report.plan, report.plan_step) == (("look", "mend"), 2)


async def test_a_call_ends_with_the_runs_time(ground: EndpointGround):
    waiting = WaitingGateway(lambda _: completion())
    slow = make_ground(ground.store, waiting, ground.clock)
    endpoint_token = await slow.endpoint_token(seconds=0.01)
    answer = await slow.ask(endpoint_token.token.get_secret_value())
    assert error_of(answer) == (403, "out_of_time")
    assert waiting.left.is_set()


async def test_who_leaves_has_its_call_left_and_its_money_settled(ground: EndpointGround):
    waiting = WaitingGateway(lambda _: completion())
    slow = make_ground(ground.store, waiting, ground.clock)
    call = asyncio.create_task(slow.ask())
    await waiting.asked.wait()
    call.cancel()
    await asyncio.wait([call])
    assert call.cancelled()
    assert waiting.left.is_set()
    async with ground.store.read() as db:
        assert (await db.scalars(select(HoldRow))).all() == []
        # It may have been billed, so that it counts against the cap.
        assert (await solves.get(db, SOLVE)).uncertain_micros > 0


async def test_a_report_ends_what_is_under_way_and_frees_lost_money(
    ground: EndpointGround, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(endpoint, "OTHERS_S", 0.01)
    waiting = WaitingGateway(lambda _: completion())
    slow = make_ground(ground.store, waiting, ground.clock)
    endpoint_token = await slow.endpoint_token()
    call = asyncio.create_task(slow.ask())
    await waiting.asked.wait()
    # Of a server that was killed in the middle of a call.
    lost = HoldRow(id="lost", solve_id=SOLVE, run_id=RUN, worker_id=WORKER, micros=77, at=1.0)
    async with ground.store.change() as db:
        await holds.add(db, lost)
    report = await slow.endpoint.report(endpoint_token)
    assert call.done()
    assert (report.steps, report.messages) == (1, 2)
    async with ground.store.read() as db:
        assert (await db.scalars(select(HoldRow))).all() == []


async def test_a_reply_that_comes_too_late_costs_and_is_not_reported(ground: EndpointGround):
    waiting = WaitingGateway(lambda _: completion())
    slow = make_ground(ground.store, waiting, ground.clock)
    call = asyncio.create_task(slow.ask())
    await waiting.asked.wait()
    await slow.change(state=RunState.VERIFYING)
    waiting.go.set()
    assert (await call).status == 200
    run = await slow.run()
    assert (run.cost_micros, run.message_count) == (10, 2)


async def test_leaving_ends_what_is_under_way(ground: EndpointGround):
    waiting = WaitingGateway(lambda _: completion())
    slow = make_ground(ground.store, waiting, ground.clock)
    endpoint_token = await slow.endpoint_token()
    call = asyncio.create_task(slow.ask())
    await waiting.asked.wait()
    slow.endpoint.close(endpoint_token)
    await asyncio.wait([call])
    assert call.cancelled()
    slow.endpoint.close(endpoint_token)


async def test_sessions_of_ended_runs_are_forgotten(ground: EndpointGround):
    await ground.ask()
    ground.clock.ahead_s = 302
    await ground.ask(await ground.token(OTHER))
    assert [key[0] for key in ground.endpoint._sessions] == [OTHER]


async def test_the_token_says_nothing_that_a_sandbox_may_not_know(ground: EndpointGround):
    token = await ground.token()
    assert SECRET.get_secret_value() not in token
    assert SANDBOX not in token
