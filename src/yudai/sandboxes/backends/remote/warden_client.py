"""Talking to a machine's warden over a line that may break: ask again, never run twice."""

import asyncio
import shlex
import time
from collections.abc import Awaitable, Callable
from functools import partial
from typing import TypeVar

from yudai.kit.causes import Cause
from yudai.kit.errors import SandboxError
from yudai.sandboxes.backends.remote.cloud import BusyError, CutError, GoneError, Listening, Machine
from yudai.sandboxes.backends.warden.protocol import ARCHIVE, Heard, hear, room_for

PYTHON = "python3 -I -S -X utf8"
_PAUSES_S = (0.1, 0.5, 1.0, 2.0, 4.0)
_LONG_S = 20.0
_LAST_WORDS = 500
_BIG = 1 << 20

T = TypeVar("T")


class Line:
    def __init__(self, machine: Machine) -> None:
        self.machine = machine
        self.lost = ""
        """Why nothing can be asked any more."""

    @property
    def can_tell(self) -> bool:
        """Whether a text can go with a question, beside its words."""
        return isinstance(self.machine, Listening)

    async def ask(
        self,
        name: str,
        *words: str,
        timeout_s: float,
        max_body: int = 1 << 20,
        text: bytes = b"",
    ) -> Heard:
        """The warden's answer under that name; TimeoutError when there is none in time."""
        line = f"{PYTHON} {ARCHIVE} {shlex.join(words)}"
        run = self.machine.run
        if text and isinstance(self.machine, Listening):
            run = partial(self.machine.tell, text=text)

        async def attempt() -> Heard:
            said = (await run(line, timeout_s=timeout_s, max_bytes=room_for(max_body))).output
            big = len(said) > _BIG
            heard = await asyncio.to_thread(hear, name, said) if big else hear(name, said)
            if heard is None:
                raise CutError(f"the sandbox's warden does not answer: {_last(said)}")
            return heard

        async with asyncio.timeout(timeout_s):
            return await self.insist(attempt)

    async def put(self, path: str, content: bytes, *, timeout_s: float) -> None:
        """Write a file, however often that takes; all is lost when there is no end in time."""
        put = partial(self.machine.put, path, content)
        try:
            async with asyncio.timeout(timeout_s):
                await self.insist(put, is_long=False)
        except TimeoutError:
            raise self.lose("a file could not be brought into the sandbox in time") from None

    async def insist(self, act: Callable[[], Awaitable[T]], *, is_long: bool = True) -> T:
        """Do what may be done twice, until the line holds; SandboxError when it does not.

        `is_long`: a line that held for a while was a good one.
        """
        pauses = iter(_PAUSES_S)
        while True:
            self.check()
            began = time.monotonic()
            try:
                return await act()
            except GoneError as error:
                raise self.lose(str(error)) from error
            except (CutError, BusyError) as error:
                if is_long and time.monotonic() - began > _LONG_S:
                    # It held for a while: some providers let no line be open for longer.
                    pauses = iter(_PAUSES_S)
                seconds = next(pauses, None)
                if seconds is None:
                    raise self.lose(str(error)) from error
                asked = error.retry_after_s if isinstance(error, BusyError) else None
            await asyncio.sleep(max(seconds, min(asked or 0, _LONG_S)))

    def check(self) -> None:
        if self.lost:
            raise SandboxError(self.lost, cause=Cause.SANDBOX_LOST)

    def lose(self, why: str) -> SandboxError:
        """Nothing more is asked; returns the error to be raised."""
        self.lost = self.lost or why
        return SandboxError(self.lost, cause=Cause.SANDBOX_LOST)


def _last(said: bytes) -> str:
    return said[-_LAST_WORDS:].decode("utf-8", "replace").strip() or "it says nothing"
