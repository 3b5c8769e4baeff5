"""What attacks start from: sandboxes over one prepared base, a forge over git, a database.

Each row of docs/explanation/threat-model.md has an attack that says what it got. With the defence
it got nothing; its twin takes away exactly that defence, and the same attack succeeds.
"""

import asyncio
import tempfile
from collections.abc import AsyncGenerator, Callable, Generator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path

import pytest

from tests.contracts.conftest import LIMITS, make_archive
from tests.support.forge.remote_repository import Scene, set_scene
from tests.support.servers.databases import Kind, database_url, new_database
from tests.support.servers.git_server import serving
from yudai.kit.errors import SandboxError
from yudai.sandboxes.backends.bubblewrap.backend import BubblewrapBackend
from yudai.sandboxes.backends.bubblewrap.mounts import Frame
from yudai.sandboxes.backends.process.backend import ProcessBackend
from yudai.sandboxes.port import BaseRef, BaseSpec, Sandbox
from yudai.store.store import Store

__all__ = ["database_url", "new_database"]

BACKENDS = {"bubblewrap": BubblewrapBackend, "process": ProcessBackend}
Spawn = Callable[..., AbstractAsyncContextManager[Sandbox]]


@pytest.fixture
def database_kind() -> Kind:
    return "sqlite"


@pytest.fixture
async def store(database_url: str) -> AsyncGenerator[Store]:
    async with await Store.open(database_url) as opened:
        yield opened


@pytest.fixture
def scene(tmp_path: Path) -> Generator[Scene]:
    with serving(tmp_path / "server") as server:
        yield set_scene(server, tmp_path / "home")


@pytest.fixture(scope="session")
def sandboxes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home in which both backends have the same base."""
    home = tmp_path_factory.mktemp("threatened")
    spec = BaseSpec(key="sample", source=make_archive(home / "source.tar"))

    async def prepare() -> None:
        for make in BACKENDS.values():
            backend = make(home, limits=LIMITS)
            await backend.prepare(spec)
            await backend.close()

    asyncio.run(prepare())
    return home


@pytest.fixture
def spawn(sandboxes: Path) -> Spawn:
    """A new sandbox; started after a defence was taken away, it is one without it."""

    @asynccontextmanager
    async def one(backend: str = "bubblewrap") -> AsyncGenerator[Sandbox]:
        made = BACKENDS[backend](sandboxes, limits=LIMITS)
        try:
            [sandbox] = await made.spawn(BaseRef(key="sample"), 1, owner="threat")
            assert not isinstance(sandbox, SandboxError), sandbox
            yield sandbox
        finally:
            await made.close()

    return one


@pytest.fixture
def open_folder() -> Generator[Path]:
    """That anybody may enter: whether a sandbox reads it is then a matter of its walls alone.

    Not in the folder of our other temporary files, which only we may enter.
    """
    with tempfile.TemporaryDirectory(dir="/tmp") as name:
        Path(name).chmod(0o755)
        yield Path(name)


Rebuild = Callable[[Callable[[list[str]], list[str]]], None]


@pytest.fixture
def rebuild(monkeypatch: pytest.MonkeyPatch) -> Rebuild:
    """Change the command line by which every further sandbox is started."""
    real = Frame.argv

    def change(how: Callable[[list[str]], list[str]]) -> None:
        def argv(self: Frame, *args: object, **kwargs: object) -> list[str]:
            return how(real(self, *args, **kwargs))  # type: ignore[arg-type]

        monkeypatch.setattr(Frame, "argv", argv)

    return change
