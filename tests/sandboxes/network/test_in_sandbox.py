"""Sandboxes with the proxy: only package managers and git get through it."""

import asyncio
import os
import re
from collections.abc import AsyncGenerator, Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from tests.contracts.conftest import alive, make_archive, until
from tests.contracts.registry import PACKAGE_JSON, lock, serving
from tests.sandboxes.network.host_programs import needs_curl, needs_pip
from tests.support.servers.git_server import serving as serving_git
from yudai.kit.errors import RefusedError, SandboxError, SetupError
from yudai.sandboxes.backends.bubblewrap.backend import BubblewrapBackend
from yudai.sandboxes.backends.local.processes import parent
from yudai.sandboxes.backends.toolchain.package_settings import package_settings
from yudai.sandboxes.port import BaseSpec, Blocked, NetworkPolicy, Phase, Sandbox, SandboxLimits

LIMITS = SandboxLimits(memory_bytes=1 << 30, processes=128, disk_bytes=256 << 20)
Make = Callable[..., BubblewrapBackend]


@pytest.fixture
def blocked() -> list[Blocked]:
    return []


@pytest.fixture
async def make(tmp_path: Path, blocked: list[Blocked]) -> AsyncGenerator[Make]:
    made: list[BubblewrapBackend] = []

    def build(**more: Any) -> BubblewrapBackend:
        made.append(
            BubblewrapBackend(tmp_path / "home", limits=LIMITS, on_blocked=blocked.append, **more)
        )
        return made[-1]

    yield build
    for backend in made:
        await backend.close()


@pytest.fixture
def source(tmp_path: Path) -> Path:
    return make_archive(tmp_path / "source.tar", {"a.txt": b"one\n"})


