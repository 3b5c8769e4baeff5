"""What sandboxes may not reach is told in the timeline, once, and never gets in the way."""

from collections.abc import AsyncGenerator
from pathlib import Path

import pytest

from solving import SOLVE, Ring, run_id
from yudai.adapters.artifacts.object_store import make_artifacts
from yudai.adapters.clock import SystemClock
from yudai.domain.ids import SolveId
from yudai.ports.sandbox import Blocked, Phase
from yudai.services import blocking
from yudai.services.blocking import BLOCKED, BlockedNotes
from yudai.services.reading import Reader
from yudai.store import events
from yudai.store.store import Store
from yudai.store.tables import EventRow


class Listener:
    def __init__(self, store: Store, home: Path) -> None:
        self.store = store
        reader = Reader(store, make_artifacts(None, home=home), SystemClock())
        self.ring = Ring(reader)
        self.notes = BlockedNotes(store, SystemClock())

    async def told(self) -> list[EventRow]:
        async with self.store.read() as db:
            return [e for e in await events.after(db, SOLVE) if e.kind == BLOCKED]


@pytest.fixture
async def listener(database_url: str, tmp_path: Path) -> AsyncGenerator[Listener]:
    async with await Store.open(database_url) as store:
        made = Listener(store, tmp_path)
        await made.ring.solve(None)
        yield made


def blocked(owner: str, host: str = "evil.example", phase: Phase = Phase.AGENT) -> Blocked:
    return Blocked(host=host, port=443, phase=phase, owner=owner)


async def test_of_a_run_and_of_a_solve(listener: Listener):
    async with listener.notes.telling():
        listener.notes.hear(blocked(run_id(0)))
        listener.notes.hear(blocked(SOLVE, phase=Phase.SETUP))

    agent, setup = await listener.told()
    assert (agent.run_id, setup.run_id) == (run_id(0), None)
    assert agent.data == {"host": "evil.example", "port": 443, "phase": "agent"}
    assert setup.data["phase"] == "setup"


async def test_each_is_told_once(listener: Listener):
    async with listener.notes.telling():
        for _ in range(3):
            listener.notes.hear(blocked(run_id(0)))
        listener.notes.hear(blocked(SOLVE))

    assert len(await listener.told()) == 1


async def test_a_flood_is_cut(listener: Listener, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(blocking, "MOST", 5)
    async with listener.notes.telling():
        for number in range(50):
            listener.notes.hear(blocked(run_id(0), host=f"h{number}.example"))

    assert len(await listener.told()) == 5


async def test_only_so_many_solves_are_remembered(
    listener: Listener, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(blocking, "SOLVES", 1)
    other = await listener.ring.solve(None, id=SolveId("another"))
    async with listener.notes.telling():
        for owner in (SOLVE, SOLVE, other, SOLVE):
            listener.notes.hear(blocked(owner))

    assert len(await listener.told()) == 2


async def test_more_than_can_wait_is_dropped_and_nobody_waits(listener: Listener):
    for number in range(2000):
        listener.notes.hear(blocked("nobody", host=f"h{number}.example"))

    async with listener.notes.telling():
        listener.notes.hear(blocked(run_id(0)))


async def test_of_nobody_that_is_known(listener: Listener):
    async with listener.notes.telling():
        listener.notes.hear(blocked("doctor"))

    assert await listener.told() == []
