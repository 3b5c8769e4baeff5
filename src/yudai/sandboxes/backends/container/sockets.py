"""What containers without a network see of us: a proxy's socket, or one that hears of names."""

import asyncio
import shutil
import time
from collections.abc import Collection
from pathlib import Path

from yudai.kit.errors import SandboxError
from yudai.sandboxes.backends.network.dial import Ways
from yudai.sandboxes.backends.network.egress import make_server, once
from yudai.sandboxes.backends.network.name_watch import NameWatch
from yudai.sandboxes.backends.network.proxy import Proxy
from yudai.sandboxes.backends.remote.cloud import DeniedError, Order
from yudai.sandboxes.port import OnBlocked, Phase

_FORGOTTEN_S = 600.0


class TakenError(SandboxError):
    """There is one of that name, which is somebody's."""


class Door:
    """For one container, on a socket in a folder that the container sees."""

    def __init__(self, folder: Path, server: Proxy | NameWatch) -> None:
        self.folder = folder
        self.is_way = isinstance(server, Proxy)
        """Else it only hears which names are looked up."""
        self._server = server

    async def close(self) -> None:
        """Idempotent."""
        await self._server.close()
        await asyncio.to_thread(shutil.rmtree, self.folder, ignore_errors=True)


class Doors:
    def __init__(self, home: Path, on_blocked: OnBlocked, ways: Ways) -> None:
        self._home = home / "doors"
        self._on_blocked = once(on_blocked)
        self._ways = ways
        self._open: dict[str, Door] = {}

    async def open(self, order: Order) -> Door | None:
        """None: it is in no phase that anybody wants to hear of, and may reach nothing."""
        folder = self._home / order.key
        try:
            server = self._server(order, folder)
        except ValueError as error:
            raise DeniedError(str(error)) from None
        if server is None:
            return None
        try:
            # Closed to other users of the host; whoever the container's root is may enter.
            self._home.mkdir(mode=0o700, parents=True, exist_ok=True)
            folder.mkdir()
            folder.chmod(0o755)
            server.start()
        except FileExistsError:
            raise TakenError("there is a container of that name: it has a door") from None
        except OSError as error:
            raise SandboxError(f"there is no way to a proxy: {error}") from error
        door = self._open[order.key] = Door(folder, server)
        return door

    def _server(self, order: Order, folder: Path) -> Proxy | NameWatch | None:
        # What its image's files say of names is not known here: a name watch has no entries.
        server = make_server(
            folder,
            order.hosts,
            phase=Phase(order.phase or Phase.AGENT),
            owner=order.tags.get("owner", ""),
            on_blocked=self._on_blocked,
            ways=self._ways,
        )
        return server if order.phase or isinstance(server, Proxy) else None

    async def close(self, key: str) -> None:
        """Also what a dead process of ours has left of one."""
        door = self._open.pop(key, None)
        if door is not None:
            await door.close()
        elif (folder := self._home / key).parent == self._home:
            await asyncio.to_thread(shutil.rmtree, folder, ignore_errors=True)

    async def close_all(self) -> None:
        for key in list(self._open):
            await self.close(key)

    async def sweep(self, used: Collection[str]) -> None:
        """Remove what is left of those whose process died before there was a container."""
        await asyncio.to_thread(self._sweep, {*used, *self._open})

    def _sweep(self, used: Collection[str]) -> None:
        before = time.time() - _FORGOTTEN_S
        for folder in self._home.glob("*"):
            if folder.name not in used and _changed_at(folder) < before:
                shutil.rmtree(folder, ignore_errors=True)


def _changed_at(folder: Path) -> float:
    try:
        return folder.stat().st_mtime
    except OSError:
        return 0.0
