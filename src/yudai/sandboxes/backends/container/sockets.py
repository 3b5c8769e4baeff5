"""Sockets for containers without a network: of a proxy, or of the name watch."""

import asyncio
import shutil
import time
from collections.abc import Collection
from pathlib import Path

from yudai.kit.errors import SandboxError
from yudai.sandboxes.backends.network.dial import DialSettings
from yudai.sandboxes.backends.network.egress import make_server, once
from yudai.sandboxes.backends.network.name_watch import NameWatch
from yudai.sandboxes.backends.network.proxy import Proxy
from yudai.sandboxes.backends.network.streams import BlockedHosts
from yudai.sandboxes.backends.remote.cloud import DeniedError, MachineSpec
from yudai.sandboxes.port import OnBlocked, Phase

_FORGOTTEN_S = 600.0


class NameTakenError(SandboxError):
    """Another container already has a socket folder of that name."""


class ProxySocket:
    """One container's server, on a socket in a folder that the container sees."""

    def __init__(self, folder: Path, server: Proxy | NameWatch) -> None:
        self.folder = folder
        self.is_way = isinstance(server, Proxy)
        """Otherwise it only reports which names are looked up."""
        self._server = server

    async def close(self) -> None:
        await self._server.close()
        await asyncio.to_thread(shutil.rmtree, self.folder, ignore_errors=True)


class ProxySockets:
    def __init__(self, home: Path, on_blocked: OnBlocked, dialing: DialSettings) -> None:
        self._home = home / "doors"
        self._on_blocked = once(on_blocked)
        self._dialing = dialing
        self._open: dict[str, ProxySocket] = {}

    async def open(self, machine_spec: MachineSpec) -> ProxySocket | None:
        """None: blocked hosts are not reported, and it may reach nothing."""
        folder = self._home / machine_spec.key
        try:
            server = self._server(machine_spec, folder)
        except ValueError as error:
            raise DeniedError(str(error)) from None
        if server is None:
            return None
        try:
            # Closed to other users of the host, but open to the user that is the container's root.
            self._home.mkdir(mode=0o700, parents=True, exist_ok=True)
            folder.mkdir()
            folder.chmod(0o755)
            server.start()
        except FileExistsError:
            raise NameTakenError(
                "there is already a container with that name: it has a socket folder"
            ) from None
        except OSError as error:
            raise SandboxError(f"the proxy's socket cannot be created: {error}") from error
        proxy_socket = self._open[machine_spec.key] = ProxySocket(folder, server)
        return proxy_socket

    def _server(self, machine_spec: MachineSpec, folder: Path) -> Proxy | NameWatch | None:
        # The image's /etc/hosts is unknown here, so the name watch has no entries.
        phase, owner = Phase(machine_spec.phase or Phase.AGENT), machine_spec.tags.get("owner", "")
        blocked = BlockedHosts(phase, owner, self._on_blocked)
        server = make_server(folder, machine_spec.hosts, blocked, dialing=self._dialing)
        return server if machine_spec.phase or isinstance(server, Proxy) else None

    async def close(self, key: str) -> None:
        """Also removes the folder that a dead process left."""
        proxy_socket = self._open.pop(key, None)
        if proxy_socket is not None:
            await proxy_socket.close()
        elif (folder := self._home / key).parent == self._home:
            await asyncio.to_thread(shutil.rmtree, folder, ignore_errors=True)

    async def close_all(self) -> None:
        for key in list(self._open):
            await self.close(key)

    async def sweep(self, used: Collection[str]) -> None:
        """Remove folders whose process died before it created the container."""
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
