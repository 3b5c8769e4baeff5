"""A real engine with our image, where there is one: what a container keeps in, and what is left."""

import asyncio
import os
import secrets
import shlex
import shutil
import subprocess
from collections.abc import AsyncGenerator
from pathlib import Path

import pytest

from tests.support.clouds.engine_scene import LIMITS
from yudai.sandboxes.backends.container.cloud import ContainerCloud
from yudai.sandboxes.backends.remote.cloud import (
    INSTALLATION,
    SANDBOX_TAG,
    GoneError,
    Machine,
    MachineSpec,
)
from yudai.sandboxes.port import Blocked, Phase

IMAGE = os.environ.get("CONTAINER_IMAGE", "localhost/yudai-sandbox:latest")
AGENT = "setpriv --reuid 58123 --regid 58123 --clear-groups"


def _engine() -> list[str]:
    """Words that call an engine which has the image; [] when there is none."""
    wanted = os.environ.get("CONTAINER_ENGINE")
    for argv in [shlex.split(wanted)] if wanted else [["podman"], ["docker"]]:
        if shutil.which(argv[0]) and _call(argv, "image", "inspect", IMAGE).returncode == 0:
            return argv
    return []


def _call(argv: list[str], *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([*argv, *words], check=False, capture_output=True, text=True, timeout=60)


ENGINE = _engine()
pytestmark = [
    pytest.mark.skipif(not ENGINE, reason=f"no engine with {IMAGE}"),
    pytest.mark.xdist_group("containers"),
]


class Yard:
    """A cloud of its own installation, and a prepared base in it."""

    def __init__(self, home: Path) -> None:
        self.installation = secrets.token_hex(8)
        self.blocked: list[Blocked] = []
        self.cloud = ContainerCloud(
            engine=shlex.join(ENGINE), image=IMAGE, home=home, on_blocked=self.blocked.append
        )
        self.base = ""

    def machine_spec(self, **more: object) -> MachineSpec:
        key = secrets.token_hex(8)
        tags = {INSTALLATION: self.installation, SANDBOX_TAG: key}
        machine_spec = MachineSpec(
            key=f"yudai-{key}", tags=tags, limits=LIMITS, ttl_s=60, image=self.base
        )
        return machine_spec.model_copy(update=more)

    async def clear(self) -> None:
        for found in await self.cloud.list(self.installation):
            await self.cloud.kill(found.id)
        if self.base:
            await self.cloud.remove_snapshot(self.base)
        await self.cloud.close()


@pytest.fixture
async def yard(tmp_path: Path) -> AsyncGenerator[Yard]:
    yard = Yard(tmp_path)
    try:
        yield yard
    finally:
        await yard.clear()


async def _build(yard: Yard) -> None:
    builder = await yard.cloud.create(yard.machine_spec())
    line = (
        "mkdir -p /var/lib/yudai/closed && chmod 711 /var/lib/yudai && "
        "chmod 700 /var/lib/yudai/closed && echo base >/workspace/file && "
        "touch -d @1000000000 /workspace/file && chmod 750 /workspace/file && "
        "chown -R 58123:58123 /workspace /home/agent"
    )
    assert await builder.run(line, timeout_s=60) == (0, b"")
    yard.base = await yard.cloud.snapshot(builder, f"yudai-base-{yard.installation}")
    assert await yard.cloud.kill(builder.id)


async def _says(machine: Machine, line: str) -> str:
    said = await machine.run(line, timeout_s=60)
    return said.output.decode().strip()


async def test_from_beginning_to_end(yard: Yard) -> None:
    await _build(yard)
    machine_spec = yard.machine_spec()
    machine = await yard.cloud.create(machine_spec)
    [found] = await yard.cloud.list(yard.installation)
    assert (found.id, found.tags, found.state) == (machine.id, machine_spec.tags, "running")
    told = await _says(machine, "stat -c '%u %a %Y' /workspace/file; cat /workspace/file")
    assert told == "58123 750 1000000000\nbase"
    await machine.put("/var/lib/yudai/a b", b"\x00\xff" * 100_000)
    assert await _says(machine, "wc -c <'/var/lib/yudai/a b'") == "200000"
    named = _call(ENGINE, "container", "inspect", "--format", "{{json .Mounts}}", machine.id)
    volumes = [word for word in named.stdout.split('"') if len(word) == 64]
    assert len(volumes) == 3
    assert await yard.cloud.kill(machine.id)
    assert not await yard.cloud.kill(machine.id)
    assert all(_call(ENGINE, "volume", "inspect", volume).returncode for volume in volumes)
    with pytest.raises(GoneError):
        await machine.run("true", timeout_s=60)
    assert await yard.cloud.remove_snapshot(yard.base)
    assert not await yard.cloud.has_snapshot(yard.base)


async def test_what_an_agent_cannot_do(yard: Yard) -> None:
    await _build(yard)
    machine = await yard.cloud.create(yard.machine_spec())
    places = "/ /etc /usr /env /opt /root /run /dev /workspace /tmp /home/agent"
    write = f"for d in {places}; do touch $d/x 2>/dev/null && echo $d; done; true"
    assert await _says(machine, f"{AGENT} sh -c '{write}'") == "/workspace\n/tmp\n/home/agent"
    assert await _says(machine, "touch /usr/x 2>/dev/null || echo no") == "no"
    status = await _says(
        machine, f"{AGENT} grep -E '^(CapEff|NoNewPrivs|Seccomp):' /proc/self/status"
    )
    assert status.split() == ["CapEff:", "0" * 16, "NoNewPrivs:", "1", "Seccomp:", "2"]
    refused = (
        "ls /var/lib/yudai",
        "ls /var/lib/yudai/closed",
        "unshare --user true",
        "mount -t tmpfs none /mnt",
        "python3 -c 'import os; os.chroot(\"/\")'",
        "kill -9 1",
        "cat /proc/1/environ",
        "python3 -c 'import socket; socket.socket(40, 1)'",
        "python3 -c 'import socket; socket.create_connection((\"192.0.2.1\", 80), 3)'",
    )
    for line in refused:
        said = await machine.run(f"{AGENT} {line}", timeout_s=60)
        assert said.exit_code not in (0, 127), line
    assert (await _says(machine, "ls /sys/class/net")).split() == ["lo"]
    assert "host" not in await _says(machine, "cat /etc/hosts | tr ' ' '\\n' | grep -v ^local")


async def test_a_way_out_and_what_is_beside_it(yard: Yard) -> None:
    async def greet(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.0 200 OK\r\n\r\nhello")
        writer.close()

    server = await asyncio.start_server(greet, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    machine = await yard.cloud.create(
        yard.machine_spec(hosts=(f"127.0.0.1:{port}",), phase="agent")
    )
    ask = "import sys, urllib.request as u; print(u.urlopen(sys.argv[1]).read().decode())"
    fetch = f"{AGENT} env http_proxy={machine.variables['http_proxy']} python3 -c '{ask}'"
    assert await _says(machine, f"{fetch} http://127.0.0.1:{port}/") == "hello"
    assert "403" in await _says(machine, f"{fetch} http://127.0.0.1:9/ 2>&1")
    assert yard.blocked == [Blocked(host="127.0.0.1", port=9, phase=Phase.AGENT, owner="")]
    await machine.allow(())
    assert "hello" not in await _says(machine, f"{fetch} http://127.0.0.1:{port}/ 2>&1")
    server.close()
    await server.wait_closed()


async def test_it_ends_by_itself_and_leaves_nothing(yard: Yard) -> None:
    short = LIMITS.model_copy(update={"lifetime_s": -58.0})
    machine = await yard.cloud.create(yard.machine_spec(limits=short))
    async with asyncio.timeout(60):
        while await yard.cloud.list(yard.installation):  # noqa: ASYNC110 - an engine has no event
            await asyncio.sleep(0.2)
    with pytest.raises(GoneError):
        await machine.run("true", timeout_s=60)


async def test_cancelled_at_any_moment_nothing_is_left(yard: Yard) -> None:
    for pause in (0.0, 0.1, 0.3):
        task = asyncio.create_task(yard.cloud.create(yard.machine_spec()))
        await asyncio.sleep(pause)
        task.cancel()
        await asyncio.wait({task})
        assert task.cancelled()
    assert await yard.cloud.list(yard.installation) == []
