"""The proxy of a sandbox on its Unix socket, against real servers on loopback."""

import asyncio
import tempfile
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterator, Sequence
from contextlib import AsyncExitStack, suppress
from ipaddress import ip_address
from pathlib import Path

import pytest

from yudai.sandboxes.backends.network.addresses import Address
from yudai.sandboxes.backends.network.dial import Bounds, DialSettings, upstream_of
from yudai.sandboxes.backends.network.egress import once
from yudai.sandboxes.backends.network.http import MAX_HEAD
from yudai.sandboxes.backends.network.proxy import Proxy
from yudai.sandboxes.backends.network.streams import BlockedHosts, Patience
from yudai.sandboxes.port import Blocked, Phase

Handle = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]
BODY = b"hello from the host"


class Scene:
    """Proxies and servers that go when a test ends; what was blocked, in order."""

    def __init__(self, folder: Path, stack: AsyncExitStack) -> None:
        self.folder = folder
        self.stack = stack
        self.blocked: list[Blocked] = []
        self.heads: list[str] = []

    async def serve(self, handle: Handle | None = None, host: str = "127.0.0.1") -> int:
        # Not waited for: since Python 3.12 that waits for connections that nothing ends.
        server = await asyncio.start_server(handle or self.answer, host, 0, limit=1 << 22)
        self.stack.callback(server.close)
        return server.sockets[0].getsockname()[1]

    async def proxy(
        self, *hosts: str, dialing: DialSettings | None = None, phase: Phase = Phase.SETUP
    ) -> Path:
        path = self.folder / f"proxy{len(list(self.folder.iterdir()))}"
        proxy = Proxy(
            path,
            hosts=hosts,
            blocked=BlockedHosts(phase, "me", self.blocked.append),
            dialing=dialing,
        )
        proxy.start()
        self.stack.push_async_callback(proxy.close)
        return path

    async def answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """A server that keeps its connection open unless it is told otherwise."""
        while True:
            try:
                head = (await reader.readuntil(b"\r\n\r\n")).decode()
            except asyncio.IncompleteReadError:
                break
            self.heads.append(head)
            writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n" % len(BODY))
            writer.write(b"Keep-Alive: timeout=5\r\nX-Kept: yes\r\n\r\n" + BODY)
            if "connection: close" in head.lower():
                break
        writer.close()


@pytest.fixture
def folder() -> Iterator[Path]:
    """With a short name, for that is all that clients of a socket can give."""
    with tempfile.TemporaryDirectory() as name:
        yield Path(name)


@pytest.fixture
async def scene(folder: Path) -> AsyncGenerator[Scene]:
    async with AsyncExitStack() as stack:
        yield Scene(folder, stack)


async def dial(path: Path) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    return await asyncio.open_unix_connection(path, limit=1 << 22)


async def ask(path: Path, head: str, *, body: bytes = b"") -> tuple[int, str]:
    """What comes back until the proxy hangs up: its status, and everything of it."""
    reader, writer = await dial(path)
    writer.write(head.replace("\n", "\r\n").encode("latin-1") + b"\r\n\r\n" + body)
    text = (await reader.read()).decode("latin-1")
    writer.close()
    await writer.wait_closed()
    return int(text.split(" ", 2)[1]) if text else 0, text


async def tunnel(path: Path, place: str) -> tuple[int, asyncio.StreamReader, asyncio.StreamWriter]:
    reader, writer = await dial(path)
    writer.write(f"CONNECT {place} HTTP/1.1\r\nHost: {place}\r\n\r\n".encode())
    head = await reader.readuntil(b"\r\n\r\n")
    return int(head.split(b" ")[1]), reader, writer


def names(**known: str) -> DialSettings:
    """A resolver that knows these names, each with addresses."""

    async def resolve(host: str, _: int) -> Sequence[Address]:
        if host not in known:
            raise OSError
        return [ip_address(word) for word in known[host].split()]

    return DialSettings(resolve=resolve)


