"""The Protocol of a provider of machines, with the errors and guarantees that all share."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import NamedTuple, Protocol, runtime_checkable

import structlog

from yudai.kit.causes import Cause
from yudai.kit.errors import SandboxError
from yudai.kit.value import Value
from yudai.sandboxes.domain.guarantees import GuaranteeKind, guarantees
from yudai.sandboxes.port import Capabilities, SandboxLimits

log: structlog.stdlib.BoundLogger = structlog.get_logger()

INSTALLATION = "installation"
SANDBOX_TAG = "box"
"""Tags of each of our machines: the installation that owns it, and its row in the register."""


class ConnectionCutError(SandboxError):
    """The connection broke while a command ran, which may still run: ask for it again."""

    usual_cause = Cause.SANDBOX_LOST


class GoneError(SandboxError):
    """The machine no longer exists."""

    usual_cause = Cause.SANDBOX_LOST


class BusyError(SandboxError):
    """A quota or a rate limit: nothing was made; retry after a while."""

    def __init__(self, message: str, *, retry_after_s: float | None = None) -> None:
        super().__init__(message)
        self.retry_after_s = retry_after_s


class DeniedError(SandboxError):
    """A wrong key, no credit or no such template: a retry does not help."""

    usual_cause = Cause.SANDBOX_REFUSED


class BaseGoneError(SandboxError):
    """The snapshot for the machine is gone: the base has to be built again."""


class NoAnswerError(SandboxError):
    """The answer was lost, so the outcome is unknown. Look before a retry."""


class FullError(SandboxError):
    """The machine's disk is full."""


_LONGEST = 300
Make = Callable[[str], SandboxError]
ByClass = Mapping[type[BaseException], Make]

BY_STATUS: dict[int, Make] = {
    400: DeniedError,
    402: DeniedError,
    403: DeniedError,
    409: SandboxError,
    413: DeniedError,
    422: DeniedError,
}
"""What an HTTP status means at every provider."""

_HOW: dict[GuaranteeKind, str] = {
    "files": "separate VM at the provider (its claim)",
    "environment": "the VM gets only the variables of a command",
    "network": "the provider's egress rules, closed except for a phase's hosts (its claim)",
    "processes": "commands run as another user, whose processes are killed after each",
    "processors": "{size}",
    "memory": "{size}",
    "process count": "counted in the VM, for the commands' user",
    "disk": "measured in the VM while a command runs",
    "time": "a command is killed in the VM with all its child processes; its output so far is kept",
    "output": "capped in the VM and again here",
    "kernel": "the VM's own (the provider's claim)",
}


class MachineSpec(Value):
    """Specification of a new machine."""

    key: str
    """New for each machine, [a-z0-9-]; the same key never makes two of them."""
    image: str = ""
    """Our snapshot; "": the configured template or image of the provider."""
    tags: Mapping[str, str]
    """All of them, INSTALLATION and SANDBOX_TAG included."""
    limits: SandboxLimits
    ttl_s: float
    """When the provider ends it by itself, unless it is extended."""
    hosts: tuple[str, ...] = ()
    """Hosts that it may reach; (): none."""
    phase: str = ""
    """The phase, for engines of this host that report blocked hosts."""


class Found(NamedTuple):
    id: str
    tags: Mapping[str, str]
    state: str
    """The provider's word: running, paused, pending."""
    started_at: float | None


class MachineOutput(NamedTuple):
    exit_code: int
    output: bytes
    """Standard output, and standard error where the provider mixes them."""


class Machine(Protocol):
    """One machine of a provider; we run shell lines in it as root."""

    @property
    def id(self) -> str: ...

    @property
    def variables(self) -> Mapping[str, str]:
        """Environment variables that commands need to use our proxy, where there is one."""
        ...

    async def run(self, line: str, *, timeout_s: float, max_bytes: int = 1 << 20) -> MachineOutput:
        """A line for a shell, shorter than 100 KB and without data in it that was not quoted.

        Raises ConnectionCutError, GoneError; TimeoutError after `timeout_s`, when the command
        may still run; SandboxError when it says more than `max_bytes`.
        """
        ...

    async def put(self, path: str, content: bytes) -> None:
        """Write a file as root, mode 0600 or wider; the folder is there.

        Raises ConnectionCutError, GoneError; FullError when there is no room for it.
        """
        ...

    async def allow(self, hosts: Sequence[str]) -> None:
        """Replace the allowed hosts; (): none."""
        ...

    async def extend(self, ttl_s: float) -> None:
        """Extend its life to at least this long; no effect where it is fixed at creation."""
        ...


