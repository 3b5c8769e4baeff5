"""A sandbox of any backend: commands one at a time, files, work tree, removal."""

import asyncio
import errno
import hashlib
import os
import shlex
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from pathlib import PurePath
from typing import NamedTuple, Protocol, Unpack

from yudai.kit.causes import Cause
from yudai.kit.errors import SandboxError
from yudai.sandboxes.backends.environment import GIT_ALONE
from yudai.sandboxes.backends.shell_script import package_script
from yudai.sandboxes.backends.workspace.worktree import Change
from yudai.sandboxes.port import ExecOptions, ExecResult, SandboxRef, Tree

MAX_PATCH = 32 << 20
_MAX_CONTENT = 200 << 20
_PATCH_S = 300.0
_HEALTH_S = 10.0

# Files are read and written by commands in the sandbox, so that its links are its own affair.
_MISSING = 44
_NOT_A_FILE = 45
_UNREADABLE = 46

_READ = f"""
[ -e "$file" ] || exit {_MISSING}
[ -f "$file" ] || exit {_NOT_A_FILE}
[ -r "$file" ] || exit {_UNREADABLE}
exec head -c "$limit" -- "$file" 2>/dev/null
"""

_WRITE = """
mkdir -p -- "$(dirname -- "$file")" && exec cat >"$file"
"""

_ERRORS = {
    _MISSING: errno.ENOENT,
    _NOT_A_FILE: errno.EISDIR,
    _UNREADABLE: errno.EACCES,
}


class Commands(Protocol):
    """Runs commands of one backend; the caller queues them."""

    @property
    def lost(self) -> str:
        """Why no command can run any more; "" if they can."""
        ...

    def locate(self, path: str) -> str:
        """A path of the port as commands name it; a relative one starts at the workspace."""
        ...

    async def exec(self, command: str, **options: Unpack[ExecOptions]) -> ExecResult: ...

    async def end(self) -> None:
        """Kill everything permanently."""
        ...


class Places(NamedTuple):
    """Paths for git inside the sandbox."""

    git: str | PurePath
    workspace: str | PurePath
    scratch: str | PurePath


class Parts(NamedTuple):
    commands: Commands
    look: Callable[[], Awaitable[dict[str, Change]]]
    """Lists the changes of the workspace, sorted by path."""
    places: Places
    remove: Callable[[], Awaitable[None]]
    """Removes a dead sandbox's leftovers on the host, or its machine."""
    extend: Callable[[float], Awaitable[None]] | None = None
    """None: its lifetime is fixed and need not be extended."""


class SandboxHandle:
    def __init__(self, ref: SandboxRef, parts: Parts) -> None:
        self.ref = ref
        self._parts = parts
        self._turn = asyncio.Lock()
        self._ending: asyncio.Task[None] | None = None
        self._why = ""
        """Why it was removed without a request."""

    async def exec(self, command: str, **options: Unpack[ExecOptions]) -> ExecResult:
        async with self._turn, self._explain_loss():
            return await self._parts.commands.exec(command, **options)

    async def read(self, path: str, *, max_bytes: int = 64 << 20) -> bytes:
        async with self._turn, self._explain_loss():
            return await _read(self._parts.commands, path, max_bytes=max_bytes)

    async def write(self, path: str, content: bytes) -> None:
        async with self._turn, self._explain_loss():
            await _write(self._parts.commands, path, content)

    async def tree(self) -> Tree:
        async with self._turn, self._explain_loss():
            return as_tree(await self._changes())

    async def diff(self) -> str:
        async with self._turn, self._explain_loss():
            changes = await self._changes()
            return await take_patch(self._parts.commands, changes, self._parts.places)

    async def health(self) -> bool:
        if self._parts.commands.lost or self._turn.locked():
            return not self._parts.commands.lost
        try:
            return (await self.exec("true", timeout_s=_HEALTH_S)).exit_code == 0
        except SandboxError:
            return False

    async def extend(self, seconds: float) -> None:
        if self._parts.extend is not None:
            await self._parts.extend(seconds)

    async def destroy(self, *, why: str = "") -> None:
        """Idempotent; it continues if the caller is cancelled.

        Later users get `why` as the error.
        """
        if self._ending is None:
            self._why = why
            self._ending = asyncio.create_task(self._end())
        await asyncio.shield(self._ending)

    async def _changes(self) -> dict[str, Change]:
        if self._ending is not None:
            raise SandboxError("the sandbox has been destroyed", cause=Cause.SANDBOX_LOST)
        return await self._parts.look()

    @asynccontextmanager
    async def _explain_loss(self) -> AsyncGenerator[None]:
        """What fails or is cut short because we destroyed the sandbox reports that as its cause."""
        try:
            yield
        except (SandboxError, OSError):
            if not self._why:
                raise
        if self._why:
            raise SandboxError(self._why, cause=Cause.SANDBOX_LOST)

    async def _end(self) -> None:
        await self._parts.commands.end()
        await self._parts.remove()


