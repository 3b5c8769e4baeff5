"""Clean sandboxes that no agent has touched, with patches applied inside them."""

import asyncio
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass

from yudai.kit.causes import Cause
from yudai.kit.errors import RefusedError, SandboxError
from yudai.patches.patch import Patch
from yudai.sandboxes.port import WORKSPACE, Backend, BaseRef, Phase, Sandbox

# A repository further up must not make git leave out files or look for settings there.
_APPLY = (
    'GIT_CEILING_DIRECTORIES="$(dirname "$(pwd -P)")" exec git apply --whitespace=nowarn --binary -'
)
_GIT_ENV = {"GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": "/dev/null"}
_APPLY_S = 120.0
_COMMAND_NOT_FOUND = 127
_MAX_TEXT = 2 << 20

# Stands for a file that is there but cannot be read as text.
UNREADABLE = "\0"


@dataclass(frozen=True)
class Boxes:
    """Where clean sandboxes of one base come from."""

    backend: Backend
    base: BaseRef
    owner: str

    @asynccontextmanager
    async def open(self, *patches: Patch) -> AsyncGenerator[Sandbox]:
        """One box with these patches in it, one after the other; it is gone afterwards."""
        async with self.open_alike(1) as [box]:
            for patch in patches:
                await apply_patch(box, patch)
            yield box

    @asynccontextmanager
    async def open_alike(self, n: int) -> AsyncGenerator[Sequence[Sandbox]]:
        """Boxes as base left them: asked for together, a backend may copy one for the others.

        All are gone afterwards; who is done with one ends it sooner, for others may wait for it.
        """
        made = await self.backend.spawn(self.base, n, owner=self.owner, phase=Phase.VERIFICATION)
        boxes = [box for box in made if not isinstance(box, SandboxError)]
        try:
            for error in made:
                if isinstance(error, SandboxError):
                    raise error
            yield boxes
        finally:
            # Each is begun, whenever we are cancelled.
            ending = [asyncio.create_task(box.destroy()) for box in boxes]
            if ending:
                await asyncio.wait(ending)
            for task in ending:
                task.result()


async def apply_patch(box: Sandbox, patch: Patch) -> None:
    """Apply it inside the box; RefusedError with git's first words when it does not fit."""
    if not patch.files:
        return
    result = await box.exec(
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


async def read_texts(box: Sandbox, paths: Sequence[str]) -> dict[str, str | None]:
    """Texts of files that exist; what is too long or not a file reads as UNREADABLE."""
    return {path: await _text(box, path) for path in paths}


async def _text(box: Sandbox, path: str) -> str:
    try:
        content = await box.read(f"{WORKSPACE}/{path}", max_bytes=_MAX_TEXT)
    except OSError:
        return UNREADABLE
    return content.decode("utf-8", "surrogateescape")
