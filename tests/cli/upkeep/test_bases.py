"""`yudai bases`: the table, its JSON, and one-line refusals."""

import json
import os
from collections.abc import AsyncGenerator
from pathlib import Path

import pytest
import typer
from structlog.testing import capture_logs

from tests.contracts.conftest import make_archive, spawn_one
from tests.support.servers.databases import used_home
from yudai.cli.upkeep.app import bases_app
from yudai.cli.upkeep.bases import Bounds, run_evict, run_list, run_remove
from yudai.kit.errors import RefusedError
from yudai.sandboxes.backends.process.backend import ProcessBackend
from yudai.sandboxes.port import BaseRef, BaseSpec
from yudai.settings import Settings

Captured = pytest.CaptureFixture[str]
DAY = 86_400.0


@pytest.fixture
def settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Settings:
    monkeypatch.setenv("COLUMNS", "160")
    update = {"sandbox_backend": "process"}
    return Settings.at(used_home(tmp_path / "home")).model_copy(update=update)


@pytest.fixture
async def backend(settings: Settings, tmp_path: Path) -> AsyncGenerator[ProcessBackend]:
    """With two bases, one of which nobody used for three days."""
    backend = ProcessBackend(settings.home)
    source = make_archive(tmp_path / "source.tar", {"big": b"x" * 3_000_000})
    for key in ("old", "young"):
        await backend.prepare(BaseSpec(key=key, source=source))
    used = next(settings.home.rglob("bases/old/used"))
    then = used.stat().st_mtime - 3 * DAY - 60
    os.utime(used, (then, then))
    yield backend
    await backend.close()


async def keys(backend: ProcessBackend) -> list[str]:
    return [facts.key for facts in await backend.bases()]


async def test_no_bases(settings: Settings, capsys: Captured):
    assert await run_list(settings) == 0
    assert capsys.readouterr().out == "There are no prepared bases.\n"
    assert await run_list(settings, json=True) == 0
    assert json.loads(capsys.readouterr().out) == {"bases": [], "total_bytes": 0}


async def test_the_list(settings: Settings, backend: ProcessBackend, capsys: Captured):
    await spawn_one(backend, BaseRef(key="young"))

    assert await run_list(settings) == 0

    head, young, old, total = capsys.readouterr().out.splitlines()
    assert head.split() == ["backend", "key", "size", "made", "last", "used", "sandboxes"]
    size = old.split()[2]
    assert int(size) >= 3
    assert young.split() == ["process", "young", size, "MB", *["just", "now"] * 2, "1"]
    assert old.split() == ["process", "old", size, "MB", "just", "now", *("3", "days", "ago", "0")]
    assert total.startswith("2 bases, ")
    assert total.endswith(" MB together")


async def test_nothing_is_cut_however_narrow_the_terminal(
    settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Captured
):
    monkeypatch.setenv("COLUMNS", "40")
    key = "0123456789abcdef" * 4
    backend = ProcessBackend(settings.home)
    await backend.prepare(BaseSpec(key=key, source=make_archive(tmp_path / "s.tar", {"f": b"x"})))
    await backend.close()

    assert await run_list(settings) == 0

    _, row, _ = capsys.readouterr().out.splitlines()
    assert row.split()[:4] == ["process", key, "0", "MB"]
    assert row.split()[4:] == ["just", "now", "just", "now", "0"]


async def test_the_start_of_a_key_will_do(
    settings: Settings, backend: ProcessBackend, tmp_path: Path, capsys: Captured
):
    source = make_archive(tmp_path / "more.tar", {"f": b"x"})
    for key in ("older", "oldest"):
        await backend.prepare(BaseSpec(key=key, source=source))

    with pytest.raises(RefusedError) as refused:
        await run_remove(settings, ["olde", "you", "young", "old", ""])

    assert capsys.readouterr().out == "young: removed\nold: removed\n"
    assert str(refused.value) == (
        "2 bases begin with 'olde': give more of the key; "
        "there is no base '': yudai bases lists them"
    )
    assert await keys(backend) == ["older", "oldest"]


