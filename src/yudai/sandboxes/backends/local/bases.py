"""Prepared bases on disk: built once, reused, rebuilt when what they need is gone.

A base is built where it stays, because the paths in its environment would not survive a move. It
counts once its description is written. It is removed by moving the folder away while no sandbox is
being made. A base that must be rebuilt is moved away too: sandboxes that use it have it mounted.
"""

import asyncio
import secrets
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from pydantic import ValidationError

from yudai.kit.errors import ConflictError, SandboxError
from yudai.kit.locks import locked
from yudai.kit.value import Value
from yudai.sandboxes.backends.local.base_build import (
    LOG,
    MADE,
    RECORD,
    TREE,
    OpenBuildSandbox,
    build,
)
from yudai.sandboxes.backends.local.home import (
    ABOUT,
    USED,
    SandboxRecord,
    is_safe,
    safe_name,
    touch,
)
from yudai.sandboxes.backends.local.processes import hold
from yudai.sandboxes.backends.toolchain.toolchain import Chosen
from yudai.sandboxes.backends.trees import Stuck, remove_tree, try_to_remove
from yudai.sandboxes.backends.workspace import manifest
from yudai.sandboxes.backends.workspace.disk_usage import usage
from yudai.sandboxes.backends.workspace.manifest import Manifest
from yudai.sandboxes.port import BaseSpec, BaseView, Leftover

_LOCK = ".lock-"
_GONE = ".gone-"
_STANDING = "standing"
"""Of a base that was moved away: the sandboxes that used it then."""
_TOKEN_BYTES = 8
_PATIENCE_S = 2.0
"""Readers hold a base's lock briefly, builders for long."""
_MOMENT_S = 0.5
"""What a builder was starting when it was killed holds its lock until it is started."""

Records = Callable[[], Sequence[SandboxRecord]]


class Base(Value):
    """The record of a base beside its tree."""

    env: Path | None
    chosen: Chosen = Chosen()
    made_at: float = 0.0
    size_bytes: int | None = None
    """Its size on disk, which does not change; None: built by an old version."""


class Builder(NamedTuple):
    """How a backend builds bases, and as which user."""

    uid: int
    choose: Callable[[], Chosen]
    """Finds the host's programs for a new base; RefusedError when one is missing."""
    open_build_sandbox: Callable[[Chosen], OpenBuildSandbox]


def in_use(key: str, users: int) -> str:
    sandboxes = "1 sandbox stands" if users == 1 else f"{users} sandboxes stand"
    return f"{sandboxes} on base {key}: remove it when they have ended"


