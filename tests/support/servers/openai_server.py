"""An OpenAI-compatible server on loopback: a brain answers, or plays a fault of real endpoints.

    with OpenAIServer(plays("cat app.py", "sed -i s/1/2/ app.py")) as server:
        ...  # OPENAI_BASE_URL=server.url, also for another process
    assert server.requests[0].body["model"] == "m"

A brain is a function from the request's body to a completion (`bash`, `says`, `completion`) or a
fault (`refuses`, `hang`, `flood` ...). Brains are combined with `in_turn`, `by_model`, `strict`.
"""

import gzip
import json
import os
import re
import socket
import struct
import sys
import threading
import zlib
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self

Body = dict[str, Any]

_FINISH = re.compile(r"echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT_[0-9a-f]{16}")
_MESSAGE_KEYS = frozenset({"role", "content", "name", "tool_calls", "tool_call_id", "refusal"})


@dataclass(frozen=True)
class Request:
    path: str
    headers: Mapping[str, str]
    """Names in lower case."""
    body: Body


class OpenAIServer:
    """Records every request; on leaving, all of its connections and threads are gone."""

    def __init__(self, brain: "Brain") -> None:
        self.requests: list[Request] = []
        self.asked = threading.Event()
        """Set with the first request."""
        self.left = threading.Event()
        """Set once a client has gone away from a fault that would not have ended."""
        self._brain = brain
        self._errors: list[Exception] = []
        self._connections: set[socket.socket] = set()
        self._http = _Listener(("127.0.0.1", 0), _handler_of(self))
        self._thread = threading.Thread(target=self._http.serve_forever, args=(0.01,))

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._http.server_port}/v1"

    @property
    def bodies(self) -> list[Body]:
        return [request.body for request in self.requests]

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, kind: object, error: object, trace: object) -> None:
        self._http.shutdown()
        self._thread.join()
        for connection in list(self._connections):
            _hang_up(connection)
        self._http.server_close()
        if error is None and self._errors:
            raise self._errors[0]

    def answer(self, request: Request) -> "Completion | Fault":
        """What the brain says; a brain that breaks is told to the test when it leaves."""
        self.requests.append(request)
        self.asked.set()
        try:
            return self._brain(request.body)
        except Exception as error:  # noqa: BLE001  it belongs to the test, not to this thread
            self._errors.append(error)
            return refuses(500, "the brain of the test broke")

    def greet(self, connection: socket.socket) -> None:
        self._connections.add(connection)

    def part(self, connection: socket.socket) -> None:
        self._connections.discard(connection)


class Wire:
    """One connection, as a fault sees it."""

    def __init__(self, handler: BaseHTTPRequestHandler, server: OpenAIServer) -> None:
        self._handler = handler
        self._server = server

    def send(
        self,
        status: int,
        body: bytes,
        headers: Mapping[str, str] | None = None,
        *,
        length: int | None = None,
    ) -> None:
        """A whole answer; with another length than the body's, the connection ends after it."""
        self.begin(status, len(body) if length is None else length, headers)
        self._handler.wfile.write(body)
        self._handler.close_connection = length is not None

    def begin(self, status: int, length: int, headers: Mapping[str, str] | None = None) -> None:
        self._handler.send_response(status)
        fields = {"Content-Type": "application/json", "Content-Length": str(length)}
        for name, value in (fields | dict(headers or {})).items():
            self._handler.send_header(name, value)
        self._handler.end_headers()

    def pour(self, piece: bytes, times: int) -> None:
        try:
            for _ in range(times):
                self._handler.wfile.write(piece)
        except OSError:
            self._server.left.set()
        self._handler.close_connection = True

    def wait(self, *, each_s: float | None = None, say: bytes = b"") -> None:
        """Until the client leaves; meanwhile say something now and then."""
        connection = self._handler.connection
        connection.settimeout(each_s)
        with suppress(OSError):
            while not _has_left(connection):
                self._handler.wfile.write(say)
        self._server.left.set()
        self._handler.close_connection = True

    def reset(self) -> None:
        connection = self._handler.connection
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self._server.part(connection)
        os.close(connection.detach())
        self._handler.close_connection = True


Completion = Body
Fault = Callable[[Wire], None]
Brain = Callable[[Body], "Completion | Fault"]


