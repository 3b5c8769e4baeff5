"""A command of ours in a machine at E2B: what it says, up to a limit, and its sure end."""

import asyncio
import inspect
import math
import secrets
from contextlib import suppress
from typing import Any

from e2b import AsyncCommandHandle, CommandExitException
from e2b.sandbox_async.commands.command import Commands  # pyright: ignore[reportMissingTypeStubs] - it has types, but no stubs

from yudai.kit.errors import SandboxError
from yudai.sandboxes.backends.e2b.errors import talking
from yudai.sandboxes.backends.remote.cloud import Said

_ROOT = "root"
_GRACE_S = 10.0
"""After our own deadline the machine ends a command by itself, should nobody be left to do it."""
_END_S = 15.0
_CAN_FORGET = "retain_output" in inspect.signature(Commands.run).parameters


class Talk:
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

    async def listen(self, timeout_s: float) -> Said:
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
        return Said(exit_code, self._said())

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
        """It may have begun without our having heard its number."""
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
            raise SandboxError(f"a command of ours said more than {self._max_bytes} bytes")

    def _said(self) -> bytes:
        text = "".join(self._heard)
        _, mark, rest = text.partition(f"{self._mark}\n")
        return (rest if mark else text).encode()
