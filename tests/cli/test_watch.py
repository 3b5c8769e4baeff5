"""Looking on from another process: `watch`, `cancel`, and the display that they share."""

import asyncio
import io
import json
import re
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from tests.support.servers.databases import used_home
from tests.support.solve_rows import REPORT, SOLVE, Ring, failed, passed, run_id
from yudai.arena.blocked_hosts import BLOCKED, MORE
from yudai.cli.decide import run_cancel
from yudai.cli.http.home_lock import owning
from yudai.cli.records.records import OwnRecords
from yudai.cli.records.source import DatabaseSource, Watched
from yudai.cli.show.show import run_show
from yudai.cli.watch import Phase, phase_words, run_watch, show_runs, watch
from yudai.engine import queries as workers
from yudai.kit.errors import ConflictError, NotFoundError
from yudai.kit.ids import SolveId, WorkerId
from yudai.operations import telemetry
from yudai.runs import queries as runs
from yudai.runs.domain.states import RunEvent
from yudai.settings import Settings
from yudai.solves import queries as solves
from yudai.solves import timeline as events
from yudai.solves.domain.states import SolveEvent, SolveState
from yudai.store.holders import Holder
from yudai.testing.domain.report import Baseline
from yudai.views import documents
from yudai.wiring.components import open_context

WORKER = WorkerId("0190a000-0000-7000-8000-00000000cccc")
RUNNING: dict[str, Any] = {"state": SolveState.RUNNING, "finished_at": None}


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    telemetry.set_up(verbose=False)
    return Settings.at(used_home(tmp_path))


@pytest.fixture
async def ring(settings: Settings) -> AsyncIterator[Ring]:
    async with open_context(settings) as context:
        yield Ring(context)


async def enrol(ring: Ring) -> None:
    """A process that goes on with it, as far as anybody can tell."""
    holder = Holder(id=WORKER, host="elsewhere", pid=1, durable=False)
    async with ring.store.change() as db:
        await workers.enrol(db, holder, now=ring.context.clock.now())


async def finish(ring: Ring) -> None:
    now = ring.context.clock.now()
    async with ring.store.change() as db:
        await runs.advance(db, run_id(0), RunEvent.BROKE, at=now, cause="out_of_steps")
        await solves.advance(
            db, SOLVE, SolveEvent.ABSTAINED, at=now, reason="no champion: too few steps"
        )


def written() -> Console:
    return Console(file=io.StringIO(), width=100)


def said(console: Console) -> str:
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


async def test_a_solve_that_has_come_to_rest_is_shown_at_once(ring: Ring, settings, capsys):
    await ring.solve(passed(), failed())
    assert await run_watch(settings, "", json=False) == 0
    assert "fast-t0.0-e5-balanced" in capsys.readouterr().out


async def test_a_running_solve_is_followed_to_its_end(ring: Ring, settings: Settings, capsys):
    await enrol(ring)
    await ring.solve(None, **RUNNING, worker_id=WORKER)
    watching = asyncio.create_task(run_watch(settings, "", json=True))
    await asyncio.sleep(0.05)
    await finish(ring)
    assert await watching == 2
    captured = capsys.readouterr()
    assert json.loads(captured.out)["solve"]["state"] == "completed"
    assert "solve.abstained" in captured.err


async def test_one_that_goes_on_is_preferred_to_a_newer_one(ring: Ring, settings: Settings, capsys):
    await ring.solve(None, **RUNNING)
    await ring.solve(passed(), id=SolveId("0190a000-0000-7000-8000-00000000bbbb"), created_at=9e9)
    assert await run_watch(settings, "", json=True) == 1
    captured = capsys.readouterr()
    assert json.loads(captured.out)["solve"]["id"] == SOLVE
    assert "has died: `" in " ".join(captured.err.split())


async def test_a_solve_of_a_dead_process_is_not_waited_for(ring: Ring, settings, capsys):
    await ring.solve(None, **RUNNING)
    assert await run_watch(settings, SOLVE, json=False) == 1
    assert "0000aaaa` ends it" in " ".join(capsys.readouterr().err.split())
    assert (await documents.find_solve(ring.context, SOLVE)).state == "running"


