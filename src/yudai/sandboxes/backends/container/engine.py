"""Calls podman or docker as a program, never through its socket or a shell."""

import asyncio
import json
import re
import shlex
import shutil
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

from yudai.kit.causes import Cause
from yudai.kit.errors import SandboxError
from yudai.kit.untyped import Object, as_items, as_object, is_object

_ANSWER_S = 10.0
_CALL_S = 120.0
_CHUNK = 1 << 16
_LAST_BYTES = 1 << 13
_LAST_WORDS = 500
_ENGINES = ("podman", "docker")
# The last that docker says of a container that it did not start, whatever the reason was.
_ADVICE = re.compile(r"(Run|See) 'docker .*--help'")
_INFO = ("info", "--format", "{{json .}}")
_MISSING = (
    "no such container",
    "no such image",
    "no such object",
    "no container with",
    "image not known",
)
_NONE = "no container engine found: install podman, or docker and start its daemon"
_REMEDIES = {
    "cannot connect to the docker daemon": "start its daemon, or install podman",
    "permission denied": "give this user access to it, or use podman without root",
    "newuidmap": "install uidmap, and give this user ids in /etc/subuid and /etc/subgid",
    "subuid": "give this user ids in /etc/subuid and /etc/subgid",
    "runtime": "install runc or crun, and name it in containers.conf or CONTAINER_ENGINE",
}


class Answer(NamedTuple):
    code: int
    output: bytes
    error: str
    """The last line of standard error, without hints for further reading."""

    @property
    def is_missing(self) -> bool:
        """Whether the message of either engine means "not found"."""
        return self.code != 0 and any(words in self.error.lower() for words in _MISSING)


class Engine:
    """A program that takes podman's command line; docker's is the same where we use it."""

    def __init__(
        self, argv: Sequence[str], facts: Object | None = None, folder: Path | None = None
    ) -> None:
        """`facts` are what its `info` says; it is called in this folder."""
        self.argv = tuple(argv)
        self.facts = facts or {}
        self._folder = folder

    def called_in(self, folder: Path) -> "Engine":
        """Podman's monitor leaves a file where it was started when a container lacks memory."""
        program = Path(shutil.which(self.argv[0]) or self.argv[0]).absolute()
        return Engine((str(program), *self.argv[1:]), self.facts, folder)

    @property
    def name(self) -> str:
        return self.argv[0].rsplit("/", 1)[-1]

    @property
    def is_podman(self) -> bool:
        """Detected by its output, because podman may be installed under docker's name."""
        return "host" in self.facts

    async def call(
        self,
        *words: str,
        stdin: bytes = b"",
        timeout_s: float = _CALL_S,
        max_bytes: int = 16 << 20,
    ) -> Answer:
        """TimeoutError if it does not end in time, SandboxError if its output is too large."""
        try:
            process = await asyncio.create_subprocess_exec(
                *self.argv,
                *words,
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.PIPE,
                start_new_session=True,
                cwd=self._folder,
            )
        except OSError as error:
            raise SandboxError(f"{self.name} cannot be started: {error.strerror}") from error
        try:
            async with asyncio.timeout(timeout_s):
                return await _talk(process, stdin, max_bytes)
        finally:
            _end(process)
            await process.wait()

    async def attempt(self, *words: str, timeout_s: float = _CALL_S) -> Answer:
        """Run a command that may fail."""
        try:
            return await self.call(*words, timeout_s=timeout_s)
        except TimeoutError:
            raise SandboxError(
                f"{self.name} {words[0]} did not finish within {timeout_s:g} s"
            ) from None

    async def ask(self, *words: str, timeout_s: float = _CALL_S) -> bytes:
        """Run a command that must succeed."""
        answer = await self.attempt(*words, timeout_s=timeout_s)
        if answer.code != 0:
            raise SandboxError(f"{self.name} {words[0]}: {answer.error or 'failed'}")
        return answer.output

    async def inspect(self, kind: str, *names: str) -> list[Object]:
        """Inspect containers or images; missing ones are left out."""
        if not names:
            return []
        answer = await self.attempt(kind, "inspect", *names)
        if answer.code != 0 and not answer.is_missing:
            raise SandboxError(f"{self.name} {kind} inspect: {answer.error or 'failed'}")
        return [one for one in as_items(_json(answer.output)) if is_object(one)]


