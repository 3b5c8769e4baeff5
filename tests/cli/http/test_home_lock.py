"""Whose home it is: one server at a time, told apart from what a killed one left behind."""

import asyncio
import signal
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from yudai.cli.http.home_lock import (
    Ownership,
    ServerEntry,
    find_owner,
    is_owned,
    known_owner,
    owning,
    place_of,
    read_entry,
)
from yudai.kit.errors import ConflictError, RefusedError
from yudai.settings import Settings

ENTRY = ServerEntry(url="http://127.0.0.1:1", pid=1, version="0.1.0")
HOLDER = """
import asyncio, sys
from pathlib import Path
from yudai.cli.http.home_lock import ServerEntry, owning

async def hold():
    async with owning(Path(sys.argv[1])) as ownership:
        ownership.announce(ServerEntry(url="http://127.0.0.1:9", pid=7, version="x"))
        print("held", flush=True)
        await asyncio.Event().wait()

asyncio.run(hold())
"""


async def test_an_owner_is_seen_while_it_lives_and_leaves_nothing_said(tmp_path: Path):
    assert not is_owned(tmp_path)
    async with owning(tmp_path) as ownership:
        assert is_owned(tmp_path)
        assert known_owner(tmp_path) is None
        ownership.announce(ENTRY)
        assert known_owner(tmp_path) == ENTRY
        assert stat.S_IMODE((tmp_path / "server.json").stat().st_mode) == 0o600
    assert not is_owned(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["server.lock"]


async def test_a_second_owner_learns_who_the_first_is(tmp_path: Path):
    async with owning(tmp_path) as ownership:
        with pytest.raises(ConflictError, match="is already starting on"):
            await owning(tmp_path, patience_s=0).__aenter__()
        ownership.announce(ENTRY)
        with pytest.raises(ConflictError, match=r"http://127\.0\.0\.1:1 \(process 1\)"):
            await owning(tmp_path, patience_s=0).__aenter__()
        assert known_owner(tmp_path) == ENTRY


async def test_who_only_looks_keeps_no_one_from_owning(tmp_path: Path):
    async with owning(tmp_path):
        pass
    looking = True

    def look() -> None:
        while looking:
            is_owned(tmp_path)

    thread = asyncio.get_running_loop().run_in_executor(None, look)
    try:
        for _ in range(20):
            async with owning(tmp_path):
                pass
    finally:
        looking = False
        await thread


def test_what_a_killed_server_said_is_not_believed(tmp_path: Path):
    with subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(tmp_path)], stdout=subprocess.PIPE, text=True
    ) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "held\n"
        assert known_owner(tmp_path) is not None
        holder.send_signal(signal.SIGKILL)
    assert read_entry(tmp_path) is not None
    assert known_owner(tmp_path) is None


async def test_what_was_said_before_is_withdrawn_first(tmp_path: Path):
    Ownership(tmp_path).announce(ENTRY)
    async with owning(tmp_path):
        assert known_owner(tmp_path) is None


@pytest.mark.parametrize("text", ["", "{", "[]", '{"url": 3}', "\xff"])
async def test_a_broken_entry_is_one_that_is_not_there_yet(tmp_path: Path, text: str):
    async with owning(tmp_path):
        (tmp_path / "server.json").write_text(text, encoding="latin-1")
        assert known_owner(tmp_path) is None


async def test_one_that_is_starting_is_waited_for(tmp_path: Path):
    asked: list[ServerEntry] = []

    async def answers(entry: ServerEntry) -> bool:
        asked.append(entry)
        return len(asked) > 1

    async with owning(tmp_path) as ownership:
        finding = asyncio.create_task(find_owner(tmp_path, answers))
        await asyncio.sleep(0.05)
        assert not asked
        ownership.announce(ENTRY)
        assert await finding == ENTRY
    assert len(asked) == 2


async def test_an_owner_that_ends_while_it_is_waited_for_is_no_owner(tmp_path: Path):
    async def answers(_: ServerEntry) -> bool:
        return False

    async with owning(tmp_path):
        finding = asyncio.create_task(find_owner(tmp_path, answers))
        await asyncio.sleep(0.05)
    assert await finding is None


async def test_one_that_never_answers_is_named(tmp_path: Path):
    async def answers(_: ServerEntry) -> bool:
        return False

    async with owning(tmp_path) as ownership:
        ownership.announce(ENTRY)
        with pytest.raises(RefusedError, match=r"process 1.* does not answer"):
            await find_owner(tmp_path, answers, patience_s=0)


async def test_a_home_that_cannot_be_written_is_refused(tmp_path: Path):
    (tmp_path / "file").write_text("")
    with pytest.raises(RefusedError, match="YUDAI_HOME"):
        await owning(tmp_path / "file" / "home").__aenter__()


def test_a_database_is_named_without_its_secret(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("DATABASE_URL", "postgresql://me:secret@db:5432/yudai?sslmode=require")
    assert place_of(Settings.at(tmp_path)) == "postgresql://me@db:5432/yudai"
    monkeypatch.setenv("DATABASE_URL", "sqlite:///here.db")
    assert place_of(Settings.at(tmp_path)) == str(Path("here.db").absolute())
