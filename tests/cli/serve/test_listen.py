"""Where a server listens, and how it ends."""

import asyncio
import socket

import httpx
import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.routing import Route
from structlog.testing import capture_logs

from yudai.cli.serve.listen import answering, bind, url_of
from yudai.kit.errors import RefusedError

PUBLIC = ["0.0.0.0", "::", "192.0.2.1", "2001:db8::1", "::ffff:8.8.8.8"]  # noqa: S104 - refused


@pytest.mark.parametrize("host", PUBLIC)
def test_an_address_that_others_can_reach_is_refused(host: str):
    with pytest.raises(RefusedError, match=r"without a login: use 127\.0\.0\.1"):
        bind(host, 0)


def test_a_name_is_what_it_resolves_to(monkeypatch: pytest.MonkeyPatch):
    def resolve(host: str, *_: object, **__: object) -> list[object]:
        kind = (socket.AF_INET, socket.SOCK_STREAM, 6, "")
        both = {"mine": ["127.0.0.1"], "mixed": ["127.0.0.1", "192.0.2.7"]}
        return [(*kind, (address, 0)) for address in both[host]]

    monkeypatch.setattr(socket, "getaddrinfo", resolve)
    with bind("mine", 0) as listener:
        assert url_of(listener).startswith("http://127.0.0.1:")
    with pytest.raises(RefusedError, match="mixed would be open to others"):
        bind("mixed", 0)


@pytest.mark.parametrize("host", ["", "no-such-host.invalid", "a" * 300])
def test_a_name_that_no_one_knows_is_refused(host: str):
    with pytest.raises(RefusedError, match=r"use 127\.0\.0\.1"):
        bind(host, 0)


def test_a_port_in_use_is_one_line_with_the_remedy():
    with bind("127.0.0.1", 0) as listener:
        port = listener.getsockname()[1]
        with pytest.raises(RefusedError, match=f"port {port} of .* is in use: .*--port, or 0"):
            bind("127.0.0.1", port)


def test_all_of_loopback_will_do():
    with bind("127.0.0.2", 0) as listener:
        assert url_of(listener).startswith("http://127.0.0.2:")


async def test_who_comes_early_waits_and_who_is_being_answered_is_not_cut_off():
    asked, go_on = asyncio.Event(), asyncio.Event()

    async def slowly(_: Request) -> PlainTextResponse:
        asked.set()
        await go_on.wait()
        return PlainTextResponse("done")

    listener = bind("127.0.0.1", 0)
    async with httpx.AsyncClient(base_url=url_of(listener), trust_env=False) as client:
        early = asyncio.create_task(client.get("/"))
        async with answering(Starlette(routes=[Route("/", slowly)]), listener):
            await asked.wait()
            asyncio.get_running_loop().call_later(0.05, go_on.set)
        assert (await early).text == "done"
        with pytest.raises(httpx.ConnectError):
            await client.get("/")


async def test_what_breaks_is_logged_in_our_shape():
    async def broken(_: Request) -> PlainTextResponse:
        raise ZeroDivisionError("oh no")

    listener = bind("127.0.0.1", 0)
    with capture_logs() as logs:
        async with (
            answering(Starlette(routes=[Route("/", broken)]), listener),
            httpx.AsyncClient(base_url=url_of(listener), trust_env=False) as client,
        ):
            assert (await client.get("/")).status_code == 500
    [entry] = [entry for entry in logs if entry["event"] == "http.said"]
    assert entry["log_level"] == "error"
    assert entry["exc_info"][0] is ZeroDivisionError
