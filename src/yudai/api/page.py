"""Serves the built page: its files, and its index for every client-side route.

Files are known by name from the start and only looked up: no path of a request is ever opened.
"""

import hashlib
import re
from pathlib import Path
from typing import NamedTuple

from fastapi import FastAPI, Request, Response
from starlette.types import ASGIApp, Receive, Scope, Send

import yudai
from yudai.api.downloads import Download, is_known
from yudai.api.errors import ApiError, Code, answer

BUILT = Path(yudai.__file__).with_name("_page")
"""Folder of the built page, in the source tree and in a wheel."""

INDEX = "/index.html"
FOR_EVER = "public, max-age=31536000, immutable"
ASK_AGAIN = "no-cache"
CSP = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "font-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'self'; "
    "frame-ancestors 'none'; manifest-src 'self'"
)
_PAGE_HEADERS = {
    "Content-Security-Policy": CSP,
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Permissions-Policy": "camera=(), display-capture=(), geolocation=(), microphone=(), "
    "payment=(), usb=()",
}
_ALLOW = "GET, HEAD"
_OTHERS = ("/api", "/assets", "/solve")
# Repository names may have dots; any other path with a dot is a file.
_ROUTE = re.compile(r"/(?:[\w-]+(?:/[\w-]+)*/?)?|/repos/[\w-]+/[\w.-]+/?", re.ASCII)
# Not the machine's table: with `nosniff` scripts need the exact type.
_TYPES = {
    ".css": "text/css; charset=utf-8",
    ".html": "text/html; charset=utf-8",
    ".ico": "image/x-icon",
    ".js": "text/javascript; charset=utf-8",
    ".json": "application/json",
    ".png": "image/png",
    ".svg": "image/svg+xml",
    ".txt": "text/plain; charset=utf-8",
    ".webmanifest": "application/manifest+json",
    ".woff2": "font/woff2",
}
_NOT_BUILT = """<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>Yudai</title>
<h1>The page is not built</h1>
<p>In the checkout that this server runs from <code>make web</code> builds it; then load this again.
<p>The API works, and so does the command line: <code>yudai list</code>, <code>yudai show</code>.
</html>
"""


class _File(NamedTuple):
    about: Download
    content: bytes
    headers: dict[str, str]


class Page:
    """Handles paths that no API route matches."""

    def __init__(self, folder: Path, otherwise: ASGIApp) -> None:
        self._folder = folder
        self._otherwise = otherwise
        self._built_at = 0
        self._files: dict[str, _File] = {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        app = self._answer(scope) if scope["type"] == "http" else self._otherwise
        await app(scope, receive, send)

    def _answer(self, scope: Scope) -> ASGIApp:
        self._look()
        path: str = scope["path"]
        file = self._files.get(path)
        if file is None and not _is_route(path):
            return self._otherwise
        if scope["method"] not in ("GET", "HEAD"):
            refused = answer(ApiError(Code.METHOD_NOT_ALLOWED, f"possible here: {_ALLOW}"), scope)
            refused.headers["Allow"] = _ALLOW
            return refused
        file = file or self._files.get(INDEX)
        return _not_built() if file is None else _send(file, Request(scope))

    def _look(self) -> None:
        """A file of the page, read again after a new build."""
        try:
            built_at = (self._folder / INDEX[1:]).stat().st_mtime_ns
            if built_at != self._built_at:
                self._files = _read(self._folder)
        except OSError:
            # Missing, or being replaced.
            built_at, self._files = 0, {}
        self._built_at = built_at


def mount(app: FastAPI, folder: Path) -> None:
    """Mount the page after all routes, so that it hides neither them nor their 405."""
    app.router.default = Page(folder, app.router.default)


def _is_route(path: str) -> bool:
    first = f"/{path[1:].partition('/')[0]}"
    return first not in _OTHERS and _ROUTE.fullmatch(path) is not None


def _read(folder: Path) -> dict[str, _File]:
    return {
        f"/{file.relative_to(folder).as_posix()}": _file(file, file.relative_to(folder).parts[0])
        for file in sorted(folder.rglob("*"))
        if file.is_file()
    }


def _file(path: Path, top: str) -> _File:
    content = path.read_bytes()
    tag = hashlib.sha256(content).hexdigest()[:32]
    about = Download(path.name, _TYPES.get(path.suffix, "application/octet-stream"), tag=tag)
    headers = {
        # Weak, because the compressed response has the same tag.
        "ETag": f'W/"{tag}"',
        "Cache-Control": FOR_EVER if top == "assets" else ASK_AGAIN,
    }
    if path.suffix == ".html":
        headers |= _PAGE_HEADERS
    return _File(about, content, headers)


def _send(file: _File, request: Request) -> Response:
    if is_known(request, file.about):
        # With the policy: browsers update headers from a 304.
        return Response(status_code=304, headers=file.headers)
    if request.method == "HEAD":
        headers = {**file.headers, "Content-Length": str(len(file.content))}
        return Response(media_type=file.about.media_type, headers=headers)
    return Response(file.content, media_type=file.about.media_type, headers=file.headers)


def _not_built() -> Response:
    return Response(_NOT_BUILT, 503, headers=_PAGE_HEADERS, media_type=_TYPES[".html"])
