"""The isolated machine that a run works in, and who provides it."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple, Protocol

from yudai.domain.errors import SandboxError
from yudai.domain.value import Value

WORKSPACE = "/workspace"
ENV = "/env"

DEFAULT_MAX_OUTPUT = 1_000_000


class Guarantee(Value):
    """One promise of a backend on this host, and how it is (or is not) kept."""

    name: str
    holds: bool
    how: str


class Capabilities(Value):
    backend: str
    isolated: bool
    """False: commands see the host's files, processes and network."""
    guarantees: tuple[Guarantee, ...]


class SandboxLimits(Value):
    memory_bytes: int = 4 << 30
    processes: int = 512
    disk_bytes: int = 4 << 30


class BaseSpec(Value):
    """What every sandbox of a solve starts from."""

    key: str
    """Names this base: equal keys mean equal contents."""
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


class SandboxRef(Value):
    backend: str
    id: str
    owner: str


class ExecResult(Value):
    """A command's end; a non-zero exit or a timeout is a result, not an error."""

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
    """The work tree's difference from the base, cheaply seen from outside."""

    fingerprint: str
    """Equal fingerprints mean equal trees; "" means no difference from the base."""
    changed: tuple[str, ...]


class Sandbox(Protocol):
    @property
    def ref(self) -> SandboxRef: ...

    async def exec(
        self,
        command: str,
        *,
        cwd: str = WORKSPACE,
        env: Mapping[str, str] | None = None,
        timeout_s: float = 60.0,
        max_output: int = DEFAULT_MAX_OUTPUT,
        stdin: bytes = b"",
    ) -> ExecResult:
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

    async def prepare(self, spec: BaseSpec) -> BaseRef:
        """Build the base once; a second call with the same key returns at once.

        SetupError when one of its set-up commands fails.
        """
        ...

    async def setup_log(self, base: BaseRef) -> bytes:
        """What the set-up of a prepared base printed, command by command; b"": not known."""
        ...

    async def spawn(
        self, base: BaseRef, n: int, *, owner: str
    ) -> Sequence[Sandbox | SandboxError]: ...

    async def list(self, owner: str | None = None) -> Sequence[SandboxRef]: ...

    async def destroy(self, ref: SandboxRef) -> bool:
        """Idempotent; False means that it was gone already."""
        ...

    async def reap(self) -> int:
        """Remove what dead processes of this installation left; returns how many."""
        ...

    async def close(self) -> None: ...
