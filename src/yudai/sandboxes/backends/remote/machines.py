"""The machines of this process: recorded before creation, kept alive, removed in time."""

import asyncio
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field
from functools import partial

import structlog

from yudai.kit.causes import Cause
from yudai.kit.concurrency import BackgroundTasks, gather, repeat
from yudai.kit.errors import SandboxError
from yudai.kit.retry import growing
from yudai.sandboxes.backends.remote.cloud import (
    SANDBOX_TAG,
    BusyError,
    Cloud,
    Forking,
    GoneError,
    Machine,
    MachineSpec,
)
from yudai.sandboxes.backends.remote.rate_limit import MachineRateLimit
from yudai.sandboxes.register import Register, SandboxEntry

log: structlog.stdlib.BoundLogger = structlog.get_logger()


_FIRST_PAUSE_S = 0.5
_LONGEST_PAUSE_S = 5.0
_FULL = "all {} sandboxes that this installation may use at once are in use"


@dataclass
class Admission:
    register: Register
    _: KW_ONLY
    at_most: int | None = None
    """None: there is no limit."""
    waits: bool = True
    """False: raise BusyError instead of waiting."""
    _entrance: asyncio.Lock = field(default_factory=asyncio.Lock)

    async def open(self, entries: Sequence[SandboxEntry]) -> None:
        """Wait for room, then open all rows at once."""
        # One of us asks at a time: who came first, and wants several, is not overtaken here.
        async with self._entrance:
            pauses_s = growing(_FIRST_PAUSE_S, longest_s=_LONGEST_PAUSE_S)
            while not await self.register.open_sandboxes(entries, at_most=self.at_most):
                if not self.waits:
                    raise BusyError(_FULL.format(self.at_most))
                log.info("sandboxes.full", at_most=self.at_most, n=len(entries))
                await asyncio.sleep(next(pauses_s))


BEAT_S = 15.0
GRACE_S = 60.0
"""Seconds after our own deadline at which the provider ends a machine."""
_EXTENSIONS = 3
"""In each time-to-live."""
_OLD = "the sandbox's lifetime of {:g} minutes has ended: see SANDBOX_LIFETIME_MINUTES"


@dataclass
class HeldMachine:
    entry: SandboxEntry
    machine: Machine
    dies_s: float
    extended_s: float
    clock: asyncio.TimerHandle | None = None
    """Timer of the end of its lifetime."""
    end: Callable[[str], Awaitable[None]] | None = None
    """Ends the sandbox that it is, and tells those who use it why; None: it is no sandbox yet."""
    ended: str = ""
    """Why it ended without a request to end it."""


Wanted = tuple[SandboxEntry, MachineSpec]
Created = dict[str, HeldMachine | SandboxError]
"""Machines by the id of their row."""


def standing(one: HeldMachine | SandboxError) -> HeldMachine | SandboxError:
    """Raises if it ended while we waited for others."""
    if isinstance(one, HeldMachine) and one.ended:
        return SandboxError(one.ended, cause=Cause.SANDBOX_LOST)
    return one


