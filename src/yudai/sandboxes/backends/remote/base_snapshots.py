"""Prepared bases that a provider keeps for us: built once over all processes, then found."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Sequence
from typing import NamedTuple

import structlog

from yudai.kit.errors import ConflictError, SandboxError
from yudai.sandboxes.backends.local.bases import in_use
from yudai.sandboxes.backends.local.home import safe_name
from yudai.sandboxes.backends.remote.cloud import Cloud, Local
from yudai.sandboxes.port import BaseView
from yudai.sandboxes.register import BaseEntry, Register

log: structlog.stdlib.BoundLogger = structlog.get_logger()

_TRUST_S = 300.0
"""Seconds for which a snapshot is assumed to exist."""


_DROPPED = "-"
"""Prefix of a snapshot's name that is about to be removed: it must not be used any more."""


class Made(NamedTuple):
    image: str
    setup_log: bytes
    size_bytes: int | None = None


class BaseSnapshots:
    def __init__(self, cloud: Cloud, register: Register, *, edition: str) -> None:
        """`edition` changes with the warden; bases of another edition are not used."""
        self._cloud = cloud
        self._register = register
        self._edition = edition
        self._seen: dict[str, float] = {}

    async def name(self, key: str) -> str:
        return safe_name(key) + await self._suffix()

    async def prepare(self, key: str, build: Callable[[], Awaitable[Made]]) -> None:
        """Build the base unless it is there; other callers wait."""
        name = await self.name(key)
        while not await self._is_there(name):
            async with self._register.building(self._cloud.name, name) as turn:
                await self._finish_removal(name)
                if await self._is_there(name):
                    return
                if await self._keep(name, await build(), turn):
                    self._seen[name] = time.monotonic()
                    return

    async def find(self, key: str) -> BaseEntry:
        entry = await self._register.find_base(self._cloud.name, await self.name(key))
        if entry is None or entry.external.startswith(_DROPPED):
            raise SandboxError(f"base {key} is not prepared")
        return entry

    def doubt(self, entry: BaseEntry) -> None:
        """Its snapshot was not found: the next caller checks it before use."""
        self._seen.pop(entry.key, None)

    async def setup_log(self, key: str) -> bytes:
        entry = await self._register.find_base(self._cloud.name, await self.name(key))
        return b"" if entry is None else entry.setup_log

    async def facts(self) -> Sequence[BaseView]:
        """Bases of this host or account."""
        entries = await self._register.bases(self._cloud.name)
        if not entries:
            return []
        suffix, host = await self._suffix(), await self._host()
        return [
            BaseView(
                backend=entry.backend,
                key=entry.key.removesuffix(suffix),
                size_bytes=entry.size_bytes,
                made_at=entry.made_at,
                # After a refused removal it is due at once, regardless of its age.
                used_at=0.0 if entry.external.startswith(_DROPPED) else entry.used_at,
                users=entry.users,
            )
            for entry in entries
            if entry.key.endswith(host)
        ]

    async def remove(self, key: str) -> bool:
        """Remove a base of this host or account, by its full name or its key."""
        if not await self._register.bases(self._cloud.name):
            # An engine that does not work need not be asked then.
            return False
        suffix, host = await self._suffix(), await self._host()
        for name in (key, key + suffix):
            is_here = name.endswith(host)
            if is_here and await self._register.find_base(self._cloud.name, name) is not None:
                return await self._remove(name, name.removesuffix(suffix))
        return False

    async def _suffix(self) -> str:
        return f".{self._edition}{await self._host()}"

    async def _host(self) -> str:
        """Suffix of the names of all bases of this host or account."""
        return f"@{await self._cloud.host()}" if isinstance(self._cloud, Local) else ""

    async def _remove(self, name: str, key: str) -> bool:
        """Mark it first, so that no new sandbox uses it while its users are counted."""
        async with self._register.building(self._cloud.name, name):
            entry = await self._register.find_base(self._cloud.name, name)
            if entry is None:
                return False
            self._seen.pop(name, None)
            image = entry.external.removeprefix(_DROPPED)
            await self._register.rename_base(self._cloud.name, name, f"{_DROPPED}{image}")
            if users := await self._finish_removal(name):
                raise ConflictError(in_use(key, users))
            return True

    async def _finish_removal(self, name: str) -> int:
        """Remove a marked base, or unmark it when a sandbox uses it.

        The row is deleted last, because a snapshot without a row would cost money forever.
        """
        entry = await self._register.find_base(self._cloud.name, name)
        if entry is None or not entry.external.startswith(_DROPPED):
            return 0
        image = entry.external.removeprefix(_DROPPED)
        rows = await self._register.sandboxes(self._cloud.name)
        if users := sum(row.base == name for row in rows):
            await self._register.rename_base(self._cloud.name, name, image)
            return users
        await self._cloud.remove_snapshot(image)
        await self._register.forget_base(self._cloud.name, name, entry.external)
        return 0

    async def drop(self, image: str) -> None:
        """Remove an unrecorded snapshot, even if the caller is cancelled."""
        await asyncio.shield(self._remove_unknown(image))

    async def _remove_unknown(self, image: str) -> None:
        try:
            await self._cloud.remove_snapshot(image)
        except Exception as error:  # noqa: BLE001 - logged, because nothing else finds it
            log.warning(
                "base.left_behind", backend=self._cloud.name, image=image, error=repr(error)
            )

    async def _keep(self, name: str, made: Made, turn: str) -> bool:
        """False: we counted as dead, and another process builds it or has built it."""
        entry = BaseEntry(
            backend=self._cloud.name,
            key=name,
            external=made.image,
            setup_log=made.setup_log,
            size_bytes=made.size_bytes,
        )
        try:
            if await self._register.keep_base(entry, turn=turn):
                return True
            there = await self._register.find_base(self._cloud.name, name)
        except BaseException:
            # A snapshot without a row would cost money unnoticed.
            await self.drop(made.image)
            raise
        log.warning("base.built_twice", backend=self._cloud.name, key=name)
        if there is None or there.external.removeprefix(_DROPPED) != made.image:
            await self.drop(made.image)
        return False

    async def _is_there(self, name: str) -> bool:
        entry = await self._register.find_base(self._cloud.name, name)
        if entry is None or entry.external.startswith(_DROPPED):
            return False
        if time.monotonic() - self._seen.get(name, -_TRUST_S) < _TRUST_S:
            return True
        if await self._cloud.has_snapshot(entry.external):
            self._seen[name] = time.monotonic()
            # About to be used: it is not the one to go when room is made.
            await self._register.use_base(self._cloud.name, name)
            return True
        log.warning("base.gone", backend=self._cloud.name, key=name)
        # Another one may have been built meanwhile: no build lease is held here.
        await self._register.forget_base(self._cloud.name, name, entry.external)
        return False
