"""What holds for every route: names, origins, sizes, media types, problems."""

import gzip
import json
import re
import sqlite3
from collections.abc import AsyncIterator
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any

import httpx
import pytest
from fastapi import FastAPI
from sqlalchemy.exc import InterfaceError, OperationalError
from sqlalchemy.exc import TimeoutError as NoConnectionError
from structlog.contextvars import merge_contextvars
from structlog.testing import capture_logs

from tests.support.api_client import Place, RecordingEngine, app_of, client_of
from yudai.api.app import contract
from yudai.api.errors import KINDS, MEDIA_TYPE, METHODS, Code
from yudai.api.security.request_guards import MAX_BODY
from yudai.kit.causes import Cause
from yudai.kit.errors import (
    ConflictError,
    GatewayError,
    IllegalTransitionError,
    InfrastructureError,
    NotFoundError,
    RefusedError,
)
from yudai.solves.idempotency import KeyReusedError

UNKNOWN = "0190a000-0000-7000-8000-000000000000"
BODY = {"run_id": UNKNOWN, "reason": "good"}


def problem(response: httpx.Response, code: Code) -> dict[str, Any]:
    """The answer is exactly this problem, whole."""
    body = response.json()
    assert body["code"] == code, body
    assert response.status_code == KINDS[code].status
    assert response.headers["content-type"] == MEDIA_TYPE
    assert body["type"] == f"/problems/{code}"
    assert body["status"] == response.status_code
    assert body["title"] == KINDS[code].title
    assert body["request_id"] == response.headers["x-request-id"]
    assert body["detail"]
    return body


async def test_loopback_names_are_answered_on_any_port(client: httpx.AsyncClient):
    for host in ("127.0.0.1", "127.0.0.1:1", "localhost", "LocalHost:8000", "[::1]", "[::1]:65535"):
        answer = await client.get("/api/health/live", headers={"Host": host})
        assert answer.json()["status"] == "ok", host


async def test_other_names_are_misdirected(client: httpx.AsyncClient):
    for host in (
        *("evil.example", "evil.example:8000", "127.0.0.1.evil.example", "localhost.", "::1"),
        *("", "127.0.0.2", "127.0.0.1:", "127.0.0.1:x", "a@127.0.0.1", "[::1", "localhost:999999"),
    ):
        answer = await client.get("/api/health/live", headers={"Host": host})
        problem(answer, Code.MISDIRECTED_HOST)


async def test_a_host_twice_or_not_at_all_is_misdirected(app: FastAPI):
    async with client_of(app) as client:
        request = client.build_request("GET", "/api/health/live")
        request.headers = httpx.Headers([("Host", "localhost"), ("Host", "localhost")])
        problem(await client.send(request), Code.MISDIRECTED_HOST)
        request.headers = httpx.Headers({})
        problem(await client.send(request), Code.MISDIRECTED_HOST)


async def test_a_host_that_was_configured_is_answered(place: Place):
    app = app_of(place, hosts=["Yudai.example.org"])
    async with client_of(app, base_url="https://yudai.example.org") as client:
        assert (await client.get("/api/health/live")).status_code == 200
    async with client_of(app, base_url="https://example.org") as client:
        problem(await client.get("/api/health/live"), Code.MISDIRECTED_HOST)


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"Origin": "http://127.0.0.1:8000"},
        {"Origin": "https://127.0.0.1:8000"},
        {"Origin": "http://127.0.0.1:8000", "Sec-Fetch-Site": "same-origin"},
        {"Sec-Fetch-Site": "none"},
        {"Origin": "http://app.example.org", "Sec-Fetch-Site": "cross-site"},
    ],
)
async def test_own_pages_and_programs_may_change_things(place: Place, headers: dict[str, str]):
    async with client_of(app_of(place, origins=["http://App.example.org/"])) as client:
        answer = await client.post(f"/api/solves/{UNKNOWN}/cancel", headers=headers)
    problem(answer, Code.NOT_FOUND)


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "http://evil.example"},
        {"Origin": "http://127.0.0.1:9000"},
        {"Origin": "http://localhost:8000"},
        {"Origin": "http://127.0.0.1:8000.evil.example"},
        {"Origin": "ftp://127.0.0.1:8000"},
        {"Origin": "null"},
        {"Origin": ""},
        {"Origin": "http://[127.0.0.1:8000"},
        {"Origin": "http://127.0.0.1:8000", "Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
    ],
)
async def test_other_sites_may_not(client: httpx.AsyncClient, headers: dict[str, str]):
    for method, path in (
        ("POST", f"/api/solves/{UNKNOWN}/cancel"),
        ("PUT", "/api/models/x"),
        ("DELETE", "/api/models/x"),
        ("POST", "/solve"),
        ("POST", "/nowhere"),
    ):
        problem(await client.request(method, path, headers=headers), Code.CROSS_ORIGIN)


