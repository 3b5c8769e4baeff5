"""The one backend over every cloud: registers, creates, lists and destroys remote sandboxes."""

import asyncio
import hashlib
import secrets
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial

import structlog

from yudai.kit.errors import SandboxError
from yudai.sandboxes.backends.environment import variables
from yudai.sandboxes.backends.remote import warden_client
from yudai.sandboxes.backends.remote.base_build import construct
from yudai.sandboxes.backends.remote.base_snapshots import BaseSnapshots, Made
from yudai.sandboxes.backends.remote.cloud import (
    INSTALLATION,
    SANDBOX_TAG,
    BaseGoneError,
    Cloud,
    DeniedError,
    MachineSpec,
    TemplateSizedMachine,
)
from yudai.sandboxes.backends.remote.commands import RemoteCommands
from yudai.sandboxes.backends.remote.machines import (
    BEAT_S,
    GRACE_S,
    Admission,
    HeldMachine,
    Machines,
    standing,
)
from yudai.sandboxes.backends.remote.rate_limit import MachineRateLimit
from yudai.sandboxes.backends.remote.reap import OrphanTracker
from yudai.sandboxes.backends.sandbox import Parts, Places, SandboxHandle
from yudai.sandboxes.backends.toolchain import toolchain
from yudai.sandboxes.backends.toolchain.package_settings import (
    NO_PACKAGES,
    PackageSettings,
    hosts_of,
)
from yudai.sandboxes.backends.warden.protocol import AGENT_HOME, RECORD
from yudai.sandboxes.port import (
    ENV,
    NO_NETWORK,
    WORKSPACE,
    BaseRef,
    BaseSpec,
    BaseView,
    Capabilities,
    Leftover,
    NetworkPolicy,
    Phase,
    SandboxLimits,
    SandboxRef,
)
from yudai.sandboxes.register import BaseEntry, Register, SandboxEntry

log: structlog.stdlib.BoundLogger = structlog.get_logger()

_PLACES = Places(git=f"{RECORD}/git", workspace=WORKSPACE, scratch="/tmp/.yudai")  # noqa: S108 - inside the sandbox
_BUILDER = "yudai"
_OWN_STEPS_S = 1800.0
_COUNTED_ELSEWHERE = 1 << 20
_ONE_USER = (
    "the sandbox cannot run commands as another user: its image or its engine removes that right"
)


@dataclass(frozen=True)
class Terms:
    """How a provider's machines are created and kept alive."""

    limits: SandboxLimits = field(default_factory=SandboxLimits)
    network: NetworkPolicy = NO_NETWORK
    packages: PackageSettings = NO_PACKAGES
    ttl_s: float = 900.0
    """The provider ends a machine after this time unless we extend it."""
    beat_s: float = BEAT_S
    at_most: int | None = None
    """Machines at once, of all processes that share the register; None: as the pace of each."""
    waits: bool = True
    """Whether to wait for a free place; else BusyError."""
    one_user: bool = False
    """Whether commands may run as our warden's own user, and so could forge its answers."""