class Machines:
    def __init__(
        self,
        cloud: Cloud,
        register: Register,
        rate_limit: MachineRateLimit,
        *,
        ttl_s: float,
        beat_s: float = BEAT_S,
        admission: Admission | None = None,
    ) -> None:
        self._cloud = cloud
        self._register = register
        self._pace = rate_limit
        self._admission = admission or Admission(register)
        self._ttl_s = ttl_s
        self._beat_s = beat_s
        self._members: dict[str, HeldMachine] = {}
        self._placed: set[str] = set()
        """Rows that hold a place of the rate limit, which is given back exactly once."""
        self._beating: asyncio.Task[None] | None = None
        self._background = BackgroundTasks()

    async def create(self, entry: SandboxEntry, machine_spec: MachineSpec) -> HeldMachine:
        """Make one machine; nothing that we know of is left when that fails or is cancelled."""
        [member] = await self.create_all([(entry, machine_spec)])
        if isinstance(member, SandboxError):
            raise member
        return member

    async def create_all(self, wanted: Sequence[Wanted]) -> Sequence[HeldMachine | SandboxError]:
        """Make one machine and unused copies of it; where copies are impossible, make each one.

        All get their places before the first is made: callers with some would wait for each other.
        """
        entries = [entry for entry, _ in wanted]
        await self._enter(entries)
        try:
            members = await self._make_all(wanted)
        except BaseException:
            await self._background.finish(self._undo(entries))
            raise
        failed = [entry for entry in entries if isinstance(members[entry.id], SandboxError)]
        found = [members[entry.id] for entry in entries]
        await self._give_up(failed, found)
        return [standing(one) for one in found]

    def member(self, sandbox_id: str) -> HeldMachine | None:
        return self._members.get(sandbox_id)

    def holds(self) -> Mapping[str, str]:
        """The machine's id for each of our rows; "" while it is being made or ended."""
        made = {name: member.machine.id for name, member in self._members.items()}
        return dict.fromkeys(self._placed, "") | made

    async def destroy(self, sandbox_id: str) -> None:
        """Remove a machine, even if the caller is cancelled meanwhile.

        What cannot be removed now is left to the next sweep.
        """
        member = self._members.pop(sandbox_id, None)
        if member is not None:
            await self._background.finish(self._destroy(member))

    async def destroy_all(self, members: Sequence[HeldMachine | SandboxError]) -> None:
        """Each removal is started, even if the caller is cancelled."""
        names = [member.entry.id for member in members if isinstance(member, HeldMachine)]
        ending = [self._background.begin(self.destroy(name)) for name in names]
        if ending:
            await asyncio.wait(ending)

    async def close(self) -> None:
        await self.destroy_all(list(self._members.values()))
        await self._background.close()
        if self._beating is not None:
            self._beating.cancel()
            await asyncio.wait([self._beating])
            self._beating = None

    async def beat(self) -> None:
        """Keep our machines alive and send our heartbeat.

        Neither waits for the other, because a provider or the register may be slow.
        """
        now = asyncio.get_running_loop().time()
        for member in list(self._members.values()):
            if now >= member.extended_s + self._ttl_s / _EXTENSIONS:
                left_s, member.extended_s = member.dies_s - now + GRACE_S, now
                self._background.begin(self._extend(member, min(self._ttl_s, left_s)))
        for sandbox_id in await self._register.beat(tuple(self._members)):
            log.warning("sandbox.reopened", sandbox_id=sandbox_id)
            if sandbox_id not in self._members:
                # This process closed it in the meantime.
                await self._close(sandbox_id)

    async def _enter(self, entries: Sequence[SandboxEntry]) -> None:
        """Reserve places in this process first, then rows, which all processes share."""
        await self._pace.enter(len(entries))
        self._placed.update(entry.id for entry in entries)
        if self._beating is None or self._beating.done():
            # Before the first row: a process without heartbeats counts as dead.
            every_s = self._beat_s
            beat = repeat(self.beat, every_s, first_s=every_s, failed="sandboxes.not_beaten")
            self._beating = asyncio.create_task(beat, name="sandboxes")
        try:
            await self._admission.open(entries)
        except BaseException:
            for entry in entries:
                self._leave(entry.id)
            raise

    def _leave(self, sandbox_id: str) -> None:
        if sandbox_id in self._placed:
            self._placed.discard(sandbox_id)
            self._pace.leave()

    async def _destroy(self, member: HeldMachine) -> None:
        try:
            if member.clock is not None:
                member.clock.cancel()
            is_gone = await self._kill(member.machine.id)
            await self._close(member.entry.id, is_gone=is_gone)
        finally:
            self._leave(member.entry.id)

    async def _make_all(self, wanted: Sequence[Wanted]) -> Created:
        if len(wanted) == 1 or not isinstance(self._cloud, Forking):
            return await self._make_apart(wanted)
        created = await self._make_apart(wanted[:1])
        created |= await self._copy(self._cloud, created[wanted[0][0].id], wanted[1:])
        missing = [one for one in wanted[1:] if isinstance(created[one[0].id], SandboxError)]
        return created | await self._make_apart(missing)

    async def _make_apart(self, wanted: Sequence[Wanted]) -> Created:
        made = await gather(self._make(*one) for one in wanted)
        return {entry.id: one for (entry, _), one in zip(wanted, made, strict=True)}

    async def _make(
        self, entry: SandboxEntry, machine_spec: MachineSpec
    ) -> HeldMachine | SandboxError:
        try:
            machine = await self._pace.make(partial(self._cloud.create, machine_spec))
        except SandboxError as error:
            return error
        member = self._admit(entry, machine_spec, machine)
        await self._register.name_sandbox(entry.id, machine.id)
        return member

    async def _copy(
        self, cloud: Forking, source: HeldMachine | SandboxError, wanted: Sequence[Wanted]
    ) -> Created:
        if isinstance(source, SandboxError):
            return {entry.id: source for entry, _ in wanted}
        try:
            copies = await cloud.fork(source.machine, [machine_spec for _, machine_spec in wanted])
        except (NotImplementedError, SandboxError) as error:
            copies = [SandboxError(str(error))] * len(wanted)
        # All before anything else runs: they have no tags by which a sweep could find them.
        created: Created = {
            entry.id: copy
            if isinstance(copy, SandboxError)
            else self._admit(entry, machine_spec, copy)
            for (entry, machine_spec), copy in zip(wanted, copies, strict=True)
        }
        for member in created.values():
            if isinstance(member, HeldMachine):
                await self._register.name_sandbox(member.entry.id, member.machine.id)
        if errors := [copy for copy in copies if isinstance(copy, SandboxError)]:
            log.info("sandbox.not_copied", backend=cloud.name, n=len(errors), why=str(errors[0]))
        return created

    def _admit(
        self, entry: SandboxEntry, machine_spec: MachineSpec, machine: Machine
    ) -> HeldMachine:
        loop, lifetime_s = asyncio.get_running_loop(), machine_spec.limits.lifetime_s
        now = loop.time()
        member = HeldMachine(entry, machine, dies_s=now + lifetime_s, extended_s=now)
        self._members[entry.id] = member
        retire = partial(self._retire, member, _OLD.format(lifetime_s / 60))
        member.clock = loop.call_later(lifetime_s, lambda: self._background.begin(retire()))
        return member

    async def _give_up(
        self, failed: Sequence[SandboxEntry], members: Sequence[HeldMachine | SandboxError]
    ) -> None:
        """Handle partial failures. On cancellation, the others are destroyed, too."""
        if not failed:
            return
        try:
            await self._background.finish(self._undo(failed))
        except BaseException:
            await self.destroy_all(members)
            raise

    async def _undo(self, entries: Sequence[SandboxEntry]) -> None:
        """Machines may have been made although the answer was lost."""
        unheard: set[str] = set()
        left: Collection[str] = ()
        for entry in entries:
            if entry.id in self._members:
                await self.destroy(entry.id)
            else:
                unheard.add(entry.id)
                self._leave(entry.id)
        if unheard:
            try:
                left = await self._end_unheard(unheard)
            except Exception as error:  # noqa: BLE001 - a sweep finds them, because they have no holder
                left = unheard
                log.warning("sandbox.not_looked_up", error=repr(error))
        for sandbox_id in unheard:
            await self._close(sandbox_id, is_gone=sandbox_id not in left)

    async def _end_unheard(self, sandboxes: Collection[str]) -> set[str]:
        """Those that are still there."""
        found = await self._cloud.list(await self._register.installation())
        ours = [
            (one.id, one.tags.get(SANDBOX_TAG, ""))
            for one in found
            if one.tags.get(SANDBOX_TAG) in sandboxes
        ]
        return {sandbox_id for machine_id, sandbox_id in ours if not await self._kill(machine_id)}

    async def _retire(self, member: HeldMachine, why: str) -> None:
        log.warning("sandbox.ended", sandbox_id=member.entry.id, why=why)
        member.ended = why
        if member.end is not None:
            await member.end(why)
        else:
            await self.destroy(member.entry.id)

    async def _kill(self, machine_id: str) -> bool:
        """Whether the machine is gone now."""
        try:
            await self._cloud.kill(machine_id)
        except Exception as error:  # noqa: BLE001 - its row stays: a sweep tries again
            log.warning("sandbox.not_removed", sandbox_id=machine_id, error=repr(error))
            return False
        return True

    async def _close(self, sandbox_id: str, *, is_gone: bool = True) -> None:
        """A row that stays open is closed by a sweep, when its machine is gone."""
        try:
            if is_gone:
                await self._register.close_sandbox(sandbox_id)
            else:
                await self._register.let_go(sandbox_id)
        except Exception as error:  # noqa: BLE001 - whatever the register's store raises
            log.warning("sandbox.not_closed", sandbox_id=sandbox_id, error=repr(error))

    async def _extend(self, member: HeldMachine, ttl_s: float) -> None:
        try:
            await member.machine.extend(ttl_s)
        except GoneError as error:
            await self._retire(member, str(error))
        except Exception as error:  # noqa: BLE001 - the next beat tries again
            member.extended_s = 0.0
            log.warning("sandbox.not_extended", sandbox_id=member.machine.id, error=repr(error))
