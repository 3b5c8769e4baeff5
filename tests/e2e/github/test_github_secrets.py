"""A canary for each secret is found nowhere outside its place, after the whole way to a merge."""

import os
import stat
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from cryptography.fernet import Fernet

from tests.e2e.support import small
from tests.e2e.support.forge_service import BODY, REPO, TITLE, ForgeHouse, forge_house
from tests.e2e.support.service import rested
from tests.e2e.test_secrets import SNOOPING
from yudai.kit.redaction import _spellings

pytestmark = [pytest.mark.xdist_group("github"), pytest.mark.timeout(240)]

CANARIES = {
    "GITHUB_TOKEN": "ghp_CanaryOfTheServer0123456789abcdefghij",
    "OPENROUTER_API_KEY": "sk-or-v1-canary-of-the-router-0123456789",
    "OPENAI_API_KEY": "sk-canary-of-the-model-0123456789abcdef",
    "SECRET_KEY": "canary.of.hashes.7Jq1xW0pZ3vN8sKd5RtYbMc2",
    "SALT": "canary.of.derivation.9fKx",
    "JWT_SECRET": "canary.of.agents.Vw4Lm8Qz1Xc6Rb3Nt0Hs5Gd2",
    "AWS_SECRET_ACCESS_KEY": "canaryOfArtifacts/4mQ8vX2kL7pT1rW5yB9d",
    "TOKEN_KEYS": Fernet.generate_key().decode(),
}
WEBHOOK = "canary.of.webhooks.Pq3Vz7Lm1Xk9Rt5W"


@pytest.fixture
def place(tmp_path: Path) -> Iterator[ForgeHouse]:
    variables = {
        "AUTH_MODE": "github",
        "GITHUB_WEBHOOK_SECRET": WEBHOOK,
        "GITHUB_MATRIX": "model=scripted/nosy temp=0",
        "YUDAI_ADMINS": "ada",
        **CANARIES,
    }
    with forge_house(tmp_path, serve=False, **variables) as opened:
        app = opened.github.state.world.app
        assert app is not None
        arena = opened.house.arena
        arena.variables["GITHUB_APP_CLIENT_ID"] = app.client_id
        arena.variables["GITHUB_APP_CLIENT_SECRET"] = app.client_secret
        # It looks for whatever it could tell, then does its work.
        arena.script(
            "nosy", {"say": small.PLAN, "run": [*_snooping(), small.TEST, small.FIX]}, small.FINISH
        )
        server = opened.house.serve()
        opened.github.webhooks(f"{server.said['url']}/api/webhooks/github", WEBHOOK)
        yield opened


def _snooping() -> list[str]:
    return [words.replace("sk-cana[r]y-[a-z]*", "[c]anary.*|[C]anary.*") for words in SNOOPING]


def test_no_secret_is_found_outside_its_place(place: ForgeHouse):
    secrets = _log_in(place)
    issue = place.github.issue(TITLE, BODY, repo=REPO)
    place.github.label(issue.number, repo=REPO)
    solve_id = place.solve_of(issue.number)
    assert rested(place.house.books, solve_id) == "awaiting_review"
    told = place.publication(solve_id, "done")
    place.github.merge(told["pull_number"], repo=REPO)
    place.wait_for_outcomes(solve_id, "merged")

    texts = _everything(place, solve_id)
    # The contestant has looked into its own variables: there was nothing of ours to tell.
    assert any(b"PATH=" in text for where, text in texts.items() if "trajectory" in where)
    found = [
        (name, where)
        for name, secret in _all_secrets(place, secrets).items()
        for form in set(_spellings(secret))
        for where, text in texts.items()
        if form.encode() in text
    ]
    assert found == []


def test_the_search_can_find_something(place: ForgeHouse):
    """Its own proof: what is written into the home, or packed by git there, is seen."""
    place.house.home.joinpath("note").write_text(CANARIES["JWT_SECRET"])
    git_dir = place.house.home / "mirror"
    subprocess.run(["git", "init", "-q", "--bare", str(git_dir)], check=True)
    subprocess.run(
        ["git", "--git-dir", str(git_dir), "hash-object", "-w", "--stdin"],
        input=CANARIES["SALT"].encode(),
        capture_output=True,
        check=True,
    )
    texts = _everything(place, None)
    for name in ("JWT_SECRET", "SALT"):
        assert any(CANARIES[name].encode() in text for text in texts.values())


def _log_in(place: ForgeHouse) -> dict[str, str]:
    """By a browser and by a key: both are secrets from then on."""
    place.github.state.signs_in = "ada"
    browser = place.server.api
    answer = browser.get("/auth/login", follow_redirects=True)
    assert answer.status_code in (200, 404), answer.text
    assert browser.get("/api/me").json()["login"] == "ada"
    origin = {"Origin": str(browser.base_url)}
    made = browser.post("/api/keys", json={"name": "canary", "scopes": ["read"]}, headers=origin)
    assert made.status_code in (200, 201), made.text
    [cookie] = [one.value for one in browser.cookies.jar]
    return {"cookie": str(cookie), "API key": made.json()["key"]}


def _all_secrets(place: ForgeHouse, own: dict[str, str]) -> dict[str, str]:
    world = place.github.state.world
    assert world.app is not None
    key = (place.house.root / "app.pem").read_text().splitlines()[5]
    tokens = {f"token {n}": text for n, text in enumerate(world.tokens)}
    known = {"client secret": world.app.client_secret, "private key": key, "webhook": WEBHOOK}
    assert len(tokens) >= 2
    return CANARIES | known | tokens | own


def _content(path: Path) -> bytes:
    """A sandbox's shell can only be executed, even by its owner, who is no root."""
    if os.access(path, os.R_OK):
        return path.read_bytes()
    mode = path.stat().st_mode
    path.chmod(mode | stat.S_IRUSR)
    try:
        return path.read_bytes()
    finally:
        path.chmod(mode)


def _everything(place: ForgeHouse, solve_id: str | None) -> dict[str, bytes]:
    """By where it stands: files, git's objects, logs, what the forge has, what the API says."""
    home = place.house.home
    texts = {str(path): _content(path) for path in home.rglob("*") if path.is_file()}
    for folder in {path.parent for path in home.rglob("HEAD")}:
        texts[f"objects of {folder}"] = _objects(folder)
    texts["objects at the forge"] = _objects(place.github.path(REPO))
    texts |= {str(one.log): one.log.read_bytes() for one in place.house.processes}
    for number, item in place.github.items(repo=REPO).items():
        texts[f"#{number}"] = item.model_dump_json().encode()
    paths = ["/", "/api/settings", "/api/doctor", "/api/openapi.json", "/api/me", "/api/logins"]
    if solve_id is not None:
        here = f"/api/solves/{solve_id}"
        paths += [here, f"{here}/updates", f"{here}/publication", f"{here}/outcomes"]
        for run in place.house.books.runs(solve_id):
            there = f"/api/runs/{run.id}"
            paths += [f"{there}/trajectory.json", f"{there}/patch", f"{there}/logs/agent"]
    for path in paths:
        texts[path] = _get(place.server.api, path)
    return texts


def _get(api: httpx.Client, path: str) -> bytes:
    answer: Any = api.get(path)
    assert answer.status_code in (200, 401), (path, answer.text)
    return answer.content


def _objects(git_dir: Path) -> bytes:
    shown = subprocess.run(
        ["git", "--git-dir", str(git_dir), "cat-file", "--batch-all-objects", "--batch"],
        capture_output=True,
        check=False,
    )
    return shown.stdout
