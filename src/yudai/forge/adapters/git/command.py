"""Runs git within limits, with only the configuration that is passed to it."""

import asyncio
import base64
import os
import resource
import shutil
import signal
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, NamedTuple

from pydantic import SecretStr

from yudai.kit.errors import RefusedError

NOWHERE = Path(os.devnull)
"""A git directory for commands that must not find any."""

_MAX_ERROR = 1 << 16
_CHUNK = 1 << 16
_HIDDEN = "[hidden]"
_MIN_SECRET = 8
_DISK_FULL = b"No space left on device"
_SYSTEM_PATH = "/usr/local/bin:/usr/bin:/bin"
_ALONE = {
    "GIT_ATTR_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_LITERAL_PATHSPECS": "1",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_NO_REPLACE_OBJECTS": "1",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_TERMINAL_PROMPT": "0",
    "HOME": "/nonexistent",
    "LC_ALL": "C",
    "PATH": _SYSTEM_PATH,
}
_OURS = {
    "core.fsmonitor": "false",
    "core.hooksPath": os.devnull,
    # Windows on packs count as memory: without a bound, a big pack would not fit into its limit.
    "core.packedGitLimit": "256m",
    "core.packedGitWindowSize": "32m",
    "core.untrackedCache": "false",
    "gc.auto": "0",
    "protocol.allow": "never",
    "submodule.recurse": "false",
    "tar.umask": "0022",
}


class Limits(NamedTuple):
    timeout_s: float = 300.0
    max_output: int = 256 << 20
    memory: int = 0
    """Bytes of address space; 0: not limited."""
    file_bytes: int = 0
    """Bytes of any file written; 0: the limit on memory."""
    cpu_s: int = 0
    """Seconds of processor time; 0: not limited."""

    def bounds(self) -> Iterator[tuple[int, int]]:
        """The limits in the kernel's form."""
        files = self.file_bytes or self.memory
        for kind, most in (
            (resource.RLIMIT_AS, self.memory),
            (resource.RLIMIT_FSIZE, files),
            (resource.RLIMIT_CPU, self.cpu_s),
        ):
            if most:
                yield kind, most


class Ran(NamedTuple):
    exit_code: int
    output: bytes
    error: str
    """Git's first error line."""
    errors: str = ""
    """Its standard error."""


LIMITS = Limits()


class TooSlowError(RefusedError):
    """It was killed at its time limit."""


class TooLongError(RefusedError):
    """It answered with more than is read."""


@dataclass(frozen=True)
class Git:
    """A configuration of git: repository, alternate objects, work tree, settings."""

    git_dir: Path
    objects: Path | None = None
    alternates: tuple[Path, ...] = ()
    """Alternate objects, only for read-only commands: writing would renew times of old ones."""
    work_tree: Path | None = None
    settings: Mapping[str, str] = field(default_factory=dict[str, str])
    env: Mapping[str, str | None] = field(default_factory=dict[str, str | None])
    """Changes to its environment; None: unset."""
    secrets: Mapping[str, SecretStr] = field(default_factory=dict[str, SecretStr], repr=False)
    """Secret settings, which are removed from git's output."""

    async def run(
        self, *args: str, stdin: bytes = b"", into: IO[bytes] | None = None, limits: Limits = LIMITS
    ) -> Ran:
        """Run it to the end. A non-zero exit code is a result."""
        process = await _start(
            [_program(), *args],
            env=self._environment(),
            cwd=self.work_tree or (Path("/") if self.git_dir == NOWHERE else self.git_dir),
            into=into,
        )
        try:
            # Nothing is read before its input comes, which is after this.
            for kind, most in limits.bounds():
                # One that reads no input may have ended already.
                with suppress(ProcessLookupError):
                    resource.prlimit(process.pid, kind, (most, most))
            async with asyncio.timeout(limits.timeout_s), asyncio.TaskGroup() as group:
                group.create_task(_feed(process, stdin))
                out = group.create_task(_take(process.stdout, limits.max_output))
                err = group.create_task(_take(process.stderr, _MAX_ERROR))
            exit_code = await process.wait()
        except TimeoutError:
            raise TooSlowError(
                f"git {args[0]} took longer than {limits.timeout_s:.0f} seconds"
            ) from None
        finally:
            await _end(process)
        if len(out.result()) > limits.max_output:
            raise TooLongError(f"git {args[0]} answered with more than {limits.max_output} bytes")
        if exit_code != 0 and _DISK_FULL in err.result():
            raise RefusedError(f"git {args[0]} found no space left: free some for {self.git_dir}")
        errors = self._without_secrets(err.result().decode("utf-8", "replace"))
        return Ran(exit_code, out.result(), _complaint(errors, exit_code), errors)

    async def ask(
        self, *args: str, stdin: bytes = b"", into: IO[bytes] | None = None, limits: Limits = LIMITS
    ) -> bytes:
        """Its output; RefusedError with git's message if it fails."""
        ran = await self.run(*args, stdin=stdin, into=into, limits=limits)
        if ran.exit_code != 0:
            raise RefusedError(f"git {args[0]} failed: {ran.error}")
        return ran.output

    def _environment(self) -> dict[str, str]:
        asked = {**_ALONE, "GIT_DIR": str(self.git_dir), **self.env}
        env = {name: value for name, value in asked.items() if value is not None}
        if self.objects is not None:
            env["GIT_OBJECT_DIRECTORY"] = str(self.objects)
        if self.alternates:
            env["GIT_ALTERNATE_OBJECT_DIRECTORIES"] = ":".join(map(quoted, self.alternates))
        if self.work_tree is not None:
            env["GIT_WORK_TREE"] = str(self.work_tree)
        hidden = {key: value.get_secret_value() for key, value in self.secrets.items()}
        settings = {**self.settings, **_OURS, **hidden}
        env["GIT_CONFIG_COUNT"] = str(len(settings))
        for number, (key, value) in enumerate(settings.items()):
            env[f"GIT_CONFIG_KEY_{number}"] = key
            env[f"GIT_CONFIG_VALUE_{number}"] = value
        return env

    def _without_secrets(self, text: str) -> str:
        for secret in self.secrets.values():
            for part in {secret.get_secret_value(), *_hidden_parts(secret)}:
                text = text.replace(part, _HIDDEN)
        return text


