"""The Protocols of a sandbox and of the backend that provides it."""

from collections.abc import Callable, Mapping, Sequence
from enum import StrEnum
from pathlib import Path
from typing import NamedTuple, Protocol, TypedDict, Unpack

from pydantic import Field

from yudai.kit.errors import SandboxError
from yudai.kit.value import Value
from yudai.sandboxes.domain.guarantees import Guarantee, isolates

WORKSPACE = "/workspace"
ENV = "/env"

DEFAULT_MAX_OUTPUT = 1_000_000


class Capabilities(Value):
    backend: str
    guarantees: tuple[Guarantee, ...]
    version: str = ""
    """Version of the program or client library that makes the sandboxes."""
    start_ms: float | None = None
    """Measured seconds from requesting a sandbox until `true` has run in it."""

    @property
    def isolated(self) -> bool:
        """False: commands may see the host's files, processes or network."""
        return isolates(self.guarantees)


class SandboxLimits(Value):
    processors: float = 2.0
    memory_bytes: int = 4 << 30
    processes: int = 512
    disk_bytes: int = 4 << 30
    lifetime_s: float = 3600.0
    """A sandbox older than this is destroyed, even while commands run."""


class Phase(StrEnum):
    """What a sandbox is for; each has its own network policy."""

    SETUP = "setup"
    AGENT = "agent"
    VERIFICATION = "verification"


class NetworkPolicy(Value):
    """Which hosts each phase may reach: `host`, `*.domain`, either with `:port`; () is nothing."""

    setup: tuple[str, ...] = ()
    agent: tuple[str, ...] = ()
    verification: tuple[str, ...] = ()

    def hosts(self, phase: Phase) -> tuple[str, ...]:
        return getattr(self, phase.value)


NO_NETWORK = NetworkPolicy()


UNKNOWN_PORT = 0


class Blocked(Value):
    """A sandbox's attempt to reach a host that is not allowed in its phase."""

    host: str
    port: int
    """UNKNOWN_PORT: only its name was looked up."""
    phase: Phase
    owner: str


OnBlocked = Callable[[Blocked], None]
"""Called once per owner, host and port; must not block."""


def ignore_blocked(_: Blocked) -> None:
    """An `OnBlocked` that does nothing."""


class Tags(Value):
    """Tags of a sandbox's owner, as the provider shows them; "": unknown."""

    solve: str = ""
    run: str = ""
    conversation: str = ""
    issue: str = ""
    user: str = ""


class BaseSpec(Value):
    """The base that every sandbox of a solve starts from."""

    key: str
    """Key of the base: equal keys mean equal contents."""
    source: Path
    """A tar archive of the tree at the base commit."""
    setup: tuple[str, ...] = ()
    """Run once, in order, in `folder`, with a network; what they put into /env and the workspace
    is there, read-only and below the overlay, in every sandbox of this base."""
    folder: str = ""
    """Where in the workspace set-up commands run: "" or a relative path."""
    setup_timeout_s: float = 1800.0
    env: Path | None = None
    """A Python environment of the host, bound read-only at /env; excludes one made by set-up."""
    python: str = ""
    """The Python version that is asked for (`3.12`, `>=3.10`); "": ours."""
    node: bool = False
    """Whether Node is needed: the host's, else the one from PyPI."""


class BaseRef(Value):
    key: str


class BaseView(Value):
    """A prepared base."""

    backend: str
    key: str
    size_bytes: int | None = Field(description="null: unknown to its provider.")
    made_at: float
    used_at: float = Field(description="When its last sandbox was created or ended.")
    users: int = Field(description="Sandboxes that use it; a base in use cannot be removed.")


class SandboxRef(Value):
    backend: str
    id: str
    owner: str


class Fate(StrEnum):
    """Result for a leftover; in a dry run, the expected one."""

    REAPED = "reaped"
    REFUSED = "refused"
    """It could not be removed: the next sweep tries again."""
    WAITING = "waiting"
    """Unknown, and not observed for long enough."""


