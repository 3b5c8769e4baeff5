"""Where a backend records machines and snapshots before it makes them: they may outlive it."""

from collections.abc import Collection, Sequence
from contextlib import AbstractAsyncContextManager
from typing import Protocol

from yudai.kit.value import Value
from yudai.sandboxes.port import Tags


class SandboxEntry(Value):
    """A sandbox somewhere else; noted before it is asked for."""

    id: str
    """Ours: the name of the row, a tag of the sandbox, the key of its creation."""
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
    """Set by the register: its process gave it up and could not remove it."""
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
        """One random name for everything that shares this register."""
        ...

    async def tags(self, owner: str) -> Tags:
        """Tags of a sandbox's owner: a run, a solve, or a process of ours."""
        ...

    async def open_sandboxes(
        self, entries: Sequence[SandboxEntry], *, at_most: int | None = None
    ) -> bool:
        """All of one backend, or False and none: it would have more than `at_most` of them.

        Those of dead processes do not count; no two processes count at once.
        """
        ...

    async def name_sandbox(self, sandbox_id: str, external: str) -> None: ...

    async def close_sandbox(self, sandbox_id: str, *, reaped: bool = False) -> bool:
        """False: it was closed before, or never known."""
        ...

    async def let_go(self, sandbox_id: str) -> None:
        """It ended and could not be removed: it stays open, without a holder, until it is."""
        ...

    async def sandboxes(self, backend: str) -> Sequence[SandboxEntry]:
        """All open ones, of any holder."""
        ...

    async def known(self, sandbox_ids: Collection[str]) -> set[str]:
        """Which of these were ever opened here."""
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
        """Store the base; False, and nothing is stored, when that lease has been lost."""
        ...

    async def rename_base(self, backend: str, key: str, external: str) -> None:
        """Change what the provider's name of it is noted as, and nothing else."""
        ...

    async def use_base(self, backend: str, key: str) -> None:
        """Note that a sandbox was made of it."""
        ...

    async def forget_base(self, backend: str, key: str, external: str) -> bool:
        """Unless the provider's name of it is another one by now."""
        ...

    async def bases(self, backend: str) -> Sequence[BaseEntry]: ...
