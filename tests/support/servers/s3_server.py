"""A real S3 server on loopback (moto's), one per test process, and ways to spoil the line to it.

    address = new_bucket()
    artifacts = artifacts_at(address, home=tmp_path)

It is a process of its own: it neither counts in our memory nor stops our loop. It ends with us.
"""

import asyncio
import atexit
import itertools
import os
import subprocess
import sys
import urllib.request
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest
from pydantic import SecretStr

from yudai.artifacts.adapters.locations import S3Access, S3Timeouts
from yudai.artifacts.adapters.object_store import ObjectStoreArtifacts, find_location

KEY_ID = "AKIATESTS"
SECRET = "not-so-secret-but-never-shown"  # noqa: S105 - moto takes any
PATIENT = S3Timeouts()
IMPATIENT = S3Timeouts(connect_s=2, silence_s=0.3, retries=1, retrying_s=5)

_MOTO = """
import sys
from moto.server import ThreadedMotoServer
server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
server.start()
print(server.get_host_and_port()[1], flush=True)
sys.stdin.read()
"""
_buckets = itertools.count()


class Address(NamedTuple):
    endpoint: str
    bucket: str

    @property
    def url(self) -> str:
        return f"s3://{self.bucket}/some/prefix"


def new_bucket() -> Address:
    address = Address(_server(), f"bucket-{next(_buckets)}")
    ask("PUT", f"/{address.bucket}")
    return address


def artifacts_at(
    address: Address, *, home: Path, timeouts: S3Timeouts = PATIENT, keys: bool = True
) -> ObjectStoreArtifacts:
    key, secret = (SecretStr(KEY_ID), SecretStr(SECRET)) if keys else (None, None)
    access = S3Access(address.endpoint, "us-east-1", key, secret)
    return ObjectStoreArtifacts(find_location(address.url, access, home=home, timeouts=timeouts))


def forget_surroundings(monkeypatch: pytest.MonkeyPatch) -> None:
    """What obstore would look at by itself: keys and proxies of the machine."""
    for name in os.environ:
        if name.startswith("AWS_") or name.lower().endswith("_proxy"):
            monkeypatch.delenv(name)


def ask(method: str, path: str, body: bytes | None = None) -> bytes:
    """As the owner of the server would; moto looks at the key's name, not at the signature."""
    headers = {
        "Authorization": f"AWS4-HMAC-SHA256 Credential={KEY_ID}/20250101/us-east-1/s3/x",
        "Content-Type": "application/octet-stream",
    }
    request = urllib.request.Request(_server() + path, body, headers, method=method)  # noqa: S310
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    with opener.open(request) as answer:
        return answer.read()


@cache
def _server() -> str:
    process = subprocess.Popen(
        [sys.executable, "-c", _MOTO],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    atexit.register(_end, process)
    return f"http://127.0.0.1:{int(process.stdout.readline())}"


def _end(process: subprocess.Popen[str]) -> None:
    for pipe in (process.stdin, process.stdout):
        assert pipe is not None
        pipe.close()
    process.wait()


Talk = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


@asynccontextmanager
async def listening(talk: Talk) -> AsyncGenerator[str]:
    """A server that does what `talk` does with each connection; all are gone on leaving."""
    tasks: set[asyncio.Task[None]] = set()

    async def greet(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            with suppress(OSError, asyncio.IncompleteReadError):
                await talk(reader, writer)
                writer.close()
                await writer.wait_closed()
        finally:
            writer.transport.abort()

    def accept(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        tasks.add(asyncio.create_task(greet(reader, writer)))

    server = await asyncio.start_server(accept, "127.0.0.1", 0)
    try:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    finally:
        server.close()
        for task in tasks:
            task.cancel()
        for task in tasks:
            with suppress(asyncio.CancelledError):
                await task
        # An aborted connection is closed in the loop's next round.
        await asyncio.sleep(0)


def answering(status: str, body: str = "") -> Talk:
    """One answer for every request."""

    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        head = f"HTTP/1.1 {status}\r\nContent-Length: {len(body)}\r\nConnection: close\r\n\r\n"
        writer.write((head + body).encode())
        await writer.drain()

    return talk


async def silent(reader: asyncio.StreamReader, _: asyncio.StreamWriter) -> None:
    """Take the request and never answer."""
    await reader.readuntil(b"\r\n\r\n")
    await asyncio.Event().wait()


def relaying(address: Address, *, until: int = 1 << 30, never: bytes = b"") -> Talk:
    """The real server behind a bad line.

    It is cut after so many bytes of each answer; a request with `never` in its head gets none.
    """
    port = int(address.endpoint.rpartition(":")[2])

    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = await reader.readuntil(b"\r\n\r\n")
        if never and never in head:
            await asyncio.Event().wait()
        there, back = await asyncio.open_connection("127.0.0.1", port)
        back.write(head)
        sending = asyncio.create_task(_pump(reader, back))
        try:
            left = until
            while left and (data := await there.read(min(left, 65536))):
                writer.write(data)
                await writer.drain()
                left -= len(data)
        finally:
            sending.cancel()
            back.transport.abort()

    return talk


async def _pump(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with suppress(OSError):
        while data := await reader.read(65536):
            writer.write(data)
            await writer.drain()