@runtime_checkable
class Listening(Machine, Protocol):
    """A machine whose command lines other users can read: texts are sent another way."""

    async def tell(
        self, line: str, text: bytes, *, timeout_s: float, max_bytes: int = 1 << 20
    ) -> MachineOutput:
        """As `run`, with that text as standard input."""
        ...


@runtime_checkable
class TemplateSizedMachine(Machine, Protocol):
    """A machine whose size is its template's, not the requested one."""

    async def size(self, asked: SandboxLimits) -> SandboxLimits:
        """The requested limits, corrected to what the machine has."""
        ...


class Cloud(Protocol):
    @property
    def name(self) -> str:
        """The backend's name: e2b, prime, container."""
        ...

    @property
    def own_kernels(self) -> bool:
        """Whether each machine has one: else a user's processes are counted over all of them."""
        ...

    async def examine(self) -> Capabilities:
        """Guarantees, without creating a machine; SandboxError or RefusedError with the remedy."""
        ...

    async def create(self, machine_spec: MachineSpec) -> Machine:
        """Create it and wait until it answers; a failed one is removed if its id is known.

        BusyError (nothing was made, or its key makes asking again safe), DeniedError,
        BaseGoneError, else SandboxError. After a lost answer the machine is looked up by its
        SANDBOX_TAG before anything is made again.
        """
        ...

    async def snapshot(self, machine: Machine, name: str) -> str:
        """Snapshot the machine under that name ([a-z0-9-]); returns a `MachineSpec.image`."""
        ...

    async def remove_snapshot(self, image: str) -> bool: ...

    async def has_snapshot(self, image: str) -> bool: ...

    async def list(self, installation: str) -> Sequence[Found]:
        """List all machines of this installation, in any state."""
        ...

    async def kill(self, machine_id: str) -> bool:
        """Remove a machine or snapshot; False if it was gone. Raises if that is refused."""
        ...

    async def close(self) -> None: ...


@runtime_checkable
class Local(Protocol):
    """A cloud whose machines and snapshots are on one host: other hosts' are not listed."""

    async def host(self) -> str:
        """The same after a boot, and for all who see the same; [A-Za-z0-9.-]."""
        ...


@runtime_checkable
class Forking(Cloud, Protocol):
    """A cloud that can copy running machines."""

    async def fork(
        self, source: Machine, machine_specs: Sequence[MachineSpec]
    ) -> Sequence[Machine | SandboxError]:
        """Copies with the source's tags; NotImplementedError where its service has none yet."""
        ...


def by_class(error: BaseException, table: ByClass) -> Make | None:
    """The row of the nearest class that has one."""
    return next((table[kind] for kind in type(error).__mro__ if kind in table), None)


def one_line(error: BaseException) -> str:
    """Shortened, because it is shown to people and partly untrusted."""
    text = " ".join(str(error).split()) or type(error).__name__
    return "".join(c if c.isprintable() else "\ufffd" for c in text)[:_LONGEST]


async def clean_up(work: Awaitable[object], event: str, **what: str) -> None:
    """Remove in the background; errors are only logged."""
    try:
        await work
    except SandboxError as error:
        log.warning(event, error=str(error), **what)


def vm_capabilities(
    backend: str, *, version: str, size: str = "the size of the VM"
) -> Capabilities:
    """Guarantees of a VM: the provider's claims, and what our warden enforces."""
    kept = guarantees({kind: (True, how.format(size=size)) for kind, how in _HOW.items()})
    return Capabilities(backend=backend, guarantees=kept, version=version)
