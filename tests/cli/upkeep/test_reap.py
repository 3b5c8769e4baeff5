"""`yudai reap`: a line for each leftover, a sum, and errors in one line."""

import json
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import cast

import pytest

from tests.support.servers.databases import used_home
from yudai.cli.upkeep.reap import OpenReaper, run_reap
from yudai.kit.errors import RefusedError, SandboxError
from yudai.operations import telemetry
from yudai.sandboxes.backends.local.home import Home
from yudai.sandboxes.port import Backend, Fate, Leftover
from yudai.sandboxes.reap import Reaper
from yudai.settings import Settings
from yudai.store.store import Store
from yudai.wiring.sandbox_upkeep import open_reaper

Captured = pytest.CaptureFixture[str]
DEAD = Leftover(backend="e2b", id="m-1", owner="run-1", why="its process is dead", age_s=3900)
REFUSED = DEAD.model_copy(update={"id": "m-2", "fate": Fate.REFUSED, "note": "denied"})
WAITING = Leftover(
    backend="e2b", id="m-3", why="it is not in the database", fate=Fate.WAITING, note="later"
)


@dataclass
class SweptBackend:
    leftovers: Sequence[Leftover] = ()
    error: Exception | None = None
    asked: list[bool] = field(default_factory=list)

    async def reap(self, *, dry_run: bool = False) -> Sequence[Leftover]:
        self.asked.append(dry_run)
        if self.error is not None:
            raise self.error
        return self.leftovers


def opener(**backends: SweptBackend) -> OpenReaper:
    @asynccontextmanager
    async def opened(settings: Settings, store: Store) -> AsyncGenerator[Reaper]:
        del settings, store
        yield Reaper(cast("dict[str, Backend]", backends))

    return opened


@pytest.fixture(autouse=True)
def quiet() -> None:
    telemetry.set_up(verbose=False)


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings.at(used_home(tmp_path / "home"))


async def test_each_leftover_has_a_line_with_why_and_age(settings: Settings, capsys: Captured):
    backend = SweptBackend([DEAD, REFUSED, WAITING])
    assert await run_reap(settings, dry_run=False, opened=opener(e2b=backend)) == 0
    assert capsys.readouterr().out.splitlines() == [
        "✓ e2b m-1: its process is dead, 65:00 min old, of run-1",
        "✗ e2b m-2: its process is dead, 65:00 min old, of run-1, denied",
        "… e2b m-3: it is not in the database, later",
        "1 leftover removed; 1 could not be removed: the next sweep tries again; 1 watched.",
    ]
    assert backend.asked == [False]


async def test_a_dry_run_says_what_would_be(settings: Settings, capsys: Captured):
    backend = SweptBackend([DEAD, DEAD])
    assert await run_reap(settings, dry_run=True, opened=opener(e2b=backend)) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "- e2b m-1: its process is dead, 65:00 min old, of run-1"
    assert lines[-1] == "2 leftovers would be removed."
    assert backend.asked == [True]


async def test_nothing_is_said_to_be_nothing(settings: Settings, capsys: Captured):
    assert await run_reap(settings, dry_run=False, opened=opener(e2b=SweptBackend())) == 0
    assert capsys.readouterr().out == "There are no leftovers.\n"


async def test_nothing_is_not_said_of_what_was_not_asked(settings: Settings, capsys: Captured):
    broken = SweptBackend(error=SandboxError("the key is wrong"))
    backends = opener(e2b=broken, process=SweptBackend())
    assert await run_reap(settings, dry_run=True, opened=backends) == 1
    said = capsys.readouterr()
    assert said.out == "Nothing was found on the backends that answered; e2b was not asked.\n"
    assert said.err == "yudai: e2b was not checked: the key is wrong\n"
    assert await run_reap(settings, dry_run=True, opened=opener(e2b=broken, prime=broken)) == 1
    assert "e2b and prime were not asked" in capsys.readouterr().out


async def test_a_provider_that_fails_is_one_line_and_the_others_are_swept(
    settings: Settings, capsys: Captured
):
    broken = SweptBackend(error=SandboxError("the key\nis wrong"))
    backends = opener(e2b=broken, prime=SweptBackend([DEAD]))
    assert await run_reap(settings, dry_run=False, opened=backends) == 1
    said = capsys.readouterr()
    assert said.err == "yudai: e2b was not checked: the key is wrong\n"
    assert "1 leftover removed." in said.out


async def test_json_tells_the_same(settings: Settings, capsys: Captured):
    backends = opener(e2b=SweptBackend([DEAD]), prime=SweptBackend(error=SandboxError("no")))
    assert await run_reap(settings, dry_run=True, json=True, opened=backends) == 1
    said = json.loads(capsys.readouterr().out)
    assert said["dry_run"] is True
    assert [(one["id"], one["age_s"], one["fate"]) for one in said["leftovers"]] == [
        ("m-1", 3900, "reaped")
    ]
    assert said["failures"] == [{"backend": "prime", "error": "no"}]


async def test_one_backend_alone(settings: Settings, capsys: Captured):
    one, two = SweptBackend([DEAD]), SweptBackend([DEAD])
    backends = opener(e2b=one, prime=two)
    assert await run_reap(settings, dry_run=False, backend="e2b", opened=backends) == 0
    assert (one.asked, two.asked) == ([False], [])
    with pytest.raises(RefusedError, match="did you mean prime"):
        await run_reap(settings, dry_run=False, backend="prim", opened=backends)


async def test_what_a_provider_calls_things_moves_no_cursor(settings: Settings, capsys: Captured):
    hostile = DEAD.model_copy(update={"id": "\x1b[2J", "owner": "a\nb\x1b]0;x\x07"})
    await run_reap(settings, dry_run=True, opened=opener(e2b=SweptBackend([hostile])))
    out = capsys.readouterr().out
    assert "\x1b" not in out
    assert "\x07" not in out
    assert len(out.splitlines()) == 2


async def test_local_backends_are_swept_without_a_key(settings: Settings, capsys: Captured):
    assert await run_reap(settings, dry_run=True, opened=open_reaper) == 0
    assert capsys.readouterr().out == "There are no leftovers.\n"


async def test_what_cannot_be_removed_is_one_line_and_keeps_no_other(
    settings: Settings, capsys: Captured, monkeypatch: pytest.MonkeyPatch
):
    dead = Home(settings.home)
    first, second = sorted(dead.new_sandbox("run-1").id for _ in range(2))
    (dead.sandbox(first) / "immovable").touch()
    dead.release()
    (settings.home / "bases" / "half").mkdir()
    unlink = Path.unlink

    def refuse(self: Path, **options: bool) -> None:
        if self.name == "immovable":
            raise PermissionError(1, "Operation not permitted", str(self))
        unlink(self, **options)

    monkeypatch.setattr(Path, "unlink", refuse)

    assert await run_reap(settings, dry_run=False, opened=open_reaper) == 0

    said = capsys.readouterr()
    stuck, *others, total = said.out.splitlines()
    why = f"cannot remove {dead.sandbox(first)}: Operation not permitted"
    assert stuck.startswith(f"✗ bubblewrap {first}: its process is dead, ")
    assert stuck.endswith(f", of run-1, {why}")
    assert [line.split(":")[0] for line in others] == [
        f"✓ bubblewrap {second}",
        "✓ bubblewrap half",
    ]
    assert total == "2 leftovers removed; 1 could not be removed: the next sweep tries again."
    assert said.err == ""
