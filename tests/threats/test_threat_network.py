"""Set-up commands that look for a way out: of their sandbox, past the list, to this machine."""

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from tests.contracts.conftest import make_archive
from tests.sandboxes.network.host_programs import needs_curl
from tests.threats.conftest import Rebuild
from yudai.sandboxes.backends.bubblewrap.backend import BubblewrapBackend
from yudai.sandboxes.backends.network import dial
from yudai.sandboxes.backends.network.dial import DialSettings, upstream_of
from yudai.sandboxes.backends.toolchain.package_settings import PackageSettings, package_settings
from yudai.sandboxes.domain.allowed_hosts import Allowed, Permission
from yudai.sandboxes.port import BaseSpec, Blocked, NetworkPolicy, SandboxLimits

LIMITS = SandboxLimits(memory_bytes=1 << 29, processes=128, disk_bytes=1 << 28)
SECRET = "proxyCanary7Qw2Er5Ty8Ui1Op4"  # noqa: S105 - it was never one


@asynccontextmanager
async def inside() -> AsyncGenerator[tuple[int, list[bytes]]]:
    """A service of this machine that was never meant for strangers: it answers, and it hears."""
    heard: list[bytes] = []

    async def hear(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        heard.append(await reader.readuntil(b"\n"))
        writer.write(b"HTTP/1.1 200 OK\r\n\r\ninside")
        writer.close()

    server = await asyncio.start_server(hear, "127.0.0.1", 0)
    async with server:
        yield server.sockets[0].getsockname()[1], heard


async def look_for_a_way_out(
    home: Path, *, allowed: str, command: str
) -> tuple[set[bytes], list[Blocked]]:
    """A set-up command asks this machine's service; what was heard there, and what was told."""
    blocked: list[Blocked] = []
    async with inside() as (port, heard):
        backend = BubblewrapBackend(
            home / "home",
            limits=LIMITS,
            network=NetworkPolicy(setup=(allowed,)),
            on_blocked=blocked.append,
        )
        setup = (f"({command.format(port=port)}) || true",)
        try:
            source = make_archive(home / "source.tar", {"a": b""})
            await backend.prepare(BaseSpec(key="k", source=source, setup=setup), owner="solve")
        finally:
            await backend.close()
    return {line.split(b" ")[0] for line in heard}, blocked


DIRECT = "exec 3<>/dev/tcp/127.0.0.1/{port} && echo GET me >&3 && cat <&3"
BY_ADDRESS = "curl -sS -m 20 http://127.0.0.1:{port}/"
BY_NAME = "curl -sS -m 20 -p http://localhost:{port}/"
ATTACKS = {
    "past the proxy": ("*", DIRECT),
    "to a host that is not listed": ("pypi.org", BY_ADDRESS),
    "to a private address": ("*", BY_ADDRESS),
    "to a name with a private address": ("*", BY_NAME),
}


@needs_curl
@pytest.mark.parametrize("attack", ATTACKS)
async def test_set_up_finds_no_way_to_this_machine(tmp_path: Path, attack: str):
    allowed, command = ATTACKS[attack]

    heard, blocked = await look_for_a_way_out(tmp_path, allowed=allowed, command=command)

    assert heard == set()
    assert len(blocked) == (0 if attack == "past the proxy" else 1)
    assert {one.owner for one in blocked} <= {"solve"}


def _share(rebuild: Rebuild, _: pytest.MonkeyPatch) -> None:
    rebuild(lambda argv: [word for word in argv if word != "--unshare-net"])


def _allow(_: Rebuild, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Allowed, "permission", lambda *_: Permission.ANY)


def _trust_addresses(_: Rebuild, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dial, "is_public", lambda _: True)
    monkeypatch.setattr(dial, "is_own", lambda _: False)


WITHOUT: dict[str, Callable[[Rebuild, pytest.MonkeyPatch], None]] = {
    "past the proxy": _share,
    "to a host that is not listed": _allow,
    "to a private address": _trust_addresses,
    "to a name with a private address": _trust_addresses,
}


@needs_curl
@pytest.mark.parametrize("attack", ATTACKS)
async def test_without_that_defence_it_does(
    tmp_path: Path, rebuild: Rebuild, monkeypatch: pytest.MonkeyPatch, attack: str
):
    WITHOUT[attack](rebuild, monkeypatch)
    allowed, command = ATTACKS[attack]

    heard, _ = await look_for_a_way_out(tmp_path, allowed=allowed, command=command)

    assert heard == {b"GET"}


ENVIRON = {"HTTPS_PROXY": f"http://me:{SECRET}@127.0.0.1:9"}


async def steal_the_proxys_password(home: Path, packages: PackageSettings) -> bool:
    """The machine's own proxy has one, and set-up looks for it where it can."""
    backend = BubblewrapBackend(
        home / "home",
        limits=LIMITS,
        packages=packages,
        network=NetworkPolicy(setup=("pypi.org",)),
        dialing=DialSettings(upstream=upstream_of(ENVIRON)),
    )
    hunt = (
        "env; cat /proc/[0-9]*/environ /proc/[0-9]*/cmdline /run/yudai/forward"
        " 2>/dev/null | tr '\\0' '\\n'; curl -sSv -m 20 https://pypi.org/ 2>&1 || true"
    )
    try:
        source = make_archive(home / "source.tar", {"a": b""})
        base = await backend.prepare(BaseSpec(key="k", source=source, setup=(hunt,)))
        log = (await backend.setup_log(base)).decode(errors="replace")
    finally:
        await backend.close()
    assert "127.0.0.1:3128" in log
    return SECRET in log


def _pass_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(PackageSettings, "without_proxies", lambda settings: settings)


@pytest.mark.parametrize("left", ["both", "cut out of its URL", "never passed on"])
async def test_the_password_of_this_machines_proxy_stays_here_and_each_of_two_defences_suffices(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, left: str
):
    packages = PackageSettings(ENVIRON) if left == "never passed on" else package_settings(ENVIRON)
    if left == "cut out of its URL":
        _pass_on(monkeypatch)
    assert not await steal_the_proxys_password(tmp_path, packages)


async def test_without_both_it_is_stolen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    _pass_on(monkeypatch)
    assert await steal_the_proxys_password(tmp_path, PackageSettings(ENVIRON))
