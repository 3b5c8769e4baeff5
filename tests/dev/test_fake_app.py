"""The App: its key, its installations, tokens for one repository, and webhooks."""

import hashlib
import hmac
import json
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any

import httpx
import jwt
import pytest

from tests.support.servers.github_server import REPO, WEBHOOK_SECRET, GitHubServer

AT = f"/repos/{REPO}"


def signed(github: GitHubServer, key: str, **claims: Any) -> httpx.Client:
    now = int(time.time())
    told = {"iss": str(github.state.the_app().id), "iat": now - 10, "exp": now + 300} | claims
    return github.client(jwt.encode(told, key, algorithm="RS256"))


@pytest.fixture
def app(github: GitHubServer) -> httpx.Client:
    return signed(github, github.app())


def new_token(app: httpx.Client, **scope: Any) -> httpx.Response:
    found = app.get(f"{AT}/installation").json()["id"]
    return app.post(f"/app/installations/{found}/access_tokens", json=scope)


def test_the_app_knows_itself(github: GitHubServer, app: httpx.Client):
    assert app.get("/app").json()["slug"] == "yudai"
    assert [one["account"]["login"] for one in app.get("/app/installations").json()] == ["octo"]
    bot = github.client().get("/users/yudai%5Bbot%5D").json()
    assert (bot["login"], bot["type"]) == ("yudai[bot]", "Bot")
    github.repository("ada/own")
    assert app.get("/repos/ada/own/installation").status_code == 404
    assert app.get("/repos/ada/nothing/installation").status_code == 404


@pytest.mark.parametrize(
    "claims",
    [
        {"iss": "1"},
        {"exp": int(time.time()) + 3600},
        {"exp": int(time.time()) - 100, "iat": int(time.time()) - 200},
        {"iat": int(time.time()) + 3000, "exp": int(time.time()) + 3300},
    ],
)
def test_a_signature_that_does_not_hold(github: GitHubServer, claims: dict[str, Any]):
    client = signed(github, github.app(), **claims)
    assert client.get("/app").status_code == 401


def test_another_persons_key(github: GitHubServer, app: httpx.Client):
    text = app.headers["authorization"].removeprefix("Bearer ")
    head, body, signature = text.split(".")
    forged = f"{head}.{body}.{signature[::-1]}"
    assert github.client(forged).get("/app").status_code == 401
    assert github.client("a.b.c").get("/app").status_code == 401
    unsigned = jwt.encode({"iss": str(github.state.the_app().id)}, "", algorithm="none")
    assert github.client(unsigned).get("/app").status_code == 401
    assert github.client(github.token("ada")).get("/app").status_code == 401


def test_a_token_for_one_repository(github: GitHubServer, app: httpx.Client):
    github.repository("octo/other", private=True)
    made = new_token(app, repositories=["passbook"], permissions={"issues": "write"})
    assert made.status_code == 201
    assert [repo["full_name"] for repo in made.json()["repositories"]] == [REPO]
    client = github.client(made.json()["token"])
    told = client.get("/installation/repositories").json()
    assert [repo["full_name"] for repo in told["repositories"]] == [REPO]
    assert client.get("/repos/octo/other").status_code == 404
    github.issue()
    said = client.post(f"{AT}/issues/1/comments", json={"body": "hello"}).json()
    assert said["user"]["login"] == "yudai[bot]"
    assert client.get("/user").status_code == 403
    pull = client.post(f"{AT}/pulls", json={"title": "x", "head": "fix", "base": "main"})
    assert (pull.status_code, pull.json()["message"]) == (
        403,
        "Resource not accessible by integration",
    )
    everywhere = github.client(new_token(app).json()["token"])
    assert everywhere.get("/repos/octo/other").status_code == 200


def test_an_app_opens_a_pull_request(github: GitHubServer, app: httpx.Client):
    github.commit({"a.txt": "one\n"}, branch="fix")
    client = github.client(new_token(app).json()["token"])
    made = client.post(
        f"{AT}/pulls", json={"title": "x", "head": "octo:fix", "base": "main", "draft": True}
    )
    assert (made.status_code, made.json()["user"]["type"]) == (201, "Bot")
    assert client.get(f"{AT}/collaborators/bob/permission").json()["permission"] == "write"


