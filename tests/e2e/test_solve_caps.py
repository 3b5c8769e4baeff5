"""A cap of $X is never overshot by more than one call, also with 20 contestants."""

from pathlib import Path
from threading import Lock

import pytest

from tests.e2e.support.arena import Arena, document
from tests.e2e.support.small import FIX, PLAN, TEST, make, solve
from tests.support.servers.openai_server import Body, OpenAIServer, bash, finish_command, tokens

CAP_USD = 0.25
IN_USD, OUT_USD = 10, 40
MODEL = "loop/dear"
CONTESTANTS = 20


class Dear:
    """Works for ever, or finishes after three turns; remembers what it charged for."""

    def __init__(self, *, finishes: bool = False, output: int = 700) -> None:
        self.charged: list[float] = []
        self._finishes = finishes
        self._output = output
        self._lock = Lock()

    def __call__(self, body: Body):
        prompt = sum(len(str(message["content"])) for message in body["messages"]) // 4
        output = min(self._output, body.get("max_completion_tokens") or body["max_tokens"])
        with self._lock:
            self.charged.append((prompt * IN_USD + output * OUT_USD) / 1_000_000)
        turn = sum(message["role"] == "assistant" for message in body["messages"])
        usage = tokens(prompt, output)
        if not self._finishes or turn == 0:
            return bash(f"echo {turn}", say=PLAN, usage=usage)
        if turn == 1:
            return bash(TEST, FIX, usage=usage)
        return bash(finish_command(body), usage=usage)


def solve_with_caps(
    arena: Arena,
    folder: Path,
    brain: Dear,
    *words: str,
    contestants: int = CONTESTANTS,
    parallel: int = 20,
):
    cells = [word for n in range(contestants) for word in ("--temperature", str(n / 100))]
    with OpenAIServer(brain) as server:
        return solve(
            arena,
            folder,
            *("--base-url", server.url, "--model", MODEL, "--price", f"{MODEL}={IN_USD},{OUT_USD}"),
            *("--budget-usd", str(CAP_USD), "--parallel", str(parallel), *cells, *words),
        )


@pytest.fixture
def arena(tmp_path: Path) -> Arena:
    return Arena(tmp_path)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return make(tmp_path / "repository")


@pytest.mark.parametrize("output", [700, 16_000])
@pytest.mark.real_except("700")
def test_twenty_runs_at_once_stay_below_a_small_cap(arena: Arena, folder: Path, output: int):
    brain = Dear(output=output)
    result = solve_with_caps(arena, folder, brain)
    found = document(result)
    assert result.returncode == 3, result.stderr
    assert found["budget_ended"] == f"the cost cap of ${CAP_USD:g}"
    cost = found["solve"]["cost_usd"]
    assert cost == pytest.approx(sum(brain.charged), abs=len(brain.charged) / 1_000_000)
    assert CAP_USD <= cost <= CAP_USD + max(brain.charged)
    assert {place["cause"] for place in found["ranking"]} == {"out_of_budget"}
    assert len(found["ranking"]) == CONTESTANTS
    assert arena.leaves_nothing()


def test_a_champion_found_before_the_budget_ended_is_a_champion(arena: Arena, folder: Path):
    brain = Dear(finishes=True)
    result = solve_with_caps(arena, folder, brain, contestants=4, parallel=1)
    found = document(result)
    assert result.returncode == 0, result.stderr
    assert found["solve"]["champion"]
    assert found["budget_ended"]
    assert found["ranking"][-1]["cause"] == "out_of_budget"
    assert found["solve"]["cost_usd"] <= CAP_USD + max(brain.charged)


@pytest.mark.real
def test_the_cap_of_one_run(arena: Arena, folder: Path):
    brain = Dear()
    caps = ("--run-budget-usd", "0.02", "--budget-usd", "5")
    result = solve_with_caps(arena, folder, brain, *caps, contestants=4)
    found = document(result)
    assert result.returncode == 3, result.stderr
    assert found["budget_ended"] == "a cost cap"
    assert len(found["ranking"]) == 4
    for place in found["ranking"]:
        assert place["cause"] == "out_of_budget"
        assert place["cost_usd"] <= 0.02 + max(brain.charged)
