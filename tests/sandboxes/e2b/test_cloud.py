"""Machines at E2B: the real SDK against the fake service."""

import asyncio
import os
import subprocess
import sys
import time
from collections.abc import AsyncGenerator
from importlib.metadata import version
from pathlib import Path

import pytest

from tests.support.clouds.e2b_scene import INSTALLED, Scene, machine_spec, scene
from yudai.kit.causes import Cause
from yudai.kit.errors import SandboxError
from yudai.sandboxes.backends.e2b.account import egress
from yudai.sandboxes.backends.remote.cloud import (
    INSTALLATION,
    SANDBOX_TAG,
    DeniedError,
    GoneError,
    Machine,
)

TAGS = {
    "owner": "run-1",
    "solve": "solve-1",
    "run": "run-1",
    "conversation": "talk-1",
    "issue": "https://forge.example/o/r/issues/1?a=b&c=d",
    "user": "someone / with: odd = letters é",
}
NAMES = [
    "files",
    "environment",
    "network",
    "processes",
    "processors",
    "memory",
    "process count",
    "disk",
    "time",
    "output",
    "kernel",
]


@pytest.fixture
async def here(tmp_path: Path) -> AsyncGenerator[Scene]:
    async with scene(tmp_path / "e2b") as made:
        yield made


async def said(machine: Machine, line: str) -> str:
    return (await machine.run(line, timeout_s=30)).output.decode().strip()


def made(results: object) -> list[Machine]:
    assert isinstance(results, list)
    assert not [one for one in results if isinstance(one, SandboxError)]
    return results


async def test_what_is_created(here: Scene) -> None:
    asked = machine_spec(tags=TAGS)
    machine = await here.cloud.create(asked)
    sandbox = here.sandbox(machine)
    assert (
        sandbox.metadata == asked.tags == {INSTALLATION: INSTALLED, SANDBOX_TAG: asked.key, **TAGS}
    )
    assert sandbox.template == "yudai"
    assert sandbox.internet is False
    assert sandbox.network == {"denyOut": ["0.0.0.0/0"], "allowPublicTraffic": False}
    assert sandbox.envs == {}
    assert sandbox.ends - sandbox.started == pytest.approx(300)
    assert await said(machine, "id -u; pwd") == f"{os.getuid()}\n/"


