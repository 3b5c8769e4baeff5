"""Machines at Prime Intellect; its client library is loaded when the first is asked for."""

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import structlog

from yudai.kit.errors import SandboxError
from yudai.sandboxes.backends.prime.machine import PrimeMachine
from yudai.sandboxes.backends.remote.cloud import (
    INSTALLATION,
    BusyError,
    CutError,
    DeniedError,
    Found,
    GoneError,
    Machine,
    Order,
)
from yudai.sandboxes.backends.remote.guarantees import vm_capabilities
from yudai.sandboxes.port import Capabilities

if TYPE_CHECKING:
    from yudai.sandboxes.backends.prime.account import Account, Timings

log: structlog.stdlib.BoundLogger = structlog.get_logger()

_NO_CLIENT = "Prime's client library is missing: pip install 'yudai[prime]'"
_PAUSE_S = 0.5
_PROBE_S = 30.0
_ANSWERS_S = 60.0


class PrimeCloud:
    name = "prime"
    own_kernels = True

    def __init__(
        self,
        *,
        api_key: str,
        image: str,
        home: Path,
        base_url: str | None = None,
        timings: "Timings | None" = None,
    ) -> None:
        """`home` is a folder of ours: the client keeps tokens in it, for us alone to read."""
        self._api_key = api_key
        self._image = image
        self._home = home
        self._base_url = base_url
        self._timings = timings

    @cached_property
    def _account(self) -> "Account":
        try:
            from yudai.sandboxes.backends.prime import account as prime_account  # noqa: PLC0415 - loaded when used
        except ImportError as error:
            raise DeniedError(_NO_CLIENT) from error
        timings = self._timings or prime_account.Timings()
        return prime_account.Account(self._api_key, self._base_url, self._home, timings)

    async def examine(self) -> Capabilities:
        await self._account.look()
        version = f"prime-sandboxes {self._account.version}"
        return vm_capabilities(self.name, version=version)

    async def create(self, order: Order) -> Machine:
        account = self._account
        making = account.chores.begin(account.make(order, self._image))
        try:
            machine_id = await asyncio.shield(making)
        except asyncio.CancelledError:
            account.chores.begin(self._unmake(making))
            raise
        machine = PrimeMachine(account, machine_id)
        try:
            await account.arrivals.wait(machine_id)
            await self._until_it_answers(machine)
        except BaseException:
            await account.chores.finish(self._discard(machine_id))
            raise
        return machine

    async def snapshot(self, machine: Machine, name: str) -> str:  # noqa: ARG002 - its checkpoints have no names
        account = self._account
        keeping = account.chores.begin(self._keep(account, machine.id))
        try:
            return await asyncio.shield(keeping)
        except asyncio.CancelledError:
            account.chores.begin(self._unkeep(keeping))
            raise

    async def remove_snapshot(self, image: str) -> bool:
        try:
            await self._account.delete_checkpoint(image)
        except GoneError:
            return False
        return True

    async def has_snapshot(self, image: str) -> bool:
        try:
            return await self._account.is_durable(image)
        except GoneError:
            return False

    async def list(self, installation: str) -> Sequence[Found]:
        return await self._account.find({INSTALLATION: installation})

    async def kill(self, machine_id: str) -> bool:
        return await self._account.kill(machine_id)

    async def close(self) -> None:
        """Afterwards it may be used again, as anew; one is not made only to be closed."""
        account = self.__dict__.get("_account")
        if account is not None:
            try:
                # What is still being undone needs it.
                await account.close()
            finally:
                self.__dict__.pop("_account", None)

    async def _until_it_answers(self, machine: Machine) -> None:
        """It is said to run a moment before its gateway knows it."""
        tries = asyncio.get_running_loop().time() + _ANSWERS_S
        while True:
            try:
                await machine.run("true", timeout_s=_PROBE_S)
            except (BusyError, CutError, TimeoutError) as error:
                if asyncio.get_running_loop().time() > tries:
                    raise SandboxError(f"the sandbox runs but does not answer: {error}") from error
                await asyncio.sleep(_PAUSE_S)
            else:
                return

    async def _unmake(self, making: asyncio.Task[str]) -> None:
        """Nobody waits for it any more, but it is being made."""
        with suppress(SandboxError):
            await self._discard(await making)

    async def _discard(self, machine_id: str) -> None:
        try:
            await self.kill(machine_id)
        except SandboxError as error:
            log.warning("sandbox.not_removed", sandbox_id=machine_id, error=str(error))

    async def _keep(self, account: "Account", machine_id: str) -> str:
        checkpoint = await account.checkpoint(machine_id)
        try:
            await account.until_durable(checkpoint)
        except SandboxError:
            await self._drop(checkpoint)
            raise
        except asyncio.CancelledError:
            log.warning("snapshot.not_removed", snapshot=checkpoint, error="there was no time")
            raise
        return checkpoint

    async def _unkeep(self, keeping: asyncio.Task[str]) -> None:
        """Before it is kept for good, it may not be removed."""
        with suppress(SandboxError):
            await self._drop(await keeping)

    async def _drop(self, checkpoint: str) -> None:
        try:
            await self.remove_snapshot(checkpoint)
        except SandboxError as error:
            log.warning("snapshot.not_removed", snapshot=checkpoint, error=str(error))
