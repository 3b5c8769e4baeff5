"""Whatever a server does, the command line says one line about it."""

import asyncio
import os
import socket
from collections.abc import AsyncIterator

import pytest
from starlette.responses import JSONResponse, PlainTextResponse, Response

from tests.cli.stub_server import Stub, problem, serving
from yudai.cli.http.client import AwayError, Remote, checked, is_loopback, open_remote, read_as
from yudai.kit.errors import ConflictError, NotFoundError, RefusedError, YudaiError
from yudai.views.runs import RunDetail


@pytest.fixture
async def stub() -> AsyncIterator[Stub]:
    async with serving(Stub()) as stub:
        yield stub


@pytest.fixture
async def remote(stub: Stub) -> AsyncIterator[Remote]:
    async with open_remote(stub.url) as remote:
        yield remote


@pytest.mark.parametrize(
    ("url", "root"),
    [
        ("http://127.0.0.1:8000", "http://127.0.0.1:8000"),
        (" http://127.0.0.1:8000/ ", "http://127.0.0.1:8000"),
        ("http://[::1]:8000/api/", "http://[::1]:8000"),
        ("https://arena.example/yudai", "https://arena.example/yudai"),
    ],
)
def test_a_url_means_the_servers_root(url: str, root: str):
    assert checked(url) == root


@pytest.mark.parametrize(
    "url",
    [
        "",
        "127.0.0.1:8000",
        "ftp://x",
        "http://",
        "http://a:b",
        "http://me:x@h",
        "http://h?x=1",
        "x",
    ],
)
def test_what_is_no_url_is_refused(url: str):
    with pytest.raises(RefusedError, match="--server"):
        checked(url)


@pytest.mark.parametrize(
    ("host", "is_ours"),
    [("127.0.0.1", True), ("127.9.9.9", True), ("::1", True), ("localhost", True),
     ("10.0.0.1", False), ("localhost.example.org", False)],
)  # fmt: skip
def test_loopback(host: str, is_ours: bool):  # noqa: FBT001 - a parameter of the test
    assert is_loopback(host) is is_ours


PROBLEMS: dict[int, type[Exception]] = {
    400: RefusedError,
    404: NotFoundError,
    409: ConflictError,
    413: RefusedError,
    422: RefusedError,
    500: YudaiError,
    503: AwayError,
}


async def test_a_problem_is_reported_in_the_servers_words(stub: Stub, remote: Remote):
    for status, error in PROBLEMS.items():
        stub.on("GET", "/api/solves", problem(status, "the folder is gone: give another"))
        with pytest.raises(error, match="the folder is gone: give another") as raised:
            await remote.get("/api/solves")
        assert type(raised.value) is error


async def test_advice_for_the_command_line_comes_first(stub: Stub, remote: Remote):
    told = {"detail": 'send "prices"', "command_line": "use --price", "code": "refused"}
    stub.on("GET", "/api/solves", JSONResponse(told, 422))
    with pytest.raises(RefusedError, match=r"^use --price$"):
        await remote.get("/api/solves")


async def test_an_answer_without_words_is_still_one_line(stub: Stub, remote: Remote):
    for answer in (Response("<html>", 500), Response("[3]", 502), Response("", 301)):
        stub.on("GET", "/api/solves", answer)
        with pytest.raises(YudaiError, match=rf"{answer.status_code}\)$"):
            await remote.get("/api/solves")


async def test_another_kind_of_server_is_distinguished(stub: Stub, remote: Remote):
    for reply in (PlainTextResponse("hello"), {"hello": "there"}):
        stub.on("GET", "/api/health/live", reply)
        with pytest.raises(RefusedError, match=r"Yudai server: check --server"):
            await remote.version()


async def test_a_server_that_is_gone_is_named():
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    async with open_remote(f"http://127.0.0.1:{port}") as remote:
        with pytest.raises(AwayError, match=rf"cannot reach the server http://127.0.0.1:{port}"):
            await remote.version()


async def test_a_server_that_hangs_up_is_away():
    async def hang_up(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.close()

    async with await asyncio.start_server(hang_up, "127.0.0.1", 0) as server:
        port = server.sockets[0].getsockname()[1]
        async with open_remote(f"http://127.0.0.1:{port}") as remote:
            with pytest.raises(AwayError, match="cannot reach"):
                await remote.version()


async def test_a_proxy_is_never_asked_for_loopback(stub: Stub, monkeypatch: pytest.MonkeyPatch):
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    monkeypatch.delenv("NO_PROXY", raising=False)
    monkeypatch.delenv("no_proxy", raising=False)
    assert os.environ["HTTP_PROXY"]
    async with open_remote(stub.url) as remote:
        assert await remote.version() == ""


async def test_a_key_goes_along(stub: Stub, remote: Remote):
    stub.on("POST", "/api/solves", {"id": "x"})
    assert await remote.post("/api/solves", {"a": 1}, key="k" * 8) == {"id": "x"}
    assert stub.asked[-1].headers["idempotency-key"] == "kkkkkkkk"
    assert stub.asked[-1].body == {"a": 1}


def test_another_version_is_said_plainly():
    with pytest.raises(YudaiError, match="another version"):
        read_as(RunDetail, {"id": "x"}, "http://127.0.0.1:8000")
