"""Names that sandboxes without a network look up: heard by us, and answered as if nobody had."""

import asyncio
import os
import struct
import tempfile
from collections.abc import AsyncGenerator, Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from tests.contracts.conftest import make_archive, until
from tests.sandboxes.network.host_programs import needs_curl
from yudai.kit.errors import SandboxError
from yudai.sandboxes.backends.bubblewrap.backend import BubblewrapBackend
from yudai.sandboxes.backends.bubblewrap.etc import HOSTS
from yudai.sandboxes.backends.network import name_watch
from yudai.sandboxes.backends.network.name_watch import Ask, NameWatch, Request, answer, entries_of
from yudai.sandboxes.backends.network.streams import BlockedHosts
from yudai.sandboxes.port import BaseSpec, Blocked, Phase, Sandbox, SandboxLimits

LIMITS = SandboxLimits(memory_bytes=1 << 30, processes=128, disk_bytes=256 << 20)
LOOK = """
import grp, os, pwd, socket
from socket import AF_INET, AF_INET6, AF_UNSPEC, AI_ADDRCONFIG, AI_ALL, AI_CANONNAME, AI_V4MAPPED

def ask(function, *given):
    # In a process of its own, for glibc may ask nobody after an answer.
    if os.fork() == 0:
        try:
            said = function(*given)
        except Exception as error:
            said = repr(error)
        print(function.__name__, *given, said, flush=True)
        os._exit(0)
    os.wait()

for name in ("localhost", "LocalHost", "localhost.", "sandbox", "a.localhost", "evil.example", "",
             "a b", "127.0.0.1", "127.1", "::1", "x" * 300, "y" * 2000):
    for family in (AF_UNSPEC, AF_INET, AF_INET6):
        for flags in (0, AI_CANONNAME, AI_V4MAPPED, AI_V4MAPPED | AI_ALL, AI_ADDRCONFIG):
            ask(socket.getaddrinfo, name, 80, family, socket.SOCK_STREAM, 0, flags)
    ask(socket.gethostbyname_ex, name)
for address in ("127.0.0.1", "::1", "10.0.0.1", "fe80::1"):
    ask(socket.gethostbyaddr, address)
    ask(socket.getnameinfo, (address, 443), 0)
ask(socket.getfqdn)
for name in ("root", "agent", "nobody"):
    ask(pwd.getpwnam, name)
    ask(grp.getgrnam, name)
for number in (0, 1, os.getuid()):
    ask(pwd.getpwuid, number)
    ask(grp.getgrgid, number)
ask(os.getgrouplist, "agent", 5)
ask(socket.getservbyname, "https")
ask(socket.getservbyname, "nix")
ask(socket.getprotobyname, "tcp")
"""
PYTHON = "python3 -c \"import socket; socket.getaddrinfo('{}', 80)\""
LOOKUPS = {
    "python.example": PYTHON.format("python.example"),
    "getent.example": "getent hosts getent.example; getent ahosts getent.example",
    "curl.example": "curl -sS http://Curl.example./",
}


class Sandboxes:
    def __init__(self, home: Path) -> None:
        self.home = home
        self.blocked: list[Blocked] = []
        self.backend = BubblewrapBackend(
            home / "home", limits=LIMITS, on_blocked=self.blocked.append
        )

    async def spawn(self, phase: Phase = Phase.AGENT) -> Sandbox:
        source = make_archive(self.home / "source.tar", {"a.txt": b"one\n"})
        base = await self.backend.prepare(BaseSpec(key="k", source=source), owner="solve")
        [sandbox] = await self.backend.spawn(base, 1, owner="run", phase=phase)
        assert not isinstance(sandbox, SandboxError), sandbox
        return sandbox

    @property
    def sockets(self) -> list[Path]:
        return [path for path in self.home.rglob("*") if path.is_socket()]


@pytest.fixture
async def sandboxes(tmp_path: Path) -> AsyncGenerator[Sandboxes]:
    made = Sandboxes(tmp_path)
    yield made
    await made.backend.close()


