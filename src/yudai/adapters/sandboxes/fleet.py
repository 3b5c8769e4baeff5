"""The boxes of one backend: started together, listed, ended, and reaped when their process died."""

import asyncio
import os
import signal
from collections.abc import Awaitable, Callable
from contextlib import suppress

from yudai.adapters.sandboxes.box import LocalBox
from yudai.adapters.sandboxes.home import BoxRecord, Home
from yudai.adapters.sandboxes.processes import look, readable
from yudai.domain.errors import SandboxError
from yudai.ports.sandbox import SandboxRef

Start = Callable[[], Awaitable[LocalBox]]


class Fleet:
    def __init__(
        self, backend: str, home: Home, *, remove: Callable[[BoxRecord], Awaitable[bool]]
    ) -> None:
        """`remove` takes away what a dead box leaves on the host; False when that is gone."""
        self._backend = backend
        self._home = home
        self._remove = remove
        self._boxes: dict[str, LocalBox] = {}

    async def start(self, n: int, start: Start) -> list[LocalBox | SandboxError]:
        """Start n boxes; what fails is a value, and nothing is left when we are cancelled."""
        tasks: list[asyncio.Task[LocalBox | SandboxError]] = []
        try:
            async with asyncio.TaskGroup() as group:
                tasks += [group.create_task(self._attempt(start)) for _ in range(n)]
        except BaseException:
            for task in tasks:
                if task.done() and not task.cancelled() and task.exception() is None:
                    box = task.result()
                    if isinstance(box, LocalBox):
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
        return record is not None and await self._end(record)

    async def reap(self) -> int:
        """End what processes left that are dead."""
        ended = [await self._end(record) for record in self._home.abandoned()]
        await asyncio.to_thread(self._home.reap_leases)
        return sum(ended)

    async def close(self) -> None:
        async with asyncio.TaskGroup() as group:
            for box in list(self._boxes.values()):
                group.create_task(box.destroy())
        await asyncio.to_thread(self._home.release)

    def ref(self, record: BoxRecord) -> SandboxRef:
        return SandboxRef(backend=self._backend, id=record.id, owner=record.owner)

    async def forget(self, record: BoxRecord) -> None:
        """The last step of a box's end."""
        await self._remove(record)
        self._boxes.pop(record.id, None)

    async def _attempt(self, start: Start) -> LocalBox | SandboxError:
        try:
            box = await start()
        except SandboxError as error:
            return error
        except OSError as error:
            return SandboxError(f"the sandbox could not be started: {error}")
        self._boxes[box.ref.id] = box
        return box

    async def _end(self, record: BoxRecord) -> bool:
        await _kill(record)
        return await self._remove(record)


async def _kill(record: BoxRecord) -> None:
    """Kill the process that a record names, if it is still that one, and wait for its end."""
    if record.pid is None:
        return
    with suppress(ProcessLookupError):
        descriptor = os.pidfd_open(record.pid)
        try:
            process = look(record.pid)
            if process is not None and process.started == record.started:
                signal.pidfd_send_signal(descriptor, signal.SIGKILL)
                await readable(descriptor)
        finally:
            os.close(descriptor)