class RemoteBackend:
    def __init__(
        self, cloud: Cloud, register: Register, rate_limit: MachineRateLimit, terms: Terms
    ) -> None:
        self._cloud = cloud
        self._register = register
        self._terms = terms
        self._machines = Machines(
            cloud,
            register,
            rate_limit,
            ttl_s=terms.ttl_s,
            beat_s=terms.beat_s,
            admission=Admission(register, at_most=terms.at_most, waits=terms.waits),
        )
        self._snapshots = BaseSnapshots(cloud, register, edition=warden_client.edition())
        self._watch = OrphanTracker()
        self._sandboxes: dict[str, SandboxHandle] = {}
        self._capabilities: Capabilities | None = None

    async def capabilities(self) -> Capabilities:
        if self._capabilities is None:
            self._capabilities = await self._cloud.examine()
        return self._capabilities

    async def prepare(self, spec: BaseSpec, *, owner: str = "") -> BaseRef:
        toolchain.find(spec.env)
        await self._snapshots.prepare(spec.key, partial(self._build, spec, owner))
        return BaseRef(key=spec.key)

    async def setup_log(self, base: BaseRef) -> bytes:
        return await self._snapshots.setup_log(base.key)

    async def spawn(
        self,
        base: BaseRef,
        n: int,
        *,
        owner: str,
        phase: Phase = Phase.AGENT,
    ) -> Sequence[SandboxHandle | SandboxError]:
        entry = await self._snapshots.find(base.key)
        wanted = [await self._want(entry, owner=owner, phase=phase) for _ in range(n)]
        made = await self._machines.create_all(wanted)
        if any(isinstance(one, BaseGoneError) for one in made):
            self._snapshots.doubt(entry)
        try:
            # Their rows keep the base from now on; but it may have been removed before that.
            await self._snapshots.find(base.key)
            await self._register.use_base(self._cloud.name, entry.key)
        except BaseException:
            await self._machines.destroy_all(made)
            raise
        fit = [standing(one) for one in made]
        return [one if isinstance(one, SandboxError) else self._sandbox(one) for one in fit]

    async def list(self, owner: str | None = None) -> Sequence[SandboxRef]:
        """Without those that could not be removed, which sweeps retry."""
        rows = await self._register.sandboxes(self._cloud.name)
        there = [row for row in rows if not row.is_ended]
        return [self._ref(row) for row in there if owner is None or row.owner == owner]

    async def destroy(self, ref: SandboxRef) -> bool:
        """End a sandbox of this process or of another one."""
        sandbox = self._sandboxes.get(ref.id)
        if sandbox is not None:
            await sandbox.destroy()
            return True
        rows = {row.id: row for row in await self._register.sandboxes(self._cloud.name)}
        row = rows.get(ref.id)
        if row is None:
            return False
        for machine in await self._machines_of(row):
            await self._cloud.kill(machine)
        return await self._register.close_sandbox(row.id)

    async def reap(self, *, dry_run: bool = False) -> Sequence[Leftover]:
        return await self._watch.reap(
            self._cloud, self._register, dry_run=dry_run, holds=self._machines.holds
        )

    async def size_of(self, ref: SandboxRef) -> SandboxLimits | None:
        """The actual size that the provider gave a sandbox; None: as requested."""
        member = self._machines.member(ref.id)
        if member is None or not isinstance(member.machine, TemplateSizedMachine):
            return None
        return await member.machine.size(self._terms.limits)

    async def bases(self) -> Sequence[BaseView]:
        return await self._snapshots.facts()

    async def remove_base(self, key: str) -> bool:
        return await self._snapshots.remove(key)

    async def close(self) -> None:
        """End every sandbox of this process; the backend may be used again after that."""
        ending = [asyncio.create_task(sandbox.destroy()) for sandbox in self._sandboxes.values()]
        if ending:
            await asyncio.wait(ending)
        await self._machines.close()
        await self._cloud.close()
        for task in ending:
            task.result()

    async def _build(self, spec: BaseSpec, owner: str) -> Made:
        hosts = (*self._terms.network.setup, *hosts_of(self._terms.packages))
        entry = await self._entry(owner or _BUILDER)
        machine_spec = await self._machine_spec(entry, image="", hosts=hosts, phase=Phase.SETUP)
        # Set-up has its own time limit, and our steps take time as well.
        lifetime_s = max(machine_spec.limits.lifetime_s, spec.setup_timeout_s + _OWN_STEPS_S)
        limits = machine_spec.limits.model_copy(update={"lifetime_s": lifetime_s})
        machine_spec = machine_spec.model_copy(update={"limits": limits})
        member = await self._machines.create(entry, machine_spec)
        image = ""
        try:
            commands = self._commands(member, building=True)
            welcome = await commands.init()
            if not (welcome.separate or self._terms.one_user):
                raise DeniedError(_ONE_USER)  # noqa: TRY301 - undone below like all else
            built = await construct(spec, member.machine, commands, self._terms.packages)
            name = _snapshot_name(machine_spec, await self._snapshots.name(spec.key))
            image = await self._cloud.snapshot(member.machine, name)
            await self._machines.destroy(entry.id)
            return Made(image, built.setup_log, built.size_bytes)
        except BaseException:
            await self._machines.destroy(entry.id)
            if image:
                await self._snapshots.drop(image)
            raise

    async def _want(
        self, base: BaseEntry, *, owner: str, phase: Phase
    ) -> tuple[SandboxEntry, MachineSpec]:
        entry = await self._entry(owner, base=base.key)
        hosts = self._terms.network.hosts(phase)
        return entry, await self._machine_spec(entry, image=base.external, hosts=hosts, phase=phase)

    async def _entry(self, owner: str, *, base: str = "") -> SandboxEntry:
        return SandboxEntry(
            id=secrets.token_hex(8),
            backend=self._cloud.name,
            owner=owner,
            base=base,
            tags=await self._register.tags(owner),
        )

    async def _machine_spec(
        self, entry: SandboxEntry, *, image: str, hosts: tuple[str, ...], phase: Phase
    ) -> MachineSpec:
        given = {"owner": entry.owner, **entry.tags.model_dump()}
        own = {INSTALLATION: await self._register.installation(), SANDBOX_TAG: entry.id}
        return MachineSpec(
            key=f"yudai-{entry.id}",
            image=image,
            tags={name: value for name, value in given.items() if value} | own,
            limits=self._terms.limits,
            ttl_s=min(self._terms.ttl_s, self._terms.limits.lifetime_s + GRACE_S),
            hosts=hosts,
            phase=phase,
        )

    def _commands(self, member: HeldMachine, *, building: bool = False) -> RemoteCommands:
        words = variables(home=AGENT_HOME, path=(f"{ENV}/bin",), env=ENV)
        given = words | dict(member.machine.variables)
        limits = self._terms.limits
        if not self._cloud.own_kernels:
            # Its engine limits each machine; the user is the same in all of them.
            limits = limits.model_copy(update={"processes": _COUNTED_ELSEWHERE})
        return RemoteCommands(member.machine, variables=given, limits=limits, building=building)

    def _sandbox(self, member: HeldMachine) -> SandboxHandle:
        commands = self._commands(member)
        remove = partial(self._forget, member.entry.id)
        parts = Parts(commands, commands.changes, _PLACES, remove, member.machine.extend)
        sandbox = self._sandboxes[member.entry.id] = SandboxHandle(self._ref(member.entry), parts)

        async def end(why: str) -> None:
            await sandbox.destroy(why=why)

        member.end = end
        return sandbox

    async def _forget(self, sandbox_id: str) -> None:
        await self._machines.destroy(sandbox_id)
        self._sandboxes.pop(sandbox_id, None)

    def _ref(self, entry: SandboxEntry) -> SandboxRef:
        return SandboxRef(backend=self._cloud.name, id=entry.id, owner=entry.owner)

    async def _machines_of(self, row: SandboxEntry) -> Sequence[str]:
        if row.external:
            return [row.external]
        found = await self._cloud.list(await self._register.installation())
        return [machine.id for machine in found if machine.tags.get(SANDBOX_TAG) == row.id]


def _snapshot_name(machine_spec: MachineSpec, base: str) -> str:
    """Differs from names of other installations and of other builds of the same base."""
    digest = hashlib.sha256(f"{machine_spec.tags[INSTALLATION]} {base}".encode())
    return f"yudai-base-{digest.hexdigest()[:24]}"
