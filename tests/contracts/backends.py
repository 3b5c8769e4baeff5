"""Every sandbox backend, made in the same way: local ones, and the others' real SDKs over fakes."""

import shutil
import sys
import tempfile
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from tests.support.clouds import e2b_scene, prime_scene, real_engine
from tests.support.clouds.e2b_server import FakeE2B
from tests.support.clouds.fake_prime_sandboxes import FakePrime
from tests.support.clouds.machine_users import IS_ROOT
from tests.support.clouds.prime_server import prime_server
from tests.support.registers import MemoryRegister, Scene
from yudai.sandboxes.backends.bubblewrap.backend import BubblewrapBackend
from yudai.sandboxes.backends.container.cloud import NAME as CONTAINER
from yudai.sandboxes.backends.container.cloud import ContainerCloud
from yudai.sandboxes.backends.process.backend import ProcessBackend
from yudai.sandboxes.backends.remote.backend import RemoteBackend, Terms
from yudai.sandboxes.backends.remote.cloud import Cloud
from yudai.sandboxes.backends.remote.rate_limit import MachineRateLimit
from yudai.sandboxes.backends.toolchain.package_settings import NO_PACKAGES
from yudai.sandboxes.port import (
    NO_NETWORK,
    Backend,
    NetworkPolicy,
    OnBlocked,
    SandboxLimits,
    ignore_blocked,
)
from yudai.settings import Settings

Make = Callable[..., Backend]
_AT_ONCE = 64


class Clouds:
    """The fakes of this process, each started when it is first needed."""

    def __init__(self) -> None:
        self._open = ExitStack()
        self._e2b: FakeE2B | None = None
        self._prime: FakePrime | None = None
        self._scenes: dict[tuple[str, Path, str], Scene] = {}

    @property
    def e2b(self) -> FakeE2B:
        if self._e2b is None:
            fake = FakeE2B(self._folder(), env=Path(sys.prefix))
            fake.memory_bytes = 1 << 30
            self._e2b = self._open.enter_context(fake)
        return self._e2b

    @property
    def prime(self) -> FakePrime:
        if self._prime is None:
            fake = prime_server(self._folder(), env=Path(sys.prefix))
            self._prime = self._open.enter_context(fake)
            self._prime.limits_memory = True
        return self._prime

    def register(self, cloud: str, home: Path, installation: str) -> MemoryRegister:
        """Backends of one home are processes that share a database."""
        return MemoryRegister(self._scenes.setdefault((cloud, home, installation), Scene()))

    def scene(self, cloud: str, home: Path, installation: str) -> Scene:
        return self._scenes[cloud, home, installation]

    def close(self) -> None:
        self._open.close()
        self._e2b = self._prime = None
        for (cloud, *_), scene in self._scenes.items():
            if cloud == CONTAINER:
                real_engine.clear(scene.name)

    def _folder(self) -> Path:
        folder = Path(tempfile.mkdtemp(prefix="clouds-"))
        self._open.callback(shutil.rmtree, folder, ignore_errors=True)
        return folder


CLOUDS = Clouds()


def _remote(make_cloud: Callable[[Path, OnBlocked], Cloud]) -> Make:
    def make(
        home: Path,
        *,
        limits: SandboxLimits,
        installation: str = "local",
        network: NetworkPolicy = NO_NETWORK,
        on_blocked: OnBlocked = ignore_blocked,
        packages: Any = NO_PACKAGES,
        path: object = (),
    ) -> Backend:
        cloud = make_cloud(home, on_blocked)
        register = CLOUDS.register(cloud.name, home, installation)
        terms = Terms(
            limits=limits,
            network=network,
            packages=packages,
            one_user=not IS_ROOT,
        )
        return RemoteBackend(cloud, register, MachineRateLimit(at_once=_AT_ONCE), terms)

    return make


def _container(home: Path, on_blocked: OnBlocked) -> Cloud:
    settings = Settings()
    return ContainerCloud(
        engine=settings.container_engine,
        image=settings.container_image,
        home=home / "containers",
        on_blocked=on_blocked,
    )


REMOTE: dict[str, Make] = {
    "e2b": _remote(lambda _home, _blocked: e2b_scene.cloud_at(CLOUDS.e2b)),
    "prime": _remote(lambda home, _blocked: prime_scene.cloud_at(CLOUDS.prime, home / "prime")),
    **({CONTAINER: _remote(_container)} if real_engine.is_there() else {}),
}
LOCAL: dict[str, Make] = {"bubblewrap": BubblewrapBackend, "process": ProcessBackend}
BACKENDS: dict[str, Make] = {**LOCAL, **REMOTE}