@needs_curl
@pytest.mark.parametrize("phase", [Phase.AGENT, Phase.VERIFICATION])
async def test_each_name_is_reported_once_with_its_owner_and_phase(
    sandboxes: Sandboxes, phase: Phase
):
    sandbox = await sandboxes.spawn(phase)

    for command in (*LOOKUPS.values(), *LOOKUPS.values()):
        assert (await sandbox.exec(command)).exit_code not in (0, 127)

    assert sandboxes.blocked == [
        Blocked(host=host, port=0, phase=phase, owner="run") for host in LOOKUPS
    ]


async def test_no_result_is_another_than_without_it(sandboxes: Sandboxes):
    sandbox = await sandboxes.spawn()
    heard = (await sandbox.exec("python3 -", stdin=LOOK.encode(), max_output=1 << 20)).text
    told = [one.host for one in sandboxes.blocked]
    [socket] = sandboxes.sockets
    socket.unlink()

    unheard = (await sandbox.exec("python3 -", stdin=LOOK.encode(), max_output=1 << 20)).text

    assert told == ["evil.example"]
    assert heard.splitlines() == unheard.splitlines()
    assert "pw_name='agent'" in heard
    assert "getservbyname https 443" in heard
    assert "gaierror(-2, 'Name or service not known')" in heard


async def test_a_process_that_knows_its_own_name_is_still_heard(sandboxes: Sandboxes):
    sandbox = await sandboxes.spawn()
    program = """
import socket
socket.getfqdn()
socket.gethostbyaddr("127.0.0.1")
for name in ("one.example", "two.example"):
    try:
        socket.getaddrinfo(name, 80)
    except OSError as error:
        print(error.errno == socket.EAI_NONAME)
"""

    said = await sandbox.exec("id -un; python3 -", stdin=program.encode())

    assert said.text.split() == ["agent", "True", "True"]
    assert [one.host for one in sandboxes.blocked] == ["one.example", "two.example"]


async def test_localhost_is_reached_and_not_reported(sandboxes: Sandboxes):
    sandbox = await sandboxes.spawn()
    program = """
import socket, threading
server = socket.create_server(("localhost", 0))
threading.Thread(target=lambda: server.accept()[0].send(b"hello"), daemon=True).start()
print(socket.create_connection(("localhost", server.getsockname()[1])).recv(9).decode())
"""

    assert (await sandbox.exec("python3 -", stdin=program.encode())).text == "hello\n"
    assert sandboxes.blocked == []


def listening() -> int:
    """How many sockets of such a name this process has."""
    own: set[str] = set()
    for link in Path("/proc/self/fd").iterdir():
        with suppress(OSError):
            own.add(str(link.readlink()))
    known = [line.split() for line in Path("/proc/net/unix").read_text().splitlines()[1:]]
    bound = [words[6] for words in known if len(words) > 7 and words[7].endswith("/socket")]
    return sum(f"socket:[{inode}]" in own for inode in bound)


async def test_a_sandbox_that_goes_takes_its_socket_along(sandboxes: Sandboxes):
    before = listening()
    sandbox = await sandboxes.spawn()
    assert (len(sandboxes.sockets), listening()) == (1, before + 1)

    await sandbox.destroy()

    assert (sandboxes.sockets, listening()) == ([], before)


async def test_what_is_in_the_sandbox_cannot_take_its_place(sandboxes: Sandboxes):
    sandbox = await sandboxes.spawn()
    line = "rm -f /var/run/nscd/socket || mv /var/run/nscd /var/run/x || ln -sf /tmp /var/run/nscd"

    assert (await sandbox.exec(line)).exit_code != 0


