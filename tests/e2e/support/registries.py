"""Loopback package registries: a simple index (PEP 503, 658, 691) and an npm registry.

`python tests/e2e/support/registries.py PORT` serves them until it is interrupted.
"""

import html
import json
import sys
from collections.abc import Sequence
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any, NamedTuple, Self, cast
from urllib.parse import unquote, urlsplit

from tests.e2e.support.packages import Tarball, Wheel, tarballs, wheels

_SIMPLE_JSON = "application/vnd.pypi.simple.v1+json"


class Asked(NamedTuple):
    path: str
    authorization: str
    """What came in that header: nothing of ours should ever send any."""


class Registries:
    """Both registries on one port of 127.0.0.1; `asked` lists every request."""

    def __init__(self, *, port: int = 0) -> None:
        self.asked: list[Asked] = []
        self._server = _Server(("127.0.0.1", port), _Answer)
        self._server.registries = self
        self._thread = Thread(target=self._server.serve_forever, args=(0.05,), daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    @property
    def host(self) -> str:
        return f"127.0.0.1:{self._server.server_port}"

    @property
    def places(self) -> "Places":
        return Places(f"http://{self.host}")


class Places(NamedTuple):
    """Where things are found in registries at this address."""

    url: str

    @property
    def simple(self) -> str:
        return f"{self.url}/simple/"

    @property
    def npm(self) -> str:
        return f"{self.url}/npm/"

    def wheel(self, wheel: Wheel) -> str:
        return f"{self.url}/files/{wheel.filename}"

    def tarball(self, tarball: Tarball) -> str:
        return f"{self.npm}{tarball.name}/-/{tarball.filename}"

    @property
    def environment(self) -> dict[str, str]:
        """The settings that a person would have for registries of their own."""
        return {
            "PIP_INDEX_URL": self.simple,
            "UV_DEFAULT_INDEX": self.simple,
            "NPM_CONFIG_REGISTRY": self.npm,
        }


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    registries: Registries

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Clients leave in the middle of a download when theirs has failed elsewhere."""
        if not isinstance(sys.exc_info()[1], ConnectionError):
            super().handle_error(request, client_address)


class _Reply(NamedTuple):
    body: bytes
    kind: str
    status: HTTPStatus = HTTPStatus.OK


_NOTHING = _Reply(b"{}", "application/json", HTTPStatus.NOT_FOUND)


class _Answer(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        registries = cast("_Server", self.server).registries
        path = unquote(urlsplit(self.path).path)
        registries.asked.append(Asked(path, self.headers.get("Authorization", "")))
        wants_json = _SIMPLE_JSON in self.headers.get("Accept", "")
        reply = _reply(path, registries.places, wants_json=wants_json)
        self.send_response(reply.status)
        self.send_header("Content-Type", reply.kind)
        self.send_header("Content-Length", str(len(reply.body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(reply.body)

    def do_HEAD(self) -> None:
        self.do_GET()

    def do_POST(self) -> None:
        """npm asks for an audit."""
        self.rfile.read(int(self.headers.get("Content-Length", "0")))
        self.do_GET()

    def log_message(self, format: str, *args: object) -> None:
        """Quiet: `asked` has it all."""


def _reply(path: str, places: Places, *, wants_json: bool) -> _Reply:
    top, _, rest = path.lstrip("/").partition("/")
    if top == "simple":
        found = [wheel for wheel in wheels() if wheel.name == rest.strip("/")]
        return _index(found, places, wants_json=wants_json) if found else _NOTHING
    if top == "files":
        return _file(rest)
    return _npm(rest, places) if top == "npm" else _NOTHING


def _index(found: Sequence[Wheel], places: Places, *, wants_json: bool) -> _Reply:
    if wants_json:
        document = {
            "meta": {"api-version": "1.1"},
            "name": found[0].name,
            "versions": [wheel.version for wheel in found],
            "files": [
                {
                    "filename": wheel.filename,
                    "url": places.wheel(wheel),
                    "hashes": {"sha256": wheel.sha256},
                    "size": len(wheel.content),
                    "core-metadata": True,
                }
                for wheel in found
            ],
        }
        return _Reply(json.dumps(document).encode(), _SIMPLE_JSON)
    links = [
        f'<a href="{html.escape(places.wheel(wheel))}#sha256={wheel.sha256}"'
        f' data-core-metadata="true">{wheel.filename}</a><br>\n'
        for wheel in found
    ]
    return _Reply(
        f"<!DOCTYPE html><html><body>{''.join(links)}</body></html>".encode(), "text/html"
    )


def _file(name: str) -> _Reply:
    for wheel in wheels():
        if name == wheel.filename:
            return _Reply(wheel.content, "application/octet-stream")
        if name == f"{wheel.filename}.metadata":
            return _Reply(wheel.metadata, "text/plain")
    return _NOTHING


def _npm(path: str, places: Places) -> _Reply:
    name, _, filename = path.partition("/-/")
    found = [tarball for tarball in tarballs() if tarball.name == name]
    for tarball in found:
        if filename == tarball.filename:
            return _Reply(tarball.content, "application/octet-stream")
    return _packument(found, places) if found and not filename else _NOTHING


def _packument(found: Sequence[Tarball], places: Places) -> _Reply:
    versions = {
        tarball.version: tarball.manifest
        | {"dist": {"tarball": places.tarball(tarball), "integrity": tarball.integrity}}
        for tarball in found
    }
    document = {
        "name": found[0].name,
        "dist-tags": {"latest": found[-1].version},
        "versions": versions,
    }
    return _Reply(json.dumps(document).encode(), "application/json")


def _serve(port: int) -> None:
    with Registries(port=port) as registries:
        for name, value in registries.places.environment.items():
            sys.stdout.write(f"export {name}={value}\n")
        sys.stdout.flush()
        try:
            registries._thread.join()
        except KeyboardInterrupt:
            return


if __name__ == "__main__":
    _serve(int(sys.argv[1]) if len(sys.argv) > 1 else 0)
