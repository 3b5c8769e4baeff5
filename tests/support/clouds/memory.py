"""A cloud in memory: machines that only are there or not, and whatever can go wrong with that."""

import asyncio
import itertools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from yudai.kit.errors import SandboxError
from yudai.sandboxes.backends.remote.cloud import (
    INSTALLATION,
    Found,
    GoneError,
    Machine,
    MachineOutput,
    MachineSpec,
)
from yudai.sandboxes.domain.guarantees import KINDS, guarantees
from yudai.sandboxes.port import Capabilities

ALL_KEPT = guarantees(dict.fromkeys(KINDS, (True, "by a fake")))


@dataclass
class MemoryMachine:
    id: str
    tags: Mapping[str, str]
    cloud: "MemoryCloud"
    extended: list[float] = field(default_factory=list)
    variables: Mapping[str, str] = field(default_factory=dict)

    async def run(self, line: str, *, timeout_s: float, max_bytes: int = 1 << 20) -> MachineOutput:
        raise AssertionError(f"nobody runs anything here: {line} {timeout_s} {max_bytes}")

    async def put(self, path: str, content: bytes) -> None:
        raise AssertionError(f"nobody puts anything here: {path} {len(content)}")

    async def allow(self, hosts: Sequence[str]) -> None:
        raise AssertionError(f"nobody opens anything here: {hosts}")

    async def extend(self, ttl_s: float) -> None:
        if self.id not in self.cloud.machines:
            raise GoneError("it has ended")
        self.extended.append(ttl_s)


@dataclass
class MemoryCloud:
    name: str = "memory"
    own_kernels: bool = True
    forking: Exception | None = None
    """Raised by every copying."""
    machines: dict[str, MemoryMachine] = field(default_factory=dict)
    machine_specs: list[MachineSpec] = field(default_factory=list)
    killed: list[str] = field(default_factory=list)
    creating: list[Exception] = field(default_factory=list)
    """Raised by the next creations, one each, before anything is made."""
    losing: list[Exception] = field(default_factory=list)
    """Raised by the next creations, one each, after the machine was made."""
    killing: list[Exception] = field(default_factory=list)
    listing: list[Exception] = field(default_factory=list)
    dropping: list[Exception] = field(default_factory=list)
    snapshots: set[str] = field(default_factory=set)
    gate: asyncio.Event | None = None
    """A creation makes its machine and then waits for this before it answers."""
    on_create: Callable[[MachineSpec], None] = lambda _: None
    numbers: "itertools.count[int]" = field(default_factory=itertools.count)

    async def examine(self) -> Capabilities:
        return Capabilities(backend=self.name, guarantees=ALL_KEPT)

    async def create(self, machine_spec: MachineSpec) -> Machine:
        self.on_create(machine_spec)
        self.machine_specs.append(machine_spec)
        if self.creating:
            raise self.creating.pop(0)
        machine = self._made(machine_spec.tags)
        if self.gate is not None:
            await self.gate.wait()
        if self.losing:
            raise self.losing.pop(0)
        return machine

    async def fork(
        self, source: Machine, machine_specs: Sequence[MachineSpec]
    ) -> Sequence[Machine | SandboxError]:
        if self.forking:
            raise self.forking
        return [self._made(self.machines[source.id].tags) for _ in machine_specs]

    async def snapshot(self, machine: Machine, name: str) -> str:
        image = f"{name}@{machine.id}"
        self.snapshots.add(image)
        return image

    async def remove_snapshot(self, image: str) -> bool:
        if self.dropping:
            raise self.dropping.pop(0)
        was_there = image in self.snapshots
        self.snapshots.discard(image)
        return was_there

    async def has_snapshot(self, image: str) -> bool:
        return image in self.snapshots

    async def list(self, installation: str) -> Sequence[Found]:
        if self.listing:
            raise self.listing.pop(0)
        return [
            Found(one.id, one.tags, "running", None)
            for one in self.machines.values()
            if one.tags[INSTALLATION] == installation
        ]

    async def kill(self, machine_id: str) -> bool:
        if self.killing:
            raise self.killing.pop(0)
        self.killed.append(machine_id)
        return self.machines.pop(machine_id, None) is not None

    async def close(self) -> None:
        """Nothing is open."""

    def _made(self, tags: Mapping[str, str]) -> MemoryMachine:
        machine = MemoryMachine(f"m{next(self.numbers)}", dict(tags), self)
        self.machines[machine.id] = machine
        return machine


@dataclass
class LocalCloud(MemoryCloud):
    """What it has is a host's own."""

    where: str = "here"

    async def host(self) -> str:
        return self.where
