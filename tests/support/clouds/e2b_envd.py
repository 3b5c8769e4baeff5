"""What answers inside each sandbox of the fake E2B: files over HTTP, processes over Connect."""

import asyncio
import base64
import json
import signal
import struct
from collections.abc import AsyncGenerator
from contextlib import suppress
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from tests.support.clouds.e2b_sandboxes import CleanSandboxes, SandboxHandle
from tests.support.clouds.faults import CutLineError
from tests.support.clouds.vm import PIPE, Pipe, Process, VMDiedError

_CHUNK = 1 << 15
_SIGNALS = {"SIGNAL_SIGKILL": signal.SIGKILL, "SIGNAL_SIGTERM": signal.SIGTERM}
Event = dict[str, Any]


class Running:
    """A process and whoever listens; it runs on when nobody does, and nobody's output is kept."""

    def __init__(self, sandbox: SandboxHandle, process: Process, argv: list[str]) -> None:
        self.process, self.argv = process, argv
        self._sandbox = sandbox
        self._ears: set[asyncio.Queue[Event | None]] = set()
        self._done = asyncio.Event()
        self.ear = self.listen()
        sandbox.processes[process.pid] = self
        self.task = asyncio.ensure_future(self._watch())

    def listen(self) -> asyncio.Queue[Event | None]:
        ear: asyncio.Queue[Event | None] = asyncio.Queue(maxsize=8)
        self._ears.add(ear)
        return ear

    def leave(self, ear: asyncio.Queue[Event | None]) -> None:
        self._ears.discard(ear)
        while not ear.empty():
            ear.get_nowait()

    async def _watch(self) -> None:
        try:
            async with asyncio.TaskGroup() as group:
                group.create_task(self._pump(self.process.stdout, "stdout"))
                group.create_task(self._pump(self.process.stderr, "stderr"))
            code = await self.process.wait()
        except* VMDiedError:
            await self._tell(None)
        else:
            await self._tell(_end(code))
        finally:
            self._sandbox.processes.pop(self.process.pid, None)
            self.process.close()

    async def _pump(self, pipe: Pipe, name: str) -> None:
        while chunk := await pipe.read(_CHUNK):
            await self._tell({"data": {name: base64.b64encode(chunk).decode()}})

    async def _tell(self, event: Event | None) -> None:
        for ear in list(self._ears):
            # Somebody who leaves while we wait empties it.
            while ear in self._ears:
                with suppress(TimeoutError):
                    await asyncio.wait_for(ear.put(event), 0.2)
                    break


