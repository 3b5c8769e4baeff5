"""The page is served beside the API: every deep link, nothing else, and no browser is careless."""

import gzip
from collections.abc import AsyncGenerator
from pathlib import Path

import httpx
import pytest
from fastapi import FastAPI
from starlette.types import Message

from tests.support.api_client import Place, app_of, client_of
from yudai.api.page import CSP, FOR_EVER

INDEX = '<!doctype html><script type="module" src="/assets/index-a1.js"></script>'
SCRIPT = "export const words = 'race';\n" * 100
FILES = {
    "index.html": INDEX,
    "theme.js": "'use strict';",
    "favicon.svg": "<svg/>",
    "assets/index-a1.js": SCRIPT,
    "assets/index-a1.css": "body{}",
    "assets/mono-a1.woff2": "wOF2" * 1000,
}
UNKNOWN = "00000000-0000-0000-0000-000000000000"
ROUTES = (
    "/",
    "/new",
    "/cost",
    "/conversations/",
    f"/solves/{UNKNOWN}",
    f"/solves/{UNKNOWN}/runs/{UNKNOWN}?m=57",
    f"/solves/{UNKNOWN}/compare?a=1&b=2",
    "/nowhere",
)


def build(folder: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


@pytest.fixture
def built(tmp_path: Path) -> Path:
    folder = tmp_path / "page"
    build(folder, FILES)
    (tmp_path / "secret").write_text("secret")
    (tmp_path / "secret.txt").write_text("secret")
    return folder


@pytest.fixture
async def client(place: Place, built: Path) -> AsyncGenerator[httpx.AsyncClient]:
    async with client_of(app_of(place, page_folder=built)) as opened:
        yield opened


async def test_every_deep_link_is_the_index(client: httpx.AsyncClient):
    for path in ROUTES:
        answer = await client.get(path)
        assert (answer.status_code, answer.text) == (200, INDEX), path
        assert answer.headers["content-type"] == "text/html; charset=utf-8"
        assert answer.headers["cache-control"] == "no-cache"


async def test_a_page_has_careful_headers(client: httpx.AsyncClient):
    for path in ("/", "/index.html", "/new"):
        headers = (await client.get(path)).headers
        assert headers["content-security-policy"] == CSP
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["referrer-policy"] == "same-origin"
        assert headers["cross-origin-opener-policy"] == "same-origin"
        assert "camera=()" in headers["permissions-policy"]
    assert "unsafe" not in CSP


async def test_what_has_its_hash_in_its_name_is_kept_for_ever(client: httpx.AsyncClient):
    types = {
        "/assets/index-a1.js": "text/javascript; charset=utf-8",
        "/assets/index-a1.css": "text/css; charset=utf-8",
        "/assets/mono-a1.woff2": "font/woff2",
    }
    for path, media_type in types.items():
        answer = await client.get(path)
        assert (answer.status_code, answer.headers["content-type"]) == (200, media_type)
        assert answer.headers["cache-control"] == FOR_EVER
        assert answer.headers["x-content-type-options"] == "nosniff"
        # No document: whoever opens it as one gets nothing run.
        assert answer.headers["content-security-policy"].startswith("default-src 'none'; frame")


async def test_what_has_not_is_asked_for_again(client: httpx.AsyncClient):
    for path in ("/", "/theme.js", "/favicon.svg"):
        first = await client.get(path)
        assert first.headers["cache-control"] == "no-cache"
        again = await client.get(path, headers={"If-None-Match": first.headers["etag"]})
        assert (again.status_code, again.content) == (304, b"")
        # A browser takes over what a 304 says.
        for name in ("etag", "cache-control", "content-security-policy"):
            assert again.headers[name] == first.headers[name]
        other = await client.get(path, headers={"If-None-Match": 'W/"other"'})
        assert other.content == first.content


async def test_what_is_missing_is_missing(client: httpx.AsyncClient):
    for path in (
        *("/assets/nope.js", "/assets", "/assets/", "/assets/index-a1.js/", "/missing.png"),
        *("/api", "/api/nope", "/api/solves/a/b/c", "/solve/nope", "/robots.txt"),
    ):
        answer = await client.get(path, headers={"Accept": "text/html"})
        assert answer.status_code == 404, path
        assert answer.headers["content-type"] == "application/problem+json"
        assert answer.headers["cache-control"] == "no-store"
        assert "access-control-allow-origin" not in answer.headers


async def status_of(app: FastAPI, path: str) -> int:
    """As a socket would give it: clients tidy a path up before they send it."""
    sent: list[Message] = []

    async def receive() -> Message:
        return {"type": "http.request", "body": b""}

    async def send(message: Message) -> None:
        sent.append(message)

    headers = [(b"host", b"127.0.0.1")]
    scope = {"type": "http", "method": "GET", "path": path, "query_string": b"", "headers": headers}
    await app(scope, receive, send)
    assert b"secret" not in b"".join(message.get("body", b"") for message in sent)
    return sent[0]["status"]


async def test_no_path_leads_out_of_it(place: Place, built: Path):
    app = app_of(place, page_folder=built)
    assert await status_of(app, "/new") == 200
    for path in (
        *("/../secret", "/../secret.txt", "/assets/../../secret", "//new", "/new//x", "/./new"),
        *(
            "/..\\secret",
            "/\0",
            "/new\n",
            "/new/../../x",
            "//etc/passwd.txt",
            "",
            "new",
            "/n\u00e9w",
        ),
        *(f"{built.parent}/secret.txt", "/assets/../index.html", "/%2e%2e/secret"),
    ):
        assert await status_of(app, path) == 404, path


async def test_only_what_can_be_done_with_a_page(client: httpx.AsyncClient):
    for path in ("/", "/new", "/theme.js", "/assets/index-a1.js"):
        whole = await client.get(path, headers={"Accept-Encoding": "identity"})
        head = await client.head(path)
        assert (head.status_code, head.content) == (200, b"")
        for name in ("content-length", "content-type", "etag", "cache-control"):
            assert head.headers[name] == whole.headers[name]
        for method in ("POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE"):
            answer = await client.request(method, path)
            assert (answer.status_code, answer.headers["allow"]) == (405, "GET, HEAD")
            assert answer.json()["code"] == "method_not_allowed"
    assert (await client.head("/assets/nope.js")).status_code == 404
    assert (await client.post("/assets/nope.js")).status_code == 404


async def test_routes_of_the_api_are_not_hidden(client: httpx.AsyncClient):
    assert (await client.get("/api/health/live")).json()["status"] == "ok"
    wrong = await client.get("/solve")
    assert (wrong.status_code, wrong.headers["allow"]) == (405, "POST")
    wrong = await client.delete("/api/solves")
    assert (wrong.status_code, wrong.headers["allow"]) == (405, "GET, POST")


async def test_guards_stand_before_pages_too(client: httpx.AsyncClient):
    for path in ("/", "/new", "/theme.js", "/assets/index-a1.js"):
        answer = await client.get(path, headers={"Host": "evil.example"})
        assert answer.status_code == 421
        answer = await client.post(path, headers={"Origin": "http://evil.example"})
        assert answer.status_code == 403


async def test_scripts_are_compressed_and_fonts_are_not(client: httpx.AsyncClient):
    accepts = {"Accept-Encoding": "gzip"}
    async with client.stream("GET", "/assets/index-a1.js", headers=accepts) as sent:
        raw = b"".join([part async for part in sent.aiter_raw()])
    assert sent.headers["vary"] == "Accept-Encoding"
    assert gzip.decompress(raw).decode() == SCRIPT
    font = await client.get("/assets/mono-a1.woff2", headers=accepts)
    assert "content-encoding" not in font.headers


async def test_a_page_that_is_built_again_is_served_at_once(client: httpx.AsyncClient, built: Path):
    assert (await client.get("/")).text == INDEX
    (built / "index.html").unlink()
    missing = await client.get("/solves/1")
    assert (missing.status_code, "make web" in missing.text) == (503, True)
    assert (await client.get("/assets/index-a1.js")).status_code == 404
    assert (await client.get("/api/models")).status_code == 200
    build(built, {"index.html": "new", "assets/index-b2.js": "new"})
    assert (await client.get("/")).text == "new"
    assert (await client.get("/assets/index-b2.js")).text == "new"


async def test_without_a_build_the_page_says_how_to_make_one(place: Place, tmp_path: Path):
    app = app_of(place, page_folder=tmp_path / "nothing")
    async with client_of(app) as client:
        answer = await client.get("/")
        assert (answer.status_code, answer.headers["cache-control"]) == (503, "no-store")
        assert answer.headers["content-type"] == "text/html; charset=utf-8"
        assert "make web" in answer.text
        assert "script-src 'self'" in answer.headers["content-security-policy"]
        assert answer.headers["content-security-policy"].startswith("default-src 'none'")
        assert (await client.get("/api/health/live")).status_code == 200
        assert (await client.get("/api/nope")).status_code == 404