async def test_other_sites_may_ask_but_no_page_can_read_it(client: httpx.AsyncClient):
    answer = await client.get("/api/models", headers={"Origin": "http://evil.example"})
    assert answer.status_code == 200
    assert not [name for name in answer.headers if name.startswith("access-control")]
    assert answer.headers["cross-origin-resource-policy"] == "same-origin"


async def test_every_answer_is_marked(client: httpx.AsyncClient):
    answers = [
        await client.get("/api/health/live"),
        await client.get("/nowhere"),
        await client.post("/api/solves", content=b"{", headers={"Content-Type": "text/plain"}),
        await client.get("/api/health/live", headers={"Host": "evil.example"}),
    ]
    for answer in answers:
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["cache-control"] == "no-store"
        assert answer.headers["content-security-policy"].startswith("default-src 'none'")
        assert re.fullmatch("[0-9a-f]{16}", answer.headers["x-request-id"])
    assert len({answer.headers["x-request-id"] for answer in answers}) == len(answers)


async def test_what_is_long_is_compressed_where_it_is_understood(app: FastAPI):
    async with client_of(app) as client:
        async with client.stream("GET", "/api/models", headers={"Accept-Encoding": "gzip"}) as sent:
            raw = b"".join([part async for part in sent.aiter_raw()])
        assert sent.headers["content-encoding"] == "gzip"
        assert sent.headers["vary"] == "Accept-Encoding"
        plain = await client.get("/api/models", headers={"Accept-Encoding": "identity"})
        assert "content-encoding" not in plain.headers
        assert gzip.decompress(raw) == plain.content
        short = await client.get("/api/health/live", headers={"Accept-Encoding": "gzip"})
    assert "content-encoding" not in short.headers


WRONG = [
    ("DELETE", "/api/solves", "GET, POST"),
    ("PATCH", "/api/solves", "GET, POST"),
    ("POST", f"/api/solves/{UNKNOWN}", "GET"),
    ("GET", f"/api/solves/{UNKNOWN}/cancel", "POST"),
    ("POST", "/api/models/openai/gpt-4.1", "PUT, DELETE"),
    ("GET", "/solve", "POST"),
    ("TRACE", "/api/solves", "GET, POST"),
    ("HEAD", "/api/health/live", "GET"),
]


async def test_a_wrong_method_is_answered_with_all_right_ones(client: httpx.AsyncClient):
    for method, path, allowed in WRONG:
        answer = await client.request(method, path)
        assert (answer.status_code, answer.headers["allow"]) == (405, allowed), path
        if method != "HEAD":
            problem(answer, Code.METHOD_NOT_ALLOWED)


async def test_every_path_names_all_its_methods(client: httpx.AsyncClient):
    for path, operations in contract()["paths"].items():
        allowed = {method.upper() for method in operations}
        url = re.sub(r"\{\w+\}", "1", path)
        for method in {*METHODS, "TRACE"} - allowed:
            answer = await client.request(method, url)
            assert answer.status_code == 405, (method, path)
            assert set(answer.headers["allow"].split(", ")) == allowed, (method, path)


async def test_what_is_nowhere_is_not_found(client: httpx.AsyncClient):
    for path in ("/", "/nowhere", "/api", "/api/solves/", "/docs", "/redoc", "/api/solves/a/b/c"):
        problem(await client.get(path), Code.NOT_FOUND)


async def test_only_json_is_read(client: httpx.AsyncClient):
    forms = ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data")
    paths = ("/api/solves", f"/api/solves/{UNKNOWN}/cancel")
    for media_type, path in product((*forms, "application", ""), paths):
        answer = await client.post(path, content=b"{}", headers={"Content-Type": media_type})
        problem(answer, Code.UNSUPPORTED_MEDIA_TYPE)
    request = client.build_request("POST", "/api/solves", content=b"{}")
    problem(await client.send(request), Code.UNSUPPORTED_MEDIA_TYPE)


