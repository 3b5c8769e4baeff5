"""A workspace of its own where an overlay is refused: a copy of the base's tree."""

import asyncio
from pathlib import Path

from yudai.kit.errors import SandboxError


async def copy_tree(source: Path, target: Path) -> None:
    """Links stay links, modes and times are kept; cheap where the file system can share blocks."""
    process = await asyncio.create_subprocess_exec(
        *("cp", "-a", "--", str(source), str(target)),
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.PIPE,
    )
    try:
        _, said = await process.communicate()
    except asyncio.CancelledError:
        process.kill()
        await process.wait()
        raise
    if process.returncode != 0:
        raise SandboxError(f"the base cannot be copied: {said.decode(errors='replace').strip()}")
