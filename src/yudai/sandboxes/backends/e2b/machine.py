"""One machine at E2B."""

import asyncio
import inspect
import math
import secrets
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

from e2b import AsyncCommandHandle, AsyncSandbox, CommandExitException
from e2b.sandbox_async.commands.command import Commands  # pyright: ignore[reportMissingTypeStubs] - it has types, but no stubs

from yudai.kit.errors import SandboxError
from yudai.kit.retry import growing
from yudai.sandboxes.backends.e2b.account import Account, egress
from yudai.sandboxes.backends.e2b.errors import UnreachedError, asking, talking
from yudai.sandboxes.backends.remote.cloud import BusyError, ConnectionCutError, MachineOutput
from yudai.sandboxes.port import SandboxLimits

_ROOT = "root"
_GRACE_S = 10.0
"""After our own deadline the machine ends a command itself, in case this process is dead."""
_END_S = 15.0
_CAN_FORGET = "retain_output" in inspect.signature(Commands.run).parameters


class CommandOutput:
    def __init__(self, commands: Commands, line: str, max_bytes: int) -> None:
        self._commands = commands
        # The SDK takes a login shell, and a profile may have something to say first.
        self._mark = f"--{secrets.token_hex(8)}--"
        self._line = f"echo {self._mark}\n{line}"
        self._left = max_bytes + len(self._mark) + 1
        self._max_bytes = max_bytes
        self._heard: list[str] = []
        self._handle: AsyncCommandHandle | None = None
        self.is_over = False

    async def listen(self, timeout_s: float) -> MachineOutput:
        more: dict[str, Any] = {"retain_output": False} if _CAN_FORGET else {}
        async with talking("running a command"):
            self._handle = await self._commands.run(
                self._line,
                background=True,
                user=_ROOT,
                cwd="/",
                on_stdout=self._hear,
                on_stderr=self._count,
                timeout=math.ceil(timeout_s + _GRACE_S),
                request_timeout=0,
                **more,
            )
            try:
                exit_code = (await self._handle.wait()).exit_code
            except CommandExitException as error:
                exit_code = error.exit_code
        self.is_over = True
        return MachineOutput(exit_code, self._said())

    async def end(self) -> None:
        """Kill it in the machine, as far as the line allows; the SDK alone would let it run."""
        with suppress(Exception):
            async with asyncio.timeout(_END_S):
                for pid in await self._pids():
                    await self._commands.kill(pid, request_timeout=_END_S)
        if self._handle is not None:
            with suppress(Exception):
                await self._handle.disconnect()

    async def _pids(self) -> list[int]:
        """It may have started although its process id did not arrive."""
        if self._handle is not None:
            return [self._handle.pid]
        running = await self._commands.list(request_timeout=_END_S)
        return [one.pid for one in running if self._line in one.args]

    def _hear(self, text: str) -> None:
        self._heard.append(text)
        self._count(text)

    def _count(self, text: str) -> None:
        self._left -= len(text.encode())
        if self._left < 0:
            raise SandboxError(f"Yudai's own command printed more than {self._max_bytes} bytes")

    def _said(self) -> bytes:
        text = "".join(self._heard)
        _, mark, rest = text.partition(f"{self._mark}\n")
        return (rest if mark else text).encode()


_UPLOAD_BYTES_PER_S = 256 << 10
_MIB = 1 << 20


class E2BMachine:
    def __init__(
        self,
        account: Account,
        sandbox: AsyncSandbox,
        tags: Mapping[str, str],
        kin: set[str] | None = None,
    ) -> None:
        self._account = account
        self._sandbox = sandbox
        self.id = sandbox.sandbox_id
        self.variables: Mapping[str, str] = {}
        self.tags = tags
        self.kin = {self.id} if kin is None else kin
        """The known machines with these tags: this one, and its forks."""

    async def run(self, line: str, *, timeout_s: float, max_bytes: int = 1 << 20) -> MachineOutput:
        """A cancelled command is ended in the background, as a bad connection may delay that."""
        talk = CommandOutput(self._sandbox.commands, line, max_bytes)
        try:
            async with asyncio.timeout(timeout_s):
                return await talk.listen(timeout_s)
        finally:
            if not talk.is_over:
                self._account.chores.begin(talk.end())

    async def put(self, path: str, content: bytes) -> None:
        limit_s = self._account.timings.call_s + len(content) / _UPLOAD_BYTES_PER_S
        try:
            # The SDK's limit is for each part of it.
            async with talking("writing a file"), asyncio.timeout(limit_s):
                await self._sandbox.files.write(  # pyright: ignore[reportUnknownMemberType] - half typed
                    path, content, user="root", request_timeout=limit_s, use_octet_stream=True
                )
        except TimeoutError:
            raise ConnectionCutError("a file could not be written in time") from None

    async def allow(self, hosts: Sequence[str]) -> None:
        rules = {**egress(hosts), "allow_internet_access": bool(hosts)}
        limit_s = self._account.timings.call_s
        async with asking("setting a sandbox's network rules", limit_s):
            await self._sandbox.update_network(rules, request_timeout=limit_s)  # pyright: ignore[reportArgumentType] - a TypedDict

    async def extend(self, ttl_s: float) -> None:
        limit_s = self._account.timings.call_s
        async with asking("keeping a sandbox alive", limit_s):
            await self._sandbox.set_timeout(math.ceil(ttl_s), request_timeout=limit_s)

    async def size(self, asked: SandboxLimits) -> SandboxLimits:
        limit_s = self._account.timings.call_s
        async with asking("reading a sandbox's size", limit_s):
            info = await self._sandbox.get_info(request_timeout=limit_s)
        has = {"processors": info.cpu_count, "memory_bytes": info.memory_mb * _MIB}
        return asked.model_copy(update=has)

    async def until_it_answers(self) -> None:
        """Retry for a while, because a new machine may not be reachable yet."""
        limit_s = self._account.timings.ready_s
        try:
            async with asyncio.timeout(limit_s):
                for pause_s in growing(0.1, longest_s=2.0):
                    if await self._answers():
                        return
                    await asyncio.sleep(pause_s)
        except TimeoutError:
            raise SandboxError(
                f"a sandbox was created but did not answer within {limit_s:g} s"
            ) from None

    async def _answers(self) -> bool:
        limit_s = self._account.timings.call_s
        try:
            async with talking("checking that a sandbox is running"):
                return await self._sandbox.is_running(request_timeout=limit_s)
        except (BusyError, ConnectionCutError, UnreachedError):
            return False
