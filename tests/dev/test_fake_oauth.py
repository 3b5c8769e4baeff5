"""Logins: in a browser, refreshed, and by a device."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx
import pytest

from tests.support.servers.github_server import REPO, GitHubServer, github_server
from yudai.dev.fake_github.oauth import challenge_of

BACK = "http://127.0.0.1:8000/auth/callback"
VERIFIER = "v" * 50
DEVICE = "urn:ietf:params:oauth:grant-type:device_code"


class Watch:
    """A clock that is moved by hand."""

    def __init__(self) -> None:
        self.at = 1_800_000_000.0

    def now(self) -> float:
        return self.at

    def new_id(self) -> str:
        return "id"

    def token(self) -> str:
        return "0" * 16


@pytest.fixture
def watch() -> Watch:
    return Watch()


@pytest.fixture
def github(tmp_path: Path, watch: Watch) -> Iterator[GitHubServer]:
    with github_server(tmp_path / "github", clock=watch) as server:
        server.repository(private=True)
        server.app()
        yield server


@pytest.fixture
def browser(github: GitHubServer) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=github.url, trust_env=False) as client:
        yield client


def client_fields(github: GitHubServer) -> dict[str, str]:
    app = github.state.the_app()
    return {"client_id": app.client_id, "client_secret": app.client_secret}


def authorize(github: GitHubServer, browser: httpx.Client, **more: str) -> httpx.Response:
    query = {
        "client_id": github.state.the_app().client_id,
        "redirect_uri": BACK,
        "state": "s1",
        "code_challenge": challenge_of(VERIFIER),
        "code_challenge_method": "S256",
    }
    return browser.get("/login/oauth/authorize", params=query | more)


def brought_back(answer: httpx.Response) -> dict[str, str]:
    assert answer.status_code == 302, answer.text
    place = urlsplit(answer.headers["location"])
    assert f"{place.scheme}://{place.netloc}{place.path}" == BACK
    return {name: values[0] for name, values in parse_qs(place.query).items()}


def exchange(github: GitHubServer, browser: httpx.Client, **fields: str) -> dict[str, Any]:
    answer = browser.post(
        "/login/oauth/access_token",
        data=client_fields(github) | fields,
        headers={"Accept": "application/json"},
    )
    assert answer.status_code == 200
    return answer.json()


def test_the_web_flow(github: GitHubServer, browser: httpx.Client):
    told = brought_back(authorize(github, browser, auto="bob"))
    assert told["state"] == "s1"
    tokens = exchange(github, browser, code=told["code"], code_verifier=VERIFIER)
    assert (tokens["expires_in"], tokens["refresh_token_expires_in"]) == (28_800, 15_897_600)
    client = github.client(tokens["access_token"])
    assert client.get("/user").json()["login"] == "bob"
    assert client.get(f"/repos/{REPO}").json()["permissions"]["push"] is True
    again = exchange(github, browser, code=told["code"], code_verifier=VERIFIER)
    assert again["error"] == "bad_verification_code"


def test_a_person_says_yes_on_the_page(github: GitHubServer, browser: httpx.Client):
    page = authorize(github, browser)
    assert "Sign in as carol" in page.text
    assert page.headers["content-security-policy"].startswith("default-src 'none'")
    fields = {
        "client_id": github.state.the_app().client_id,
        "redirect_uri": BACK,
        "state": '"><script>',
        "as": "carol",
    }
    foreign = browser.post("/login/oauth/authorize", data=fields)
    assert foreign.status_code == 403
    evil = browser.post(
        "/login/oauth/authorize", data=fields, headers={"Origin": "http://evil.example"}
    )
    assert evil.status_code == 403
    ours = {"Origin": github.url}
    told = brought_back(browser.post("/login/oauth/authorize", data=fields, headers=ours))
    assert told["state"] == '"><script>'
    assert exchange(github, browser, code=told["code"])["access_token"].startswith("ghu_")
    denied = browser.post("/login/oauth/authorize", data=fields | {"as": "-"}, headers=ours)
    assert brought_back(denied)["error"] == "access_denied"


def test_what_the_page_shows_is_escaped(github: GitHubServer, browser: httpx.Client):
    page = authorize(github, browser, state='"><script>alert(1)</script>')
    assert "<script>" not in page.text


def test_a_switch_signs_in_for_tests(github: GitHubServer, browser: httpx.Client):
    github.state.signs_in = "ada"
    assert "code" in brought_back(authorize(github, browser))


@pytest.mark.parametrize(
    ("more", "status"),
    [
        ({"client_id": "other"}, 404),
        ({"redirect_uri": "http://evil.example/"}, 400),
        ({"redirect_uri": ""}, 400),
        ({"code_challenge_method": "plain"}, 400),
        ({"auto": "nobody"}, 404),
    ],
)
def test_no_one_is_sent_anywhere(
    github: GitHubServer, browser: httpx.Client, more: dict[str, str], status: int
):
    assert authorize(github, browser, **({"auto": "bob"} | more)).status_code == status


def test_errors_are_reported_with_status_200(
    github: GitHubServer, browser: httpx.Client, watch: Watch
):
    def code() -> str:
        return brought_back(authorize(github, browser, auto="bob"))["code"]

    def error(**fields: str) -> str:
        return exchange(github, browser, **fields)["error"]

    assert error(code=code(), code_verifier="other") == "bad_verification_code"
    assert error(code=code()) == "bad_verification_code"
    assert error(code="x") == "bad_verification_code"
    assert error(code=code(), client_secret="x") == "incorrect_client_credentials"  # noqa: S106
    assert error(code=code(), client_id="x") == "incorrect_client_credentials"
    assert error(code=code(), redirect_uri="http://127.0.0.1/x") == "redirect_uri_mismatch"
    assert error(grant_type="password") == "unsupported_grant_type"
    old = code()
    watch.at += 601
    assert error(code=old, code_verifier=VERIFIER) == "bad_verification_code"


def test_a_refresh_token_is_good_once(github: GitHubServer, browser: httpx.Client, watch: Watch):
    told = brought_back(authorize(github, browser, auto="bob"))
    first = exchange(github, browser, code=told["code"], code_verifier=VERIFIER)
    watch.at += 8 * 3600 + 1
    assert github.client(first["access_token"]).get("/user").status_code == 401
    refresh = {"grant_type": "refresh_token", "refresh_token": first["refresh_token"]}
    second = exchange(github, browser, **refresh)
    assert github.client(second["access_token"]).get("/user").status_code == 200
    assert exchange(github, browser, **refresh)["error"] == "bad_refresh_token"
    newer = {"grant_type": "refresh_token", "refresh_token": second["refresh_token"]}
    third = exchange(github, browser, **newer)
    # Both old ones are over.
    assert github.client(second["access_token"]).get("/user").status_code == 401
    watch.at += 15_897_601
    late = {"grant_type": "refresh_token", "refresh_token": third["refresh_token"]}
    assert exchange(github, browser, **late)["error"] == "bad_refresh_token"


def test_a_persons_token_reaches_what_the_app_reaches(github: GitHubServer, browser: httpx.Client):
    github.repository("ada/own", private=True)
    told = brought_back(authorize(github, browser, auto="ada"))
    token = exchange(github, browser, code=told["code"], code_verifier=VERIFIER)["access_token"]
    assert github.client(token).get("/repos/ada/own").status_code == 404
    assert github.client(github.token("ada")).get("/repos/ada/own").status_code == 200
    found = github.client(token).get("/user/installations").json()
    assert found["total_count"] == 1


def start_device(github: GitHubServer, browser: httpx.Client) -> dict[str, Any]:
    answer = browser.post(
        "/login/device/code",
        data={"client_id": github.state.the_app().client_id},
        headers={"Accept": "application/json"},
    )
    return answer.json()


def type_code(github: GitHubServer, browser: httpx.Client, **fields: str) -> httpx.Response:
    return browser.post("/login/device", data=fields, headers={"Origin": github.url})


def test_the_device_flow(github: GitHubServer, browser: httpx.Client, watch: Watch):
    told = start_device(github, browser)
    assert told["verification_uri"] == f"{github.url}/login/device"
    ask = {
        "client_id": github.state.the_app().client_id,
        "client_secret": "",
        "grant_type": DEVICE,
        "device_code": told["device_code"],
    }
    assert exchange(github, browser, **ask)["error"] == "authorization_pending"
    hasty = exchange(github, browser, **ask)
    assert (hasty["error"], hasty["interval"]) == ("slow_down", 10)
    watch.at += 10
    assert "Type the code" in browser.get("/login/device").text
    assert type_code(github, browser, user_code="NO", **{"as": "bob"}).status_code == 404
    answer = type_code(github, browser, user_code=told["user_code"].lower(), **{"as": "bob"})
    assert "connected" in answer.text
    tokens = exchange(github, browser, **ask)
    assert github.client(tokens["access_token"]).get("/user").json()["login"] == "bob"
    assert exchange(github, browser, **ask)["error"] == "incorrect_device_code"
    fresh = exchange(
        github,
        browser,
        grant_type="refresh_token",
        refresh_token=tokens["refresh_token"],
        client_secret="",
    )
    assert "access_token" in fresh


def test_a_device_that_was_denied_or_is_too_late(
    github: GitHubServer, browser: httpx.Client, watch: Watch
):
    first, second = start_device(github, browser), start_device(github, browser)

    def error(device: dict[str, Any]) -> str:
        fields = {"grant_type": DEVICE, "device_code": device["device_code"]}
        return exchange(github, browser, **fields)["error"]

    type_code(github, browser, user_code=first["user_code"], deny="1", **{"as": "bob"})
    assert error(first) == "access_denied"
    watch.at += 901
    assert error(second) == "expired_token"
    assert error({"device_code": "x"}) == "incorrect_device_code"
    late = type_code(github, browser, user_code=second["user_code"], **{"as": "bob"})
    assert late.status_code == 404


def test_a_client_that_wants_no_json(github: GitHubServer, browser: httpx.Client):
    answer = browser.post("/login/oauth/access_token", data={"code": "x"})
    assert parse_qs(answer.text)["error"] == ["incorrect_client_credentials"]
