"""What a backend writes down outside itself, before it makes what could outlive its process."""

from collections.abc import Collection, Sequence
from contextlib import AbstractAsyncContextManager
from typing import Protocol

from yudai.kit.value import Value
from yudai.sandboxes.port import Tags


class BoxEntry(Value):
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
    """Whether the process that asked for it is alive; told by the register, never given to it."""
    is_ended: bool = False
    """Told as well: its process has let it go, and could not remove it."""
    is_here: bool = True
    """Told as well: whether it was asked for on this machine."""


class BaseEntry(Value):
    """A prepared base that a provider keeps: a snapshot, a checkpoint, an image."""

    backend: str
    key: str
    external: str
    size_bytes: int | None = None
    made_at: float = 0.0
    used_at: float = 0.0
    users: int = 0
    """Told by the register: sandboxes that stand on it."""
    setup_log: bytes = b""


class Register(Protocol):
    """Shared by all processes of an installation; times are the register's own."""

    async def installation(self) -> str:
        """One random name for everything that shares this register."""
        ...

    async def tags(self, owner: str) -> Tags:
        """What is known of a sandbox's owner: a run, a solve, or somebody of ours."""
        ...

    async def open_boxes(self, entries: Sequence[BoxEntry], *, at_most: int | None = None) -> bool:
        """All of one backend, or False and none: it would have more than `at_most` of them.

        Those of dead processes do not count; no two processes count at once.
        """
        ...

    async def name_box(self, box_id: str, external: str) -> None: ...

    async def close_box(self, box_id: str, *, reaped: bool = False) -> bool:
        """False: it was closed before, or never known."""
        ...

    async def let_go(self, box_id: str) -> None:
        """It has ended and could not be removed: it stays open, and is nobody's until it is."""
        ...

    async def boxes(self, backend: str) -> Sequence[BoxEntry]:
        """Those that are open, whoever holds them."""
        ...

    async def known(self, box_ids: Collection[str]) -> set[str]:
        """Which of these were ever opened here."""
        ...

    async def beat(self, held: Collection[str] = ()) -> set[str]:
        """Say that this process is alive, and so are its boxes.

        Those of `held` that others have closed, who took it for dead, are opened again and told.
        """
        ...

    def building(self, backend: str, key: str) -> AbstractAsyncContextManager[str]:
        """One builder of a base at a time, over all processes; a dead one's turn ends.

        It is told the name of its turn.
        """
        ...

    async def find_base(self, backend: str, key: str) -> BaseEntry | None: ...

    async def keep_base(self, entry: BaseEntry, *, turn: str | None = None) -> bool:
        """Nothing is kept, and False is told, when that turn is over, and so another's by now."""
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
