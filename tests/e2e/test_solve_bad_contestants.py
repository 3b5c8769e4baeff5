"""Models and patches that are bad in every way lose for their own reason; the others continue."""

import json
import stat
from pathlib import Path

import pytest

from tests.e2e.support.arena import Arena, by_model, document, fingerprint, models
from tests.e2e.support.small import FINISH, FIX, PLAN, make, right, right_brain, solve
from tests.support.servers.openai_server import OpenAIServer, always, flood, hang, html, says
from tests.support.servers.openai_server import by_model as brains_by_model


@pytest.fixture
def arena(tmp_path: Path) -> Arena:
    return Arena(tmp_path)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return make(tmp_path / "repository")


@pytest.mark.real
def test_patches_that_are_binary_empty_enormous_or_change_modes(arena: Arena, folder: Path):
    before = fingerprint(folder)
    flooding = "head -c 40000000 /dev/urandom > enormous.bin"
    result = solve(
        arena,
        folder,
        *models(
            right(arena, "binary", also="printf '\\000\\377\\000' > blob.bin"),
            right(arena, "modes", also="chmod +x doubling.py"),
            right(arena, "enormous", also=flooding),
            arena.script("empty", {"run": "true"}, FINISH),
            arena.script("link", {"say": PLAN, "run": [FIX, "ln -s /etc/passwd away"]}, FINISH),
        ),
        *("--parallel", "2"),
    )
    assert result.returncode == 0, result.stderr
    assert fingerprint(folder) == before
    assert arena.leaves_nothing()
    places = by_model(document(result))
    assert places["binary"]["verdict"]["status"] == "passed"
    assert places["modes"]["verdict"]["status"] == "passed"
    assert places["empty"]["cause"] == "empty_patch"
    assert places["empty"]["verdict"]["status"] == "none"
    assert places["enormous"]["cause"] == "patch_refused"
    assert places["link"]["cause"] == "patch_refused"

    assert arena("apply", places["binary"]["run_id"]).returncode == 0
    assert (folder / "blob.bin").read_bytes() == b"\0\xff\0"


@pytest.mark.real
def test_a_change_of_mode_is_taken_too(arena: Arena, folder: Path):
    result = solve(
        arena, folder, "--apply", *models(right(arena, "modes", also="chmod +x doubling.py"))
    )
    assert result.returncode == 0, result.stderr
    assert (folder / "doubling.py").stat().st_mode & stat.S_IXUSR
    assert (folder / "doubling.py").read_text() == "def double(x):\n    return x + x\n"


@pytest.mark.real
def test_models_that_answer_html_hang_flood_or_never_call_a_tool(arena: Arena, folder: Path):
    brains = {
        "loop/right": right_brain(),
        "loop/page": always(html()),
        "loop/hanging": always(hang()),
        "loop/flooding": always(flood()),
        "loop/talking": always(says("I think that the answer is 42.")),
    }
    prices = [word for name in brains for word in ("--price", f"{name}=0,0")]
    with OpenAIServer(brains_by_model(brains)) as server:
        result = solve(
            arena,
            folder,
            *("--base-url", server.url, "--run-time-budget", "20", "--parallel", "5"),
            *(*models(*brains), *prices),
        )
    assert result.returncode == 0, result.stderr
    assert arena.leaves_nothing()
    found = document(result)
    places = by_model(found)
    assert found["solve"]["champion"] == places["right"]["run_id"]
    causes = {name: place["cause"] for name, place in places.items() if name != "right"}
    assert causes == {
        "page": "model_failed",
        "hanging": "out_of_time",
        "flooding": "model_failed",
        "talking": "no_tool_calls",
    }


@pytest.mark.real
def test_a_full_disk_is_the_contestants_own_affair(arena: Arena, folder: Path):
    filling = "head -c 100000000 /dev/zero > filling; ls -l filling; rm -f filling"
    result = solve(
        arena,
        folder,
        *models(
            arena.script("careful", {"say": PLAN, "run": filling}, *script_of(arena)),
            arena.script("careless", {"run": f"{FIX}; head -c 100000000 /dev/zero > x"}, FINISH),
        ),
        SANDBOX_DISK_MB="32",
    )
    assert result.returncode == 0, result.stderr
    assert arena.leaves_nothing()
    places = by_model(document(result))
    assert places["careful"]["verdict"]["status"] == "passed"
    # Its patch is a whole disk: too much or just not, but never somebody else's fault.
    assert places["careless"]["cause"] in {None, "patch_refused"}


def script_of(arena: Arena) -> list[dict]:
    right(arena)
    return json.loads((arena.root / "right.json").read_text())["replies"]