async def test_what_is_allowed_is_passed_on(scene: Scene):
    port = await scene.serve()
    path = await scene.proxy(f"127.0.0.1:{port}")

    status, text = await ask(
        path,
        f"GET http://127.0.0.1:{port}/a?b=c HTTP/1.1\nHost: other\nProxy-Connection: keep-alive\n"
        "Proxy-Authorization: Basic eA==\nConnection: X-Hop\nX-Hop: 1\nTE: trailers\nX-Own: 2",
    )

    assert status == 200
    assert text.endswith(BODY.decode())
    assert "X-Kept: yes" in text
    assert "Keep-Alive" not in text
    assert text.count("Connection: close") == 1
    assert scene.heads == [
        f"GET /a?b=c HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nX-Own: 2\r\nConnection: close\r\n\r\n"
    ]
    assert scene.blocked == []


async def test_a_tunnel_carries_whatever_is_said(scene: Scene):
    port = await scene.serve()
    path = await scene.proxy(f"127.0.0.1:{port}")

    status, reader, writer = await tunnel(path, f"127.0.0.1:{port}")
    for _ in range(2):
        writer.write(b"GET / HTTP/1.1\r\n\r\n")
        assert (await reader.readuntil(BODY)).endswith(BODY)
    writer.close()

    assert status == 200
    assert len(scene.heads) == 2


@pytest.mark.parametrize("phase", Phase)
async def test_what_is_not_is_refused_and_told_once(scene: Scene, phase: Phase):
    port = await scene.serve()
    path = await scene.proxy("pypi.org", phase=phase)

    for _ in range(3):
        status, text = await ask(path, f"CONNECT 127.0.0.1:{port} HTTP/1.1")
        assert status == 403
        first, body = text.splitlines()[0], text.splitlines()[-1]
        for line in (first, body):
            assert f"127.0.0.1:{port} is not allowed" in line
            assert f"SANDBOX_{phase.value.upper()}_HOSTS" in line
    assert (await ask(path, f"GET http://127.0.0.1:{port}/ HTTP/1.1"))[0] == 403

    assert scene.heads == []
    assert scene.blocked == [Blocked(host="127.0.0.1", port=port, phase=phase, owner="me")]


async def test_of_very_many_only_a_hundred_are_reported(scene: Scene):
    path = await scene.proxy()

    for number in range(120):
        assert (await ask(path, f"CONNECT h{number}.net:443 HTTP/1.1"))[0] == 403

    assert [one.host for one in scene.blocked] == [f"h{number}.net" for number in range(100)]


def test_sandboxes_of_one_owner_are_reported_once():
    told: list[Blocked] = []
    tell = once(told.append)
    one = Blocked(host="a", port=1, phase=Phase.AGENT, owner="x")

    for blocked in (one, one.model_copy(), one.model_copy(update={"owner": "y"}), one):
        tell(blocked)

    assert [blocked.owner for blocked in told] == ["x", "y"]


@pytest.mark.parametrize(
    "address",
    [
        "0.0.0.0",  # noqa: S104 - to a client it is this machine itself
        *("169.254.169.254", "127.0.0.1", "[::]", "10.0.0.1", "[::1]", "[::ffff:127.0.0.1]"),
        *("[fe80::1]", "[fd00:ec2::254]", "224.0.0.1", "168.63.129.16"),
    ],
)
async def test_everything_does_not_mean_private_addresses(scene: Scene, address: str):
    port = await scene.serve()
    path = await scene.proxy("*")

    for head in (f"CONNECT {address}:{port} HTTP/1.1", f"GET http://{address}:{port}/ HTTP/1.1"):
        status, text = await ask(path, head)
        assert (status, "private" in text) == (403, True)

    assert scene.heads == []
    assert len(scene.blocked) == 1


