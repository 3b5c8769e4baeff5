"""Real git over HTTP on loopback: `git http-backend` behind a small server, with faults on order.

with serving(tmp_path / "server") as server:
    repository = server.create("ada/sample", {"README.md": "# Sample\\n"})
    server.answer(lambda asked: Lost() if asked.is_push else None)
"""

import base64
import gzip
import os
import socket
import subprocess
import threading
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from tests.support.forge.repositories import Repository, copy_of
from yudai.forge.domain.repository import RepoRef


@dataclass(frozen=True)
class Asked:
    method: str
    path: str
    query: str
    token: str
    size: int = 0

    @property
    def is_push(self) -> bool:
        """The act itself, not the look before it."""
        return self.path.endswith("/git-receive-pack") and self.method == "POST"

    @property
    def is_fetch(self) -> bool:
        return self.path.endswith("/git-upload-pack") and self.method == "POST"


@dataclass(frozen=True)
class Status:
    code: int
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes = b""


@dataclass(frozen=True)
class Lost:
    """It is done, and nobody hears of it."""


@dataclass(frozen=True)
class Held:
    """It is done when the event comes."""

    reached: threading.Event
    until: threading.Event


Fault = Status | Lost | Held | None


class GitServer:
    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.asked: list[Asked] = []
        self.tokens: dict[str, set[str]] = {}
        """By token: the repositories that it may write to; none at all: everybody may."""
        self.url = ""
        self.only_version_0 = False
        """Old servers give only what a branch points at."""
        self._answer: Callable[[Asked], Fault] = lambda _: None

    def create(self, full: str, files: Mapping[str, str | bytes]) -> Repository:
        """A work repository of its owner, whose `main` is served."""
        work = Repository.create(self.folder / "work" / full, files)
        bare = self.bare(full)
        bare.parent.mkdir(parents=True, exist_ok=True)

        def make(folder: Path) -> None:
            work.git("clone", "-q", "--bare", "--no-local", str(work.root), str(folder))
            for key in ("http.receivepack", "uploadpack.allowFilter"):
                work.git("--git-dir", str(folder), "config", key, "true")

        copy_of(("bare", tuple(files.items())), make, bare)
        with (work.root / ".git" / "config").open("a") as config:
            config.write(f'[remote "origin"]\n\turl = {bare}\n')
            config.write("\tfetch = +refs/heads/*:refs/remotes/origin/*\n")
        return work

    def publish(self, work: Repository, *branches: str) -> str:
        work.git("push", "-q", "-f", "origin", *(branches or ("main",)))
        return work.head

    def fork(self, full: str, to: str) -> None:
        target = self.bare(to)
        target.parent.mkdir(parents=True, exist_ok=True)
        subprocess.run(
            ["git", "clone", "-q", "--bare", "--no-local", str(self.bare(full)), str(target)],
            check=True,
        )
        subprocess.run(
            ["git", "--git-dir", str(target), "config", "http.receivepack", "true"], check=True
        )

    def hook(self, full: str, name: str, script: str) -> None:
        file = self.bare(full) / "hooks" / name
        file.parent.mkdir(exist_ok=True)
        file.write_text(f"#!/bin/sh\n{script}\n")
        file.chmod(0o755)

    def bare(self, full: str) -> Path:
        return self.folder / "served" / f"{full}.git"

    def refs(self, full: str) -> dict[str, str]:
        listing = self.git(full, "for-each-ref", "--format=%(refname) %(objectname)")
        return dict(line.split(" ") for line in listing.splitlines())

    def git(self, full: str, *args: str) -> str:
        command = ["git", "--git-dir", str(self.bare(full)), *args]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()

    def ref(self, full: str) -> RepoRef:
        owner, _, name = full.partition("/")
        return RepoRef(forge=self.url, owner=owner, name=name)

    def answer(self, how: Callable[[Asked], Fault]) -> None:
        self._answer = how

    def fault(self, asked: Asked) -> Fault:
        self.asked.append(asked)
        return self._answer(asked)

    def refusal(self, asked: Asked) -> Status | None:
        """As GitHub answers: 401 without a good token, 403 for a reader who writes."""
        if not self.tokens:
            return None
        full = asked.path.removeprefix("/").partition(".git/")[0]
        if asked.token not in self.tokens:
            return Status(401, {"WWW-Authenticate": 'Basic realm="GitHub"'})
        writes = "git-receive-pack" in asked.path + asked.query
        if writes and full not in self.tokens[asked.token]:
            return Status(403, body=f"remote: Permission to {full}.git denied.\n".encode())
        return None


