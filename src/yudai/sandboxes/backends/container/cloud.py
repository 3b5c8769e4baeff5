"""Containers by podman or docker: only the kernel is the host's, no network, few rights."""

import asyncio
import shlex
from collections.abc import Coroutine, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeVar

from yudai.kit.concurrency import BackgroundTasks
from yudai.kit.errors import SandboxError
from yudai.sandboxes.backends.container.engine import Answer, Engine
from yudai.sandboxes.backends.container.flags import LABEL, Setting, commit_words, run_words
from yudai.sandboxes.backends.container.host import (
    HostSetup,
    find_host_setup,
    found_of,
    host_of,
    kept,
    name_of,
)
from yudai.sandboxes.backends.container.sockets import NameTakenError, ProxySocket, ProxySockets
from yudai.sandboxes.backends.network.dial import DialSettings
from yudai.sandboxes.backends.network.egress import forward_line, proxy_variables
from yudai.sandboxes.backends.remote.cloud import (
    INSTALLATION,
    BaseGoneError,
    ConnectionCutError,
    DeniedError,
    Found,
    FullError,
    GoneError,
    Machine,
    MachineOutput,
    MachineSpec,
)
from yudai.sandboxes.domain.guarantees import guarantees
from yudai.sandboxes.port import Capabilities, OnBlocked, ignore_blocked

T = TypeVar("T")

NAME = "container"
_BASES = "localhost/yudai-base"
_START_S = 300.0
_COMMIT_S = 1800.0
_END_S = 120.0
_PATIENCE_S = 30.0
_NO_IMAGE = ("no such image", "image not known", "unable to find image")
_TAKEN = "already in use"
_REMEDY = "build it with `{engine} build -t {image} deploy/sandbox`, or set CONTAINER_IMAGE"
_GONE = (
    "no such container",
    "no container with",
    "is not running",
    "can only create exec",
    "container state improper",
)
_FULL = "no space left on device"
_CUT = 125
_LACKING = (126, 127)
_PUT_S = 120.0
_PUT_BYTES_PER_S = 1 << 20
_CONNECT_S = 60.0


class ContainerMachine:
    """One container: runs our shell lines as root, copies files, connects to its proxy."""

    def __init__(
        self, engine: Engine, machine_id: str, proxy_socket: ProxySocket | None = None
    ) -> None:
        self._engine = engine
        self.id = machine_id
        self._socket = proxy_socket

    @property
    def variables(self) -> Mapping[str, str]:
        return proxy_variables() if self._socket is not None and self._socket.is_way else {}

    async def run(self, line: str, *, timeout_s: float, max_bytes: int = 1 << 20) -> MachineOutput:
        return await self.tell(line, b"", timeout_s=timeout_s, max_bytes=max_bytes)

    async def tell(
        self, line: str, text: bytes, *, timeout_s: float, max_bytes: int = 1 << 20
    ) -> MachineOutput:
        """Every user of this host can read the engine's arguments, but not its standard input."""
        answer = await self._exec(line, stdin=text, timeout_s=timeout_s, max_bytes=max_bytes)
        if answer.code != 0 and not answer.output:
            return MachineOutput(answer.code, answer.error.encode())
        return MachineOutput(answer.code, answer.output)

    async def put(self, path: str, content: bytes) -> None:
        line = f"umask 077; exec cat >{shlex.quote(path)}"
        timeout_s = _PUT_S + len(content) / _PUT_BYTES_PER_S
        try:
            answer = await self._exec(line, stdin=content, timeout_s=timeout_s)
        except TimeoutError:
            raise ConnectionCutError("writing the file to the container took too long") from None
        if answer.code != 0:
            kind = FullError if _FULL in answer.error.lower() else SandboxError
            raise kind(f"the file cannot be written to the container: {answer.error}")

    async def allow(self, hosts: Sequence[str]) -> None:
        if self._socket is not None:
            await self._socket.close()
            self._socket = None
        if hosts:
            raise SandboxError("a container's network can only be disabled")

    async def extend(self, ttl_s: float) -> None:
        """Its lifetime was fixed at creation."""

    async def connect(self) -> None:
        """Start the forwarder to the proxy, and wait until it listens."""
        if self._socket is None or not self._socket.is_way:
            return
        try:
            answer = await self._exec(forward_line(), timeout_s=_CONNECT_S)
        except TimeoutError:
            raise SandboxError("the container cannot reach the proxy: it does not answer") from None
        if answer.code in _LACKING:
            raise DeniedError(f"the sandbox's image needs python3: {answer.error}")
        if answer.code != 0:
            raise SandboxError(f"the container cannot reach the proxy: {answer.error}")

    async def _exec(
        self, line: str, *, timeout_s: float, stdin: bytes = b"", max_bytes: int = 1 << 20
    ) -> Answer:
        answer = await self._engine.call(
            *("exec", "--interactive", "--user", "0:0", self.id, "/bin/sh", "-c", line),
            stdin=stdin,
            timeout_s=timeout_s,
            max_bytes=max_bytes,
        )
        said = answer.error.lower()
        if answer.code != 0 and any(words in said for words in _GONE):
            raise GoneError("the container has ended")
        if answer.code == _CUT:
            raise ConnectionCutError(f"{self._engine.name} exec: {answer.error}")
        return answer


