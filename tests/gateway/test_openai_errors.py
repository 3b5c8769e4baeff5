"""Endpoints that fail, refuse, hang, flood and lie: each ends as one clear line, or is survived."""

import asyncio
import logging
import socket
import traceback
from email.utils import formatdate
from typing import Any

import pytest
from pydantic import SecretStr
from structlog.testing import capture_logs

from tests.support.servers.gateway_client import CALL, KEY, NOW, QUICK, asking
from tests.support.servers.openai_server import (
    Fault,
    always,
    answers,
    completion,
    drip,
    error_in_200,
    flood,
    gzip_bomb,
    half_json,
    hang,
    html,
    in_turn,
    refuses,
    reset,
    says,
    truncated,
)
from yudai.gateway.adapters.openai.endpoint import local
from yudai.gateway.adapters.openai.gateway import OpenAIGateway
from yudai.kit.causes import Cause
from yudai.kit.errors import GatewayError

DEEP = '{"choices": ' + "[" * 900 + "]" * 900 + "}"

PASSING: dict[str, tuple[Any, str, bool]] = {
    "408": (refuses(408, "too slow"), "(408): too slow", True),
    "409": (refuses(409, "not now"), "(409): not now", False),
    "425": (refuses(425, "too early"), "(425): too early", False),
    "429": (refuses(429, "slow down"), "(429): slow down", False),
    "500": (refuses(500, "oops"), "(500): oops", False),
    "502 html": (html(502), "(502): a page of HTML", False),
    "503 empty": (answers("", status=503), "(503): without further details", False),
    "504": (refuses(504, "upstream"), "(504): upstream", True),
    "529": (refuses(529, "overloaded"), "(529): overloaded", False),
    "reset": (reset(), "no answer: ", True),
    "truncated": (truncated(), "no answer: ", True),
    "not gzip": (answers("{}", headers={"Content-Encoding": "gzip"}), "no answer: ", True),
    "html": (html(), "answered with a page of HTML", True),
    "half json": (half_json(), "text that is not valid JSON", True),
    "text": (answers("hello"), "text that is not valid JSON", True),
    "not utf-8": (lambda wire: wire.send(200, b"\xff\xfe\xff"), "that is not valid JSON", True),
    "deep json": (answers("[" * 100_000), "text that is not valid JSON", True),
    "less deep json": (answers(DEEP), "text that is not valid JSON", True),
    "list": (answers("[1]"), "no JSON object", True),
    "null": (answers("null"), "no JSON object", True),
    "empty object": (answers("{}"), "no choice in it", True),
    "no choices": (answers('{"choices": []}'), "no choice in it", True),
    "choices null": (answers('{"choices": null}'), "no choice in it", True),
    "choice text": (answers('{"choices": ["x"]}'), "no choice in it", True),
    "message null": (completion(None), "no message in it", True),
    "message text": (completion("hi"), "no message in it", True),
    "many calls": (completion({"tool_calls": [{}] * 1000}), "1000 tool calls", True),
    "error": (error_in_200("overloaded"), "(502): overloaded", False),
    "error 429": (error_in_200("slow down", code=429), "(429): slow down", False),
    "error 408": (error_in_200("too slow", code=408), "(408): too slow", True),
    "error text": (answers('{"error": "odd"}'), "(502): odd", False),
    "error list": (answers('{"error": {"code": [1], "message": {"a": 1}}}'), '{"a": 1}', False),
    "finished by an error": (says("", finish_reason="error"), "(502): the model broke off", True),
    "error in choice": (error_in_200("broke", in_choice=True), "(502): broke", True),
}


@pytest.mark.parametrize("name", PASSING)
async def test_what_may_pass_is_tried_again(name: str):
    fault, _, lost = PASSING[name]
    async with asking(in_turn(fault, fault, says("at last"))) as it:
        got = await it.ask()
    assert got.content == "at last"
    assert len(it.server.requests) == 3
    assert it.waits == [0.5, 1.0]
    assert got.lost_attempts == (2 if lost else 0)


