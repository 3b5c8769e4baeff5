"""Finished trajectories in a folder: exact, atomic, and never the end of a run."""

import errno
import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from structlog.testing import capture_logs

from yudai.artifacts.adapters.trajectory_files import NoTrajectoryFiles, TrajectoryFiles, file_name
from yudai.artifacts.port import Trajectories
from yudai.kit.ids import RunId, SolveId

SOLVE, RUN = SolveId("01890000-0000-7000-8000-000000000001"), RunId("run-2")
CONTENT = b'{"messages": []}'


async def keep(files: Trajectories, repo: str = "owner/name", content: bytes = CONTENT) -> None:
    await files.keep(repo, content, solve_id=SOLVE, run_id=RUN)


async def test_the_file_is_exactly_the_trajectory(tmp_path: Path):
    folder = tmp_path / "made" / "when needed"
    await keep(TrajectoryFiles(folder))
    [file] = folder.iterdir()
    assert file.name == f"owner_name_{SOLVE}_{RUN}.traj.json"
    assert file.read_bytes() == CONTENT


async def test_a_later_attempt_takes_the_place_of_an_earlier_one(tmp_path: Path):
    files = TrajectoryFiles(tmp_path)
    await keep(files)
    await keep(files, content=b"{}")
    [file] = tmp_path.iterdir()
    assert file.read_bytes() == b"{}"


@pytest.mark.parametrize(
    ("repo", "safe"),
    [
        ("owner/name", "owner_name"),
        ("../../etc/passwd", "etc_passwd"),
        (".hidden", "hidden"),
        ("-rf", "rf"),
        ("a\0b\nc\x1b[31m", "a_b_c_31m"),
        ("Grüße an alle", "Gr_e_an_alle"),
        ("", "unnamed"),
        ("...", "unnamed"),
        ("x" * 200, "x" * 80),
    ],
)
def test_the_repository_in_a_file_name(repo: str, safe: str):
    assert file_name(repo, SOLVE, RUN) == f"{safe}_{SOLVE}_{RUN}.traj.json"


@given(st.text(), st.text(), st.text())
def test_whatever_the_names_are_it_is_one_plain_file_name(repo: str, solve: str, run: str):
    name = file_name(repo, SolveId(solve), RunId(run))
    assert name.isascii()
    assert name.isprintable()
    assert Path(name).name == name
    assert name[0] not in ".-"
    assert len(name) < 255


@pytest.fixture
def full_disk(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    def no_space(_: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patch:
        patch.setattr("os.fsync", no_space)
        yield


@pytest.mark.usefixtures("full_disk")
async def test_a_full_disk_is_logged_leaves_nothing_and_keeps_what_was_there(tmp_path: Path):
    old = tmp_path / file_name("owner/name", SOLVE, RUN)
    old.write_bytes(b"old")
    with capture_logs() as logs:
        await keep(TrajectoryFiles(tmp_path))
    [entry] = logs
    assert entry["event"] == "trajectory.unwritten"
    assert entry["log_level"] == "warning"
    assert entry["reason"] == "No space left on device"
    assert entry["file"] == str(old)
    assert list(tmp_path.iterdir()) == [old]
    assert old.read_bytes() == b"old"


async def test_a_folder_that_cannot_be_made_is_logged(tmp_path: Path):
    (tmp_path / "file").write_text("no folder")
    with capture_logs() as logs:
        await keep(TrajectoryFiles(tmp_path / "file" / "below"))
    assert [entry["reason"] for entry in logs] == ["Not a directory"]


async def test_a_folder_of_the_person_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    await keep(TrajectoryFiles(Path("~/trajectories")))
    assert len(list((tmp_path / "trajectories").iterdir())) == 1


async def test_no_one_collects_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    with capture_logs() as logs:
        await keep(NoTrajectoryFiles())
    assert logs == []
    assert list(tmp_path.iterdir()) == []