class Envd:
    def __init__(self, sandboxes: CleanSandboxes) -> None:
        self._sandboxes = sandboxes
        self.cut_after_events: int | None = None
        """The next stream ends, without its end, after so many events."""
        self.heeds_deadlines = True

    def routes(self) -> list[Route]:
        return [
            Route("/health", self._health),
            Route("/files", self._read, methods=["GET"]),
            Route("/files", self._write, methods=["POST"]),
            Route("/process.Process/Start", self._start, methods=["POST"]),
            Route("/process.Process/Connect", self._connect, methods=["POST"]),
            Route("/process.Process/List", self._list, methods=["POST"]),
            Route("/process.Process/{act}", self._act, methods=["POST"]),
        ]

    def _sandbox(self, request: Request) -> SandboxHandle | Response:
        sandbox = self._sandboxes.all.get(request.headers.get("e2b-sandbox-id", ""))
        if sandbox is None or sandbox.vm is None or not sandbox.vm.is_alive:
            return JSONResponse({"code": 502, "message": "The sandbox was not found"}, 502)
        if request.headers.get("x-access-token") != sandbox.token:
            return JSONResponse({"code": "unauthenticated", "message": "wrong token"}, 401)
        if not sandbox.is_ready:
            return JSONResponse({"code": 502, "message": "The sandbox port is not open"}, 502)
        return sandbox

    async def _health(self, request: Request) -> Response:
        sandbox = self._sandbox(request)
        return sandbox if isinstance(sandbox, Response) else Response(status_code=204)

    async def _read(self, request: Request) -> Response:
        sandbox = self._sandbox(request)
        if isinstance(sandbox, Response):
            return sandbox
        assert sandbox.vm
        try:
            content = await sandbox.vm.read(request.query_params["path"], user=_file_user(request))
        except FileNotFoundError as error:
            return JSONResponse({"code": 404, "message": str(error)}, 404)
        return Response(content, media_type="application/octet-stream")

    async def _write(self, request: Request) -> Response:
        sandbox = self._sandbox(request)
        if isinstance(sandbox, Response):
            return sandbox
        assert sandbox.vm
        path = request.query_params["path"]
        if request.headers["content-type"].startswith("multipart/"):
            async with request.form() as form:
                upload = form["file"]
                assert not isinstance(upload, str)
                content = await upload.read()
        else:
            content = await request.body()
        try:
            await sandbox.vm.write(path, content, user=_file_user(request))
        except OSError as error:
            return JSONResponse({"code": 500, "message": str(error)}, 500)
        return JSONResponse([{"path": path, "name": path.rsplit("/", 1)[-1], "type": "file"}])

    async def _start(self, request: Request) -> Response:
        sandbox = self._sandbox(request)
        if isinstance(sandbox, Response):
            return sandbox
        asked = json.loads((await request.body())[5:])
        what = asked["process"]
        argv = [what["cmd"], *what.get("args", [])]
        assert sandbox.vm
        try:
            process = await sandbox.vm.exec(
                argv,
                env={**sandbox.envs, **what.get("envs", {})},
                cwd=what.get("cwd", ""),
                user=_user(request),
                stdin=PIPE if asked.get("stdin") else None,
            )
        except VMDiedError:
            return JSONResponse({"code": 502, "message": "The sandbox was not found"}, 502)
        except OSError as error:
            return _trouble("invalid_argument", str(error), 400)
        running = Running(sandbox, process, argv)
        limit = request.headers.get("connect-timeout-ms") if self.heeds_deadlines else None
        return _stream(self._events(running, running.ear, int(limit) / 1000 if limit else None))

    async def _connect(self, request: Request) -> Response:
        sandbox = self._sandbox(request)
        if isinstance(sandbox, Response):
            return sandbox
        asked = json.loads((await request.body())[5:])
        running: Running | None = sandbox.processes.get(int(asked["process"]["pid"]))
        if running is None:
            return _trouble("not_found", "no such process", 404)
        return _stream(self._events(running, running.listen(), None))

    async def _events(
        self, running: Running, ear: asyncio.Queue[Event | None], limit_s: float | None
    ) -> AsyncGenerator[bytes]:
        cut, self.cut_after_events = self.cut_after_events, None
        sent = 0
        try:
            yield _frame({"event": {"start": {"pid": running.process.pid}}})
            async with asyncio.timeout(limit_s):
                while True:
                    event = await ear.get()
                    if sent == cut:
                        raise CutLineError
                    if event is None:
                        yield _frame(_DIED, flag=2)
                        return
                    yield _frame({"event": event})
                    sent += 1
                    if "end" in event:
                        break
            yield _frame({}, flag=2)
        except TimeoutError:
            await _signal(running, signal.SIGKILL)
            yield _frame(_LATE, flag=2)
        finally:
            running.leave(ear)

    async def _list(self, request: Request) -> Response:
        sandbox = self._sandbox(request)
        if isinstance(sandbox, Response):
            return sandbox
        found = [
            {"pid": pid, "config": {"cmd": r.argv[0], "args": r.argv[1:]}}
            for pid, r in sandbox.processes.items()
        ]
        return JSONResponse({"processes": found})

    async def _act(self, request: Request) -> Response:
        sandbox = self._sandbox(request)
        if isinstance(sandbox, Response):
            return sandbox
        asked = await request.json()
        running: Running | None = sandbox.processes.get(int(asked["process"]["pid"]))
        if running is None:
            return _trouble("not_found", "no such process", 404)
        stdin = running.process.stdin
        match request.path_params["act"]:
            case "SendSignal":
                await _signal(running, _SIGNALS[asked["signal"]])
            case "SendInput" if stdin:
                await stdin.write(base64.b64decode(asked["input"]["stdin"]))
            case "CloseStdin" if stdin:
                stdin.close()
            case act:
                return _trouble("unimplemented", act, 501)
        return JSONResponse({})


_DIED = {
    "error": {
        "code": "unavailable",
        "message": "the connection to sandbox ended before the stream completed",
    }
}
_LATE = {"error": {"code": "deadline_exceeded", "message": "deadline"}}


async def _signal(running: Running, number: int) -> None:
    vm = running._sandbox.vm
    with suppress(VMDiedError):
        if vm is not None:
            await vm.signal(running.process.pid, number)


def _end(code: int) -> Event:
    status = f"exit status {code}" if code >= 0 else f"signal: {-code}"
    end = {"exitCode": code if code >= 0 else 128 - code, "exited": code >= 0, "status": status}
    return {"end": {**end, **({"error": status} if code else {})}}


def _frame(message: dict[str, Any], *, flag: int = 0) -> bytes:
    data = json.dumps(message).encode()
    return struct.pack(">BI", flag, len(data)) + data


def _stream(events: AsyncGenerator[bytes]) -> StreamingResponse:
    return StreamingResponse(events, media_type="application/connect+json")


def _trouble(code: str, message: str, status: int) -> Response:
    return JSONResponse({"code": code, "message": message}, status)


def _user(request: Request) -> str:
    """As the real one: whoever says nothing is `user`, who is not there in our machines."""
    scheme, _, value = request.headers.get("authorization", "").partition(" ")
    return base64.b64decode(value).decode().partition(":")[0] if scheme == "Basic" else "user"


def _file_user(request: Request) -> str:
    return request.query_params.get("username", "user")