@pytest.mark.parametrize("name", PASSING)
async def test_what_does_not_pass_ends_after_four_attempts(name: str):
    fault, words, lost = PASSING[name]
    async with asking(always(fault)) as it:
        error = await it.fail()
    assert error.cause is Cause.MODEL_FAILED
    assert words in str(error)
    assert "failed 4 times" in str(error)
    assert "\n" not in str(error)
    assert len(it.server.requests) == 4
    assert it.waits == [0.5, 1.0, 2.0]
    assert error.lost_attempts == (4 if lost else 0)


REFUSALS: dict[str, tuple[Fault, str]] = {
    "400": (refuses(400, "bad request"), "refused the call (400): bad request"),
    "401": (refuses(401, "no such key"), "refused the key in THE_KEY (401): no such key"),
    "402": (refuses(402, "pay first"), "refused the call (402): pay first"),
    "403": (refuses(403, "flagged"), "refused the call with the key in THE_KEY (403): flagged"),
    "404": (refuses(404, "no such model"), "knows no such model or address (404): no such model"),
    "404 html": (html(404), "address (404): a page of HTML"),
    "405": (refuses(405, "no"), "refused the call (405): no"),
    "422": (answers('{"detail": [{"msg": "x"}]}', status=422), '(422): [{"msg": "x"}]'),
    "301": (
        answers("", status=301, headers={"Location": "https://elsewhere.invalid/v1"}),
        "refused the call (301): it redirects to https://elsewhere.invalid/v1",
    ),
    "302": (
        answers("", status=302, headers={"Location": "http://\xe9.invalid/"}),
        "(302): it redirects to http://?.invalid/",
    ),
    "307": (answers("", status=307), "refused the call (307): without further details"),
    "message": (answers('{"message": "wrong"}', status=400), "(400): wrong"),
    "plain": (answers("no\n\x1b[31mred\x00", status=400), "(400): no [31mred"),
    "quota": (refuses(429, "x", code="insufficient_quota"), "refused the call (429): x"),
    "credits": (refuses(429, "Insufficient credits."), "(429): Insufficient credits."),
    "balance": (error_in_200("Insufficient Balance"), "(502): Insufficient Balance"),
    "in a 200": (error_in_200("flagged", code=403), "THE_KEY (403): flagged"),
    "of a provider": (
        refuses(400, "Provider returned error", metadata={"raw": '{"message":"too odd"}'}),
        '(400): Provider returned error: {"message":"too odd"}',
    ),
}


@pytest.mark.parametrize("name", REFUSALS)
async def test_what_will_not_pass_is_never_tried_again(name: str):
    fault, words = REFUSALS[name]
    async with asking(always(fault)) as it:
        error = await it.fail()
    assert error.cause is Cause.MODEL_REFUSED
    assert words in str(error)
    assert len(it.server.requests) == 1
    assert not it.waits
    assert error.lost_attempts == 0


@pytest.mark.parametrize("status", [401, 403])
async def test_an_endpoint_that_wants_a_key_names_the_variable(status: int):
    async with asking(always(refuses(status, "who are you")), key=None) as it:
        error = await it.fail()
    assert f"wants a key: set THE_KEY ({status}): who are you" in str(error)


async def test_long_words_are_cut_to_one_line():
    async with asking(always(refuses(400, "so\n" * 10_000))) as it:
        error = await it.fail()
    assert "\n" not in str(error)
    assert len(str(error)) < 400


@pytest.mark.parametrize(
    ("header", "wait"),
    [
        ("7", 7.0),
        ("0.25", 0.25),
        ("-3", 0.0),
        (formatdate(NOW + 20, usegmt=True), 20.0),
        (formatdate(NOW - 20, usegmt=True), 0.0),
        ("soon", 0.5),
        ("nan", 0.5),
        ("", 0.5),
    ],
)
@pytest.mark.parametrize("status", [429, 503])
async def test_an_endpoint_says_when_to_come_back(header: str, wait: float, status: int):
    busy = refuses(status, "busy", headers={"Retry-After": header})
    async with asking(in_turn(busy, says("hi"))) as it:
        await it.ask()
    assert it.waits == [wait]


