"""Prepared bases on disk: built once, used again, built anew when what they need is gone.

A base is built where it stays, for the paths in its environment would not survive a move; it counts
once its description is written.
"""

import asyncio
import fcntl
import os
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import NamedTuple

from pydantic import ValidationError

from yudai.adapters.sandboxes.building import LOG, MADE, TREE, OpenSite, build
from yudai.adapters.sandboxes.home import BoxRecord, safe_name
from yudai.adapters.sandboxes.removal import remove_tree
from yudai.adapters.sandboxes.toolchain import Chosen
from yudai.domain.errors import SandboxError
from yudai.domain.value import Value
from yudai.ports.sandbox import BaseFacts, BaseSpec, Leftover

_POLL_S = 0.05
_LOCK = ".lock-"
_ABOUT = "base.json"

Records = Callable[[], Sequence[BoxRecord]]


class Base(Value):
    """What is remembered of a base beside its tree."""

    env: Path | None
    chosen: Chosen = Chosen()


class Builder(NamedTuple):
    """How a backend builds bases, and for whom."""

    uid: int
    choose: Callable[[], Chosen]
    """Finds the host's programs for a new base; RefusedError when one is missing."""
    open_site: Callable[[Chosen], OpenSite]


class Bases:
    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def folder(self, key: str) -> Path:
        return self._folder / safe_name(key)

    def made(self, key: str) -> Path | None:
        """The environment that its set-up has made, if any."""
        made = self.folder(key) / MADE
        return made if made.is_dir() else None

    def setup_log(self, key: str) -> bytes:
        try:
            return (self.folder(key) / LOG).read_bytes()
        except FileNotFoundError:
            return b""

    def load(self, key: str) -> Base:
        base = self._known(key)
        if base is None:
            raise SandboxError(f"base {key} is not prepared")
        return base

    async def prepare(self, spec: BaseSpec, builder: Builder) -> bool:
        """Build the base unless it is there; whoever else wants it waits.

        Says whether it had to be built.
        """
        folder = self.folder(spec.key)
        async with _locked(self._lock(spec.key)):
            known = self._known(spec.key)
            if known is not None and self._is_good(known, spec.key, uid=builder.uid):
                _remember(folder, known.model_copy(update={"env": spec.env}))
                return False
            chosen = await asyncio.to_thread(builder.choose)
            try:
                await asyncio.to_thread(_clear, folder)
                await build(spec, folder, builder.open_site(chosen))
                _remember(folder, Base(env=spec.env, chosen=chosen))
            except BaseException:
                await asyncio.to_thread(_clear, folder)
                raise
        return True

    async def reap(self, backend: str, *, dry_run: bool = False) -> list[Leftover]:
        """Remove half-built bases that nobody is building any more."""
        found: list[Leftover] = []
        for folder in list(self._folder.glob("[!.]*")):
            path = self._lock(folder.name)
            if self._known(folder.name) is None and (lock := _try_lock(path)) is not None:
                if self._known(folder.name) is None:
                    why = "a base that nobody goes on building"
                    found.append(Leftover(backend=backend, id=folder.name, why=why))
                    if not dry_run:
                        await asyncio.to_thread(_clear, folder)
                _unlock(path, lock)
        return found

    async def facts(self, backend: str, records: Records) -> list[BaseFacts]:
        """What is there, and how many boxes stand on each."""
        raise NotImplementedError

    async def remove(self, key: str, records: Records) -> bool:
        """Remove one that no box stands on; False when there is none."""
        raise NotImplementedError

    def _known(self, key: str) -> Base | None:
        try:
            return Base.model_validate_json((self.folder(key) / _ABOUT).read_bytes())
        except (FileNotFoundError, ValidationError):
            return None

    def _is_good(self, base: Base, key: str, *, uid: int) -> bool:
        """Whether it is that user's, and the programs in its environment are still there."""
        return (self.folder(key) / TREE).stat().st_uid == uid and base.chosen.are_there

    def _lock(self, key: str) -> Path:
        return self._folder / f"{_LOCK}{safe_name(key)}"


def _clear(folder: Path) -> None:
    (folder / _ABOUT).unlink(missing_ok=True)
    remove_tree(folder)


def _remember(folder: Path, base: Base) -> None:
    file, text = folder / _ABOUT, base.model_dump_json()
    if not file.exists() or file.read_text() != text:
        draft = folder / f"{_ABOUT}.new"
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