async def test_the_environment_says_nothing(here: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in {"API_KEY": "wrong", "DEBUG": "true", "API_URL": "http://x.invalid"}.items():
        monkeypatch.setenv(f"E2B_{name}", value)
    machine = await here.cloud.create(machine_spec())
    assert here.sandbox(machine).state == "running"


async def test_files_and_time_to_live(here: Scene) -> None:
    machine = await here.cloud.create(machine_spec())
    await machine.put("/var/lib/yudai/a", b"\x00\xff" * 100_000)
    assert await said(machine, "wc -c </var/lib/yudai/a; stat -c %U /var/lib/yudai/a") in {
        "200000\nroot",
        "200000",
    }
    await machine.extend(900.2)
    assert here.sandbox(machine).ends - time.time() == pytest.approx(901, abs=5)


async def test_time_to_live_ends_it(here: Scene) -> None:
    machine = await here.cloud.create(machine_spec())
    sandbox = here.sandbox(machine)
    await machine.extend(0.01)
    assert sandbox.vm
    async with asyncio.timeout(20):
        while sandbox.vm.is_alive:  # noqa: ASYNC110 - another thread's
            await asyncio.sleep(0.05)
    assert machine.id not in here.e2b.sandboxes
    with pytest.raises(GoneError) as caught:
        await machine.run("true", timeout_s=10)
    assert caught.value.cause is Cause.SANDBOX_LOST
    with pytest.raises(GoneError):
        await machine.extend(60)


async def test_network_of_a_phase(here: Scene) -> None:
    machine = await here.cloud.create(machine_spec(hosts=("pypi.org", "*.example.org:443")))
    sandbox = here.sandbox(machine)
    assert sandbox.internet is True
    rules = {"allowOut": ["pypi.org", "*.example.org"], "denyOut": ["0.0.0.0/0"]}
    assert sandbox.network == {**rules, "allowPublicTraffic": False}
    await machine.allow(())
    assert sandbox.network == {"denyOut": ["0.0.0.0/0"], "allow_internet_access": False}
    await machine.allow(("pypi.org",))
    assert sandbox.network["allowOut"] == ["pypi.org"]
    assert sandbox.network["denyOut"] == ["0.0.0.0/0"]


def test_everything_is_never_what_is_private() -> None:
    rules = egress(("pypi.org", "*"))
    assert "allow_out" not in rules
    assert {"10.0.0.0/8", "169.254.0.0/16", "192.168.0.0/16"} <= {*rules["deny_out"]}


def test_a_port_that_its_rules_do_not_know() -> None:
    with pytest.raises(DeniedError, match=r"packages\.example:8443 cannot be allowed"):
        egress(("pypi.org:80", "packages.example:8443"))


@pytest.mark.parametrize("entry", ["*:443", "*:80"])
def test_a_port_of_every_host_would_open_them_all(entry: str) -> None:
    with pytest.raises(DeniedError, match=r"\*:\d+ cannot be allowed"):
        egress(("pypi.org", entry))


async def test_list_has_all_pages_and_paused_ones_of_us_alone(here: Scene) -> None:
    for number in range(230):
        here.e2b.put_sandbox({INSTALLATION: INSTALLED, SANDBOX_TAG: f"b{number}"})
    here.e2b.put_sandbox({INSTALLATION: "another", SANDBOX_TAG: "b1"})
    here.e2b.put_sandbox({})
    paused = here.e2b.put_sandbox(
        {INSTALLATION: INSTALLED, SANDBOX_TAG: "p", "run": "r"}, state="paused"
    )
    found = await here.cloud.list(INSTALLED)
    assert len(found) == len({one.id for one in found}) == 231
    assert {one.tags[INSTALLATION] for one in found} == {INSTALLED}
    [stopped] = [one for one in found if one.state == "paused"]
    assert (stopped.id, dict(stopped.tags)) == (paused.id, paused.metadata)
    assert stopped.started_at == pytest.approx(paused.started, abs=1)
    assert here.e2b.faults.count("GET /v2/sandboxes") == 3


async def test_a_filter_that_is_ignored_shows_no_one_elses(
    here: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A control plane of one's own may be older than the filter."""
    from tests.support.clouds import e2b_control

    monkeypatch.setattr(e2b_control, "parse_qsl", lambda _: [])
    here.e2b.put_sandbox({INSTALLATION: "another"})
    assert await here.cloud.list(INSTALLED) == []


async def test_kill_is_idempotent_and_takes_paused_ones(here: Scene) -> None:
    machine = await here.cloud.create(machine_spec())
    here.e2b.pause(machine.id)
    assert await here.cloud.kill(machine.id) is True
    assert await here.cloud.kill(machine.id) is False
    assert here.e2b.sandboxes == {}


async def test_snapshot_is_a_base(here: Scene) -> None:
    machine = await here.cloud.create(machine_spec())
    await said(machine, "echo prepared >/workspace/a")
    image = await here.cloud.snapshot(machine, "base-1")
    assert await here.cloud.has_snapshot(image)
    assert not await here.cloud.has_snapshot("base-2")
    await here.cloud.kill(machine.id)
    copy = await here.cloud.create(machine_spec(image=image))
    assert await said(copy, "cat /workspace/a") == "prepared"
    assert here.sandbox(copy).template == image
    assert await here.cloud.remove_snapshot(image) is True
    assert await here.cloud.remove_snapshot(image) is False
    assert not await here.cloud.has_snapshot(image)


async def test_snapshot_of_the_disk_where_memory_is_not_kept(here: Scene) -> None:
    here.e2b.control.refuses_full_snapshots = True
    machine = await here.cloud.create(machine_spec())
    assert await here.cloud.snapshot(machine, "base-1") == "base-1"
    asked = [c.json for c in here.e2b.faults.calls if c.path.endswith("/snapshots")]
    assert [body.get("memory") for body in asked] == [None, False]


async def test_forks(here: Scene) -> None:
    source = await here.cloud.create(machine_spec())
    await said(source, "echo one >/workspace/a")
    machine_specs = [machine_spec(hosts=("pypi.org",)), machine_spec()]
    first, second = made(await here.cloud.fork(source, machine_specs))
    await said(first, "echo two >/workspace/a")
    assert await said(source, "cat /workspace/a") == await said(second, "cat /workspace/a") == "one"
    assert here.sandbox(first).metadata == here.sandbox(source).metadata
    assert here.sandbox(first).network["allowOut"] == ["pypi.org"]
    assert "allowOut" not in here.sandbox(second).network


async def test_forks_go_by_twenties(here: Scene) -> None:
    source = await here.cloud.create(machine_spec())
    here.e2b.control.failing_forks = set(range(20))
    results = await here.cloud.fork(source, [machine_spec() for _ in range(21)])
    counts = [c.json["count"] for c in here.e2b.faults.calls if c.path.endswith("/fork")]
    assert counts == [20, 1]
    assert len(results) == 21
    assert all(isinstance(one, SandboxError) for one in results)


async def test_a_fork_may_fail_alone(here: Scene) -> None:
    source = await here.cloud.create(machine_spec())
    here.e2b.control.failing_forks = {1}
    first, broken, third = await here.cloud.fork(source, [machine_spec() for _ in range(3)])
    assert isinstance(broken, SandboxError)
    assert "this fork failed" in str(broken)
    assert not isinstance(first, SandboxError)
    assert not isinstance(third, SandboxError)
    assert {*here.e2b.sandboxes} == {source.id, first.id, third.id}


async def test_examination(here: Scene) -> None:
    found = await here.cloud.examine()
    assert found.backend == "e2b"
    assert found.isolated
    assert found.version == f"e2b {version('e2b')}"
    assert [g.name for g in found.guarantees] == NAMES
    assert "separate VM at the provider (its claim)" in found.guarantees[0].how
    assert "template" in found.guarantees[NAMES.index("memory")].how
    assert here.e2b.sandboxes == {}


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("", "assert 'e2b' not in sys.modules"),
        ("sys.modules['e2b'] = None", "asyncio.run(cloud.examine())"),
    ],
)
def test_the_sdk_is_loaded_when_it_is_used(before: str, after: str) -> None:
    lines = [
        "import asyncio, sys",
        before,
        "from yudai.sandboxes.backends.e2b.cloud import E2BCloud",
        "cloud = E2BCloud(api_key='k', template='t')",
        after,
    ]
    ran = subprocess.run(
        [sys.executable, "-c", "\n".join(lines)], capture_output=True, text=True, check=False
    )
    if before:
        assert "DeniedError: E2B's SDK is missing: pip install 'yudai[e2b]'" in ran.stderr
    else:
        assert ran.returncode == 0, ran.stderr
