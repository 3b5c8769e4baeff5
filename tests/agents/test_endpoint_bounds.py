"""What an agent that means us ill, or that has ended, can not do at the model endpoint."""

import asyncio
import base64
import json
import time
from collections.abc import AsyncGenerator, Coroutine
from pathlib import Path
from typing import Any

import pytest

from tests.support.fakes import AnsweringGateway
from tests.support.servers.model_endpoint import (
    HELLO,
    OTHER,
    RUN,
    SANDBOX,
    SOLVE,
    EndpointGround,
    WaitingGateway,
    answering,
    completion,
    error_of,
    make_ground,
    open_ground,
)
from yudai.agents.adapters.command.agent import ended
from yudai.agents.endpoint import endpoint, intake
from yudai.agents.endpoint.port import MAX_BODY, BodyTooLargeError
from yudai.agents.endpoint.recorder import MAX_REFUSED
from yudai.gateway.adapters.openai.endpoint import openrouter
from yudai.gateway.adapters.openai.gateway import OpenAIGateway
from yudai.gateway.domain.models import Usage
from yudai.gateway.port import Call, Completion
from yudai.kit.causes import POLICIES, Cause
from yudai.kit.redaction import redactor
from yudai.runs.domain.progress import Progress
from yudai.runs.domain.trajectory.trajectory import TrajectoryMessage
from yudai.runs.message_writer import writer_of
from yudai.sandboxes.port import ExecResult
from yudai.solves import queries as solves
from yudai.solves.tables import SolveRow
from yudai.store.store import Store

GARBAGE = b'{"messages":['


@pytest.fixture
async def ground(tmp_path: Path) -> AsyncGenerator[EndpointGround]:
    async with open_ground(tmp_path, answering(completion())) as opened:
        yield opened


async def solve_of(ground: EndpointGround) -> SolveRow:
    async with ground.store.read() as db:
        return await solves.get(db, SOLVE)


async def longest_lag(work: Coroutine[Any, Any, object]) -> float:
    """How long the event loop did nothing else, while this was done."""
    lags = [0.0]

    async def look() -> None:
        while True:
            before = time.monotonic()
            await asyncio.sleep(0.02)
            lags.append(time.monotonic() - before)

    looking = asyncio.create_task(look())
    await work
    looking.cancel()
    return max(lags)