async def test_no_longer_watching_leaves_the_solve_alone(ring: Ring, settings: Settings):
    await enrol(ring)
    await ring.solve(None, **RUNNING, worker_id=WORKER)
    console = written()
    watching = asyncio.create_task(watch(OwnRecords(settings, ring.context), SOLVE, console))
    await asyncio.sleep(0.05)
    watching.cancel()
    with pytest.raises(asyncio.CancelledError):
        await watching
    assert (await documents.find_solve(ring.context, SOLVE)).state == "running"
    assert "the solve continues" in said(console)


async def test_a_servers_solve_waits_for_the_server(ring: Ring, settings: Settings):
    await ring.solve(None, **RUNNING, durable=True)
    records = OwnRecords(settings, ring.context)
    assert "when `yudai serve` is started again" in await records.remark(SOLVE)
    async with owning(settings.home):
        assert await records.remark(SOLVE) == ""
    console = written()
    watching = asyncio.create_task(watch(records, SOLVE, console))
    await asyncio.sleep(0.05)
    assert not watching.done()
    await finish(ring)
    await watching
    assert "No server runs here now" in said(console)
    assert await records.remark(SOLVE) == ""


async def test_a_terminal_sees_a_table_with_its_phase(ring: Ring):
    await ring.solve(passed(), None, **RUNNING)
    async with ring.store.change() as db:
        await events.append(db, SOLVE, kind="base.prepared", at=ring.context.clock.now())
    console = Console(file=io.StringIO(), width=120, force_terminal=True, color_system=None)
    looks = 0

    async def is_over() -> bool:
        nonlocal looks
        looks += 1
        return looks > 2

    await show_runs(DatabaseSource(ring.context, SOLVE, is_over), console)
    shown = said(console)
    assert "fast-t0.1-e5-balanced" in shown
    assert "running the base's own tests twice" in shown
    assert "\x1b[31m" not in shown


async def block(ring: Ring, *hosts: str, run: int | None = None) -> None:
    async with ring.store.change() as db:
        for host in hosts:
            data: dict[str, object] = {
                "host": host,
                "port": 443,
                "phase": "setup" if run is None else "agent",
            }
            of = None if run is None else run_id(run)
            await events.append(db, SOLVE, kind=BLOCKED, at=9e9, run_id=of, data=data)


async def test_a_terminal_sees_what_was_blocked_and_keeps_its_phase(ring: Ring):
    await ring.solve(passed(), None, **RUNNING)
    async with ring.store.change() as db:
        await events.append(db, SOLVE, kind="base.prepared", at=ring.context.clock.now())
    await block(ring, "a.example", "b.example", "c.example", "\x1b[31mevil.example")
    await block(ring, "agent.example", run=1)
    console = Console(file=io.StringIO(), width=120, force_terminal=True, color_system=None)
    looks = iter((False, False, True, True, True))

    async def is_over() -> bool:
        return next(looks)

    await show_runs(DatabaseSource(ring.context, SOLVE, is_over), console)
    shown, _, left = said(console).rpartition("\x1b[?25h")
    assert "running the base's own tests twice" in shown
    assert "blocked: 2 before that" in shown
    assert "evil.example:443, in the setup phase" in shown
    assert "blocked: agent.example:443, in the agent phase by fast-t0.1-e5-balanced" in shown
    assert "\x1b[31m" not in shown
    assert re.findall(r"blocked: (\S+):443,", left) == [
        *("a.example", "b.example", "c.example", "\ufffd[31mevil.example", "agent.example")
    ]


async def test_what_could_not_be_run_on_the_base_is_said_while_and_after_it_runs(
    ring: Ring, settings: Settings, capsys
):
    lost = REPORT.model_copy(update={"collection_errors": ("lost.py",)})
    baseline = Baseline(first=lost, second=lost, command="pytest")
    await ring.solve(passed(), baseline=baseline, **RUNNING)
    async with ring.store.change() as db:
        data: dict[str, object] = {"reason": "lost.py could not be loaded"}
        await events.append(db, SOLVE, kind="baseline.partial", at=9e9, data=data)
    console = Console(file=io.StringIO(), width=120, force_terminal=True, color_system=None)

    async def is_over() -> bool:
        return True

    await show_runs(DatabaseSource(ring.context, SOLVE, is_over), console)
    assert "note: lost.py could not be loaded" in said(console).rpartition("\x1b[?25h")[2]
    await run_show(settings, SOLVE, json=False, view=None)
    shown = capsys.readouterr().out
    assert "Note: could not be loaded on the base, so nothing in it counts: lost.py" in shown


