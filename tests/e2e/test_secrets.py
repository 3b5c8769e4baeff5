"""A key is found nowhere afterwards: not on disk, in a sandbox or in output."""

import base64
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e.support.arena import Arena, Result, document, models
from tests.e2e.support.registries import Registries
from tests.e2e.support.small import make, solve
from tests.e2e.support.ten_repositories import REPOSITORIES, create
from tests.support.servers.openai_server import (
    Body,
    Brain,
    OpenAIServer,
    always,
    bash,
    by_model,
    finish_command,
    refuses,
)

# All begin alike, so that one pattern finds every one of them.
MODEL_KEY = "sk-canary-model"
ROUTER_KEY = "sk-canary-router"
PIP_KEY = "sk-canary-pip"
UV_KEY = "sk-canary-uv"
NPM_KEY = "sk-canary-npm"
CANARY = b"sk-canary"

# The brackets keep the pattern from finding itself in what is recorded of it.
SNOOPING = (
    "env",
    "cat /proc/[0-9]*/environ /proc/[0-9]*/cmdline 2>/dev/null | tr '\\0' '\\n'",
    "grep -rhaoE 'sk-cana[r]y-[a-z]*' /env 2>/dev/null",
    "grep -rhaoE 'sk-cana[r]y-[a-z]*' / --exclude-dir=proc --exclude-dir=sys --exclude-dir=usr"
    " --exclude-dir=lib 2>/dev/null",
    "cat ~/.npmrc ~/.netrc ~/.config/pip/pip.conf ~/.config/uv/uv.toml /env/.npmrc 2>/dev/null",
)


def snoop(*then: str) -> Brain:
    """Looks everywhere, says what it found, then does what it was asked for."""

    def brain(body: Body):
        turn = sum(message["role"] == "assistant" for message in body["messages"])
        turns = [SNOOPING, then]
        return bash(*turns[turn]) if turn < len(turns) else bash(finish_command(body))

    return brain


def credentials(registries: Registries) -> dict[str, str]:
    """Every way in which people keep credentials of registries in variables."""
    host = registries.host
    return {
        "OPENAI_API_KEY": MODEL_KEY,
        "OPENROUTER_API_KEY": ROUTER_KEY,
        "PIP_INDEX_URL": f"http://somebody:{PIP_KEY}@{host}/simple/",
        "PIP_EXTRA_INDEX_URL": f"http://{PIP_KEY}@{host}/simple/",
        "UV_DEFAULT_INDEX": f"http://somebody:{UV_KEY}@{host}/simple/",
        "UV_INDEX_PRIVATE_PASSWORD": UV_KEY,
        "UV_PUBLISH_TOKEN": UV_KEY,
        "NPM_CONFIG_REGISTRY": f"http://somebody:{NPM_KEY}@{host}/npm/",
        f"NPM_CONFIG_//{host}/npm/:_authToken": NPM_KEY,
        "NPM_CONFIG__AUTH": base64.b64encode(f"somebody:{NPM_KEY}".encode()).decode(),
        "NPM_TOKEN": NPM_KEY,
    }


@pytest.fixture(scope="module")
def registries() -> Iterator[Registries]:
    with Registries() as running:
        yield running


def traces(place: Path) -> list[str]:
    """Files, links and names below a place that hold a canary in some form."""
    found = []
    for parent, folders, files in os.walk(place):
        for name in (*folders, *files):
            path = Path(parent) / name
            content = path.read_bytes() if path.is_file() and not path.is_symlink() else b""
            if any(form in content or form in os.fsencode(path) for form in forms()):
                found.append(str(path))
    return found


def forms() -> set[bytes]:
    """As it stands, and in base64 wherever in a longer text it stands."""
    whole = base64.b64encode(CANARY)
    inner = {base64.b64encode(b"x" * before + CANARY)[4:-4] for before in (1, 2)}
    return {CANARY, whole, *inner}