class Bases:
    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._manifests: dict[str, tuple[float, Manifest]] = {}

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

    async def manifest(self, key: str) -> Manifest:
        """Kept in memory until the base is rebuilt."""
        made_at = self.load(key).made_at
        kept, base = self._manifests.get(key), self.folder(key)
        if kept is None or kept[0] != made_at:
            try:
                kept = (
                    made_at,
                    await asyncio.to_thread(manifest.read, base / RECORD, base / TREE),
                )
            except FileNotFoundError:
                # Removed this very moment.
                raise SandboxError(f"base {key} is not prepared") from None
            self._manifests[key] = kept
        return kept[1]

    async def prepare(self, spec: BaseSpec, builder: Builder, records: Records) -> bool:
        """Build the base unless it is there; other callers wait.

        Returns whether it had to be built.
        """
        folder = self.folder(spec.key)
        async with hold(self._lock(spec.key)):
            known = self._known(spec.key)
            if known is not None and self._is_good(known, spec.key, uid=builder.uid):
                _remember(folder, known.model_copy(update={"env": spec.env}))
                return False
            chosen = await asyncio.to_thread(builder.choose)
            await asyncio.to_thread(self._make_way, spec.key, records)
            try:
                await build(spec, folder, builder.open_build_sandbox(chosen))
                size = await asyncio.to_thread(usage, folder)
                made = Base(env=spec.env, chosen=chosen, made_at=time.time(), size_bytes=size)
                _remember(folder, made)
            except BaseException:
                await asyncio.to_thread(_clear, folder)
                raise
        return True

    async def reap(
        self, backend: str, records: Records, *, dry_run: bool = False
    ) -> list[Leftover]:
        """Remove abandoned builds and removals that no sandbox uses."""
        found: list[Leftover] = []
        for half in list(self._halves()):
            with suppress(TimeoutError):
                async with hold(self._lock(half.key), patience_s=_MOMENT_S):
                    if await asyncio.to_thread(self._is_left, half, records):
                        leftover = Leftover(backend=backend, id=half.key, why=half.why)
                        stuck = None if dry_run else await asyncio.to_thread(_clear, half.folder)
                        found.append(leftover if stuck is None else leftover.refused(stuck.words))
        return found

    async def facts(self, backend: str, records: Records) -> list[BaseView]:
        """All bases, and how many sandboxes use each."""
        return await asyncio.to_thread(lambda: list(self._facts(backend, records)))

    async def remove(self, key: str, records: Records) -> bool:
        """Remove an unused base; False when there is none."""
        if not is_safe(key) or self._known(key) is None:
            return False
        try:
            async with hold(self._lock(key), patience_s=_PATIENCE_S):
                away = await asyncio.to_thread(self._move_away, key, records)
                if away is not None:
                    await asyncio.to_thread(remove_tree, away)
        except TimeoutError:
            raise ConflictError(f"base {key} is being prepared: try again later") from None
        except OSError as error:
            raise SandboxError(Stuck(self.folder(key), error).words) from error
        self._manifests.pop(key, None)
        return away is not None

    def _is_left(self, half: "_UnfinishedBase", records: Records) -> bool:
        """Its builder may have finished a moment ago."""
        is_built = half.is_in_place and self._known(half.key) is not None
        return not is_built and not half.users(records)

    def _move_away(self, key: str, records: Records) -> Path | None:
        """Remove a base while no sandbox is being made: each gets a whole base, or an error."""
        with locked(self._folder):
            users = sum(record.base == key for record in records())
            if users:
                raise ConflictError(in_use(key, users))
            if self._known(key) is None:
                return None
            return self.folder(key).rename(self._away(key))

    def _make_way(self, key: str, records: Records) -> None:
        """Rename the folder. Sandboxes that use it keep it, and a sweep removes it later."""
        folder = self.folder(key)
        with locked(self._folder):
            if not folder.exists():
                return
            standing = [record.id for record in records() if record.base == key]
            (folder / _STANDING).write_text("\n".join(standing))
            away = folder.rename(self._away(key))
        if not standing:
            try_to_remove(away)

    def _away(self, key: str) -> Path:
        return self._folder / f"{_GONE}{secrets.token_hex(_TOKEN_BYTES)}-{key}"

    def _facts(self, backend: str, records: Records) -> Iterator[BaseView]:
        users = Counter(record.base for record in records())
        for folder in sorted(self._folders()):
            base = self._known(folder.name)
            if base is not None:
                yield BaseView(
                    backend=backend,
                    key=folder.name,
                    size_bytes=base.size_bytes,
                    made_at=base.made_at,
                    used_at=_used_at(folder, base),
                    users=users[folder.name],
                )

    def _halves(self) -> Iterator["_UnfinishedBase"]:
        for folder in self._folders():
            if self._known(folder.name) is None:
                yield _UnfinishedBase(folder, folder.name, "a base whose build was abandoned")
        for folder in self._folder.glob(f"{_GONE}*"):
            key = folder.name.removeprefix(_GONE)[2 * _TOKEN_BYTES + 1 :]
            if is_safe(key):
                yield _UnfinishedBase(folder, key, "a base whose removal was abandoned")

    def _folders(self) -> Iterator[Path]:
        return (folder for folder in self._folder.glob("[!.]*") if is_safe(folder.name))

    def _known(self, key: str) -> Base | None:
        try:
            return Base.model_validate_json((self.folder(key) / ABOUT).read_bytes())
        except (FileNotFoundError, NotADirectoryError, ValidationError):
            return None

    def _is_good(self, base: Base, key: str, *, uid: int) -> bool:
        """Whether it is that user's, and the programs in its environment are still there."""
        return (self.folder(key) / TREE).stat().st_uid == uid and base.chosen.are_there

    def _lock(self, key: str) -> Path:
        return self._folder / f"{_LOCK}{safe_name(key)}"


class _UnfinishedBase(NamedTuple):
    """A folder that is no base."""

    folder: Path
    key: str
    why: str

    @property
    def is_in_place(self) -> bool:
        return self.folder.name == self.key

    def users(self, records: Records) -> int:
        """How many sandboxes still use it."""
        ids = {record.id for record in records() if record.base == self.key}
        return len(ids if self.is_in_place else ids & self._standing())

    def _standing(self) -> set[str]:
        try:
            return set((self.folder / _STANDING).read_text().split())
        except FileNotFoundError:
            return set()


def _clear(folder: Path) -> Stuck | None:
    with suppress(OSError):
        (folder / ABOUT).unlink(missing_ok=True)
    return try_to_remove(folder)


def _remember(folder: Path, base: Base) -> None:
    file, text = folder / ABOUT, base.model_dump_json()
    if not file.exists() or file.read_text() != text:
        draft = folder / f"{ABOUT}.new"
        draft.write_text(text)
        draft.replace(file)
    touch(folder)


def _used_at(folder: Path, base: Base) -> float:
    try:
        return (folder / USED).stat().st_mtime
    except FileNotFoundError:
        return base.made_at
