"""The boxes of one backend: started together, listed, ended, and reaped when their process died."""

import asyncio
import math
import time
from collections.abc import Awaitable, Callable, Sequence

import structlog

from yudai.kit.errors import SandboxError
from yudai.sandboxes.backends.local.home import BoxRecord, Home
from yudai.sandboxes.backends.local.limits import outlived
from yudai.sandboxes.backends.sandbox import Box
from yudai.sandboxes.backends.trees import Stuck
from yudai.sandboxes.port import Fate, Leftover, SandboxRef

log: structlog.stdlib.BoundLogger = structlog.get_logger()

Start = Callable[[], Awaitable[Box]]


class Fleet:
    def __init__(
        self,
        backend: str,
        home: Home,
        *,
        kill: Callable[[BoxRecord], Awaitable[None]],
        remove: Callable[[BoxRecord], Awaitable[bool]],
        lifetime_s: float = math.inf,
    ) -> None:
        """Say how to `kill` a box that is not ours, and how to `remove` what a dead one leaves.

        The latter is False when that is gone already.
        """
        self._backend = backend
        self._home = home
        self._kill = kill
        self._remove = remove
        self._lifetime_s = lifetime_s
        self._boxes: dict[str, Box] = {}
        self._alarms: dict[str, asyncio.TimerHandle] = {}
        self._ending: set[asyncio.Task[None]] = set()

    async def start(self, n: int, start: Start) -> list[Box | SandboxError]:
        """Start n boxes; what fails is a value, and nothing is left when we are cancelled."""
        tasks: list[asyncio.Task[Box | SandboxError]] = []
        try:
            async with asyncio.TaskGroup() as group:
                tasks += [group.create_task(self._attempt(start)) for _ in range(n)]
        except BaseException:
            for task in tasks:
                if task.done() and not task.cancelled() and task.exception() is None:
                    box = task.result()
                    if isinstance(box, Box):
                        await box.destroy()
            raise
        return [task.result() for task in tasks]

    def list(self, owner: str | None) -> list[SandboxRef]:
        records = self._home.records()
        return [self.ref(r) for r in records if owner is None or r.owner == owner]

    async def destroy(self, ref: SandboxRef) -> bool:
        """End a box of this process, or one that another process has started."""
        box = self._boxes.get(ref.id)
        if box is not None:
            await box.destroy()
            return True
        record = self._home.find(ref.id)
        if record is None:
            return False
        try:
            return await self._end(record)
        except OSError as error:
            raise SandboxError(self._stuck(record, error).words) from error

    async def reap(self, *, dry_run: bool = False) -> Sequence[Leftover]:
        """End what processes left that are dead."""
        abandoned = await asyncio.to_thread(self._home.abandoned)
        if dry_run:
            return [self._leftover(record) for record in abandoned]
        found = [await self._reap(record) for record in abandoned]
        stuck = await asyncio.to_thread(self._home.reap_leases)
        told = [leftover for leftover in found if leftover is not None]
        return [*told, *map(self._lease_left, stuck)]

    async def close(self) -> None:
        """One box that does not end well keeps neither the others nor the lease."""
        async with asyncio.TaskGroup() as group:
            for box in list(self._boxes.values()):
                group.create_task(self._close(box))
        try:
            await asyncio.to_thread(self._home.release)
        except OSError as error:
            log.warning("lease.not_removed", backend=self._backend, error=str(error))

    def ref(self, record: BoxRecord) -> SandboxRef:
        return SandboxRef(backend=self._backend, id=record.id, owner=record.owner)

    async def forget(self, record: BoxRecord) -> None:
        """The last step of a box's end; files that stay are the next sweep's."""
        try:
            await self._remove(record)
        except OSError as error:
            why = self._stuck(record, error).words
            log.warning("sandbox.not_removed", sandbox=self.ref(record), error=why)
        self._boxes.pop(record.id, None)
        alarm = self._alarms.pop(record.id, None)
        if alarm is not None:
            alarm.cancel()

    async def _attempt(self, start: Start) -> Box | SandboxError:
        try:
            box = await start()
        except SandboxError as error:
            return error
        except OSError as error:
            return SandboxError(f"the sandbox could not be started: {error}")
        self._boxes[box.ref.id] = box
        if self._lifetime_s < math.inf:
            loop = asyncio.get_running_loop()
            self._alarms[box.ref.id] = loop.call_later(self._lifetime_s, self._expire, box)
        return box

    def _expire(self, box: Box) -> None:
        task = asyncio.create_task(box.destroy(why=outlived(self._lifetime_s)))
        self._ending.add(task)
        task.add_done_callback(self._ending.discard)

    async def _close(self, box: Box) -> None:
        try:
            await box.destroy()
        except Exception as error:  # noqa: BLE001 - whatever it is, the next sweep sees to it
            log.warning("sandbox.not_ended", sandbox=box.ref, error=repr(error))

    async def _reap(self, record: BoxRecord) -> Leftover | None:
        """None: somebody else was quicker."""
        try:
            return self._leftover(record) if await self._end(record) else None
        except OSError as error:
            note = self._stuck(record, error).words
            return self._leftover(record).model_copy(update={"fate": Fate.REFUSED, "note": note})

    def _leftover(self, record: BoxRecord) -> Leftover:
        return Leftover(
            backend=self._backend,
            id=record.id,
            owner=record.owner,
            why="its process is dead",
            age_s=max(0.0, time.time() - record.made_at) if record.made_at else None,
        )

    def _lease_left(self, stuck: Stuck) -> Leftover:
        return Leftover(
            backend=self._backend,
            id=stuck.path.name,
            why="files of a dead process",
            fate=Fate.REFUSED,
            note=stuck.words,
        )

    def _stuck(self, record: BoxRecord, error: OSError) -> Stuck:
        return Stuck(self._home.box(record.id), error)

    async def _end(self, record: BoxRecord) -> bool:
        await self._kill(record)
        return await self._remove(record)
