"""One machine at Prime."""

import asyncio
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from yudai.sandboxes.backends.remote.cloud import CutError, Said

if TYPE_CHECKING:
    from yudai.sandboxes.backends.prime.account import Account

_ALIVE = "true"
_ALIVE_S = 30.0


class PrimeMachine:
    def __init__(self, account: "Account", machine_id: str) -> None:
        self._account = account
        self._id = machine_id

    @property
    def id(self) -> str:
        return self._id

    @property
    def variables(self) -> Mapping[str, str]:
        return {}

    async def run(self, line: str, *, timeout_s: float, max_bytes: int = 1 << 20) -> Said:
        """Its end may take a while where the line is bad: who asked does not wait for that."""
        talk = self._account.chores.begin(self._account.talk(self._id, line, max_bytes))
        try:
            done, _ = await asyncio.wait({talk}, timeout=timeout_s)
        except asyncio.CancelledError:
            talk.cancel()
            raise
        if not done:
            talk.cancel()
            raise TimeoutError(f"no end within {timeout_s:g} s")
        return talk.result()

    async def put(self, path: str, content: bytes) -> None:
        await self._account.upload(self._id, path, content)

    async def allow(self, hosts: Sequence[str]) -> None:
        await self._account.allow(self._id, hosts)

    async def extend(self, ttl_s: float) -> None:  # noqa: ARG002 - its length was set at creation
        """Any command starts the clock of idleness anew."""
        try:
            await self.run(_ALIVE, timeout_s=_ALIVE_S)
        except TimeoutError as error:
            raise CutError(f"the sandbox does not answer: {error}") from error
