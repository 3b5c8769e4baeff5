"""The route that a forge calls."""

import hashlib
import hmac
import json
from dataclasses import replace

import httpx
import pytest
from fastapi import FastAPI

from tests.support.api_client import WEBHOOK_SECRET, Place, app_of, client_of
from yudai.api.errors import Code
from yudai.api.routes.forge import webhooks as router
from yudai.api.security.request_guards import MAX_BODY

PATH = "/api/webhooks/github"
BODY = json.dumps({"repository": {"full_name": "o/r"}, "issue": {"number": 3}}).encode()


def headers(body: bytes = BODY, **changes: str) -> dict[str, str]:
    key = WEBHOOK_SECRET.get_secret_value().encode()
    return {
        "Content-Type": "application/json",
        "X-GitHub-Event": "issues",
        "X-GitHub-Delivery": "72d3162e-cc78-11e3-81ab-4c9367dc0958",
        "X-Hub-Signature-256": f"sha256={hmac.new(key, body, hashlib.sha256).hexdigest()}",
        **changes,
    }


@pytest.fixture
def app(place: Place) -> FastAPI:
    app = app_of(place)
    if not any(getattr(route, "path", "") == PATH for route in app.routes):
        app.include_router(router, prefix="/api")
    return app


async def test_it_is_answered_at_once_and_followed_later(client: httpx.AsyncClient, place: Place):
    answer = await client.post(PATH, content=BODY, headers=headers())
    assert (answer.status_code, answer.content) == (202, b"")
    again = await client.post(PATH, content=BODY, headers=headers())
    assert again.status_code == 202
    assert place.hints == []
    assert await place.deliveries.process() == 1
    assert place.hints == [("o/r", 3)]


@pytest.mark.parametrize("kind", ["application/json; charset=utf-8", "Application/JSON"])
async def test_any_spelling_of_json_will_do(client: httpx.AsyncClient, kind: str):
    answer = await client.post(PATH, content=BODY, headers=headers() | {"Content-Type": kind})
    assert answer.status_code == 202


@pytest.mark.parametrize(
    "change",
    [
        {"X-Hub-Signature-256": ""},
        {"X-Hub-Signature-256": "sha256=" + "0" * 64},
        {"X-Hub-Signature-256": "sha1=" + "0" * 40},
    ],
)
async def test_a_wrong_signature_is_refused(
    client: httpx.AsyncClient, place: Place, change: dict[str, str]
):
    answer = await client.post(PATH, content=BODY, headers=headers() | change)
    assert answer.status_code == 401
    assert answer.json()["code"] == Code.UNAUTHENTICATED
    without = {name: text for name, text in headers().items() if name != "X-Hub-Signature-256"}
    # Not JSON either, which nobody learns who cannot sign.
    assert (await client.post(PATH, content=b"{", headers=without)).status_code == 401
    assert await place.deliveries.process() == 0


async def test_what_is_signed_and_no_json_is_reported(client: httpx.AsyncClient):
    answer = await client.post(PATH, content=b"{", headers=headers(b"{"))
    assert (answer.status_code, answer.json()["code"]) == (422, Code.REFUSED)


async def test_what_is_too_large_is_not_read(client: httpx.AsyncClient):
    body = b" " * (MAX_BODY + 1)
    answer = await client.post(PATH, content=body, headers=headers(body))
    assert answer.status_code == 413


async def test_a_page_cannot_send_one(client: httpx.AsyncClient):
    from_page = headers(Origin="https://evil.org")
    assert (await client.post(PATH, content=BODY, headers=from_page)).status_code == 403
    form = headers() | {"Content-Type": "application/x-www-form-urlencoded"}
    assert (await client.post(PATH, content=BODY, headers=form)).status_code == 415


async def test_without_a_secret_there_is_no_such_route(place: Place):
    app = app_of(replace(place, deliveries=replace(place.deliveries, secret=None)))
    if not any(getattr(route, "path", "") == PATH for route in app.routes):
        app.include_router(router, prefix="/api")
    async with client_of(app) as client:
        answer = await client.post(PATH, content=BODY, headers=headers())
    assert (answer.status_code, answer.json()["code"]) == (404, Code.NOT_FOUND)
