"""Containers as our adapter meets them in tests: a fake engine in one of two dialects."""

from collections.abc import Mapping
from itertools import count
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

from tests.support.clouds.engine import FakeEngine
from yudai.sandboxes.backends.container.cloud import ContainerCloud
from yudai.sandboxes.backends.remote.cloud import INSTALLATION, SANDBOX_TAG, MachineSpec
from yudai.sandboxes.port import SandboxLimits

INSTALLED = "installation-1"
IMAGE = "localhost/yudai-sandbox:latest"
MIB = 1 << 20
LIMITS = SandboxLimits(
    processors=0.5, memory_bytes=256 * MIB, processes=64, disk_bytes=64 * MIB, lifetime_s=600
)
_numbers = count(1)


class Scene(NamedTuple):
    engine: FakeEngine
    cloud: ContainerCloud
    home: Path

    @property
    def local_sockets(self) -> list[str]:
        return [folder.name for folder in (self.home / "doors").glob("*")]


def scene(folder: Path, dialect: str, **more: Any) -> Scene:
    engine = FakeEngine.install(folder, dialect, IMAGE)
    home = folder / "home"
    given: dict[str, Any] = {"engine": str(engine.program), "image": IMAGE, "home": home, **more}
    return Scene(engine, ContainerCloud(**given), home)


def machine_spec(
    *,
    image: str = "",
    hosts: tuple[str, ...] = (),
    phase: str = "",
    tags: Mapping[str, str] = MappingProxyType({}),
    installation: str = INSTALLED,
) -> MachineSpec:
    number = f"box-{next(_numbers)}"
    return MachineSpec(
        key=f"yudai-{number}",
        image=image,
        tags={INSTALLATION: installation, SANDBOX_TAG: number, **tags},
        limits=LIMITS,
        ttl_s=60,
        hosts=hosts,
        phase=phase,
    )