def test_what_no_token_is_given_for(github: GitHubServer, app: httpx.Client):
    assert new_token(app, repositories=["nothing"]).status_code == 422
    assert new_token(app, permissions={"workflows": "write"}).status_code == 422
    assert new_token(app, permissions={"metadata": "write"}).status_code == 422
    assert app.post("/app/installations/1/access_tokens").status_code == 404
    github.state.the_app().installations[0].suspended = True
    found = github.state.the_app().installations[0].id
    assert app.post(f"/app/installations/{found}/access_tokens").status_code == 403


def test_a_token_ends(github: GitHubServer, app: httpx.Client):
    text = new_token(app).json()["token"]
    github.state.world.tokens[text].expires_at = time.time() - 1
    assert github.client(text).get(AT).status_code == 401


class Receiver(HTTPServer):
    """Takes webhooks; `status` is what it answers."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Taking)
        self.taken: list[tuple[dict[str, str], bytes]] = []
        self.status = 202

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/hook"


class _Taking(BaseHTTPRequestHandler):
    server: Receiver  # pyright: ignore[reportIncompatibleVariableOverride]

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.server.taken.append(({k.lower(): v for k, v in self.headers.items()}, body))
        self.send_response(self.server.status)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing."""


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    with Receiver() as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        yield server
        server.shutdown()
        thread.join()


def test_webhooks_are_signed_and_in_order(github: GitHubServer, receiver: Receiver):
    github.webhooks(receiver.url)
    github.issue()
    github.comment(1, "hello", by="mallory")
    github.label(1, by="bob")
    github.commit({"a.txt": "one\n"}, branch="fix")
    github.pull("fix", body="Fixes #1")
    github.merge(2)
    assert github.state.webhooks.wait()
    told = [
        (headers["x-github-event"], json.loads(body).get("action"))
        for headers, body in receiver.taken
    ]
    assert told == [
        ("issues", "opened"),
        ("issue_comment", "created"),
        ("issues", "labeled"),
        ("pull_request", "opened"),
        ("pull_request", "closed"),
        ("push", None),
        ("issues", "closed"),
    ]
    for headers, body in receiver.taken:
        mac = hmac.new(WEBHOOK_SECRET.encode(), body, hashlib.sha256).hexdigest()
        assert headers["x-hub-signature-256"] == f"sha256={mac}"
    assert len({headers["x-github-delivery"] for headers, _ in receiver.taken}) == 7
    label = json.loads(receiver.taken[2][1])
    assert (label["sender"]["login"], label["label"]["name"]) == ("bob", "yudai")
    closed = json.loads(receiver.taken[4][1])["pull_request"]
    assert (closed["merged"], closed["merge_commit_sha"]) == (True, github.head())


def test_a_webhook_is_delivered_again_under_its_own_id(
    github: GitHubServer, app: httpx.Client, receiver: Receiver
):
    github.webhooks(receiver.url)
    receiver.status = 500
    github.issue()
    assert github.state.webhooks.wait()
    (sent,) = app.get("/app/hook/deliveries").json()
    assert (sent["status_code"], sent["redelivery"]) == (500, False)
    whole = app.get(f"/app/hook/deliveries/{sent['id']}").json()
    assert whole["request"]["headers"]["X-GitHub-Delivery"] == sent["guid"]
    receiver.status = 202
    assert app.post(f"/app/hook/deliveries/{sent['id']}/attempts").status_code == 202
    assert github.state.webhooks.wait()
    newest, _ = app.get("/app/hook/deliveries").json()
    assert (newest["guid"], newest["redelivery"], newest["status"]) == (sent["guid"], True, "OK")
    (first, body), (second, again) = receiver.taken
    assert first["x-github-delivery"] == second["x-github-delivery"]
    assert body == again


def test_a_receiver_that_is_not_there(github: GitHubServer, app: httpx.Client):
    github.webhooks("http://127.0.0.1:9/hook")
    github.issue()
    assert github.state.webhooks.wait()
    (sent,) = app.get("/app/hook/deliveries").json()
    assert (sent["status_code"], sent["status"]) == (0, "failed to connect to host")
    assert github.client().get("/app/hook/deliveries").status_code == 401
