"""Containers by either engine: made, found, kept as bases, and gone whatever happens."""

import asyncio
import json
import os
import re
import time
from collections.abc import AsyncGenerator
from pathlib import Path

import pytest

from tests.support.clouds.engine import FACTS, VERSIONS
from tests.support.clouds.engine_scene import IMAGE, INSTALLED, Scene, machine_spec, scene
from yudai.kit.errors import SandboxError
from yudai.sandboxes.backends.container import cloud as container
from yudai.sandboxes.backends.container.cloud import ContainerCloud
from yudai.sandboxes.backends.container.host import name_of
from yudai.sandboxes.backends.network.dial import DialSettings
from yudai.sandboxes.backends.remote.cloud import INSTALLATION, SANDBOX_TAG, DeniedError
from yudai.sandboxes.port import Capabilities

NAMES = {
    *("files", "environment", "network", "processes", "memory", "process count"),
    *("processors", "disk", "time", "output", "kernel"),
}
STATES = ("created", "running", "paused", "exited", "dead", "removing")


# What is asked of an engine is the same; where they differ, a test says `always`.
pytestmark = pytest.mark.real_on("podman")


@pytest.fixture(params=["podman", "docker"])
def dialect(request: pytest.FixtureRequest) -> str:
    return request.param


@pytest.fixture
async def stage(tmp_path: Path, dialect: str) -> AsyncGenerator[Scene]:
    made = scene(tmp_path, dialect)
    yield made
    made.engine.heal()
    await made.cloud.close()


def _held(found: Capabilities) -> set[str]:
    return {one.name for one in found.guarantees if one.holds}


@pytest.mark.always
async def test_what_holds(stage: Scene, dialect: str) -> None:
    found = await stage.cloud.examine()
    assert (found.backend, found.isolated, found.version) == ("container", True, VERSIONS[dialect])
    assert {one.name for one in found.guarantees} == NAMES
    assert _held(found) == NAMES - {"kernel"}
    assert stage.engine.calls("run") == []


@pytest.mark.parametrize(
    ("dialect", "facts"),
    [
        ("podman", {"host": {"cgroupControllers": None, "security": {"rootless": True}}}),
        ("docker", {**FACTS["docker"], "MemoryLimit": 0, "CpuCfsQuota": 0, "PidsLimit": 0}),
    ],
)
@pytest.mark.always
async def test_an_engine_without_control_groups(stage: Scene, facts: dict[str, object]) -> None:
    stage.engine.say(facts)
    found = await stage.cloud.examine()
    assert _held(found) == NAMES - {"kernel", "memory", "processors", "process count"}
    assert "Delegate=" in next(one.how for one in found.guarantees if one.name == "memory")


PODMAN = {"host": {"hostname": "a b"}, "store": {"graphRoot": "/home/me/storage"}}
DOCKER = {"Name": "a.b", "ID": "1"}


@pytest.mark.parametrize(
    ("facts", "other"),
    [
        (PODMAN, PODMAN | {"store": {"graphRoot": "/home/you/storage"}}),
        (PODMAN, PODMAN | {"host": {"hostname": "ab"}}),
        (DOCKER, DOCKER | {"ID": "2"}),
        (DOCKER, {}),
    ],
)
def test_whose_images_they_are(facts: dict[str, object], other: dict[str, object]) -> None:
    assert re.fullmatch(r"a[.-]b-[0-9a-f]{8}", name_of(facts))
    assert name_of(facts) == name_of(dict(facts)) != name_of(other)


@pytest.mark.always
async def test_there_is_no_image(tmp_path: Path, dialect: str) -> None:
    stage = scene(tmp_path, dialect, image="localhost/other:1")
    remedy = f"`{dialect} build -t localhost/other:1 deploy/sandbox`, or set CONTAINER_IMAGE"
    with pytest.raises(DeniedError, match=remedy):
        await stage.cloud.examine()
    with pytest.raises(DeniedError, match=remedy):
        await stage.cloud.create(machine_spec())
    assert stage.engine.containers() == {}