def bash(*commands: str, say: str | None = None, **more: Any) -> Completion:
    """A completion that calls `bash` once per command."""
    calls = [
        {
            "id": f"call_{index}_{zlib.crc32(command.encode()):08x}",
            "type": "function",
            "function": {"name": "bash", "arguments": json.dumps({"command": command})},
        }
        for index, command in enumerate(commands)
    ]
    return completion({"content": say, "tool_calls": calls}, **more)


def says(text: str, **more: Any) -> Completion:
    return completion({"content": text}, **more)


def completion(
    message: Any, *, finish_reason: str | None = None, usage: Any = None, **top: Any
) -> Completion:
    """Any message in the usual frame; `usage={}` leaves it out."""
    if isinstance(message, dict):
        message = {"role": "assistant", **message}
    called = isinstance(message, dict) and message.get("tool_calls")
    choice = {
        "index": 0,
        "finish_reason": finish_reason or ("tool_calls" if called else "stop"),
        "message": message,
    }
    frame = {"id": "chatcmpl-1", "object": "chat.completion", "created": 1, "choices": [choice]}
    told = tokens(1000, 100) if usage is None else usage
    return frame | ({"usage": told} if told else {}) | top


def tokens(
    prompt: int, output: int, *, cached: int | None = None, cost_usd: float | None = None
) -> dict[str, Any]:
    usage: dict[str, Any] = {
        "prompt_tokens": prompt,
        "completion_tokens": output,
        "total_tokens": prompt + output,
    }
    if cached is not None:
        usage["prompt_tokens_details"] = {"cached_tokens": cached}
    return usage if cost_usd is None else usage | {"cost": cost_usd}


def refuses(
    status: int,
    message: str = "no",
    *,
    code: str | int | None = None,
    param: str | None = None,
    headers: Mapping[str, str] | None = None,
    **more: Any,
) -> Fault:
    """An error as OpenAI tells it."""
    error = {"message": message, "type": "error", "param": param, "code": code} | more
    return answers(json.dumps({"error": error}), status=status, headers=headers)


def answers(text: str, *, status: int = 200, headers: Mapping[str, str] | None = None) -> Fault:
    """Any text at all."""
    return lambda wire: wire.send(status, text.encode("utf-8", "surrogatepass"), headers)


def html(status: int = 200) -> Fault:
    page = "<!DOCTYPE html><html><head><title>Bad gateway</title></head><body>no</body></html>"
    return answers(page, status=status, headers={"Content-Type": "text/html"})


def error_in_200(message: str, *, code: int | str | None = None, in_choice: bool = False) -> Fault:
    """As OpenRouter tells what went wrong once the model has begun."""
    error = {"message": message, "code": code}
    body = {"choices": [{"error": error, "message": None}]} if in_choice else {"error": error}
    return answers(json.dumps(body))


def half_json() -> Fault:
    """A whole answer over HTTP whose text ends in the middle."""
    return answers(json.dumps(says("hello"))[:60])


def truncated() -> Fault:
    """The connection ends before the announced length."""
    return lambda wire: wire.send(200, b'{"choices": [', length=1000)


def hang() -> Fault:
    """Take the request and never answer."""
    return lambda wire: wire.wait()


def drip(each_s: float = 0.01) -> Fault:
    """Begin to answer and never come to the end of it."""

    def fault(wire: Wire) -> None:
        wire.begin(200, 1 << 30)
        wire.wait(each_s=each_s, say=b" ")

    return fault


