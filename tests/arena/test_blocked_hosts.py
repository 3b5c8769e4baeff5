"""What sandboxes may not reach is told in the timeline, once, and never gets in the way."""

from collections.abc import AsyncGenerator
from pathlib import Path

import pytest
from structlog.testing import capture_logs

from tests.contracts.conftest import make_archive
from tests.support.solve_rows import SOLVE, Ring, run_id
from yudai.arena import blocked_hosts
from yudai.arena.blocked_hosts import BLOCKED, MORE, BlockedHostRecorder
from yudai.artifacts.adapters.object_store import make_artifacts
from yudai.artifacts.context import Context
from yudai.kit.clock import SystemClock
from yudai.kit.errors import SandboxError
from yudai.kit.ids import SolveId
from yudai.sandboxes.backends.bubblewrap.backend import BubblewrapBackend
from yudai.sandboxes.port import UNKNOWN_PORT, BaseSpec, Blocked, Phase
from yudai.solves import timeline as events
from yudai.solves.tables import EventRow
from yudai.store.store import Store


class Listener:
    def __init__(self, store: Store, home: Path) -> None:
        self.store = store
        context = Context(store, make_artifacts(None, home=home), SystemClock())
        self.ring = Ring(context)
        self.recorder = BlockedHostRecorder(store, SystemClock())

    async def told(self, kind: str = BLOCKED) -> list[EventRow]:
        async with self.store.read() as db:
            return [e for e in await events.after(db, SOLVE) if e.kind == kind]


@pytest.fixture
async def listener(database_url: str, tmp_path: Path) -> AsyncGenerator[Listener]:
    async with await Store.open(database_url) as store:
        made = Listener(store, tmp_path)
        await made.ring.solve(None, None)
        yield made


def blocked(
    owner: str, host: str = "evil.example", phase: Phase = Phase.AGENT, port: int = 443
) -> Blocked:
    return Blocked(host=host, port=port, phase=phase, owner=owner)


async def test_of_a_run_and_of_a_solve(listener: Listener):
    async with listener.recorder.writing():
        listener.recorder.record(blocked(run_id(0)))
        listener.recorder.record(blocked(SOLVE, phase=Phase.SETUP))

    agent, setup = await listener.told()
    assert (agent.run_id, setup.run_id) == (run_id(0), None)
    assert agent.data == {"host": "evil.example", "port": 443, "phase": "agent"}
    assert setup.data["phase"] == "setup"


@pytest.mark.parametrize("phase", [Phase.AGENT, Phase.VERIFICATION])
async def test_from_a_program_in_a_sandbox_to_the_timeline(
    listener: Listener, tmp_path: Path, phase: Phase
):
    source = make_archive(tmp_path / "source.tar", {"a.txt": b"one\n"})
    backend = BubblewrapBackend(tmp_path / "home", on_blocked=listener.recorder.record)
    async with listener.recorder.writing():
        base = await backend.prepare(BaseSpec(key="k", source=source), owner=SOLVE)
        [sandbox] = await backend.spawn(base, 1, owner=run_id(1), phase=phase)
        assert not isinstance(sandbox, SandboxError), sandbox
        await sandbox.exec("getent hosts evil.example || curl -sS https://evil.example/")
        await backend.close()

    [event] = await listener.told()
    assert event.run_id == run_id(1)
    assert event.data == {"host": "evil.example", "phase": phase.value}


async def test_each_is_reported_once_of_each_run_and_of_the_solve_itself(listener: Listener):
    async with listener.recorder.writing():
        for _ in range(3):
            for owner in (run_id(0), run_id(1), SOLVE):
                listener.recorder.record(blocked(owner))

    assert [event.run_id for event in await listener.told()] == [run_id(0), run_id(1), None]


async def test_a_name_that_was_only_looked_up_has_no_port(listener: Listener):
    async with listener.recorder.writing():
        listener.recorder.record(blocked(run_id(0), port=UNKNOWN_PORT))

    [event] = await listener.told()
    assert event.data == {"host": "evil.example", "phase": "agent"}


async def test_a_flood_of_one_is_cut_and_says_so_once(
    listener: Listener, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(blocked_hosts, "MOST", 5)
    async with listener.recorder.writing():
        for number in range(50):
            listener.recorder.record(blocked(run_id(0), host=f"h{number}.example"))
        listener.recorder.record(blocked(run_id(1)))

    told = await listener.told()
    assert [event.run_id for event in told] == [run_id(0)] * 5 + [run_id(1)]
    [more] = await listener.told(MORE)
    assert (more.run_id, more.data) == (run_id(0), {"phase": "agent"})
    assert told[4].id < more.id < told[5].id


async def test_only_so_many_owners_are_remembered(
    listener: Listener, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(blocked_hosts, "OWNERS", 1)
    other = await listener.ring.solve(None, id=SolveId("another"))
    async with listener.recorder.writing():
        for owner in (SOLVE, SOLVE, other, SOLVE):
            listener.recorder.record(blocked(owner))

    assert len(await listener.told()) == 2


async def test_more_than_can_wait_is_dropped_and_no_one_waits(listener: Listener):
    with capture_logs() as logs:
        for number in range(998):
            listener.recorder.record(blocked("nobody", host=f"h{number}.example"))
        for number in range(5):
            listener.recorder.record(blocked(run_id(0), host=f"h{number}.example"))
    async with listener.recorder.writing():
        pass

    assert [event.data["host"] for event in await listener.told()] == ["h0.example", "h1.example"]
    untold = [(entry["event"], entry["host"]) for entry in logs]
    assert untold == [
        ("network.blocked_not_recorded", f"h{number}.example") for number in (2, 3, 4)
    ]


async def test_a_blocked_host_of_an_unknown_owner_is_dropped(listener: Listener):
    async with listener.recorder.writing():
        listener.recorder.record(blocked("doctor"))

    assert await listener.told() == []
