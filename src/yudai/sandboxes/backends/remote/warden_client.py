"""Client of a machine's warden: repeats requests when the connection breaks, never runs twice.

The warden goes there as one file that any Python from 3.10 on can run: our modules and pathspec.
"""

import asyncio
import hashlib
import io
import json
import secrets
import shlex
import time
import zipfile
from collections.abc import Awaitable, Callable
from functools import cache, partial
from importlib import resources
from importlib.resources.abc import Traversable
from typing import Any, NamedTuple, TypeVar

from yudai.kit.causes import Cause
from yudai.kit.errors import SandboxError
from yudai.sandboxes.backends.remote.cloud import (
    BusyError,
    ConnectionCutError,
    DeniedError,
    GoneError,
    Listening,
    Machine,
)
from yudai.sandboxes.backends.warden.protocol import (
    ARCHIVE,
    FOLDER,
    LIBRARY,
    MAX_CHANGES,
    Heard,
    hear,
    room_for,
)
from yudai.sandboxes.backends.workspace.manifest import Entry
from yudai.sandboxes.backends.workspace.worktree import Change

_SANDBOXES = "yudai.sandboxes.backends"
_OURS = ("warden", "workspace")
_PARENTS = ("yudai", "yudai/sandboxes", "yudai/sandboxes/backends")
# Old Pythons must be able to read it, to say that they are too old.
_MAIN = b"""import sys
if sys.version_info < (3, 10):
    sys.stdout.write("yudai: the image's Python is %d.%d < 3.10\\n" % sys.version_info[:2])
    sys.exit(1)
if sys.argv[1:2] != ["init"]:
    # Where `init` has unpacked all this: compiled once, not each time.
    sys.path.insert(0, "LIBRARY")
from yudai.sandboxes.backends.warden.main import main
sys.exit(main(sys.argv[1:]))
""".replace(b"LIBRARY", LIBRARY.encode())


@cache
def bundle() -> bytes:
    """The same bytes from the same sources, on every machine."""
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_STORED) as file:
        for name, text in sorted(_bundled_files().items()):
            file.writestr(zipfile.ZipInfo(name), text)
    return archive.getvalue()


@cache
def edition() -> str:
    """Digest that identifies this version of the warden."""
    return hashlib.sha256(bundle()).hexdigest()[:12]


def _bundled_files() -> dict[str, bytes]:
    ours = resources.files(_SANDBOXES)
    folder = _SANDBOXES.replace(".", "/")
    files = {f"{parent}/__init__.py": b"" for parent in _PARENTS}
    for name in _OURS:
        files |= _bundled_tree(f"{folder}/{name}", ours / name)
    return files | _bundled_tree("pathspec", resources.files("pathspec")) | {"__main__.py": _MAIN}


def _bundled_tree(name: str, folder: Traversable) -> dict[str, bytes]:
    found: dict[str, bytes] = {}
    for entry in folder.iterdir():
        if entry.is_dir() and entry.name != "__pycache__":
            found |= _bundled_tree(f"{name}/{entry.name}", entry)
        elif entry.name.endswith(".py"):
            found[f"{name}/{entry.name}"] = entry.read_bytes()
    return found


PYTHON = "python3 -I -S -X utf8"
_PAUSES_S = (0.1, 0.5, 1.0, 2.0, 4.0)
_LONG_S = 20.0
_LAST_WORDS = 500
_BIG = 1 << 20

T = TypeVar("T")