class Leftover(Value):
    """A sandbox, or an unfinished part of a backend, whose process is gone."""

    backend: str
    id: str
    owner: str = ""
    why: str
    age_s: float | None = None
    fate: Fate = Fate.REAPED
    note: str = ""
    """Why it was not removed."""

    def refused(self, note: str) -> "Leftover":
        return self.model_copy(update={"fate": Fate.REFUSED, "note": note})


class ExecOptions(TypedDict, total=False):
    """A command's options; each has the default that `Exec` gives it."""

    cwd: str
    env: Mapping[str, str] | None
    timeout_s: float
    max_output: int
    stdin: bytes


class Exec(NamedTuple):
    """A command with all its options."""

    command: str
    cwd: str = WORKSPACE
    env: Mapping[str, str] | None = None
    timeout_s: float = 60.0
    max_output: int = DEFAULT_MAX_OUTPUT
    stdin: bytes = b""


class ExecResult(Value):
    """A command's result. A non-zero exit code or a timeout is not an error."""

    exit_code: int
    output: bytes
    truncated: bool = False
    timed_out: bool = False
    oom: bool = False
    disk_full: bool = False
    duration_s: float = 0.0

    @property
    def text(self) -> str:
        return self.output.decode("utf-8", "replace").replace("\x00", "\ufffd")


class Tree(NamedTuple):
    """The work tree's difference from the base, measured cheaply from outside."""

    fingerprint: str
    """Equal fingerprints mean equal trees; "" means no difference from the base."""
    changed: tuple[str, ...]


class Sandbox(Protocol):
    @property
    def ref(self) -> SandboxRef: ...

    async def exec(self, command: str, **options: Unpack[ExecOptions]) -> ExecResult:
        """Run a shell command; when this returns, every process it started is dead."""
        ...

    async def read(self, path: str, *, max_bytes: int = 64 << 20) -> bytes:
        """Raise OSError: FileNotFoundError when it is missing, EFBIG when it is longer."""
        ...

    async def write(self, path: str, content: bytes) -> None:
        """Create or replace a file and the folders above it; raise OSError when refused."""
        ...

    async def tree(self) -> Tree: ...

    async def diff(self) -> str:
        """The work tree against the base as a git patch (binary, full index, no renames).

        Bytes that are not UTF-8 are lone surrogates: encode it with "surrogateescape".
        """
        ...

    async def health(self) -> bool: ...

    async def extend(self, seconds: float) -> None: ...

    async def destroy(self) -> None: ...


class Backend(Protocol):
    async def capabilities(self) -> Capabilities: ...

    async def prepare(self, spec: BaseSpec, *, owner: str = "") -> BaseRef:
        """Build the base once; a second call with the same key returns at once.

        SetupError when one of its set-up commands fails. `owner` hears what was blocked.
        """
        ...

    async def setup_log(self, base: BaseRef) -> bytes:
        """Output of a prepared base's set-up, by command; b"": unknown."""
        ...

    async def spawn(
        self, base: BaseRef, n: int, *, owner: str, phase: Phase = Phase.AGENT
    ) -> Sequence[Sandbox | SandboxError]: ...

    async def list(self, owner: str | None = None) -> Sequence[SandboxRef]: ...

    async def destroy(self, ref: SandboxRef) -> bool:
        """Idempotent; False means that it was gone already."""
        ...

    async def reap(self, *, dry_run: bool = False) -> Sequence[Leftover]:
        """Remove what dead processes of this installation left, and report it.

        `dry_run` only tells.
        """
        ...

    async def bases(self) -> Sequence[BaseView]: ...

    async def remove_base(self, key: str) -> bool:
        """Remove a base; False if there is none, ConflictError while a sandbox uses it."""
        ...

    async def close(self) -> None: ...
