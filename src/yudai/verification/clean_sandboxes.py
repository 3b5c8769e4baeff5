"""Clean sandboxes that no agent has touched, with patches applied inside them."""

import asyncio
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass

from yudai.kit.causes import Cause
from yudai.kit.errors import RefusedError, SandboxError
from yudai.patches.patch import Patch
from yudai.sandboxes.port import WORKSPACE, Backend, BaseRef, Phase, Sandbox

# A repository in a parent folder must not change which files or settings git uses.
_APPLY = (
    'GIT_CEILING_DIRECTORIES="$(dirname "$(pwd -P)")" exec git apply --whitespace=nowarn --binary -'
)
_GIT_ENV = {"GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": "/dev/null"}
_APPLY_S = 120.0
_COMMAND_NOT_FOUND = 127
_MAX_TEXT = 2 << 20

# The text given for a file that exists but cannot be read as text.
UNREADABLE = "\0"


@dataclass(frozen=True)
class CleanSandboxes:
    """Opens clean sandboxes of one base."""

    backend: Backend
    base: BaseRef
    owner: str

    @asynccontextmanager
    async def open(self, *patches: Patch) -> AsyncGenerator[Sandbox]:
        """One sandbox with these patches applied in order; it is destroyed afterwards."""
        async with self.open_many(1) as [sandbox]:
            for patch in patches:
                await apply_patch(sandbox, patch)
            yield sandbox

    @asynccontextmanager
    async def open_many(self, n: int) -> AsyncGenerator[Sequence[Sandbox]]:
        """Sandboxes of the unchanged base, requested together so that a backend may copy one.

        All are destroyed afterwards. Destroy one earlier when it is no longer needed: other tasks
        may be waiting for a free sandbox.
        """
        made = await self.backend.spawn(self.base, n, owner=self.owner, phase=Phase.VERIFICATION)
        sandboxes = [sandbox for sandbox in made if not isinstance(sandbox, SandboxError)]
        try:
            for error in made:
                if isinstance(error, SandboxError):
                    raise error
            yield sandboxes
        finally:
            # Start every removal, even when this task is cancelled.
            ending = [asyncio.create_task(sandbox.destroy()) for sandbox in sandboxes]
            if ending:
                await asyncio.wait(ending)
            for task in ending:
                task.result()


async def apply_patch(sandbox: Sandbox, patch: Patch) -> None:
    """Apply the patch in the sandbox; RefusedError with git's first words if it does not fit."""
    if not patch.files:
        return
    result = await sandbox.exec(
        _APPLY,
        env=_GIT_ENV,
        timeout_s=_APPLY_S,
        stdin=patch.text.encode("utf-8", "surrogateescape"),
    )
    if result.exit_code == _COMMAND_NOT_FOUND or result.timed_out or result.oom:
        message = "git could not apply a patch in the sandbox"
        raise SandboxError(message, cause=Cause.VERIFICATION_FAILED)
    if result.exit_code != 0:
        said = next(iter(result.text.strip().splitlines()), "git refuses it")
        raise RefusedError(f"the patch does not apply: {said.removeprefix('error: ')}")


async def read_texts(sandbox: Sandbox, paths: Sequence[str]) -> dict[str, str | None]:
    """Texts of existing files; one that is too long or not a file reads as UNREADABLE."""
    return {path: await _text(sandbox, path) for path in paths}


async def _text(sandbox: Sandbox, path: str) -> str:
    try:
        content = await sandbox.read(f"{WORKSPACE}/{path}", max_bytes=_MAX_TEXT)
    except OSError:
        return UNREADABLE
    return content.decode("utf-8", "surrogateescape")
