"""The model endpoint over HTTP: on a Unix socket and on a loopback port."""

import asyncio
import json
import signal
import stat
import tempfile
from collections.abc import AsyncGenerator, Iterator
from pathlib import Path

import httpx
import pytest

from tests.support.servers.model_endpoint import (
    HELLO,
    MODEL,
    EndpointGround,
    WaitingGateway,
    answering,
    completion,
    open_ground,
)
from yudai.agents.adapters.command.model_server import HOST, serve_on_loopback, serve_on_socket
from yudai.agents.endpoint.port import MAX_BODY

PATH = "/chat/completions"


@pytest.fixture
async def ground(tmp_path: Path) -> AsyncGenerator[EndpointGround]:
    async with open_ground(tmp_path, answering(completion("hello"))) as opened:
        yield opened


@pytest.fixture
def folder() -> Iterator[Path]:
    """A socket's path is short, and pytest's own folders may not be."""
    with tempfile.TemporaryDirectory() as name:
        yield Path(name)


async def key(ground: EndpointGround) -> dict[str, str]:
    return {"Authorization": f"Bearer {await ground.token()}"}


async def test_on_a_socket_of_our_own(ground: EndpointGround, folder: Path):
    path = folder / "doors" / "model.sock"
    async with serve_on_socket(ground.endpoint, path) as url:
        assert url == f"http://{HOST}/v1"
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
        assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
        transport = httpx.AsyncHTTPTransport(uds=str(path))
        async with httpx.AsyncClient(
            transport=transport, base_url=url, headers=await key(ground)
        ) as client:
            listed = await client.get("/models")
            assert listed.json()["data"][0]["id"] == MODEL
            answer = await client.post(PATH, json={"messages": HELLO})
            assert answer.json()["choices"][0]["message"]["content"] == "hello"
            streamed = await client.post(PATH, json={"messages": HELLO, "stream": True})
            assert streamed.headers["content-type"] == "text/event-stream"
            assert streamed.text.endswith("data: [DONE]\n\n")
            for method, elsewhere in (("GET", PATH), ("POST", "/models"), ("GET", "/../secret")):
                refused = await client.request(method, elsewhere)
                assert (refused.status_code, refused.json()["error"]["code"]) == (404, "not_found")
    assert not path.exists()


async def test_a_socket_of_a_process_that_died_is_replaced(ground: EndpointGround, folder: Path):
    path = folder / "model.sock"
    path.touch()
    async with serve_on_socket(ground.endpoint, path):
        assert path.is_socket()


async def test_on_a_loopback_port_no_one_is_answered_without_a_token(ground: EndpointGround):
    async with serve_on_loopback(ground.endpoint) as url, httpx.AsyncClient(base_url=url) as client:
        assert url.startswith("http://127.0.0.1:")
        refused = await client.post(PATH, json={"messages": HELLO})
        assert (refused.status_code, refused.json()["error"]["code"]) == (401, "invalid_api_key")
        answer = await client.post(PATH, json={"messages": HELLO}, headers=await key(ground))
        assert answer.status_code == 200
    with pytest.raises(httpx.ConnectError):
        async with httpx.AsyncClient(base_url=url) as client:
            await client.get("/models")


@pytest.mark.parametrize(("extra", "status"), [(0, 200), (1, 413)])
async def test_a_request_has_a_most(ground: EndpointGround, extra: int, status: int):
    frame = json.dumps({"messages": [{"role": "user", "content": ""}]}).encode()
    words = b"a" * (MAX_BODY - len(frame) + extra)
    content = frame.replace(b'"content": ""', b'"content": "' + words + b'"')
    assert len(content) == MAX_BODY + extra
    async with serve_on_loopback(ground.endpoint) as url, httpx.AsyncClient(base_url=url) as client:
        answer = await client.post(PATH, content=content, headers=await key(ground))
        assert answer.status_code == status


async def test_the_whole_url_may_stand_in_the_place_of_the_path(ground: EndpointGround):
    """As a proxy is asked, and may pass it on."""
    async with serve_on_loopback(ground.endpoint) as url:
        port = int(url.split(":")[2].split("/")[0])
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        token = await ground.token()
        lines = [
            f"GET http://{HOST}/v1/models HTTP/1.1",
            f"Host: {HOST}",
            f"Authorization: Bearer {token}",
            "Connection: close",
        ]
        writer.write("\r\n".join([*lines, "", ""]).encode())
        answer = await reader.read()
        writer.close()
        assert answer.startswith(b"HTTP/1.1 200")
        assert MODEL.encode() in answer


async def test_who_hangs_up_has_its_call_left(tmp_path: Path):
    gateway = WaitingGateway(lambda _: completion())
    async with (
        open_ground(tmp_path, gateway) as ground,
        serve_on_loopback(ground.endpoint) as url,
        httpx.AsyncClient(base_url=url, headers=await key(ground)) as client,
    ):
        call = asyncio.create_task(client.post(PATH, json={"messages": HELLO}))
        await gateway.asked.wait()
        call.cancel()
        async with asyncio.timeout(10):
            await gateway.left.wait()
        assert gateway.calls == []


async def test_the_door_does_not_take_our_signals(ground: EndpointGround):
    before = signal.getsignal(signal.SIGTERM)
    async with serve_on_loopback(ground.endpoint):
        assert signal.getsignal(signal.SIGTERM) is before