@cache
def with_body() -> list[tuple[str, str]]:
    """Every operation that takes one."""
    return [
        (method.upper(), re.sub(r"\{\w+\}", UNKNOWN, path.replace("{number}", "1")))
        for path, operations in contract()["paths"].items()
        for method, operation in operations.items()
        if "requestBody" in operation
    ]


@pytest.mark.parametrize(
    "encoding", ["gzip", "GZIP", "br", "identity, gzip", "deflate,,", "x" * 99]
)
async def test_a_packed_body_is_not_unpacked(client: httpx.AsyncClient, encoding: str):
    headers = {"Content-Type": "application/json", "Content-Encoding": encoding}
    packed = gzip.compress(json.dumps(BODY).encode())
    asked = with_body()
    assert ("POST", "/api/solves") in asked
    for method, path in asked:
        answer = await client.request(method, path, content=packed, headers=headers)
        told = problem(answer, Code.UNSUPPORTED_MEDIA_TYPE)
        assert "Content-Encoding" in told["detail"], path
        assert answer.headers["accept-encoding"] == "identity"


async def test_an_encoding_of_nothing_is_none(client: httpx.AsyncClient):
    url = f"/api/solves/{UNKNOWN}/champion"
    for encoding in ("identity", "Identity", ""):
        answer = await client.post(url, json=BODY, headers={"Content-Encoding": encoding})
        problem(answer, Code.NOT_FOUND)
    packed = {"Content-Encoding": "gzip"}
    problem(await client.post(f"/api/solves/{UNKNOWN}/cancel", headers=packed), Code.NOT_FOUND)
    assert (await client.get("/api/models", headers=packed)).status_code == 200


async def test_json_may_say_its_alphabet(client: httpx.AsyncClient):
    headers = {"Content-Type": "Application/JSON; charset=utf-8"}
    url = f"/api/solves/{UNKNOWN}/champion"
    answer = await client.post(url, content=json.dumps(BODY), headers=headers)
    problem(answer, Code.NOT_FOUND)


async def test_what_is_no_json_is_malformed(client: httpx.AsyncClient):
    contents = (
        *(b"{", b'{"run_id": "', b"nothing", b"\xff\xfe", b'{"a": 1}}', b"[" * 100_000),
        b'{"run_id": "\xff"}',
        b'{"run_id": ' + b"1" * 5000 + b"}",
    )
    paths = ("/api/solves", f"/api/solves/{UNKNOWN}/champion", "/solve")
    for content, path in product(contents, paths):
        answer = await client.post(
            path, content=content, headers={"Content-Type": "application/json"}
        )
        problem(answer, Code.MALFORMED_BODY)


async def test_json_of_another_kind_does_not_fit(client: httpx.AsyncClient):
    kinds = (b"null", b"[]", b"1", b'"x"', b"true", b"", b"NaN", b"{}", b'{"\\ud800": 1}')
    paths = ("/api/solves", f"/api/solves/{UNKNOWN}/champion", "/solve")
    for content, path in product(kinds, paths):
        answer = await client.post(
            path, content=content, headers={"Content-Type": "application/json"}
        )
        assert problem(answer, Code.INVALID_BODY)["errors"]


async def test_fields_are_named_and_values_are_not_repeated(client: httpx.AsyncClient):
    body = {"run_id": 7, "password": "hunter2"}
    answer = await client.post(f"/api/solves/{UNKNOWN}/champion", json=body)
    errors = problem(answer, Code.INVALID_BODY)["errors"]
    assert {error["field"] for error in errors} == {"run_id", "reason", "password"}
    assert "hunter2" not in answer.text


async def test_a_body_that_says_that_it_is_long_is_not_even_read(client: httpx.AsyncClient):
    read = 0

    async def body() -> AsyncIterator[bytes]:
        nonlocal read
        read += 1
        yield b" "

    for length in (str(MAX_BODY + 1), "9" * 200):
        headers = {"Content-Type": "application/json", "Content-Length": length}
        answer = await client.post("/api/conversations", content=body(), headers=headers)
        problem(answer, Code.TOO_LARGE)
    assert not read


