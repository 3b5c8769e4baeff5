"""Prime's machines, over its unmodified client and a fake of its service."""

import asyncio
import base64
from collections.abc import AsyncGenerator, Iterator
from importlib.metadata import version
from pathlib import Path

import pytest

from tests.support.clouds.prime_scene import IMAGE, TAGS, cloud_at, machine_spec, says, until
from tests.support.clouds.prime_server import FakePrime, prime_server
from yudai.sandboxes.backends.prime.cloud import PrimeCloud
from yudai.sandboxes.backends.remote.cloud import BaseGoneError, DeniedError, GoneError
from yudai.sandboxes.port import SandboxLimits

GIB = 1 << 30


@pytest.fixture
def prime(tmp_path: Path) -> Iterator[FakePrime]:
    with prime_server(tmp_path / "prime") as server:
        yield server


@pytest.fixture
async def cloud(prime: FakePrime, tmp_path: Path) -> AsyncGenerator[PrimeCloud]:
    cloud = cloud_at(prime, tmp_path / "home")
    yield cloud
    await cloud.close()


async def test_a_line_runs_as_root_with_nothing_to_read(cloud: PrimeCloud) -> None:
    machine = await cloud.create(machine_spec())
    said = await machine.run("id -un; pwd; echo oops >&2; cat; exit 3", timeout_s=20)
    assert (said.exit_code, said.output) == (3, b"root\n/\n")


async def test_a_file_arrives_byte_for_byte(cloud: PrimeCloud) -> None:
    machine = await cloud.create(machine_spec())
    content = bytes(range(256)) * 5000
    await machine.put("/var/lib/yudai/a file", content)
    said = await machine.run("base64 '/var/lib/yudai/a file'", timeout_s=20, max_bytes=1 << 22)
    assert base64.b64decode(said.output) == content


async def test_what_is_asked_for(cloud: PrimeCloud, prime: FakePrime) -> None:
    limits = SandboxLimits(
        processors=1.5, memory_bytes=3 * GIB - 1, disk_bytes=7 * GIB, lifetime_s=3601
    )
    machine = await cloud.create(machine_spec("key-1", limits=limits, ttl_s=900))
    asked = prime.sandboxes[machine.id].request
    tags = {"installation": "ours", "box": "key-1", **TAGS}
    assert asked.pop("name") == "key-1"
    assert asked.pop("labels") == [f"{name}={value}" for name, value in tags.items()]
    assert asked == {
        "docker_image": IMAGE,
        "cpu_cores": 2,
        "memory_gb": 3,
        "disk_size_gb": 9,
        "timeout_minutes": 63,
        "idle_timeout_minutes": 15,
        "network_allowlist": [],
        "idempotency_key": "key-1",
        "gpu_count": 0,
        "vm": True,
    }


async def test_a_label_is_cut_and_an_empty_tag_is_none(cloud: PrimeCloud, prime: FakePrime) -> None:
    tags = {"installation": "ours", "box": "b", "issue": "x" * 500, "user": ""}
    machine = await cloud.create(machine_spec(tags=tags))
    labels = prime.sandboxes[machine.id].labels
    assert [len(label) for label in labels] == [17, 5, 100]


async def test_no_lifetime_is_longer_than_prime_allows(cloud: PrimeCloud, prime: FakePrime) -> None:
    machine = await cloud.create(
        machine_spec(limits=SandboxLimits(lifetime_s=86_400), ttl_s=90_000)
    )
    asked = prime.sandboxes[machine.id].request
    assert (asked["timeout_minutes"], asked["idle_timeout_minutes"]) == (1440, 1440)


@pytest.mark.parametrize(
    ("hosts", "allowed", "denied"),
    [
        ((), [], None),
        (("pypi.org", "*.example.org:443"), ["pypi.org", "*.example.org:443"], None),
        (("pypi.org", "*"), None, "10.0.0.0/8"),
    ],
)
async def test_its_network_is_what_the_phase_may_reach(
    cloud: PrimeCloud,
    prime: FakePrime,
    hosts: tuple[str, ...],
    allowed: list[str] | None,
    denied: str | None,
) -> None:
    machine = await cloud.create(machine_spec(hosts=hosts))
    asked = prime.sandboxes[machine.id].request
    assert asked.get("network_allowlist") == allowed
    assert (denied in asked.get("network_denylist", [])) is (denied is not None)
    await machine.allow(hosts)
    changed = prime.sandboxes[machine.id].request["egress"]
    assert changed["allowlist"] == allowed
    assert (denied in (changed["denylist"] or [])) is (denied is not None)
    # It is not said to hold before it does.
    assert prime.sandboxes[machine.id].applied == prime.sandboxes[machine.id].generation == 2


