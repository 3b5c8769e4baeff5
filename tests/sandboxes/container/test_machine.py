"""Lines and files into a container, and all that can become of it meanwhile."""

import asyncio
import re
import struct
from collections.abc import AsyncGenerator
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.support.clouds.engine import FakeEngine
from tests.support.clouds.engine_scene import LIMITS, machine_spec, scene
from yudai.kit.causes import Cause
from yudai.kit.errors import SandboxError
from yudai.sandboxes.backends.container import cloud as container_cloud
from yudai.sandboxes.backends.remote import warden_client as line_module
from yudai.sandboxes.backends.remote.cloud import (
    ConnectionCutError,
    DeniedError,
    FullError,
    GoneError,
    Listening,
    Machine,
)
from yudai.sandboxes.backends.remote.commands import RemoteCommands
from yudai.sandboxes.port import Blocked, Phase

DIALECTS = ("podman", "docker")


class Made(NamedTuple):
    engine: FakeEngine
    machine: Machine


@pytest.fixture(params=DIALECTS)
async def made(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncGenerator[Made]:
    engine, cloud, _ = scene(tmp_path, request.param)
    yield Made(engine, await cloud.create(machine_spec()))
    await cloud.close()


async def test_a_line_runs_as_root(made: Made) -> None:
    said = await made.machine.run("printf 'a b'; echo no >&2; exit 3", timeout_s=20)
    assert said == (3, b"a b")
    [words] = made.engine.calls("exec")
    assert words == [
        *("exec", "--interactive", "--user", "0:0", made.machine.id, "/bin/sh", "-c"),
        "printf 'a b'; echo no >&2; exit 3",
    ]
    assert made.machine.variables == {}


async def test_a_text_is_not_among_the_words(made: Made) -> None:
    assert isinstance(made.machine, Listening)
    said = await made.machine.tell("tr a-z A-Z", b"canary", timeout_s=20)
    assert said == (0, b"CANARY")
    assert "canary" not in str(made.engine.calls())


async def test_what_an_agent_asks_for_is_not_among_the_words(
    made: Made, monkeypatch: pytest.MonkeyPatch
) -> None:
    """There is no warden on this host: what it is asked is seen all the same."""
    monkeypatch.setattr(line_module, "_PAUSES_S", ())
    sandbox = RemoteCommands(made.machine, variables={"NAME": "canary"}, limits=LIMITS)
    with pytest.raises(SandboxError, match="does not answer"):
        await sandbox.exec("echo canary", env={"TOKEN": "canary"})
    [words] = made.engine.calls("exec")
    assert re.fullmatch(r"python3 [^ ]+ [^ ]+ [^ ]+ [^ ]+ [^ ]+ exec [0-9a-f]{24} -", words[-1])


async def test_a_failure_without_output_tells_its_reason(made: Made) -> None:
    said = await made.machine.run("nobody-has-this-program", timeout_s=20)
    assert said.exit_code == 127
    assert b"nobody-has-this-program" in said.output
    assert await made.machine.run("echo quiet >&2", timeout_s=20) == (0, b"")


async def test_a_file_is_put(made: Made, tmp_path: Path) -> None:
    path = tmp_path / "a 'file'; x"
    content = bytes(range(256)) * 10_000
    await made.machine.put(str(path), content)
    assert path.read_bytes() == content
    assert path.stat().st_mode & 0o777 == 0o600


async def test_a_file_that_cannot_be_put(made: Made, tmp_path: Path) -> None:
    with pytest.raises(SandboxError, match="cannot be written to the container"):
        await made.machine.put(str(tmp_path / "none" / "file"), b"x" * 1_000_000)


async def test_a_file_for_which_there_is_no_room(made: Made) -> None:
    with pytest.raises(FullError, match="No space left"):
        await made.machine.put("/dev/full", b"x" * 1_000_000)


async def test_a_file_that_takes_too_long(
    made: Made, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(container_cloud, "_PUT_S", 0.5)
    made.engine.hang("exec")
    with pytest.raises(ConnectionCutError, match="too long"):
        await made.machine.put(str(tmp_path / "file"), b"x")


async def test_too_much_output(made: Made) -> None:
    with pytest.raises(SandboxError, match="more than 1000 bytes"):
        await made.machine.run("exec yes", timeout_s=60, max_bytes=1000)


async def test_no_end_in_time(made: Made) -> None:
    with pytest.raises(TimeoutError):
        await made.machine.run("exec sleep 600", timeout_s=0.5)


@pytest.mark.parametrize("status", ["exited", "created", "paused"])
async def test_a_container_that_does_not_run(made: Made, status: str) -> None:
    made.engine.become(made.machine.id, status)
    with pytest.raises(GoneError) as caught:
        await made.machine.run("true", timeout_s=20)
    assert caught.value.cause is Cause.SANDBOX_LOST


async def test_a_container_that_is_no_more(made: Made, tmp_path: Path) -> None:
    (made.engine.state / "containers" / made.machine.id).unlink()
    with pytest.raises(GoneError):
        await made.machine.run("true", timeout_s=20)
    with pytest.raises(GoneError):
        await made.machine.put(str(tmp_path / "file"), b"x")


async def test_trouble_of_the_engine_is_asked_again(made: Made) -> None:
    made.engine.fail("exec", "Error: the engine stumbles", code=125)
    with pytest.raises(ConnectionCutError, match="stumbles"):
        await made.machine.run("true", timeout_s=20)
    assert await made.machine.run("echo again", timeout_s=20) == (0, b"again\n")


@pytest.mark.parametrize("code", [126, 127, 137])
async def test_codes_of_a_shell_are_its_own(made: Made, code: int) -> None:
    made.engine.fail("exec", "sh: cannot", code=code)
    assert await made.machine.run("x", timeout_s=20) == (code, b"sh: cannot")


async def test_its_lifetime_is_fixed(made: Made) -> None:
    before = made.engine.calls()
    await made.machine.extend(60)
    assert made.engine.calls() == before


async def test_a_network_cannot_be_opened_afterwards(made: Made) -> None:
    await made.machine.allow(())
    with pytest.raises(SandboxError, match="only be disabled"):
        await made.machine.allow(("pypi.org",))


@pytest.mark.parametrize("dialect", DIALECTS)
async def test_a_way_out(tmp_path: Path, dialect: str) -> None:
    blocked: list[Blocked] = []
    engine, cloud, home = scene(tmp_path, dialect, on_blocked=blocked.append)
    engine.fail("exec", code=0)
    plan = machine_spec(hosts=("pypi.org",), phase="setup", tags={"owner": "me"})
    machine = await cloud.create(plan)
    [words] = engine.calls("exec")
    assert words[-1].startswith("python3 -I -S -c")
    assert words[-1].endswith("/run/doors/proxy 3128")
    assert machine.variables["HTTPS_PROXY"] == "http://127.0.0.1:3128"
    socket = home / "doors" / plan.key / "proxy"
    for _ in range(2):
        assert b"403" in await _ask(socket, b"CONNECT example.com:443 HTTP/1.1\r\n\r\n")
    assert blocked == [Blocked(host="example.com", port=443, phase=Phase.SETUP, owner="me")]
    await machine.allow(())
    assert machine.variables == {}
    assert not socket.parent.exists()
    assert await cloud.kill(machine.id)
    await cloud.close()


@pytest.mark.parametrize("dialect", DIALECTS)
async def test_without_a_way_out_names_are_heard(tmp_path: Path, dialect: str) -> None:
    blocked: list[Blocked] = []
    _, cloud, home = scene(tmp_path, dialect, on_blocked=blocked.append)
    plan = machine_spec(phase="verification", tags={"owner": "me"})
    machine = await cloud.create(plan)
    assert machine.variables == {}
    socket = home / "doors" / plan.key / "socket"
    asked = struct.pack("=3i", 2, 14, 13) + b"evil.example\0"
    for _ in range(2):
        assert await _ask(socket, asked) == b""
    assert blocked == [Blocked(host="evil.example", port=0, phase=Phase.VERIFICATION, owner="me")]
    assert await cloud.kill(machine.id)
    assert not socket.parent.exists()
    await cloud.close()


@pytest.mark.parametrize(
    ("code", "expected"), [(1, SandboxError), (126, DeniedError), (127, DeniedError)]
)
async def test_no_way_out(tmp_path: Path, code: int, expected: type[SandboxError]) -> None:
    stage = scene(tmp_path, "podman")
    stage.engine.fail("exec", "sh: python3: not found", code=code)
    with pytest.raises(expected, match="python3") as caught:
        await stage.cloud.create(machine_spec(hosts=("pypi.org",), phase="agent"))
    assert type(caught.value) is expected
    assert (stage.engine.containers(), stage.local_sockets, stage.engine.volumes()) == ({}, [], 0)


async def test_a_way_out_that_is_never_open(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(container_cloud, "_CONNECT_S", 0.5)
    stage = scene(tmp_path, "docker")
    stage.engine.hang("exec")
    with pytest.raises(SandboxError, match="cannot reach the proxy"):
        await stage.cloud.create(machine_spec(hosts=("pypi.org",), phase="agent"))
    assert (stage.engine.containers(), stage.local_sockets) == ({}, [])


async def _ask(socket: Path, request: bytes) -> bytes:
    reader, writer = await asyncio.open_unix_connection(socket)
    try:
        writer.write(request)
        return await reader.read()
    finally:
        writer.close()
        await writer.wait_closed()