class ContainerCloud:
    name = NAME
    own_kernels = False

    def __init__(
        self,
        *,
        engine: str | None,
        image: str,
        home: Path,
        on_blocked: OnBlocked = ignore_blocked,
        dialing: DialSettings | None = None,
    ) -> None:
        self._wanted = engine
        self._image = image
        self._home = home
        self._sockets = ProxySockets(home, on_blocked, dialing or DialSettings())
        self._host_setup: HostSetup | None = None
        self._tags: dict[str, dict[str, str]] = {}
        self._background = BackgroundTasks()

    async def host(self) -> str:
        return name_of((await self._found()).engine.facts)

    async def examine(self) -> Capabilities:
        host_setup = await self._found()
        if not await self.has_snapshot(self._image):
            raise self._no_image(host_setup.engine)
        version = (await host_setup.engine.ask("--version")).decode(errors="replace").strip()
        # Docker's own filter is as strict as what we make of podman's.
        is_filtered = host_setup.seccomp is not None or not host_setup.engine.is_podman
        held = guarantees(kept(host_of(host_setup.engine.facts), is_filtered=is_filtered))
        return Capabilities(backend=NAME, guarantees=held, version=version)

    async def create(self, machine_spec: MachineSpec) -> Machine:
        host_setup = await self._found()
        proxy_socket: ProxySocket | None = None
        try:
            proxy_socket = await self._sockets.open(machine_spec)
            setting = Setting(
                image=machine_spec.image or self._image,
                is_built=bool(machine_spec.image),
                is_podman=host_setup.engine.is_podman,
                local_sockets=proxy_socket.folder if proxy_socket and proxy_socket.is_way else None,
                names=proxy_socket.folder if proxy_socket and not proxy_socket.is_way else None,
                hosts=host_setup.hosts,
                seccomp=host_setup.seccomp,
            )
            await self._start(host_setup.engine, machine_spec, run_words(machine_spec, setting))
            machine = ContainerMachine(host_setup.engine, machine_spec.key, proxy_socket)
            await machine.connect()
        except NameTakenError:
            if proxy_socket is not None:
                await self._sockets.close(machine_spec.key)
            raise
        except BaseException:
            await self._background.finish(self._clear(machine_spec.key))
            raise
        self._tags[machine_spec.key] = dict(machine_spec.tags)
        return machine

    async def snapshot(self, machine: Machine, name: str) -> str:
        engine, image = (await self._found()).engine, f"{_BASES}:{name}"
        before = await engine.inspect("image", image)
        words = commit_words(self._tags.get(machine.id, {}), machine.id, image)
        # Left by a process that died before it recorded it; without a name it would stay forever.
        old = [str(one.get("Id")) for one in before]
        try:
            await _to_its_end(engine.ask(*words, timeout_s=_COMMIT_S))
            await _discard(engine, old)
        except BaseException:
            await self._background.finish(_discard(engine, [image, *old]))
            raise
        return image

    async def remove_snapshot(self, image: str) -> bool:
        answer = await (await self._found()).engine.attempt("rmi", image)
        if answer.code != 0 and not answer.is_missing:
            raise SandboxError(f"the base cannot be removed: {answer.error}")
        return answer.code == 0

    async def has_snapshot(self, image: str) -> bool:
        return bool(await (await self._found()).engine.inspect("image", image))

    async def list(self, installation: str) -> Sequence[Found]:
        engine = (await self._found()).engine
        ours = f"label={LABEL}{INSTALLATION}={installation}"
        said = await engine.ask("ps", "--all", "--quiet", "--no-trunc", "--filter", ours)
        found = [found_of(one) for one in await engine.inspect("container", *said.decode().split())]
        await self._sockets.sweep({one.id for one in found})
        return found

    async def kill(self, machine_id: str) -> bool:
        engine = (await self._found()).engine
        await self._sockets.close(machine_id)
        self._tags.pop(machine_id, None)
        there = bool(await engine.inspect("container", machine_id))
        # Volumes without a name are the container's own. Half of one may be there unseen.
        answer = await engine.attempt("rm", "--force", "--volumes", machine_id, timeout_s=_END_S)
        if answer.code != 0 and await engine.inspect("container", machine_id):
            raise SandboxError(f"the container cannot be removed: {answer.error}")
        return there

    async def close(self) -> None:
        await self._background.close()
        await self._sockets.close_all()

    async def _found(self) -> HostSetup:
        if self._host_setup is None:
            self._host_setup = await find_host_setup(self._wanted, self._home)
        return self._host_setup

    async def _start(self, engine: Engine, machine_spec: MachineSpec, words: Sequence[str]) -> None:
        answer = await _to_its_end(engine.attempt(*words, timeout_s=_START_S))
        said = answer.error.lower()
        if answer.code == 0:
            return
        if _TAKEN in said:
            raise NameTakenError(f"there is already a container with that name: {answer.error}")
        if not any(words in said for words in _NO_IMAGE):
            raise SandboxError(f"the container could not be started: {answer.error}")
        if machine_spec.image:
            raise BaseGoneError(f"the prepared base is gone: {answer.error}")
        raise self._no_image(engine)

    async def _clear(self, key: str) -> None:
        """The next sweep removes what cannot be removed now."""
        with suppress(SandboxError):
            await self.kill(key)

    def _no_image(self, engine: Engine) -> SandboxError:
        remedy = _REMEDY.format(engine=engine.name, image=self._image)
        return DeniedError(f"there is no image {self._image}: {remedy}")


async def _discard(engine: Engine, images: Sequence[str]) -> None:
    with suppress(SandboxError):
        for image in images:
            await engine.attempt("rmi", image)


async def _to_its_end(work: Coroutine[Any, Any, T]) -> T:
    """Finish the call: an interrupted engine may leave half a container that no list shows."""
    task = asyncio.create_task(work)
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:
        try:
            await asyncio.wait({task}, timeout=_PATIENCE_S)
        finally:
            task.cancel()
        await asyncio.wait({task})
        raise