async def test_a_command_alone_asks_for_nothing(
    sandboxes: Sandboxes, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(name_watch, "_MOST", 1)
    sandbox = await sandboxes.spawn()
    assert (await sandbox.exec("true; true | cat")).exit_code == 0
    assert len(sandboxes.sockets) == 1
    said = await sandbox.exec('echo "$SHELL"; env | grep -c SHELL; bash -c true')
    assert said.text.split() == ["/bin/sh", "0"]
    await until(lambda: not sandboxes.sockets)
    assert (await sandbox.exec("env | grep SHELL", env={"SHELL": "/own"})).text == "SHELL=/own\n"


class Scene:
    """One watch, and what it tells."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "socket"
        self.blocked: list[Blocked] = []
        self.watch = NameWatch(
            folder,
            BlockedHosts(Phase.AGENT, "me", self.blocked.append),
            entries=entries_of(HOSTS),
        )
        self.watch.start()

    async def ask(self, said: bytes) -> bytes:
        reader, writer = await asyncio.open_unix_connection(self.path)
        try:
            writer.write(said)
            if writer.can_write_eof():
                writer.write_eof()
            return await reader.read()
        except ConnectionError:
            return b""
        finally:
            writer.close()
            with suppress(OSError):
                await writer.wait_closed()


@pytest.fixture
def short_folder() -> Iterator[Path]:
    """With a short name, for that is all that clients of a socket can give."""
    with tempfile.TemporaryDirectory() as name:
        yield Path(name)


@pytest.fixture
async def scene(short_folder: Path) -> AsyncGenerator[Scene]:
    made = Scene(short_folder)
    yield made
    await made.watch.close()


def request(kind: int, key: bytes, *, version: int = 2, length: int | None = None) -> bytes:
    return struct.pack("=3i", version, kind, len(key) if length is None else length) + key


HOSTILE = {
    "nothing": b"",
    "half a head": b"\2\0\0\0\4",
    "another version": request(14, b"evil.example\0", version=3),
    "no such request": request(99, b"evil.example\0"),
    "users": request(0, b"evil.example\0"),
    "shared memory": request(13, b"hosts\0"),
    "an end of it all": request(8, b""),
    "too long": request(14, b"x" * 5000),
    "longer than it says": request(14, b"evil.example\0", length=1 << 30),
    "less than nothing": request(14, b"", length=-5),
    "no text": request(14, b"\xff\xfe\0"),
    "no name": request(14, b"a b\n\0c\x1b[31m\0"),
    "random": os.urandom(4000),
}


@pytest.mark.parametrize("attack", HOSTILE)
async def test_hostile_bytes_tell_nothing_and_stop_no_one(scene: Scene, attack: str):
    async with asyncio.timeout(10):
        await scene.ask(HOSTILE[attack])
        said = await scene.ask(request(14, b"next.example\0"))

    assert said == struct.pack("=6i", 2, 0, 0, 0, 0, 1)
    assert [one.host for one in scene.blocked] == ["next.example"]


async def test_who_holds_all_connections_is_let_go(scene: Scene, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(name_watch, "_PATIENCE_S", 0.2)
    lines = [await asyncio.open_unix_connection(scene.path) for _ in range(100)]

    async with asyncio.timeout(10):
        assert [await reader.read() for reader, _ in lines] == [b""] * 100
        assert await scene.ask(request(14, b"next.example\0"))
    for _, writer in lines:
        writer.close()


async def test_of_very_many_names_only_some_are_reported(scene: Scene):
    for number in range(150):
        await scene.ask(request(4, b"h%d.example\0" % number))

    assert len(scene.blocked) == 100


async def test_who_asks_for_ever_is_not_heard_any_more(
    short_folder: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(name_watch, "_MOST", 3)
    scene = Scene(short_folder)
    for _ in range(3):
        await scene.ask(request(14, b"evil.example\0"))

    await until(lambda: not scene.path.exists())

    await scene.watch.close()
    with pytest.raises(OSError, match="No such file"):
        await scene.ask(b"")


def test_where_files_are_unknown_glibc_looks_by_itself():
    assert answer(Request(Ask.ALL, "evil.example"), None) == b""
    cut = answer(Request(Ask.NAME4, "evil.example"), None)
    assert struct.unpack("=8i", cut)[:3] == (2, 1, 1)
