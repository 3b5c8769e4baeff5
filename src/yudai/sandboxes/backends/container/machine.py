"""One container: runs our shell lines as root, copies files, connects to its proxy."""

import shlex
from collections.abc import Mapping, Sequence

from yudai.kit.errors import SandboxError
from yudai.sandboxes.backends.container.engine import Answer, Engine
from yudai.sandboxes.backends.container.sockets import ProxySocket
from yudai.sandboxes.backends.network.start_forwarder import forward_line, proxy_variables
from yudai.sandboxes.backends.remote.cloud import CutError, DeniedError, FullError, GoneError, Said

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
    def __init__(
        self, engine: Engine, machine_id: str, proxy_socket: ProxySocket | None = None
    ) -> None:
        self._engine = engine
        self._id = machine_id
        self._door = proxy_socket

    @property
    def id(self) -> str:
        return self._id

    @property
    def variables(self) -> Mapping[str, str]:
        return proxy_variables() if self._door is not None and self._door.is_way else {}

    async def run(self, line: str, *, timeout_s: float, max_bytes: int = 1 << 20) -> Said:
        return await self.tell(line, b"", timeout_s=timeout_s, max_bytes=max_bytes)

    async def tell(
        self, line: str, text: bytes, *, timeout_s: float, max_bytes: int = 1 << 20
    ) -> Said:
        """Every user of this host can read the engine's arguments, but not its standard input."""
        answer = await self._exec(line, stdin=text, timeout_s=timeout_s, max_bytes=max_bytes)
        if answer.code != 0 and not answer.output:
            return Said(answer.code, answer.error.encode())
        return Said(answer.code, answer.output)

    async def put(self, path: str, content: bytes) -> None:
        line = f"umask 077; exec cat >{shlex.quote(path)}"
        timeout_s = _PUT_S + len(content) / _PUT_BYTES_PER_S
        try:
            answer = await self._exec(line, stdin=content, timeout_s=timeout_s)
        except TimeoutError:
            raise CutError("a file could not be put into the container in time") from None
        if answer.code != 0:
            kind = FullError if _FULL in answer.error.lower() else SandboxError
            raise kind(f"a file cannot be put into the container: {answer.error}")

    async def allow(self, hosts: Sequence[str]) -> None:
        if self._door is not None:
            await self._door.close()
            self._door = None
        if hosts:
            raise SandboxError("a container's network can only be closed")

    async def extend(self, ttl_s: float) -> None:
        """Its lifetime was fixed when it was made."""

    async def connect(self) -> None:
        """Start what carries its connections to the proxy, and wait until it listens."""
        if self._door is None or not self._door.is_way:
            return
        try:
            answer = await self._exec(forward_line(), timeout_s=_CONNECT_S)
        except TimeoutError:
            raise SandboxError(
                "the container has no way to the proxy: it does not answer"
            ) from None
        if answer.code in _LACKING:
            raise DeniedError(f"the sandbox's image needs python3: {answer.error}")
        if answer.code != 0:
            raise SandboxError(f"the container has no way to the proxy: {answer.error}")

    async def _exec(
        self, line: str, *, timeout_s: float, stdin: bytes = b"", max_bytes: int = 1 << 20
    ) -> Answer:
        answer = await self._engine.call(
            *("exec", "--interactive", "--user", "0:0", self._id, "/bin/sh", "-c", line),
            stdin=stdin,
            timeout_s=timeout_s,
            max_bytes=max_bytes,
        )
        said = answer.error.lower()
        if answer.code != 0 and any(words in said for words in _GONE):
            raise GoneError("the container has ended")
        if answer.code == _CUT:
            raise CutError(f"{self._engine.name} exec: {answer.error}")
        return answer