async def test_a_body_in_chunks_is_read_no_further_than_the_limit(client: httpx.AsyncClient):
    sent = 0

    async def body() -> AsyncIterator[bytes]:
        nonlocal sent
        while sent < 20 * MAX_BODY:
            sent += 100_000
            yield b" " * 100_000

    answer = await client.post(
        "/api/conversations", content=body(), headers={"Content-Type": "application/json"}
    )
    problem(answer, Code.TOO_LARGE)
    assert sent <= MAX_BODY + 200_000


async def test_a_body_of_just_the_limit_is_read(client: httpx.AsyncClient):
    content = json.dumps(BODY).encode().ljust(MAX_BODY)
    answer = await client.post(
        f"/api/solves/{UNKNOWN}/champion",
        content=content,
        headers={"Content-Type": "application/json"},
    )
    problem(answer, Code.NOT_FOUND)


def operational() -> OperationalError:
    return OperationalError("SELECT secret", {}, sqlite3.OperationalError("unable to open"))


ERRORS: list[tuple[Exception, Code]] = [
    (NotFoundError("gone"), Code.NOT_FOUND),
    (ConflictError("busy", state="running"), Code.CONFLICT),
    (IllegalTransitionError("queued", "settled"), Code.CONFLICT),
    (RefusedError("no"), Code.REFUSED),
    (KeyReusedError("again"), Code.IDEMPOTENCY_KEY_REUSED),
    (InfrastructureError(Cause.STORE_FAILED, "away"), Code.STORE_UNAVAILABLE),
    (operational(), Code.STORE_UNAVAILABLE),
    (InterfaceError("SELECT secret", {}, Exception("closed")), Code.STORE_UNAVAILABLE),
    (NoConnectionError("no free connection"), Code.STORE_UNAVAILABLE),
    (GatewayError("secret"), Code.INTERNAL),
    (ValueError("secret"), Code.INTERNAL),
    (KeyError("secret"), Code.INTERNAL),
]


async def test_every_error_has_its_answer(app: FastAPI):
    @app.get("/broken/{number}")
    async def broken(number: int) -> None:
        raise ERRORS[number][0]

    with capture_logs():
        async with client_of(app) as client:
            answers = [await client.get(f"/broken/{number}") for number in range(len(ERRORS))]
    for answer, (error, code) in zip(answers, ERRORS, strict=True):
        body = problem(answer, code)
        assert "secret" not in answer.text
        assert answer.headers.get("retry-after") == ("2" if answer.status_code == 503 else None)
        assert body.get("state") == getattr(error, "state", None)


async def test_what_no_one_expected_is_logged_under_its_id(app: FastAPI):
    error = ValueError("the reason")

    @app.get("/broken")
    async def broken() -> None:
        raise error

    with capture_logs(processors=[merge_contextvars]) as logged:
        async with client_of(app) as client:
            answer = await client.get("/broken")
    [entry] = logged
    assert entry["event"] == "request.failed"
    assert entry["exc_info"] is error
    assert entry["request_id"] == answer.headers["x-request-id"]


async def test_a_database_that_is_away_is_503_everywhere(
    client: httpx.AsyncClient, place: Place, tmp_path: Path
):
    await client.get("/api/models")
    await place.context.store.database.engine.dispose()
    (tmp_path / "yudai.db").unlink()
    (tmp_path / "yudai.db").mkdir()
    for path in (
        *("/api/solves", f"/api/solves/{UNKNOWN}", f"/solve/{UNKNOWN}/status", "/api/models"),
        "/api/health/ready",
    ):
        answer = await client.get(path)
        assert "sql" not in problem(answer, Code.STORE_UNAVAILABLE)["detail"].lower()
        assert answer.headers["retry-after"] == "2"
    answer = await client.post(f"/api/solves/{UNKNOWN}/cancel")
    problem(answer, Code.STORE_UNAVAILABLE)
    assert (await client.get("/api/health/live")).status_code == 200


async def test_ready_asks_the_engine_too(client: httpx.AsyncClient, engine: RecordingEngine):
    assert (await client.get("/api/health/ready")).json()["status"] == "ok"
    engine.broken = RuntimeError("no engine")
    answer = await client.get("/api/health/ready")
    problem(answer, Code.ENGINE_UNAVAILABLE)
    assert answer.headers["retry-after"] == "2"
    assert (await client.get("/api/health/live")).status_code == 200