async def test_what_was_blocked_is_part_of_the_solve(ring: Ring, settings: Settings, capsys):
    await ring.solve(passed())
    assert await run_show(settings, SOLVE, json=False, view=None) == 0
    assert "may not" not in capsys.readouterr().out
    await block(ring, *(f"h{number}.example" for number in range(30)))
    async with ring.store.change() as db:
        data: dict[str, object] = {"host": "evil.example", "phase": "agent"}
        await events.append(db, SOLVE, kind=BLOCKED, at=9e9, run_id=run_id(0), data=data)
        await events.append(db, SOLVE, kind=MORE, at=9e9, run_id=run_id(0), data={"phase": "agent"})

    assert await run_show(settings, SOLVE, json=False, view=None) == 0
    shown = capsys.readouterr().out
    assert "What sandboxes tried to reach but may not" in shown
    assert "  blocked: h0.example:443, in the setup phase\n" in shown
    assert "… 12 more: --json" in shown

    assert await run_show(settings, SOLVE, json=True, view=None) == 0
    document = json.loads(capsys.readouterr().out)
    assert {"solve", "ranking", "reason"} <= document.keys()
    first, *_, name, more = document["blocked"]
    assert first == {"run_id": None, "phase": "setup", "host": "h0.example", "port": 443}
    assert name == {"run_id": run_id(0), "phase": "agent", "host": "evil.example", "port": None}
    assert (more["run_id"], more["host"]) == (run_id(0), None)


async def watched(ring: Ring) -> Watched:
    async def is_over() -> bool:
        return False

    return (await DatabaseSource(ring.context, SOLVE, is_over).poll()).seen


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        ("solve.opened", "waiting to start"),
        ("solve.started", "preparing the base"),
        ("base.prepared", "tests twice (3.0 s)"),
        ("baseline.measured", "1 running or queued, 0 being verified"),
    ],
)
async def test_every_phase_has_its_words(ring: Ring, kind: str, words: str):
    await ring.solve(passed(), None, **RUNNING)
    now = ring.context.clock.now()
    seen = await watched(ring)
    assert words in phase_words(seen, Phase(kind, now - 3.0), now=now)


async def test_after_the_last_run_the_tests_are_crossed(ring: Ring):
    await ring.solve(passed(), failed(), **RUNNING)
    seen = await watched(ring)
    assert "cross-examination" in phase_words(seen, Phase("baseline.measured", 0.0), now=0.0)


async def test_cancel_ends_what_another_process_runs(ring: Ring, settings: Settings, capsys):
    await enrol(ring)
    await ring.solve(None, **RUNNING, worker_id=WORKER)
    assert await run_cancel(settings, "", json=True) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["solve"]["state"] == "cancelled"
    assert [place["state"] for place in document["ranking"]] == ["cancelled"]


async def test_cancel_ends_what_a_dead_process_left(ring: Ring, settings: Settings, capsys):
    await ring.solve(None, **RUNNING)
    assert await run_cancel(settings, SOLVE, json=False) == 0
    assert "is cancelled; what its runs had done is kept" in capsys.readouterr().out
    assert (await documents.find_solve(ring.context, SOLVE)).state == "cancelled"


async def test_cancel_refuses_what_has_ended_or_never_was(ring: Ring, settings: Settings):
    with pytest.raises(NotFoundError, match="no solves yet"):
        await run_cancel(settings, "", json=False)
    await ring.solve(passed())
    with pytest.raises(ConflictError, match="awaiting_review: there is nothing to cancel"):
        await run_cancel(settings, "", json=False)
    with pytest.raises(NotFoundError, match="there is no solve"):
        await run_cancel(settings, "ffffffff", json=False)
