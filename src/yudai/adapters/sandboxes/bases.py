"""Building a base once: unpacked, committed, set up, written down; all of it inside boxes."""

import asyncio
import fcntl
import os
import shlex
from collections.abc import AsyncGenerator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from importlib import resources
from pathlib import Path
from typing import NamedTuple, Protocol

from yudai.adapters.sandboxes.commands import Commands
from yudai.adapters.sandboxes.environment import GIT_ALONE
from yudai.adapters.sandboxes.home import safe_name
from yudai.adapters.sandboxes.removal import remove_tree
from yudai.domain.errors import SandboxError
from yudai.domain.failure import Cause
from yudai.domain.value import Value
from yudai.ports.sandbox import ENV, BaseSpec, ExecResult

TREE = "tree"
RECORD = "record"

_OWN_STEP_S = 900.0
_LAST_LINES = 20
_POLL_S = 0.05
_BUILDING = ".building-"
_SIGNED = GIT_ALONE | {
    f"GIT_{who}_{what}": value
    for who in ("AUTHOR", "COMMITTER")
    for what, value in (
        ("NAME", "Yudai"),
        ("EMAIL", "base@yudai.invalid"),
        ("DATE", "2000-01-01T00:00:00Z"),
    )
}


class Base(Value):
    """What is remembered of a base beside its tree."""

    env: Path | None


class Site(NamedTuple):
    """A box in which a base is built, and how its commands name things."""

    commands: Commands
    source: str
    record: str


class OpenSite(Protocol):
    def __call__(self, base: Path, *, recording: bool) -> AbstractAsyncContextManager[Site]:
        """Open a site over a base's folder; set-up commands get one without its record."""
        ...


def package_script(name: str) -> str:
    return (resources.files("yudai.adapters.sandboxes") / name).read_text()


class Bases:
    def __init__(self, folder: Path, *, setup_timeout_s: float) -> None:
        self._folder = folder
        self._setup_timeout_s = setup_timeout_s

    def folder(self, key: str) -> Path:
        return self._folder / safe_name(key)

    def load(self, key: str) -> Base:
        try:
            return Base.model_validate_json((self.folder(key) / "base.json").read_bytes())
        except FileNotFoundError:
            raise SandboxError(f"base {key} is not prepared") from None

    async def prepare(self, spec: BaseSpec, open_site: OpenSite, *, uid: int) -> bool:
        """Build the base for that user unless it is there; whoever else wants it waits.

        Says whether it had to be built.
        """
        final, building = self.folder(spec.key), self._folder / f"{_BUILDING}{spec.key}"
        async with _locked(self._lock(spec.key)):
            if final.exists() and (final / TREE).stat().st_uid != uid:
                await asyncio.to_thread(remove_tree, final)
            missing = not final.exists()
            if missing:
                try:
                    await asyncio.to_thread(_start_over, building)
                    await self._build(spec, building, open_site)
                    building.rename(final)
                finally:
                    await asyncio.to_thread(remove_tree, building)
            _remember(final, Base(env=spec.env))
        return missing

    async def reap(self) -> int:
        """Remove half-built bases that nobody is building any more."""
        stale = 0
        for building in list(self._folder.glob(f"{_BUILDING}*")):
            path = self._lock(building.name.removeprefix(_BUILDING))
            lock = _try_lock(path)
            if lock is not None:
                await asyncio.to_thread(remove_tree, building)
                _unlock(path, lock)
                stale += 1
        return stale

    def _lock(self, key: str) -> Path:
        return self._folder / f".lock-{safe_name(key)}"

    async def _build(self, spec: BaseSpec, building: Path, open_site: OpenSite) -> None:
        async with open_site(building, recording=True) as site:
            await self._own_step(site, "unpack.sh")
            if spec.env is not None:
                python = shlex.quote(site.commands.locate(f"{ENV}/bin/python"))
                result = await site.commands.exec(f"{python} -c ''", cwd="/")
                _check(result, what="start the environment's Python in a sandbox")
            if not spec.setup:
                await self._own_step(site, "seal.sh")
        if spec.setup:
            async with open_site(building, recording=False) as site:
                for command in spec.setup:
                    result = await site.commands.exec(command, timeout_s=self._setup_timeout_s)
                    _check(result, what=command)
            async with open_site(building, recording=True) as site:
                await self._own_step(site, "seal.sh")

    async def _own_step(self, site: Site, name: str) -> None:
        names = {"SOURCE": site.source, "RECORD": site.record}
        result = await site.commands.exec(
            package_script(name), env=_SIGNED | names, timeout_s=_OWN_STEP_S
        )
        _check(result, what=name)


def _check(result: ExecResult, *, what: str) -> None:
    if result.exit_code != 0:
        last = "\n".join(result.text.splitlines()[-_LAST_LINES:])
        message = f"set-up failed with exit code {result.exit_code}: {what}\n{last}".strip()
        raise SandboxError(message, cause=Cause.SETUP_FAILED)


def _start_over(building: Path) -> None:
    remove_tree(building)
    for name in (TREE, RECORD):
        (building / name).mkdir(mode=0o755, parents=True)


def _remember(folder: Path, base: Base) -> None:
    file, text = folder / "base.json", base.model_dump_json()
    if not file.exists() or file.read_text() != text:
        draft = folder / "base.json.new"
        draft.write_text(text)
        draft.replace(file)


@asynccontextmanager
async def _locked(path: Path) -> AsyncGenerator[None]:
    """Across tasks, loops and processes."""
    while (lock := _try_lock(path)) is None:  # noqa: ASYNC110 - nothing tells when a lock is free
        await asyncio.sleep(_POLL_S)
    try:
        yield
    finally:
        _unlock(path, lock)


def _unlock(path: Path, lock: int) -> None:
    path.unlink(missing_ok=True)
    os.close(lock)


def _try_lock(path: Path) -> int | None:
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    lock = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if path.exists() and path.stat().st_ino == os.fstat(lock).st_ino:
            return lock
    except OSError:
        pass
    os.close(lock)
    return None