def as_tree(changes: Mapping[str, Change]) -> Tree:
    """Git's view: contents, link targets, the executable bit and the set of paths count."""
    if not changes:
        return Tree("", ())
    digest = hashlib.sha256()
    for path, change in changes.items():
        digest.update(os.fsencode(path) + b"\0" + repr(change.entry).encode() + b"\0")
    return Tree(digest.hexdigest(), tuple(changes))


async def _read(sandbox: Commands, path: str, *, max_bytes: int) -> bytes:
    """Raise OSError: FileNotFoundError when it is missing, EFBIG when it is longer than that."""
    if "\0" in path:
        raise _os_error(errno.ENOENT, path)
    head = f"file={shlex.quote(sandbox.locate(path))} limit={max_bytes + 1}"
    result = await sandbox.exec(head + _READ, max_output=max_bytes + 1)
    if result.exit_code != 0:
        raise _os_error(_ERRORS.get(result.exit_code, errno.EIO), path)
    if len(result.output) > max_bytes:
        raise _os_error(errno.EFBIG, path)
    return result.output


async def _write(sandbox: Commands, path: str, content: bytes) -> None:
    """Create or replace a file and the folders above it; raise OSError when the sandbox refuses."""
    if "\0" in path:
        raise _os_error(errno.EINVAL, path)
    result = await sandbox.exec(f"file={shlex.quote(sandbox.locate(path))}{_WRITE}", stdin=content)
    if result.exit_code != 0:
        raise OSError(errno.EIO, result.text.strip() or "cannot be written", path)


def _os_error(number: int, path: str) -> OSError:
    return OSError(number, os.strerror(number), path)


async def take_patch(sandbox: Commands, changes: Mapping[str, Change], places: Places) -> str:
    """The patch as text; bytes that are not UTF-8 are kept as lone surrogates (surrogateescape)."""
    if not changes:
        return ""
    if sum(change.size for change in changes.values()) > _MAX_CONTENT:
        raise _refused("the changed files are too large for a patch")
    removed = [path for path, change in changes.items() if change.entry is None]
    kept = [path for path, change in changes.items() if change.entry is not None]
    names = {
        "GIT_DIR": str(places.git),
        "GIT_WORK_TREE": str(places.workspace),
        "SCRATCH": str(places.scratch),
    }
    result = await sandbox.exec(
        f"set -- {shlex.join(removed)}\n{package_script('workspace_patch.sh')}",
        env=GIT_ALONE | names,
        timeout_s=_PATCH_S,
        max_output=MAX_PATCH,
        stdin=b"".join(os.fsencode(path) + b"\0" for path in kept),
    )
    if result.truncated:
        raise _refused(f"the patch is longer than {MAX_PATCH} bytes")
    if result.exit_code != 0:
        raise _refused(f"git could not create the patch: {result.text[-2000:]}")
    return result.output.decode("utf-8", "surrogateescape")


def _refused(message: str) -> SandboxError:
    return SandboxError(message, cause=Cause.PATCH_REFUSED)