@pytest.mark.parametrize("host", ["127.1", "2130706433", "0x7f000001", "0177.0.0.1", "127.0.0.1."])
async def test_nor_one_in_disguise(scene: Scene, host: str):
    port = await scene.serve()
    path = await scene.proxy("*")

    assert (await ask(path, f"CONNECT {host}:{port} HTTP/1.1"))[0] in (400, 403)
    assert scene.heads == []


@pytest.mark.parametrize("found", ["127.0.0.1", "::1", "::ffff:127.0.0.1", "169.254.169.254"])
async def test_nor_a_name_that_leads_to_one(scene: Scene, found: str):
    port = await scene.serve()
    path = await scene.proxy("*", dialing=names(**{"evil.net": found}))

    assert (await ask(path, f"CONNECT evil.net:{port} HTTP/1.1"))[0] == 403
    assert [(one.host, one.port) for one in scene.blocked] == [("evil.net", port)]


async def test_a_name_of_the_hosts_own_is_looked_up_and_refused(scene: Scene):
    """With the resolver as it is."""
    port = await scene.serve()
    path = await scene.proxy("*")

    assert (await ask(path, f"CONNECT localhost:{port} HTTP/1.1"))[0] == 403


async def test_a_name_with_its_port_may_lead_anywhere(scene: Scene):
    port = await scene.serve()
    path = await scene.proxy(f"index.corp:{port}", dialing=names(**{"index.corp": "127.0.0.1"}))

    status, text = await ask(path, f"GET http://INDEX.corp.:{port}/ HTTP/1.1")

    assert (status, text.endswith(BODY.decode())) == (200, True)
    assert f"Host: index.corp:{port}" in scene.heads[0]


async def test_an_address_on_the_list_may_have_a_name(scene: Scene):
    port = await scene.serve()
    dialing = names(**{"a.corp": "127.0.0.1"})
    path = await scene.proxy("*", f"127.0.0.1:{port}", dialing=dialing)

    assert (await ask(path, f"GET http://a.corp:{port}/ HTTP/1.1"))[0] == 200


async def test_another_port_is_another_thing(scene: Scene):
    port, other = await scene.serve(), await scene.serve()
    path = await scene.proxy(f"127.0.0.1:{port}")

    assert (await ask(path, f"GET http://127.0.0.1:{other}/ HTTP/1.1"))[0] == 403
    assert [one.port for one in scene.blocked] == [other]


async def test_what_was_looked_at_is_what_is_connected_to(scene: Scene):
    """A name that leads elsewhere the second time is asked for once."""
    port = await scene.serve()
    asked: list[str] = []

    async def rebinding(host: str, _: int) -> Sequence[Address]:
        asked.append(host)
        return [ip_address("127.0.0.1" if len(asked) > 1 else "192.0.2.1")]

    path = await scene.proxy("*", dialing=DialSettings(resolve=rebinding))

    assert (await ask(path, f"GET http://evil.net:{port}/ HTTP/1.1"))[0] == 403
    assert (asked, scene.heads) == (["evil.net"], [])


async def test_of_several_addresses_private_ones_are_left_out(scene: Scene):
    port = await scene.serve()
    dialing = names(**{"mixed.net": "10.0.0.1 127.0.0.1"})
    path = await scene.proxy("*", f"127.0.0.1:{port}", dialing=dialing)

    status, _ = await ask(path, f"GET http://mixed.net:{port}/ HTTP/1.1")

    assert status == 200
    assert len(scene.heads) == 1


