"""The Protocol of repositories in folders of this machine."""

from pathlib import Path
from typing import Protocol

from yudai.forge.domain.change import Change
from yudai.kit.value import Value


class Snapshot(Value):
    """A repository at one moment; nothing in it changes afterwards."""

    repo: str
    """Its name: the root folder's."""
    root: Path
    """The repository's root on this machine."""
    folder: str = ""
    """The target inside the root: "" or a relative path with slashes."""
    branch: str
    """The current branch, or the named base."""
    commit: str
    tree: str
    """Names the contents, uncommitted changes included."""
    dirty: bool = False
    """Whether uncommitted changes are part of it."""
    source: Path
    """A tar archive of the whole tree, under our own home."""
    notes: tuple[str, ...] = ()
    """Submodules left empty, LFS pointers, links that lead outside: one line each."""


class Forge(Protocol):
    async def snapshot(self, target: str, *, base: str = "", dirty: bool = False) -> Snapshot:
        """Look without touching; RefusedError says what is wrong with the folder and what to do.

        `base` names a branch or commit instead of HEAD; uncommitted changes count only where the
        work tree stands upon it.
        """
        ...

    async def paths(self, snapshot: Snapshot) -> tuple[str, ...]:
        """All files, relative to the root; bytes that are not UTF-8 are lone surrogates."""
        ...

    async def read(self, snapshot: Snapshot, path: str, *, max_bytes: int = 1 << 20) -> bytes:
        """One file's contents; FileNotFoundError, or OSError EFBIG when it is longer."""
        ...

    async def change(self, snapshot: Snapshot, change: Change) -> bytes:
        """What a change makes of the snapshot: `git diff --binary --full-index --no-renames`.

        It is put onto the snapshot three-way; the folder stays as it is. UnfitError when it
        conflicts, NotFoundError when the folder does not have it.
        """
        ...

    async def apply(self, snapshot: Snapshot, patch: bytes) -> None:
        """Change the person's files; RefusedError, with nothing changed, when it does not fit.

        ConflictError when the folder has changed since, or when it is applied already.
        """
        ...

    async def check_branch(self, snapshot: Snapshot, name: str) -> None:
        """RefusedError when no branch of that name could be made, before anything is spent."""
        ...

    async def branch(self, snapshot: Snapshot, patch: bytes, *, name: str, message: str) -> str:
        """A new branch with one commit upon the base; returns the commit.

        Work tree, index and HEAD stay as they are. ConflictError when the name is taken, unless
        by this very commit.
        """
        ...
