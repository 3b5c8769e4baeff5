"""The fake Prime's gateway: files and command sessions of its machines, in its own wire format."""

import asyncio
import signal
import struct
from collections.abc import AsyncGenerator
from typing import Any

from prime_sandboxes._proto.command_session import command_session_pb2 as wire
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse

from tests.support.clouds.fake_prime_sandboxes import OVER, Breakage, FakePrime, SandboxHandle
from tests.support.clouds.faults import CutLineError
from tests.support.clouds.vm import PIPE, VM, Process, VMDiedError

pb: Any = wire
_CHUNK = 1 << 15
_QUEUE = 4
Ear = asyncio.Queue[tuple[str, Any]]


class Session:
    """A process; what it says while nobody is attached is lost, its end is not."""

    def __init__(self, process: Process) -> None:
        self.process = process
        self.ears: list[Ear] = []
        self.end: int | None = None
        self.task: asyncio.Task[None] | None = None

    def attach(self) -> Ear:
        ear: Ear = asyncio.Queue(_QUEUE)
        self.ears.append(ear)
        if self.end is not None:
            ear.put_nowait(("end", self.end))
        return ear

    def detach(self, ear: Ear) -> None:
        self.ears.remove(ear)
        while not ear.empty():
            ear.get_nowait()

    async def pump(self) -> None:
        try:
            async with asyncio.TaskGroup() as group:
                group.create_task(self._read("stdout"))
                group.create_task(self._read("stderr"))
            code = await self.process.wait()
            self.end = code if code >= 0 else 128 - code
            await self._say("end", self.end)
        except* (VMDiedError, OSError):
            await self._say("dead", None)
        finally:
            self.process.close()

    async def _read(self, name: str) -> None:
        pipe = getattr(self.process, name)
        while chunk := await pipe.read(_CHUNK):
            await self._say(name, chunk)

    async def _say(self, kind: str, value: Any) -> None:
        for ear in list(self.ears):
            await ear.put((kind, value))


def _machine(prime: FakePrime, request: Request) -> tuple[SandboxHandle, VM] | Response:
    sandbox = prime.sandboxes.get(request.path_params["box"])
    prime.deaf -= (is_deaf := prime.deaf > 0)
    if (
        is_deaf
        or sandbox is None
        or sandbox.status in OVER
        or sandbox.vm is None
        or not sandbox.vm.is_alive
    ):
        rpc = "command_session" in request.url.path
        gone = {"code": "not_found", "message": "gone"} if rpc else {"error": "sandbox_terminated"}
        return JSONResponse(gone, 404 if rpc else 410)
    if request.headers.get("authorization") != f"Bearer {sandbox.token}":
        return JSONResponse({"code": "unauthenticated", "message": "token"}, 401)
    prime.is_idle_no_more(sandbox)
    return sandbox, sandbox.vm


async def upload(prime: FakePrime, request: Request) -> Response:
    found = _machine(prime, request)
    if isinstance(found, Response):
        return found
    path = request.query_params["path"]
    content = _only_part(await request.body(), request.headers["content-type"])
    await found[1].write(path, content)
    stamp = "2026-01-01T00:00:00Z"
    return JSONResponse({"success": True, "path": path, "size": len(content), "timestamp": stamp})


def _only_part(body: bytes, kind: str) -> bytes:
    """Of a form that its client has written: one file, and nothing else."""
    boundary = kind.partition("boundary=")[2].encode()
    _, _, part = body.partition(b"\r\n\r\n")
    return part.removesuffix(b"\r\n--" + boundary + b"--\r\n")


async def download(prime: FakePrime, request: Request) -> Response:
    found = _machine(prime, request)
    if isinstance(found, Response):
        return found
    try:
        return Response(await found[1].read(request.query_params["path"]))
    except FileNotFoundError:
        return JSONResponse({"detail": "no such file"}, 404)


async def start(prime: FakePrime, request: Request) -> Response:
    found = _machine(prime, request)
    if isinstance(found, Response):
        return found
    sandbox, machine = found
    asked = pb.StartRequest.FromString((await request.body())[5:])
    session = sandbox.sessions.get(asked.session_uuid)
    if session is None:
        command = asked.command
        try:
            process = await machine.exec(
                [command.cmd, *command.args],
                env=dict(command.envs),
                cwd=command.cwd,
                user=command.user or "root",
                stdin=PIPE if asked.stdin else None,
            )
        except OSError as error:
            return JSONResponse({"code": "invalid_argument", "message": str(error)}, 400)
        session = sandbox.sessions[asked.session_uuid] = Session(process)
    return _stream(prime, sandbox, session, pb.StartResponse)


async def connect(prime: FakePrime, request: Request) -> Response:
    found = _machine(prime, request)
    if isinstance(found, Response):
        return found
    asked = pb.ConnectRequest.FromString((await request.body())[5:])
    session = found[0].sessions.get(asked.session.session_uuid)
    if session is None:
        return JSONResponse({"code": "not_found", "message": "no such session"}, 404)
    return _stream(prime, found[0], session, pb.ConnectResponse)


async def send_signal(prime: FakePrime, request: Request) -> Response:
    found = _machine(prime, request)
    if isinstance(found, Response):
        return found
    asked = pb.SendSignalRequest.FromString(await request.body())
    session = found[0].sessions.get(asked.session.session_uuid)
    if session is None:
        return JSONResponse({"code": "not_found", "message": "no such session"}, 404)
    await found[1].signal(session.process.pid, signal.Signals(asked.signal))
    answer = pb.SendSignalResponse().SerializeToString()
    return Response(answer, media_type="application/proto")


def _stream(
    prime: FakePrime, sandbox: SandboxHandle, session: Session, kind: Any
) -> StreamingResponse:
    ear = session.attach()
    if session.task is None:
        session.task = asyncio.create_task(session.pump())
    breakage = prime.breakages.pop() if prime.breakages else None
    return StreamingResponse(
        _events(prime, sandbox, session, ear, kind, breakage),
        media_type="application/connect+proto",
    )


async def _events(
    prime: FakePrime,
    sandbox: SandboxHandle,
    session: Session,
    ear: Ear,
    kind: Any,
    breakage: Breakage | None,
) -> AsyncGenerator[bytes]:
    heard = 0
    try:
        yield _frame(kind, start={"pid": session.process.pid})
        while True:
            if breakage is not None and heard >= breakage.after_bytes:
                if breakage.dies:
                    await asyncio.to_thread(prime.end, sandbox, "ERROR", "OOM_KILLED")
                raise CutLineError
            what, value = await ear.get()
            if what == "dead":
                raise CutLineError
            if what == "end":
                yield _frame(kind, end={"exit_code": value, "exited": True})
                yield _envelope(2, b"{}")
                return
            heard += len(value)
            yield _frame(kind, data={what: value})
    finally:
        session.detach(ear)


def _frame(kind: Any, **event: Any) -> bytes:
    return _envelope(0, kind(event=pb.CommandSessionEvent(**event)).SerializeToString())


def _envelope(flag: int, payload: bytes) -> bytes:
    return struct.pack(">BI", flag, len(payload)) + payload