def _hidden_parts(secret: SecretStr) -> Iterator[str]:
    """The secret parts of a header, also decoded."""
    for word in secret.get_secret_value().split():
        if len(word) < _MIN_SECRET:
            continue
        yield word
        with suppress(ValueError):
            yield base64.b64decode(word, validate=True).decode().rpartition(":")[2] or word


def _program() -> str:
    found = shutil.which("git")
    # A relative entry of PATH could lead into a stranger's folder.
    if found is None or not Path(found).is_absolute():
        found = shutil.which("git", path=_SYSTEM_PATH)
    if found is None:
        raise RefusedError("git was not found: install it")
    return found


async def _start(
    argv: list[str], *, env: Mapping[str, str], cwd: Path, into: IO[bytes] | None
) -> asyncio.subprocess.Process:
    return await asyncio.create_subprocess_exec(
        *argv,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE if into is None else into,
        stderr=asyncio.subprocess.PIPE,
        env=env,
        cwd=cwd,
        start_new_session=True,
    )


async def _feed(process: asyncio.subprocess.Process, content: bytes) -> None:
    if process.stdin is None:
        return
    with suppress(BrokenPipeError, ConnectionResetError):
        process.stdin.write(content)
        await process.stdin.drain()
    process.stdin.close()
    with suppress(BrokenPipeError, ConnectionResetError):
        await process.stdin.wait_closed()


async def _take(stream: asyncio.StreamReader | None, most: int) -> bytes:
    """At most one byte more than `most`; the rest is read and dropped."""
    taken = bytearray()
    while stream is not None and (chunk := await stream.read(_CHUNK)):
        taken += chunk[: most + 1 - len(taken)]
    return bytes(taken)


async def _end(process: asyncio.subprocess.Process) -> None:
    if process.returncode is None:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        await process.wait()


def _complaint(error: str, exit_code: int) -> str:
    lines = error.splitlines()
    complaints = [line for line in lines if line.startswith(("fatal: ", "error: "))] or lines
    if exit_code < 0:
        return f"it was ended by {signal.Signals(-exit_code).name}"
    first = complaints[0] if complaints else "it gave no reason"
    return first.removeprefix("fatal: ").removeprefix("error: ")


def quoted(path: Path) -> str:
    """As git reads a path in a list: quoted as in C where it would end the entry."""
    text = str(path)
    if not any(char in text for char in ':"\\\n'):
        return text
    for char, escape in (("\\", "\\\\"), ('"', '\\"'), ("\n", "\\n")):
        text = text.replace(char, escape)
    return f'"{text}"'