@contextmanager
def serving(folder: Path) -> Generator[GitServer]:
    git = GitServer(folder)

    class Handler(_Handler):
        server_of_git = git

    server = _Server(("127.0.0.1", 0), Handler)
    git.url = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield git
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that went away is none of ours."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server_of_git: GitServer

    def do_GET(self) -> None:
        self._serve()

    def do_POST(self) -> None:
        self._serve()

    def log_message(self, format: str, *args: Any) -> None:
        pass

    def _serve(self) -> None:
        self.close_connection = True
        parts = urlsplit(self.path)
        body = self._body()
        asked = Asked(self.command, parts.path, parts.query, self._token(), len(body))
        fault = self.server_of_git.fault(asked)
        if isinstance(fault, Held):
            fault.reached.set()
            fault.until.wait(60)
        status = fault if isinstance(fault, Status) else self.server_of_git.refusal(asked)
        status = status or self._backend(parts.path, parts.query, body)
        if isinstance(fault, Lost):
            self.connection.shutdown(socket.SHUT_RDWR)
            return
        self.send_response(status.code)
        for name, value in status.headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(status.body)))
        self.send_header("Connection", "close")
        self.end_headers()
        self.wfile.write(status.body)

    def _token(self) -> str:
        kind, _, value = self.headers.get("Authorization", "").partition(" ")
        if kind != "Basic":
            return ""
        return base64.b64decode(value).decode().rpartition(":")[2]

    def _body(self) -> bytes:
        if self.headers.get("Transfer-Encoding") == "chunked":
            content = b"".join(iter(self._chunk, b""))
        else:
            content = self.rfile.read(int(self.headers.get("Content-Length", "0")))
        is_packed = self.headers.get("Content-Encoding") == "gzip"
        return gzip.decompress(content) if is_packed else content

    def _chunk(self) -> bytes:
        size = int(self.rfile.readline(), 16)
        content = self.rfile.read(size)
        self.rfile.readline()
        return content

    def _backend(self, path: str, query: str, body: bytes) -> Status:
        env = {
            "PATH": os.environ["PATH"],
            "HOME": "/nonexistent",
            "GIT_CONFIG_GLOBAL": os.devnull,
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_HTTP_EXPORT_ALL": "1",
            "GIT_PROJECT_ROOT": str(self.server_of_git.folder / "served"),
            "GIT_PROTOCOL": ""
            if self.server_of_git.only_version_0
            else self.headers.get("Git-Protocol", ""),
            "PATH_INFO": path,
            "QUERY_STRING": query,
            "REQUEST_METHOD": self.command,
            "REMOTE_USER": "somebody",
            "REMOTE_ADDR": "127.0.0.1",
            "CONTENT_TYPE": self.headers.get("Content-Type", ""),
            "CONTENT_LENGTH": str(len(body)),
        }
        done = subprocess.run(
            ["git", "http-backend"], env=env, input=body, capture_output=True, check=False
        )
        head, _, content = done.stdout.partition(b"\r\n\r\n")
        headers = dict(line.split(": ", 1) for line in head.decode().split("\r\n") if line)
        code = int(headers.pop("Status", "200 OK").split()[0])
        return Status(code, headers, content)