async def greeter(said: bytes = b"hello") -> tuple[asyncio.Server, int]:
    async def greet(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s" % (len(said), said))
        writer.close()

    server = await asyncio.start_server(greet, "127.0.0.1", 0)
    return server, server.sockets[0].getsockname()[1]


async def spawn(
    backend: BubblewrapBackend, source: Path, phase: Phase = Phase.AGENT, *setup: str
) -> Sandbox:
    base = await backend.prepare(BaseSpec(key="k", source=source, setup=setup), owner="solve")
    [sandbox] = await backend.spawn(base, 1, owner="run", phase=phase)
    assert not isinstance(sandbox, SandboxError), sandbox
    return sandbox


async def set_up(backend: BubblewrapBackend, source: Path, *setup: str, node: bool = False) -> str:
    """What the commands said."""
    base = await backend.prepare(
        BaseSpec(key="k", source=source, setup=setup, node=node), owner="solve"
    )
    return (await backend.setup_log(base)).decode()


@needs_pip
async def test_package_managers_install_through_it(
    make: Make, tmp_path: Path, blocked: list[Blocked]
):
    with serving() as registry:
        backend = make(packages=package_settings(registry.variables))
        files = {"package.json": PACKAGE_JSON, "package-lock.json": lock(registry)}
        log = await set_up(
            backend,
            make_archive(tmp_path / "n.tar", files),
            "python3 -m pip install -q --target by-pip tinything && ls by-pip",
            'uv venv -q --allow-existing "$YUDAI_ENV" && uv pip install -q tinything && tinything',
            "npm ci && npx --offline tinything",
            node=True,
        )

    assert re.findall("^tiny thing$", log, re.MULTILINE) == ["tiny thing"] * 2
    assert "tinything.py" in log
    assert {line.split("/")[1] for line in registry.asked} == {"simple", "files", "npm"}
    assert blocked == []


async def test_git_clones_over_http_and_says_why_it_does_not_over_ssh(
    make: Make, source: Path, tmp_path: Path
):
    with serving_git(tmp_path / "server") as server:
        server.create("ada/sample", {"README.md": "# Sample\n"})
        port = server.url.rpartition(":")[2]
        backend = make(network=NetworkPolicy(setup=(f"127.0.0.1:{port}",)))
        log = await set_up(
            backend,
            source,
            f"git clone -q {server.url}/ada/sample cloned && cat cloned/README.md",
            "git clone -q ssh://git@forge.example:2222/ada/sample; echo ended with $?",
            "git clone -q git@forge.example:ada/sample; echo ended with $?",
        )

    assert "# Sample" in log
    assert log.count("yudai: git over ssh does not go through the proxy: use an https URL") == 2
    assert log.count("ended with 128") == 2


async def test_what_set_up_may_not_reach_is_refused_in_words_and_told_once(
    make: Make, source: Path, blocked: list[Blocked]
):
    server, port = await greeter()
    backend = make(network=NetworkPolicy(setup=("pypi.org",)))
    ask = "import urllib.request as u; u.urlopen('{}')"
    async with server:
        log = await set_up(
            backend,
            source,
            f'! python3 -c "{ask.format(f"http://127.0.0.1:{port}/x")}"',
            f'! python3 -c "{ask.format("https://evil.example/y")}"',
            f'! python3 -c "{ask.format("https://evil.example/z")}"',
            f"! (exec 3<>/dev/tcp/127.0.0.1/{port})",
        )

    assert f"127.0.0.1:{port} is not allowed, see SANDBOX_SETUP_HOSTS" in log
    assert "evil.example:443 is not allowed, see SANDBOX_SETUP_HOSTS" in log
    assert "Connection refused" in log
    assert [(one.host, one.port, one.phase, one.owner) for one in blocked] == [
        ("127.0.0.1", port, Phase.SETUP, "solve"),
        ("evil.example", 443, Phase.SETUP, "solve"),
    ]


@needs_pip
async def test_a_failed_set_up_shows_the_refusal(make: Make, source: Path):
    with pytest.raises(SetupError, match="SANDBOX_SETUP_HOSTS"):
        await set_up(make(), source, "python3 -m pip download --retries 1 tinything")


async def test_without_hosts_a_sandbox_is_as_it_was(make: Make, source: Path):
    sandbox = await spawn(make(network=NetworkPolicy(setup=("*",))), source, Phase.AGENT)

    said = await sandbox.exec("ls /run/yudai; env | grep -ic prox; set -- /proc/[0-9]*; echo $#")

    assert said.text.split() == ["output", "request", "runner", "sh", "socket", "0", "2"]


@needs_curl
async def test_each_phase_has_its_own_list(make: Make, source: Path, blocked: list[Blocked]):
    server, port = await greeter()
    backend = make(network=NetworkPolicy(agent=(f"127.0.0.1:{port}",), verification=("pypi.org",)))
    fetch = f"curl -sS http://127.0.0.1:{port}/"
    async with server:
        agent = await spawn(backend, source, Phase.AGENT)
        tests = await spawn(backend, source, Phase.VERIFICATION)
        assert (await agent.exec(fetch)).text == "hello"
        assert (await agent.exec(f"cd /; {fetch} & wait; exit 7")).exit_code == 7
        refused = (await tests.exec(fetch)).text

    assert "SANDBOX_VERIFICATION_HOSTS" in refused
    assert [(one.port, one.phase, one.owner) for one in blocked] == [
        (port, Phase.VERIFICATION, "run")
    ]


async def test_nothing_of_it_outlives_a_command_or_changes_it(make: Make, source: Path):
    sandbox = await spawn(make(network=NetworkPolicy(agent=("pypi.org",))), source)

    for _ in range(2):
        said = await sandbox.exec("jobs; wait; echo $?; cat", stdin=b"given\n")
        assert (said.exit_code, said.text) == (0, "0\ngiven\n")
    mistake = await sandbox.exec("echo fine\nif then")
    assert "line 2" in mistake.text
    assert mistake.exit_code == 2
    await sandbox.write("x", b"\0\xff" * 100_000)
    assert await sandbox.read("x") == b"\0\xff" * 100_000
    assert [pid for pid in alive("/run/yudai/forward") if _is_ours(pid)] == []


def _is_ours(pid: int | None) -> bool:
    """Whether it descends from this process: others test sandboxes at the same time."""
    while pid and pid != os.getpid():
        pid = parent(pid)
    return bool(pid)


async def test_fifty_connections_at_once_with_few_processes(make: Make, source: Path):
    server, port = await greeter(b"x" * 100_000)
    sandbox = await spawn(make(network=NetworkPolicy(agent=(f"127.0.0.1:{port}",))), source)
    program = f"""
import asyncio

async def one():
    reader, writer = await asyncio.open_connection("127.0.0.1", 3128)
    writer.write(b"CONNECT 127.0.0.1:{port} HTTP/1.1\\r\\n\\r\\n")
    await reader.readuntil(b"\\r\\n\\r\\n")
    await asyncio.sleep(0)
    writer.write(b"GET / HTTP/1.1\\r\\n\\r\\n")
    size = len(await reader.read())
    writer.close()
    return size

async def main():
    sizes = await asyncio.gather(*(one() for _ in range(50)))
    print(len(sizes), min(sizes) > 100_000)

asyncio.run(main())
"""
    async with server:
        said = await sandbox.exec("python3 -", stdin=program.encode(), timeout_s=120)

    assert said.text == "50 True\n"


def listening(folder: Path) -> list[str]:
    """Files of sockets in that folder, and those that this process itself listens on."""
    own: set[str] = set()
    for link in Path("/proc/self/fd").iterdir():
        with suppress(OSError):
            own |= set(re.findall(r"socket:\[(\d+)\]", str(link.readlink())))
    known = [line.split() for line in Path("/proc/net/unix").read_text().splitlines()]
    proxies = [words[7] for words in known if len(words) > 7 and words[6] in own]
    files = [str(path) for path in folder.rglob("*") if path.is_socket()]
    return [*files, *(name for name in proxies if name.endswith("/proxy"))]


async def test_a_sandbox_that_goes_takes_its_proxy_along(make: Make, source: Path, tmp_path: Path):
    before = len(listening(tmp_path))
    sandbox = await spawn(make(network=NetworkPolicy(agent=("pypi.org",))), source)
    assert len(listening(tmp_path)) == before + 2

    await sandbox.destroy()

    assert len(listening(tmp_path)) == before


async def test_a_set_up_that_is_cancelled_leaves_no_socket(
    make: Make, source: Path, tmp_path: Path
):
    before, seconds = len(listening(tmp_path)), f"4343.{os.getpid()}"
    backend = make()
    building = asyncio.create_task(set_up(backend, source, f"sleep {seconds}"))
    await until(lambda: alive(seconds))
    assert len(listening(tmp_path)) == before + 2

    building.cancel()
    with pytest.raises(asyncio.CancelledError):
        await building

    assert len(listening(tmp_path)) == before
    assert alive(seconds) == []


async def test_an_entry_that_is_no_host_is_refused_at_once(make: Make):
    with pytest.raises(RefusedError, match=r"^SANDBOX_AGENT_HOSTS: `https://pypi\.org/simple` is"):
        make(network=NetworkPolicy(agent=("https://pypi.org/simple",)))


async def test_the_promise_says_what_is_open(make: Make):
    network = NetworkPolicy(setup=("*",), agent=("a.net", "b.net"))
    said = {g.name: g.how for g in (await make(network=network).capabilities()).guarantees}

    assert said["network"].endswith(
        "set-up commands reach every public address, agents' commands reach 2 listed hosts, "
        "tests reach nothing"
    )
