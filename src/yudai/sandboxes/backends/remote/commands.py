"""Runs commands of a remote machine through its warden, each with our own deadline."""

import asyncio
import base64
import posixpath
import secrets
from collections.abc import Mapping
from contextlib import suppress
from copy import copy
from typing import NamedTuple, Unpack

from yudai.kit.causes import Cause
from yudai.kit.errors import SandboxError
from yudai.sandboxes.backends.remote import warden_client
from yudai.sandboxes.backends.remote.cloud import FullError, Machine
from yudai.sandboxes.backends.remote.warden_client import WardenClient, Welcome
from yudai.sandboxes.backends.shell_script import NUL_REFUSED, script
from yudai.sandboxes.backends.warden.protocol import (
    AGENT_HOME,
    CANNOT_RUN,
    FROM_STDIN,
    FULL,
    FULL_TEXT,
    REQUESTS,
    TIMED_OUT,
    Ending,
    Heard,
    Request,
)
from yudai.sandboxes.backends.workspace.worktree import Change
from yudai.sandboxes.port import (
    ENV,
    WORKSPACE,
    Exec,
    ExecOptions,
    ExecResult,
    SandboxLimits,
)

_GRACE_S = 60.0
_STOP_S = 60.0
_SHORT = 60_000
_UPLOAD_BYTES_PER_S = 256 << 10
_DISK_FOLDERS = (WORKSPACE, AGENT_HOME, "/tmp", "/var/tmp")  # noqa: S108 - inside the machine
_UNSTOPPED = "a command could not be stopped"


class RemoteCommands:
    """One command at a time; the caller queues them."""

    def __init__(
        self,
        machine: Machine,
        *,
        variables: Mapping[str, str],
        limits: SandboxLimits,
        building: bool = False,
    ) -> None:
        """`variables` are all that commands see; while a base is built, /env is measured too."""
        self._turns = _RequestQueue(WardenClient(machine))
        self._line = self._turns.line
        self._variables = dict(variables)
        self._limits = limits
        self._is_root = False
        self._measured = (*_DISK_FOLDERS, ENV) if building else _DISK_FOLDERS

    def as_root(self) -> "RemoteCommands":
        """The same machine, for our own steps."""
        other: RemoteCommands = copy(self)
        other._is_root = True
        return other

    @property
    def lost(self) -> str:
        return self._line.lost

    def locate(self, path: str) -> str:
        return posixpath.join(WORKSPACE, path)

    async def exec(self, command: str, **options: Unpack[ExecOptions]) -> ExecResult:
        asked = Exec(command, **options)
        text = script(command, cwd=self.locate(asked.cwd), env=asked.env)
        if text is None:
            return ExecResult(exit_code=CANNOT_RUN, output=NUL_REFUSED)
        request = Request(
            id=secrets.token_hex(12),
            script=text,
            variables=self._variables,
            stdin=asked.stdin,
            timeout_s=asked.timeout_s,
            max_output=asked.max_output,
            as_root=self._is_root,
            processes=self._limits.processes,
            file_bytes=self._limits.disk_bytes,
            disk_bytes=self._limits.disk_bytes,
            disk_folders=self._measured,
        )
        return self._result(await self._turns.run(request))

    async def end(self) -> None:
        """Its creator ends the machine itself."""
        await self._turns.end()

    async def init(self) -> Welcome:
        """Bring the warden into a new machine; DeniedError when its image lacks something."""
        return await warden_client.init(self._line)

    async def give(self) -> None:
        """Make the agent the owner of the workspace and /env."""
        await warden_client.ask(self._line, "give")

    async def seal(self) -> None:
        """Write down what the base is, as `seal.sh` has recorded it; /env is closed."""
        await warden_client.ask(self._line, "seal")

    async def changes(self) -> dict[str, Change]:
        return await warden_client.changes(self._line)

    def _result(self, heard: Heard) -> ExecResult:
        try:
            words = {name: heard.header[name] for name in Ending._fields}
            lost, killed = words.pop("lost"), words.pop("killed")
            result = ExecResult(output=heard.body, **words)
        except (KeyError, ValueError) as error:
            raise self._line.lose(f"the sandbox's warden is not understood: {error}") from error
        if lost:
            raise self._line.lose(str(lost))
        if killed:
            # Only we do that, when its time was over without an answer.
            return result.model_copy(update={"exit_code": TIMED_OUT, "timed_out": True})
        return result


class _RequestInput(NamedTuple):
    """How the warden gets a request."""

    words: tuple[str, ...]
    text: bytes = b""


class _RequestQueue:
    """Runs requests one after the other, each until it is answered or known to be dead."""

    def __init__(self, line: WardenClient) -> None:
        self.line = line
        self._asking: asyncio.Task[Heard] | None = None
        self._stopping: asyncio.Task[Heard | None] | None = None

    async def run(self, request: Request) -> Heard:
        if self._stopping is not None:
            await asyncio.wait({self._stopping})
        self.line.check()
        self._asking = asyncio.create_task(self._ask(request))
        try:
            return await self._asking
        except asyncio.CancelledError:
            if self.line.lost:
                me = asyncio.current_task()
                if me is not None and me.cancelling():
                    raise
                raise SandboxError(self.line.lost, cause=Cause.SANDBOX_LOST) from None
            # Cancelled again: this task ends and the stop continues.
            self._stopping = asyncio.create_task(self._stop(request))
            await asyncio.wait({self._stopping})
            raise
        finally:
            self._asking = None

    async def end(self) -> None:
        self.line.lose("the sandbox has been destroyed")
        for task in (self._asking, self._stopping):
            if task is not None:
                task.cancel()
                await asyncio.wait({task})

    async def _ask(self, request: Request) -> Heard:
        try:
            handed = await self._input_of(request)
        except FullError:
            # What the warden itself answers when the disk is full.
            return Heard(FULL._asdict(), FULL_TEXT)
        try:
            return await self.line.ask(
                request.id,
                "exec",
                request.id,
                *handed.words,
                timeout_s=request.timeout_s + _GRACE_S,
                max_body=request.max_output,
                text=handed.text,
            )
        except TimeoutError:
            heard = await self._stop(request)
            if heard is None:
                self.line.check()
                raise self.line.lose(_UNSTOPPED) from None
            return heard
        except SandboxError:
            if not self.line.lost:
                await self._stop(request)
            raise

    async def _input_of(self, request: Request) -> _RequestInput:
        """Send short text with the request, long text before it as a file."""
        if len(request.script) + len(request.stdin) < _SHORT:
            text = request.dump()
            if self.line.can_tell:
                return _RequestInput((FROM_STDIN,), text)
            word = base64.b64encode(text).decode()
            if len(word) <= _SHORT:
                return _RequestInput((word,))
        text = await asyncio.to_thread(request.dump)
        limit_s = request.timeout_s + _GRACE_S + len(text) / _UPLOAD_BYTES_PER_S
        await self.line.put(f"{REQUESTS}/{request.id}", text, timeout_s=limit_s)
        return _RequestInput(())

    async def _stop(self, request: Request) -> Heard | None:
        """The answer of an ended request; None if it is unknown, which loses the machine."""
        with suppress(SandboxError, TimeoutError):
            return await self.line.ask(
                request.id, "kill", request.id, timeout_s=_STOP_S, max_body=request.max_output
            )
        self.line.lose(_UNSTOPPED)
        return None
