"""`yudai compare` and `yudai show --step`, as a person and as a program reads them."""

import json
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from tests.support.servers.databases import used_home
from tests.support.solve_rows import Ring, failed, passed, run_id
from yudai.cli.show.compare import run_compare
from yudai.cli.show.show import run_show
from yudai.kit.errors import NotFoundError, RefusedError
from yudai.kit.ids import SolveId, short
from yudai.operations import telemetry
from yudai.sandboxes.port import BaseSpec
from yudai.settings import Settings
from yudai.wiring.components import open_context

OTHER = SolveId("0190a000-0000-7000-8000-00000000bbbb")
FIRST, SECOND = "fast-t0.0-e5-balanced", "fast-t0.1-e5-balanced"
AUTHOR = {"own_tests": ("n.py::new",), "valid_tests": ("n.py::new",)}

Compare = Callable[..., Awaitable[Any]]


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    telemetry.set_up(verbose=False)
    return Settings.at(used_home(tmp_path))


@pytest.fixture
async def ring(settings: Settings) -> AsyncIterator[Ring]:
    async with open_context(settings) as context:
        yield Ring(context)


@pytest.fixture
def compared(settings: Settings, capsys: pytest.CaptureFixture[str]) -> Compare:
    async def compare(first: str = "", second: str = "", *, solve: str = "") -> dict[str, Any]:
        assert await run_compare(settings, first, second, solve=solve, json=True) == 0
        return json.loads(capsys.readouterr().out)

    return compare


async def test_the_champion_against_the_first_alternate(ring: Ring, settings: Settings, capsys):
    crossed = failed(evidence={"cross_failed": (f"{FIRST}::n.py::new",)}, broken=("t.py::old",))
    await ring.solve(passed(**AUTHOR), crossed)
    assert await run_compare(settings, "", "", solve="", json=False) == 0
    shown = capsys.readouterr().out
    flat = " ".join(shown.split())
    assert f"Tests that {FIRST} passes and {SECOND} does not: 3" in flat
    for test in (f"{FIRST}::n.py::new", "t.py::old", "t.py::red"):
        assert f"\n  {test}\n" in shown
    assert f"Files that only {SECOND} changes: 1 other.py" in flat
    assert "Files that both change: 1 app.py" in flat
    assert shown.count("+x = 2") == 3
    assert "bases differ" not in shown


async def test_the_document_has_everything(ring: Ring, compared: Compare):
    await ring.solve(passed(), failed())
    document = await compared()
    assert document["same_base"] is True
    assert document["first"]["run_id"] == run_id(0)
    assert document["second"]["verdict"]["status"] == "failed"
    assert document["tests"]["only_first"] == ["t.py::red"]
    assert document["files"] == {"both": ["app.py"], "only_first": [], "only_second": ["other.py"]}
    assert document["first"]["patch"].startswith("diff --git")


@pytest.mark.parametrize(
    ("first", "second", "found"),
    [
        (SECOND, FIRST, (1, 0)),
        (run_id(2), short(run_id(1)), (2, 1)),
        (SECOND, "", (1, 0)),
        (FIRST, "", (0, 1)),
        ("", SECOND, (1, 0)),
    ],
)
async def test_runs_are_named_in_every_way(
    ring: Ring, compared: Compare, first: str, second: str, found: tuple[int, int]
):
    solve = await ring.solve(passed(), failed(), failed())
    document = await compared(first, second)
    ids = document["first"]["run_id"], document["second"]["run_id"]
    assert ids == (run_id(found[0]), run_id(found[1]))
    by_solve = await compared(short(solve))
    assert by_solve["first"]["run_id"] == run_id(0)


async def test_runs_of_two_solves_and_of_two_bases(
    ring: Ring, settings: Settings, compared: Compare, capsys
):
    old = await ring.solve(passed(), failed())
    base = BaseSpec(key="base-2", source=Path("source.tar"))
    new = await ring.solve(passed(), failed(), id=OTHER, base=base, base_commit="fedcba")
    document = await compared(run_id(0, old), run_id(1, new))
    assert document["same_base"] is False
    named = await compared(FIRST, SECOND, solve=old)
    assert named["first"]["solve_id"] == old
    await run_compare(settings, run_id(0, old), run_id(1, new), solve="", json=False)
    assert "The bases differ (toy at 1234567890 and toy at fedcba)" in capsys.readouterr().out


async def test_what_cannot_be_compared_is_refused(ring: Ring, compared: Compare):
    with pytest.raises(NotFoundError, match="no solves yet"):
        await compared()
    await ring.solve(passed())
    with pytest.raises(NotFoundError, match="fewer than two runs"):
        await compared()
    with pytest.raises(NotFoundError, match="is the only run"):
        await compared(FIRST)
    with pytest.raises(RefusedError, match="compared with itself"):
        await compared(FIRST, run_id(0))
    with pytest.raises(NotFoundError, match="there is no run"):
        await compared(FIRST, "nobody")


async def test_a_step_is_shown_whole_and_harmless(ring: Ring, settings: Settings, capsys):
    await ring.solve(passed(), failed())
    assert await run_show(settings, FIRST, json=False, view=None, step=1) == 0
    shown = capsys.readouterr().out
    for words in ("step 1 of 2", "I run call-1.", "ls", "exit code 0", "app.py", "$0.0050"):
        assert words in shown
    assert "100 tokens in (40 cached), 20 out" in shown
    assert await run_show(settings, "", json=False, view=None, step=-1) == 0
    assert "step 2 of 2" in capsys.readouterr().out


async def test_a_step_as_a_program_reads_it(ring: Ring, settings: Settings, capsys):
    await ring.solve(passed(), failed())
    assert await run_show(settings, SECOND, json=True, view=None, step=-2) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["run"]["handle"] == SECOND
    assert document["step"]["number"] == 1
    assert document["step"]["actions"][0]["command"] == "ls"
    assert document["step"]["usage"]["cost_micros"] == 5000


async def test_a_step_that_is_not_there_is_refused(ring: Ring, settings: Settings):
    await ring.solve(passed())
    with pytest.raises(NotFoundError, match="steps 0 to 2"):
        await run_show(settings, FIRST, json=False, view=None, step=7)


async def test_a_run_names_the_step_of_each_message(ring: Ring, settings: Settings, capsys):
    await ring.solve(passed())
    assert await run_show(settings, FIRST, json=False, view=None) == 0
    shown = capsys.readouterr().out
    assert "[2] assistant, step 1" in shown
    assert "$ ls" in shown
    assert "--step N" in shown