async def test_a_redirect_to_a_forbidden_host_is_the_clients_to_follow_and_then_refused(
    scene: Scene,
):
    async def redirect(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.1 302 Found\r\nLocation: http://169.254.169.254/\r\n\r\n")
        writer.close()

    port = await scene.serve(redirect)
    path = await scene.proxy("*", f"127.0.0.1:{port}")

    status, text = await ask(path, f"GET http://127.0.0.1:{port}/ HTTP/1.1")
    assert (status, "Location: http://169.254.169.254/" in text) == (302, True)
    assert (await ask(path, "GET http://169.254.169.254/ HTTP/1.1"))[0] == 403
    assert [one.host for one in scene.blocked] == ["169.254.169.254"]


@pytest.mark.parametrize(
    "head",
    [
        *("GET / HTTP/1.1", "GET https://pypi.org/ HTTP/1.1", "GET ftp://pypi.org/ HTTP/1.1"),
        *("CONNECT pypi.org HTTP/1.1", "CONNECT pypi.org:x HTTP/1.1", "CONNECT :443 HTTP/1.1"),
        *("CONNECT p\xffpi.org:443 HTTP/1.1", "GET http:///x HTTP/1.1", "GET", "PRI * HTTP/2.0"),
        *("G@T http://pypi.org/ HTTP/1.1", "GET http://pypi.org/ HTTP/1.1\n folded: line"),
        *("GET http://pypi.org/ HTTP/1.1\nno colon", "GET http://pypi.org:99999/ HTTP/1.1"),
    ],
)
async def test_what_is_no_request_for_a_proxy_is_refused_plainly(scene: Scene, head: str):
    path = await scene.proxy("*")

    status, text = await ask(path, head)

    assert status == 400
    assert text.splitlines()[-1].startswith("yudai: ")
    assert scene.blocked == []


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("CONNECT 127.1:80", ("127.1", 80)),
        ("CONNECT 0x7f000001:8080", ("0x7f000001", 8080)),
        ("CONNECT evil.net", ("evil.net", 0)),
        ("CONNECT [fe80::1%25eth0]:80", ("fe80::1%25eth0", 80)),
        ("GET http://2130706433/a", ("2130706433", 80)),
        ("GET https://me:s3cr3t@evil.net/", ("evil.net", 443)),
        (f"GET http://{'x' * 300}/", ("x" * 253, 80)),
    ],
)
async def test_who_is_named_in_a_refused_request_is_reported(
    scene: Scene, line: str, expected: tuple[str, int]
):
    path = await scene.proxy("pypi.org")
    for _ in range(2):
        assert (await ask(path, f"{line} HTTP/1.1"))[0] == 400
    assert [(one.host, one.port) for one in scene.blocked] == [expected]


async def test_a_head_without_measure_is_refused(scene: Scene):
    path = await scene.proxy("*")
    reader, writer = await dial(path)
    writer.write(b"GET http://pypi.org/ HTTP/1.1\r\nX: " + b"x" * (MAX_HEAD + 1))

    assert (await reader.readuntil(b"\r\n")).startswith(b"HTTP/1.1 431")
    writer.close()


async def test_a_head_that_never_ends_is_not_waited_for(scene: Scene):
    path = await scene.proxy("*", dialing=DialSettings(bounds=Bounds(head_s=0.2)))
    reader, writer = await dial(path)

    async def drip() -> None:
        while True:
            writer.write(b"x")
            await asyncio.sleep(0.01)

    dripping = asyncio.create_task(drip())
    try:
        async with asyncio.timeout(20):
            assert (await reader.readuntil(b"\r\n")).startswith(b"HTTP/1.1 408")
    finally:
        dripping.cancel()
        writer.close()


async def test_someone_who_says_nothing_and_goes_is_no_matter(scene: Scene):
    path = await scene.proxy("*")
    reader, writer = await dial(path)
    writer.write_eof()

    assert await reader.read() == b""
    writer.close()


async def test_a_server_that_is_not_there(scene: Scene):
    port = await scene.serve()
    async with AsyncExitStack() as brief:
        gone = await Scene(scene.folder, brief).serve()
    path = await scene.proxy("*", f"127.0.0.1:{port}", f"127.0.0.1:{gone}", dialing=names())

    status, text = await ask(path, f"CONNECT 127.0.0.1:{gone} HTTP/1.1")
    assert (status, f"127.0.0.1:{gone} cannot be reached" in text) == (502, True)
    status, text = await ask(path, "CONNECT unknown.net:443 HTTP/1.1")
    assert (status, "unknown.net cannot be found" in text) == (502, True)
    assert scene.blocked == []