@pytest.mark.parametrize(
    "body",
    [
        GARBAGE + b"[]," * ((MAX_BODY - 40) // 3) + b"0]}",
        json.dumps({"messages": [{"role": "u", "content": "-----BEGIN PRIVATE KEY-----" * 9}] * 9})
        .encode()
        .ljust(MAX_BODY),
    ],
    ids=["nothings", "blanks"],
)
async def test_large_bodies_do_not_keep_others_waiting(ground: EndpointGround, body: bytes):
    """Eight of them at once made everything else of a worker wait for twelve seconds."""
    token = await ground.token()

    async def send_all() -> None:
        async with asyncio.TaskGroup() as group:
            calls = [group.create_task(ground.send(token, body)) for _ in range(8)]
        assert {error_of(call.result()) for call in calls} == {(400, "invalid_request")}

    assert await longest_lag(send_all()) < 1.5


async def test_nor_do_texts_that_are_kept(ground: EndpointGround):
    """They are redacted before the transaction, in which others wait for the database."""
    ground.store.redact = redactor(["a-very-secret-value"])
    begin = "-----BEGIN PRIVATE KEY-----" * 4000
    messages = [{"role": "user", "content": f"{place}{begin}"[:99_000]} for place in range(4)]
    before = time.process_time()
    assert (await ground.ask(messages=messages)).status == 200
    assert time.process_time() - before < 3


async def test_who_is_refused_again_and_again_is_not_read_any_more(ground: EndpointGround):
    endpoint_token = await ground.endpoint_token()
    token = endpoint_token.token.get_secret_value()
    reads = 0

    async def too_much() -> bytes:
        nonlocal reads
        reads += 1
        raise BodyTooLargeError("too much")

    assert (await ground.send(token, b"{")).status == 400
    for _ in range(MAX_REFUSED - 1):
        answer = await ground.endpoint.complete(f"Bearer {token}", too_much)
        assert error_of(answer) == (413, "too_large")
    for place in (ground, ground.restarted()):
        answer = await place.endpoint.complete(f"Bearer {token}", too_much)
        assert error_of(answer) == (403, "too_many_refused")
        assert answer.headers["x-should-retry"] == "false"
    assert reads == MAX_REFUSED - 1
    # Others have done nothing.
    assert (await ground.ask(await ground.token(OTHER))).status == 200
    assert (await ground.endpoint.report(endpoint_token)).refusal is Cause.AGENT_FAILED


async def test_calls_above_a_cap_count_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(endpoint, "MAX_REFUSED", 3)
    async with open_ground(tmp_path, answering(completion()), max_steps=1) as ground:
        endpoint_token = await ground.endpoint_token()
        codes = [(await ground.ask()).status for _ in range(5)]
        assert codes == [200, 403, 403, 403, 403]
        assert error_of(await ground.ask()) == (403, "too_many_refused")
        assert (await ground.endpoint.report(endpoint_token)).refusal is Cause.OUT_OF_STEPS


async def test_who_leaves_while_it_is_read_is_counted_and_keeps_its_place(
    ground: EndpointGround, monkeypatch: pytest.MonkeyPatch
):
    token = await ground.token()
    most = now = 0
    real = intake.read_request

    def slow(body: bytes) -> Any:
        nonlocal most, now
        now += 1
        most = max(most, now)
        time.sleep(0.05)
        now -= 1
        return real(body)

    unread, are_read = 6, asyncio.Event()

    async def read() -> bytes:
        nonlocal unread
        unread -= 1
        if not unread:
            are_read.set()
        return b"{"

    monkeypatch.setattr(intake, "read_request", slow)
    send = ground.endpoint.complete
    calls = [asyncio.create_task(send(f"Bearer {token}", read)) for _ in range(unread)]
    await are_read.wait()
    for call in calls:
        call.cancel()
    await asyncio.wait(calls)
    assert all(call.cancelled() for call in calls)
    assert most == 1
    async with ground.store.read() as db:
        state = await endpoint.attempt_state(db, RUN, 1)
    assert state.refused == len(calls)


async def test_a_body_that_does_not_arrive_is_not_waited_for(
    ground: EndpointGround, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(intake, "READING_S", 0.05)

    async def never() -> bytes:
        await asyncio.Event().wait()
        raise AssertionError

    answer = await ground.endpoint.complete(f"Bearer {await ground.token()}", never)
    assert error_of(answer) == (408, "too_slow")


@pytest.mark.parametrize("processes", [2, 4])
async def test_the_runs_cap_holds_over_processes(database_url: str, processes: int):
    """Each call may cost all of it, while the solve has far more."""
    gateway = WaitingGateway(lambda _: completion(cost=1000))
    async with await Store.open(database_url) as store:
        ground = make_ground(store, gateway)
        await ground.open(run_cost_cap_micros=1000, cost_cap_micros=100_000)
        places = [ground, *(ground.restarted() for _ in range(processes - 1))]
        token = await ground.token()
        calls = [asyncio.create_task(place.ask(token, max_tokens=1000)) for place in places]
        await gateway.asked.wait()
        await asyncio.sleep(0.5)
        assert gateway.most == 1
        # Meanwhile another run has its turn at the solve's money.
        other = asyncio.create_task(ground.ask(await ground.token(OTHER), max_tokens=1000))
        while gateway.most < 2:  # noqa: ASYNC110
            await asyncio.sleep(0.01)
        gateway.go.set()
        statuses = sorted([(await call).status for call in calls])
        assert statuses == [200, *[402] * (processes - 1)]
        assert (await other).status == 200
        assert (await ground.run()).cost_micros == 1000
        assert (await solve_of(ground)).spent_micros == 2000


async def test_what_may_have_been_billed_counts_in_every_process(ground: EndpointGround):
    waiting = WaitingGateway(lambda _: completion())
    slow = make_ground(ground.store, waiting, ground.clock)
    call = asyncio.create_task(slow.ask(max_tokens=1000))
    await waiting.asked.wait()
    call.cancel()
    await asyncio.wait([call])
    assert error_of(await ground.ask(max_tokens=10)) == (402, "out_of_budget")


async def test_the_token_is_kept_nowhere(tmp_path: Path):
    def repeat(call: Call) -> Completion:
        return completion(f"you said {call.messages[-1]['content']}")

    async with open_ground(tmp_path, AnsweringGateway(repeat)) as ground:
        token = await ground.token()
        encoded = base64.b64encode(f"key: {token}".encode()).decode()
        said = [f"OPENAI_API_KEY={token}", f"x{token}y", encoded, "\n".join((token, token))]
        for text in said:
            await ground.ask(token, messages=[{"role": "user", "content": text}])
        kept = json.dumps([message.body for message in await ground.messages()])
        assert kept.count("[redacted]") == 2 * (len(said) + 1)
        assert token.rpartition(".")[2] not in kept
        assert encoded[40:80] not in kept


async def test_when_the_agent_has_ended_its_token_has(ground: EndpointGround):
    endpoint_token = await ground.endpoint_token()
    token = endpoint_token.token.get_secret_value()
    assert (await ground.ask(token)).status == 200
    await ground.endpoint.report(endpoint_token)
    for place in (ground, ground.restarted()):
        assert error_of(await place.ask(token)) == (401, "invalid_api_key")
        models = await place.endpoint.models(f"Bearer {token}")
        assert error_of(models) == (401, "invalid_api_key")
    assert (await ground.run()).steps == 1


async def test_a_call_that_another_process_makes_meanwhile_falsifies_nothing(
    ground: EndpointGround, monkeypatch: pytest.MonkeyPatch
):
    """The server answers, and the worker reports and tells how the agent ended."""
    monkeypatch.setattr(endpoint, "OTHERS_S", 0.05)
    gateway = WaitingGateway(lambda _: completion("late", cost=77))
    server = make_ground(ground.store, gateway, ground.clock)
    worker = server.restarted()
    endpoint_token = await worker.endpoint_token()
    first = await ground.ask(endpoint_token.token.get_secret_value())
    assert first.status == 200
    call = asyncio.create_task(server.ask(endpoint_token.token.get_secret_value()))
    await gateway.asked.wait()
    report = await worker.endpoint.report(endpoint_token)
    gateway.go.set()
    await call
    last = TrajectoryMessage(
        seq=report.messages,
        step=report.steps,
        role="exit",
        at=1.0,
        body={"role": "exit", "content": "", "extra": {}},
    )
    record = writer_of(ground.store).recorder(RUN, 1, sandbox_id=SANDBOX)
    progress = Progress(steps=report.steps, edits=0, usage=report.usage)
    await asyncio.to_thread(record, last, progress)
    await writer_of(ground.store).flush()
    told = [(m.seq, m.role) for m in await ground.messages()]
    assert told == [(0, "system"), (1, "user"), (2, "assistant"), (3, "exit")]
    run, solve = await ground.run(), await solve_of(ground)
    assert run.message_count == 4
    # It was written off: what it may have cost is with the solve, and counted once.
    assert run.cost_micros == solve.spent_micros == 10
    assert solve.uncertain_micros >= 77
    assert run.usage == Usage(input_tokens=14, output_tokens=87, cost_micros=10)


async def test_who_notices_in_time_settles_by_itself(ground: EndpointGround):
    gateway = WaitingGateway(lambda _: completion("late", cost=77))
    server = make_ground(ground.store, gateway, ground.clock)
    worker = server.restarted()
    endpoint_token = await worker.endpoint_token()
    call = asyncio.create_task(server.ask(endpoint_token.token.get_secret_value()))
    await gateway.asked.wait()
    reporting = asyncio.create_task(worker.endpoint.report(endpoint_token))
    await asyncio.sleep(0.2)
    gateway.go.set()
    await call
    report = await reporting
    solve = await solve_of(ground)
    assert (report.usage.cost_micros, solve.spent_micros, solve.uncertain_micros) == (77, 77, 0)
    assert report.messages == len(HELLO)


async def test_a_key_that_the_server_lacks_is_no_fault_of_the_contestant(tmp_path: Path):
    async with open_ground(tmp_path, OpenAIGateway(openrouter(None))) as ground:
        endpoint_token = await ground.endpoint_token()
        answer = await ground.ask(endpoint_token.token.get_secret_value())
        assert error_of(answer) == (502, "model_refused")
        assert b"OPENROUTER" not in answer.content
        report = await ground.endpoint.report(endpoint_token)
        assert report.refusal is Cause.MODEL_REFUSED
        ending = ended(ExecResult(exit_code=1, output=b""), report.refusal, has_patch=False)
        assert ending.cause is Cause.MODEL_REFUSED
        assert POLICIES[ending.cause].who == "world"
        assert (await solve_of(ground)).uncertain_micros == 0


async def test_what_an_agents_calls_teach_stays_with_its_attempt(ground: EndpointGround):
    await ground.ask()
    await ground.ask(await ground.token(OTHER))
    first, second = ground.gateway.calls  # type: ignore[attr-defined]
    assert first.learns_with
    assert second.learns_with
    assert first.learns_with != second.learns_with