@pytest.mark.parametrize("header", ["3600", "inf", formatdate(NOW + 3600, usegmt=True)])
async def test_one_that_asks_to_wait_too_long_is_given_up_at_once(header: str):
    async with asking(always(refuses(429, "busy", headers={"Retry-After": header}))) as it:
        error = await it.fail()
    assert error.cause is Cause.MODEL_FAILED
    assert "asks to wait for" in str(error)
    assert len(it.server.requests) == 1
    assert not it.waits


async def test_dice_spread_the_waits_of_many_callers():
    async with asking(in_turn(refuses(500), refuses(429, headers={"Retry-After": "5"}))) as it:
        it.gateway._dice = lambda: 1.0
        await it.fail()
    assert it.waits == [1.0, 6.0, 6.0]


OVERFLOWS = [
    refuses(400, "too much", code="context_length_exceeded"),
    refuses(400, "This model's maximum context length is 8192 tokens. However, your messages"),
    refuses(400, "Your input exceeds the context window of this model."),
    refuses(400, "prompt is too long: 213462 tokens > 200000 maximum"),
    refuses(400, "input length and `max_tokens` exceed context limit: 199900 + 8192 > 200000"),
    refuses(400, "The input (400013 tokens) is longer than the model's context length (262144)"),
    refuses(400, "The decoder prompt (length 9) is longer than the maximum model length of 4"),
    refuses(
        400,
        "the request exceeds the available context size. try increasing the context size",
        type="exceed_context_size_error",
    ),
    refuses(
        400, "The number of tokens to keep from the initial prompt is greater than the context"
    ),
    refuses(400, "The input token count (1196265) exceeds the maximum number of tokens allowed"),
    refuses(400, "This model's maximum prompt length is 131072 but the request contains 537812"),
    refuses(400, "Please reduce the length of the messages or completion."),
    refuses(400, "Input is too long for requested model."),
    refuses(400, "invalid params, context window exceeds limit"),
    refuses(400, "Prompt contains 9 tokens, too large for model with 4 maximum context length"),
    refuses(400, "Your request exceeded model token limit: 262144"),
    refuses(
        400,
        "Provider returned error",
        metadata={"raw": '{"error":{"message":"prompt is too long: 2 tokens > 1 maximum"}}'},
    ),
    refuses(500, "context length exceeded"),
    refuses(413, "Payload Too Large"),
    html(413),
    error_in_200("This endpoint's maximum context length is 16384 tokens.", code=400),
    answers('{"object": "error", "message": "maximum context length is 9"}', status=400),
]


@pytest.mark.parametrize("fault", OVERFLOWS)
async def test_an_outgrown_context_is_a_cause_of_its_own(fault: Fault):
    async with asking(always(fault)) as it:
        error = await it.fail()
    assert error.cause is Cause.CONTEXT_OVERFLOW
    assert str(error).startswith("the conversation outgrew the context of m (")
    assert len(it.server.requests) == 1


async def test_too_many_tokens_per_minute_are_no_outgrown_context():
    words = "Rate limit reached: maximum context length per minute. Please reduce the length of the"
    async with asking(in_turn(refuses(429, words), says("hi"))) as it:
        assert (await it.ask()).content == "hi"


@pytest.mark.parametrize("fault", [hang(), drip()])
async def test_an_endpoint_that_never_ends_is_left(fault: Fault):
    async with asking(always(fault), patience=QUICK._replace(attempt_s=1.0, attempts=2)) as it:
        error = await it.fail()
        assert await asyncio.to_thread(it.server.left.wait, 10)
    assert error.cause is Cause.MODEL_FAILED
    assert "did not answer within 1 s" in str(error)
    assert error.lost_attempts == 2
    assert len(it.server.requests) == 2


async def test_a_slow_attempt_can_be_followed_by_a_good_one():
    patience = QUICK._replace(attempt_s=3.0)
    async with asking(in_turn(hang(), says("hi")), patience=patience) as it:
        got = await it.ask()
    assert (got.content, got.lost_attempts) == ("hi", 1)


