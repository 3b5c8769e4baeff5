"""Creates and forks machines at E2B; looks for one after a lost answer, removes useless ones."""

from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import TypeVar

import structlog
from e2b import AsyncSandbox

from yudai.kit.concurrency import gather
from yudai.kit.errors import SandboxError
from yudai.kit.retry import growing, retry, within
from yudai.sandboxes.backends.e2b.account import Account
from yudai.sandboxes.backends.e2b.errors import (
    AnswerTimeoutError,
    UnreachedError,
    UnsupportedError,
    translate,
)
from yudai.sandboxes.backends.e2b.machine import E2BMachine
from yudai.sandboxes.backends.remote.cloud import (
    INSTALLATION,
    SANDBOX_TAG,
    BusyError,
    Machine,
    MachineSpec,
    NoAnswerError,
    clean_up,
)

log: structlog.stdlib.BoundLogger = structlog.get_logger()

T = TypeVar("T")

_FIRST_PAUSE_S = 0.5
_LONGEST_PAUSE_S = 15.0
_UNSURE = (BusyError, NoAnswerError, UnreachedError)


class Maker:
    def __init__(self, account: Account, template: str) -> None:
        self.account = account
        self._template = template

    async def create(self, machine_spec: MachineSpec) -> Machine:
        machine = E2BMachine(self.account, await self._make(machine_spec), machine_spec.tags)
        return await self._ready(machine)

    async def fork(
        self, source: E2BMachine, machine_specs: Sequence[MachineSpec]
    ) -> Sequence[Machine | SandboxError]:
        ttl_s = max(machine_spec.ttl_s for machine_spec in machine_specs)
        try:
            forks = await self.account.fork(source.id, len(machine_specs), ttl_s)
        except UnsupportedError as error:
            raise NotImplementedError from error
        except SandboxError as error:
            if isinstance(error, NoAnswerError):
                await self._discard_strays(source)
            return [error for _ in machine_specs]
        fit = await gather(
            self._fit(self._fork_of(source, fork), machine_spec)
            for fork, machine_spec in zip(forks, machine_specs, strict=False)
        )
        fewer = SandboxError("E2B created fewer forks than requested")
        return [*fit, *[fewer] * (len(machine_specs) - len(fit))]

    async def discard(self, machine_id: str) -> None:
        """Remove it; if that fails, it ends by itself a little later."""
        killing = self.account.kill(machine_id)
        await clean_up(killing, "sandbox.not_removed", sandbox_id=machine_id)

    async def discard_all(self, made: Iterable[Machine | SandboxError]) -> None:
        for one in made:
            if not isinstance(one, SandboxError):
                await self.discard(one.id)

    async def drop_snapshot(self, image: str) -> None:
        removing = self.account.remove_snapshot(image)
        await clean_up(removing, "snapshot.not_removed", snapshot=image)

    async def _make(self, machine_spec: MachineSpec) -> AsyncSandbox:
        """The SDK has no key that would make asking twice safe, so it is looked for first."""
        try:
            return await self.account.make(machine_spec, self._template)
        except NoAnswerError as error:
            found = await self._look_up(partial(self.account.find, _ours(machine_spec.tags)))
            if found:
                attach = partial(self.account.attach, found[0].id, machine_spec.ttl_s)
                return await self._look_up(attach)
            if isinstance(error, AnswerTimeoutError):
                # It may come yet: a second one might be one too many.
                raise
            return await self.account.make(machine_spec, self._template)

    async def _look_up(self, ask: Callable[[], Awaitable[T]]) -> T:
        """Repeat until there is an answer. No BusyError: it would mean that nothing was created."""
        pauses_s = growing(_FIRST_PAUSE_S, longest_s=_LONGEST_PAUSE_S)
        try:
            return await retry(ask, within(self.account.timings.look_up_s, pauses_s), on=_UNSURE)
        except _UNSURE as error:
            raise NoAnswerError(f"the response to a creation was lost: {error}") from error

    async def _ready(self, machine: E2BMachine) -> E2BMachine:
        try:
            await machine.until_it_answers()
        except SandboxError:
            await self.discard(machine.id)
            raise
        return machine

    def _fork_of(
        self, source: E2BMachine, fork: AsyncSandbox | Exception
    ) -> E2BMachine | SandboxError:
        if isinstance(fork, Exception):
            return translate(fork, "forking a sandbox")
        source.kin.add(fork.sandbox_id)
        return E2BMachine(self.account, fork, source.tags, source.kin)

    async def _fit(
        self, machine: E2BMachine | SandboxError, machine_spec: MachineSpec
    ) -> E2BMachine | SandboxError:
        if isinstance(machine, SandboxError):
            return machine
        try:
            await self._ready(machine)
            await machine.allow(machine_spec.hosts)
        except SandboxError as error:
            await self.discard(machine.id)
            return error
        return machine

    async def _discard_strays(self, source: E2BMachine) -> None:
        """Remove forks that were made without our knowledge: unknown ones with its tags."""
        try:
            found = await self._look_up(partial(self.account.find, _ours(source.tags)))
        except SandboxError as error:
            log.warning("sandbox.not_looked_up", error=str(error))
            return
        for stray in found:
            if stray.id not in source.kin:
                await self.discard(stray.id)


def _ours(tags: Mapping[str, str]) -> dict[str, str]:
    return {name: tags[name] for name in (INSTALLATION, SANDBOX_TAG)}
