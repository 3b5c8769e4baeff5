"""E2B as our adapter meets it in tests: the real SDK, the fake service, short patience."""

from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from itertools import count
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

from tests.support.clouds.e2b_sandboxes import SandboxHandle
from tests.support.clouds.e2b_server import FakeE2B
from yudai.sandboxes.backends.e2b.account import Timings
from yudai.sandboxes.backends.e2b.cloud import E2BCloud
from yudai.sandboxes.backends.remote.cloud import INSTALLATION, SANDBOX_TAG, Machine, MachineSpec
from yudai.sandboxes.port import SandboxLimits

INSTALLED = "installation-1"
SHORT = Timings(call_s=10, create_s=10, ready_s=10, snapshot_s=20)
HASTY = Timings(call_s=1, create_s=1, ready_s=0.5, snapshot_s=1, look_up_s=1)
_numbers = count(1)


class Scene(NamedTuple):
    e2b: FakeE2B
    cloud: E2BCloud

    def sandbox(self, machine: Machine) -> SandboxHandle:
        return self.e2b.sandboxes[machine.id]


@asynccontextmanager
async def scene(folder: Path, *, timings: Timings = SHORT, **more: Any) -> AsyncGenerator[Scene]:
    with FakeE2B(folder) as e2b:
        cloud = cloud_at(e2b, timings=timings, **more)
        try:
            yield Scene(e2b, cloud)
        finally:
            await cloud.close()


def cloud_at(e2b: FakeE2B, *, timings: Timings = SHORT, **more: Any) -> E2BCloud:
    given = {"api_key": e2b.key, "template": "yudai", **more}
    return E2BCloud(api_url=e2b.url, sandbox_url=e2b.url, timings=timings, **given)


def machine_spec(
    *,
    ttl_s: float = 300,
    image: str = "",
    hosts: tuple[str, ...] = (),
    tags: Mapping[str, str] = MappingProxyType({}),
) -> MachineSpec:
    number = f"box-{next(_numbers)}"
    return MachineSpec(
        key=number,
        image=image,
        tags={INSTALLATION: INSTALLED, SANDBOX_TAG: number, **tags},
        limits=SandboxLimits(),
        ttl_s=ttl_s,
        hosts=hosts,
    )
