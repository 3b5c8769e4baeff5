"""Sandboxes of one backend: what cannot be removed is told, and keeps nobody else."""

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import cast

import pytest
from structlog.testing import capture_logs

from yudai.kit.errors import SandboxError
from yudai.sandboxes.backends.local.backend import LocalBackend, Prepared, Start
from yudai.sandboxes.backends.local.base_build import OpenBuildSandbox
from yudai.sandboxes.backends.local.home import Home, SandboxRecord
from yudai.sandboxes.backends.sandbox import SandboxHandle
from yudai.sandboxes.backends.toolchain.toolchain import Chosen
from yudai.sandboxes.port import BaseSpec, Fate, Phase, SandboxRef

STUCK = "immovable"


@pytest.fixture(autouse=True)
def host(monkeypatch: pytest.MonkeyPatch) -> None:
    """One on which a file of that name cannot be removed, whoever asks."""
    unlink = Path.unlink

    def refuse(self: Path, **options: bool) -> None:
        if self.name == STUCK:
            raise PermissionError(1, "Operation not permitted", str(self))
        unlink(self, **options)

    monkeypatch.setattr(Path, "unlink", refuse)


class Fleet(LocalBackend):
    """Nothing runs in its sandboxes, and none is started."""

    async def _kill(self, record: SandboxRecord) -> None:
        pass

    async def _remove(self, record: SandboxRecord) -> bool:
        return await asyncio.to_thread(self._home.remove_sandbox, record.id)

    async def _uid(self) -> int:
        raise NotImplementedError

    def _opener(self, spec: BaseSpec, owner: str, chosen: Chosen) -> OpenBuildSandbox:
        raise NotImplementedError

    async def _starter(self, base: Prepared, owner: str, phase: Phase) -> Start:
        raise NotImplementedError


def fleet_of(home: Home) -> LocalBackend:
    return Fleet("here", home)


def leave(root: Path, n: int) -> list[SandboxRecord]:
    """Sandboxes of a process that has died; the first one cannot be removed."""
    dead = Home(root)
    records = sorted((dead.new_sandbox("you") for _ in range(n)), key=lambda record: record.id)
    (dead.sandbox(records[0].id) / "deep").mkdir()
    (dead.sandbox(records[0].id) / "deep" / STUCK).touch()
    dead.release()
    return records


async def test_one_that_cannot_be_removed_keeps_no_other(tmp_path: Path):
    first, *others = leave(tmp_path, 3)
    home = Home(tmp_path)

    for expected in ([first, *others], [first]):
        found = await fleet_of(home).reap()
        assert [leftover.id for leftover in found] == [record.id for record in expected]
        assert (found[0].fate, found[0].owner) == (Fate.REFUSED, "you")
        assert found[0].note == f"cannot remove {home.sandbox(first.id)}: Operation not permitted"
        assert {leftover.fate for leftover in found[1:]} <= {Fate.REAPED}
        assert [record.id for record in home.records()] == [first.id]

    home.release()
    assert list((tmp_path / "leases").iterdir()) == []


async def test_what_a_dead_process_keeps_in_its_lease_is_reported(tmp_path: Path):
    leave(tmp_path, 1)
    home = Home(tmp_path)
    fleet = fleet_of(home)
    await fleet.reap()
    dead = home.lease().parent / "dead"
    dead.mkdir()
    (dead / STUCK).touch()
    (home.lease().parent / "other").mkdir()

    [_, told] = await fleet.reap()

    assert (told.id, told.fate) == ("dead", Fate.REFUSED)
    assert told.note == f"cannot remove {dead}: Operation not permitted"
    assert {path.name for path in home.lease().parent.iterdir()} == {"dead", home.lease().name}
    home.release()


async def test_by_its_name_it_is_refused_in_one_line(tmp_path: Path):
    [first] = leave(tmp_path, 1)
    home = Home(tmp_path)
    with pytest.raises(SandboxError, match=f"cannot remove .*{first.id}: Operation not permitted"):
        await fleet_of(home).destroy(SandboxRef(backend="here", id=first.id, owner="you"))
    home.release()


class StubbornSandbox:
    """Ends, but for its files, or not at all."""

    def __init__(self, ref: SandboxRef, end: Callable[[], object]) -> None:
        self.ref = ref
        self._end = end

    async def destroy(self) -> None:
        await cast("asyncio.Future[None]", self._end())


async def test_to_close_ends_all_of_them_whatever_becomes_of_one(tmp_path: Path):
    home = Home(tmp_path)
    fleet = fleet_of(home)
    records = [home.new_sandbox("me") for _ in range(4)]
    (home.sandbox(records[0].id) / STUCK).touch()
    (home.lease() / STUCK).touch()

    async def lose() -> None:
        raise SandboxError("its machine does not answer")

    async def start(record: SandboxRecord) -> SandboxHandle:
        end = lose if record is records[1] else lambda: fleet.forget(record)
        return cast("SandboxHandle", StubbornSandbox(fleet.ref(record), end))

    for record in records:
        await fleet.start(1, lambda record=record: start(record))

    with capture_logs() as logs:
        await fleet.close()

    assert {record.id for record in home.records()} == {records[0].id, records[1].id}
    assert {line["event"] for line in logs} == {
        "sandbox.not_removed",
        "sandbox.not_ended",
        "lease.not_removed",
    }
    assert {record.id for record in Home(tmp_path).abandoned()} == {records[0].id, records[1].id}