@pytest.mark.always
async def test_a_base_that_is_gone_is_no_reason_to_give_up(stage: Scene) -> None:
    with pytest.raises(SandboxError, match="prepared base is gone") as caught:
        await stage.cloud.create(machine_spec(image="localhost/yudai-base:gone"))
    assert not isinstance(caught.value, DeniedError)


@pytest.mark.always
async def test_made_and_found(stage: Scene) -> None:
    plan = machine_spec(tags={"owner": "me", "issue": "a/b#1, c=d"})
    machine = await stage.cloud.create(plan)
    await stage.cloud.create(machine_spec(installation="sibling"))
    [found] = await stage.cloud.list(INSTALLED)
    assert (found.id, found.state) == (machine.id, "running") == (plan.key, "running")
    assert found.tags == plan.tags
    assert found.started_at is not None
    assert abs(time.time() - found.started_at) < 100
    assert [one.tags[INSTALLATION] for one in await stage.cloud.list("sibling")] == ["sibling"]
    assert await stage.cloud.list("nobody") == []


@pytest.mark.always
async def test_all_states_are_found_and_can_be_ended(stage: Scene) -> None:
    machines = [await stage.cloud.create(machine_spec()) for _ in STATES]
    for machine, state in zip(machines, STATES, strict=True):
        stage.engine.become(machine.id, state)
    found = await stage.cloud.list(INSTALLED)
    assert {(one.id, one.state) for one in found} == {
        (machine.id, state) for machine, state in zip(machines, STATES, strict=True)
    }
    assert [await stage.cloud.kill(one.id) for one in found] == [True] * len(STATES)
    assert [await stage.cloud.kill(one.id) for one in found] == [False] * len(STATES)
    assert stage.engine.containers() == {}


@pytest.mark.always
async def test_nothing_of_one_is_left(stage: Scene) -> None:
    builder = await stage.cloud.create(machine_spec())
    image = await stage.cloud.snapshot(builder, "base")
    machine = await stage.cloud.create(machine_spec(image=image))
    assert stage.engine.volumes() == 3
    assert await stage.cloud.kill(machine.id)
    assert stage.engine.volumes() == 0
    assert stage.engine.calls("rm") == [["rm", "--force", "--volumes", machine.id]]


async def test_an_end_that_is_refused(stage: Scene) -> None:
    machine = await stage.cloud.create(machine_spec())
    stage.engine.fail("rm", "Error: device or resource busy")
    with pytest.raises(SandboxError, match="cannot be removed: Error: device or resource busy"):
        await stage.cloud.kill(machine.id)
    assert await stage.cloud.kill(machine.id)


@pytest.mark.always
async def test_an_end_that_is_refused_because_another_was_faster(stage: Scene) -> None:
    machine = await stage.cloud.create(machine_spec())
    stage.engine.fail("rm", "Error: removal is already in progress", after=True)
    assert await stage.cloud.kill(machine.id)
    assert stage.engine.containers() == {}


@pytest.mark.parametrize("verb", ["container-inspect", "rm"])
async def test_an_end_while_the_engine_is_away(stage: Scene, verb: str) -> None:
    machine = await stage.cloud.create(machine_spec())
    error = "Cannot connect to the Docker daemon at unix:///x.sock"
    stage.engine.fail(verb, error, code=1, output="[]", times=2)
    with pytest.raises(SandboxError, match="Cannot connect"):
        await stage.cloud.kill(machine.id)
    stage.engine.heal()
    assert await stage.cloud.kill(machine.id)