def flood(size: int = 256 << 20, *, status: int = 200) -> Fault:
    """An answer of that many bytes."""
    piece = b"a" * (64 << 10)

    def fault(wire: Wire) -> None:
        wire.begin(status, size)
        wire.pour(piece, size // len(piece))

    return fault


def gzip_bomb(size: int = 64 << 20) -> Fault:
    """A short answer that is long once it is unpacked."""
    packed = gzip.compress(b" " * size, compresslevel=1)
    return lambda wire: wire.send(200, packed, {"Content-Encoding": "gzip"})


def reset() -> Fault:
    """Take the request and break the connection."""
    return lambda wire: wire.reset()


def in_turn(*replies: "Completion | Fault") -> Brain:
    """One after the other, whoever asks; the last one again and again."""
    lock = threading.Lock()
    left = list(replies)

    def brain(body: Body) -> "Completion | Fault":
        with lock:
            return left.pop(0) if len(left) > 1 else left[0]

    return brain


def always(reply: "Completion | Fault") -> Brain:
    return in_turn(reply)


def by_model(brains: Mapping[str, Brain]) -> Brain:
    """Another brain for each model's name."""

    def brain(body: Body) -> "Completion | Fault":
        if body["model"] not in brains:
            return refuses(404, f"The model `{body['model']}` does not exist")
        return brains[body["model"]](body)

    return brain


def plays(*turns: str | Sequence[str], plan: str = "", **more: Any) -> Brain:
    """One turn of commands after the other, then the finish command that the prompt told.

    It keeps no state: the conversation says which turn it is, so many runs can play at once.
    """

    def brain(body: Body) -> Completion:
        turn = sum(message["role"] == "assistant" for message in body["messages"])
        if turn >= len(turns):
            return bash(finish_command(body), **more)
        commands = turns[turn]
        said = plan if turn == 0 and plan else None
        return bash(*([commands] if isinstance(commands, str) else commands), say=said, **more)

    return brain


def finish_command(body: Body) -> str:
    """As the prompt told it; the last one there, since the issue's text comes earlier."""
    told = [m for m in body["messages"] if m["role"] in ("system", "user")]
    found = [match[0] for m in told for match in _FINISH.finditer(str(m["content"]))]
    assert found, "the prompt names no finish command"
    return found[-1]


def strict(brain: Brain, *, also: Sequence[str] = ()) -> Brain:
    """Refuse, as the strictest servers do, what is not in OpenAI's description of a request."""

    def wrapped(body: Body) -> "Completion | Fault":
        problem = _problem(body["messages"], _MESSAGE_KEYS | set(also))
        return refuses(400, problem) if problem else brain(body)

    return wrapped


def _problem(messages: list[Body], allowed: frozenset[str]) -> str:
    open_calls: list[str] = []
    for index, message in enumerate(messages):
        if problem := _odd(message, open_calls, allowed):
            return f"messages.{index}: {problem}"
        if message["role"] == "tool":
            open_calls.remove(message["tool_call_id"])
        else:
            open_calls = [call["id"] for call in message.get("tool_calls", ())]
    return ""


def _odd(message: Body, open_calls: list[str], allowed: frozenset[str]) -> str:
    ids = [call["id"] for call in message.get("tool_calls", ())]
    is_answer = message["role"] == "tool"
    rules = {
        f"property {min(message.keys() - allowed, default='')!r} is unsupported": (
            not message.keys() <= allowed
        ),
        "it answers no tool call": is_answer and message.get("tool_call_id") not in open_calls,
        "it comes before the tool calls are answered": bool(open_calls) and not is_answer,
        "its content is missing": message["content"] is None and not ids,
        "tool_calls: [] is too short": message.get("tool_calls") == [],
        "its tool calls have no ids of their own": not all(ids) or len(set(ids)) < len(ids),
    }
    return next((rule for rule, broken in rules.items() if broken), "")


class _Listener(ThreadingHTTPServer):
    daemon_threads = False
    request_queue_size = 256

    def handle_error(self, request: Any, client_address: Any) -> None:
        # A client that leaves in the middle is what half of these tests are about.
        if not isinstance(sys.exc_info()[1], OSError):
            super().handle_error(request, client_address)


def _handler_of(server: OpenAIServer) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def setup(self) -> None:
            super().setup()
            self.connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            server.greet(self.connection)

        def finish(self) -> None:
            super().finish()
            server.part(self.connection)

        def do_POST(self) -> None:
            wire = Wire(self, server)
            content = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            if not self.path.endswith("/chat/completions"):
                return refuses(404, f"there is no {self.path}")(wire)
            headers = {name.lower(): value for name, value in self.headers.items()}
            reply = server.answer(Request(self.path, headers, json.loads(content)))
            if not callable(reply):
                reply = answers(json.dumps(reply))
            return reply(wire)

        def do_GET(self) -> None:
            refuses(404, f"there is no {self.path}")(Wire(self, server))

        def log_message(self, format: str, *args: Any) -> None:
            """Say nothing: the requests are recorded."""

    return Handler


def _has_left(connection: socket.socket) -> bool:
    try:
        return connection.recv(1) == b""
    except TimeoutError:
        return False


def _hang_up(connection: socket.socket) -> None:
    with suppress(OSError):
        connection.shutdown(socket.SHUT_RDWR)