async def find_engine(wanted: str | None) -> Engine:
    """The named engine, else the first that works; SandboxError with the remedy."""
    said: list[str] = []
    for argv in _candidates(wanted):
        engine = Engine(argv)
        try:
            answer = await engine.call(*_INFO, timeout_s=_ANSWER_S)
        except TimeoutError:
            said.append(f"{engine.name} does not answer within {_ANSWER_S:g} s")
            continue
        if answer.code == 0:
            return Engine(argv, as_object(_json(answer.output)))
        said.append(f"{engine.name} does not work: {_advised(answer.error)}")
    raise _refusal("; ".join(said) or _NONE)


def _candidates(wanted: str | None) -> list[list[str]]:
    if not wanted:
        return [[name] for name in _ENGINES if shutil.which(name)]
    try:
        argv = shlex.split(wanted)
    except ValueError as error:
        raise _refusal(f"CONTAINER_ENGINE cannot be read: {error}") from error
    if not argv or shutil.which(argv[0]) is None:
        raise _refusal(f"CONTAINER_ENGINE names {wanted!r}, which is not installed")
    return [argv]


def _advised(error: str) -> str:
    found = (remedy for words, remedy in _REMEDIES.items() if words in error.lower())
    return ": ".join(text for text in (error, next(found, "")) if text)


def _refusal(message: str) -> SandboxError:
    return SandboxError(message, cause=Cause.SANDBOX_REFUSED)


def _json(text: bytes) -> Any:
    try:
        return json.loads(text)
    except ValueError as error:
        raise SandboxError("the container engine does not answer in JSON") from error


async def _talk(process: asyncio.subprocess.Process, stdin: bytes, max_bytes: int) -> Answer:
    assert process.stdin and process.stdout and process.stderr  # noqa: S101, PT018 - pipes were asked for
    async with asyncio.TaskGroup() as group:
        group.create_task(_feed(process.stdin, stdin))
        output = group.create_task(_read(process.stdout, max_bytes, lambda: _end(process)))
        error = group.create_task(_last(process.stderr))
    code, said = await process.wait(), output.result()
    if said is None:
        raise SandboxError(f"a command in a container printed more than {max_bytes} bytes")
    return Answer(code, said, error.result())


async def _feed(pipe: asyncio.StreamWriter, content: bytes) -> None:
    with suppress(BrokenPipeError, ConnectionResetError):
        pipe.write(content)
        await pipe.drain()
    pipe.close()
    with suppress(BrokenPipeError, ConnectionResetError):
        await pipe.wait_closed()


async def _read(
    pipe: asyncio.StreamReader, limit: int, on_over: Callable[[], None]
) -> bytes | None:
    """The whole output; None above the limit."""
    kept = bytearray()
    while chunk := await pipe.read(_CHUNK):
        kept += chunk
        if len(kept) > limit:
            on_over()
            return None
    return bytes(kept)


async def _last(pipe: asyncio.StreamReader) -> str:
    kept = b""
    while chunk := await pipe.read(_CHUNK):
        kept = (kept + chunk)[-_LAST_BYTES:]
    lines = [line for line in kept.decode(errors="replace").splitlines() if line.strip()]
    if lines and _ADVICE.match(lines[-1]):
        lines.pop()
    return lines[-1].strip()[-_LAST_WORDS:] if lines else ""


def _end(process: asyncio.subprocess.Process) -> None:
    """Kill only the engine's program: what it started in a container keeps running."""
    if process.returncode is None:
        with suppress(ProcessLookupError):
            process.kill()