class WardenClient:
    def __init__(self, machine: Machine) -> None:
        self.machine = machine
        self.lost = ""
        """Why no request can be sent any more."""

    @property
    def can_tell(self) -> bool:
        """Whether a text can be sent with a request."""
        return isinstance(self.machine, Listening)

    async def ask(
        self,
        name: str,
        *words: str,
        timeout_s: float,
        max_body: int = 1 << 20,
        text: bytes = b"",
    ) -> Heard:
        """The warden's answer under that name; TimeoutError when there is none in time."""
        line = f"{PYTHON} {ARCHIVE} {shlex.join(words)}"
        run = self.machine.run
        if text and isinstance(self.machine, Listening):
            run = partial(self.machine.tell, text=text)

        async def attempt() -> Heard:
            said = (await run(line, timeout_s=timeout_s, max_bytes=room_for(max_body))).output
            big = len(said) > _BIG
            heard = await asyncio.to_thread(hear, name, said) if big else hear(name, said)
            if heard is None:
                raise ConnectionCutError(f"the sandbox's warden does not answer: {_last(said)}")
            return heard

        async with asyncio.timeout(timeout_s):
            return await self.insist(attempt)

    async def put(self, path: str, content: bytes, *, timeout_s: float) -> None:
        """Write a file, with retries; the machine is lost if that does not end in time."""
        put = partial(self.machine.put, path, content)
        try:
            async with asyncio.timeout(timeout_s):
                await self.insist(put, is_long=False)
        except TimeoutError:
            raise self.lose("writing a file to the sandbox took too long") from None

    async def insist(self, act: Callable[[], Awaitable[T]], *, is_long: bool = True) -> T:
        """Do what may be done twice, until the line holds; SandboxError when it does not.

        `is_long`: a line that held for a while was a good one.
        """
        pauses = iter(_PAUSES_S)
        while True:
            self.check()
            began = time.monotonic()
            try:
                return await act()
            except GoneError as error:
                raise self.lose(str(error)) from error
            except (ConnectionCutError, BusyError) as error:
                if is_long and time.monotonic() - began > _LONG_S:
                    # It held for a while: some providers let no line be open for longer.
                    pauses = iter(_PAUSES_S)
                seconds = next(pauses, None)
                if seconds is None:
                    raise self.lose(str(error)) from error
                asked = error.retry_after_s if isinstance(error, BusyError) else None
            await asyncio.sleep(max(seconds, min(asked or 0, _LONG_S)))

    def check(self) -> None:
        if self.lost:
            raise SandboxError(self.lost, cause=Cause.SANDBOX_LOST)

    def lose(self, why: str) -> SandboxError:
        """Stop all requests; returns the error to raise."""
        self.lost = self.lost or why
        return SandboxError(self.lost, cause=Cause.SANDBOX_LOST)


def _last(said: bytes) -> str:
    return said[-_LAST_WORDS:].decode("utf-8", "replace").strip() or "it says nothing"


_STEP_S = 300.0
_IS_NEW = "import sys; sys.exit(sys.version_info < (3, 10))"
_LOOK = f"mkdir -p {FOLDER} && {PYTHON} -c {shlex.quote(_IS_NEW)}"
_NEEDS = f"the sandbox's image needs Python 3.10 or newer as python3, and a writable {FOLDER}"


class Welcome(NamedTuple):
    """Facts about a machine, from its warden."""

    separate: bool
    """Whether commands run as another user than the warden, and so cannot touch it."""
    python: str


async def init(line: WardenClient) -> Welcome:
    try:
        async with asyncio.timeout(_STEP_S):
            return await _init(line)
    except TimeoutError:
        raise line.lose("the sandbox does not answer") from None


async def _init(line: WardenClient) -> Welcome:
    said = await line.insist(partial(line.machine.run, _LOOK, timeout_s=_STEP_S))
    if said.exit_code != 0:
        last = said.output.decode("utf-8", "replace").strip()[-_LAST_WORDS:]
        raise DeniedError(f"{_NEEDS}: {last}")
    await line.put(ARCHIVE, bundle(), timeout_s=_STEP_S)
    header = (await ask(line, "init")).header
    if header["lacks"]:
        raise DeniedError(f"the sandbox's image lacks {', '.join(map(str, header['lacks']))}")
    return Welcome(separate=bool(header["separate"]), python=str(header["python"]))


async def changes(line: WardenClient) -> dict[str, Change]:
    """Changed paths in order, as a local sandbox's work tree would tell them."""
    name = secrets.token_hex(8)
    heard = await ask(line, "walk", name)
    if refused := heard.header.get("refused"):
        raise SandboxError(str(refused), cause=Cause.PATCH_REFUSED)
    try:
        words: dict[str, Any] = json.loads(heard.body)
        return {path: _change(word) for path, word in words.items()}
    except (TypeError, ValueError) as error:
        raise line.lose(f"the sandbox's warden is not understood: {error}") from error


async def ask(line: WardenClient, verb: str, name: str = "") -> Heard:
    words = (verb, name) if name else (verb,)
    try:
        return await line.ask(name or verb, *words, timeout_s=_STEP_S, max_body=MAX_CHANGES)
    except TimeoutError:
        raise line.lose(f"the sandbox does not answer: {verb}") from None


def _change(word: list[Any] | None) -> Change:
    if word is None:
        return Change(None, 0)
    mode, oid, size = word
    return Change(Entry(str(mode), str(oid)), int(size))