async def test_a_rule_that_prime_cannot_keep_is_refused(
    cloud: PrimeCloud, prime: FakePrime
) -> None:
    with pytest.raises(DeniedError, match=r"example\.org:8080.*only ports 80 and 443"):
        await cloud.create(machine_spec(hosts=("example.org:8080",)))
    assert not prime.sandboxes


async def test_a_snapshot_is_where_others_start(cloud: PrimeCloud, prime: FakePrime) -> None:
    first = await cloud.create(machine_spec("first"))
    await first.run("echo prepared >/workspace/it", timeout_s=20)
    image = await cloud.snapshot(first, "base-1")
    assert await cloud.has_snapshot(image)
    await cloud.kill(first.id)
    second = await cloud.create(machine_spec("second", image=image))
    assert await says(second, "cat /workspace/it") == "prepared\n"
    asked = prime.sandboxes[second.id].request
    assert asked["checkpoint_id"] == image
    assert "docker_image" not in asked
    assert "disk_size_gb" not in asked


async def test_a_snapshot_is_removed_once(cloud: PrimeCloud) -> None:
    image = await cloud.snapshot(await cloud.create(machine_spec()), "base-1")
    assert await cloud.remove_snapshot(image)
    assert not await cloud.has_snapshot(image)
    assert not await cloud.remove_snapshot(image)
    with pytest.raises(BaseGoneError, match="no such checkpoint"):
        await cloud.create(machine_spec("next", image=image))


async def test_all_pages_and_states_of_this_installation_are_listed(
    cloud: PrimeCloud, prime: FakePrime
) -> None:
    prime.per_page = 2
    states = ["RUNNING", "PENDING", "PROVISIONING", "PAUSED", "PAUSED", "PAUSED", "RUNNING"]
    ours = [prime.add(["installation=ours", f"box={n}"], s) for n, s in enumerate(states)]
    for over in ("TERMINATED", "ERROR", "TIMEOUT"):
        prime.add(["installation=ours"], over)
    for strange in (["installation=theirs"], ["installation=ours-2"], ["ours"], []):
        prime.add(strange)
    found = {f.id: f for f in await cloud.list("ours")}
    assert found.keys() == {sandbox.id for sandbox in ours}
    assert found[ours[3].id].state == "paused"
    assert found[ours[3].id].tags == {"installation": "ours", "box": "3"}
    assert found[ours[0].id].started_at == pytest.approx(ours[0].created_at)


async def test_a_machine_is_killed_once(cloud: PrimeCloud, prime: FakePrime) -> None:
    machine = await cloud.create(machine_spec())
    assert await cloud.kill(machine.id)
    assert not await cloud.kill(machine.id)
    assert not await cloud.kill("never-was")
    assert not prime.alive
    with pytest.raises(GoneError, match="TERMINATED"):
        await machine.run("true", timeout_s=20)
    with pytest.raises(GoneError):
        await machine.put("/home/x", b"")


async def test_eight_wait_with_one_question(cloud: PrimeCloud, prime: FakePrime) -> None:
    prime.ready_after_s = 0.2
    async with asyncio.TaskGroup() as group:
        for number in range(8):
            group.create_task(cloud.create(machine_spec(f"box-{number}")))
    assert len(prime.alive) == 8
    asked = [c.json["sandbox_ids"] for c in prime.faults.calls if "batchGet" in c.path]
    assert len(asked) < 8
    assert max(map(len, asked)) == 8


async def test_commands_keep_it_alive_and_idleness_ends_it(
    cloud: PrimeCloud, prime: FakePrime
) -> None:
    machine = await cloud.create(machine_spec(ttl_s=60))
    sandbox = prime.sandboxes[machine.id]
    before = sandbox.ends[1].when()
    await machine.extend(60)
    assert sandbox.ends[1].when() > before
    prime.minute_s = 0.05
    await machine.extend(60)
    await until(lambda: sandbox.status == "TIMEOUT")
    with pytest.raises(GoneError, match="TIMEOUT"):
        await machine.extend(60)


async def test_what_it_promises(cloud: PrimeCloud) -> None:
    seen = await cloud.examine()
    assert seen.isolated
    assert seen.version == f"prime-sandboxes {version('prime-sandboxes')}"
    assert [promise.name for promise in seen.guarantees] == [
        *("files", "environment", "network", "processes", "processors"),
        *("memory", "process count", "disk", "time", "output", "kernel"),
    ]
    assert seen.guarantees[0].how == "separate VM at the provider (its claim)"


async def test_nothing_is_opened_only_to_be_closed(tmp_path: Path, prime: FakePrime) -> None:
    await cloud_at(prime, tmp_path / "unused").close()
    assert not (tmp_path / "unused").exists()
    assert not prime.faults.calls