@pytest.mark.parametrize("fault", [flood(), flood(status=500), gzip_bomb()])
async def test_a_flood_is_cut_off_and_not_asked_for_again(fault: Fault):
    async with asking(always(fault)) as it:
        error = await it.fail()
    assert error.cause is Cause.MODEL_FAILED
    assert "failed: its response has more than 1 MB" in str(error)
    assert len(it.server.requests) == 1
    assert error.lost_attempts > 0


async def test_no_one_listens():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    waits: list[float] = []

    async def sleep(seconds: float) -> None:
        waits.append(seconds)

    gateway = OpenAIGateway(local(f"http://127.0.0.1:{port}/v1", None), sleep=sleep)
    with pytest.raises(GatewayError, match=f"127.0.0.1:{port} failed 4 times, at last") as caught:
        await gateway.complete(CALL)
    assert caught.value.cause is Cause.MODEL_FAILED
    assert caught.value.lost_attempts == 0
    assert len(waits) == 3
    await gateway.close()


async def test_a_cancelled_call_is_broken_off_at_once():
    async with asking(always(hang())) as it:
        task = asyncio.create_task(it.ask())
        assert await asyncio.to_thread(it.server.asked.wait, 10)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert await asyncio.to_thread(it.server.left.wait, 10)
    assert len(it.server.requests) == 1


async def test_a_call_can_be_cancelled_while_it_waits():
    waiting = asyncio.Event()

    async def sleep(seconds: float) -> None:
        waiting.set()
        await asyncio.Event().wait()

    async with asking(always(refuses(503))) as it:
        it.gateway._sleep = sleep
        task = asyncio.create_task(it.ask())
        await waiting.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task


async def test_many_calls_at_once_share_one_client():
    async with asking(always(says("hi"))) as it, asyncio.TaskGroup() as group:
        for _ in range(40):
            group.create_task(it.ask())
    assert len(it.server.requests) == 40


ECHOES: dict[str, Fault | dict[str, Any]] = {
    "refusal": refuses(401, f"Incorrect API key provided: {KEY}"),
    "page": answers(f"Authorization: Bearer {KEY}", status=400),
    "redirect": answers("", status=302, headers={"Location": f"http://x.invalid/?key={KEY}"}),
    "error in a 200": error_in_200(f"bad {KEY}", code=400),
    "timeout": hang(),
    "reset": reset(),
    "not json": answers(KEY),
}


@pytest.mark.parametrize("name", ECHOES)
async def test_the_key_is_in_no_message_and_no_log(name: str, caplog: pytest.LogCaptureFixture):
    caplog.set_level(logging.DEBUG)
    patience = QUICK._replace(attempt_s=2.0, attempts=1)
    with capture_logs() as logs:
        async with asking(always(ECHOES[name]), patience=patience) as it:
            error = await it.fail()
    assert it.server.requests[0].headers["authorization"] == f"Bearer {KEY}"
    told = "".join(traceback.format_exception(error)) + repr(error) + str(logs) + caplog.text
    assert KEY not in told
    assert error.__cause__ is None
    assert error.__context__ is None


async def test_the_key_is_in_no_value_and_no_completion():
    echo = completion(
        {"content": KEY, "tool_calls": [{"id": KEY, "function": {"name": KEY, "arguments": KEY}}]}
    )
    async with asking(always(echo)) as it:
        got = await it.ask()
        shown = (
            repr(it.gateway) + repr(it.gateway._endpoint) + it.gateway._endpoint.model_dump_json()
        )
    assert KEY not in shown
    assert KEY not in repr(got)
    assert KEY not in repr(OpenAIGateway(local("http://localhost/v1", SecretStr(KEY))).__dict__)


async def test_a_placeholder_for_a_key_may_be_said():
    async with asking(always(says("The list is EMPTY.")), key="EMPTY") as it:
        assert (await it.ask()).content == "The list is EMPTY."
