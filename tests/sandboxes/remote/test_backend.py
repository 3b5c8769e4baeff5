"""Bases and sandboxes of a remote backend at each provider's fake, when something is gone."""

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.contracts.conftest import make_archive
from tests.support.clouds import e2b_scene, prime_scene
from tests.support.clouds.faults import Faults
from tests.support.clouds.machine_users import IS_ROOT
from tests.support.clouds.prime_server import prime_server
from tests.support.registers import MemoryRegister
from yudai.kit.errors import SandboxError
from yudai.sandboxes.backends.remote import base_build
from yudai.sandboxes.backends.remote.backend import RemoteBackend, Terms
from yudai.sandboxes.backends.remote.cloud import BaseGoneError, Cloud
from yudai.sandboxes.backends.remote.rate_limit import MachineRateLimit
from yudai.sandboxes.port import BaseSpec

# The remote backend is the same; what its provider answers stands in its own tests.
pytestmark = pytest.mark.real_on("prime")


class There(NamedTuple):
    cloud: Cloud
    faults: Faults
    lose_bases: Callable[[], None]

    def backend(self) -> RemoteBackend:
        terms = Terms(one_user=not IS_ROOT)
        return RemoteBackend(self.cloud, MemoryRegister(), MachineRateLimit(at_once=4), terms)


@asynccontextmanager
async def _e2b(folder: Path) -> AsyncGenerator[There]:
    async with e2b_scene.scene(folder / "e2b") as here:
        yield There(here.cloud, here.e2b.faults, here.e2b.snapshots.clear)


@asynccontextmanager
async def _prime(folder: Path) -> AsyncGenerator[There]:
    with prime_server(folder / "prime") as prime:
        cloud = prime_scene.cloud_at(prime, folder / "home")
        yield There(cloud, prime.faults, prime.checkpoints.clear)


CLOUDS = {"e2b": _e2b, "prime": _prime}


@pytest.fixture(params=CLOUDS)
async def there(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncGenerator[There]:
    async with CLOUDS[request.param](tmp_path) as there:
        yield there


@pytest.fixture
async def backend(there: There) -> AsyncGenerator[RemoteBackend]:
    backend = there.backend()
    yield backend
    await backend.close()


async def test_a_base_that_its_provider_lost_is_built_again_by_who_tries_again(
    there: There, backend: RemoteBackend, tmp_path: Path
) -> None:
    spec = BaseSpec(key="k", source=make_archive(tmp_path / "source.tar", {"README.md": b"x\n"}))
    base = await backend.prepare(spec)
    there.lose_bases()

    [failed] = await backend.spawn(base, 1, owner="run")
    base = await backend.prepare(spec)
    [sandbox] = await backend.spawn(base, 1, owner="run")

    assert isinstance(failed, BaseGoneError)
    assert not isinstance(sandbox, SandboxError)
    assert (await sandbox.exec("cat README.md")).text == "x\n"


async def test_a_source_comes_in_parts(
    there: There, backend: RemoteBackend, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(base_build, "_PART", 300_000)
    content = bytes(range(256)) * 4000
    source = make_archive(tmp_path / "source.tar", {"big": content, "after": b"it\n"})

    base = await backend.prepare(BaseSpec(key="k", source=source))

    sent = [call for call in there.faults.calls if len(call.body) > 290_000]
    assert len(sent) >= 3
    assert max(len(call.body) for call in sent) < 400_000
    [sandbox] = await backend.spawn(base, 1, owner="run")
    assert not isinstance(sandbox, SandboxError)
    assert await sandbox.read("big") == content
    assert await sandbox.read("after") == b"it\n"
    assert (await sandbox.tree()).changed == ()


async def test_all_sandboxes_are_ended_at_once(
    there: There, backend: RemoteBackend, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    base = await backend.prepare(
        BaseSpec(key="k", source=make_archive(tmp_path / "source.tar", {"a": b"a"}))
    )
    for owner in "abc":
        await backend.spawn(base, 1, owner=owner)
    kill, ending, met = there.cloud.kill, 0, asyncio.Event()

    async def gather(machine_id: str) -> bool:
        nonlocal ending
        ending += 1
        if ending == 3:
            met.set()
        await asyncio.wait_for(met.wait(), 10)
        return await kill(machine_id)

    monkeypatch.setattr(there.cloud, "kill", gather)
    await backend.close()
    assert met.is_set()
    assert await backend.list() == []
