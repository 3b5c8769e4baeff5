"""Real sandbox backends over one prepared base, and a look at the host from outside."""

import asyncio
import io
import secrets
import sys
import tarfile
from collections.abc import AsyncGenerator, Awaitable, Callable, Generator
from pathlib import Path

import pytest

from tests.contracts.backends import BACKENDS, CLOUDS
from tests.support.clouds.machine_users import IS_ROOT
from tests.support.clouds.vm import limits_memory
from yudai.kit.errors import SandboxError
from yudai.sandboxes.backends.bubblewrap.backend import BubblewrapBackend
from yudai.sandboxes.port import Backend, BaseRef, BaseSpec, Sandbox, SandboxLimits

MIB = 1 << 20
LIMITS = SandboxLimits(memory_bytes=256 * MIB, processes=64, disk_bytes=64 * MIB)
ARCHIVED_AT = 1_000_000_000

FILES: dict[str, bytes] = {
    ".gitignore": b"*.log\nbuild/\n!kept.log\n",
    "README.md": b"# Sample\n\nText.\n",
    "crlf.txt": b"one\r\ntwo\r\n",
    "data.bin": bytes(range(256)),
    "latin.txt": "Grüße\n".encode("latin-1"),
    "src/.gitignore": b"generated/\n!build/\n",
    "src/app.py": b"def answer():\n    return 41\n",
    "src/deep/one.py": b"ONE = 1\n",
    "src/deep/two.py": b"TWO = 2\n",
    "tool.sh": b"#!/bin/sh\necho tool\n",
    "with space.txt": b"space\n",
    "build/tracked.txt": b"tracked although ignored\n",
}
EXECUTABLE = {"tool.sh"}
LINKS = {"link": "README.md"}


def make_archive(
    path: Path, files: dict[str, bytes] = FILES, links: dict[str, str] | None = None
) -> Path:
    with tarfile.open(path, "w") as archive:
        for name, content in files.items():
            member = tarfile.TarInfo(name)
            member.size, member.mtime = len(content), ARCHIVED_AT
            member.mode = 0o755 if name in EXECUTABLE else 0o644
            archive.addfile(member, io.BytesIO(content))
        for name, target in (links or {}).items():
            member = tarfile.TarInfo(name)
            member.type, member.linkname, member.mtime = tarfile.SYMTYPE, target, ARCHIVED_AT
            archive.addfile(member)
    return path


@pytest.fixture(scope="session", autouse=True)
def clouds() -> Generator[None]:
    """The fakes end with the session."""
    yield
    CLOUDS.close()


@pytest.fixture(scope="session")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, BaseSpec]:
    """A home in which each backend has the same base; whoever needs it first prepares it."""
    home = tmp_path_factory.mktemp("sandboxes")
    source = make_archive(home / "source.tar", links=LINKS)
    return home, BaseSpec(key="sample", source=source, env=Path(sys.prefix))


@pytest.fixture(params=BACKENDS)
async def backend(
    request: pytest.FixtureRequest, prepared: tuple[Path, BaseSpec]
) -> AsyncGenerator[Backend]:
    home, spec = prepared
    backend = BACKENDS[request.param](home, limits=LIMITS)
    await backend.prepare(spec)
    yield backend
    await backend.close()


@pytest.fixture
def base() -> BaseRef:
    return BaseRef(key="sample")


@pytest.fixture
async def sandbox(backend: Backend, base: BaseRef) -> Sandbox:
    return await spawn_one(backend, base)


@pytest.fixture
async def walled_backend(prepared: tuple[Path, BaseSpec]) -> AsyncGenerator[BubblewrapBackend]:
    """Only bubblewrap: for commands that would hit the host without walls."""
    home, spec = prepared
    backend = BubblewrapBackend(home, limits=LIMITS)
    await backend.prepare(spec)
    yield backend
    await backend.close()


@pytest.fixture
async def walled(walled_backend: BubblewrapBackend, base: BaseRef) -> Sandbox:
    return await spawn_one(walled_backend, base)


async def spawn_one(backend: Backend, base: BaseRef) -> Sandbox:
    [sandbox] = await backend.spawn(base, 1, owner="test")
    assert not isinstance(sandbox, SandboxError), sandbox
    return sandbox


Promises = Callable[[str], Awaitable[bool]]


@pytest.fixture
async def promises(backend: Backend) -> Promises:
    """Whether the backend says that it keeps a promise; one that it does not name is a mistake."""
    capabilities = await backend.capabilities()
    said, backend_name = {g.name: g for g in capabilities.guarantees}, capabilities.backend

    async def check(name: str) -> bool:
        assert said[name].how
        if backend_name in ("e2b", "prime") and name in _not_faked():
            pytest.skip(f"this host gives a fake machine no limit: {_not_faked()[name]}")
        return said[name].holds

    return check


def _not_faked() -> dict[str, str]:
    """A fake has no more walls than the host can give it: which are missing, and why."""
    missing: dict[str, str] = {}
    if not limits_memory():
        missing["memory"] = "no writable cgroup for memory"
    if not IS_ROOT:
        missing["process count"] = "an ordinary user's machines have no other user to count for"
    return missing


def unique_sleep() -> str:
    """Seconds that no other process sleeps: found again in the host's process list."""
    return f"{1000 + secrets.randbelow(1000)}.{secrets.randbelow(10**9):09d}"


def alive(token: str) -> list[int]:
    """Processes of the host that have this word in their command line."""
    found: list[int] = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            state = (folder / "stat").read_text().rpartition(")")[2].split()[0]
            line = (folder / "cmdline").read_bytes()
        except OSError:
            continue
        if token.encode() in line and state not in "ZX":
            found.append(int(folder.name))
    return found


async def until(condition: Callable[[], object], *, seconds: float = 20.0) -> None:
    """For what has no event of its own to wait for."""
    async with asyncio.timeout(seconds):
        while not condition():  # noqa: ASYNC110 - the host's process list has no event
            await asyncio.sleep(0.01)