async def test_the_list_as_json(settings: Settings, backend: ProcessBackend, capsys: Captured):
    assert await run_list(settings, json=True) == 0

    told = json.loads(capsys.readouterr().out)
    assert [base["key"] for base in told["bases"]] == ["old", "young"]
    assert told["total_bytes"] == sum(base["size_bytes"] for base in told["bases"]) > 6_000_000
    assert told["bases"] == [facts.model_dump() for facts in await backend.bases()]


async def test_bases_of_another_backend(
    settings: Settings, backend: ProcessBackend, capsys: Captured
):
    assert await run_list(settings, backend="bubblewrap", json=True) == 0
    assert json.loads(capsys.readouterr().out)["bases"] == []
    with pytest.raises(RefusedError, match="there is no sandbox 'proces'"):
        await run_list(settings, backend="proces")


async def test_what_can_be_removed_is(
    settings: Settings, backend: ProcessBackend, capsys: Captured
):
    await spawn_one(backend, BaseRef(key="young"))

    with pytest.raises(RefusedError) as refused:
        await run_remove(settings, ["none", "young", "old", "old"])

    assert capsys.readouterr().out == "old: removed\n"
    assert str(refused.value) == (
        "there is no base 'none': yudai bases lists them; "
        "1 sandbox stands on base young: remove it when they have ended"
    )
    assert await keys(backend) == ["young"]


async def test_one_that_cannot_be_removed_keeps_no_other(
    settings: Settings, backend: ProcessBackend, capsys: Captured, monkeypatch: pytest.MonkeyPatch
):
    rename = Path.rename

    def refuse(self: Path, target: Path) -> Path:
        if self.name == "old":
            raise PermissionError(1, "Operation not permitted", str(self))
        return rename(self, target)

    monkeypatch.setattr(Path, "rename", refuse)
    with pytest.raises(RefusedError, match=r"^cannot remove .*bases/old: Operation not permitted$"):
        await run_remove(settings, ["old", "young"])

    assert capsys.readouterr().out == "young: removed\n"
    assert await keys(backend) == ["old"]
    with capture_logs() as logs:
        assert await run_evict(settings, Bounds(max_days=1)) == 0
    assert [line["event"] for line in logs if line["event"].startswith("base.")] == [
        "base.not_evicted"
    ]


async def test_removed_as_json(settings: Settings, backend: ProcessBackend, capsys: Captured):
    assert await run_remove(settings, ["old"], json=True) == 0
    assert json.loads(capsys.readouterr().out) == {"removed": ["old"]}
    assert await keys(backend) == ["young"]


async def test_room_is_made(settings: Settings, backend: ProcessBackend, capsys: Captured):
    assert await run_evict(settings, Bounds(max_days=2), dry_run=True) == 0
    told = capsys.readouterr().out
    assert told.startswith("old: would be removed (")
    assert await keys(backend) == ["old", "young"]

    with capture_logs():
        assert await run_evict(settings, Bounds(max_mb=1)) == 0

    assert capsys.readouterr().out == told.replace("would be removed", "removed")
    # Whoever has just used the other one may need it for the next sandbox.
    assert await keys(backend) == ["young"]
    assert await run_evict(settings, Bounds(max_mb=0, max_days=0)) == 0
    assert capsys.readouterr().out.startswith("Nothing to remove: 1 base, ")


async def test_by_the_settings_nothing_has_to_go(
    settings: Settings, backend: ProcessBackend, capsys: Captured
):
    assert await run_evict(settings, Bounds(), json=True) == 0
    assert json.loads(capsys.readouterr().out) == {"dry_run": False, "bases": []}
    assert await keys(backend) == ["old", "young"]


def test_the_commands_and_their_options(settings: Settings, capsys: Captured):
    app = typer.main.get_command(bases_app(lambda _: settings))

    def run(*arguments: str) -> object:
        app(list(arguments), prog_name="bases", standalone_mode=False)
        return json.loads(capsys.readouterr().out)

    assert run("--json", "--backend", "process") == {"bases": [], "total_bytes": 0}
    evict = ["evict", "--json", "--dry-run", "--max-mb", "1", "--max-days", "0.5"]
    assert run(*evict) == {"dry_run": True, "bases": []}
    with pytest.raises(RefusedError, match="there is no base 'x'"):
        app(["remove", "x", "--json"], prog_name="bases", standalone_mode=False)
