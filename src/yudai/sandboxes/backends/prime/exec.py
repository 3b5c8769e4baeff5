"""A command at Prime and what it says, within bounds that its client does not have."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import suppress

from prime_sandboxes import APIError, AsyncSandboxClient
from prime_sandboxes.process import AsyncSandboxProcess

from yudai.kit.errors import SandboxError
from yudai.sandboxes.backends.remote.cloud import CutError, Said

# Standard input would stay open for ever. The byte says that we heard the beginning.
_HEARD = b"."
_PREFIX = "exec </dev/null; printf .\n"


async def talk(client: AsyncSandboxClient, machine_id: str, line: str, max_bytes: int) -> Said:
    """Cancelled, it ends the command; what its client raises passes through."""
    process = await client.open_process(machine_id, _PREFIX + line, working_dir="/", user="root")
    # What is said while it attaches again would be lost without a word.
    process._reconnect = None  # noqa: SLF001 # pyright: ignore[reportPrivateUsage] - no option for it
    output = bytearray()
    complaints = asyncio.create_task(_discard(process.stderr))
    try:
        is_all = await _listen(process.stdout, output, max_bytes + len(_HEARD))
        if is_all:
            exit_code = await process.wait()
            return _said(exit_code, bytes(output))
    except asyncio.CancelledError:
        await _end(process)
        raise
    finally:
        complaints.cancel()
    await _end(process)
    raise SandboxError(f"a command said more than {max_bytes} bytes")


async def _listen(stream: AsyncIterator[bytes], output: bytearray, most: int) -> bool:
    """False: there is more of it."""
    async for chunk in stream:
        output += chunk
        if len(output) > most:
            return False
    return True


def _said(exit_code: int, output: bytes) -> Said:
    if not output.startswith(_HEARD):
        raise CutError("the line broke: the beginning of what it said was lost")
    return Said(exit_code, output[len(_HEARD) :])


async def _discard(stream: AsyncIterator[bytes]) -> None:
    with suppress(APIError):
        async for _ in stream:
            pass


async def _end(process: AsyncSandboxProcess) -> None:
    """What it says until it dies is read and dropped: its client would keep all of it."""
    rest = [asyncio.create_task(_discard(s)) for s in (process.stdout, process.stderr)]
    try:
        with suppress(APIError):
            await process.kill()
        await process.aclose()
    finally:
        for task in rest:
            task.cancel()
