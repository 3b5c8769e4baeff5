"""The Protocol for recording machines and snapshots before they are created."""

from collections.abc import Collection, Sequence
from contextlib import AbstractAsyncContextManager
from typing import Protocol

from yudai.kit.value import Value
from yudai.sandboxes.port import Tags


class SandboxEntry(Value):
    """A remote sandbox, recorded before it is requested."""

    id: str
    """Our id: of the row, as a tag of the sandbox, and as the key of its creation."""
    backend: str
    owner: str
    base: str = ""
    external: str = ""
    """The provider's name of it; "" until it has answered."""
    tags: Tags = Tags()
    created_at: float = 0.0
    is_held: bool = True
    """Whether the process that requested it is alive; set by the register only."""
    is_ended: bool = False
    """Set by the register: its process could not remove it."""
    is_here: bool = True
    """Set by the register: whether it was requested on this machine."""


class BaseEntry(Value):
    """A prepared base that a provider keeps: a snapshot, a checkpoint, an image."""

    backend: str
    key: str
    external: str
    size_bytes: int | None = None
    made_at: float = 0.0
    used_at: float = 0.0
    users: int = 0
    """Set by the register: how many sandboxes use it."""
    setup_log: bytes = b""


class Register(Protocol):
    """Shared by all processes of an installation; times are the register's own."""

    async def installation(self) -> str:
        """Random id of the installation, shared by all users of this register."""
        ...

    async def tags(self, owner: str) -> Tags:
        """Tags of a sandbox's owner: a run, a solve or a process."""
        ...

    async def open_sandboxes(
        self, entries: Sequence[SandboxEntry], *, at_most: int | None = None
    ) -> bool:
        """Open all entries of one backend, or none and return False above `at_most`.

        Those of dead processes do not count. Concurrent processes count one after the other.
        """
        ...

    async def name_sandbox(self, sandbox_id: str, external: str) -> None: ...

    async def close_sandbox(self, sandbox_id: str, *, reaped: bool = False) -> bool:
        """Close the entry; False if it was closed before or is unknown."""
        ...

    async def let_go(self, sandbox_id: str) -> None:
        """Keep the entry open without a holder, because it could not be removed."""
        ...

    async def sandboxes(self, backend: str) -> Sequence[SandboxEntry]:
        """All open entries, of any holder."""
        ...

    async def known(self, sandbox_ids: Collection[str]) -> set[str]:
        """Those ids that were ever opened here."""
        ...

    async def beat(self, held: Collection[str] = ()) -> set[str]:
        """Record that this process and its sandboxes are alive.

        Those of `held` that another process closed, thinking us dead, are reopened and returned.
        """
        ...

    def building(self, backend: str, key: str) -> AbstractAsyncContextManager[str]:
        """A lease so that only one process builds a base; it ends when its holder dies.

        Yields the name of the lease.
        """
        ...

    async def find_base(self, backend: str, key: str) -> BaseEntry | None: ...

    async def keep_base(self, entry: BaseEntry, *, turn: str | None = None) -> bool:
        """Store the base; False, without storing, if the lease was lost."""
        ...

    async def rename_base(self, backend: str, key: str, external: str) -> None:
        """Change only the provider's name of the base."""
        ...

    async def use_base(self, backend: str, key: str) -> None:
        """Record that a sandbox was created from it."""
        ...

    async def forget_base(self, backend: str, key: str, external: str) -> bool:
        """Delete the entry, unless the provider's name has changed."""
        ...

    async def bases(self, backend: str) -> Sequence[BaseEntry]: ...
