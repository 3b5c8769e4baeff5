"""Machines at Prime Intellect; its client library is loaded when the first is asked for."""

import asyncio
from collections.abc import Mapping, Sequence
from functools import cached_property, partial
from importlib import metadata
from itertools import repeat
from pathlib import Path
from typing import TYPE_CHECKING

import structlog

from yudai.kit.errors import SandboxError
from yudai.kit.retry import retry, within
from yudai.sandboxes.backends.remote.cloud import (
    INSTALLATION,
    BusyError,
    ConnectionCutError,
    DeniedError,
    Found,
    GoneError,
    Machine,
    MachineOutput,
    MachineSpec,
    clean_up,
    vm_capabilities,
)
from yudai.sandboxes.port import Capabilities

if TYPE_CHECKING:
    from yudai.sandboxes.backends.prime.account import Account, Timings

log: structlog.stdlib.BoundLogger = structlog.get_logger()

_NO_CLIENT = "Prime's client library is missing: pip install 'yudai[prime]'"
_ALIVE = "true"
_ALIVE_S = 30.0
_PAUSE_S = 0.5
_PROBE_S = 30.0
_ANSWERS_S = 60.0
_UNANSWERED = (BusyError, ConnectionCutError, TimeoutError)


class PrimeMachine:
    def __init__(self, account: "Account", machine_id: str) -> None:
        self._account = account
        self.id = machine_id
        self.variables: Mapping[str, str] = {}

    async def run(self, line: str, *, timeout_s: float, max_bytes: int = 1 << 20) -> MachineOutput:
        """A cancelled command is ended in the background, as a bad connection may delay that."""
        talk = self._account.chores.begin(self._account.talk(self.id, line, max_bytes))
        try:
            done, _ = await asyncio.wait({talk}, timeout=timeout_s)
        except asyncio.CancelledError:
            talk.cancel()
            raise
        if not done:
            talk.cancel()
            raise TimeoutError(f"not finished within {timeout_s:g} s")
        return talk.result()

    async def put(self, path: str, content: bytes) -> None:
        await self._account.upload(self.id, path, content)

    async def allow(self, hosts: Sequence[str]) -> None:
        await self._account.allow(self.id, hosts)

    async def extend(self, ttl_s: float) -> None:  # noqa: ARG002 - its length was set at creation
        """Any command restarts the idle timeout."""
        try:
            await self.run(_ALIVE, timeout_s=_ALIVE_S)
        except TimeoutError as error:
            raise ConnectionCutError(f"the sandbox does not answer: {error}") from error


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
        """`home` is a private folder, because the client stores tokens in it."""
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
        version = f"prime-sandboxes {metadata.version('prime-sandboxes')}"
        return vm_capabilities(self.name, version=version)

    async def create(self, machine_spec: MachineSpec) -> Machine:
        account = self._account
        making = account.make(machine_spec, self._image)
        machine_id = await account.chores.whole(making, self._discard)
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
        # Before it is kept for good, it may not be removed.
        return await account.chores.whole(self._keep(account, machine.id), self._drop)

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
        """It may be used again afterwards; a client is not created only to be closed."""
        account = self.__dict__.get("_account")
        if account is not None:
            try:
                # What is still being undone needs it.
                await account.close()
            finally:
                self.__dict__.pop("_account", None)

    async def _until_it_answers(self, machine: Machine) -> None:
        """Retry, because a machine is reported as running before its gateway knows it."""
        probe = partial(machine.run, "true", timeout_s=_PROBE_S)
        try:
            await retry(probe, within(_ANSWERS_S, repeat(_PAUSE_S)), on=_UNANSWERED)
        except _UNANSWERED as error:
            raise SandboxError(f"the sandbox runs but does not answer: {error}") from error

    async def _discard(self, machine_id: str) -> None:
        await clean_up(self.kill(machine_id), "sandbox.not_removed", sandbox_id=machine_id)

    async def _keep(self, account: "Account", machine_id: str) -> str:
        checkpoint = await account.checkpoint(machine_id)
        try:
            await account.until_durable(checkpoint)
        except SandboxError:
            await self._drop(checkpoint)
            raise
        except asyncio.CancelledError:
            log.warning("snapshot.not_removed", snapshot=checkpoint, error="there was no time left")
            raise
        return checkpoint

    async def _drop(self, checkpoint: str) -> None:
        removing = self.remove_snapshot(checkpoint)
        await clean_up(removing, "snapshot.not_removed", snapshot=checkpoint)