async def test_an_end_that_does_not_come(stage: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    machine = await stage.cloud.create(machine_spec())
    stage.engine.hang("rm")
    monkeypatch.setattr(container, "_END_S", 0.5)
    with pytest.raises(SandboxError, match="did not finish within"):
        await stage.cloud.kill(machine.id)


@pytest.mark.parametrize("verb", ["ps", "container-inspect"])
async def test_a_list_that_cannot_be_had(stage: Scene, verb: str) -> None:
    await stage.cloud.create(machine_spec())
    stage.engine.fail(verb, "Error: out of order", code=1, output="[]")
    with pytest.raises(SandboxError, match="out of order"):
        await stage.cloud.list(INSTALLED)


async def test_a_start_that_fails_leaves_nothing(stage: Scene) -> None:
    plan = machine_spec(hosts=("pypi.org",), phase="setup")
    stage.engine.fail("run", "Error: OCI runtime error: no such file", code=126, after=True)
    with pytest.raises(SandboxError, match="could not be started: Error: OCI") as caught:
        await stage.cloud.create(plan)
    assert not isinstance(caught.value, DeniedError)
    assert (stage.engine.containers(), stage.local_sockets, stage.engine.volumes()) == ({}, [], 0)


async def test_a_start_that_never_ends(stage: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(container, "_START_S", 1.0)
    stage.engine.hang("run", after=True)
    with pytest.raises(SandboxError, match="run did not finish within 1 s"):
        await stage.cloud.create(machine_spec())
    assert stage.engine.containers() == {}


async def test_a_start_that_fails_while_nothing_can_be_removed(stage: Scene) -> None:
    stage.engine.fail("run", "Error: first", after=True)
    stage.engine.fail("rm", "Error: second", times=9)
    with pytest.raises(SandboxError, match="first"):
        await stage.cloud.create(machine_spec())
    [left] = await stage.cloud.list(INSTALLED)
    stage.engine.heal()
    assert await stage.cloud.kill(left.id)


@pytest.mark.parametrize("phase", ["", "agent"])
@pytest.mark.always
async def test_the_same_key_never_makes_two(stage: Scene, tmp_path: Path, phase: str) -> None:
    plan = machine_spec(phase=phase)
    await stage.cloud.create(plan)
    with pytest.raises(SandboxError, match="with that name"):
        await stage.cloud.create(plan)
    assert list(stage.engine.containers()) == [plan.key]
    other = ContainerCloud(engine=str(stage.engine.program), image=IMAGE, home=tmp_path / "other")
    with pytest.raises(SandboxError, match="with that name"):
        await other.create(plan)
    assert list(stage.engine.containers()) == [plan.key]
    assert list(tmp_path.glob("other/doors/*")) == []
    assert stage.local_sockets == ([plan.key] if phase else [])
    await stage.cloud.close()


@pytest.mark.parametrize("times", [1, 2])
async def test_cancelled_while_it_starts(
    stage: Scene, monkeypatch: pytest.MonkeyPatch, times: int
) -> None:
    monkeypatch.setattr(container, "_PATIENCE_S", 0.3)
    stage.engine.hang("run", after=True)
    task = asyncio.create_task(stage.cloud.create(machine_spec(hosts=("pypi.org",), phase="agent")))
    await _until(stage.engine.state / "hanging")
    for _ in range(times):
        task.cancel()
        await asyncio.sleep(0)
    with pytest.raises(asyncio.CancelledError):
        await task
    await stage.cloud.close()
    assert (stage.engine.containers(), stage.local_sockets, stage.engine.volumes()) == ({}, [], 0)


@pytest.mark.always
async def test_a_base(stage: Scene) -> None:
    builder = await stage.cloud.create(machine_spec(tags={"owner": "builder", "solve": "s"}))
    image = await stage.cloud.snapshot(builder, "some-base")
    assert image == "localhost/yudai-base:some-base"
    assert await stage.cloud.has_snapshot(image)
    assert await stage.cloud.kill(builder.id)
    plan = machine_spec(image=image, tags={"owner": "me"})
    machine = await stage.cloud.create(plan)
    [found] = await stage.cloud.list(INSTALLED)
    assert found.tags == plan.tags
    with pytest.raises(SandboxError, match="cannot be removed"):
        await stage.cloud.remove_snapshot(image)
    assert await stage.cloud.kill(machine.id)
    assert await stage.cloud.remove_snapshot(image)
    assert not await stage.cloud.remove_snapshot(image)
    assert not await stage.cloud.has_snapshot(image)
    assert stage.engine.images() == [IMAGE]


async def test_a_base_that_is_built_again_takes_the_place_of_the_old(stage: Scene) -> None:
    builder = await stage.cloud.create(machine_spec())
    image = await stage.cloud.snapshot(builder, "base")
    first = stage.engine.image(image)["Id"]
    assert await stage.cloud.snapshot(builder, "base") == image
    assert stage.engine.image(image)["Id"] != first
    assert stage.engine.images() == sorted([IMAGE, image])


async def test_a_base_that_cannot_be_kept(stage: Scene) -> None:
    builder = await stage.cloud.create(machine_spec())
    stage.engine.fail("commit", "Error: no space left on device")
    with pytest.raises(SandboxError, match="commit: Error: no space left on device"):
        await stage.cloud.snapshot(builder, "base")
    assert stage.engine.images() == [IMAGE]


@pytest.mark.parametrize("times", [1, 2])
async def test_a_base_that_is_cancelled_is_not_kept(
    stage: Scene, monkeypatch: pytest.MonkeyPatch, times: int
) -> None:
    monkeypatch.setattr(container, "_PATIENCE_S", 0.3)
    builder = await stage.cloud.create(machine_spec())
    await stage.cloud.snapshot(builder, "base")
    stage.engine.hang("commit", after=True)
    task = asyncio.create_task(stage.cloud.snapshot(builder, "base"))
    await _until(stage.engine.state / "hanging")
    assert len(stage.engine.images()) == 3
    for _ in range(times):
        task.cancel()
        await asyncio.sleep(0)
    with pytest.raises(asyncio.CancelledError):
        await task
    await stage.cloud.close()
    assert stage.engine.images() == [IMAGE]


@pytest.mark.parametrize(
    ("phase", "hosts", "dialing", "expected"),
    [
        ("setup", (), DialSettings(), True),
        ("agent", (), DialSettings(), False),
        ("agent", ("pypi.org",), DialSettings(), True),
        ("agent", (), DialSettings(local_sockets={"model.yudai": Path("/nowhere")}), True),
        ("verification", (), DialSettings(local_sockets={"model.yudai": Path("/nowhere")}), False),
        ("", ("pypi.org",), DialSettings(), True),
    ],
)
@pytest.mark.always
async def test_who_has_a_way_out(
    tmp_path: Path,
    phase: str,
    hosts: tuple[str, ...],
    dialing: DialSettings,
    *,
    expected: bool,
) -> None:
    stage = scene(tmp_path, "podman", dialing=dialing)
    stage.engine.fail("exec", code=0)
    plan = machine_spec(phase=phase, hosts=hosts)
    machine = await stage.cloud.create(plan)
    assert stage.local_sockets == [plan.key]
    [words] = stage.engine.calls("run")
    [seen] = [word for word in words if word.startswith(str(stage.home / "doors"))]
    assert seen.endswith(":/run/doors:ro,z" if expected else ":/run/nscd:ro,z")
    assert bool(machine.variables) == bool(stage.engine.calls("exec")) == expected
    assert words[words.index("--network") + 1] == "none"
    assert await stage.cloud.kill(machine.id)
    assert stage.local_sockets == []


async def test_a_host_that_is_none(stage: Scene) -> None:
    with pytest.raises(DeniedError, match="not a host"):
        await stage.cloud.create(machine_spec(hosts=("not a host",), phase="agent"))
    assert stage.engine.calls("run") == []


async def test_doors_of_dead_processes_go(stage: Scene) -> None:
    used, forgotten, fresh = machine_spec().key, machine_spec().key, machine_spec().key
    for key in (used, forgotten, fresh):
        (stage.home / "doors" / key).mkdir(parents=True)
    os.utime(stage.home / "doors" / forgotten, (0, 0))
    await stage.cloud.list(INSTALLED)
    assert set(stage.local_sockets) == {used, fresh}
    assert not await stage.cloud.kill(used)
    assert stage.local_sockets == [fresh]


async def test_only_other_users_are_kept_from_doors(tmp_path: Path) -> None:
    stage = scene(tmp_path, "docker")
    stage.engine.fail("exec", code=0)
    plan = machine_spec(hosts=("pypi.org",), phase="agent")
    await stage.cloud.create(plan)
    local_sockets = stage.home / "doors"
    assert [path.stat().st_mode & 0o777 for path in (local_sockets, local_sockets / plan.key)] == [
        0o700,
        0o755,
    ]
    await stage.cloud.close()
    assert stage.local_sockets == []


async def test_podman_is_given_stricter_files(tmp_path: Path) -> None:
    stage = scene(tmp_path, "podman")
    profile = tmp_path / "profile.json"
    profile.write_text(json.dumps({"defaultAction": "SCMP_ACT_ERRNO", "syscalls": []}))
    security = {"seccompEnabled": True, "seccompProfilePath": str(profile)}
    stage.engine.say({"host": {"security": security}})
    await stage.cloud.create(machine_spec())
    [words] = stage.engine.calls("run")
    assert f"seccomp={stage.home / 'seccomp.json'}" in words
    assert f"{stage.home / 'hosts'}:/etc/hosts:ro,z" in words
    assert "localhost sandbox" in (stage.home / "hosts").read_text()
    assert json.loads((stage.home / "seccomp.json").read_bytes())["syscalls"]
    kernel = (await stage.cloud.examine()).guarantees[-1]
    assert "the riskiest system calls are denied" in kernel.how


@pytest.mark.parametrize(
    "security",
    [
        {},
        {"seccompEnabled": True, "seccompProfilePath": "/nowhere"},
        {"seccompEnabled": True, "seccompProfilePath": "{folder}/broken"},
        {"seccompEnabled": False, "seccompProfilePath": "{folder}/good"},
    ],
)
async def test_without_a_profile_there_is_none(tmp_path: Path, security: dict[str, object]) -> None:
    (tmp_path / "broken").write_text("{")
    (tmp_path / "good").write_text('{"defaultAction": "SCMP_ACT_ERRNO", "syscalls": []}')
    path = str(security.get("seccompProfilePath", "")).format(folder=tmp_path)
    stage = scene(tmp_path, "podman")
    stage.engine.say({"host": {"security": {**security, "seccompProfilePath": path}}})
    await stage.cloud.create(machine_spec())
    assert not any("seccomp=" in word for word in stage.engine.calls("run")[0])
    assert "denied" not in (await stage.cloud.examine()).guarantees[-1].how


async def test_an_engine_elsewhere_is_given_no_files(tmp_path: Path) -> None:
    stage = scene(tmp_path, "podman")
    stage.engine.say({"host": {"serviceIsRemote": True}})
    await stage.cloud.create(machine_spec())
    assert not any("/etc/hosts" in word for word in stage.engine.calls("run")[0])
    assert not stage.home.exists()


async def test_an_engine_is_looked_for_once(stage: Scene) -> None:
    for _ in range(2):
        machine = await stage.cloud.create(machine_spec())
        assert machine.id in stage.engine.containers()
    assert len(stage.engine.calls("info")) == 1


async def test_an_engine_that_comes_later_is_found(stage: Scene) -> None:
    stage.engine.fail("info", "Cannot connect to the Docker daemon", code=1)
    with pytest.raises(SandboxError, match="start its daemon"):
        await stage.cloud.examine()
    assert (await stage.cloud.examine()).isolated


async def test_tags_tell_rows_apart(stage: Scene) -> None:
    plans = [machine_spec() for _ in range(3)]
    for plan in plans:
        await stage.cloud.create(plan)
    found = await stage.cloud.list(INSTALLED)
    assert {one.tags[SANDBOX_TAG] for one in found} == {plan.tags[SANDBOX_TAG] for plan in plans}
    # All of them in one question.
    assert len([words for words in stage.engine.calls("container") if len(words) > 3]) == 1


async def _until(file: Path) -> None:
    async with asyncio.timeout(30):
        while not file.exists():  # noqa: ASYNC110 - a file has no event
            await asyncio.sleep(0.01)
