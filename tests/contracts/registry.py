"""A package registry on loopback: one wheel and one npm package, as small as they can be."""

import base64
import hashlib
import io
import json
import tarfile
import zipfile
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import NamedTuple

WHEEL = "tinything-1.0-py3-none-any.whl"
DIST_INFO = "tinything-1.0.dist-info"


class Registry(NamedTuple):
    url: str
    asked: list[str]
    """Paths, with what came as authorization."""

    @property
    def variables(self) -> dict[str, str]:
        """A person's settings, with a credential in each URL."""
        secret = self.url.replace("://", "://person:s3cr3t@")
        return {
            "PIP_INDEX_URL": f"{secret}/simple/",
            "UV_INDEX_URL": f"{secret}/simple/",
            "NPM_CONFIG_REGISTRY": f"{secret}/npm/",
        }


@contextmanager
def serving() -> Generator[Registry]:
    asked: list[str] = []
    pages: dict[str, bytes] = {}

    class Answer(BaseHTTPRequestHandler):
        def do_HEAD(self) -> None:
            self._answer()

        def do_GET(self) -> None:
            self.wfile.write(self._answer())

        def _answer(self) -> bytes:
            asked.append(f"{self.path} {self.headers.get('Authorization', '')}".strip())
            body = pages.get(self.path)
            self.send_response(404 if body is None else 200)
            html = self.path.startswith("/simple/") and self.path.endswith("/")
            self.send_header("Content-Type", "text/html" if html else "application/json")
            self.send_header("Content-Length", str(len(body or b"")))
            self.end_headers()
            return body or b""

        def log_message(self, format: str, *args: object) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Answer)
    server.daemon_threads = True
    url = f"http://127.0.0.1:{server.server_port}"
    pages |= _pages(url)
    thread = Thread(target=server.serve_forever, args=(0.05,))
    thread.start()
    try:
        yield Registry(url, asked)
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def lock(registry: Registry) -> bytes:
    """A package-lock.json that `npm ci` takes."""
    package = _packument(registry.url)["versions"]["1.0.0"]
    needs = {"tinything": "1.0.0"}
    packages = {
        "": {"name": "sample", "version": "1.0.0", "dependencies": needs},
        "node_modules/tinything": {
            "version": "1.0.0",
            "resolved": package["dist"]["tarball"],
            "integrity": package["dist"]["integrity"],
            "bin": {"tinything": "index.js"},
        },
    }
    document = {"name": "sample", "version": "1.0.0", "lockfileVersion": 3, "packages": packages}
    return json.dumps(document).encode()


PACKAGE_JSON = json.dumps(
    {"name": "sample", "version": "1.0.0", "dependencies": {"tinything": "1.0.0"}}
).encode()


def _pages(url: str) -> dict[str, bytes]:
    return {
        "/simple/tinything/": f'<a href="{url}/files/{WHEEL}">{WHEEL}</a>'.encode(),
        f"/files/{WHEEL}": _wheel(),
        "/npm/tinything": json.dumps(_packument(url)).encode(),
        "/npm/tinything/-/tinything-1.0.0.tgz": _tarball(),
    }


def _wheel() -> bytes:
    files = {
        "tinything.py": "NAME = 'tiny thing'\n\n\ndef main():\n    print(NAME)\n",
        f"{DIST_INFO}/METADATA": "Metadata-Version: 2.1\nName: tinything\nVersion: 1.0\n",
        f"{DIST_INFO}/WHEEL": "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        f"{DIST_INFO}/entry_points.txt": "[console_scripts]\ntinything = tinything:main\n",
    }
    record = "".join(f"{path},,\n" for path in [*files, f"{DIST_INFO}/RECORD"])
    return _zip({**files, f"{DIST_INFO}/RECORD": record})


def _zip(files: Mapping[str, str]) -> bytes:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        for path, text in files.items():
            archive.writestr(zipfile.ZipInfo(path), text)
    return content.getvalue()


def _packument(url: str) -> dict[str, dict[str, dict[str, dict[str, str]]]]:
    digest = base64.b64encode(hashlib.sha512(_tarball()).digest()).decode()
    tarball = f"{url}/npm/tinything/-/tinything-1.0.0.tgz"
    version = {
        **json.loads(_MANIFEST),
        "dist": {"tarball": tarball, "integrity": f"sha512-{digest}"},
    }
    return {"name": "tinything", "dist-tags": {"latest": "1.0.0"}, "versions": {"1.0.0": version}}  # pyright: ignore[reportReturnType] - JSON as it is


_MANIFEST = json.dumps(
    {"name": "tinything", "version": "1.0.0", "main": "index.js", "bin": {"tinything": "index.js"}}
)


@cache
def _tarball() -> bytes:
    """Made once: its time is in it, and so in its digest."""
    content = io.BytesIO()
    script = "#!/usr/bin/env node\nmodule.exports = 'tiny thing';\nif (require.main === module) "
    files = {"package.json": _MANIFEST, "index.js": f"{script}console.log(module.exports);\n"}
    with tarfile.open(fileobj=content, mode="w:gz") as archive:
        for path, text in files.items():
            member = tarfile.TarInfo(f"package/{path}")
            member.size, member.mode = len(text), 0o755
            archive.addfile(member, io.BytesIO(text.encode()))
    return content.getvalue()
