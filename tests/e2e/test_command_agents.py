"""A whole solve whose agent is a program in the sandbox: it knows a token, and never the key."""

import json
import re
import shlex
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.support.arena import Arena, document
from tests.e2e.support.small import FIX, PLAN, TEST, make, solve
from tests.support.servers.openai_server import Body, Completion, OpenAIServer, bash, says, tokens

AGENT = Path(__file__).parents[1] / "fixtures" / "tiny_agent.py"
KEY = "sk-the-real-key-of-this-installation"
SECRET = "0123456789abcdefghijklmnopqrstuvwxyz"  # noqa: S105  of nobody
TOKEN = re.compile(r"OPENAI_API_KEY=(\S+)")
USAGE = tokens(1000, 100)
# Two calls, at a dollar for a million tokens in and two for a million out.
COST_USD = 2 * (1000 * 1 + 100 * 2) / 1e6


def brain(body: Body) -> Completion:
    """Mends it, looks at its variables on the way, and is done."""
    if body["messages"][-1]["role"] == "tool":
        return says("It is mended.", usage=USAGE)
    return bash(TEST, FIX, "env | grep ^OPENAI_", say=PLAN, usage=USAGE)


@pytest.fixture
def arena(tmp_path: Path) -> Arena:
    agents = tmp_path / "agents.yml"
    # Not by its path: a sandbox sees nothing of this folder.
    program = f"python3 -c {shlex.quote(AGENT.read_text())}"
    agents.write_text(json.dumps({"agents": {"tiny": {"command": program}}}))
    return Arena(tmp_path, COMMAND_AGENTS=str(agents), JWT_SECRET=SECRET, OPENAI_API_KEY=KEY)


def champion(result: Any) -> dict[str, Any]:
    found = document(result)
    assert result.returncode == 0, (result.stderr, found["reason"])
    [run] = found["ranking"]
    assert run["run_id"] == found["solve"]["champion"]
    assert found["solve"]["cost_usd"] == run["cost_usd"] == pytest.approx(COST_USD)
    return run


def holders(folder: Path, secret: str) -> list[Path]:
    """Files with it in them."""
    files = [path for path in folder.rglob("*") if path.is_file()]
    assert files
    return [path for path in files if secret.encode() in path.read_bytes()]


def test_an_agent_of_ones_own_wins(arena: Arena, tmp_path: Path):
    folder = make(tmp_path / "repository")
    with OpenAIServer(brain) as server:
        result = solve(
            arena,
            folder,
            *("--agent", "tiny", "--model", "mine", "--price", "mine=1,2"),
            OPENAI_BASE_URL=server.url,
        )
    run = champion(result)
    assert run["verdict"]["status"] == "passed"
    assert run["handle"].startswith("tiny-mine-")
    first, second = server.requests
    assert first.headers["authorization"] == f"Bearer {KEY}"
    shown = next(m["content"] for m in second.body["messages"] if "KEY=" in str(m["content"]))
    found = TOKEN.search(shown)
    assert found is not None
    token = found[1]
    assert token.count(".") == 2
    trajectory = arena("show", run["run_id"], "--trajectory")
    told = json.loads(trajectory.stdout)["messages"]
    roles = [message["role"] for message in told]
    assert roles == ["system", "user", "assistant", *["tool"] * 3, "assistant", "tool", "exit"]
    assert "OPENAI_API_KEY=[redacted]" in told[5]["content"]
    assert told[6]["content"] == "It is mended."
    for secret in (KEY, token, token.rpartition(".")[2]):
        assert secret not in result.stdout + result.stderr + trajectory.stdout
        assert holders(arena.home, secret) == []
    assert arena.leaves_nothing()