@pytest.mark.parametrize("said", [b"", b"SSH-2.0-x\r\n\r\n", b"HTTP/1.1 two hundred\r\n\r\n"])
async def test_a_server_that_speaks_otherwise(scene: Scene, said: bytes):
    async def mumble(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(said)
        writer.close()

    port = await scene.serve(mumble)
    path = await scene.proxy(f"127.0.0.1:{port}")

    assert (await ask(path, f"GET http://127.0.0.1:{port}/ HTTP/1.1"))[0] == 502


async def test_a_body_goes_up_and_interim_answers_come_down(scene: Scene):
    size, got = 3_000_000, bytearray()

    async def swallow(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.1 100 Continue\r\n\r\n")
        got.extend(await reader.readexactly(size))
        writer.write(b"HTTP/1.1 201 Created\r\n\r\nthanks")
        writer.close()

    port = await scene.serve(swallow)
    path = await scene.proxy(f"127.0.0.1:{port}")

    head = f"PUT http://127.0.0.1:{port}/ HTTP/1.1\nContent-Length: {size}"
    _, text = await ask(path, head, body=b"z" * size)

    assert bytes(got) == b"z" * size
    assert [line for line in text.splitlines() if line.startswith("HTTP/1.1")] == [
        *("HTTP/1.1 100 Continue", "HTTP/1.1 201 Created"),
    ]
    assert text.endswith("thanks")


SECOND = b"GET / HTTP/1.1\r\nHost: evil.net\r\n\r\n"


@pytest.mark.parametrize(
    ("fields", "body", "passed"),
    [
        ("X: y", b"", b""),
        ("Content-Length: 0", b"", b""),
        ("Content-Length: 4", b"abcd", b"abcd"),
        (
            "Transfer-Encoding: Chunked",
            b"4;x=y\r\nab\r\n\r\n1 \r\nc\r\n00\r\nX-Trailer: 1\r\n\r\n",
            b"4\r\nab\r\n\r\n1\r\nc\r\n0\r\n\r\n",
        ),
    ],
)
async def test_nothing_follows_a_request(scene: Scene, fields: str, body: bytes, passed: bytes):
    """Else a second one, for whomever, could reach a server that has many names."""
    got, done = bytearray(), asyncio.Event()

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        got.extend(await reader.readexactly(len(passed)))
        # Long enough for more to come, if more came at all.
        with suppress(TimeoutError):
            async with asyncio.timeout(0.05):
                got.extend(await reader.read(1))
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
        writer.close()
        done.set()

    port = await scene.serve(answer)
    path = await scene.proxy(f"127.0.0.1:{port}")

    head = f"POST http://127.0.0.1:{port}/ HTTP/1.1\n{fields}"
    status, _ = await ask(path, head, body=body + SECOND)

    await done.wait()
    assert (status, bytes(got)) == (200, passed)


@pytest.mark.parametrize(
    "fields",
    [
        "Content-Length: 4\nContent-Length: 5",
        "Content-Length: 4\nTransfer-Encoding: chunked",
        "Content-Length: -4",
        "Content-Length: 4, 4",
        "Content-Length: \u00b2",
        "Transfer-Encoding: gzip, chunked",
        "Transfer-Encoding: chunked\nTransfer-Encoding: chunked",
        "Transfer-Encoding: \x0bchunked",
    ],
)
async def test_a_request_whose_end_is_unclear_is_refused(scene: Scene, fields: str):
    port = await scene.serve()
    path = await scene.proxy(f"127.0.0.1:{port}")

    status, text = await ask(path, f"POST http://127.0.0.1:{port}/ HTTP/1.1\n{fields}")

    assert (status, "where the request ends" in text) == (400, True)
    assert scene.heads == []


@pytest.mark.parametrize(
    "body", [b"zz\r\n", b"3\r\nabcd\r\n0\r\n\r\n", b"9" * (1 << 16), b"4\r\nab"]
)
async def test_chunks_that_break_off(scene: Scene, body: bytes):
    rest = bytearray()

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        rest.extend(await reader.read())
        writer.write(b"HTTP/1.1 400 Bad Request\r\n\r\nwhat?")
        writer.close()

    port = await scene.serve(answer)
    path = await scene.proxy(f"127.0.0.1:{port}")
    reader, writer = await dial(path)
    head = f"POST http://127.0.0.1:{port}/ HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n"
    writer.write(head.encode() + body)
    writer.write_eof()

    assert (await reader.read()).endswith(b"what?")
    assert b"\r\n0\r\n" not in rest
    writer.close()


async def test_one_side_may_end_before_the_other(scene: Scene):
    async def count(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"%d bytes" % len(await reader.read()))
        writer.close()

    port = await scene.serve(count)
    path = await scene.proxy(f"127.0.0.1:{port}")
    _, reader, writer = await tunnel(path, f"127.0.0.1:{port}")

    writer.write(b"x" * 500_000)
    writer.write_eof()

    assert await reader.read() == b"500000 bytes"
    writer.close()


@pytest.mark.parametrize("half", [False, True])
async def test_a_tunnel_in_which_nothing_moves_is_closed(scene: Scene, *, half: bool):
    ended = asyncio.Event()

    async def silent(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while await reader.read(100):
                pass
            if half:
                await asyncio.Event().wait()
        finally:
            writer.close()
            ended.set()

    patience = Patience(idle_s=60, half_s=0.2) if half else Patience(idle_s=0.2, half_s=60)
    port = await scene.serve(silent)
    path = await scene.proxy(
        f"127.0.0.1:{port}", dialing=DialSettings(bounds=Bounds(patience=patience))
    )
    _, reader, writer = await tunnel(path, f"127.0.0.1:{port}")
    if half:
        writer.write_eof()

    async with asyncio.timeout(20):
        assert await reader.read() == b""
    writer.close()


async def test_no_one_is_hurried(scene: Scene):
    """A client that does not read holds the server back, and our memory stays small."""
    sent = 0
    stuck = asyncio.Event()

    async def flood(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal sent
        try:
            while sent < 200 << 20:
                writer.write(bytes(1 << 16))
                try:
                    async with asyncio.timeout(1):
                        await writer.drain()
                except TimeoutError:
                    stuck.set()
                    return
                sent += 1 << 16
        finally:
            writer.transport.abort()

    port = await scene.serve(flood)
    path = await scene.proxy(f"127.0.0.1:{port}")
    reader, writer = await asyncio.open_unix_connection(path, limit=1024)
    writer.write(f"CONNECT 127.0.0.1:{port} HTTP/1.1\r\n\r\n".encode())
    await reader.readuntil(b"\r\n\r\n")

    async with asyncio.timeout(30):
        await stuck.wait()
    writer.close()

    assert sent < 50 << 20


async def test_fifty_at_once(scene: Scene):
    together = asyncio.Barrier(50)

    async def meet(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        word = await reader.readline()
        await together.wait()
        writer.write(word * 1000)
        writer.close()

    port = await scene.serve(meet)
    path = await scene.proxy(f"127.0.0.1:{port}")

    async def one(number: int) -> bytes:
        _, reader, writer = await tunnel(path, f"127.0.0.1:{port}")
        writer.write(b"%d\n" % number)
        said = await reader.read()
        writer.close()
        return said

    async with asyncio.timeout(60), asyncio.TaskGroup() as group:
        tasks = [group.create_task(one(number)) for number in range(50)]

    assert [task.result() for task in tasks] == [b"%d\n" % n * 1000 for n in range(50)]


async def test_too_many_are_turned_away_and_there_is_room_again(scene: Scene):
    port = await scene.serve()
    dialing = DialSettings(bounds=Bounds(connections=2))
    path = await scene.proxy(f"127.0.0.1:{port}", dialing=dialing)
    place = f"127.0.0.1:{port}"
    held = [await tunnel(path, place) for _ in range(2)]

    assert (await ask(path, f"CONNECT {place} HTTP/1.1"))[0] == 503
    for _, reader, writer in held:
        writer.write_eof()
        assert await reader.read() == b""
        writer.close()

    async def is_let_in() -> bool:
        return (await ask(path, f"GET http://{place}/ HTTP/1.1"))[0] == 200

    async with asyncio.timeout(20):
        while not await is_let_in():
            pass


def open_sockets() -> set[str]:
    names: set[str] = set()
    for link in Path("/proc/self/fd").iterdir():
        with suppress(OSError):
            names.add(str(link.readlink()))
    return {name for name in names if name.startswith("socket:")}


async def test_a_closed_proxy_leaves_nothing(folder: Path, scene: Scene):
    port = await scene.serve()
    before = open_sockets()
    blocked = BlockedHosts(Phase.SETUP, "")
    proxy = Proxy(folder / "proxy", hosts=[f"127.0.0.1:{port}"], blocked=blocked)
    proxy.start()
    _, reader, writer = await tunnel(folder / "proxy", f"127.0.0.1:{port}")
    idle, idler = await dial(folder / "proxy")

    await proxy.close()
    await proxy.close()

    assert not (folder / "proxy").exists()
    assert await reader.read() == b""
    with suppress(ConnectionError):
        assert await idle.read() == b""
    writer.close()
    idler.close()
    async with asyncio.timeout(20):
        while open_sockets() - before:  # noqa: ASYNC110 - nobody tells when a socket is gone
            await asyncio.sleep(0.01)


async def test_a_socket_may_have_a_long_name(folder: Path, scene: Scene):
    deep = folder / ("d" * 100) / ("e" * 100)
    deep.mkdir(parents=True)
    proxy = Proxy(deep / "proxy", hosts=[], blocked=BlockedHosts(Phase.SETUP, ""))
    proxy.start()
    scene.stack.push_async_callback(proxy.close)
    short = folder / "short"
    short.symlink_to(deep)

    assert (await ask(short / "proxy", "CONNECT a.net:443 HTTP/1.1"))[0] == 403
    assert (deep / "proxy").stat().st_mode & 0o777 == 0o666


async def test_a_door_leads_to_a_socket_of_ours(folder: Path, scene: Scene):
    server = await asyncio.start_unix_server(scene.answer, folder / "door")
    path = await scene.proxy(
        dialing=DialSettings(local_sockets={"model.yudai.invalid": folder / "door"})
    )
    async with server:
        status, text = await ask(path, "POST http://model.yudai.invalid/v1/x HTTP/1.1")

    assert (status, text.endswith(BODY.decode())) == (200, True)
    assert scene.heads[0].startswith("POST /v1/x HTTP/1.1\r\nHost: model.yudai.invalid\r\n")
    assert scene.blocked == []


async def test_a_door_is_waited_for_however_long_it_is_silent(folder: Path, scene: Scene):
    async def think(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        await asyncio.sleep(0.5)
        writer.write(b"HTTP/1.1 200 OK\r\n\r\nat last")
        writer.close()

    bounds = Bounds(patience=Patience(idle_s=0.1, half_s=0.1))
    local_sockets = {"model.yudai.invalid": folder / "door"}
    path = await scene.proxy(dialing=DialSettings(local_sockets=local_sockets, bounds=bounds))
    async with await asyncio.start_unix_server(think, folder / "door"):
        status, text = await ask(path, "POST http://model.yudai.invalid/v1/x HTTP/1.1")

    assert (status, text.endswith("at last")) == (200, True)


class Chained:
    """The machine's own proxy: it connects wherever it is told, here to one server."""

    def __init__(self, port: int, status: int = 200) -> None:
        self.port, self.status = port, status
        self.heads: list[str] = []

    async def __call__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).decode()
        self.heads.append(head)
        if head.startswith("CONNECT"):
            writer.write(b"HTTP/1.1 %d x\r\n\r\n" % self.status)
            if self.status == 200:
                server, up = await asyncio.open_connection("127.0.0.1", self.port)
                up.write(await reader.readuntil(b"\r\n\r\n"))
                writer.write(await server.readuntil(BODY))
                up.close()
        else:
            writer.write(b"HTTP/1.1 200 OK\r\n\r\nplain")
        writer.close()


def through(port: int, dialing: DialSettings | None = None) -> DialSettings:
    url = f"http://me:s3cr3t@127.0.0.1:{port}"
    resolve = (dialing or names()).resolve
    return DialSettings(
        upstream=upstream_of({"http_proxy": url, "https_proxy": url}), resolve=resolve
    )


async def test_the_machines_own_proxy_is_used_and_its_password_stays_here(scene: Scene):
    chained = Chained(await scene.serve())
    path = await scene.proxy("pypi.org", dialing=through(await scene.serve(chained)))

    status, reader, writer = await tunnel(path, "pypi.org:443")
    writer.write(b"GET / HTTP/1.1\r\n\r\n")
    said = await reader.read()
    writer.close()
    plain = await ask(path, "GET http://pypi.org/x HTTP/1.1\nX-Own: 1")

    assert (status, said.endswith(BODY)) == (200, True)
    assert plain[1].endswith("plain")
    assert chained.heads[0].startswith("CONNECT pypi.org:443 HTTP/1.1\r\n")
    assert chained.heads[1].startswith("GET http://pypi.org:80/x HTTP/1.1\r\nHost: pypi.org\r\n")
    for head in chained.heads:
        assert "Proxy-Authorization: Basic bWU6czNjcjN0\r\n" in head
    assert "s3cr3t" not in plain[1]


async def test_behind_it_the_list_holds_all_the_same(scene: Scene):
    chained = Chained(0)
    dialing = through(await scene.serve(chained), names(**{"evil.net": "169.254.169.254"}))
    path = await scene.proxy("*", dialing=dialing)
    listed = await scene.proxy("pypi.org", dialing=dialing)

    for where, place in ((listed, "other.org:443"), (path, "evil.net:443"), (path, "10.0.0.1:443")):
        assert (await ask(where, f"CONNECT {place} HTTP/1.1"))[0] == 403
    assert chained.heads == []
    assert len(scene.blocked) == 3


async def test_what_it_refuses_is_reported(scene: Scene):
    path = await scene.proxy("pypi.org", dialing=through(await scene.serve(Chained(0, status=407))))

    status, text = await ask(path, "CONNECT pypi.org:443 HTTP/1.1")

    assert status == 502
    assert "the proxy of this machine says 407 to pypi.org:443" in text
    assert "s3cr3t" not in text


@pytest.mark.parametrize("word", ["content-length", "Transfer-Encoding"])
async def test_what_says_where_a_body_ends_is_for_every_hop(scene: Scene, word: str):
    chained = Chained(await scene.serve())
    path = await scene.proxy("listed.example", dialing=through(await scene.serve(chained)))
    inner = b"GET http://evil.net/ HTTP/1.1\r\nHost: evil.net\r\n\r\n"
    head = f"POST http://listed.example/ HTTP/1.1\nConnection: close, {word}\nContent-Length: "

    assert (await ask(path, head + str(len(inner)), body=inner))[0] == 400
    assert chained.heads == []


async def test_no_proxy_in_between_is_made_to_answer(scene: Scene):
    chained = Chained(await scene.serve())
    path = await scene.proxy("listed.example", dialing=through(await scene.serve(chained)))

    assert (await ask(path, "TRACE http://listed.example/ HTTP/1.1\nMax-Forwards: 0"))[0] == 405
    assert (await ask(path, "OPTIONS http://listed.example/ HTTP/1.1\nMax-Forwards: 0"))[0] == 200
    [head] = chained.heads
    assert "max-forwards" not in head.lower()
