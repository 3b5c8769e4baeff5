"""Prime's client, kept away from the environment and home of the user who runs us.

It takes its URL from variables or ~/.prime/config.json, and writes the tokens of its gateway to
~/.prime, readable by all. Both are attributes of objects that it has made: we replace them there,
so that our process keeps its own environment and home.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import suppress
from pathlib import Path

import httpx
from prime_sandboxes import APIError, AsyncSandboxClient, Config
from prime_sandboxes.process import AsyncSandboxProcess
from prime_sandboxes.sandbox import AsyncSandboxAuthCache

from yudai.kit.errors import SandboxError
from yudai.sandboxes.backends.prime.errors import TOO_MANY, retry_after_s
from yudai.sandboxes.backends.remote.cloud import BusyError, ConnectionCutError, MachineOutput

_FOLDER = ".prime"
_CACHE = "sandbox_auth_cache.json"
# Standard input would stay open forever. The byte shows that we got the beginning.
_HEARD = b"."
_PREFIX = "exec </dev/null; printf .\n"


class _OwnConfig(Config):
    """A configuration as if Prime's command line had never been used."""

    def __init__(self, folder: Path) -> None:
        self.config_dir = folder
        self.config_file = folder / "config.json"
        self.environments_dir = folder / "environments"
        self.config: dict[str, object] = {}


def make_client(api_key: str, base_url: str | None, home: Path) -> AsyncSandboxClient:
    client = AsyncSandboxClient(api_key=api_key)
    platform = client.client
    platform.config = _OwnConfig(_private(home))
    platform.base_url = (base_url or Config.DEFAULT_BASE_URL).rstrip("/").removesuffix("/api/v1")
    platform.client.event_hooks = {"response": [_busy_at_once]}
    client._auth_cache = AsyncSandboxAuthCache(  # noqa: SLF001 # pyright: ignore[reportPrivateUsage] - it takes no path
        platform.config.config_dir / _CACHE, platform
    )
    return client


def _private(home: Path) -> Path:
    """The folder of its cache; the file is there before its client makes it for all to read."""
    folder = home / _FOLDER
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    for place in (home, folder):
        place.chmod(0o700)
    cache = folder / _CACHE
    cache.touch(mode=0o600)
    cache.chmod(0o600)
    return folder


async def _busy_at_once(response: httpx.Response) -> None:
    """Raise at once: the client would wait 10 s and 30 s, but we retry ourselves."""
    request = response.request
    is_creation = request.method == "POST" and request.url.path.endswith("/sandbox")
    if is_creation and response.status_code == TOO_MANY:
        raise BusyError("Prime creates no more for now", retry_after_s=retry_after_s(response))


async def talk(
    client: AsyncSandboxClient, machine_id: str, line: str, max_bytes: int
) -> MachineOutput:
    """Run a command, within bounds that the client does not have; what it raises passes through.

    Cancelled, it ends the command.
    """
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
    raise SandboxError(f"a command printed more than {max_bytes} bytes")


async def _listen(stream: AsyncIterator[bytes], output: bytearray, most: int) -> bool:
    """False: the output is larger."""
    async for chunk in stream:
        output += chunk
        if len(output) > most:
            return False
    return True


def _said(exit_code: int, output: bytes) -> MachineOutput:
    if not output.startswith(_HEARD):
        raise ConnectionCutError("the connection broke: the beginning of the output was lost")
    return MachineOutput(exit_code, output[len(_HEARD) :])


async def _discard(stream: AsyncIterator[bytes]) -> None:
    with suppress(APIError):
        async for _ in stream:
            pass


async def _end(process: AsyncSandboxProcess) -> None:
    """Read and drop output until it ends, because its client would keep all of it."""
    rest = [asyncio.create_task(_discard(s)) for s in (process.stdout, process.stderr)]
    try:
        with suppress(APIError):
            await process.kill()
        await process.aclose()
    finally:
        for task in rest:
            task.cancel()
