"""Waits for machines to be ready, with one request for all waiting callers."""

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

from yudai.kit.errors import SandboxError
from yudai.kit.retry import growing
from yudai.sandboxes.backends.remote.cloud import DeniedError

AT_ONCE = 100
_READY = "RUNNING"


class Readiness(NamedTuple):
    status: str
    failure: SandboxError | None = None
    is_building: bool = False
    """The image is built first, which may take long."""


class Patience(NamedTuple):
    ready_s: float = 300.0
    image_s: float = 3000.0
    first_pause_s: float = 0.25

    def pauses_s(self) -> Iterator[float]:
        return growing(self.first_pause_s, longest_s=4.0, factor=1.5)


class _Waiting(NamedTuple):
    arrived: "asyncio.Future[None]"
    clock: asyncio.Timeout
    came_at: float


Ask = Callable[[Sequence[str]], Awaitable[Mapping[str, Readiness]]]


class ReadinessPoll:
    def __init__(self, ask: Ask, patience: Patience) -> None:
        self._ask = ask
        self._patience = patience
        self._waiting: dict[str, _Waiting] = {}
        self._asking: asyncio.Task[None] | None = None
        self._pauses_s = self._patience.pauses_s()
        self._trouble = ""

    async def wait(self, machine_id: str) -> None:
        """Wait until it runs; SandboxError if it fails or is too slow."""
        loop = asyncio.get_running_loop()
        try:
            async with asyncio.timeout(self._patience.ready_s) as clock:
                arrived: asyncio.Future[None] = loop.create_future()
                self._waiting[machine_id] = _Waiting(arrived, clock, loop.time())
                self._begin()
                await arrived
        except TimeoutError:
            after = f"within {self._patience.ready_s:g} s"
            raise SandboxError(f"the sandbox was not ready {after}{self._trouble}") from None
        finally:
            self._waiting.pop(machine_id, None)

    async def close(self) -> None:
        if self._asking is not None:
            self._asking.cancel()
            await asyncio.wait([self._asking])

    def _begin(self) -> None:
        self._pauses_s = self._patience.pauses_s()
        if self._asking is None or self._asking.done():
            self._asking = asyncio.create_task(self._ask_until_all_are_here())

    async def _ask_until_all_are_here(self) -> None:
        while self._waiting:
            await asyncio.sleep(next(self._pauses_s))
            names = list(self._waiting)
            for start in range(0, len(names), AT_ONCE):
                await self._ask_for(names[start : start + AT_ONCE])

    async def _ask_for(self, names: Sequence[str]) -> None:
        try:
            news = await self._ask(names)
            self._trouble = ""
        except DeniedError as error:
            news = dict.fromkeys(names, Readiness("", failure=error))
        except SandboxError as error:
            # One answer less: their own time ends their waiting.
            self._trouble = f": {error}"
            return
        for name in names:
            machine = self._waiting.get(name)
            if machine is not None and name in news:
                self._update(machine, news[name])

    def _update(self, machine: _Waiting, news: Readiness) -> None:
        now = asyncio.get_running_loop().time()
        if machine.arrived.done():
            return
        if news.failure is not None:
            machine.arrived.set_exception(news.failure)
        elif news.status == _READY:
            machine.arrived.set_result(None)
        elif news.is_building and now < machine.came_at + self._patience.image_s:
            machine.clock.reschedule(now + self._patience.ready_s)
