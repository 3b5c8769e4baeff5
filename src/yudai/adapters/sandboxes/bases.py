"""Prepared bases on disk: built once, used again, built anew when what they need is gone.

A base is built where it stays, for the paths in its environment would not survive a move; it counts
once its description is written. It is removed by moving it away whole, while no box is made.
"""

import asyncio
import secrets
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from pydantic import ValidationError

from yudai.adapters.sandboxes import manifest
from yudai.adapters.sandboxes.building import LOG, MADE, TREE, OpenSite, build
from yudai.adapters.sandboxes.disk import usage
from yudai.adapters.sandboxes.home import ABOUT, USED, BoxRecord, is_safe, locked, safe_name, touch
from yudai.adapters.sandboxes.keylocks import hold, hold_now
from yudai.adapters.sandboxes.manifest import Manifest
from yudai.adapters.sandboxes.removal import remove_tree
from yudai.adapters.sandboxes.toolchain import Chosen
from yudai.domain.errors import ConflictError, SandboxError
from yudai.domain.value import Value
from yudai.ports.sandbox import BaseFacts, BaseSpec, Leftover

_LOCK = ".lock-"
_GONE = ".gone-"
_TOKEN_BYTES = 8
_PATIENCE_S = 2.0
"""Whoever only looks at a base holds it for a moment, whoever builds it for long."""

Records = Callable[[], Sequence[BoxRecord]]


class Base(Value):
    """What is remembered of a base beside its tree."""

    env: Path | None
    chosen: Chosen = Chosen()
    made_at: float = 0.0
    size_bytes: int | None = None
    """What it takes on disk, measured once, for it does not change; None: built long ago."""


class Builder(NamedTuple):
    """How a backend builds bases, and for whom."""

    uid: int
    choose: Callable[[], Chosen]
    """Finds the host's programs for a new base; RefusedError when one is missing."""
    open_site: Callable[[Chosen], OpenSite]


def in_use(key: str, users: int) -> str:
    boxes = "1 sandbox stands" if users == 1 else f"{users} sandboxes stand"
    return f"{boxes} on base {key}: remove it after their end"


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
        """Kept in memory, until somebody has built the base anew."""
        made_at = self.load(key).made_at
        kept = self._manifests.get(key)
        if kept is None or kept[0] != made_at:
            try:
                kept = made_at, await asyncio.to_thread(manifest.load, self.folder(key))
            except FileNotFoundError:
                # Removed this very moment.
                raise SandboxError(f"base {key} is not prepared") from None
            self._manifests[key] = kept
        return kept[1]

    async def prepare(self, spec: BaseSpec, builder: Builder) -> bool:
        """Build the base unless it is there; whoever else wants it waits.

        Says whether it had to be built.
        """
        folder = self.folder(spec.key)
        async with hold(self._lock(spec.key)):
            known = self._known(spec.key)
            if known is not None and self._is_good(known, spec.key, uid=builder.uid):
                _remember(folder, known.model_copy(update={"env": spec.env}))
                return False
            chosen = await asyncio.to_thread(builder.choose)
            try:
                await asyncio.to_thread(_clear, folder)
                await build(spec, folder, builder.open_site(chosen))
                size = await asyncio.to_thread(usage, folder)
                made = Base(env=spec.env, chosen=chosen, made_at=time.time(), size_bytes=size)
                _remember(folder, made)
            except BaseException:
                await asyncio.to_thread(_clear, folder)
                raise
        return True

    async def reap(self, backend: str, *, dry_run: bool = False) -> list[Leftover]:
        """Remove what nobody goes on building, or removing."""
        found: list[Leftover] = []
        for folder, key, why in list(self._halves()):
            with hold_now(self._lock(key)) as is_ours:
                # Its builder may have come to the end a moment ago.
                if is_ours and (folder.name != key or self._known(key) is None):
                    found.append(Leftover(backend=backend, id=key, why=why))
                    if not dry_run:
                        await asyncio.to_thread(_clear, folder)
        return found

    async def facts(self, backend: str, records: Records) -> list[BaseFacts]:
        """What is there, and how many boxes stand on each."""
        return await asyncio.to_thread(lambda: list(self._facts(backend, records)))

    async def remove(self, key: str, records: Records) -> bool:
        """Remove one that no box stands on; False when there is none."""
        if not is_safe(key) or self._known(key) is None:
            return False
        try:
            async with hold(self._lock(key), patience_s=_PATIENCE_S):
                away = await asyncio.to_thread(self._move_away, key, records)
                if away is not None:
                    await asyncio.to_thread(remove_tree, away)
        except TimeoutError:
            raise ConflictError(f"base {key} is being prepared: try again later") from None
        self._manifests.pop(key, None)
        return away is not None

    def _move_away(self, key: str, records: Records) -> Path | None:
        """No box is made meanwhile: each stands on the whole base, or hears that there is none."""
        away = self._folder / f"{_GONE}{secrets.token_hex(_TOKEN_BYTES)}-{key}"
        with locked(self._folder):
            users = sum(record.base == key for record in records())
            if users:
                raise ConflictError(in_use(key, users))
            if self._known(key) is None:
                return None
            return self.folder(key).rename(away)

    def _facts(self, backend: str, records: Records) -> Iterator[BaseFacts]:
        users = Counter(record.base for record in records())
        for folder in sorted(self._folders()):
            base = self._known(folder.name)
            if base is not None:
                yield BaseFacts(
                    backend=backend,
                    key=folder.name,
                    size_bytes=base.size_bytes,
                    made_at=base.made_at,
                    used_at=_used_at(folder, base),
                    users=users[folder.name],
                )

    def _halves(self) -> Iterator[tuple[Path, str, str]]:
        """Folders that are no base, the key of each, and what they are."""
        for folder in self._folders():
            if self._known(folder.name) is None:
                yield folder, folder.name, "a base that nobody goes on building"
        for folder in self._folder.glob(f"{_GONE}*"):
            key = folder.name.removeprefix(_GONE)[2 * _TOKEN_BYTES + 1 :]
            if is_safe(key):
                yield folder, key, "a base that nobody goes on removing"

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


def _clear(folder: Path) -> None:
    (folder / ABOUT).unlink(missing_ok=True)
    remove_tree(folder)


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