def tells(result: Result) -> bool:
    said = (result.stdout + result.stderr).encode("utf-8", "surrogateescape")
    return any(form in said for form in forms())


@pytest.mark.parametrize("name", ["python-src-uv", "node-lock"])
@pytest.mark.real_on("node-lock")
def test_keys_are_found_nowhere_after_a_solve_with_a_set_up(
    name: str, tmp_path: Path, registries: Registries
):
    repository = REPOSITORIES[name]
    target = create(repository, tmp_path / "repository", registries.places)
    arena = Arena(tmp_path, **credentials(registries))
    fix = f"sed -i 's/grams < limit/grams <= limit/' {repository.right.path}"
    asked = len(registries.asked)
    with OpenAIServer(snoop(fix)) as server:
        result = arena(
            *("--verbose", "solve", str(target), "--text", repository.issue, "--json"),
            *("--model", "loop/snoop", "--price", "loop/snoop=0,0", "--base-url", server.url),
        )
        received = {request.headers["authorization"] for request in server.requests}
        bodies = str(server.bodies).encode()
    assert result.returncode in {0, 2}, result.stderr
    assert received == {f"Bearer {MODEL_KEY}"}
    assert {request.authorization for request in registries.asked[asked:]} == {""}
    assert not any(form in bodies for form in forms())
    assert not tells(result)
    assert traces(tmp_path) == []
    [run] = document(result)["ranking"]
    assert run["state"] == "completed" or run["cause"] == "empty_patch"
    for more in (("--trajectory",), ("--log",), ("--json",), ()):
        assert not tells(arena("show", run["run_id"], *more))
    assert not tells(arena("doctor"))


def test_set_up_commands_see_no_key(tmp_path: Path, registries: Registries):
    folder = make(tmp_path / "repository")
    arena = Arena(tmp_path, **credentials(registries))
    setup = "; ".join((*SNOOPING, "env | sort", "env | grep ^PIP_INDEX_URL", "exit 3"))
    result = solve(arena, folder, "--setup", setup, *models(arena.script("it", {"finish": True})))
    assert result.returncode == 4, result.stderr
    assert "PIP_INDEX_URL=http://127.0.0.1" in result.stderr
    assert not tells(result)
    assert traces(tmp_path) == []


def test_a_server_that_repeats_the_key_in_its_error(tmp_path: Path):
    folder = make(tmp_path / "repository")
    arena = Arena(tmp_path, OPENAI_API_KEY=MODEL_KEY)
    said = f"Incorrect API key provided: {MODEL_KEY}. You can find your API key elsewhere."
    brains = {
        "loop/strict": always(refuses(401, said, code="invalid_api_key")),
        "loop/broken": always(refuses(400, said, headers={"X-Key": MODEL_KEY})),
    }
    prices = [word for name in brains for word in ("--price", f"{name}=0,0")]
    with OpenAIServer(by_model(brains)) as server:
        words = ("--base-url", server.url, *models(*brains), *prices)
        result = solve(arena, folder, *words)
        assert {r.headers["authorization"] for r in server.requests} == {f"Bearer {MODEL_KEY}"}
    assert result.returncode == 2, result.stderr
    causes = {place["cause"] for place in document(result)["ranking"]}
    assert causes == {"model_refused"}
    assert not tells(result)
    assert traces(tmp_path) == []


def test_a_key_in_the_url_of_the_server_is_used_and_hidden(tmp_path: Path):
    folder = make(tmp_path / "repository")
    arena = Arena(tmp_path)
    with OpenAIServer(snoop("true")) as server:
        url = server.url.replace("://", f"://somebody:{MODEL_KEY}@")
        words = ("--model", "loop/it", "--price", "loop/it=0,0")
        result = solve(arena, folder, *words, OPENAI_BASE_URL=url)
        received = {request.headers["authorization"] for request in server.requests}
    assert received == {f"Basic {base64.b64encode(f'somebody:{MODEL_KEY}'.encode()).decode()}"}
    assert not tells(result)
    assert traces(tmp_path) == []
